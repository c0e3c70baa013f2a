"""Rollouts: games compared with slow implementations, candidates, and executors."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Play, Position, rollout
from bgfast.analysis.rollouts import trials as rollout_trials
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.analysis.rollouts.trials import play_block
from bgfast.errors import RolloutError
from bgfast.evaluation.evaluators.evaluators import STANDARD_GAME
from bgfast.evaluators import PipCount, Pubeval, Random
from tests.support.lockstep_games import compare_with_lockstep
from tests.support.rollouts import ENDING, RACE, dice_of, five_probabilities, pip_count, unbounded_pip_count
from tests.support.rule_cases import RULE_SETS

START = Position.start()


# ---------------------------------------------------------------- games


def play_slow_game(position: Position, seed: int, trial: int, rules: bgfast.RuleSet) -> tuple[int, int]:
    """Play a game by pip count with `Position` objects; return the first player's points and the plies."""
    for ply in range(100_000):
        roll = tuple(dice_of(seed, True, np.array([trial]), ply)[0].tolist())
        plays = position.plays(roll, rules=rules)
        if not len(plays):
            position = position.flip()
            continue
        boards = np.array([play.position.to_array() for play in plays])
        outcomes = bgfast.results(boards, rules).astype(float)
        row = int(np.argmin(np.where(outcomes != 0, 1000 * outcomes, unbounded_pip_count(boards))))
        position, outcome = plays[row].position, int(outcomes[row])
        if outcome:
            return (-outcome if ply % 2 == 0 else outcome), ply + 1
    raise AssertionError("endless game")


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_games_equal_a_slow_loop(rules: bgfast.RuleSet) -> None:
    for position, trials in ((RACE, 36), (ENDING, 72)):
        expected = [play_slow_game(position, 5, trial, rules) for trial in range(trials)]
        for evaluator in (PipCount(), unbounded_pip_count):
            job = Rollout(position, evaluator, RolloutOptions(trials=trials, seed=5, rules=rules)).job
            block = rollout_trials.play_block(job, 0, trials)
            assert list(zip(block.points[0].tolist(), block.plies[0].tolist(), strict=True)) == expected


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_every_rule_set_can_be_rolled_out(rules: bgfast.RuleSet) -> None:
    for evaluator in (Random(), PipCount()):
        result = rollout(START, evaluator=evaluator, trials=72, rules=rules)
        assert result.trials == sum(result.best.points.values()) == 72
    board = np.zeros(26, np.int8)
    board[1], board[0], board[24] = 1, -1, -13  # the opponent has one checker off and one on the bar
    final_board = [*board[:1], 0, *board[2:]]
    points = rollout(Position.from_array(board), evaluator=PipCount(), trials=36, rules=rules).best.points
    assert int(bgfast.results([final_board], rules)[0]) in points


def test_hypergammon_games_win_one_to_three_points() -> None:
    result = rollout(Position.hypergammon(), evaluator=Random(), trials=1296)
    assert {abs(points) for points in result.best.points} == {1, 2, 3}


def test_compiled_games_equal_lockstep_games() -> None:
    for evaluator in (Random(), PipCount(), Pubeval()):
        compare_with_lockstep(START, 36, 72, evaluator=evaluator, trials=72, seed=3)


def test_pubeval_uses_contact_before_the_play() -> None:
    """Compare with a second implementation, on positions in which a play may end contact."""
    weights = np.array(bgfast.evaluation.evaluators._evaluators.PUBEVAL_WEIGHTS)
    difference_count = 0
    for board in bgfast.random_positions(300, 8, phase="contact"):
        position = Position.from_array(board)
        plays = position.plays((6, 5))
        if len(plays) < 2:
            continue
        values = []
        for row in plays.boards:
            inputs = []
            for j in range(1, 25):
                n = int(row[25 - j])
                inputs += [n == -1, n == 1, n >= 2, n == 3, (n - 3) / 2 if n >= 4 else 0]
            inputs += [-row[0] / 2, (15 - row[row > 0].sum()) / 15]
            values.append(np.array(inputs, float) @ weights[:, 0])
        rows = bgfast.flip(plays.boards)
        chosen = Pubeval()._choices(
            board[None], rows, np.array([0, len(rows)]), *STANDARD_GAME, 0, np.zeros(1, int), np.zeros(1, int)
        )
        is_over = bgfast.results(rows) != 0
        assert is_over.any() or values[int(chosen[0])] == pytest.approx(max(values), abs=1e-9)
        difference_count += int(chosen[0]) != int(Pubeval()(rows).argmin())
    assert difference_count


# ---------------------------------------------------------------- candidates


def test_play_and_its_position_have_opposite_equities() -> None:
    play = START.plays((3, 1))[3]
    play_result = rollout(play, evaluator=Pubeval(), trials=360, seed=2)
    board_result = rollout(play.position, evaluator=Pubeval(), trials=360, seed=2)
    assert play_result.equity == pytest.approx(-board_result.equity, abs=1e-12)
    assert play_result.equity_se == pytest.approx(board_result.equity_se, abs=1e-12)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = board_result.probabilities
    expected = (1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon)
    assert play_result.probabilities == pytest.approx(expected, abs=1e-12)
    assert play_result.best.points == {-points: games for points, games in board_result.best.points.items()}


def test_candidates_have_common_dice_and_are_ranked() -> None:
    plays = list(START.plays((3, 1)))[:3]
    result = rollout(plays, evaluator=Pubeval(), trials=360, seed=4)
    assert [estimate.equity for estimate in result.estimates] == sorted(
        (estimate.equity for estimate in result.estimates), reverse=True
    )
    for estimate in result.estimates:
        play = next(play for play in plays if str(play) == estimate.name)
        single_result = rollout(play, evaluator=Pubeval(), trials=360, seed=4)
        assert single_result.equity == estimate.equity
        assert estimate.difference == pytest.approx(estimate.equity - result.equity, abs=1e-12)
        assert estimate.difference_interval[0] <= estimate.difference <= estimate.difference_interval[1]
    assert result.best.difference == result.best.difference_se == 0
    tied_result = rollout([plays[0], plays[0]], evaluator=Pubeval(), trials=72)
    assert (tied_result.estimates[1].difference, tied_result.estimates[1].difference_se) == (0, 0)


@pytest.mark.parametrize("settings", [{}, {"truncate": 1}], ids=str)
def test_a_play_that_ends_the_game_counts_its_points(settings: dict[str, Any]) -> None:
    board = np.zeros(26, np.int8)
    board[[1, 2]], board[24] = 1, -1
    (winning_play,) = Position.from_array(board).plays((6, 5))
    board[3] = 1
    (other_play,) = Position.from_array(board).plays((6, 5))
    result = rollout([other_play, winning_play], evaluator=five_probabilities, trials=72, **settings)
    best, other = result.estimates
    assert (best.equity, best.equity_se, best.points, best.longest) == (1, 0, {1: 72}, 0)
    assert best.probabilities == (1, 0, 0, 0, 0)
    assert (other.equity, other.points) == (-1, {-1: 72}) or settings


def test_a_play_list_has_a_candidate_per_play() -> None:
    plays = START.plays((6, 6))
    assert isinstance(plays[0], Play)
    assert len(rollout(plays, evaluator=Random(), trials=36).estimates) == len(plays)


# ---------------------------------------------------------------- reproducibility and executors


class DyingEvaluator:
    """Evaluator that ends its process once a file exists."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        if self.file.exists():
            os._exit(3)
        return unbounded_pip_count(boards)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("settings", [{}, {"truncate": 4, "variance_reduction": True}], ids=str)
@pytest.mark.parametrize("evaluator", [PipCount(), five_probabilities], ids=["core", "lockstep"])
def test_results_do_not_depend_on_threads_processes_or_blocks(
    evaluator: Any, settings: dict[str, Any], processes: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: dict[str, Any] = {"trials": 100, "seed": 6, **settings}
    expected = rollout([RACE, RACE.flip()], evaluator=evaluator, **arguments)
    for threads in (2, 7):
        result = rollout([RACE, RACE.flip()], evaluator=evaluator, threads=threads, **arguments)
        assert result.estimates == expected.estimates
    with ThreadPoolExecutor(3) as thread_pool:
        for executor in (thread_pool, processes):
            result = rollout([RACE, RACE.flip()], evaluator=evaluator, executor=executor, **arguments)
            assert result.estimates == expected.estimates
    monkeypatch.setattr(rollout_trials.Job, "block_end", lambda job, first: first + 71)
    assert rollout([RACE, RACE.flip()], evaluator=evaluator, **arguments).estimates == expected.estimates


def test_the_number_of_boards_per_call_is_bounded() -> None:
    sizes = []

    def evaluator(boards: np.ndarray) -> np.ndarray:
        sizes.append(len(boards))
        return pip_count(boards)

    rollout(
        list(START.plays((2, 1)))[:8], evaluator=evaluator, trials=144, truncate=2, variance_reduction=True
    )
    assert max(sizes) <= 32_768


@pytest.mark.slow
def test_a_rollout_resumes_after_the_death_of_a_worker(tmp_path: Path) -> None:
    file = tmp_path / "signal"
    checkpoint = tmp_path / "checkpoint"

    def play(run: Rollout, executor: Executor) -> None:
        for fraction in run.play(executor=executor, checkpoint=checkpoint):
            if fraction > 0.2:
                file.touch()

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        run = Rollout(RACE, DyingEvaluator(file), RolloutOptions(trials=30_000, seed=2))
        with pytest.raises(
            RolloutError, match=r"the executor has failed after .* of 30,000 trials"
        ) as error_info:
            play(run, executor)
    result = error_info.value.result
    assert result.trials >= 6000
    assert rollout(RACE, evaluator=PipCount(), trials=result.trials, seed=2).estimates == result.estimates
    file.unlink()
    result = rollout(RACE, evaluator=DyingEvaluator(file), trials=30_000, seed=2, checkpoint=checkpoint)
    assert result.estimates == rollout(RACE, evaluator=PipCount(), trials=30_000, seed=2).estimates


def test_an_executor_that_is_shut_down_is_refused() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(
        RolloutError, match="the executor has failed after 0 of 1,296 trials: cannot schedule"
    ):
        rollout(RACE, evaluator=pip_count, executor=executor)


class RecordingExecutor(ThreadPoolExecutor):
    """Thread pool that receives pickled jobs like a process pool, and records its calls."""

    def __init__(self) -> None:
        super().__init__(2)
        self.calls: list[tuple[Any, ...]] = []

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Any:
        self.calls.append(args)
        return super().submit(fn, *args, **options)


def test_executors_get_few_blocks_and_the_job_once() -> None:
    network, trials = bgfast.Network.random(32, seed=1), 10 * rollout_trials.BLOCK
    with RecordingExecutor() as executor:
        result = rollout(START, evaluator=network, trials=trials, truncate=1, executor=executor)
    assert result.estimates == rollout(START, evaluator=network, trials=trials, truncate=1).estimates
    sizes = [last - first for _, first, last, _ in executor.calls]
    assert sum(sizes) == trials
    assert len(sizes) < 40
    assert {type(job) for job, *_ in executor.calls} == {bytes}
    assert len({id(job) for job, *_ in executor.calls}) == 1
    assert 1 not in sizes


@pytest.mark.parametrize("evaluator", [bgfast.Network.random(32), lambda boards: np.zeros(len(boards))])
def test_invalid_results_of_an_executor_are_refused(evaluator: Any) -> None:
    def other_trials(job: Any, *_: Any) -> Any:
        return play_block(job, 0, 2, None)

    def raise_stop_iteration(*_: Any) -> Any:
        raise StopIteration

    cases: list[tuple[Callable[..., Any], str]] = [
        (lambda *_: 5, "after 0 of 360 trials: it returned 5; expected trials from 0 on"),
        (lambda *_: [], r"after 0 of 360 trials: it returned \[\]; expected trials from 0 on"),
        (other_trials, r"after 2 of 360 trials: it returned Block\(first=0.*; expected trials from 2 on"),
        (raise_stop_iteration, "after 0 of 360 trials: StopIteration"),
    ]
    for answer, message in cases:
        executor: Any = ReplacingExecutor(answer)
        with pytest.raises(RolloutError, match=message):
            bgfast.rollout(START, evaluator=evaluator, trials=360, cubeless=True, executor=executor)
    executor = SimpleNamespace(submit=lambda *_: 5)
    with pytest.raises(RolloutError, match="submit returned 5; expected a Future"):
        bgfast.rollout(START, evaluator=evaluator, trials=360, truncate=2, executor=executor)


class ReplacingExecutor:
    """Executor that returns other values instead of the results of its tasks."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer

    def submit(self, function: Any, job: Any, *_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(self._answer(pickle.loads(job) if isinstance(job, bytes) else job))
        except StopIteration as error:
            future.set_exception(error)
        return future
