"""Implementation of the rules die by die, independent of `bgfast.reference`; tests compare the two.

Boards are valid and have 26 numbers from the mover's side. Each *step* of a die names the rules on single
moves that it breaks; a step that breaks none is an ordinary move or a lawful forfeit. A *hop* is the path of
a checker to a lower point with one or more dice, ``(from, to)`` with 25 = bar and 0 = off.

RULES.md, sections 1 and 2, which the comments quote, define legality over sequences of steps. The steps that
can follow depend only on the board and the unused dice; the three conditions on a complete play depend on
these and the start of the turn. So a `TurnState` represents all sequences that reach it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple, TypeVar

from bgfast.common.validation import BAR, HOME, OFF, Board
from bgfast.rules import RuleSet

# ---- moves and forfeits of one die ----

BEAR_OFF_RULES = {
    "standard": "bear-off-higher-point",
    "exact": "bear-off-exact-number",
    "rearmost": "bear-off-rearmost-only",
}
"""Name of the rule about the checker that a die bears off, by value of `bearoff_die`."""

CAPTURES = (
    *("hit-not-taken:vanishing", "blocked-point:one-hit", "blocked-point:all-hit", "blocked-point:vanishing"),
    *("hit-not-taken:added-up", "blocked-point:added-up"),
    *("hit-not-taken:swallowed", "blocked-point:swallowed"),
)
"""Rules broken by landing among opposing checkers, one for each outcome.

A board cannot hold both sides on a point: the opposing checkers are hit or vanish, the numbers are added up,
or the mover's checker vanishes. An engine has the same outcome each time, so each outcome is a separate
rule. The rarest outcomes come last."""

NONE: frozenset[str] = frozenset()
NO_LIMIT = (OFF,) * 26  # lowest points that restrict no move


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


STEP_RULES = frozenset(
    step_rules(RuleSet(bearoff_compulsory=True, stack_max=1, forfeit="empty_point"))
).union(BEAR_OFF_RULES.values()) - {"too-many-dice"}
"""All rules that a step can break."""


class Step(NamedTuple):
    """Use of a die: a move of a checker, or a forfeit."""

    die: int
    start: int  # 25 = bar
    end: int  # 0 = off; a forfeited die d goes from d to d
    after: Board
    broken: frozenset[str] = NONE  # rules that the step breaks
    hits: bool = False
    captured: int = 0  # opposing checkers on the end point unless they are legally hit

    @property
    def is_forfeit(self) -> bool:
        """True if the die is forfeited."""
        return self.start == self.end


def steps(
    board: Board, die: int, rules: RuleSet, lifted: frozenset[str] = NONE, lowest: Sequence[int] = NO_LIMIT
) -> Iterator[Step]:
    """Yield the steps with a die that break only `lifted` rules, from the highest point down.

    Without lifted rules, these are ordinary moves, then the forfeit, if allowed. `lowest[p]` is the lowest
    point that a checker from point p may reach; lower moves are omitted.
    """
    bear_off = bear_off_from(board, die, rules)
    # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
    compulsory_point = bear_off if rules.bearoff_compulsory else OFF
    stack_max = rules.stack_max
    for start in range(rearmost(board), OFF, -1):
        if board[start] <= 0 or lowest[start] == start:
            continue
        broken_by_bar = NONE
        # "bar occupied: only bar -> 25-d"
        if board[BAR] > 0 and start != BAR:
            if "bar-first" not in lifted:
                break
            broken_by_bar = frozenset({"bar-first"})
        end = start - die
        if end >= 1 and end >= lowest[start]:
            broken = broken_by_bar | {"bear-off-compulsory"} if compulsory_point else broken_by_bar
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
            broken = broken_by_bar | _rules_against_bear_off(board, start, die, rules)
            if broken <= lifted:
                yield Step(die, start, OFF, board_after(board, start, OFF), broken)
    if rules.forfeit == "empty_point" and rearmost(board) > OFF:
        # "a lawful but never compulsory use of d that changes nothing"
        # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and
        # own[d] == 0"
        broken = NONE if rearmost(board) <= HOME else frozenset({"forfeit-before-all-home"})
        if board[die] > 0:
            broken |= {"forfeit-occupied-point"}
        if broken <= lifted:
            yield Step(die, die, die, board, broken)


def _captures(board: Board, step: Step, lifted: frozenset[str]) -> Iterator[Step]:
    """Yield a step for each lifted outcome of landing among opposing checkers."""
    # "landable(q): opponent has at most one checker on q"
    # "hit: opponent has exactly one checker on q -> it goes to the opponent's bar"
    captured = -board[step.end]
    rule = "blocked-point" if captured > 1 else "hit-not-taken"
    # By outcome: checkers on the point afterwards, and checkers hit.
    outcomes = {"one-hit": (1, 1), "all-hit": (1, captured)} if captured > 1 else {}
    outcomes |= {"vanishing": (1, 0), "added-up": (1 - captured, 0), "swallowed": (-captured, 0)}
    for outcome, (remaining, hits) in outcomes.items():
        if f"{rule}:{outcome}" in lifted:
            after = list(board)
            after[step.start] -= 1
            after[step.end] = remaining
            after[0] -= hits
            broken = step.broken | {f"{rule}:{outcome}"}
            yield step._replace(after=tuple(after), broken=broken, captured=captured)


def _rules_against_bear_off(board: Sequence[int], start: int, die: int, rules: RuleSet) -> frozenset[str]:
    # standard: "from point d, or from the highest occupied point r if r < d"; exact: "from point d only";
    # rearmost: "only from r, if d >= r; no other checker ever bears off"
    has_higher = any(board[point] > 0 for point in range(start + 1, HOME + 1))
    is_wrong = {"standard": start < die and has_higher, "exact": start < die, "rearmost": has_higher}
    rules_broken = {
        # "bearing off only when no own checker is on 7..24 or on the bar"
        "bear-off-before-all-home": rearmost(board) > HOME,
        "bear-off-too-far": start > die,
        BEAR_OFF_RULES[rules.bearoff_die]: is_wrong[rules.bearoff_die],
    }
    return frozenset(rule for rule, is_broken in rules_broken.items() if is_broken)


def rearmost(board: Sequence[int]) -> int:
    """Return the highest point with a checker of the mover, 25 for the bar, 0 without checkers."""
    return next((point for point in range(BAR, OFF, -1) if board[point] > 0), OFF)


def bear_off_from(board: Sequence[int], die: int, rules: RuleSet) -> int:
    """Return the only point from which the die may bear a checker off, or 0."""
    rear = rearmost(board)
    if rear > HOME:
        return OFF
    # For every value of `bearoff_die`, only the die's point and the rearmost occupied point are possible.
    for point in (die, rear):
        if board[point] > 0 and not _rules_against_bear_off(board, point, die, rules):
            return point
    return OFF


def board_after(board: Sequence[int], start: int, end: int) -> Board:
    """Return the board after a checker has moved to another point, or off."""
    after = list(board)
    after[start] -= 1
    if end != OFF:  # index 0 is the opponent's bar
        if after[end] == -1:
            # "hit: opponent has exactly one checker on q -> it goes to the opponent's bar"
            after[end] = 0
            after[0] -= 1
        after[end] += 1
    return tuple(after)


# ---- hops: joined steps of a checker, as players write them ----

Hop = tuple[int, int]

POINT_NAMES = ("off", *map(str, range(1, BAR)), "bar")


def ways(hops: Sequence[Hop], dice: Dice) -> Iterator[tuple[int, ...]]:
    """Yield the points touched (stops and ends, hop after hop) for every assignment of the dice to the hops.

    Some dice may stay unused. Checkers on the points are ignored; a die larger than the distance bears off.
    """
    if not hops:
        yield ()
        return
    (start, end), later_hops = hops[0], hops[1:]
    for die in dict.fromkeys(dice):
        point = max(start - die, OFF)
        if point < end:
            continue
        for points in ways(later_hops if point == end else [(point, end), *later_hops], use_die(dice, die)):
            yield (point, *points)


def forfeit_parts(dice: Sequence[int]) -> list[str]:
    """Return the text of forfeited dice, the higher first: ``["F6", "F5(2)"]``."""
    counts = sorted(Counter(dice).items(), reverse=True)
    return [f"F{die}" if count == 1 else f"F{die}({count})" for die, count in counts]


def hops_text(hops: Sequence[Hop], forfeits: Sequence[int]) -> str:
    """Return the text of a play: the hops in the order given, then the forfeited dice."""
    return " ".join([*map(hop_text, hops), *forfeit_parts(forfeits)])


def hop_text(hop: Hop) -> str:
    """Return the text of a hop, which may be invalid."""
    return "/".join(POINT_NAMES[point] if OFF <= point <= BAR else str(point) for point in hop)


def place_name(point: int) -> str:
    """Return the name of a point for use in a sentence."""
    return "the bar" if point == BAR else str(point)


# ---- turns ----

Dice = tuple[int, ...]
Steps = Callable[[Board, int, Sequence[int]], Iterable[Step]]
"""Function that returns the steps with a die on a board, given the lowest points as for `steps`."""
Record = TypeVar("Record")  # record of a path to a state; see `paths_to`


class TurnState(NamedTuple):
    """State of an unfinished turn: the board and the unused dice."""

    board: Board
    dice: Dice


class Turn:
    """Legal sequences of steps for a valid, unfinished position, a roll in either order, and a rule set.

    Caches results; not thread-safe.
    """

    def __init__(self, board: Sequence[int], roll: Sequence[int], rules: RuleSet) -> None:
        self.roll = int(roll[0]), int(roll[1])
        high, low = max(self.roll), min(self.roll)
        # "doubles give four dice, other rolls two, in either order"
        dice = (high,) * 4 if high == low else (high, low)
        self.start = TurnState(tuple(int(cell) for cell in board), dice)
        self.rules = rules
        self._finishable: dict[TurnState, bool] = {}

    def steps(self, board: Board, die: int, lowest: Sequence[int] = NO_LIMIT) -> Iterable[Step]:
        """Return the steps with a die: moves from the highest point down, then a forfeit."""
        return steps(board, die, self.rules, lowest=lowest)

    def moves(self, board: Board, die: int) -> Iterator[Step]:
        """Yield the ordinary moves with a die."""
        return (step for step in self.steps(board, die) if not step.is_forfeit)

    def can_move(self, board: Board, die: int) -> bool:
        """Return whether there is an ordinary move with the die."""
        return any(True for _ in self.moves(board, die))

    @cached_property
    def longest(self) -> int:
        """Maximum number of dice that ordinary moves can use."""

        @cache
        def dice_usable(state: TurnState) -> int:
            maximum = 0
            for die in dict.fromkeys(state.dice):
                rest = use_die(state.dice, die)
                for move in self.moves(state.board, die):
                    maximum = max(maximum, 1 + dice_usable(TurnState(move.after, rest)))
                    if maximum == len(state.dice):
                        return maximum
            return maximum

        return dice_usable(self.start)

    @cached_property
    def compulsory_die(self) -> int:
        """Die that must be used if only one can be; requires a legal play."""
        # "(3) ... that die is the higher of those that had an ordinary move at the start of the turn"
        board, dice = self.start
        return max(die for die in dice if self.can_move(board, die))

    def next_steps(self, state: TurnState) -> Iterator[tuple[Step, TurnState]]:
        """Yield each step with one die and the state after it."""
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        if self.longest == 0:
            return
        for die in dict.fromkeys(state.dice):
            rest = use_die(state.dice, die)
            for step in self.steps(state.board, die):
                yield step, TurnState(step.after, rest)

    def is_complete(self, state: TurnState) -> bool:
        """Return whether the steps up to this state are a complete legal play, or a pass."""
        used = len(self.start.dice) - len(state.dice)
        # "(2) it used at least L dice (a forfeit counts as a use)"
        if used < self.longest:
            return False
        # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
        # ordinary move at the start of the turn"
        if self.longest == used == 1 and len(state.dice) == 1 and self.compulsory_die in state.dice:
            return False
        # "(1) none of its unused dice has an ordinary move in its final state"
        return not any(self.can_move(state.board, die) for die in set(state.dice))

    def can_finish(self, state: TurnState) -> bool:
        """Return whether the steps up to this state are or can become a complete legal play."""
        if state not in self._finishable:
            self._finishable[state] = self.is_complete(state) or any(
                self.can_finish(after) for _, after in self.next_steps(state)
            )
        return self._finishable[state]

    def forfeits(self, result: Sequence[int]) -> set[Dice]:
        """Return each combination of dice, highest first, that a legal play to a board may forfeit.

        ``{()}`` if no die can be forfeited.
        """
        target = tuple(int(cell) for cell in result)
        # A forfeit requires all checkers home, and they stay home during the turn.
        if self.rules.forfeit == "never" or rearmost(target) > HOME:
            return {()}

        def add_forfeit(before: Dice, step: Step) -> Dice:
            return tuple(sorted((*before, step.die), reverse=True)) if step.is_forfeit else before

        initial: Dice = ()
        states = paths_to(target, self.start, self.steps, initial, add_forfeit, set)
        choices = (dice for state, dice in states if state.board == target and self.is_complete(state))
        return set().union(*choices)


def paths_to(
    result: Board,
    start: TurnState,
    steps_of: Steps,
    initial: Record,
    extend: Callable[[Record, Step], Record | None],
    select: Callable[[list[Record]], Collection[Record]],
) -> Iterator[tuple[TurnState, Collection[Record]]]:
    """Yield the states that may lead to a result, legal or not, in order of the number of dice used.

    Each state comes with records of the paths to it. A path starts with record `initial`; `extend` returns
    the record after another step, None to drop the path; `select` chooses records among all paths to a state.
    """
    level: dict[TurnState, Collection[Record]] = {start: [initial]}
    while level:
        yield from level.items()
        next_level: dict[TurnState, list[Record]] = {}
        for (board, dice), records in level.items():
            lowest = lowest_ends(board, result)
            for die in dict.fromkeys(dice):
                rest = use_die(dice, die)
                for step in steps_of(board, die, lowest):
                    if may_lead(step.after, rest, result):
                        new_records = [new for old in records if (new := extend(old, step)) is not None]
                        if new_records:
                            next_level.setdefault(TurnState(step.after, rest), []).extend(new_records)
        level = {state: select(records) for state, records in next_level.items()}


def lowest_ends(board: Board, result: Board) -> list[int]:
    """Return, for each point, the lowest point to which a checker may move with the result still reachable.

    Checkers only move down, so at least as many must stay on and above each point as in the result.
    """
    surplus = 0
    barriers = []  # points without surplus checkers on or above them, from the highest down
    for point in range(BAR, OFF, -1):
        surplus += max(board[point], 0) - max(result[point], 0)
        if surplus <= 0:
            barriers.append(point)
    ends = [OFF] * (BAR + 1)
    for point in range(1, BAR + 1):
        ends[point] = barriers.pop() if barriers and barriers[-1] == point else ends[point - 1]
    return ends


def may_lead(board: Board, dice: Dice, result: Board) -> bool:
    """Return whether the dice may lead to the result: each misplaced checker needs a die.

    The test is necessary, not sufficient. Without it, checking an engine whose results are all wrong takes
    minutes.
    """
    total_surplus = misplaced_count = 0
    for before, after in zip(board[:OFF:-1], result[:OFF:-1], strict=True):
        if before != after:
            surplus = (before if before > 0 else 0) - (after if after > 0 else 0)
            total_surplus += surplus
            if surplus > 0:
                misplaced_count += surplus
            if total_surplus < 0 or misplaced_count > len(dice) or (after < 0 and after < before):
                return False
    return board[OFF] >= result[OFF]


def use_die(dice: Dice, die: int) -> Dice:
    """Return the dice without one of them."""
    index = dice.index(die)
    return dice[:index] + dice[index + 1 :]
