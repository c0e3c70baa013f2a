"""Rolls, position IDs, and random positions that are constructed or come from games."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from bgfast import reference

Board = tuple[int, ...]
DATA = Path(__file__).parents[1] / "data"
ORDERED_ROLLS = list(product(range(1, 7), repeat=2))
START: Board = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
CLOSED_OUT = [0] * 19 + [-2] * 6 + [1]
"""Board with a checker on the bar against a closed board: every roll is a pass."""
FINISHED = [0] * 24 + [-1, 0]
"""Board after the mover has won."""


def board_with(cells: Mapping[int, int]) -> list[int]:
    """Return a board that is empty except for these cells."""
    return [cells.get(index, 0) for index in range(26)]


def self_play(rng: random.Random) -> Board:
    """Return a position from a random game played with the reference."""
    board: Sequence[int] = START
    for _ in range(rng.randint(0, 60)):
        successors = reference.legal_positions(board, rng.randint(1, 6), rng.randint(1, 6))
        after = rng.choice(sorted(successors)) if successors else board
        if not any(count > 0 for count in after):
            break
        board = reference.flip(after)
    return tuple(board)


# Bars, bear-offs, blots, walls and last checkers are rare in self-play. A source returns a board from
# the mover's side; `is_possible` rejects impossible boards. Only `self_play` uses the rules of play.


Source = Callable[[random.Random], Board]


def place_checkers(own: Iterable[int], opponent: Iterable[int]) -> Board:
    """Place a checker on each listed point; an opposing checker goes to the bar if its point is occupied."""
    board = [0] * 26
    for point in own:
        board[point] += 1
    for point in opponent:
        board[point if board[point] <= 0 else 0] -= 1
    return tuple(board)


Part = tuple[Sequence[int], int, int]
"""Points, with the minimum and the maximum number of checkers on them."""


def scattering(opponent: Part, *own: Part) -> Source:
    """Return a source of boards with checkers on random points of each part."""

    def draw_points(rng: random.Random, parts: Iterable[Part]) -> list[int]:
        return [
            point for points, low, high in parts for point in rng.choices(points, k=rng.randint(low, high))
        ]

    def scatter(rng: random.Random) -> Board:
        own_points = draw_points(rng, own)
        return place_checkers(own_points, draw_points(rng, [opponent]))

    return scatter


def blots_everywhere(rng: random.Random) -> Board:
    """Place only single checkers, so every move may hit."""
    points = rng.sample(range(1, 25), 24)
    own = rng.randint(1, 12)
    return place_checkers(points[:own] + [25] * rng.randint(0, 2), points[own : own + rng.randint(1, 12)])


def bar_heavy(rng: random.Random) -> Board:
    """Put one to five own checkers on the bar, against a home board with gaps and blots."""
    home = [point for point in range(19, 25) for _ in range(rng.choice([0, 1, 2, 2]))]
    return place_checkers(
        [25] * rng.randint(1, 5) + rng.choices(range(1, 25), k=rng.randint(0, 10)),
        home[:15] + rng.choices(range(25), k=rng.randint(0, 3)) or [0],
    )


def walls(rng: random.Random) -> Board:
    """Build an opposing prime or closed board, which may have gaps and blots, and place own checkers."""
    first_point = rng.randint(1, 19)
    wall = [first_point + i for i in range(6) for _ in range(rng.choice([2, 2, 2, 2, 1, 0]))]
    return place_checkers(rng.choices(range(1, 26), k=rng.randint(1, 12)), [*wall, rng.randrange(25)])


def stacks(rng: random.Random) -> Board:
    """Build one to five own stacks, which allow many plays from the same point."""
    points = rng.sample(range(1, 25), rng.randint(1, 5))
    return place_checkers(rng.choices(points, k=15), rng.choices(range(25), k=rng.randint(1, 8)))


SOURCES: dict[str, Source] = {
    # Both sides have checkers anywhere, including the bars.
    "anywhere": scattering((range(25), 4, 15), (range(1, 26), 4, 15)),
    "blots_everywhere": blots_everywhere,
    "bar_heavy": bar_heavy,
    # All own checkers are home; opposing checkers are on the bar or in either home board.
    "bearing_off": scattering(([0, *range(1, 7), 19, 24], 1, 6), (range(1, 7), 1, 15)),
    # One to three own checkers are outside, so a bear-off may begin in the middle of a play.
    "nearly_home": scattering(([0, *range(1, 13), 24], 1, 8), (range(7, 14), 1, 3), (range(1, 7), 0, 10)),
    # Each side has one to three checkers anywhere.
    "last_checkers": scattering((range(25), 1, 3), (range(1, 26), 1, 3)),
    # Each side has one to four checkers in or near the mover's home board.
    "last_checkers_home": scattering((range(9), 1, 4), (range(1, 9), 1, 4)),
    "walls": walls,
    "stacks": stacks,
    "self_play": self_play,
}


def is_possible(board: Board) -> bool:
    """Return whether both sides have 1 to 15 checkers and the position is not a mutual closeout."""
    is_deadlock = (
        board[25] > 0
        and board[0] < 0
        and all(count <= -2 for count in board[19:25])
        and all(count >= 2 for count in board[1:7])
    )
    sides = (sum(max(sign * count, 0) for count in board) for sign in (1, -1))
    return all(1 <= checkers <= 15 for checkers in sides) and not is_deadlock


# Self-play is rare because the reference is slow.
WEIGHTS = [1 if name == "self_play" else 10 for name in SOURCES]


def random_board(rng: random.Random) -> Board:
    """Return a possible, unfinished position from a random source."""
    while True:
        board = rng.choices(list(SOURCES.values()), WEIGHTS)[0](rng)
        if is_possible(board):
            return board


def few_checkers(rng: random.Random) -> Board:
    """Return a possible position with few own checkers, so all sequences of a double can be listed."""
    names = "last_checkers last_checkers_home bearing_off bearing_off nearly_home bar_heavy walls".split()
    while True:
        board = SOURCES[rng.choice(names)](rng)
        if is_possible(board) and sum(count > 0 for count in board) <= 6:
            return board


def board_of_id(position_id: str) -> Board:
    """Return the board of a GNU position ID, independently of `bgfast.position.position_ids`."""
    packed = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    runs = [len(run) for run in f"{packed:080b}"[::-1].split("0")]
    board = [0, *runs[25:50]]  # the mover comes after the opponent
    for point, count in enumerate(runs[:25], 1):
        board[25 - point] -= count
    return tuple(board)


def json_data(name: str) -> Any:
    """Return the content of a JSON file in tests/data."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))
