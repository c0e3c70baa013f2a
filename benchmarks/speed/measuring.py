"""How every benchmark measures: no time without the right count, and the speed beside it."""

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
    """Time `work`, which returns how many units it met in its calls; raise if it has not met all of them."""
    counted = benchmark(work)
    if counted != expected:  # no assert, since `python -O` times as well
        raise AssertionError(f"{counted:,} {unit}; expected {expected:,}")
    if benchmark.stats:  # nothing was timed under --benchmark-disable
        seconds = benchmark.stats.stats.min
        benchmark.extra_info[f"{unit}_per_second"] = round(expected / seconds)
        benchmark.extra_info["calls_per_second"] = round(calls / seconds)
