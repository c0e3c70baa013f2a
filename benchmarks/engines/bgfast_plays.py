"""bgfast one call at a time, as anybody would use it from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bgfast

from . import Board, Case, Roll


class Adapter:
    """`Position.plays`; the batch calls are measured in `workloads`."""

    name = "bgfast"
    version = bgfast.__version__
    unit = "successors"
    note = "`pos.plays(roll).boards`"
    check_limit = 1_000_000

    def successors(self, board: Board, roll: Roll) -> list[Board]:
        rows = bgfast.Position.from_array(board).plays(roll).boards.tolist()
        return [tuple(row) for row in rows]

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        made = {board: bgfast.Position.from_array(board) for board, _ in cases}
        prepared = [(made[board], roll) for board, roll in cases]

        def work() -> int:
            return sum(len(position.plays(roll).boards) for position, roll in prepared)

        return work
