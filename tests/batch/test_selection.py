"""Selection over segments and means over rolls against plain Python, a whole search against a slow one."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast import (
    ROLL_WEIGHTS,
    ROLLS,
    BgfastError,
    best_rows,
    mean_over_rolls,
    pip_counts,
    reference,
    results,
    sample_rows,
    successors,
)
from bgfast.common.validation import segment_offsets, value_numbers
from tests.support.positions import START, random_board
from tests.support.streams import MASK, SAMPLE_SUCCESSORS, Stream, evenly, is_plausible

INF = math.inf
SELECTORS = [best_rows, lambda *given, **named: sample_rows(*given, 1, epsilon=0.5, **named)]
READERS = [*SELECTORS, lambda *given, **named: sample_rows(*given, 1, temperature=0.5, **named)]


def ragged(segments: list[list[float]]) -> tuple[list[float], list[int]]:
    """Values and offsets of segments."""
    values = [value for segment in segments for value in segment]
    return values, [0, *itertools.accumulate(map(len, segments))]


def of_sizes(sizes: Any, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Few different values, hence many ties, in segments of these sizes."""
    rng = np.random.default_rng(5)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return rng.integers(-9, 9, offsets[-1]).astype(dtype) / 4, offsets


# Enough segments for several threads, many of them empty.
MANY = of_sizes(np.random.default_rng(6).choice([0, 0, 1, 2, 3, 7, 20], 30_000))


# ---- plain Python ----


def slow_best(values: list[float], begin: int, end: int, best: str) -> int:
    rows = range(begin, end)
    if not rows:
        return -1
    return (max if best == "max" else min)(rows, key=values.__getitem__)  # the first of equal ones


def slow_sample(
    values: list[float],
    offsets: list[int],
    seed: int,
    temperature: float | None = None,
    epsilon: float = 0,
    best: str = "max",
) -> list[int]:
    rows = []
    for j, (begin, end) in enumerate(itertools.pairwise(offsets)):
        stream = Stream(seed, j, SAMPLE_SUCCESSORS)
        chosen = slow_best(values, begin, end, best)
        if begin < end and temperature is not None:
            top, total = values[chosen], 0.0
            for row in range(begin, end):
                away = values[row] - top if best == "max" else top - values[row]
                weight = math.exp(away / temperature)
                total += weight
                if stream.uniform() * total < weight:
                    chosen = row
        elif begin < end and stream.uniform() < epsilon:
            chosen = begin + int(stream.uniform() * (end - begin))
        rows.append(chosen)
    return rows


def slow_mean(values: list[float], offsets: list[int], best: str, empty: list[float] | None) -> list[float]:
    means = []
    for i in range((len(offsets) - 1) // 21):
        total = 0.0
        for r, weight in enumerate(ROLL_WEIGHTS):
            row = slow_best(values, *offsets[21 * i + r : 21 * i + r + 2], best)
            total += weight * (values[row] if row >= 0 else empty[i])
        means.append(total / 36)
    return means


# ---- best_rows ----

SEGMENTS = st.lists(
    st.lists(st.sampled_from([-INF, -1.5, -0.0, 0.0, 0.25, 7.0, INF]), max_size=6), max_size=9
)


@given(SEGMENTS, st.sampled_from(["max", "min"]), st.sampled_from([np.float32, np.float64]))
def test_best_successors(segments: list[list[float]], best: str, dtype: type) -> None:
    values, offsets = ragged(segments)
    rows = best_rows(np.array(values, dtype), offsets, best=best)
    assert rows.dtype == np.int64
    assert rows.tolist() == [slow_best(values, *pair, best) for pair in itertools.pairwise(offsets)]


def test_the_first_of_equal_values() -> None:
    values, offsets = ragged([[2, 5, 5], [], [1, 1], [-0.0, 0.0], [0.0, -0.0], [-INF, -INF], [3]])
    assert best_rows(values, offsets).tolist() == [1, -1, 3, 5, 7, 9, 11]
    assert best_rows(values, offsets, best="min").tolist() == [0, -1, 3, 5, 7, 9, 11]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("best", ["max", "min"])
def test_many_segments_on_any_number_of_threads(best: str, dtype: type) -> None:
    values, offsets = MANY[0].astype(dtype), MANY[1]
    plain = values.tolist()
    expected = [slow_best(plain, *pair, best) for pair in itertools.pairwise(offsets.tolist())]
    for threads in (1, 2, 3):
        assert best_rows(values, offsets, best=best, threads=threads).tolist() == expected


def test_neighbouring_float64_are_told_apart() -> None:
    values = [1.0, np.nextafter(1.0, 2.0)]
    assert best_rows(values, [0, 2]).tolist() == [1]
    assert best_rows(np.array(values, np.float32), [0, 2]).tolist() == [0]
    assert best_rows([5e-324, 0.0], [0, 2], best="min").tolist() == [1]


# ---- sample_rows ----


@given(
    st.lists(st.lists(st.sampled_from([-3.5, -1.0, -0.0, 0.125, 0.25, 7.0]), max_size=6), max_size=9),
    st.integers(0, MASK),
    st.sampled_from(["max", "min"]),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([0.001, 0.25, 1, 3.7, 1e300]),
)
def test_softmax(segments: list[list[float]], seed: int, best: str, dtype: type, temperature: float) -> None:
    values, offsets = ragged(segments)
    rows = sample_rows(np.array(values, dtype), offsets, seed, temperature=temperature, best=best)
    assert rows.dtype == np.int64
    assert rows.tolist() == slow_sample(values, offsets, seed, temperature=temperature, best=best)


@given(
    SEGMENTS,
    st.integers(0, MASK),
    st.sampled_from(["max", "min"]),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([0, 0.1, 0.5, 0.9, 1]),
)
def test_epsilon(segments: list[list[float]], seed: int, best: str, dtype: type, epsilon: float) -> None:
    values, offsets = ragged(segments)
    rows = sample_rows(np.array(values, dtype), offsets, seed, epsilon=epsilon, best=best)
    assert rows.dtype == np.int64
    assert rows.tolist() == slow_sample(values, offsets, seed, epsilon=epsilon, best=best)


@pytest.mark.parametrize("how", [{"temperature": 0.7}, {"epsilon": 0.4}])
@pytest.mark.parametrize("best", ["max", "min"])
def test_samples_of_many_segments_on_any_number_of_threads(how: dict[str, float], best: str) -> None:
    values, offsets = MANY
    expected = slow_sample(values.tolist(), offsets.tolist(), MASK, **how, best=best)
    for threads in (1, 2, 3):
        found = sample_rows(values, offsets, MASK, **how, best=best, threads=threads)
        assert found.tolist() == expected


@pytest.mark.parametrize("best", ["max", "min"])
def test_frequencies(best: str) -> None:
    values, sign = [0.5, -1.0, 2.0, 0.5], 1 if best == "max" else -1
    repeats = 20_000
    many, offsets = np.tile(values, repeats), np.arange(0, 4 * repeats + 1, 4)
    weights = [math.exp(sign * value / 0.8) for value in values]
    softmax = {row: weight / sum(weights) for row, weight in enumerate(weights)}
    top = 2 if best == "max" else 1
    greedy = {row: 0.3 / 4 + 0.7 * (row == top) for row in range(4)}
    for how, probabilities in [({"temperature": 0.8}, softmax), ({"epsilon": 0.3}, greedy)]:
        rows = sample_rows(many, offsets, 77, **how, best=best)
        assert np.array_equal(rows // 4, np.arange(repeats))
        assert is_plausible(Counter((rows % 4).tolist()), probabilities)
        # Nor does a choice tell anything about the next one.
        pairs = Counter(itertools.pairwise((rows % 4).tolist()))
        both = itertools.product(range(4), repeat=2)
        assert is_plausible(pairs, {(a, b): probabilities[a] * probabilities[b] for a, b in both})


def test_the_ends_of_epsilon_and_temperature() -> None:
    values, offsets = MANY
    for best in ("max", "min"):
        greedy = best_rows(values, offsets, best=best)
        assert np.array_equal(sample_rows(values, offsets, 3, epsilon=0, best=best), greedy)
        # Ties apart, which softmax does not decide by their order, the least temperature leaves the best.
        cold = sample_rows(values, offsets, 3, temperature=5e-324, best=best)
        assert np.array_equal(values[cold[cold >= 0]], values[greedy[greedy >= 0]])
        assert np.array_equal(cold < 0, greedy < 0)
    even = np.arange(0, 60_001, 6)
    six = np.tile(np.arange(6.0), 10_000)
    for how in ({"epsilon": 1}, {"temperature": 1e300}):
        rows = sample_rows(six, even, 4, **how)
        assert is_plausible(Counter((rows % 6).tolist()), evenly(range(6)))
    ties = sample_rows(np.zeros(60_000), even, 4, temperature=1e-9)
    assert is_plausible(Counter((ties % 6).tolist()), evenly(range(6)))


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 1e300, -1e300, 1.7e308])
def test_softmax_of_values_far_apart_or_large_takes_the_best(temperature: float, offset: float) -> None:
    values = [-1.79e308, offset - 1e307 if offset > 1e307 else offset - 1e306, offset, -1.7e308]
    with np.errstate(all="raise"):
        for seed in range(20):
            assert sample_rows(values, [0, 4], seed, temperature=temperature).tolist() == [2]
            mirrored = [-value for value in values]
            found = sample_rows(mirrored, [0, 4], seed, temperature=temperature, best="min")
            assert found.tolist() == [2]


def test_the_largest_float32() -> None:
    values = np.array([3.4e38, -3.4e38, 3.39e38], np.float32)
    assert sample_rows(values, [0, 3], 0, temperature=1e30).tolist() == [0]


@pytest.mark.parametrize("how", [{"temperature": 0.7}, {"epsilon": 0.4}])
def test_a_choice_depends_on_its_own_segment_alone(how: dict[str, float]) -> None:
    values, offsets = of_sizes([5] * 400)
    whole = sample_rows(values, offsets, 8, **how)
    for k in (0, 1, 399):
        assert np.array_equal(sample_rows(values[: 5 * k], offsets[: k + 1], 8, **how), whole[:k])
    others = values.copy()
    others[:1000] += 1
    others[1005:] = -others[1005:]
    # Its rows may stand elsewhere, too.
    shorter = offsets - np.minimum(np.arange(401), 100)
    moved = sample_rows(np.delete(others, np.arange(0, 500, 5)), shorter, 8, **how)
    assert moved[200] + 100 == sample_rows(others, offsets, 8, **how)[200] == whole[200]
    by_seed = [sample_rows(values, offsets, seed, **how) for seed in (8, 9, 2**32 + 8, MASK)]
    for a, b in itertools.combinations(by_seed, 2):
        assert 0.2 < (a == b).mean() < 0.9


# ---- mean_over_rolls ----


def test_one_value_for_each_segment() -> None:
    rng = random.Random("means")
    rows = [[rng.choice([-3, -0.5, 0, 1, 2.25]) for _ in range(21)] for _ in range(900)]
    expected = [sum(w * v for w, v in zip(ROLL_WEIGHTS, row, strict=True)) / 36 for row in rows]
    for dtype in (np.float32, np.float64):
        table = np.array(rows, dtype)
        for given_values in (table, table.reshape(-1), np.asfortranarray(table), table.tolist()):
            for best, threads in itertools.product(["max", "min"], [1, 2, 3]):
                found = mean_over_rolls(given_values, best=best, threads=threads)
                assert found.dtype == np.float64
                assert found.tolist() == expected
    assert mean_over_rolls(np.eye(21)).tolist() == [weight / 36 for weight in ROLL_WEIGHTS]
    assert mean_over_rolls(np.full((1, 21), 0.1, np.float32))[0] == pytest.approx(np.float32(0.1), rel=1e-15)


@pytest.mark.parametrize("best", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_value_for_each_successor(best: str, dtype: type) -> None:
    rng = np.random.default_rng(12)
    values, offsets = of_sizes(rng.integers(1, 6, 21 * 900), dtype)
    expected = slow_mean(values.tolist(), offsets.tolist(), best, None)
    for threads in (1, 2, 3):
        assert mean_over_rolls(values, offsets, best=best, threads=threads).tolist() == expected
    assert np.array_equal(mean_over_rolls(values[best_rows(values, offsets, best=best)]), expected)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.sampled_from(["max", "min"]))
def test_empty_segments(seed: int, boards: int, best: str) -> None:
    rng = np.random.default_rng(seed)
    values, offsets = of_sizes(rng.integers(0, 3, 21 * boards))
    empty = rng.integers(-3, 4, boards)
    found = mean_over_rolls(values, offsets, best=best, empty=empty)
    assert found.tolist() == slow_mean(values.tolist(), offsets.tolist(), best, empty.tolist())


def test_a_finished_game_has_exactly_what_empty_says() -> None:
    empty = np.array([0.1, -1 / 3, 1e-5, 5e-324, INF])
    assert mean_over_rolls([], np.zeros(21 * 5 + 1, np.int64), empty=empty).tolist() == empty.tolist()


def test_infinities() -> None:
    table = np.zeros((3, 21))
    table[1, 4], table[2, 5:8] = INF, -INF
    assert mean_over_rolls(table).tolist() == [0, INF, -INF]
    table[1, 5] = -INF
    with pytest.raises(BgfastError, match="board 1: the mean of infinities of both signs is no number"):
        mean_over_rolls(table)
    # What is not the best of its segment plays no part.
    values, offsets = ragged([[0.0, -INF]] + [[1.0]] * 20)
    assert mean_over_rolls(values, offsets).tolist() == [35 / 36]
    values, offsets = ragged([[], [INF]] + [[1.0]] * 19)
    with pytest.raises(BgfastError, match="board 0: the mean of infinities"):
        mean_over_rolls(values, offsets, empty=[-INF])


# ---- a search of two plies ----

Board = tuple[int, ...]


def evaluated(boards: np.ndarray) -> np.ndarray:
    """The mover's lead in pips: whole numbers, whose sums are the same in any order."""
    pips = pip_counts(boards)
    return (pips[:, 1] - pips[:, 0]).astype(np.float64)


def slow_evaluated(board: Board) -> int:
    mover = sum(i * max(n, 0) for i, n in enumerate(board))
    opponent = sum((25 - i) * max(-n, 0) for i, n in enumerate(board))
    return opponent - mover


def slow_points(board: Board) -> int:
    """What a mover without checkers has won: single, gammon or backgammon."""
    if -sum(min(n, 0) for n in board) < 15:
        return 1
    return 3 if min(board[:7]) < 0 else 2


def slow_search(board: Board, roll: tuple[int, int], points: int) -> dict[Board, float]:
    """The value of each play for the mover after the best reply to each roll, by where it leads to."""
    found = {}
    for after in reference.legal_positions(board, *roll):
        if max(after) <= 0:
            found[after] = points * slow_points(after)
            continue
        total = 0
        for reply, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            opponent = reference.flip(after)
            ends = reference.legal_positions(opponent, *reply) or {opponent}
            total += weight * min(slow_evaluated(reference.flip(end)) for end in ends)
        found[after] = total / 36
    return found


def two(own: dict[int, int], opponent: dict[int, int]) -> Board:
    """A board of the mover's points and the opponent's, both counted from the mover's side."""
    return tuple(own.get(i, 0) - opponent.get(i, 0) for i in range(26))


SEARCHED: dict[str, tuple[Board, tuple[int, int]]] = {
    "opening": (START, (6, 1)),
    "a play ends the game, another does not": (two({2: 1, 1: 1}, {24: 2, 20: 1}), (2, 1)),
    "gammon or not": (two({2: 1, 1: 1}, {24: 2, 20: 13}), (2, 1)),
    "backgammon or not": (two({2: 1, 1: 1}, {0: 1, 3: 1, 20: 13}), (2, 1)),
    "every play ends the game": (two({2: 1}, {24: 2}), (6, 5)),
    "no legal play": (two({25: 1, 6: 3}, dict.fromkeys(range(19, 25), 2)), (6, 5)),
    "the opponent passes": (two(dict.fromkeys(range(1, 7), 2) | {8: 2, 10: 1}, {0: 2, 20: 3}), (3, 2)),
    "the opponent may end the game": (two({25: 1, 20: 2}, {24: 1, 23: 1}), (3, 1)),
}
RNG = random.Random("search")
SEARCHED |= {f"random {i}": (random_board(RNG), (RNG.randint(1, 6), RNG.randint(1, 6))) for i in range(4)}


@pytest.mark.parametrize("points", [1, 100])
def test_two_plies_of_all_positions_at_once(points: int) -> None:
    boards = np.array([board for board, _ in SEARCHED.values()], np.int8)
    dice = [roll for _, roll in SEARCHED.values()]

    plays = successors(boards, dice, flip=True)
    replies = successors(plays.boards, "all", flip=True, passes="keep")
    values = mean_over_rolls(
        evaluated(replies.boards),
        replies.offsets,
        best="min",
        empty=-points * results(plays.boards).astype(int),
    )
    rows = best_rows(values, plays.offsets)

    for j, (name, (board, roll)) in enumerate(SEARCHED.items()):
        slow = slow_search(board, roll, points)
        begin, end = plays.offsets[j : j + 2]
        fast = {
            reference.flip(row): value
            for row, value in zip(plays.boards[begin:end].tolist(), values[begin:end].tolist(), strict=True)
        }
        assert fast == slow, name
        if slow:
            assert slow[reference.flip(plays.boards[rows[j]].tolist())] == max(slow.values()), name
        else:
            assert rows[j] == -1
    assert rows[list(SEARCHED).index("no legal play")] == -1


def test_the_search_meets_what_it_is_about() -> None:
    """Plays that end the game beside others, replies that are passes, replies that end the game."""
    ends = {
        name: [max(after) <= 0 for after in reference.legal_positions(board, *roll)]
        for name, (board, roll) in SEARCHED.items()
    }
    assert sorted(ends["a play ends the game, another does not"]) == [False, True]
    assert ends["every play ends the game"] == [True]
    assert ends["no legal play"] == []
    board, roll = SEARCHED["the opponent passes"]
    closed = [reference.flip(after) for after in reference.legal_positions(board, *roll)]
    assert any(not reference.legal_positions(after, *reply) for after in closed for reply in ROLLS)


# ---- what comes in ----


def unaligned(array: np.ndarray) -> np.ndarray:
    memory = np.zeros(array.nbytes + 1, np.int8)
    copy = memory[1:].view(array.dtype)
    copy[:] = array
    return copy


def frozen(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


VALUES, OFFSETS = of_sizes([3, 0, 4, 1, 5])
WHOLE = VALUES * 4  # quarters before


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "make",
    [
        lambda a: a.tolist(),
        lambda a: tuple(a.tolist()),
        lambda a: a.astype(np.float16),
        lambda a: a.astype(np.float32),
        lambda a: a.astype(np.longdouble),
        lambda a: a.astype(">f8"),
        lambda a: a.astype(">f4"),
        lambda a: a.astype(np.int8),
        lambda a: a.astype(np.int64),
        lambda a: np.repeat(a, 2)[::2],
        lambda a: np.repeat(a.astype(np.float32), 2)[::2],
        lambda a: np.ma.masked_array(a),
        unaligned,
        frozen,
    ],
)
def test_any_real_values_are_read(read: Callable, make: Callable) -> None:
    assert np.array_equal(read(make(WHOLE), OFFSETS), read(WHOLE, OFFSETS))


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "make",
    [
        lambda a: a.tolist(),
        lambda a: a.astype(np.uint8),
        lambda a: a.astype(np.uint64),
        lambda a: a.astype(">i8"),
        lambda a: np.repeat(a, 2)[::2],
        unaligned,
        frozen,
    ],
)
def test_any_whole_offsets_are_read(read: Callable, make: Callable) -> None:
    assert np.array_equal(read(VALUES, make(OFFSETS)), read(VALUES, OFFSETS))


def test_what_the_core_reads_is_in_place_if_it_can_be_and_always_aligned() -> None:
    for array in (VALUES, VALUES.astype(np.float32)):
        assert value_numbers("values", array) is array
        assert value_numbers("values", unaligned(array)).flags.aligned
    assert segment_offsets(OFFSETS, len(VALUES)) is OFFSETS
    assert segment_offsets(unaligned(OFFSETS), len(VALUES)).flags.aligned


def test_nothing_in_nothing_out() -> None:
    for read in READERS:
        for threads in (1, 2):
            found = read([], [0], threads=threads)
            assert found.shape == (0,)
            assert found.dtype == np.int64
        assert read([], [0, 0, 0]).tolist() == [-1, -1]
    for found in (
        mean_over_rolls([]),
        mean_over_rolls(np.empty((0, 21))),
        mean_over_rolls([], [0]),
        mean_over_rolls([], [0], empty=[]),
    ):
        assert found.shape == (0,)
        assert found.dtype == np.float64


def with_value(index: int, value: float) -> np.ndarray:
    values = VALUES.copy()
    values[index] = value
    return values


BAD_VALUES = [
    (with_value(0, np.nan), "values: index 0 is nan; expected a number"),
    (with_value(12, np.nan), "values: index 12 is nan"),
    (with_value(7, np.nan).astype(np.float32), "values: index 7 is nan"),
    (VALUES[:, None], r"values of shape \(13, 1\); expected \(m,\), one for each successor"),
    (0.0, r"values of shape \(\); expected \(m,\)"),
    (["1"] * 13, "values of dtype <U1; expected real numbers"),
    (VALUES > 0, "values of dtype bool"),
    (VALUES + 1j, "values of dtype complex128"),
    ([None] * 13, "values of dtype object"),
    ([[1.0], [1.0, 2.0]], "values of list cannot be read"),
    (np.ma.masked_array(VALUES, VALUES > 0), "values with masked numbers; expected real numbers"),
]
BAD_OFFSETS = [
    ([1, 3, 3, 7, 8, 13], "offsets: index 0 is 1; expected 0"),
    ([-1, 3, 3, 7, 8, 13], "offsets: index 0 is -1; expected 0"),
    ([0, 3, 2, 7, 6, 13], "offsets: index 2 is 2, after 3; expected no smaller number"),
    ([0, 3, 3, 7, 14, 13], "offsets: index 5 is 13, after 14"),
    ([0, 3, 3, 7, 8, 12], "offsets: the last one is 12; expected the number of values, 13"),
    ([0, 3, 3, 7, 8, 14], "offsets: the last one is 14; expected the number of values, 13"),
    ([0], "offsets: the last one is 0; expected the number of values, 13"),
    ([], r"offsets of shape \(0,\); expected \(k \+ 1,\)"),
    (13, r"offsets of shape \(\)"),
    ([[0, 13]], r"offsets of shape \(1, 2\)"),
    ([0.0, 13.0], "offsets of dtype float64; expected whole numbers"),
    ([False, True], "offsets of dtype bool; expected whole numbers"),
    ("offsets", "offsets of dtype <U7"),
    (np.array([0, 2**64 - 1, 13], np.uint64), "offsets: index 2 is 13, after 18446744073709551615"),
    (np.array([0, 2**64 - 1], np.uint64), "offsets: the last one is 18446744073709551615"),
    (None, "offsets of dtype object"),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("values", "message"), BAD_VALUES)
def test_bad_values_are_refused(read: Callable, values: Any, message: str) -> None:
    out = np.full(5, 77)
    with pytest.raises(BgfastError, match=message):
        read(values, OFFSETS, out=out)
    with pytest.raises(BgfastError, match=message):
        mean_over_rolls(values, OFFSETS)
    assert (out == 77).all()


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("offsets", "message"), BAD_OFFSETS)
def test_bad_offsets_are_refused(read: Callable, offsets: Any, message: str) -> None:
    out = np.full(5, 77)
    with pytest.raises(BgfastError, match=message):
        read(VALUES, offsets, out=out)
    if offsets is not None:
        with pytest.raises(BgfastError, match=message):
            mean_over_rolls(VALUES, offsets)
    assert (out == 77).all()


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.full(5, 77, np.int32), r"out is of dtype int32, shape \(5,\); expected .* int64, shape \(5,\)"),
        (np.full(5, 77, np.float64), "dtype float64"),
        (np.full(5, 77, ">i8"), "dtype >i8"),
        (np.full(4, 77), r"shape \(4,\)"),
        (np.full(6, 77), r"shape \(6,\)"),
        (np.full((5, 1), 77), r"shape \(5, 1\)"),
        (np.full(10, 77)[::2], "C-contiguous"),
        (unaligned(np.full(5, 77)), "aligned"),
        (frozen(np.full(5, 77)), "writeable"),
        ([0] * 5, "expected an array of dtype int64"),
    ],
)
def test_an_output_that_cannot_be_used_is_refused_untouched(read: Callable, out: Any, message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        read(VALUES, OFFSETS, out=out)
    assert (np.asarray(out) == (0 if isinstance(out, list) else 77)).all()


@pytest.mark.parametrize("read", READERS)
def test_an_output_is_written_and_nothing_beside_it(read: Callable) -> None:
    memory = np.full(45, 77)
    assert read(VALUES, OFFSETS, out=memory[20:25]) is not None
    assert np.array_equal(memory[20:25], read(VALUES, OFFSETS))
    assert (memory[:20] == 77).all()
    assert (memory[25:] == 77).all()
    out = np.empty(len(MANY[1]) - 1, np.int64)
    assert read(*MANY, threads=2, out=out) is out
    assert np.array_equal(out, read(*MANY))


@pytest.mark.parametrize("read", READERS)
def test_an_output_that_overlaps_what_is_read_is_refused(read: Callable) -> None:
    memory = np.zeros(20)
    for dtype in (np.float64, np.float32):  # both are read in place
        with pytest.raises(BgfastError, match="out overlaps values"):
            read(memory.view(dtype)[:13], OFFSETS, out=memory[2:7].view(np.int64))
    offsets = np.concatenate([OFFSETS, [0]])
    with pytest.raises(BgfastError, match="out overlaps offsets"):
        read(VALUES, offsets[:6], out=offsets[1:6])
    assert not memory.any()
    assert np.array_equal(offsets[:6], OFFSETS)


@pytest.mark.parametrize("read", [*READERS, mean_over_rolls])
def test_other_bad_arguments(read: Callable) -> None:
    values, offsets = of_sizes([1] * 21)
    for best in ("Max", "", None, 1, ["max"], np.array(["max", "min"])):
        with pytest.raises(BgfastError, match=r"best is .*; expected 'max' or 'min'"):
            read(values, offsets, best=best)
    for threads in (0, -1, 1.5, "2", True):
        with pytest.raises(BgfastError, match="threads is"):
            read(values, offsets, threads=threads)


def test_seeds() -> None:
    for seed in (-1, 2**64, 1.0, "3", None, False, np.nan):
        with pytest.raises(BgfastError, match=r"seed is .*; expected a whole number from 0 to 1844674407370"):
            sample_rows(VALUES, OFFSETS, seed, epsilon=0.5)
    expected = sample_rows(VALUES, OFFSETS, 5, epsilon=0.5)
    assert np.array_equal(sample_rows(VALUES, OFFSETS, np.uint8(5), epsilon=0.5), expected)


def test_exactly_one_of_temperature_and_epsilon() -> None:
    for given_both, message in (({}, "none of"), ({"temperature": 1, "epsilon": 0}, "both of")):
        with pytest.raises(
            BgfastError, match=f"{message} temperature and epsilon given; expected exactly one"
        ):
            sample_rows(VALUES, OFFSETS, 1, **given_both)


@pytest.mark.parametrize("temperature", [0, 0.0, -1, INF, np.nan, "1", True, 1j, [1.0], 10**400])
def test_bad_temperatures(temperature: Any) -> None:
    with pytest.raises(BgfastError, match=r"temperature is .*; expected a finite number greater than 0"):
        sample_rows(VALUES, OFFSETS, 1, temperature=temperature)


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, INF, np.nan, "1", False, 1j, [1.0], 10**400])
def test_bad_epsilons(epsilon: Any) -> None:
    with pytest.raises(BgfastError, match=r"epsilon is .*; expected a number from 0 to 1"):
        sample_rows(VALUES, OFFSETS, 1, epsilon=epsilon)


def test_numbers_of_any_type_are_taken() -> None:
    for one in (1, 1.0, np.float32(1), np.int8(1), np.float64(1)):
        for name in ("temperature", "epsilon"):
            found = sample_rows(VALUES, OFFSETS, 1, **{name: one})
            assert np.array_equal(found, sample_rows(VALUES, OFFSETS, 1, **{name: 1.0}))


@pytest.mark.parametrize("infinity", [INF, -INF])
def test_softmax_takes_no_infinities(infinity: float) -> None:
    out = np.full(5, 77)
    with pytest.raises(
        BgfastError, match=r"values: index 6 is -?inf; expected finite numbers with temperature"
    ):
        sample_rows(with_value(6, infinity), OFFSETS, 1, temperature=1, out=out)
    assert (out == 77).all()


@pytest.mark.parametrize(
    ("given_values", "named", "message"),
    [
        (np.zeros(20), {}, r"values of shape \(20,\); expected \(21 \* n,\) or \(n, 21\) without offsets"),
        (np.zeros((21, 2)), {}, r"values of shape \(21, 2\)"),
        (np.zeros((1, 42)), {}, r"values of shape \(1, 42\)"),
        (np.zeros((1, 1, 21)), {}, r"values of shape \(1, 1, 21\)"),
        (0.0, {}, r"values of shape \(\)"),
        (np.zeros((2, 21)), {"offsets": np.arange(43)}, r"values of shape \(2, 21\); expected \(m,\)"),
        (np.where(np.arange(42).reshape(2, 21) == 26, np.nan, 0), {}, "values: index 1, 5 is nan"),
        (np.zeros(20), {"offsets": np.arange(21)}, "offsets of 20 segments; expected 21 for each board"),
        (np.zeros(42), {"empty": [0, 0]}, "empty is given without offsets"),
        (np.zeros(42), {"offsets": np.arange(43), "empty": [0]}, r"empty of shape \(1,\); expected \(2,\)"),
        (np.zeros(42), {"offsets": np.arange(43), "empty": 0}, r"empty of shape \(\)"),
        (np.zeros(42), {"offsets": np.arange(43), "empty": [0, np.nan]}, "empty: index 1 is nan"),
        (np.zeros(42), {"offsets": np.arange(43), "empty": ["a", "b"]}, "empty of dtype <U1"),
    ],
)
def test_bad_arguments_of_expectation(given_values: Any, named: dict[str, Any], message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        mean_over_rolls(given_values, **named)


def test_an_empty_segment_is_named() -> None:
    sizes = np.ones(21 * 4, np.int64)
    sizes[[21 * 2 + 3, 21 * 3]] = 0
    message = r"segment 45 \(board 2, roll 3-1\) is empty; expected .*passes='keep', and empty= for finished"
    with pytest.raises(BgfastError, match=message):
        mean_over_rolls(*of_sizes(sizes))


def test_threads_do_not_disturb_each_other() -> None:
    expected = [read(*MANY).tolist() for read in READERS]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda read: read(*MANY, threads=2).tolist(), READERS * 3))
    assert found == expected * 3


# ---- near the limit of float64 ----

GREATEST = float(np.finfo(np.float64).max)


def test_a_mean_near_the_limit_does_not_overflow() -> None:
    values = np.full(21, GREATEST)
    assert mean_over_rolls(values)[0] == pytest.approx(GREATEST, rel=1e-15)
    assert mean_over_rolls(-values)[0] == pytest.approx(-GREATEST, rel=1e-15)
    mixed = np.where(np.arange(21) % 2, GREATEST, -GREATEST)
    weights = np.array(ROLL_WEIGHTS)
    expected = GREATEST * (float((weights * np.where(np.arange(21) % 2, 1, -1)).sum()) / 36)
    assert mean_over_rolls(mixed)[0] == pytest.approx(expected, rel=1e-12)
    values[3] = INF
    assert mean_over_rolls(values)[0] == INF


def test_a_softmax_near_the_limit_does_not_overflow() -> None:
    """With a temperature as great as the values the worse row has the weight e**-2."""
    number = 20_000
    values = np.tile([-GREATEST, GREATEST], number)
    offsets = np.arange(0, 2 * number + 1, 2)
    rows = sample_rows(values, offsets, 4, temperature=GREATEST)
    worse = float((rows % 2 == 0).mean())
    assert worse == pytest.approx(math.exp(-2) / (1 + math.exp(-2)), abs=0.01)
    assert (sample_rows(values, offsets, 4, temperature=1.0) % 2 == 1).all()
    assert (sample_rows(values, offsets, 4, temperature=5e-324) % 2 == 1).all()
