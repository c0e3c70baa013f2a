"""Alternatives: nearly equal plays, compared with a loop over all plays."""

from __future__ import annotations

import numpy as np

import bgfast
from bgfast import Network, Position
from bgfast.common.validation import Boards
from bgfast.learning.targets import find_alternatives

NETWORK = Network.builtin_fast()


def alternatives_by_loop(board: Boards, roll: Boards) -> list[tuple[int, ...]]:
    """Return the boards after the best plays, up to four within 0.08 points; [] if only one is that good."""
    plays = bgfast.successors(board[None], roll, flip=True).boards
    plays = plays[bgfast.results(plays) == 0]
    if not len(plays):
        return []
    equities = -(NETWORK(plays) @ np.array([2, 1, 1, -1, -1]))
    order = np.argsort(-equities, kind="stable")
    near_rows = [row for row in order if equities[row] > equities.max() - 0.08]
    return [tuple(plays[row].tolist()) for row in near_rows[:4]] if len(near_rows) > 1 else []


def test_alternatives_equal_a_loop_over_all_plays() -> None:
    boards = np.concatenate(
        [bgfast.random_positions(150, seed=1), bgfast.random_positions(150, seed=2, phase="bearoff")]
    )
    dice = bgfast.random_dice(len(boards), seed=5)
    actual = find_alternatives(NETWORK, boards, 5, 10_000)
    expected = [
        (row, play) for row, board in enumerate(boards) for play in alternatives_by_loop(board, dice[row])
    ]
    assert list(zip(actual.rows.tolist(), map(tuple, actual.boards.tolist()), strict=True)) == expected
    counts = np.bincount(actual.rows, minlength=len(boards))
    assert set(counts.tolist()) == {0, 2, 3, 4}
    assert not bgfast.results(actual.boards).any()


def test_number_of_alternatives_is_limited() -> None:
    boards = np.repeat(Position.start().to_array()[None], 9000, axis=0)
    all_alternatives = find_alternatives(NETWORK, boards, 5, 100_000)
    assert 9000 < len(all_alternatives.boards) < 36_000
    assert all_alternatives.rows.max() > 8900
    first_alternatives = find_alternatives(NETWORK, boards, 5, 1001)
    assert np.array_equal(first_alternatives.boards, all_alternatives.boards[:1001])
    assert np.array_equal(first_alternatives.rows, all_alternatives.rows[:1001])
    no_alternatives = find_alternatives(NETWORK, boards[:0], 5, 100)
    assert no_alternatives.boards.shape == (0, 26)
    assert no_alternatives.rows.shape == (0,)
