"""Training data: positions of self-play games, and their targets."""

from __future__ import annotations

import numpy as np
import pytest

import bgfast
from bgfast import InvalidPositionError, Position
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluators import Lookahead, WithBearoff
from bgfast.learning._targets import add_later_errors, continue_games, one_ply_targets
from bgfast.learning.targets import Lesson, merge_positions, temporal_differences

START = Position.start().to_array()
NETWORK = Network.random(32, seed=3)
N_GAMES = 20


def starts(count: int = N_GAMES) -> np.ndarray:
    return np.repeat(START[None], count, axis=0)


def test_visited_positions_form_legal_games() -> None:
    ends, visited, points, _ = continue_games(NETWORK, START, starts(), 0, 60, 1, 0.5, 1)
    assert (ends.shape, visited.shape, points.shape) == ((N_GAMES, 26), (60, N_GAMES, 26), (60, N_GAMES))
    assert np.array_equal(visited[0], starts())
    assert not bgfast.results(visited.reshape(-1, 26)).any()
    next_boards = np.concatenate((visited[1:], ends[None]))
    has_ended = points != 0
    assert has_ended.any()
    assert (next_boards[has_ended] == START).all()
    # The next position is a successor, or the turn has passed.
    for ply in range(0, 59, 7):
        for game in np.flatnonzero(~has_ended[ply])[:6]:
            rows = bgfast.successors(visited[ply, game][None], "all", flip=True, passes="keep").boards
            assert (rows == next_boards[ply, game]).all(axis=1).any()
    # Games continued in two parts are the same.
    halfway_games, first_visited, *_ = continue_games(NETWORK, START, starts(), 0, 25, 1, 0.5, 2)
    last_games, second_visited, *_ = continue_games(NETWORK, START, halfway_games, 25, 35, 1, 0.5, 1)
    assert np.array_equal(np.concatenate((first_visited, second_visited)), visited)
    assert np.array_equal(last_games, ends)
    assert not np.array_equal(continue_games(NETWORK, START, starts(), 0, 60, 2, 0.5, 1)[1], visited)


def test_a_backgammon_counts_three_points() -> None:
    """Any roll wins; the loser has borne off no checker and has one in the home board of the winner."""
    board = [0] * 26
    board[1], board[18], board[3] = 1, -14, -1
    start = Position.from_array(board).to_array()
    _, _, points, _ = continue_games(NETWORK, start, start[None].copy(), 0, 1, 1, 0.0, 1)
    assert points.tolist() == [[3]]


@pytest.mark.parametrize("noise", [0.0, 0.25, 1.0])
def test_plays_are_random_at_the_rate_of_noise(noise: float) -> None:
    _, visited, points, is_random = continue_games(NETWORK, START, starts(200), 0, 9, 5, noise, 1)
    boards, next_boards = visited[:-1].reshape(-1, 26), visited[1:].reshape(-1, 26)
    is_unfinished = (points[:-1] == 0).ravel()
    boards, next_boards = boards[is_unfinished], next_boards[is_unfinished]
    is_best = np.zeros(len(boards), bool)
    for roll in bgfast.ROLLS:
        is_best |= (NETWORK.best_successors(boards, tuple(roll)).boards == next_boards).all(axis=1)
    is_random_play = is_random[:-1].ravel()[is_unfinished]
    assert is_best[~is_random_play].all()
    # A random play may be the best one.
    assert not is_random_play.any() if noise == 0 else is_best[is_random_play].mean() < 0.6
    ply, game = np.indices(is_random.shape)
    assert is_random[(ply + 7 * game) % 96 < 32].mean() == pytest.approx(noise, abs=0.05)


def test_random_plays_come_in_stretches() -> None:
    """The random plies, 32 of every 96, differ between games and are the same if a game is resumed."""
    is_random = continue_games(NETWORK, START, starts(), 0, 100, 5, 1.0, 1)[3]
    ply, game = np.indices(is_random.shape)
    assert np.array_equal(is_random, (ply + 7 * game) % 96 < 32)
    assert np.array_equal(continue_games(NETWORK, START, starts(), 30, 40, 5, 1.0, 2)[3], is_random[30:70])


def test_targets_equal_one_ply_search() -> None:
    boards = np.concatenate(
        [bgfast.random_positions(40, seed=1, phase=phase) for phase in ("contact", "race", "bearoff")]
    )
    targets = one_ply_targets(NETWORK, boards, 1)
    assert targets.dtype == np.float32
    # The search uses 16-bit accumulators; training uses floats.
    assert targets == pytest.approx(Lookahead(NETWORK, ply=1)(boards), abs=1e-4)
    assert np.array_equal(targets, one_ply_targets(NETWORK, boards, 3))
    player = WithBearoff(NETWORK)
    assert one_ply_targets(player, boards, 1) == pytest.approx(Lookahead(player, ply=1)(boards), abs=1e-4)


def test_invalid_boards_are_refused() -> None:
    boards = np.array([[0, 16] + [0] * 24], np.int8)
    with pytest.raises(InvalidPositionError):
        one_ply_targets(NETWORK, boards, 1)


def test_zero_plies_leave_games_unchanged() -> None:
    ends, visited, points, is_random = continue_games(NETWORK, START, starts(), 0, 0, 1, 0.1, 1)
    assert (len(visited), len(points), len(is_random)) == (0, 0, 0)
    assert np.array_equal(ends, starts())


def test_temporal_differences() -> None:
    """Two games in lockstep: one ends with its third ply and restarts, the other continues."""
    visited = np.stack([bgfast.random_positions(2, seed=ply) for ply in range(4)])
    points = np.zeros((4, 2), np.int8)
    points[2, 0] = 2
    actual = temporal_differences(NETWORK, visited, points, 0.75, 1)
    assert isinstance(actual, Lesson)
    assert np.array_equal(actual.boards, visited[:3, 0])
    values = NETWORK.evaluate(visited[:, 0]).astype(float)

    def flip(p: np.ndarray) -> np.ndarray:
        return np.array([1 - p[0], p[3], p[4], p[1], p[2]])

    last_target = np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    middle_target = flip(0.75 * last_target + 0.25 * values[2])
    first_target = flip(0.75 * middle_target + 0.25 * values[1])
    assert actual.targets == pytest.approx(np.array([first_target, middle_target, last_target]), abs=1e-6)
    assert temporal_differences(NETWORK, visited, points, 1.0, 1).targets[0].tolist() == [1, 1, 0, 0, 0]


def test_later_errors_correct_targets() -> None:
    """Later errors correct the targets of a game up to its random ply, but no other game."""
    rng = np.random.default_rng(4)
    values, evaluations = rng.random((2, 4, 5), np.float32)
    targets = values.copy()
    add_later_errors(targets, evaluations, np.array([False, False, True, True]), 0.75)
    errors = (values - evaluations).astype(float)

    def flip(d: np.ndarray) -> np.ndarray:
        return np.array([-d[0], d[3], d[4], d[1], d[2]])

    second_target = values[1] + 0.75 * flip(errors[2])
    first_target = values[0] + 0.75 * flip(errors[1] + 0.75 * flip(errors[2]))
    assert targets == pytest.approx(np.array([first_target, second_target, values[2], values[3]]), abs=1e-6)
    # The last position has no successor.
    targets = values.copy()
    add_later_errors(targets, evaluations, np.zeros(4, bool), 0.0)
    assert np.array_equal(targets, values)


def test_repeated_positions_are_merged() -> None:
    boards = np.stack([START, Position.nackgammon().to_array(), START])
    targets = np.arange(15, dtype=np.float32).reshape(3, 5)
    actual = merge_positions(Lesson(boards, targets))
    assert np.array_equal(actual.boards, boards[:2])
    assert np.array_equal(actual.targets, [(targets[0] + targets[2]) / 2, targets[1]])
    assert actual.targets.dtype == np.float32
