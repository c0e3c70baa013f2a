"""Random positions that are hard for move generators: bars, bear-offs, blots, walls, the last checkers.

They are too rare in self-play. A source takes a `random.Random` and returns 26 numbers from the mover's side;
some are impossible positions, which `is_possible` rejects. The module uses no rules of play, so that the
code under test has no influence on the test.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from bgfast.common.vocabulary import Board

Source = Callable[[random.Random], Board]


def scattered(own: Iterable[int], opponent: Iterable[int]) -> Board:
    """Put a checker on every listed point; the opponent's go to the bar where an own checker stands."""
    board = [0] * 26
    for point in own:
        board[point] += 1
    for point in opponent:
        board[point if board[point] <= 0 else 0] -= 1
    return tuple(board)


def anywhere(rng: random.Random) -> Board:
    """Scatter checkers of both sides all over the board, some on the bars."""
    return scattered(
        rng.choices(range(1, 26), k=rng.randint(4, 15)), rng.choices(range(25), k=rng.randint(4, 15))
    )


def blots_everywhere(rng: random.Random) -> Board:
    """Place single checkers only: every move may hit."""
    points = rng.sample(range(1, 25), 24)
    own = rng.randint(1, 12)
    return scattered(points[:own] + [25] * rng.randint(0, 2), points[own : own + rng.randint(1, 12)])


def bar_heavy(rng: random.Random) -> Board:
    """Put one to five own checkers on the bar, against a home board with gaps and blots."""
    home = [point for point in range(19, 25) for _ in range(rng.choice([0, 1, 2, 2]))]
    return scattered(
        [25] * rng.randint(1, 5) + rng.choices(range(1, 25), k=rng.randint(0, 10)),
        home[:15] + rng.choices(range(25), k=rng.randint(0, 3)) or [0],
    )


def bearing_off(rng: random.Random) -> Board:
    """Bring all own checkers home; the opponent is on the bar, on an anchor, or past."""
    return scattered(
        rng.choices(range(1, 7), k=rng.randint(1, 15)),
        rng.choices([0, *range(1, 7), 19, 24], k=rng.randint(1, 6)),
    )


def nearly_home(rng: random.Random) -> Board:
    """Leave one to three own checkers outside: a bear-off may begin in the middle of a play."""
    return scattered(
        rng.choices(range(7, 14), k=rng.randint(1, 3)) + rng.choices(range(1, 7), k=rng.randint(0, 10)),
        rng.choices([0, *range(1, 13), 24], k=rng.randint(1, 8)),
    )


def last_checkers(rng: random.Random) -> Board:
    """Place one to three checkers a side, anywhere."""
    return scattered(
        rng.choices(range(1, 26), k=rng.randint(1, 3)), rng.choices(range(25), k=rng.randint(1, 3))
    )


def last_checkers_home(rng: random.Random) -> Board:
    """Place one to four own checkers near home among a few opposing ones."""
    return scattered(
        rng.choices(range(1, 9), k=rng.randint(1, 4)), rng.choices(range(9), k=rng.randint(1, 4))
    )


def walls(rng: random.Random) -> Board:
    """Build an opposing prime or closed board with a gap or a blot, with own checkers behind it."""
    first = rng.randint(1, 19)
    wall = [first + i for i in range(6) for _ in range(rng.choice([2, 2, 2, 2, 1, 0]))]
    return scattered(rng.choices(range(1, 26), k=rng.randint(1, 12)), [*wall, rng.randrange(25)])


def stacks(rng: random.Random) -> Board:
    """Build a few tall own stacks: many ways to move several checkers from one point."""
    points = rng.sample(range(1, 25), rng.randint(1, 5))
    return scattered(rng.choices(points, k=15), rng.choices(range(25), k=rng.randint(1, 8)))


def both_home(rng: random.Random) -> Board:
    """Let both sides bear off, without contact."""
    return scattered(
        rng.choices(range(1, 7), k=rng.randint(1, 15)), rng.choices(range(19, 25), k=rng.randint(1, 15))
    )


HARD_SOURCES: tuple[Source, ...] = (
    anywhere,
    blots_everywhere,
    bar_heavy,
    bearing_off,
    nearly_home,
    last_checkers,
    last_checkers_home,
    walls,
    stacks,
)
BEAR_OFF_SOURCES: tuple[Source, ...] = (bearing_off, nearly_home, last_checkers_home, both_home)


def random_board(
    rng: random.Random, sources: Sequence[Source], weights: Sequence[int] | None = None
) -> Board:
    """Return a possible, unfinished position from a random source."""
    while True:
        board = rng.choices(sources, weights)[0](rng)
        if is_possible(board):
            return board


def is_possible(board: Board) -> bool:
    """Return whether both sides have 1 to 15 checkers and the position is not a mutual closeout."""
    own = sum(number for number in board if number > 0)
    opponent = -sum(number for number in board if number < 0)
    deadlock = (
        board[25] > 0
        and board[0] < 0
        and all(number <= -2 for number in board[19:25])
        and all(number >= 2 for number in board[1:7])
    )
    return 1 <= own <= 15 and 1 <= opponent <= 15 and not deadlock
