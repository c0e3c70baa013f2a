"""Statistics of rollouts: standard errors, variance reduction and truncation against exact equities."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Position, rollout
from tests.support.rollouts import ENDING, five_probabilities

START = Position.start()


@cache
def equity_of(board: bytes) -> float:
    """Return the equity of a position of `ENDING` under best play, by recursion."""
    position = Position.from_array(np.frombuffer(board, np.int8))
    total = 0.0
    for roll, weight in zip(bgfast.ROLLS, bgfast.ROLL_WEIGHTS, strict=True):
        successors = [play.position for play in position.plays(roll)] or [position.flip()]
        total += weight * max(
            1.0 if successor.phase == "over" else -equity_of(successor.to_array().tobytes())
            for successor in successors
        )
    return total / 36


EXACT_EQUITY = equity_of(ENDING.to_array().tobytes())


def exact_evaluator(boards: np.ndarray) -> np.ndarray:
    rows = np.ascontiguousarray(boards).view("V26").ravel().tolist()
    return np.fromiter(map(equity_of, rows), float, len(rows))


def noisy_evaluator(boards: np.ndarray) -> np.ndarray:
    """Return exact equities plus reproducible errors of up to 0.2."""
    noise = (boards.astype(np.int64) @ np.arange(1, 27) * 7919) % 101 / 250 - 0.2
    return np.clip(exact_evaluator(boards) + noise, -1, 1)


def standardised_errors(run_count: int, trials: int, **settings: Any) -> np.ndarray:
    """Return the errors of rollouts in units of their standard errors."""
    results = [
        rollout(ENDING, evaluator=exact_evaluator, trials=trials, seed=seed, **settings)
        for seed in range(run_count)
    ]
    return np.array([(result.equity - EXACT_EQUITY) / result.equity_se for result in results])


def test_plain_errors_are_standard_normal() -> None:
    errors = standardised_errors(100, 432, quasi_random=False)
    assert abs(errors.mean()) < 3 / math.sqrt(100)
    assert 0.7 < errors.var(ddof=1) < 1.4
    assert 0.89 <= (np.abs(errors) < 1.96).mean() <= 0.99


def test_quasi_random_intervals_cover_the_truth() -> None:
    errors = standardised_errors(80, 432, quasi_random=True)
    assert abs(errors.mean()) < 3 / math.sqrt(80)
    assert (np.abs(errors) < 1.96).mean() >= 0.95
    plain_result = rollout(ENDING, evaluator=exact_evaluator, trials=4320, quasi_random=False)
    quasi_result = rollout(ENDING, evaluator=exact_evaluator, trials=4320)
    assert quasi_result.equity_se < 0.8 * plain_result.equity_se


def test_variance_reduction_with_a_noisy_evaluator_is_unbiased() -> None:
    settings = {"variance_reduction": True, "luck_evaluator": noisy_evaluator, "quasi_random": False}
    errors = standardised_errors(40, 72, **settings)
    assert abs(errors.mean()) < 3.3 / math.sqrt(40)
    plain_result = rollout(ENDING, evaluator=exact_evaluator, trials=720, quasi_random=False)
    reduced_result = rollout(ENDING, evaluator=exact_evaluator, trials=720, **settings)
    assert reduced_result.equity_se < 0.5 * plain_result.equity_se
    assert reduced_result.equity == pytest.approx(EXACT_EQUITY, abs=4 * reduced_result.equity_se)


def test_variance_reduction_with_an_exact_evaluator_is_exact() -> None:
    result = rollout(ENDING, evaluator=exact_evaluator, trials=72, variance_reduction=True)
    assert result.equity == pytest.approx(EXACT_EQUITY, abs=1e-9)
    assert result.equity_se < 1e-9


def test_negative_zero_probability_is_shown_unsigned() -> None:
    text = "XGID=-CC-B-CB-----a-----bbccbbB:0:0:1:24:0:0:0:0:10"
    network = bgfast.Network.builtin_fast()
    result = rollout(text, evaluator=network, trials=36, variance_reduction=True, truncate=5, cubeless=True)
    assert any(-5e-5 < chance < 0 for estimate in result.estimates for chance in estimate.probabilities or ())
    assert "-0.00%" not in str(result)
    assert " 0.00%" in str(result)


def test_variance_reduction_includes_probabilities() -> None:
    def exact_probabilities(boards: np.ndarray) -> np.ndarray:
        win = (exact_evaluator(boards) + 1) / 2
        return np.column_stack((win, *[np.zeros(len(boards))] * 4))

    result = rollout(ENDING, evaluator=exact_probabilities, trials=72, variance_reduction=True)
    assert result.probabilities[0] == pytest.approx((EXACT_EQUITY + 1) / 2, abs=1e-9)
    assert max(result.probabilities_se) < 1e-9
    equity_result = rollout(ENDING, evaluator=exact_evaluator, trials=72, variance_reduction=True)
    assert equity_result.probabilities_se[0] > 0.01


def test_truncation_with_an_exact_evaluator_is_unbiased() -> None:
    for plies in (1, 2, 3):
        result = rollout(ENDING, evaluator=exact_evaluator, trials=1296, truncate=plies)
        assert result.equity == pytest.approx(EXACT_EQUITY, abs=5 * result.equity_se + 1e-9)
        assert result.probabilities is None
    result = rollout(START, evaluator=five_probabilities, trials=36, truncate=4, cubeless=True)
    assert result.best.points == {0: 36}
    assert result.best.longest == 4
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = result.probabilities
    equity = 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon
    assert result.equity == pytest.approx(equity, abs=1e-12)
    assert lose_gammon > 0
