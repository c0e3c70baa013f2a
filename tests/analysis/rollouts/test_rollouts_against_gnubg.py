"""Rollouts with GNU Backgammon's networks against GNU Backgammon's own rollouts."""

from __future__ import annotations

import os

import numpy as np
import pytest

import bgfast
from bgfast.evaluators import GnubgNN

if os.name != "posix":
    pytest.skip("NOT TESTED: GNU Backgammon writes its rollouts to a terminal only", allow_module_level=True)

from tests.support.gnubg_rollout import evaluation, rollout

TRIALS = 3888
POSITIONS = {
    "two checkers on the ace point": "7L0HACDs7gwAAA",
    "closed out": "Hp5gMGDf3QwAAA",
    "start": "4HPwATDgc/ABMA",
    "blitz": "sNvgAWBmrsIBBg",
    "both sides on the bar": "5vYmAAJmZgDgWQ",
    "behind a prime": "2XYFwQC+MR4AYA",
    "holding": "d3aDAAhjO4MBYA",
    "two anchors": "hu8GERCw2+AAMQ",
    "leaving the anchor": "WM/BAQPbcREDIA",
    "saving the gammon": "PncHAAAzMwDhEw",
    "two points deep": "ZjvIRAKYMxjAMw",
    "race": "3Pk2AADs7jkAAA",
}
SLOW_COUNT = 1


@pytest.fixture(scope="module")
def evaluator() -> GnubgNN:
    pytest.importorskip(
        "gnubg_nn", reason="NOT INSTALLED: gnubg-nn, so nothing was compared with GNU Backgammon"
    )
    return GnubgNN()


@pytest.mark.slow
@pytest.mark.parametrize("gnubg_id", POSITIONS.values(), ids=POSITIONS)
def test_the_networks_are_the_same(gnubg_id: str, evaluator: GnubgNN) -> None:
    """Compare evaluations up to rounding, which also checks the order and side of the probabilities."""
    position = bgfast.Position.from_gnubg_id(gnubg_id)
    assert evaluator(position.to_array()[None])[0] == pytest.approx(evaluation(gnubg_id), abs=0.003)


@pytest.mark.parametrize(
    ("name", "gnubg_id"),
    [
        pytest.param(
            name, gnubg_id, id=name, marks=pytest.mark.slow if index < SLOW_COUNT else pytest.mark.long
        )
        for index, (name, gnubg_id) in enumerate(POSITIONS.items())
    ],
)
def test_rollouts_agree_within_their_errors(name: str, gnubg_id: str, evaluator: GnubgNN) -> None:
    expected, expected_errors = rollout(gnubg_id, TRIALS, seed=1)
    result = bgfast.rollout(
        bgfast.Position(gnubg_id), evaluator=evaluator, trials=TRIALS, seed=1, cubeless=True
    )
    difference = np.array([*result.probabilities, result.equity]) - expected
    # Events that happened at most once have no reliable standard error.
    errors = np.hypot(np.maximum([*result.probabilities_se, result.equity_se], 1 / TRIALS), expected_errors)
    z_scores = difference / errors
    print(
        f"{name}: equity {result.equity:+.4f} and {expected[-1]:+.4f}; "
        f"in joint standard errors {z_scores.round(2)}"
    )
    assert (np.abs(z_scores) < 3.5).all(), z_scores
