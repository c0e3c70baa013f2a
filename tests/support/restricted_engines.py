"""Engines with single bugs that miss some moves.

The generator repeats the reference with a hook; it is independent of `bgfast.conformance.crosscheck.causes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bgfast import reference
from bgfast.common.validation import Board
from bgfast.conformance.protocol import Case
from tests.support.lifting_engines import AnyEngine

BAR, OFF = 25, 0
Move = tuple[int, int]
Trail = tuple[tuple[int, int, int], ...]
"""Moves so far: die, start, end."""
Bug = Callable[[Case, Board, Trail, int, Move], bool]
"""Return whether the engine misses a move, by case, board, moves so far, die and move."""


def _double(case: Case) -> bool:
    return case.roll[0] == case.roll[1]


def _first(case: Case, trail: Trail) -> bool:
    return not trail and not _double(case)


def _hit(board: Board, move: Move) -> bool:
    return move[1] != OFF and board[move[1]] == -1


def _all_at_home(board: Board) -> bool:
    return max(board[7:]) <= 0


def _can(case: Case, die: int) -> bool:
    return bool(reference._ordinary_moves(case.board, die, case.rules))


def _is_off(move: Move) -> bool:
    return move[1] == OFF


BUGS: dict[str, tuple[Bug, str]] = {
    "hits": (
        lambda case, board, trail, die, move: _hit(board, move),
        "hit: the engine treats blots as blocked",
    ),
    "lower-die-first": (
        lambda case, board, trail, die, move: _first(case, trail) and die == min(case.roll),
        "start with the lower number: the engine plays the higher number first and tries no other order",
    ),
    "higher-die-first": (
        lambda case, board, trail, die, move: _first(case, trail) and die == max(case.roll),
        "start with the higher number: the engine plays the lower number first and tries no other order",
    ),
    "second-die-first": (
        lambda case, board, trail, die, move: _first(case, trail) and die == case.roll[1],
        "start with the second die: the engine plays the first die first and tries no other order",
    ),
    "first-die-first": (
        lambda case, board, trail, die, move: _first(case, trail) and die == case.roll[0],
        "start with the first die: the engine plays the second die first and tries no other order",
    ),
    "lower-die-first-by-choice": (
        lambda case, board, trail, die, move: (
            _first(case, trail) and die == min(case.roll) and _can(case, max(case.roll))
        ),
        "start with the lower number though the other can be moved: the engine tries the lower number first "
        "only if the higher number cannot be moved",
    ),
    "enters": (
        lambda case, board, trail, die, move: move[0] == BAR,
        "enter a checker: the engine enters no checker from the bar",
    ),
    "enters-second": (
        lambda case, board, trail, die, move: move[0] == BAR and bool(trail),
        "enter a second checker from the bar: the engine enters one checker a turn",
    ),
    "moves-after-entering": (
        lambda case, board, trail, die, move: case.board[BAR] > 0 and move[0] != BAR,
        "move another checker or go on after entering: the engine ends the turn when the bar is empty again",
    ),
    "same-checker": (
        lambda case, board, trail, die, move: bool(trail) and trail[-1][2] == move[0],
        "move one checker twice running: the engine moves no checker twice running",
    ),
    "bears-off": (
        lambda case, board, trail, die, move: _is_off(move),
        "bear a checker off: the engine bears no checker off",
    ),
    "bears-off-with-higher-number": (
        lambda case, board, trail, die, move: _is_off(move) and die > move[0],
        "bear a checker off with a number above its point: the engine bears off with the exact number only",
    ),
    "bears-off-with-exact-number": (
        lambda case, board, trail, die, move: _is_off(move) and die == move[0],
        "bear a checker off with its exact number: the engine bears off with higher numbers only",
    ),
    "bears-off-below-rearmost": (
        lambda case, board, trail, die, move: _is_off(move) and max(board[move[0] + 1 :]) > 0,
        "bear off a checker that is not the rearmost: the engine bears off the rearmost checker only",
    ),
    "bears-off-after-coming-home": (
        lambda case, board, trail, die, move: _is_off(move) and not _all_at_home(case.board),
        "bear a checker off after the last one came home in the same turn: the engine looks whether all "
        "checkers are home only at the start of the turn",
    ),
    "bears-off-second": (
        lambda case, board, trail, die, move: _is_off(move) and any(end == OFF for _, _, end in trail),
        "bear a second checker off: the engine bears one checker off a turn",
    ),
    "moves-though-it-can-bear-off": (
        lambda case, board, trail, die, move: (
            not _is_off(move) and bool(reference._bear_offs(board, die, case.rules))
        ),
        "move with a number that can bear a checker off: the engine bears off whenever it can",
    ),
    "doubles": (
        lambda case, board, trail, die, move: _double(case),
        "are of doubles: the engine plays no doubles",
    ),
    "third-of-double": (
        lambda case, board, trail, die, move: len(trail) >= 2,
        "use three or four numbers of a double: the engine plays doubles as two numbers",
    ),
    "fourth-of-double": (
        lambda case, board, trail, die, move: len(trail) == 3,
        "use all four numbers of a double: the engine plays three numbers of a double at most",
    ),
    "hits-second": (
        lambda case, board, trail, die, move: _hit(board, move) and bool(trail),
        "hit with a number after the first: the engine hits with the first number only",
    ),
    "hits-while-bar-is-taken": (
        lambda case, board, trail, die, move: _hit(board, move) and board[0] < 0,
        "hit while an opposing checker is on the bar: the engine hits only if the opponent's bar is empty",
    ),
    "hits-from-bar": (
        lambda case, board, trail, die, move: _hit(board, move) and move[0] == BAR,
        "hit with a checker that enters: the engine treats blots as blocked for checkers that enter",
    ),
    "hits-at-home": (
        lambda case, board, trail, die, move: _hit(board, move) and move[1] <= 6,
        "hit in the mover's home board: the engine treats blots in its home board as blocked",
    ),
    "jumps": (
        lambda case, board, trail, die, move: min(board[move[1] + 1 : move[0]], default=0) <= -2,
        "jump over a held point: the engine cannot pass points that are blocked",
    ),
    "stacks-six": (
        lambda case, board, trail, die, move: not _is_off(move) and board[move[1]] >= 5,
        "put a sixth checker on a point: the engine puts five checkers on a point at most",
    ),
    "to-1": (
        lambda case, board, trail, die, move: move[1] == 1,
        "land on 1: the engine lets no checker land on 1",
    ),
    "from-24": (
        lambda case, board, trail, die, move: move[0] == 24,
        "move a checker from 24: the engine moves no checker from 24",
    ),
}
"""Bugs by the name of the cause, with the expected sentence after "all N missing plays"."""


class RestrictedEngine(AnyEngine):
    """Engine that follows all rules but misses the moves of its bugs, named as in `BUGS`."""

    def __init__(self, *bugs: str) -> None:
        super().__init__("+".join(bugs))
        self._bugs = [BUGS[bug][0] for bug in bugs]

    def successors(self, case: Case) -> list[Board]:
        dice = (case.roll[0],) * 4 if _double(case) else case.roll
        ends = list(self._ends(case, case.board, dice, (), set()))
        longest = max(len(trail) for _, trail in ends)
        if longest == 0:
            return []
        plays = [(board, trail) for board, trail in ends if len(trail) == longest]
        if longest == 1 and not _double(case):
            higher = max(trail[0][0] for _, trail in plays)
            plays = [(board, trail) for board, trail in plays if trail[0][0] == higher]
        return sorted({board for board, _ in plays})

    def _ends(
        self, case: Case, board: Board, dice: tuple[int, ...], trail: Trail, visited: set[object]
    ) -> Iterator[tuple[Board, Trail]]:
        """Yield the boards after which no move is left, once for each state that bugs distinguish."""
        state = (board, dice, trail[-1:], any(end == OFF for _, _, end in trail))
        if state in visited:
            return
        visited.add(state)
        ended = True
        for die in dict.fromkeys(dice):
            for move in reference._ordinary_moves(board, die, case.rules):
                if not any(bug(case, board, trail, die, move) for bug in self._bugs):
                    ended = False
                    after = reference._after(board, move)
                    rest = reference._without(dice, die)
                    yield from self._ends(case, after, rest, (*trail, (die, *move)), visited)
        if ended:
            yield board, trail
