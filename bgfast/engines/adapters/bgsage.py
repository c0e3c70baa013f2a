"""Adapter of bgsage, a C++ engine with a Python module."""

from __future__ import annotations

from importlib.metadata import version

import bgsage

from bgfast.common.vocabulary import Board
from bgfast.engines.protocol import Capabilities, Case, InProcessEngine


class Adapter(InProcessEngine):
    """`bgsage.possible_moves`, which lists every successor once, and for a pass the unchanged board."""

    name = "bgsage"
    version = version("bgsage")
    capabilities = Capabilities()

    def successors(self, case: Case) -> list[Board]:
        rows = [(-row[0], *row[1:]) for row in bgsage.possible_moves(bgsage_board(case.board), *case.roll)]
        return [] if rows == [case.board] else rows


def bgsage_board(board: Board) -> list[int]:
    """Convert a board to bgsage's: the opponent's bar, index 0, has the opposite sign."""
    return [-board[0], *board[1:]]
