"""Selection from segments, compared with plain Python."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgfast import best_rows, mean_over_rolls, sample_rows
from bgfast.common.validation import segment_offsets, value_numbers
from tests.support.streams import (
    MASK,
    SAMPLE_SUCCESSORS,
    Stream,
    best_row,
    equal_chances,
    is_plausible,
    join_segments,
    tied_values,
)

INF = math.inf
SELECTORS = [
    best_rows,
    partial(sample_rows, seed=1, epsilon=0.5),
    partial(sample_rows, seed=1, temperature=0.5),
]


# There are enough segments for several threads; many segments are empty.
MANY_SEGMENTS = tied_values(np.random.default_rng(6).choice([0, 0, 1, 2, 3, 7, 20], 9_000))


def expected_sample(values, offsets, seed, temperature=None, epsilon=0, best="max") -> list[int]:
    rows = []
    for j, (begin, end) in enumerate(itertools.pairwise(offsets)):
        stream = Stream(seed, j, SAMPLE_SUCCESSORS)
        sample = best_row(values, begin, end, best)
        if begin < end and temperature is not None:
            top, total = values[sample], 0.0
            for row in range(begin, end):
                difference = values[row] - top if best == "max" else top - values[row]
                weight = math.exp(difference / temperature)
                total += weight
                if stream.uniform() * total < weight:
                    sample = row
        elif begin < end and stream.uniform() < epsilon:
            sample = begin + int(stream.uniform() * (end - begin))
        rows.append(sample)
    return rows


# ---- best_rows ----

SEGMENTS = st.lists(
    st.lists(st.sampled_from([-INF, -1.5, -0.0, 0.0, 0.25, 7.0, INF]), max_size=6), max_size=9
)


@given(SEGMENTS, st.sampled_from(["max", "min"]), st.sampled_from([np.float32, np.float64]))
def test_best_rows_equal_plain_python(segments: list[list[float]], best: str, dtype: type) -> None:
    values, offsets = join_segments(segments)
    rows = best_rows(np.array(values, dtype), offsets, best=best)
    assert rows.dtype == np.int64
    assert rows.tolist() == [best_row(values, *pair, best) for pair in itertools.pairwise(offsets)]


def test_the_first_of_equal_values_is_best() -> None:
    values, offsets = join_segments([[2, 5, 5], [], [1, 1], [-0.0, 0.0], [0.0, -0.0], [-INF, -INF], [3]])
    assert best_rows(values, offsets).tolist() == [1, -1, 3, 5, 7, 9, 11]
    assert best_rows(values, offsets, best="min").tolist() == [0, -1, 3, 5, 7, 9, 11]


def test_best_rows_of_many_segments_on_any_number_of_threads() -> None:
    offsets = MANY_SEGMENTS[1]
    for dtype, best in itertools.product((np.float32, np.float64), ("max", "min")):
        values = MANY_SEGMENTS[0].astype(dtype)
        value_list = values.tolist()
        expected = [best_row(value_list, *pair, best) for pair in itertools.pairwise(offsets.tolist())]
        for threads in (1, 2, 3):
            assert best_rows(values, offsets, best=best, threads=threads).tolist() == expected


def test_neighbouring_float64_values_are_distinguished() -> None:
    values = [1.0, np.nextafter(1.0, 2.0)]
    assert best_rows(values, [0, 2]).tolist() == [1]
    assert best_rows(np.array(values, np.float32), [0, 2]).tolist() == [0]
    assert best_rows([5e-324, 0.0], [0, 2], best="min").tolist() == [1]


# ---- sample_rows ----


FINITE = st.lists(st.lists(st.sampled_from([-3.5, -1.0, -0.0, 0.125, 0.25, 7.0]), max_size=6), max_size=9)
TEMPERATURES = st.fixed_dictionaries({"temperature": st.sampled_from([0.001, 0.25, 1, 3.7, 1e300])})
EPSILONS = st.fixed_dictionaries({"epsilon": st.sampled_from([0, 0.1, 0.5, 0.9, 1])})


@given(
    st.tuples(FINITE, TEMPERATURES) | st.tuples(SEGMENTS, EPSILONS),
    st.integers(0, MASK),
    st.sampled_from(["max", "min"]),
    st.sampled_from([np.float32, np.float64]),
)
def test_samples_equal_plain_python(
    case: tuple[list, dict[str, float]], seed: int, best: str, dtype: type
) -> None:
    segments, options = case
    values, offsets = join_segments(segments)
    rows = sample_rows(np.array(values, dtype), offsets, seed, **options, best=best)
    assert rows.dtype == np.int64
    assert rows.tolist() == expected_sample(values, offsets, seed, **options, best=best)


def test_samples_of_many_segments_on_any_number_of_threads() -> None:
    values, offsets = MANY_SEGMENTS
    for best, options in (
        ("max", {"temperature": 0.7}),
        ("min", {"temperature": 0.7}),
        ("min", {"epsilon": 0.4}),
    ):
        expected = expected_sample(values.tolist(), offsets.tolist(), MASK, **options, best=best)
        for threads in (1, 2, 3):
            rows = sample_rows(values, offsets, MASK, **options, best=best, threads=threads)
            assert rows.tolist() == expected


def test_samples_have_the_stated_frequencies() -> None:
    values, repeats = [0.5, -1.0, 2.0, 0.5], 20_000
    tiled_values, offsets = np.tile(values, repeats), np.arange(0, 4 * repeats + 1, 4)
    weights = [math.exp(-value / 0.8) for value in values]
    softmax = {row: weight / sum(weights) for row, weight in enumerate(weights)}
    epsilon_greedy = {row: 0.3 / 4 + 0.7 * (row == 1) for row in range(4)}
    for options, probabilities in [({"temperature": 0.8}, softmax), ({"epsilon": 0.3}, epsilon_greedy)]:
        rows = sample_rows(tiled_values, offsets, 77, **options, best="min")
        assert np.array_equal(rows // 4, np.arange(repeats))
        assert is_plausible(Counter((rows % 4).tolist()), probabilities)
        # Consecutive choices are independent.
        pair_counts = Counter(itertools.pairwise((rows % 4).tolist()))
        pairs = itertools.product(range(4), repeat=2)
        assert is_plausible(pair_counts, {(a, b): probabilities[a] * probabilities[b] for a, b in pairs})


def test_extremes_of_epsilon_and_temperature() -> None:
    values, offsets = MANY_SEGMENTS
    for best in ("max", "min"):
        greedy_rows = best_rows(values, offsets, best=best)
        assert np.array_equal(sample_rows(values, offsets, 3, epsilon=0, best=best), greedy_rows)
        # The minimum temperature selects one of the best rows.
        cold_rows = sample_rows(values, offsets, 3, temperature=5e-324, best=best)
        assert np.array_equal(values[cold_rows[cold_rows >= 0]], values[greedy_rows[greedy_rows >= 0]])
        assert np.array_equal(cold_rows < 0, greedy_rows < 0)
    six_row_offsets = np.arange(0, 60_001, 6)
    six_row_values = np.tile(np.arange(6.0), 10_000)
    for options in ({"epsilon": 1}, {"temperature": 1e300}):
        rows = sample_rows(six_row_values, six_row_offsets, 4, **options)
        assert is_plausible(Counter((rows % 6).tolist()), equal_chances(range(6)))
    ties = sample_rows(np.zeros(60_000), six_row_offsets, 4, temperature=1e-9)
    assert is_plausible(Counter((ties % 6).tolist()), equal_chances(range(6)))


def test_softmax_of_distant_or_large_values_selects_the_best() -> None:
    temperatures, best_values = (5e-324, 1e-300, 1e-3, 1.0, 1e3), (0.0, 1e300, -1e300, 1.7e308)
    for seed, (temperature, best_value) in enumerate(itertools.product(temperatures, best_values)):
        second_value = best_value - (1e307 if best_value > 1e307 else 1e306)
        values = np.array([-1.79e308, second_value, best_value, -1.7e308])
        with np.errstate(all="raise"):
            for rows in (
                sample_rows(values, [0, 4], seed, temperature=temperature),
                sample_rows(-values, [0, 4], seed, temperature=temperature, best="min"),
            ):
                assert rows.tolist() == [2]
    values = np.array([3.4e38, -3.4e38, 3.39e38], np.float32)
    assert sample_rows(values, [0, 3], 0, temperature=1e30).tolist() == [0]


# ---- input ----


def unaligned_copy(array: np.ndarray) -> np.ndarray:
    return np.frombuffer(b" " + array.tobytes(), array.dtype, offset=1)


VALUES, OFFSETS = tied_values([3, 0, 4, 1, 5])
LAYOUTS = [unaligned_copy, np.ndarray.tolist, lambda a: np.repeat(a, 2)[::2]]
VALUE_FORMS = [
    *LAYOUTS,
    *(lambda a, to=to: a.astype(to) for to in ("f2", "f4", "g", ">f8", ">f4", "i1", "i8")),
]
VALUE_FORMS += [lambda a: np.repeat(a.astype("f4"), 2)[::2], np.ma.masked_array, lambda a: tuple(a.tolist())]
OFFSET_FORMS = [*LAYOUTS, *(lambda a, to=to: a.astype(to) for to in ("u1", "u8", ">i8"))]


@pytest.mark.parametrize("select", SELECTORS)
def test_any_real_values_and_whole_offsets_are_accepted(select: Callable) -> None:
    quarters = VALUES * 4
    for convert in VALUE_FORMS:
        assert np.array_equal(select(convert(quarters), OFFSETS), select(quarters, OFFSETS))
    for convert in OFFSET_FORMS:
        assert np.array_equal(select(VALUES, convert(OFFSETS)), select(VALUES, OFFSETS))


def test_arrays_are_read_in_place_if_possible_and_always_aligned() -> None:
    for array in (VALUES, VALUES.astype(np.float32)):
        assert value_numbers("values", array) is array
        assert value_numbers("values", unaligned_copy(array)).flags.aligned
    assert segment_offsets(OFFSETS, len(VALUES)) is OFFSETS
    assert segment_offsets(unaligned_copy(OFFSETS), len(VALUES)).flags.aligned


def test_empty_input() -> None:
    for select in SELECTORS:
        for threads in (1, 2):
            rows = select([], [0], threads=threads)
            assert (rows.shape, rows.dtype) == ((0,), np.int64)
        assert select([], [0, 0, 0]).tolist() == [-1, -1]
    for arguments in (([],), (np.empty((0, 21)),), ([], [0])):
        means = mean_over_rolls(*arguments)
        assert (means.shape, means.dtype) == ((0,), np.float64)


@pytest.mark.parametrize("select", SELECTORS)
def test_only_the_output_is_written(select: Callable) -> None:
    memory = np.full(45, 77)
    assert select(VALUES, OFFSETS, out=memory[20:25]) is not None
    assert np.array_equal(memory[20:25], select(VALUES, OFFSETS))
    assert (memory[:20] == 77).all()
    assert (memory[25:] == 77).all()
    out = np.empty(len(MANY_SEGMENTS[1]) - 1, np.int64)
    assert select(*MANY_SEGMENTS, threads=2, out=out) is out
    assert np.array_equal(out, select(*MANY_SEGMENTS))


def test_temperature_and_epsilon_of_any_type_are_accepted() -> None:
    for name in ("temperature", "epsilon"):
        expected = sample_rows(VALUES, OFFSETS, 1, **{name: 1.0})
        for number in (1, np.float32(1), np.int8(1), np.float64(1)):
            assert np.array_equal(sample_rows(VALUES, OFFSETS, 1, **{name: number}), expected)


# ---- near the limit of float64 ----

MAX_FLOAT = float(np.finfo(np.float64).max)


def test_a_softmax_near_the_limit_does_not_overflow() -> None:
    """With a temperature equal to the larger value, the worse row has the weight e**-2."""
    repeats = 20_000
    values = np.tile([-MAX_FLOAT, MAX_FLOAT], repeats)
    offsets = np.arange(0, 2 * repeats + 1, 2)
    rows = sample_rows(values, offsets, 4, temperature=MAX_FLOAT)
    worse_fraction = float((rows % 2 == 0).mean())
    assert worse_fraction == pytest.approx(math.exp(-2) / (1 + math.exp(-2)), abs=0.01)
    assert (sample_rows(values, offsets, 4, temperature=1.0) % 2 == 1).all()
    assert (sample_rows(values, offsets, 4, temperature=5e-324) % 2 == 1).all()
