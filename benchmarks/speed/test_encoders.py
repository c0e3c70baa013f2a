"""Speed of the encoders on many positions; the sum of the network inputs is checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from benchmarks.speed.cases import Boards, draw
from benchmarks.speed.measuring import measure

BOARD_COUNT = 20_000  # enough for two threads
ENCODERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "encode_tdgammon": (bgfast.encode_tdgammon, {}),
    "encode_onehot float32": (bgfast.encode_onehot, {"dtype": "float32"}),
    "encode_onehot int8": (bgfast.encode_onehot, {"dtype": "int8"}),
}


def tdgammon_sum(boards: Boards) -> float:
    """Return the sum of all inputs according to the encoder's documentation."""
    points = np.abs(boards[:, 1:25].astype(int))
    off = 30 - np.abs(boards.astype(int)).sum(axis=1)
    bars = boards[:, 25].astype(int) - boards[:, 0]
    units = np.minimum(points, 3) + np.maximum(points - 3, 0) / 2
    return float(units.sum() + bars.sum() / 2 + off.sum() / 15 + len(boards))


@pytest.mark.benchmark(group="encoders")
@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("memory", ["out= reused", "new array", "out= reused, 2 threads"])
def test_encoders(benchmark: BenchmarkFixture, name: str, memory: str) -> None:
    boards = draw(BOARD_COUNT).boards
    encode, options = ENCODERS[name]
    threads = 2 if memory.endswith("threads") else 1
    inputs = encode(boards, **options)
    total = tdgammon_sum(boards) if encode is bgfast.encode_tdgammon else 26.0 * BOARD_COUNT
    assert inputs.sum(dtype=np.float64) == pytest.approx(total, rel=1e-6)
    out = inputs if memory.startswith("out") else None

    def work() -> int:
        return len(encode(boards, out=out, threads=threads, **options))

    measure(benchmark, work, BOARD_COUNT, unit="positions")
