"""Rolls, position IDs, and random positions from the cross-check's sources and from games."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from bgfast import reference
from bgfast.conformance.crosscheck import cases as case_sources
from bgfast.conformance.crosscheck.cases import is_possible

Board = tuple[int, ...]
DATA = Path(__file__).parents[1] / "data"
ORDERED_ROLLS = list(product(range(1, 7), repeat=2))
START: Board = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
CLOSED_OUT = [0] * 19 + [-2] * 6 + [1]
"""A checker on the bar against a closed board: every roll is a pass."""
FINISHED = [0] * 24 + [-1, 0]
"""The mover has won."""


def board_with(cells: Mapping[int, int]) -> list[int]:
    """Return a board that is empty but for these cells."""
    return [cells.get(index, 0) for index in range(26)]


def self_play(rng: random.Random) -> Board:
    """Return a position of a random game played by the reference."""
    board: Sequence[int] = START
    for _ in range(rng.randint(0, 60)):
        successors = reference.legal_positions(board, rng.randint(1, 6), rng.randint(1, 6))
        after = rng.choice(sorted(successors)) if successors else board
        if not any(number > 0 for number in after):
            break
        board = reference.flip(after)
    return tuple(board)


SOURCES: dict[str, Callable[[random.Random], Board]] = {**case_sources.SOURCES, "self_play": self_play}
# Games by the reference are slow.
WEIGHTS = [1 if name == "self_play" else 10 for name in SOURCES]


def random_board(rng: random.Random) -> Board:
    """Return a possible, unfinished position of a random source."""
    while True:
        board = rng.choices(list(SOURCES.values()), WEIGHTS)[0](rng)
        if is_possible(board):
            return board


def few_checkers(rng: random.Random) -> Board:
    """Return a possible position with few own checkers: all sequences of a double can be listed."""
    names = "last_checkers last_checkers_home bearing_off bearing_off nearly_home bar_heavy walls".split()
    while True:
        board = SOURCES[rng.choice(names)](rng)
        if is_possible(board) and sum(number > 0 for number in board) <= 6:
            return board


def board_of_id(position_id: str) -> Board:
    """Return the board of a GNU position ID, independent of `bgfast.position.position_ids`."""
    packed = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    runs = [len(run) for run in f"{packed:080b}"[::-1].split("0")]
    board = [0, *runs[25:50]]  # the mover comes after the opponent
    for point, number in enumerate(runs[:25], 1):
        board[25 - point] -= number
    return tuple(board)


def json_data(name: str) -> Any:
    """Return the content of a JSON file of tests/data."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))
