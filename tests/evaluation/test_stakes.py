"""Stakes of a game, and cubeful values of a single row of probabilities."""

from __future__ import annotations

import pickle

import pytest

from bgfast import Decision, Position
from bgfast.evaluation._cubeful import CubeStakes
from bgfast.evaluation.stakes import stakes_of

PROBABILITIES = [0.5, 0.12, 0.01, 0.14, 0.01]


def decision(**fields: object) -> Decision:
    return Decision(position=Position.start(), **fields)  # type: ignore[arg-type]


def stakes(**fields: object) -> CubeStakes:
    return stakes_of(decision(**fields))


def test_stakes_can_be_pickled() -> None:
    for fields in (
        {},
        {"jacoby": True},
        {"beaver": True, "cube": 2, "cube_owner": -1},
        {"max_cube": 8},
        {"match_length": 7},
    ):
        original = stakes(**fields)
        for game in (original, original.flip(), original.after_double() if original.may_double else original):
            restored = pickle.loads(pickle.dumps(game))
            assert restored.__reduce__()[1][1:] == game.__reduce__()[1][1:]
            assert (restored.may_double, restored.may_beaver) == (game.may_double, game.may_beaver)
            for x in (0.0, 0.6):
                assert restored.value(PROBABILITIES, x) == game.value(PROBABILITIES, x)
                if game.may_double:
                    assert restored.double_take(PROBABILITIES, x) == game.double_take(PROBABILITIES, x)


def test_under_the_jacoby_rule_gammons_count_once_the_cube_is_turned() -> None:
    won = [1.0, 1.0, 0, 0, 0]
    assert stakes(jacoby=True).value(won, 0.7) == 1
    assert stakes(jacoby=True).double_take(won, 0.7) == 4
    assert stakes(jacoby=True, cube=2, cube_owner=1).value(won, 0.7) == 2
    assert stakes(jacoby=True).of_points(-3) == -1
    assert stakes().of_points(-3) == -3


def test_number_of_doubles_by_points_needed() -> None:
    # The owner on roll doubles every time; 5 points exceed a cube of 4.
    for needs, doubles in ((4, 2), (5, 3), (8, 3), (9, 4)):
        game, count = stakes(match_length=needs), 0
        while game.may_double:
            game, count = game.after_double().flip(), count + 1
        assert count == doubles


def test_the_other_side_of_a_game() -> None:
    flipped = [0.5, 0.14, 0.01, 0.12, 0.01]
    for fields in ({}, {"cube_owner": 1}, {"match_length": 7, "score": (0, 4), "cube": 2, "cube_owner": -1}):
        game = stakes(**fields)
        total = 1 if game.is_match else 0
        assert game.flip().owner == -game.owner
        assert game.flip().value(flipped, 0.6) == pytest.approx(total - game.value(PROBABILITIES, 0.6))
        assert game.normalize(game.denormalize(0.3)) == pytest.approx(0.3)
