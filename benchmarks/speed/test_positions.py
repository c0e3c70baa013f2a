"""Speed of move generation by set of positions, for doubles and for other rolls.

Fresh cases come in random order. Repeated cases, a few thousand, come in the same order in every round; the
processor predicts their branches, so they are faster than real work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from benchmarks.speed.cases import DOUBLES, NON_DOUBLES, SET_NAMES, Cases, all_cases, draw
from benchmarks.speed.measuring import measure

FRESH_COUNT = 50_000
ROLLS_BY_GROUP = {"doubles": DOUBLES, "other rolls": NON_DOUBLES}


def parameters(function: str) -> list[Any]:
    """Return the parameters of a function's benchmarks, grouped by rolls and order."""
    return [
        pytest.param(
            set_name, group, order, id=f"{set_name}, {group}, {order}",
            marks=pytest.mark.benchmark(group=f"{function}, {group}, {order}"),
        )
        for group in ROLLS_BY_GROUP
        for order in ("fresh", "repeated")
        for set_name in SET_NAMES
    ]  # fmt: skip


def select_cases(set_name: str, group: str, order: str) -> Cases:
    rolls = ROLLS_BY_GROUP[group]
    return draw(FRESH_COUNT, (set_name,), rolls) if order == "fresh" else all_cases(set_name, rolls)


@pytest.mark.parametrize(("set_name", "group", "order"), parameters("successors"))
def test_successors(benchmark: BenchmarkFixture, set_name: str, group: str, order: str) -> None:
    cases = select_cases(set_name, group, order)
    out = cases.output_memory()
    plays = bgfast.successors(cases.boards, cases.dice, out=out)
    assert (np.diff(plays.offsets) == cases.counts).all()

    def work() -> int:
        return len(bgfast.successors(cases.boards, cases.dice, out=out).boards)

    measure(benchmark, work, cases.successors)


@pytest.mark.parametrize(("set_name", "group", "order"), parameters("count_successors"))
def test_count_successors(benchmark: BenchmarkFixture, set_name: str, group: str, order: str) -> None:
    cases = select_cases(set_name, group, order)
    assert (bgfast.count_successors(cases.boards, cases.dice) == cases.counts).all()

    def work() -> int:
        return int(bgfast.count_successors(cases.boards, cases.dice).sum())

    measure(benchmark, work, cases.successors)
