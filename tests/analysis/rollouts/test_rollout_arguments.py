"""Arguments of rollouts: texts, candidates and evaluators that are accepted and refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidPositionError, Position, rollout
from bgfast.evaluators import Chain, PipCount, Pubeval, Random
from tests.support.rollouts import ENDING, RACE, five, pip_count

START = Position.start()
MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10"


def test_texts_are_rolled_out() -> None:
    options: Any = {"trials": 36, "truncate": 3}
    pip = PipCount()
    plays = rollout(START.plays((3, 1)), pip, **options)
    for text in (MATCH, "start 31", bgfast.Decision.read(MATCH), [MATCH], "4HPwATDgc/ABMA 3-1"):
        result = rollout(text, pip, cubeless=True, **options)
        assert result.estimates == plays.estimates
        ignored = "; cube and score ignored" if "XGID" in repr(text) else ""
        assert result.judged_as == result.settings["judged_as"] == f"cubeless, money{ignored}"
    several = rollout(["start", Position.nackgammon()], pip, **options)
    assert several.estimates == rollout([START, Position.nackgammon()], pip, **options).estimates


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "'' is no position; expected start"),
        ("31", "'31' is no position"),
        ("start 31 more", "the roll is '31 more'"),
        ("best", "'best' is no position; expected start"),
        (["start", 5], "5 cannot be rolled out; expected a Position, a Play, or the text of a position"),
        (MATCH + " 64", "the roll is 6-4, but the position comes with 3-1"),
        (MATCH.replace(":31:", ":D:") + " 31", "X offers a double, which waits for an answer"),
        (MATCH.replace(":31:", ":00:").replace("-b", "-z"), "expected A-P"),
    ],
)
def test_texts_that_cannot_be_rolled_out(source: Any, message: str) -> None:
    with pytest.raises(BgfastError, match=re.escape(message)):
        rollout(source, PipCount(), trials=36)


def test_positions_that_cannot_be_rolled_out() -> None:
    finished = Position.from_array([0] * 24 + [-1, 0])
    for source, message in (
        (finished, "the game is over"),
        ([], r"\[\] cannot be rolled out"),
        (7, "7 cannot be rolled out; expected a Position, a Play, text, or several"),
        ([7], "7 cannot be rolled out; expected a Position, a Play, or the text of a position"),
        ([START, Position.hypergammon()], "different numbers of checkers"),
    ):
        with pytest.raises(InvalidPositionError, match=message):
            rollout(source, Random())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": 0}, "trials is 0; expected a whole number from 2"),
        ({"trials": 1.5}, "trials is 1.5"),
        ({"truncate": 0}, "truncate is 0; expected a whole number from 1"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"rules": 5}, "rules is"),
        ({"policy": 3}, "policy is 3; expected a callable"),
        ({"evaluator": None}, "evaluator is None; expected a callable"),
        ({"luck_evaluator": pip_count}, "luck_evaluator is set and variance_reduction is False"),
        ({"evaluator": Pubeval(), "truncate": 3}, "Pubeval's values are not in points"),
        ({"evaluator": Pubeval(), "variance_reduction": True}, "Pubeval's values are not in points"),
        ({"executor": 5}, "executor is 5; expected a concurrent.futures.Executor"),
        ({"progress": 5}, "progress is 5; expected None, or a callable"),
        ({"checkpoint": 5}, "checkpoint is 5; expected the path of a file"),
        ({"checkpoint": b"x"}, "checkpoint is b'x'; expected the path of a file"),
        ({"checkpoint": "a\0b"}, r"checkpoint is 'a\\x00b'; expected the path of a file"),
        ({"stop": 3}, "stop is 3; expected a mapping"),
        ({"stop": {}}, "stop is"),
        ({"stop": {"time": 3}}, "stop is .*; expected a mapping with 'standard_error', 'settled' or 'sec"),
        ({"stop": {"seconds": 0}}, "stop: seconds is 0; expected a number greater than 0"),
    ],
)
def test_invalid_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    arguments = {"evaluator": PipCount(), "trials": 36, **change}
    with pytest.raises(BgfastError, match=message):
        rollout(RACE, arguments.pop("evaluator"), **arguments)


# ---------------------------------------------------------------- evaluators


@pytest.mark.parametrize("threads", [1, 2])
def test_exceptions_of_evaluators_are_propagated(threads: int) -> None:
    def broken(boards: np.ndarray) -> np.ndarray:
        raise LookupError("no weights")

    with pytest.raises(LookupError, match="no weights") as caught:
        rollout(START, broken, trials=2000, threads=threads)
    assert any(entry.name == "broken" for entry in caught.traceback)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda n: np.zeros((n, 4)), r"returned shape \(\d+, 4\) for \d+ boards; expected"),
        (lambda n: np.zeros(n + 1), r"returned shape"),
        (lambda n: 0.5, r"returned shape \(\)"),
        (lambda n: np.full(n, np.nan), r"returned .*nan.* for board 0; expected finite numbers"),
        (lambda n: np.where(np.arange(n) == 2, np.inf, 0.0), "for board 2; expected finite"),
        (lambda n: np.full((n, 5), 1.5), r"for board 0; expected probabilities"),
        (lambda n: ["?"] * n, "expected numbers"),
        (lambda n: None, "returned"),
    ],
)
def test_invalid_evaluations_are_refused(returned: Callable[[int], Any], message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        rollout(START, lambda boards: returned(len(boards)), trials=36)


def test_evaluators_never_get_finished_games() -> None:
    def strict(boards: np.ndarray) -> np.ndarray:
        assert not bgfast.results(boards).any()
        assert len(boards)
        return pip_count(boards)

    rollout(RACE, strict, trials=72, variance_reduction=True)
    rollout(ENDING, strict, trials=72, truncate=2)


def test_chains_of_evaluators() -> None:
    class Part:
        def __init__(self, value: float) -> None:
            self.value = value

        def covers(self, boards: np.ndarray) -> np.ndarray:
            return boards[:, 1] > 0

        def __call__(self, boards: np.ndarray) -> np.ndarray:
            assert self.covers(boards).all()
            return np.full(len(boards), self.value)

    boards = bgfast.random_positions(400, 3)
    boards = boards[np.abs(boards).sum(axis=1) == 30]  # all results are possible
    result = Chain(Part(0.25), pip_count)(boards)
    is_covered = boards[:, 1] > 0
    assert (result[is_covered] == 0.25).all()
    assert np.array_equal(result[~is_covered], pip_count(boards[~is_covered]))
    assert len(Chain(pip_count)(boards[:0])) == 0
    for evaluators, message in (
        ((), "a chain has no evaluators"),
        ((pip_count, pip_count), "evaluator 0 of a chain has no method covers"),
        ((3,), "evaluator 0 is 3; expected a callable"),
    ):
        with pytest.raises(BgfastError, match=message):
            Chain(*evaluators)
    with pytest.raises(BgfastError, match="expected the same shape"):
        Chain(Part(0.25), five)(boards)
