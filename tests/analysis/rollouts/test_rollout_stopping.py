"""Stopping rules, time limits, interim results and progress of rollouts."""

from __future__ import annotations

import os
import signal
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from bgfast import Position, rollout
from bgfast.analysis.rollouts import trials as rollout_trials
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.common.pace import Limit
from bgfast.errors import RolloutError
from bgfast.evaluators import PipCount, Pubeval, Random
from tests.support.rollouts import RACE, pip_count

START = Position.start()


def test_a_small_standard_error_stops_the_rollout() -> None:
    settings = {"trials": 100_000, "stop": {"standard_error": 0.013}}
    result = rollout(RACE, evaluator=Pubeval(), **settings)
    assert result.equity_se <= 0.013
    assert result.trials % 1296 == 0
    shorter_result = rollout(RACE, evaluator=Pubeval(), trials=result.trials - 1296)
    assert shorter_result.equity_se > 0.013
    assert rollout(RACE, evaluator=Pubeval(), threads=3, **settings).estimates == result.estimates


def test_stopping_rules_apply_to_differences() -> None:
    plays = Position.hypergammon().plays((3, 1))[:2]
    limit = 0.06
    result = rollout(plays, evaluator=Pubeval(), trials=100_000, stop={"standard_error": limit})
    assert all(max(estimate.equity_se, estimate.difference_se) <= limit for estimate in result.estimates)
    shorter_result = rollout(plays, evaluator=Pubeval(), trials=result.trials - 1296)
    assert shorter_result.estimates[1].difference_se > limit > shorter_result.estimates[1].equity_se


def test_interim_analyses_do_not_depend_on_blocks() -> None:
    job = Rollout(RACE, pip_count).job
    assert job.block_end(40) < 1296
    result = rollout(RACE, evaluator=pip_count, trials=20_000, stop={"standard_error": 0.5})
    assert result.trials == 1296


def test_a_time_limit_stops_the_rollout() -> None:
    result = rollout(START, evaluator=PipCount(), trials=10**8, stop={"seconds": 0.1})
    assert result.trials < 10**8


@pytest.mark.parametrize(("trials", "step"), [(720, 36), (100, 10), (36 * 150, 108)])
def test_history_equals_shorter_rollouts(trials: int, step: int) -> None:
    plays, settings = START.plays((3, 1))[:2], {"variance_reduction": True, "truncate": 2}
    run = Rollout(plays, PipCount(), RolloutOptions(trials=trials, **settings))
    list(run.play())
    history = run.history()
    assert history[-1] == run.result()
    assert [result.trials for result in history[:-1]] == list(range(step, trials, step))
    assert history[0].estimates == rollout(plays, evaluator=PipCount(), trials=step, **settings).estimates


class ClockedEvaluator:
    """Evaluator that takes a millisecond per board on a simulated clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sizes: list[int] = []

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        self.now += len(boards) / 1000
        self.sizes.append(len(boards))
        return pip_count(boards)


def test_slow_evaluators_respect_the_time_limit() -> None:
    for settings in ({}, {"policy": Random(), "variance_reduction": True}):
        clock = ClockedEvaluator()
        job = Rollout(START, clock, RolloutOptions(**settings)).job
        limit = Limit(10.0, clock=lambda clock=clock: clock.now)
        assert not [
            block for block in rollout_trials.local_blocks(job, 0, 324, 1, limit) if block is not None
        ]
        assert 10 <= clock.now < 10.5
        assert len(clock.sizes) > 30


@pytest.mark.slow
def test_unfinished_lockstep_blocks_do_not_count() -> None:
    """Blocks count as a whole or not at all: finished games alone would favour short games."""
    result = rollout(RACE, evaluator=pip_count, trials=10**8, stop={"seconds": 0.5})
    assert rollout(RACE, evaluator=pip_count, trials=result.trials).estimates == result.estimates

    def slow_evaluator(boards: np.ndarray) -> np.ndarray:
        time.sleep(0.001 * len(boards))
        return pip_count(boards)

    for threads in (1, 2):
        with pytest.raises(RolloutError, match=r"^0\.3 s passed before"):
            rollout(START, evaluator=slow_evaluator, stop={"seconds": 0.3}, threads=threads)


def test_progress_increases_to_one() -> None:
    fractions: list[float] = []
    rollout(START, evaluator=Random(), trials=5000, progress=fractions.append)
    assert fractions[-1] == 1
    assert all(a < b for a, b in pairwise(fractions))


def test_ctrl_c_keeps_finished_trials() -> None:
    run = Rollout(START, Random(), RolloutOptions(trials=10**8))
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(run.play(threads=2))
    timer.join()
    assert run.result().trials >= 100
