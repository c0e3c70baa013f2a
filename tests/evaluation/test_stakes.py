"""Stakes of a game, and cubeful values of a single row of probabilities."""

from __future__ import annotations

import pickle

import pytest

from bgfast import Decision, Position
from bgfast.evaluation._cubeful import CubeStakes
from bgfast.evaluation.stakes import stakes_of

PROBABILITIES = [0.5, 0.12, 0.01, 0.14, 0.01]


def make_stakes(**fields: object) -> CubeStakes:
    return stakes_of(Decision(position=Position.start(), **fields))  # type: ignore[arg-type]


def test_stakes_can_be_pickled() -> None:
    for fields in (
        {},
        {"jacoby": True},
        {"beaver": True, "cube": 2, "cube_owner": -1},
        {"max_cube": 8},
        {"match_length": 7},
    ):
        base = make_stakes(**fields)
        for stakes in (base, base.flip(), base.after_double() if base.may_double else base):
            restored = pickle.loads(pickle.dumps(stakes))
            assert restored.__reduce__()[1][1:] == stakes.__reduce__()[1][1:]
            assert (restored.may_double, restored.may_beaver) == (stakes.may_double, stakes.may_beaver)
            for x in (0.0, 0.6):
                assert restored.value(PROBABILITIES, x) == stakes.value(PROBABILITIES, x)
                if stakes.may_double:
                    assert restored.double_take(PROBABILITIES, x) == stakes.double_take(PROBABILITIES, x)


def test_under_the_jacoby_rule_gammons_count_only_after_a_double() -> None:
    gammon_win = [1.0, 1.0, 0, 0, 0]
    assert make_stakes(jacoby=True).value(gammon_win, 0.7) == 1
    assert make_stakes(jacoby=True).double_take(gammon_win, 0.7) == 4
    assert make_stakes(jacoby=True, cube=2, cube_owner=1).value(gammon_win, 0.7) == 2
    assert make_stakes(jacoby=True).of_points(-3) == -1
    assert make_stakes().of_points(-3) == -3


def test_number_of_doubles_by_points_needed() -> None:
    # The players double in turn until the cube is dead; a cube at 4 is dead at 4-away but not at 5-away.
    for need, expected in ((4, 2), (5, 3), (8, 3), (9, 4)):
        stakes, count = make_stakes(match_length=need), 0
        while stakes.may_double:
            stakes, count = stakes.after_double().flip(), count + 1
        assert count == expected


def test_values_of_both_sides_sum_to_a_constant() -> None:
    opponent_row = [0.5, 0.14, 0.01, 0.12, 0.01]
    for fields in ({}, {"cube_owner": 1}, {"match_length": 7, "score": (0, 4), "cube": 2, "cube_owner": -1}):
        stakes = make_stakes(**fields)
        total = 1 if stakes.is_match else 0
        assert stakes.flip().owner == -stakes.owner
        opponent_value = stakes.flip().value(opponent_row, 0.6)
        assert opponent_value == pytest.approx(total - stakes.value(PROBABILITIES, 0.6))
        assert stakes.normalize(stakes.denormalize(0.3)) == pytest.approx(0.3)
