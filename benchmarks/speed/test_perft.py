"""Speed of perft with generated leaves, and with a counted last ply."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from benchmarks.speed.measuring import measure
from benchmarks.speed.perft_counts import NAMED_POSITIONS


@pytest.mark.benchmark(group="perft 2, every leaf generated")
@pytest.mark.parametrize("name", NAMED_POSITIONS)
def test_generated_leaves(benchmark: BenchmarkFixture, name: str) -> None:
    position, leaves = NAMED_POSITIONS[name]
    measure(benchmark, lambda: bgfast.perft(position, 2, bulk=False), leaves[2])


@pytest.mark.benchmark(group="perft 2, last ply counted")
@pytest.mark.parametrize("name", NAMED_POSITIONS)
def test_counted_last_ply(benchmark: BenchmarkFixture, name: str) -> None:
    position, leaves = NAMED_POSITIONS[name]
    measure(benchmark, lambda: bgfast.perft(position, 2), leaves[2])


@pytest.mark.benchmark(group="perft 3 of the start")
@pytest.mark.parametrize("threads", [1, 2], ids=["1 thread", "2 threads"])
@pytest.mark.parametrize("bulk", [False, True], ids=["generating", "counting"])
def test_depth_3(benchmark: BenchmarkFixture, bulk: bool, threads: int) -> None:
    position, leaves = NAMED_POSITIONS["start"]
    measure(benchmark, lambda: bgfast.perft(position, 3, bulk=bulk, threads=threads), leaves[3])
