"""What one die could do if no rule on single moves held: every move, with the rules that it breaks.

A move that breaks none is an ordinary move. Quotations are from RULES.md, sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import BAR, HOME, OFF, Board
from bgfast.position.rule_book.hops import hop_text
from bgfast.position.rule_book.moves import bear_off_from, board_after, rearmost
from bgfast.rules import RuleSet

__all__ = ["ANYWHERE", "BEAR_OFF_RULES", "CAPTURES", "Step", "reason_for", "single_move_rules", "steps"]


BEAR_OFF_RULES = {
    "standard": "bear-off-higher-point",
    "exact": "bear-off-exact-number",
    "rearmost": "bear-off-rearmost-only",
}
"""For each value of `bearoff_die` the rule which checkers its numbers bear off."""

CAPTURES = (
    *("hit-not-taken:vanishing", "blocked-point:one-hit", "blocked-point:all-hit", "blocked-point:vanishing"),
    *(
        "hit-not-taken:added-up",
        "blocked-point:added-up",
        "hit-not-taken:swallowed",
        "blocked-point:swallowed",
    ),
)
"""Rules on checkers of both sides that meet, with what becomes of them: a board has no number for both.

The opposing ones are hit, or vanish; the numbers are added up; the own checker vanishes. An engine does the
same each time, so that these are as different as any other rules. The exotic ones come last."""

NONE: frozenset[str] = frozenset()
ANYWHERE = (OFF,) * 26


def single_move_rules(rules: RuleSet) -> list[str]:
    """Return the rules on what a die can do that a rule set has, and the one on how many dice there are."""
    found = ["bar-first", *CAPTURES, "bear-off-before-all-home", "bear-off-too-far"]
    found += [BEAR_OFF_RULES[rules.bearoff_die], "too-many-dice"]
    if rules.bearoff_compulsory:
        found.append("bear-off-compulsory")
    if rules.stack_max:
        found.append("full-point")
    if rules.forfeit != "never":
        found += ["forfeit-before-all-home", "forfeit-occupied-point"]
    return found


class Step(NamedTuple):
    """One die used: a move of one checker, or a forfeit.

    Attributes
    ----------
    start, end : int
        25 = bar, to 0 = off; a forfeited die d goes from d to d.
    after : tuple of 26 int
        The board after it.
    broken : frozenset of str
        The rules that it breaks.
    captured : int
        How many opposing checkers it meets in a way for which there is no notation, as none may be there or
        the single one goes elsewhere than to the bar; 0 of all others.
    hits : bool
        Whether it hits as it should.
    """

    start: int
    end: int
    after: Board
    broken: frozenset[str] = NONE
    captured: int = 0
    hits: bool = False

    @property
    def is_forfeit(self) -> bool:
        """Whether the die is given up without a move."""
        return self.start == self.end


def steps(board: Board, die: int, rules: RuleSet, lowest: Sequence[int] = ANYWHERE) -> Iterator[Step]:
    """Yield every way to use a die, whatever the rules on single moves say.

    Parameters
    ----------
    board : tuple of 26 int
        The board before it, mover's side.
    die : int
    rules : RuleSet
        Which rules there are.
    lowest : sequence of 26 int, optional
        For each point how far down a checker from there may go; moves that go further are left out.

    Yields
    ------
    Step

    Examples
    --------
    >>> from bgfast import STANDARD
    >>> board = (0, 0, 1, 0, 1) + 20 * (0,) + (1,)
    >>> for step in steps(board, 3, STANDARD):
    ...     print(step.start, step.end, sorted(step.broken))
    25 22 []
    4 1 ['bar-first']
    4 0 ['bar-first', 'bear-off-before-all-home', 'bear-off-too-far']
    2 0 ['bar-first', 'bear-off-before-all-home', 'bear-off-higher-point']
    """
    bear_off = bear_off_from(board, die, rules)
    for start in range(rearmost(board), OFF, -1):
        if board[start] <= 0 or lowest[start] == start:
            continue
        # "bar occupied: only bar -> 25-d"
        waiting = frozenset({"bar-first"}) if board[BAR] > 0 and start != BAR else NONE
        end = start - die
        if end >= 1 and end >= lowest[start]:
            # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
            compulsory = rules.bearoff_compulsory and bear_off
            broken = waiting | {"bear-off-compulsory"} if compulsory else waiting
            # "stack_max == 0 or own[q] < stack_max"
            if rules.stack_max and board[end] >= rules.stack_max:
                broken |= {"full-point"}
            yield from _landings(board, start, end, broken)
        if start < BAR and lowest[start] == OFF:
            after = board_after(board, start, OFF)
            yield Step(start, OFF, after, waiting | _broken_by_bearing_off(board, start, die, rules))
    if rules.forfeit == "empty_point":
        yield Step(die, die, board, _broken_by_forfeiting(board, die))


def _landings(board: Board, start: int, end: int, broken: frozenset[str]) -> Iterator[Step]:
    if board[end] >= -1:
        yield Step(start, end, board_after(board, start, end), broken, hits=board[end] == -1)
    met = -board[end]
    if met <= 0:
        return
    # "landable(q): opponent has at most one checker on q"
    # "hit: opponent has exactly one checker on q -> it goes to his bar"
    rule = "blocked-point" if met > 1 else "hit-not-taken"
    for way, (stays, hit) in _captures(met).items():
        after = list(board)
        after[start] -= 1
        after[end] = stays
        after[0] -= hit
        yield Step(start, end, tuple(after), broken | {f"{rule}:{way}"}, met)


def _captures(met: int) -> dict[str, tuple[int, int]]:
    """Return what engines make of a checker among opposing ones: what the point holds, how many are hit."""
    ways = {"one-hit": (1, 1), "all-hit": (1, met)} if met > 1 else {}
    return ways | {"vanishing": (1, 0), "added-up": (1 - met, 0), "swallowed": (-met, 0)}


def _broken_by_bearing_off(board: Board, start: int, die: int, rules: RuleSet) -> frozenset[str]:
    broken: set[str] = set()
    # "bearing off only when no own checker is on 7..24 or on the bar"
    if rearmost(board) > HOME:
        broken.add("bear-off-before-all-home")
    # standard: "from point d, or from the highest occupied point r if r < d"; exact: "from point d only";
    # rearmost: "only from r, if d >= r; no other checker ever bears off"
    if start > die:
        broken.add("bear-off-too-far")
    higher = any(board[point] > 0 for point in range(start + 1, HOME + 1))
    if (
        (rules.bearoff_die == "standard" and start < die and higher)
        or (rules.bearoff_die == "exact" and start < die)
        or (rules.bearoff_die == "rearmost" and higher)
    ):
        broken.add(BEAR_OFF_RULES[rules.bearoff_die])
    return frozenset(broken)


def _broken_by_forfeiting(board: Board, die: int) -> frozenset[str]:
    # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and
    # own[d] == 0"
    broken: set[str] = set()
    if rearmost(board) > HOME:
        broken.add("forfeit-before-all-home")
    if board[die] > 0:
        broken.add("forfeit-occupied-point")
    return frozenset(broken)


def reason_for(board: Board, die: int, step: Step, rules: RuleSet) -> str | None:
    """Say how a step breaks a rule, the first one if it breaks several, with the points.

    Parameters
    ----------
    board : tuple of 26 int
        The board before the step.
    die : int
    step : Step
    rules : RuleSet

    Returns
    -------
    str or None
        A sentence without a full stop; None of a step that breaks no rule.

    Examples
    --------
    >>> from bgfast import STANDARD
    >>> board = (0, 0, 1, 0, 1) + 20 * (0,) + (1,)
    >>> [reason_for(board, 6, step, STANDARD) for step in steps(board, 6, STANDARD)][:2]
    [None, 'a checker is on the bar and must enter first']
    """
    if step.captured and len(step.broken) == 1:
        return _captured(board, step)
    return next((say(board, die, step, rules) for rule, say in _REASONS.items() if rule in step.broken), None)


def _enters_first(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    who = "a checker is" if board[BAR] == 1 else f"{board[BAR]} checkers are"
    return f"{who} on the bar and must enter first"


def _can_bear_off(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    return f"the {die} can bear a checker off from {bear_off_from(board, die, rules)}, so it must"


def _is_full(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    return f"{step.end} holds {board[step.end]} checkers already"


def _is_outside(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    what = f"the {die} may not be forfeited" if step.is_forfeit else "no checker may be borne off"
    rear = rearmost(board)
    return f"{what} while one stands {'on the bar' if rear == BAR else f'outside home, on {rear}'}"


def _stands_higher(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    higher = max(point for point in range(1, HOME + 1) if board[point] > 0)
    return f"the {die} may not bear a checker off from {step.start} while one stands higher, on {higher}"


def _is_not_exact(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    return f"the {die} bears a checker off from {die} only, not from {step.start}"


def _is_too_far(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    return f"the {die} does not bear a checker off from {step.start}"


def _is_occupied(board: Board, die: int, step: Step, rules: RuleSet) -> str:
    return f"the {die} may not be forfeited while a checker stands on {die}"


def _captured(board: Board, step: Step) -> str:
    # What became of the checkers on a point where they cannot stand together.
    met, end = step.captured, step.end
    stays, hit = step.after[end], board[OFF] - step.after[OFF]
    lands = f"{hop_text((step.start, end))} lands on {end}"
    if met == 1:
        outcome = {
            1: "vanishes",
            0: "vanishes, and so does the mover's",
            -1: "stays, and the mover's vanishes",
        }
        return f"{lands}, and the single opposing checker there {outcome[stays]}"
    if stays < 1:
        outcome = {1 - met: "the numbers are added up", -met: "the mover's checker vanishes"}
    else:
        rest = "the other vanishes" if met == 2 else "the others vanish"
        outcome = {1: {0: "they vanish", 1: f"one is hit, {rest}", met: "all are hit"}[hit]}
    return f"{lands}, held by {met} opposing checkers: {outcome[stays]}"


_REASONS: dict[str, Callable[[Board, int, Step, RuleSet], str]] = {
    "bar-first": _enters_first,
    "bear-off-compulsory": _can_bear_off,
    "full-point": _is_full,
    "bear-off-before-all-home": _is_outside,
    "bear-off-higher-point": _stands_higher,
    "bear-off-exact-number": _is_not_exact,
    "bear-off-rearmost-only": _stands_higher,
    "bear-off-too-far": _is_too_far,
    "forfeit-before-all-home": _is_outside,
    "forfeit-occupied-point": _is_occupied,
}
