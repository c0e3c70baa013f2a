"""Errors estimated from two halves of a rollout, compared with exact equities."""

from __future__ import annotations

import numpy as np
import pytest

import bgfast
from bgfast import Position
from bgfast.analysis.matches.match_rollout import action_equities, rollout_error
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.evaluators import PipCount, WithBearoff

HALVES = {"no double": 0.6, "take": 0.8, "drop": 1.0}, {"no double": 0.7, "take": 0.5, "drop": 1.0}


def test_errors_of_cube_actions_agree_with_values_computed_by_hand() -> None:
    # The first half prefers a double, and the second prefers no double. Each half evaluates the action
    # that the other half prefers.
    assert rollout_error("double", "no double", HALVES) == pytest.approx(((0.5 - 0.7) + 0) / 2)
    assert rollout_error("double", "double", HALVES) == pytest.approx((0 + (0.6 - 0.8)) / 2)
    assert rollout_error("take", "take", HALVES) == 0.0
    assert rollout_error("take", "drop", HALVES) == pytest.approx(((1.0 - 0.5) + (1.0 - 0.8)) / 2)


def test_beavers_double_the_take_and_may_be_dropped() -> None:
    equities = {"no double": -0.5, "double/take": -1.4}
    actions = action_equities(equities, beavers=True)
    assert actions == {"no double": -0.5, "take": -1.4, "drop": 1.0, "beaver": -2.0}
    assert "beaver" not in action_equities(equities, beavers=False)
    assert rollout_error("take", "take", (actions, actions)) == pytest.approx(0.6)
    assert rollout_error("double", "double", (actions, actions)) == pytest.approx(1.5)


def test_mean_errors_are_exact_in_bear_offs() -> None:
    """Three plays are equally good; compared with the highest estimate, each of them seems wrong."""
    policy, evaluator = WithBearoff(bgfast.Network.builtin_fast()), PipCount()
    plays = list(Position.from_gnubg_id("pAAAkAoAAAAAAA").plays((4, 2)))
    boards = np.stack([play.position.to_array() for play in plays])
    true_equities = 1 - 2 * policy(boards)[:, 0]  # no gammon is possible
    true_errors = true_equities.max() - true_equities
    assert sorted(true_errors.round(4)) == [0, 0, 0, 0.1367]
    errors, errors_of_maximum = [], []
    for seed in range(100):
        options = {
            "policy": policy,
            "luck_evaluator": evaluator,
            "variance_reduction": True,
            "cubeless": True,
        }
        rollout = Rollout(plays, evaluator, RolloutOptions(trials=72, seed=seed, **options))
        list(rollout.play())
        halves = rollout.half_equities()
        errors.append([rollout_error("play", str(play), halves) for play in plays])
        equities = {estimate.name: estimate.equity for estimate in rollout.result().estimates}
        errors_of_maximum.append([max(equities.values()) - equities[str(play)] for play in plays])
    halves_bias, maximum_bias = (
        (np.mean(sample, axis=0) - true_errors) / np.std(sample, axis=0, ddof=1) * len(sample) ** 0.5
        for sample in (errors, errors_of_maximum)
    )
    assert np.abs(halves_bias).max() < 1.96
    assert maximum_bias[true_errors.round(4) == 0].min() > 5


def test_halves_are_whole_groups_of_quasi_random_trials() -> None:
    for trials, first in ((144, [*range(36), *range(72, 108)]), (5, [0, 2, 4])):
        rollout = Rollout(Position.start(), PipCount(), RolloutOptions(trials=trials, cubeless=True))
        list(rollout.play())
        points = np.concatenate([block.points for block in rollout._blocks], axis=1)[0]
        name, second = rollout.result().best.name, np.setdiff1d(np.arange(trials), first)
        assert rollout.half_equities() == ({name: points[first].mean()}, {name: points[second].mean()})
