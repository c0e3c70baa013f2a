"""Arguments of rollouts: texts, candidates and evaluators that are accepted or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Position, rollout
from bgfast.evaluators import Chain, PipCount
from tests.support.rollouts import ENDING, RACE, five_probabilities, pip_count

START = Position.start()
MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10"


def test_texts_give_the_same_results_as_positions_and_plays() -> None:
    options: Any = {"trials": 36, "truncate": 3}
    pip = PipCount()
    plays = rollout(START.plays((3, 1)), evaluator=pip, **options)
    for text in (MATCH, "start 31", bgfast.Decision.read(MATCH), [MATCH], "4HPwATDgc/ABMA 3-1"):
        result = rollout(text, evaluator=pip, cubeless=True, **options)
        assert result.estimates == plays.estimates
        suffix = "; cube and score ignored" if "XGID" in repr(text) else ""
        assert result.conditions == result.settings["conditions"] == f"cubeless, money{suffix}"
    result = rollout(["start", Position.nackgammon()], evaluator=pip, **options)
    assert result.estimates == rollout([START, Position.nackgammon()], evaluator=pip, **options).estimates


# ---------------------------------------------------------------- evaluators


@pytest.mark.parametrize("threads", [1, 2])
def test_exceptions_of_evaluators_are_propagated(threads: int) -> None:
    def broken_evaluator(boards: np.ndarray) -> np.ndarray:
        raise LookupError("no weights")

    with pytest.raises(LookupError, match="no weights") as error_info:
        rollout(START, evaluator=broken_evaluator, trials=2000, threads=threads)
    assert any(entry.name == "broken_evaluator" for entry in error_info.traceback)


def test_evaluators_never_get_finished_games() -> None:
    def strict_evaluator(boards: np.ndarray) -> np.ndarray:
        assert not bgfast.results(boards).any()
        assert len(boards)
        return pip_count(boards)

    rollout(RACE, evaluator=strict_evaluator, trials=72, variance_reduction=True)
    rollout(ENDING, evaluator=strict_evaluator, trials=72, truncate=2)


def test_chains_use_the_first_evaluator_that_covers_a_board() -> None:
    class PartialEvaluator:
        def __init__(self, value: float) -> None:
            self.value = value

        def covers(self, boards: np.ndarray) -> np.ndarray:
            return boards[:, 1] > 0

        def __call__(self, boards: np.ndarray) -> np.ndarray:
            assert self.covers(boards).all()
            return np.full(len(boards), self.value)

    boards = bgfast.random_positions(400, 3)
    boards = boards[np.abs(boards).sum(axis=1) == 30]  # all results are possible
    result = Chain(PartialEvaluator(0.25), pip_count)(boards)
    is_covered = boards[:, 1] > 0
    assert (result[is_covered] == 0.25).all()
    assert np.array_equal(result[~is_covered], pip_count(boards[~is_covered]))
    assert len(Chain(pip_count)(boards[:0])) == 0
    with pytest.raises(BgfastError, match="expected the same shape"):
        Chain(PartialEvaluator(0.25), five_probabilities)(boards)
