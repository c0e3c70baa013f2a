"""OpenSpiel: a double is played in two turns, and a position is set up by replaying its game."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.peers.engines import Case
from bgfast.conformance.adapters import OpenSpielAdapter


class Adapter(OpenSpielAdapter):
    """Adapter for `State.legal_actions` at the positions of the sample games."""

    unit = "actions"
    note = "`state.legal_actions()`; a double's first two moves only, equal results repeat"
    check_limit = 400

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        states = [self.after_roll(case) for case in cases]

        def work() -> int:
            return sum(len(state.legal_actions()) for state in states)

        return work
