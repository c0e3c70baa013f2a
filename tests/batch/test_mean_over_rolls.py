"""Means over rolls against plain Python, and a two-ply search by them against a slow search."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast import ROLL_WEIGHTS, ROLLS, best_rows, mean_over_rolls, pip_counts, reference, results, successors
from tests.support.positions import START, random_board
from tests.support.streams import best_row, ragged, tied_values

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


def test_one_value_for_each_segment() -> None:
    rng = random.Random("means")
    rows = [[rng.choice([-3, -0.5, 0, 1, 2.25]) for _ in range(21)] for _ in range(400)]
    expected = [sum(w * v for w, v in zip(ROLL_WEIGHTS, row, strict=True)) / 36 for row in rows]
    for dtype in (np.float32, np.float64):
        table = np.array(rows, dtype)
        for given_values in (table, table.reshape(-1), np.asfortranarray(table), table.tolist()):
            for best, threads in itertools.product(["max", "min"], [1, 2, 3]):
                means = mean_over_rolls(given_values, best=best, threads=threads)
                assert means.dtype == np.float64
                assert means.tolist() == expected
    assert mean_over_rolls(np.eye(21)).tolist() == [weight / 36 for weight in ROLL_WEIGHTS]
    assert mean_over_rolls(np.full((1, 21), 0.1, np.float32))[0] == pytest.approx(np.float32(0.1), rel=1e-15)


def test_one_value_for_each_successor() -> None:
    sizes = np.random.default_rng(12).integers(1, 6, 21 * 400)
    for dtype, best in itertools.product((np.float32, np.float64), ("max", "min")):
        values, offsets = tied_values(sizes, dtype)
        expected = slow_mean(values.tolist(), offsets.tolist(), best, None)
        for threads in (1, 2, 3):
            assert mean_over_rolls(values, offsets, best=best, threads=threads).tolist() == expected
        assert np.array_equal(mean_over_rolls(values[best_rows(values, offsets, best=best)]), expected)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.sampled_from(["max", "min"]))
def test_empty_segments(seed: int, boards: int, best: str) -> None:
    rng = np.random.default_rng(seed)
    values, offsets = tied_values(rng.integers(0, 3, 21 * boards))
    empty = rng.integers(-3, 4, boards)
    means = mean_over_rolls(values, offsets, best=best, empty=empty)
    assert means.tolist() == slow_mean(values.tolist(), offsets.tolist(), best, empty.tolist())


def test_finished_games_have_exactly_the_values_of_empty() -> None:
    empty = np.array([0.1, -1 / 3, 1e-5, 5e-324, INF])
    assert mean_over_rolls([], np.zeros(21 * 5 + 1, np.int64), empty=empty).tolist() == empty.tolist()


def test_infinities() -> None:
    table = np.zeros((3, 21))
    table[1, 4], table[2, 5:8] = INF, -INF
    assert mean_over_rolls(table).tolist() == [0, INF, -INF]
    # Values other than the best of a segment have no effect.
    values, offsets = ragged([[0.0, -INF]] + [[1.0]] * 20)
    assert mean_over_rolls(values, offsets).tolist() == [35 / 36]


# ---- a search of two plies ----

Board = tuple[int, ...]


def pip_leads(boards: np.ndarray) -> np.ndarray:
    """Return the mover's lead in pips: whole numbers, whose sums do not depend on the order."""
    pips = pip_counts(boards)
    return (pips[:, 1] - pips[:, 0]).astype(np.float64)


def slow_pip_lead(board: Board) -> int:
    mover = sum(i * max(n, 0) for i, n in enumerate(board))
    opponent = sum((25 - i) * max(-n, 0) for i, n in enumerate(board))
    return opponent - mover


def slow_points(board: Board) -> int:
    """Return the points won by a mover without checkers."""
    if -sum(min(n, 0) for n in board) < 15:
        return 1
    return 3 if min(board[:7]) < 0 else 2


def slow_search(board: Board, roll: tuple[int, int], points: int) -> dict[Board, float]:
    """Return the mover's equity for each play, by successor, with the best reply to every roll."""
    equities = {}
    for after in reference.legal_positions(board, *roll):
        if max(after) <= 0:
            equities[after] = points * slow_points(after)
            continue
        total = 0
        for reply, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            opponent = reference.flip(after)
            ends = reference.legal_positions(opponent, *reply) or {opponent}
            total += weight * min(slow_pip_lead(reference.flip(end)) for end in ends)
        equities[after] = total / 36
    return equities


def board_of(own: dict[int, int], opponent: dict[int, int]) -> Board:
    """Return a board from both sides' checkers by point, all numbered from the mover's side."""
    return tuple(own.get(i, 0) - opponent.get(i, 0) for i in range(26))


SEARCHED: dict[str, tuple[Board, tuple[int, int]]] = {
    "opening": (START, (6, 1)),
    "a play ends the game, another does not": (board_of({2: 1, 1: 1}, {24: 2, 20: 1}), (2, 1)),
    "gammon or not": (board_of({2: 1, 1: 1}, {24: 2, 20: 13}), (2, 1)),
    "backgammon or not": (board_of({2: 1, 1: 1}, {0: 1, 3: 1, 20: 13}), (2, 1)),
    "every play ends the game": (board_of({2: 1}, {24: 2}), (6, 5)),
    "no legal play": (board_of({25: 1, 6: 3}, dict.fromkeys(range(19, 25), 2)), (6, 5)),
    "the opponent passes": (board_of(dict.fromkeys(range(1, 7), 2) | {8: 2, 10: 1}, {0: 2, 20: 3}), (3, 2)),
    "the opponent may end the game": (board_of({25: 1, 20: 2}, {24: 1, 23: 1}), (3, 1)),
}
RNG = random.Random("search")
SEARCHED |= {f"random {i}": (random_board(RNG), (RNG.randint(1, 6), RNG.randint(1, 6))) for i in range(4)}


def test_two_ply_search_of_all_positions_at_once() -> None:
    points = 100
    boards = np.array([board for board, _ in SEARCHED.values()], np.int8)
    dice = [roll for _, roll in SEARCHED.values()]

    plays = successors(boards, dice, flip=True)
    replies = successors(plays.boards, "all", flip=True, passes="keep")
    values = mean_over_rolls(
        pip_leads(replies.boards),
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
    # The positions have plays that end the game, others that do not, and passes as replies.
    assert len(set(results(plays.boards[slice(*plays.offsets[1:3])]) != 0)) == 2
    assert (np.diff(successors(plays.boards, "all").offsets) == 0).any()
    assert rows[list(SEARCHED).index("no legal play")] == -1


# ---- near the limit of float64 ----


def test_a_mean_near_the_limit_does_not_overflow() -> None:
    values = np.full(21, MAX_FLOAT)
    assert mean_over_rolls(values)[0] == pytest.approx(MAX_FLOAT, rel=1e-15)
    assert mean_over_rolls(-values)[0] == pytest.approx(-MAX_FLOAT, rel=1e-15)
    mixed = np.where(np.arange(21) % 2, MAX_FLOAT, -MAX_FLOAT)
    weights = np.array(ROLL_WEIGHTS)
    expected = MAX_FLOAT * (float((weights * np.where(np.arange(21) % 2, 1, -1)).sum()) / 36)
    assert mean_over_rolls(mixed)[0] == pytest.approx(expected, rel=1e-12)
    values[3] = INF
    assert mean_over_rolls(values)[0] == INF
