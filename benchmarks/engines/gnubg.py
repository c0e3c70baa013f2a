"""gnubg-nn: GNU Backgammon's generator and networks as a Python module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version

import gnubg_nn

from . import Board, Case, Roll

Sides = list[list[int]]

HEXADECIMAL = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")


class Adapter:
    """`gnubg_nn.moves`, which returns the position keys of the successors."""

    name = "gnubg-nn"
    version = version("gnubg-nn")
    unit = "successors"
    note = "`moves(board, die, die)`, a tuple of position keys"
    check_limit = 1_000_000

    def successors(self, board: Board, roll: Roll) -> list[Board]:
        return [board_of_key(key) for key in gnubg_nn.moves(sides(board), *roll)]

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        return _workload(cases)

    def workload_with_moves(self, cases: Sequence[Case]) -> Callable[[], int]:
        """Return the same with the moves of each play asked for, too."""
        return _workload(cases, 1)


def _workload(cases: Sequence[Case], *verbose: int) -> Callable[[], int]:
    made = {board: sides(board) for board, _ in cases}
    prepared = [(made[board], *roll) for board, roll in cases]
    moves = gnubg_nn.moves

    def work() -> int:
        return sum(len(moves(board, die1, die2, *verbose)) for board, die1, die2 in prepared)

    return work


def sides(board: Board) -> Sides:
    """Return the opponent's and the mover's checkers, each on his points 1 to 24 and his bar."""
    return [[max(0, -number) for number in board[24::-1]], [max(0, number) for number in board[1:]]]


def board_of_key(key: str) -> Board:
    """Return the board that a key of twenty letters stands for: the bits of a GNU position ID, by nibbles."""
    number = int.from_bytes(bytes.fromhex(key.translate(HEXADECIMAL)), "little")
    runs = [len(ones) for ones in format(number, "080b")[::-1].split("0")]
    opponent, mover = runs[:25], runs[25:50]
    theirs = [0, *opponent[23::-1]]
    points = [own - other for own, other in zip(mover[:24], theirs[1:], strict=True)]
    return (-opponent[24], *points, mover[24])


def perft(depth: int) -> int:
    """Count the leaves below the start with nothing but calls of this engine; the last level only counts."""
    start = gnubg_nn.board_from_position_id("4HPwATDgc/ABMA")
    return _leaves([list(side) for side in start], depth)


def _leaves(board: Sides, depth: int) -> int:
    if not any(board[0]) or not any(board[1]):
        return 1
    total = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            keys = gnubg_nn.moves(board, high, low)
            if depth == 1:
                total += len(keys) or 1
            elif keys:
                total += sum(_leaves(gnubg_nn.board_from_position_key(key)[::-1], depth - 1) for key in keys)
            else:
                total += _leaves(board[::-1], depth - 1)
    return total
