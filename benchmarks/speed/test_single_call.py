"""Speed of single calls of `position.plays(roll)`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.speed.cases import draw
from benchmarks.speed.measuring import measure
from benchmarks.speed.perft_counts import NAMED_POSITIONS, START_BY_ROLL
from bgfast import ROLLS, PlayList, Position

FRESH_COUNT = 10_000
RESULT_COUNTERS = {
    "boards": lambda plays: len(plays.boards),
    "boards and moves": lambda plays: len(plays.boards) and len(plays.moves),
    "objects": lambda plays: len(list(plays)),
}


@pytest.mark.benchmark(group="one call, repeated: position.plays(roll).boards")
@pytest.mark.parametrize("roll", [(3, 1), (6, 5), (1, 1), (6, 6)], ids=lambda roll: f"{roll[0]}{roll[1]}")
def test_repeated_call(benchmark: BenchmarkFixture, roll: tuple[int, int]) -> None:
    position = Position.start()
    measure(benchmark, lambda: len(position.plays(roll).boards), START_BY_ROLL[roll])


@pytest.mark.benchmark(group="one call each, fresh positions")
@pytest.mark.parametrize("result", RESULT_COUNTERS)
def test_fresh_calls(benchmark: BenchmarkFixture, result: str) -> None:
    cases = draw(FRESH_COUNT)
    calls = cases.calls()
    count: Callable[[PlayList], int] = RESULT_COUNTERS[result]

    def work() -> int:
        return sum(count(position.plays(roll)) for position, roll in calls)

    measure(benchmark, work, cases.successors, calls=len(calls))


@pytest.mark.benchmark(group="one call each, all 21 rolls of a position")
@pytest.mark.parametrize("name", NAMED_POSITIONS)
@pytest.mark.parametrize("result", ["boards", "boards and moves"])
def test_all_rolls(benchmark: BenchmarkFixture, name: str, result: str) -> None:
    position, leaves = NAMED_POSITIONS[name]
    count = RESULT_COUNTERS[result]

    def work() -> int:
        return sum(count(position.plays(roll)) or 1 for roll in ROLLS)  # perft counts a pass as one leaf

    measure(benchmark, work, leaves[1], calls=len(ROLLS))
