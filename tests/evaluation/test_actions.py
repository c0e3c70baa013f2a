"""Cube actions: wording, costs, and well-known actions at match scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bgfast import Decision, Position
from bgfast.cube import cube_actions
from bgfast.evaluation.actions import proper_actions
from bgfast.evaluation.stakes import stakes_of

MONEY = Decision(position=Position.start())


@pytest.mark.parametrize(
    ("no_double", "take", "drop", "beaver", "words"),
    [
        (0.3, 0.2, 1, np.nan, "No double, take"),
        (0.3, 0.4, 1, np.nan, "Double, take"),
        (0.8, 1.2, 1, np.nan, "Double, drop"),
        (1.1, 1.2, 1, np.nan, "Too good to double, drop"),
        (1.1, 0.9, 1, np.nan, "Too good to double, take"),
        (0.4, 0.4, 1, np.nan, "Optional double, take"),
        (1.0, 1.4, 1, np.nan, "Double, drop"),
        (1.0000005, 1.4, 1, np.nan, "Optional double, drop"),
        (-0.1, -0.2, 1, -0.4, "No double, beaver"),
        (-0.3, -0.1, 1, -0.2, "Double, beaver"),
        (0.3, 1.0, 1, np.nan, "Double, take"),
        (0.3, np.nan, np.nan, np.nan, "Cube not available"),
    ],
)
def test_actions_and_words(no_double: float, take: float, drop: float, beaver: float, words: str) -> None:
    actions = proper_actions(no_double, take, drop, beaver)
    assert actions.words == words
    redouble_words = words.replace("double", "redouble").replace("Double", "Redouble")
    assert proper_actions(no_double, take, drop, beaver, redouble=True).words == redouble_words
    assert actions.answers in words or words == "Cube not available"
    assert actions.doubles is words.startswith(("Double", "Optional"))


def test_costs_are_differences_from_the_proper_action() -> None:
    actions = proper_actions([0.3, 0.8, 1.1, -0.3], [0.4, 1.2, 1.2, -0.1], 1, [0.8, 2.4, 2.4, -0.2])
    assert actions.words.tolist() == [
        "Double, take", "Double, drop", "Too good to double, drop", "Double, beaver"
    ]  # fmt: skip
    np.testing.assert_allclose(actions.best, [0.4, 1, 1.1, -0.2])
    np.testing.assert_allclose(actions.cost_no_double, [0.1, 0.2, 0, 0.1])
    np.testing.assert_allclose(actions.cost_double, [0, 0, 0.1, 0], atol=1e-15)
    np.testing.assert_allclose(actions.cost_take, [0, 0.2, 0.2, 0.1])
    np.testing.assert_allclose(actions.cost_drop, [0.6, 0, 0, 1.2])
    np.testing.assert_allclose(actions.cost_beaver, [0.4, 1.4, 1.4, 0])


def test_an_unavailable_cube_has_no_costs() -> None:
    decision = replace(MONEY, match_length=5, score=(2, 4), crawford=True)
    actions = cube_actions([0.9, 0.2, 0, 0, 0], decision)
    assert not actions.available
    assert actions.words == "Cube not available"
    assert actions.best == actions.no_double
    assert actions.cost_no_double == 0
    assert np.isnan(actions.cost_double)
    assert not actions.doubles


def test_jacoby_turns_too_good_into_a_double() -> None:
    probabilities = [0.8, 0.6, 0, 0.02, 0]
    assert cube_actions(probabilities, MONEY).words == "Too good to double, drop"
    assert cube_actions(probabilities, replace(MONEY, jacoby=True)).words == "Double, drop"


def test_after_crawford_the_trailer_doubles_and_the_leader_has_free_drops() -> None:
    for away in range(2, 10):
        decision = replace(MONEY, match_length=15, score=(15 - away, 14))
        rows = [[win, 0.2 * win, 0, 0.2 * (1 - win), 0] for win in (0.02, 0.3, 0.5)]
        actions = cube_actions(rows, decision, efficiency=0.68)
        assert actions.doubles.all()
        assert not cube_actions(rows, replace(decision, score=(14, 15 - away))).doubles.any()
        # Free drop: if the trailer needs an even number of points, a drop costs the leader nothing.
        favourite_actions = cube_actions([0.56, 0.145, 0, 0.1, 0], decision, efficiency=0.68)
        assert favourite_actions.answers == ("drop" if away % 2 == 0 else "take")


@pytest.mark.parametrize("efficiency", [0, 0.68, 1, None])
def test_waiting_never_gains_where_a_loss_loses_the_match(efficiency: float | None) -> None:
    rng = np.random.default_rng(0)
    win, rate, lost_rate = rng.random((3, 500))
    rows = np.column_stack((win, win * rate, win * rate**3, (1 - win) * lost_rate, (1 - win) * lost_rate**3))
    free_count = too_good_count = 0
    for away in range(2, 12):
        for opponent_away, cube, owner in ((1, 1, 0), (1, 2, 1), (2, 2, 1), (3, 4, 1), (4, 4, 1), (5, 4, 1)):
            score = (25 - away, 25 - opponent_away)
            decision = replace(MONEY, match_length=25, score=score, cube=cube, cube_owner=owner)
            actions = cube_actions(rows, decision, efficiency=efficiency)
            is_free = away > cube >= opponent_away
            assert stakes_of(decision).may_double_freely == is_free
            if is_free:
                free_count += 1
                assert (actions.no_double <= actions.double_take + 1e-12).all()
                too_good_count += np.count_nonzero(actions.no_double > actions.double_drop + 1e-3)
            elif actions.available:
                assert (actions.no_double > actions.double_take + 1e-3).any()
    assert free_count == 42
    assert too_good_count > 0


def test_match_winning_chances_are_not_normalized() -> None:
    decision = replace(MONEY, match_length=7, score=(5, 3))
    actions = cube_actions([0.7, 0.1, 0, 0.1, 0], decision, mwc=True)
    assert not actions.normalized
    assert actions.double_drop == 0.81436
