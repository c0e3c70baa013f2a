"""Speed of batch calls by size, memory, moves and threads, with fresh and with repeated positions."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from benchmarks.speed.cases import draw
from benchmarks.speed.measuring import measure

MIN_CASES = 100_000
"""Minimum number of cases in a round; smaller batches are called in sequence."""
SIZES = [100, 1_000, 10_000, 100_000, 1_000_000]


@pytest.mark.benchmark(group="batch size, fresh positions")
@pytest.mark.parametrize("size", SIZES)
def test_fresh_batches(benchmark: BenchmarkFixture, size: int) -> None:
    cases = draw(max(size, MIN_CASES))
    batches = cases.batches(size)
    out = max(batches, key=lambda batch: batch.successors).output_memory()

    def work() -> int:
        return sum(len(bgfast.successors(batch.boards, batch.dice, out=out).boards) for batch in batches)

    measure(benchmark, work, cases.successors, calls=len(batches))


@pytest.mark.benchmark(group="batch size, repeated positions")
@pytest.mark.parametrize("size", SIZES[:3])
def test_repeated_batch(benchmark: BenchmarkFixture, size: int) -> None:
    batch = draw(MIN_CASES).part(0, size)
    out = batch.output_memory()

    def work() -> int:
        return len(bgfast.successors(batch.boards, batch.dice, out=out).boards)

    measure(benchmark, work, batch.successors)


@pytest.mark.benchmark(group="boards, moves, memory")
@pytest.mark.parametrize("moves", [False, True], ids=["boards", "boards and moves"])
@pytest.mark.parametrize("reuses_memory", [True, False], ids=["out= reused", "new arrays"])
def test_moves_and_memory(benchmark: BenchmarkFixture, moves: bool, reuses_memory: bool) -> None:
    cases = draw(MIN_CASES)
    out = cases.output_memory() if reuses_memory else None

    def work() -> int:
        plays = bgfast.successors(cases.boards, cases.dice, moves=moves, out=out)
        return len(plays.boards if plays.moves is None else plays.moves)

    measure(benchmark, work, cases.successors)


@pytest.mark.benchmark(group="boards, moves, memory")
def test_numpy_copy(benchmark: BenchmarkFixture) -> None:
    cases = draw(MIN_CASES)
    boards = bgfast.successors(cases.boards, cases.dice).boards
    copy = np.ones_like(boards)

    def work() -> int:
        np.copyto(copy, boards)
        return len(copy)

    measure(benchmark, work, cases.successors)


@pytest.mark.benchmark(group="threads")
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads(benchmark: BenchmarkFixture, threads: int) -> None:
    cases = draw(MIN_CASES)
    out = cases.output_memory()

    def work() -> int:
        return len(bgfast.successors(cases.boards, cases.dice, threads=threads, out=out).boards)

    measure(benchmark, work, cases.successors)
