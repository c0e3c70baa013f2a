"""bgfast one call at a time, as anybody would use it from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bgfast
from benchmarks.peers.engines import Case
from bgfast.engines.adapters import bgfast as behind


class Adapter(behind.Adapter):
    """`Position.plays`; the batch calls are measured in `workloads`."""

    unit = "successors"
    note = "`pos.plays(roll).boards`"
    check_limit = 1_000_000

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        made = {case.board: bgfast.Position.from_array(case.board) for case in cases}
        prepared = [(made[case.board], case.roll) for case in cases]

        def work() -> int:
            return sum(len(position.plays(roll).boards) for position, roll in prepared)

        return work
