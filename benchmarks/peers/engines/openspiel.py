"""OpenSpiel: a double is two turns of the same player, and positions are reached by playing only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.peers.engines import Case
from bgfast.engines.adapters import open_spiel as behind


class Adapter(behind.Adapter):
    """`State.legal_actions` at states that the games of the sample lead to."""

    unit = "actions"
    note = "`state.legal_actions()`; a double's first two moves only, equal results repeat"
    check_limit = 400

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        prepared = [self.rolled(case) for case in cases]

        def work() -> int:
            return sum(len(state.legal_actions()) for state in prepared)

        return work
