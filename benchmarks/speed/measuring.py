"""Timing helper that checks the count a benchmark returns."""

from __future__ import annotations

from collections.abc import Callable

from pytest_benchmark.fixture import BenchmarkFixture


def measure(
    benchmark: BenchmarkFixture,
    work: Callable[[], int],
    expected: int,
    *,
    calls: int = 1,
    unit: str = "successors",
) -> None:
    """Time `work`, which returns a number of units; raise `AssertionError` if it is not `expected`."""
    count = benchmark(work)
    if count != expected:  # no assert: `python -O` skips it
        raise AssertionError(f"{count:,} {unit}; expected {expected:,}")
    if benchmark.stats:  # nothing was timed under --benchmark-disable
        seconds = benchmark.stats.stats.min
        benchmark.extra_info[f"{unit}_per_second"] = round(expected / seconds)
        benchmark.extra_info["calls_per_second"] = round(calls / seconds)
