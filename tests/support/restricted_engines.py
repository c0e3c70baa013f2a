"""Engines that miss some legal moves because of deliberate bugs.

Moves come from `bgfast.reference`; the bugs are independent of `bgfast.conformance.crosscheck.causes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from bgfast import reference
from bgfast.common.validation import Board
from bgfast.conformance.protocol import Case
from tests.support.lifting_engines import AnyEngine

BAR, OFF = 25, 0
Trail = tuple[tuple[int, int, int], ...]
"""Moves of the turn so far, as (die, start, end)."""


class Step(NamedTuple):
    """Move of a turn, with the board and the moves before it."""

    case: Case
    board: Board
    trail: Trail
    die: int
    start: int
    end: int

    @property
    def is_double(self) -> bool:
        return self.case.roll[0] == self.case.roll[1]

    @property
    def is_first_of_two(self) -> bool:
        return not self.trail and not self.is_double

    @property
    def is_hit(self) -> bool:
        return self.end != OFF and self.board[self.end] == -1

    @property
    def is_bear_off(self) -> bool:
        return self.end == OFF

    def can_play(self, die: int) -> bool:
        """Return whether a die could be played at the start of the turn."""
        return bool(reference._ordinary_moves(self.case.board, die, self.case.rules))


BUGS: dict[str, tuple[Callable[[Step], bool], str]] = {
    "hits": (lambda step: step.is_hit, "hit: the engine treats blots as blocked"),
    "lower-die-first": (
        lambda step: step.is_first_of_two and step.die == min(step.case.roll),
        "start with the lower number: the engine plays the higher number first and tries no other order",
    ),
    "higher-die-first": (
        lambda step: step.is_first_of_two and step.die == max(step.case.roll),
        "start with the higher number: the engine plays the lower number first and tries no other order",
    ),
    "second-die-first": (
        lambda step: step.is_first_of_two and step.die == step.case.roll[1],
        "start with the second die: the engine plays the first die first and tries no other order",
    ),
    "first-die-first": (
        lambda step: step.is_first_of_two and step.die == step.case.roll[0],
        "start with the first die: the engine plays the second die first and tries no other order",
    ),
    "lower-die-first-by-choice": (
        lambda step: (
            step.is_first_of_two and step.die == min(step.case.roll) and step.can_play(max(step.case.roll))
        ),
        "start with the lower number though the other can be played: the engine tries the lower number first "
        "only if the higher number cannot be played",
    ),
    "enters": (lambda step: step.start == BAR, "enter a checker: the engine enters no checker from the bar"),
    "enters-second": (
        lambda step: step.start == BAR and step.trail != (),
        "enter a second checker from the bar: the engine enters only one checker per turn",
    ),
    "moves-after-entering": (
        lambda step: step.case.board[BAR] > 0 and step.start != BAR,
        "make another move after entering: the engine ends the turn when the bar is empty again",
    ),
    "same-checker": (
        lambda step: step.trail != () and step.trail[-1][2] == step.start,
        "move one checker twice in a row: the engine moves no checker twice in a row",
    ),
    "bears-off": (lambda step: step.is_bear_off, "bear a checker off: the engine bears no checker off"),
    "bears-off-with-higher-number": (
        lambda step: step.is_bear_off and step.die > step.start,
        "bear a checker off with a number above its point: the engine bears off with the exact number only",
    ),
    "bears-off-with-exact-number": (
        lambda step: step.is_bear_off and step.die == step.start,
        "bear a checker off with its exact number: the engine bears off with higher numbers only",
    ),
    "bears-off-below-rearmost": (
        lambda step: step.is_bear_off and max(step.board[step.start + 1 :]) > 0,
        "bear off a checker that is not the rearmost: the engine bears off the rearmost checker only",
    ),
    "bears-off-after-coming-home": (
        lambda step: step.is_bear_off and max(step.case.board[7:]) > 0,
        "bear a checker off after the last one came home in the same turn: the engine checks only at "
        "the start of the turn whether all checkers are home",
    ),
    "bears-off-second": (
        lambda step: step.is_bear_off and any(end == OFF for _, _, end in step.trail),
        "bear a second checker off: the engine bears off only one checker per turn",
    ),
    "moves-though-it-can-bear-off": (
        lambda step: (
            not step.is_bear_off and bool(reference._bear_offs(step.board, step.die, step.case.rules))
        ),
        "move with a number that can bear a checker off: the engine bears off whenever it can",
    ),
    "doubles": (lambda step: step.is_double, "use a double: the engine plays no doubles"),
    "third-of-double": (
        lambda step: len(step.trail) >= 2,
        "use three or four numbers of a double: the engine plays doubles as two numbers",
    ),
    "fourth-of-double": (
        lambda step: len(step.trail) == 3,
        "use all four numbers of a double: the engine plays at most three numbers of a double",
    ),
    "hits-second": (
        lambda step: step.is_hit and step.trail != (),
        "hit with a number after the first: the engine hits with the first number only",
    ),
    "hits-while-bar-is-taken": (
        lambda step: step.is_hit and step.board[0] < 0,
        "hit while an opposing checker is on the bar: the engine hits only if the opponent's bar is empty",
    ),
    "hits-from-bar": (
        lambda step: step.is_hit and step.start == BAR,
        "hit with a checker that enters: the engine treats blots as blocked for checkers that enter",
    ),
    "hits-at-home": (
        lambda step: step.is_hit and step.end <= 6,
        "hit in the mover's home board: the engine treats blots in its home board as blocked",
    ),
    "jumps": (
        lambda step: min(step.board[step.end + 1 : step.start], default=0) <= -2,
        "jump over a held point: the engine cannot pass points that are blocked",
    ),
    "stacks-six": (
        lambda step: not step.is_bear_off and step.board[step.end] >= 5,
        "put a sixth checker on a point: the engine puts at most five checkers on a point",
    ),
    "to-1": (lambda step: step.end == 1, "land on 1: the engine lets no checker land on 1"),
    "hits-on-22": (
        lambda step: step.is_hit and step.end == 22,
        "hit on 22: the engine treats a blot on 22 as blocked",
    ),
    "from-24": (lambda step: step.start == 24, "move a checker from 24: the engine moves no checker from 24"),
}
"""Bugs by name: a predicate for the moves that are missed, and the text after "all N missing plays"."""


class RestrictedEngine(AnyEngine):
    """Engine that follows all rules but never finds the moves excluded by `bugs` (keys of `BUGS`)."""

    def __init__(self, *bugs: str) -> None:
        super().__init__("+".join(bugs))
        self._bugs = [BUGS[bug][0] for bug in bugs]

    def successors(self, case: Case) -> list[Board]:
        dice = (case.roll[0],) * 4 if case.roll[0] == case.roll[1] else case.roll
        ends = list(self._ends(case, case.board, dice, (), set()))
        max_length = max(len(trail) for _, trail in ends)
        if max_length == 0:
            return []
        plays = [(board, trail) for board, trail in ends if len(trail) == max_length]
        if max_length == 1 and case.roll[0] != case.roll[1]:
            higher_die = max(trail[0][0] for _, trail in plays)
            plays = [(board, trail) for board, trail in plays if trail[0][0] == higher_die]
        return sorted({board for board, _ in plays})

    def _ends(
        self, case: Case, board: Board, dice: tuple[int, ...], trail: Trail, visited: set[object]
    ) -> Iterator[tuple[Board, Trail]]:
        """Yield each board after which no move is left, with its moves; visit equivalent states only once."""
        state = (board, dice, trail[-1:], any(end == OFF for _, _, end in trail))
        if state in visited:
            return
        visited.add(state)
        is_end = True
        for die in dict.fromkeys(dice):
            for move in reference._ordinary_moves(board, die, case.rules):
                step = Step(case, board, trail, die, *move)
                if not any(bug(step) for bug in self._bugs):
                    is_end = False
                    after = reference._after(board, move)
                    rest = reference._remove_die(dice, die)
                    yield from self._ends(case, after, rest, (*trail, (die, *move)), visited)
        if is_end:
            yield board, trail
