"""The generator on each kind of position, doubles and other rolls apart.

Fresh cases come in random order; repeated ones are the same few thousand in the same order, whose branches
the processor has learnt by heart after some rounds: faster than anything that real work sees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgfast
from benchmarks.speed.cases import DOUBLES, KINDS, OTHERS, Cases, fresh, repeated
from benchmarks.speed.measuring import measure

FRESH = 50_000
ROLLS = {"doubles": DOUBLES, "other rolls": OTHERS}


def every(what: str) -> list[Any]:
    """Return what is measured, the kinds of positions side by side."""
    return [
        pytest.param(
            kind, rolls, order, id=f"{kind}, {rolls}, {order}",
            marks=pytest.mark.benchmark(group=f"{what}, {rolls}, {order}"),
        )
        for rolls in ROLLS
        for order in ("fresh", "repeated")
        for kind in KINDS
    ]  # fmt: skip


def cases_of(kind: str, rolls: str, order: str) -> Cases:
    return fresh(FRESH, (kind,), ROLLS[rolls]) if order == "fresh" else repeated(kind, ROLLS[rolls])


@pytest.mark.parametrize(("kind", "rolls", "order"), every("successors"))
def test_successors(benchmark: BenchmarkFixture, kind: str, rolls: str, order: str) -> None:
    cases = cases_of(kind, rolls, order)
    out = cases.room()
    found = bgfast.successors(cases.boards, cases.dice, out=out)
    assert (np.diff(found.offsets) == cases.counts).all()  # each of them, not their sum alone

    def work() -> int:
        return len(bgfast.successors(cases.boards, cases.dice, out=out).boards)

    measure(benchmark, work, cases.successors)


@pytest.mark.parametrize(("kind", "rolls", "order"), every("count_successors"))
def test_count_successors(benchmark: BenchmarkFixture, kind: str, rolls: str, order: str) -> None:
    cases = cases_of(kind, rolls, order)
    assert (bgfast.count_successors(cases.boards, cases.dice) == cases.counts).all()

    def work() -> int:
        return int(bgfast.count_successors(cases.boards, cases.dice).sum())

    measure(benchmark, work, cases.successors)
