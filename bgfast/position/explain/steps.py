"""Moves and forfeits of one die under every rule set, on plain boards of 26 numbers from the mover's side.

Index 25 is the mover's bar, 24 to 1 the points, index 0 the opponent's bar; to 0 of a step is off. Each step
names the rules on single moves that it breaks; without any it is an ordinary move or a lawful forfeit.
Quotations are from RULES.md, sections 1 and 2. This module is tested against
`bgfast.reference` and does not use it. The functions expect a valid board and are thread-safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import BAR, HOME, OFF, Board
from bgfast.rules import RuleSet

BEAR_OFF_RULES = {
    "standard": "bear-off-higher-point",
    "exact": "bear-off-exact-number",
    "rearmost": "bear-off-rearmost-only",
}
"""Rule on which checkers a number bears off, by value of `bearoff_die`."""

CAPTURES = (
    *("hit-not-taken:vanishing", "blocked-point:one-hit", "blocked-point:all-hit", "blocked-point:vanishing"),
    *("hit-not-taken:added-up", "blocked-point:added-up"),
    *("hit-not-taken:swallowed", "blocked-point:swallowed"),
)
"""Rules on landing among opposing checkers, with the outcome, as a board cannot hold both sides on a point.

The opposing checkers are hit or vanish, the numbers are added up, or the own checker vanishes. An engine has
the same outcome each time, so that each is a rule of its own. The rarest come last."""

STEP_RULES = frozenset(
    {
        *("bar-first", "full-point", "bear-off-compulsory", "bear-off-before-all-home", "bear-off-too-far"),
        *("forfeit-before-all-home", "forfeit-occupied-point"),
        *BEAR_OFF_RULES.values(),
        *CAPTURES,
    }
)
"""All rules that a step can break."""

NONE: frozenset[str] = frozenset()
ANYWHERE = (OFF,) * 26


def step_rules(rules: RuleSet) -> list[str]:
    """Return the rules on single dice in a rule set, and the rule on the number of dice."""
    names = ["bar-first", *CAPTURES, "bear-off-before-all-home", "bear-off-too-far"]
    names += [BEAR_OFF_RULES[rules.bearoff_die], "too-many-dice"]
    if rules.bearoff_compulsory:
        names.append("bear-off-compulsory")
    if rules.stack_max:
        names.append("full-point")
    if rules.forfeit != "never":
        names += ["forfeit-before-all-home", "forfeit-occupied-point"]
    return names


class Step(NamedTuple):
    """Use of a die: a move of a checker, or a forfeit."""

    die: int
    start: int  # 25 = bar
    end: int  # 0 = off; a forfeited die d goes from d to d
    after: Board
    broken: frozenset[str] = NONE  # rules
    hits: bool = False
    captured: int = 0  # opposing checkers on a landing point without a legal hit, which has no notation

    @property
    def is_forfeit(self) -> bool:
        """True if the die is forfeited."""
        return self.start == self.end


def steps(
    board: Board,
    die: int,
    rules: RuleSet,
    lifted: frozenset[str] = NONE,
    lowest: Sequence[int] = ANYWHERE,
) -> Iterator[Step]:
    """Yield the steps with a die that break only lifted `STEP_RULES`, from the highest point down.

    Without lifted rules these are the ordinary moves, then the forfeit, if allowed. `lowest` has the lowest
    point that a checker from each point may reach; lower moves are omitted.
    """
    bear_off = bear_off_from(board, die, rules)
    # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
    compulsory = bear_off if rules.bearoff_compulsory else OFF
    stack_max = rules.stack_max
    for start in range(rearmost(board), OFF, -1):
        if board[start] <= 0 or lowest[start] == start:
            continue
        waiting = NONE
        # "bar occupied: only bar -> 25-d"
        if board[BAR] > 0 and start != BAR:
            if "bar-first" not in lifted:
                break
            waiting = frozenset({"bar-first"})
        end = start - die
        if end >= 1 and end >= lowest[start]:
            broken = waiting | {"bear-off-compulsory"} if compulsory else waiting
            # "stack_max == 0 or own[q] < stack_max"
            if stack_max and board[end] >= stack_max:
                broken |= {"full-point"}
            if broken <= lifted:
                # "every p -> p-d with p-d >= 1 and landable"
                if board[end] >= -1:
                    yield Step(die, start, end, board_after(board, start, end), broken, board[end] == -1)
                if lifted and board[end] < 0:
                    yield from _captures(board, Step(die, start, end, board, broken), lifted)
        if start < BAR and lowest[start] == OFF and (lifted or start == bear_off):
            broken = waiting | _broken_by_bearing_off(board, start, die, rules)
            if broken <= lifted:
                yield Step(die, start, OFF, board_after(board, start, OFF), broken)
    if rules.forfeit == "empty_point" and rearmost(board) > OFF:
        # "a lawful but never compulsory use of d that changes nothing"
        broken = _broken_by_forfeiting(board, die)
        if broken <= lifted:
            yield Step(die, die, die, board, broken)


def _captures(board: Board, step: Step, lifted: frozenset[str]) -> Iterator[Step]:
    """Yield the outcomes in engines of a checker that lands among opposing checkers."""
    # "landable(q): opponent has at most one checker on q"
    # "hit: opponent has exactly one checker on q -> it goes to his bar"
    captured = -board[step.end]
    rule = "blocked-point" if captured > 1 else "hit-not-taken"
    # Checkers on the point afterwards, and checkers hit.
    outcomes = {"one-hit": (1, 1), "all-hit": (1, captured)} if captured > 1 else {}
    outcomes |= {"vanishing": (1, 0), "added-up": (1 - captured, 0), "swallowed": (-captured, 0)}
    for outcome, (stays, hit) in outcomes.items():
        if f"{rule}:{outcome}" in lifted:
            after = list(board)
            after[step.start] -= 1
            after[step.end] = stays
            after[0] -= hit
            broken = step.broken | {f"{rule}:{outcome}"}
            yield step._replace(after=tuple(after), broken=broken, captured=captured)


def _broken_by_bearing_off(board: Sequence[int], start: int, die: int, rules: RuleSet) -> frozenset[str]:
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


def rearmost(board: Sequence[int]) -> int:
    """Return the highest point with a checker of the mover, 25 for the bar, 0 without checkers."""
    return next((point for point in range(BAR, OFF, -1) if board[point] > 0), OFF)


def bear_off_from(board: Sequence[int], die: int, rules: RuleSet) -> int:
    """Return the only point from which the die bears a checker off; 0 for none."""
    rear = rearmost(board)
    if rear > HOME:
        return OFF
    # By every rule it is the die's own point or the rearmost one.
    for point in (die, rear):
        if board[point] > 0 and not _broken_by_bearing_off(board, point, die, rules):
            return point
    return OFF


def board_after(board: Sequence[int], start: int, end: int) -> Board:
    """Return the board after a checker has moved to another point, or off."""
    after = list(board)
    after[start] -= 1
    if end != OFF:  # index 0 is the opponent's bar
        if after[end] == -1:
            # "hit: opponent has exactly one checker on q -> it goes to his bar"
            after[end] = 0
            after[0] -= 1
        after[end] += 1
    return tuple(after)
