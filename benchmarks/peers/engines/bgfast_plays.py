"""bgfast: one call per position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bgfast
from benchmarks.peers.engines import Case
from bgfast.conformance.adapters import BgfastAdapter


class Adapter(BgfastAdapter):
    """Adapter for `Position.plays`; batch calls are timed in `workloads.py`."""

    unit = "successors"
    note = "`pos.plays(roll).boards`"
    check_limit = 1_000_000

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        positions = {case.board: bgfast.Position.from_array(case.board) for case in cases}
        arguments = [(positions[case.board], case.roll) for case in cases]

        def work() -> int:
            return sum(len(position.plays(roll).boards) for position, roll in arguments)

        return work
