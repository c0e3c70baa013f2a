"""bgsage: a C++ engine with a Python module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version

import bgsage

from . import Board, Case, Roll


class Adapter:
    """`bgsage.possible_moves`, lists of 26 numbers."""

    name = "bgsage"
    version = version("bgsage")
    unit = "successors"
    note = "`possible_moves(board, die, die)`, a list of lists; a pass is one row"
    check_limit = 1_000_000

    def successors(self, board: Board, roll: Roll) -> list[Board]:
        rows = [(-row[0], *row[1:]) for row in bgsage.possible_moves(its_board(board), *roll)]
        return [] if rows == [board] else rows  # its pass, although its documentation says an empty list

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        made = {board: its_board(board) for board, _ in cases}
        prepared = [(made[board], *roll) for board, roll in cases]
        moves = bgsage.possible_moves

        def work() -> int:
            return sum(len(moves(board, die1, die2)) for board, die1, die2 in prepared)

        return work


def its_board(board: Board) -> list[int]:
    """Return the same order of points; the opponent's checkers on the bar count positive there."""
    return [-board[0], *board[1:]]
