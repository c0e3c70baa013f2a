"""Means over rolls, compared with plain Python."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast import ROLL_WEIGHTS, best_rows, mean_over_rolls
from tests.support.streams import best_row, join_segments, tied_values

INF = math.inf
MAX_FLOAT = float(np.finfo(np.float64).max)


def slow_mean(values: list[float], offsets: list[int], best: str, empty: list[float] | None) -> list[float]:
    means = []
    for i in range((len(offsets) - 1) // 21):
        total = 0.0
        for r, weight in enumerate(ROLL_WEIGHTS):
            row = best_row(values, *offsets[21 * i + r : 21 * i + r + 2], best)
            total += weight * (values[row] if row >= 0 else empty[i])
        means.append(total / 36)
    return means


def test_means_of_one_value_per_roll_are_weighted() -> None:
    rng = random.Random("means")
    rows = [[rng.choice([-3, -0.5, 0, 1, 2.25]) for _ in range(21)] for _ in range(400)]
    expected = [sum(w * v for w, v in zip(ROLL_WEIGHTS, row, strict=True)) / 36 for row in rows]
    for dtype in (np.float32, np.float64):
        table = np.array(rows, dtype)
        for table_values in (table, table.reshape(-1), np.asfortranarray(table), table.tolist()):
            for best, threads in itertools.product(["max", "min"], [1, 2, 3]):
                means = mean_over_rolls(table_values, best=best, threads=threads)
                assert means.dtype == np.float64
                assert means.tolist() == expected
    assert mean_over_rolls(np.eye(21)).tolist() == [weight / 36 for weight in ROLL_WEIGHTS]
    assert mean_over_rolls(np.full((1, 21), 0.1, np.float32))[0] == pytest.approx(np.float32(0.1), rel=1e-15)


def test_means_use_the_best_value_of_each_segment() -> None:
    sizes = np.random.default_rng(12).integers(1, 6, 21 * 400)
    for dtype, best in itertools.product((np.float32, np.float64), ("max", "min")):
        values, offsets = tied_values(sizes, dtype)
        expected = slow_mean(values.tolist(), offsets.tolist(), best, None)
        for threads in (1, 2, 3):
            assert mean_over_rolls(values, offsets, best=best, threads=threads).tolist() == expected
        assert np.array_equal(mean_over_rolls(values[best_rows(values, offsets, best=best)]), expected)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.sampled_from(["max", "min"]))
def test_empty_segments_have_the_values_of_empty(seed: int, boards: int, best: str) -> None:
    rng = np.random.default_rng(seed)
    values, offsets = tied_values(rng.integers(0, 3, 21 * boards))
    empty = rng.integers(-3, 4, boards)
    means = mean_over_rolls(values, offsets, best=best, empty=empty)
    assert means.tolist() == slow_mean(values.tolist(), offsets.tolist(), best, empty.tolist())


def test_finished_games_have_exactly_the_values_of_empty() -> None:
    empty = np.array([0.1, -1 / 3, 1e-5, 5e-324, INF])
    assert mean_over_rolls([], np.zeros(21 * 5 + 1, np.int64), empty=empty).tolist() == empty.tolist()


def test_infinite_values_have_infinite_means() -> None:
    table = np.zeros((3, 21))
    table[1, 4], table[2, 5:8] = INF, -INF
    assert mean_over_rolls(table).tolist() == [0, INF, -INF]
    # Values other than the best of a segment have no effect.
    values, offsets = join_segments([[0.0, -INF]] + [[1.0]] * 20)
    assert mean_over_rolls(values, offsets).tolist() == [35 / 36]


def test_a_mean_near_the_limit_does_not_overflow() -> None:
    values = np.full(21, MAX_FLOAT)
    assert mean_over_rolls(values)[0] == pytest.approx(MAX_FLOAT, rel=1e-15)
    assert mean_over_rolls(-values)[0] == pytest.approx(-MAX_FLOAT, rel=1e-15)
    signed_values = np.where(np.arange(21) % 2, MAX_FLOAT, -MAX_FLOAT)
    weights = np.array(ROLL_WEIGHTS)
    expected = MAX_FLOAT * (float((weights * np.where(np.arange(21) % 2, 1, -1)).sum()) / 36)
    assert mean_over_rolls(signed_values)[0] == pytest.approx(expected, rel=1e-12)
    values[3] = INF
    assert mean_over_rolls(values)[0] == INF
