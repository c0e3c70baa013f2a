"""bgsage: a C++ engine with a Python module."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bgsage

from benchmarks.peers.engines import Case
from bgfast.conformance.adapters import BgsageAdapter, bgsage_board


class Adapter(BgsageAdapter):
    """Adapter for `bgsage.possible_moves`, which returns lists of 26 numbers."""

    unit = "successors"
    note = "`possible_moves(board, die, die)`, a list of lists; a pass is one row"
    check_limit = 1_000_000

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        boards = {case.board: bgsage_board(case.board) for case in cases}
        arguments = [(boards[case.board], *case.roll) for case in cases]
        moves = bgsage.possible_moves

        def work() -> int:
            return sum(len(moves(board, die1, die2)) for board, die1, die2 in arguments)

        return work
