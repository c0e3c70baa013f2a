"""Contests between two players."""

from __future__ import annotations

import threading
import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import ROLLS, BgfastError, Position
from bgfast.analysis.rollouts._turns import luck_of_rolls
from bgfast.common.probabilities import equities_of
from bgfast.evaluation.evaluators.evaluators import Policy
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluators import PipCount, Pubeval, Random
from bgfast.learning import contest as contests
from bgfast.learning.contest import RunningContest, contest
from tests.support.rollouts import InterruptingEvaluator, pip_count, unbounded_pip_count

# Few checkers: exact databases cover the position, and no gammon is possible.
BEAROFF = Position.from_array(np.array([0, 0, 1, 0, 0, 1, 1] + [0] * 12 + [-1, -1, 0, 0, -1, 0, 0]))


@pytest.fixture
def small_luck_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the luck networks with a small network, whose luck is noise with mean 0."""
    network = Network.random(32, seed=1)
    monkeypatch.setattr(contests, "_luck_evaluators", lambda: (network, network))


@pytest.mark.usefixtures("small_luck_networks")
def test_equal_players_draw() -> None:
    result = contest(PipCount(), unbounded_pip_count, games=20, seed=3)
    assert (result.points_per_game, result.standard_error, result.won, result.games) == (0, 0, 0.5, 20)


@pytest.mark.usefixtures("small_luck_networks")
def test_stronger_players_win_in_any_order() -> None:
    result = contest(Pubeval(), Random(), games=30, seed=1, rules="five_stack")
    assert result.points_per_game > 10 * result.standard_error
    assert 1.5 < result.points_per_game < 3
    players = Network.builtin_fast(), PipCount()
    first, repeat, other_seed = (contest(*players, games=8, seed=seed) for seed in (5, 5, 6))
    mirror = contest(*players[::-1], games=8, seed=5)
    assert first == repeat != other_seed
    assert (mirror.points_per_game, mirror.standard_error) == (-first.points_per_game, first.standard_error)
    assert mirror.won == pytest.approx(1 - first.won)


@pytest.mark.usefixtures("small_luck_networks")
def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "MIN_GAMES_PER_THREAD", 4)
    thread_ids: set[int] = set()

    def player(boards: np.ndarray) -> np.ndarray:
        thread_ids.add(threading.get_ident())
        time.sleep(0.0002)
        return pip_count(boards)

    for evaluator in (Network.random(32, seed=1), Random(), player):
        results = [contest(evaluator, Pubeval(), games=16, seed=5, threads=threads) for threads in (1, 3)]
        assert results[0] == results[1]
    assert len(thread_ids) > 1


@pytest.mark.long
def test_standard_errors_equal_the_spread_of_means() -> None:
    results = [contest(PipCount(), Pubeval(), games=40, seed=seed) for seed in range(40)]
    means = np.array([result.points_per_game for result in results])
    expected = np.mean([result.standard_error for result in results])
    assert 0.7 < means.std(ddof=1) / expected < 1.4


def test_progress_rises_to_one() -> None:
    fractions = list(RunningContest(PipCount(), Random(), games=400, seed=1, rules="five_stack").play())
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert 0 < fractions[60] < 0.01  # the small first batch measures the speed


@pytest.mark.usefixtures("small_luck_networks")
def test_ctrl_c_leaves_an_intermediate_result() -> None:
    """The result omits unfinished batches, whose finished games are biased towards short ones."""
    run = RunningContest(InterruptingEvaluator(200), Pubeval(), games=60, seed=3)
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    assert run.games >= 32
    assert run.result() == contest(pip_count, Pubeval(), games=run.games, seed=3)
    list(run.play())  # resumes with the unfinished games
    assert run.result() == contest(pip_count, Pubeval(), games=60, seed=3)
    run = RunningContest(InterruptingEvaluator(3), Random())
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    with pytest.raises(BgfastError, match="0 games are over; expected 4 or more"):
        run.result()


def test_slow_players_play_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of simultaneous games is chosen so that a ply takes a quarter of a second."""
    seconds, batch_sizes = 0.0, []

    def player(boards: np.ndarray) -> np.ndarray:
        nonlocal seconds
        seconds += len(boards) / 1000
        batch_sizes.append(len(boards))
        return pip_count(boards)

    monkeypatch.setattr(contests.time, "monotonic", lambda: seconds)
    contest(player, Random(), games=100, seed=1, rules="five_stack")
    assert seconds / len(batch_sizes) < 0.5


def test_games_without_an_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "MAX_PLIES", 12)
    with pytest.raises(BgfastError, match="not over after 12 plies; expected players that end them"):
        contest(Random(), Random(), games=4)


# ---------------------------------------------------------------- variance reduction


def test_luck_is_the_equity_after_a_roll_minus_its_mean() -> None:
    policy, evaluator = contests._luck_evaluators()
    boards, dice = bgfast.random_positions(40, seed=3), bgfast.random_dice(40, seed=4)
    expected = []
    for board, (die1, die2) in zip(boards, dice.tolist(), strict=True):
        plays = bgfast.successors(board[None], "all", flip=True, passes="keep")
        zeros = np.zeros(len(ROLLS), np.int64)
        rows = Policy(policy, bgfast.STANDARD).rows(np.repeat(board[None], 21, axis=0), plays, zeros, zeros)
        equities = -equities_of(evaluator(plays.boards[rows]))
        mean = np.average(equities, weights=[1 if high == low else 2 for high, low in ROLLS])
        expected.append(equities[ROLLS.index((max(die1, die2), min(die1, die2)))] - mean)
    luck = luck_of_rolls(policy, evaluator, boards, dice, 1)
    assert luck == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(luck, luck_of_rolls(policy, evaluator, boards, dice, 3))
    assert luck_of_rolls(policy, evaluator, boards[:0], dice[:0], 1).shape == (0,)


def test_points_of_bearoff_games_agree_with_the_exact_expectation() -> None:
    perfect_player = contests._luck_evaluators()[1]
    policies = [Policy(player, bgfast.STANDARD) for player in (perfect_player, Pubeval())]

    @cache
    def expected_points(board: bytes, mover: int) -> float:
        """Return the expected points of the player on roll."""
        boards = np.frombuffer(board, np.int8)[None]
        plays = bgfast.successors(boards, "all", flip=True, passes="keep")
        zeros = np.zeros(len(ROLLS), np.int64)
        successors = plays.boards[policies[mover].rows(np.repeat(boards, 21, axis=0), plays, zeros, zeros)]
        points = [
            -(result or expected_points(row.tobytes(), 1 - mover))
            for row, result in zip(successors, bgfast.results(successors).tolist(), strict=True)
        ]
        return float(np.average(points, weights=bgfast.ROLL_WEIGHTS))

    board = BEAROFF.to_array().tobytes()
    expected = (expected_points(board, 0) - expected_points(board, 1)) / 2
    result = contest(perfect_player, Pubeval(), games=2000, positions=[BEAROFF], seed=2)
    assert abs(result.points_per_game - expected) < 4 * result.standard_error
    assert abs(result.plain_points_per_game - expected) < 4 * result.plain_standard_error
    assert result.standard_error < result.plain_standard_error / 3
    assert abs(expected) > 10 * result.standard_error


def test_an_inaccurate_luck_evaluator_does_not_bias_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "_luck_evaluators", lambda: (Network.random(32, seed=1), PipCount()))
    run = RunningContest(Pubeval(), PipCount(), games=160, seed=1)
    list(run.play())
    luck = np.concatenate(run._luck).mean(axis=1)
    assert luck.std() > 0.01
    assert abs(luck.mean()) < 4 * luck.std(ddof=1) / np.sqrt(len(luck))
    assert run.result().points_per_game != run.result().plain_points_per_game


@pytest.mark.parametrize("rules", ["five_stack", bgfast.RuleSet(win_scheme="not_all_home")])
def test_no_variance_reduction_under_other_rules(rules: Any) -> None:
    result = contest(Pubeval(), PipCount(), games=20, rules=rules)
    assert result.note == contests.LUCK_NOTE
    assert str(result).endswith(result.note)
    assert "plain" not in str(result)
    assert result[1:3] == result[3:5]


@pytest.mark.usefixtures("small_luck_networks")
def test_pairs_begin_at_the_given_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = np.array([BEAROFF.to_array(), Position.start().to_array()])
    batches: list[np.ndarray] = []

    def player(boards: np.ndarray) -> np.ndarray:
        batches.append(boards)
        return pip_count(boards)

    contest(player, PipCount(), games=4, positions=boards, seed=1)
    # `player` begins the first game of each pair.
    assert {int(-row[row < 0].sum()) for row in batches[0]} <= {0, 1, 2, 3, 15}
    position = Position.from_array(np.array([0, 4] + [0] * 22 + [-1, 0]))  # only a double wins immediately
    run = RunningContest(PipCount(), PipCount(), games=100, positions=[position], seed=1)
    list(run.play())
    assert set(np.concatenate(run._points)[:, 0]) == {-1, 1}
    positions = [BEAROFF, position, BEAROFF.flip()]
    result = contest(Pubeval(), Random(), games=100, positions=positions, seed=1)
    monkeypatch.setattr(contests, "FIRST_BATCH", 50)
    assert result == contest(Pubeval(), Random(), games=100, positions=positions, seed=1)
