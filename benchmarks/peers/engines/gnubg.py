"""gnubg-nn: GNU Backgammon's generator and networks as a Python module."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gnubg_nn

from benchmarks.peers.engines import Case
from bgfast.conformance.adapters import GnubgNnAdapter, Sides, sides


class Adapter(GnubgNnAdapter):
    """Adapter for `gnubg_nn.moves`, which returns the position keys of the successors."""

    unit = "successors"
    note = "`moves(board, die, die)`, a tuple of position keys"
    check_limit = 1_000_000

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        return _workload(cases)

    def workload_with_moves(self, cases: Sequence[Case]) -> Callable[[], int]:
        """Return the workload with the moves of each play."""
        return _workload(cases, 1)


def _workload(cases: Sequence[Case], *options: int) -> Callable[[], int]:
    boards = {case.board: sides(case.board) for case in cases}
    arguments = [(boards[case.board], *case.roll) for case in cases]
    moves = gnubg_nn.moves

    def work() -> int:
        return sum(len(moves(board, die1, die2, *options)) for board, die1, die2 in arguments)

    return work


def perft(depth: int) -> int:
    """Return the number of leaves below the start; plays of the last ply are counted, not made."""
    start = gnubg_nn.board_from_position_id("4HPwATDgc/ABMA")
    return _count_leaves([list(side) for side in start], depth)


def _count_leaves(board: Sides, depth: int) -> int:
    if not any(board[0]) or not any(board[1]):
        return 1
    total = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            keys = gnubg_nn.moves(board, high, low)
            if depth == 1:
                total += len(keys) or 1
            elif keys:
                boards = (gnubg_nn.board_from_position_key(key)[::-1] for key in keys)
                total += sum(_count_leaves(child, depth - 1) for child in boards)
            else:
                total += _count_leaves(board[::-1], depth - 1)
    return total
