"""Stakes of a game, and cubeful values of a single row of probabilities."""

from __future__ import annotations

import pickle

import pytest

from bgfast import Decision, Position
from bgfast.cube import MatchEquityTable
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.stakes import stakes_of

MET = MatchEquityTable.builtin()
MIDDLE = [0.5, 0.12, 0.01, 0.14, 0.01]


def decision(**fields: object) -> Decision:
    return Decision(position=Position.start(), **fields)  # type: ignore[arg-type]


def stakes(**fields: object) -> CubeStakes:
    return stakes_of(decision(**fields))


def without_gammons(win: float) -> list[float]:
    """Return probabilities without gammons."""
    return [win, 0, 0, 0, 0]


def test_stakes_can_be_pickled() -> None:
    for fields in (
        {},
        {"jacoby": True},
        {"beaver": True, "cube": 2, "cube_owner": -1},
        {"max_cube": 8},
        {"match_length": 7},
    ):
        held = stakes(**fields)
        for game in (held, held.flipped(), held.doubled() if held.may_double else held):
            restored = pickle.loads(pickle.dumps(game))
            assert restored.__reduce__()[1][1:] == game.__reduce__()[1][1:]
            assert (restored.may_double, restored.may_beaver) == (game.may_double, game.may_beaver)
            for x in (0.0, 0.6):
                assert restored.value(MIDDLE, x) == game.value(MIDDLE, x)
                if game.may_double:
                    assert restored.double_take(MIDDLE, x) == game.double_take(MIDDLE, x)


def test_money_anchors_without_gammons() -> None:
    owned, centred, unavailable = (stakes(cube_owner=owner) for owner in (1, 0, -1))
    values = [game.value(without_gammons(0.5), 1.0) for game in (owned, centred, unavailable)]
    assert values == pytest.approx([0.25, 0, -0.25])
    assert centred.value(without_gammons(0.2), 1.0) == pytest.approx(-1)
    assert centred.value(without_gammons(0.8), 1.0) == pytest.approx(1)
    assert owned.value(without_gammons(0.8), 1.0) == pytest.approx(1)
    for game in (owned, centred, unavailable):
        dead = game.dead_value(without_gammons(0.7))
        assert game.value(without_gammons(0.7), 0.0) == dead == pytest.approx(0.4)
    # At the live take point a take equals a pass.
    assert centred.double_take(without_gammons(0.8), 1.0) == pytest.approx(1) == centred.double_drop


def test_a_gammon_in_every_win_moves_the_take_point_to_a_seventh() -> None:
    # W = 2, L = 1: the opponent, who loses gammons, takes down to 2 of 7 live; the mover to 1 of 7.
    centred = stakes()
    assert centred.value([1 / 7, 1 / 7, 0, 0, 0], 1.0) == pytest.approx(-1)
    assert centred.value([4 / 7, 4 / 7, 0, 0, 0], 1.0) == pytest.approx(1)


def test_under_the_jacoby_rule_gammons_count_once_the_cube_is_turned() -> None:
    won = [1.0, 1.0, 0, 0, 0]
    assert stakes(jacoby=True).value(won, 0.7) == 1
    assert stakes(jacoby=True).double_take(won, 0.7) == 4
    assert stakes(jacoby=True, cube=2, cube_owner=1).value(won, 0.7) == 2
    assert stakes(jacoby=True).of_points(-3) == -1
    assert stakes().of_points(-3) == -3


def test_a_bad_double_is_beavered_and_a_beaver_passed() -> None:
    losing = without_gammons(0.4)
    once = stakes().double_take(losing, 0.6)
    assert once < 0
    assert stakes(beaver=True).double_take(losing, 0.6) == pytest.approx(2 * once)
    assert stakes(beaver=True).double_take(without_gammons(0.01), 0.6) == -2
    # No beaver is possible if the double reaches the cube limit.
    assert stakes(beaver=True, max_cube=2).double_take(losing, 0.6) == stakes(max_cube=2).double_take(
        losing, 0.6
    )


def test_the_cube_limit_affects_all_levels() -> None:
    assert not stakes(cube=64, cube_owner=1, max_cube=64).may_double
    assert stakes(cube=64, cube_owner=1, max_cube=64).value(without_gammons(0.6), 1.0) == pytest.approx(0.2)
    # One doubling left: the opponent of a redouble takes down to 25 %.
    assert stakes(cube=32, cube_owner=1, max_cube=64).value(without_gammons(0.75), 1.0) == pytest.approx(1)
    # Ten levels are as good as no limit.
    limited, endless = stakes(max_cube=2**9), stakes()
    assert limited.value(MIDDLE, 1.0) == pytest.approx(endless.value(MIDDLE, 1.0), abs=1e-4)


def test_match_values_are_those_of_the_table() -> None:
    game = stakes(match_length=7, score=(2, 4))
    assert [game.of_points(points) for points in (1, 2, 3, -1, -2, -3)] == [
        MET(4, 3), MET(3, 3), MET(2, 3), MET(5, 2), MET(5, 1), 0
    ]  # fmt: skip
    doubled = game.doubled()
    assert [doubled.of_points(points) for points in (1, 2, -1, -2)] == [MET(3, 3), MET(1, 3), MET(5, 1), 0]
    assert doubled.owner == -1


def test_at_double_match_point_only_winning_counts() -> None:
    game = stakes(match_length=1)
    assert not game.may_double
    assert game.value(MIDDLE, 0.7) == 0.5
    assert game.normalized(game.value([0.7, 0.3, 0.1, 0.1, 0], 0.7)) == pytest.approx(0.4)


def test_doubles_that_the_rules_forbid() -> None:
    assert not stakes(cube_owner=-1).may_double
    assert not stakes(match_length=5, score=(4, 1), crawford=True).may_double
    assert not stakes(match_length=5, score=(1, 4), crawford=True).may_double
    assert not stakes(match_length=5, score=(4, 1)).may_double  # wins the match anyway
    assert stakes(match_length=5, score=(1, 4)).may_double
    assert stakes(match_length=25, score=(5, 5), cube=16, cube_owner=1).may_double
    assert not stakes(match_length=25, score=(5, 5), cube=32, cube_owner=1).may_double
    # The opponent, who needs more, still may.
    assert stakes(match_length=5, score=(4, 1)).flipped().may_double


def test_number_of_doubles_by_points_needed() -> None:
    # The owner on roll doubles every time; 5 points exceed a cube of 4.
    for needs, doubles in ((4, 2), (5, 3), (8, 3), (9, 4)):
        game, turned = stakes(match_length=needs), 0
        while game.may_double:
            game, turned = game.doubled().flipped(), turned + 1
        assert turned == doubles


def test_a_cube_that_covers_what_both_need_is_dead() -> None:
    game = stakes(match_length=20, score=(0, 0), cube=64)
    assert game.value(MIDDLE, 1.0) == 0.5


def test_the_other_side_of_a_game() -> None:
    flipped = [0.5, 0.14, 0.01, 0.12, 0.01]
    for fields in ({}, {"cube_owner": 1}, {"match_length": 7, "score": (0, 4), "cube": 2, "cube_owner": -1}):
        game = stakes(**fields)
        whole = 1 if game.is_match else 0
        assert game.flipped().owner == -game.owner
        assert game.flipped().value(flipped, 0.6) == pytest.approx(whole - game.value(MIDDLE, 0.6))
        assert game.normalized(game.denormalized(0.3)) == pytest.approx(0.3)


def test_after_crawford_the_trailer_doubles_at_once() -> None:
    # At 2-away a double risks nothing: the trailer loses the match at either cube.
    for win in (0.2, 0.5, 0.7):
        game = stakes(match_length=5, score=(1, 4))
        assert game.double_take(without_gammons(win), 0.6) >= game.dead_value(without_gammons(win)) - 1e-9
