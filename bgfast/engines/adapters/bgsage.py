"""bgsage: a C++ engine with a Python module."""

from __future__ import annotations

from importlib.metadata import version

import bgsage

from bgfast.engines.protocol import Board, Capabilities, Case, Inside


class Adapter(Inside):
    """`bgsage.possible_moves`, which lists each result once.

    The opponent's checkers on the bar count positive there. A pass is the unchanged board, although its
    documentation says an empty list.
    """

    name = "bgsage"
    version = version("bgsage")
    capabilities = Capabilities()

    def successors(self, case: Case) -> list[Board]:
        rows = [(-row[0], *row[1:]) for row in bgsage.possible_moves(its_board(case.board), *case.roll)]
        return [] if rows == [case.board] else rows


def its_board(board: Board) -> list[int]:
    """Return the same order of points with the other sign at index 0."""
    return [-board[0], *board[1:]]
