"""How fast the generator is, one call and many; the counts are asserted inside each benchmark.

Run with ``pytest benchmarks --benchmark-only``; ``extra_info`` holds the successors per second.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from bgfast import ROLLS, Position

PERFT = json.loads(
    (Path(__file__).parent.parent / "tests" / "data" / "perft.json").read_text(encoding="utf-8")
)
POSITIONS = {entry["name"]: (position_id, entry) for position_id, entry in PERFT["positions"].items()}


def measure(benchmark: BenchmarkFixture, work: Callable[[], int], successors: int, calls: int = 1) -> None:
    """Time `work`, which returns the number of successors that it met."""
    assert benchmark(work) == successors
    if benchmark.stats:  # nothing was timed under --benchmark-disable
        seconds = benchmark.stats.stats.min
        benchmark.extra_info["successors_per_second"] = round(successors / seconds)
        benchmark.extra_info["calls_per_second"] = round(calls / seconds)


@pytest.mark.benchmark(group="one call: pos.plays(roll).boards")
@pytest.mark.parametrize("roll", [(3, 1), (6, 5), (1, 1), (6, 6)], ids=lambda roll: f"{roll[0]}{roll[1]}")
def test_single_call(benchmark: BenchmarkFixture, roll: tuple[int, int]) -> None:
    position = Position.start()
    count = PERFT["start_depth1_by_roll"][f"{roll[0]}{roll[1]}"]
    measure(benchmark, lambda: len(position.plays(roll).boards), count)


@pytest.mark.benchmark(group="all 21 rolls of a position, one call each")
@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("moves", [False, True], ids=["boards", "boards and moves"])
def test_all_rolls(benchmark: BenchmarkFixture, name: str, moves: bool) -> None:
    position_id, entry = POSITIONS[name]
    position = Position.from_gnubg_id(position_id)

    def work() -> int:
        total = 0
        for roll in ROLLS:
            plays = position.plays(roll)
            total += len(plays.moves if moves else plays.boards) or 1
        return total

    measure(benchmark, work, entry["d1"][0], calls=21)


@pytest.mark.benchmark(group="perft 2, every successor written")
@pytest.mark.parametrize("name", POSITIONS)
def test_perft_generating(benchmark: BenchmarkFixture, name: str) -> None:
    position_id, entry = POSITIONS[name]
    position = Position.from_gnubg_id(position_id)
    measure(benchmark, lambda: bgfast.perft(position, 2, bulk=False), entry["d2"][0])


@pytest.mark.benchmark(group="perft 2, last ply counted")
@pytest.mark.parametrize("name", POSITIONS)
def test_perft_counting(benchmark: BenchmarkFixture, name: str) -> None:
    position_id, entry = POSITIONS[name]
    position = Position.from_gnubg_id(position_id)
    measure(benchmark, lambda: bgfast.perft(position, 2), entry["d2"][0])
