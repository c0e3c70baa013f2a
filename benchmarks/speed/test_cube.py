"""Speed of cubeful equities for many rows of probabilities; values are compared with single rows."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from benchmarks.speed.cases import draw
from benchmarks.speed.measuring import measure
from bgfast import Decision, Network

ROWS = 200_000
REPEATS = 20
"""Repetitions of the probabilities of 10,000 positions."""
DECISIONS = {
    "money": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10",
    "money, cube owned": "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:3:0:10",
    "4-2": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:5:0:7:10",
    "7-5, cube owned": "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:2:0:7:10",
}


@pytest.mark.benchmark(group="cubeful equities")
@pytest.mark.parametrize("name", DECISIONS)
def test_cubeful_equities(benchmark: BenchmarkFixture, name: str) -> None:
    decision = Decision.read(DECISIONS[name])
    rows = np.tile(Network.builtin_fast()(draw(ROWS // REPEATS).boards).astype(np.float64), (REPEATS, 1))
    batch_equities = bgfast.cube.cubeful_equities(rows, decision)
    single_equities = [bgfast.cube.cubeful_equities(row, decision) for row in rows[:100]]
    assert batch_equities[:100] == pytest.approx(single_equities, abs=1e-12)

    def work() -> int:
        return len(bgfast.cube.cubeful_equities(rows, decision))

    measure(benchmark, work, ROWS, unit="equities")
