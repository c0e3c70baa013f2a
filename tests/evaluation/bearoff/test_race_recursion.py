"""Races by recursion over one-sided plays, compared with a slow recursion and with exact tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bgfast import ROLL_WEIGHTS, Decision, Position
from bgfast.evaluation.bearoff import databases
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.bearoff.cube_tables import Race, money_tables, race_sides
from tests.support.bearing_off import (
    EMPTY,
    Game,
    Side,
    all_sides,
    board_of,
    double_equities,
    mean,
    no_double,
    number_of_side,
    plays_of,
    rolls_needed,
)

SIDE_7: Side = (5, 2, 0, 0, 0, 0)
SIDE_8: Side = (7, 0, 1, 0, 0, 0)
FIVE_ROLLS = Decision.read("XGID=-J----------------------j-:1:1:1:00:0:0:0:0:10")
GAMES = [
    Game((2, 4)),
    Game((5, 3), cube=2, owner=1),
    Game((4, 1)),  # the trailer is on roll after the Crawford game
    Game((1, 4)),
    Game((3, 5), cube=2, owner=-1),
    Game((1, 3), crawford=True),
]


@cache
def sides_by_number() -> dict[int, Side]:
    return {number_of_side(side): side for side in all_sides(8)}


@cache
def best_plays_of(side: Side) -> tuple[tuple[int, Side], ...]:
    """Return the weight of each roll and the side after its best play; a test below checks the plays."""
    after = databases.one_sided_plays()[number_of_side(side)].tolist()
    return tuple(
        (weight, sides_by_number()[number]) for weight, number in zip(ROLL_WEIGHTS, after, strict=True)
    )


@cache
def race_turn(mover: Side, opponent: Side, game: Game, exact_checkers: int) -> float:
    """Return the equity at the beginning of a turn if each side minimises its expected rolls."""
    if opponent == EMPTY:
        return game.equity_after(-game.cube)
    roll_equity = race_no_double(mover, opponent, game, exact_checkers)
    if not game.may_double():
        return roll_equity
    take_equity = race_no_double(mover, opponent, game._replace(cube=2 * game.cube, owner=-1), exact_checkers)
    return max(roll_equity, min(take_equity, game.equity_after(game.cube)))


@cache
def race_no_double(mover: Side, opponent: Side, game: Game, exact_checkers: int) -> float:
    """Return the equity of rolling, with exact plays if no side has more than `exact_checkers` checkers."""
    if opponent != EMPTY and max(sum(mover), sum(opponent)) <= exact_checkers:
        return no_double(mover, opponent, game)
    total = sum(
        weight * game.flip(race_turn(opponent, play, game.flip_sides(), exact_checkers))
        for weight, play in best_plays_of(mover)
    )
    return total / 36


def decision_of(mover: Side, opponent: Side, **fields: object) -> Decision:
    return replace(Decision(position=Position.from_array(board_of(mover, opponent))), **fields)


def test_the_side_after_a_roll_has_the_smallest_mean() -> None:
    for side in all_sides(3)[1:]:
        for (_, plays), (_, best_side) in zip(plays_of(side), best_plays_of(side), strict=True):
            assert best_side in plays
            assert mean(rolls_needed(best_side)) == min(mean(rolls_needed(play)) for play in plays)


def test_race_sides_are_the_sides_that_plays_reach() -> None:
    reachable_sides = {SIDE_7}
    for side in (pending_sides := [SIDE_7]):
        pending_sides += {after for _, after in best_plays_of(side) if side != EMPTY} - reachable_sides
        reachable_sides |= set(pending_sides)
    assert race_sides(number_of_side(SIDE_7)).numbers.tolist() == sorted(map(number_of_side, reachable_sides))


@pytest.mark.parametrize("game", GAMES)
def test_matches_agree_with_the_recursion(game: Game) -> None:
    cubes = [game.cube * 2**level for level in range(1 if game.crawford else 4)]
    stakes = np.array([(game.equity_after(cube), game.equity_after(-cube)) for cube in cubes])
    for mover, opponent in ((SIDE_7, SIDE_8), (SIDE_8, (2, 1, 0, 0, 0, 1))):
        race = Race.of(number_of_side(mover), number_of_side(opponent), stakes, game.owner)
        roll_equity, take_equity = race.equities(None, 0)
        assert roll_equity == pytest.approx(race_no_double(mover, opponent, game, 0), abs=1e-12)
        if len(stakes) > 1:
            doubled_game = game._replace(cube=2 * game.cube, owner=-1)
            assert take_equity == pytest.approx(race_no_double(mover, opponent, doubled_game, 0), abs=1e-12)


def test_money_play_agrees_with_the_recursion_and_uses_exact_tables() -> None:
    """Tables of up to two checkers, small enough for the slow recursion, replace the exact tables."""
    side_count = databases.number_of_sides(2)
    for owner in (1, 0, -1):
        race = Race.of(number_of_side(SIDE_7), number_of_side(SIDE_8), None, owner)

        def exact_equities(on_roll: np.ndarray, waiting: np.ndarray) -> np.ndarray:
            pairs = np.stack(np.broadcast_arrays(on_roll, waiting), axis=-1)
            side_at = sides_by_number().__getitem__
            values = [
                [
                    race_turn(*map(side_at, pair), Game(owner=owner), 2) if pair[0] else 0.0
                    for pair in pairs.reshape(-1, 2).tolist()
                ]
                for owner in (-1, 1, 0)
            ]
            return np.array(values).reshape(3, *pairs.shape[:2])

        for tables, checkers in ((None, 0), (exact_equities, 2)):
            roll_equity, take_equity = race.equities(tables, side_count)
            expected = race_no_double(SIDE_7, SIDE_8, Game(owner=owner), checkers)
            assert roll_equity == pytest.approx(expected, abs=1e-12)
            expected = race_no_double(SIDE_7, SIDE_8, Game(cube=2, owner=-1), checkers)
            assert take_equity == pytest.approx(expected, abs=1e-12)


def test_races_on_the_ace_point_are_exact(bearoff: Bearoff) -> None:
    """With all checkers on point 1 every roll has a single play."""
    for checkers, redouble_equity, roll_equity in ((10, 0.7269, 0.7534), (12, 0.5887, 0.6519)):
        side: Side = (checkers, 0, 0, 0, 0, 0)
        for owner, cube in ((1, 2), (0, 1)):
            actions = bearoff.race_actions(decision_of(side, side, cube=cube, cube_owner=owner))
            assert actions is not None
            game = Game(owner=owner)
            expected = no_double(side, side, game), *double_equities(side, side, game)
            actual = (actions.no_double[0], actions.double_take[0], actions.double_drop[0])
            assert actual == pytest.approx(expected, abs=1e-12)
            assert actions.redouble == (owner == 1)
            if owner == 1:
                assert (round(actual[0], 4), round(actual[1], 4)) == (roll_equity, redouble_equity)


def test_errors_against_exact_tables_are_small(bearoff: Bearoff) -> None:
    """Compare races of six checkers per side, which use tables for up to five, with exact equities."""
    tables = money_tables(bearoff.cube_database.arrays)
    sides = [side for side in all_sides(6) if sum(side) == 6]
    for seed in range(2):
        pairs = [
            (sides[mover], sides[opponent])
            for mover, opponent in np.random.default_rng(seed).integers(len(sides), size=(100, 2))
        ]
        expected = bearoff.doubling_equities([board_of(*pair) for pair in pairs])[:, 1:3]
        equities = [
            Race.of(*map(number_of_side, pair), None, 0).equities(
                lambda on_roll, waiting: tables.equities(on_roll, waiting).at_start(),
                databases.number_of_sides(5),
            )
            for pair in pairs
        ]
        errors = np.abs(np.array(equities) - expected)
        assert (errors.mean(axis=0) < [0.001, 0.004]).all()
        assert (errors.max(axis=0) < [0.03, 0.06]).all()
        assert (errors.max(axis=0) > 0.001).all()  # exact plays take risks that the recursion ignores


def test_equities_are_the_same_for_both_players(bearoff: Bearoff) -> None:
    fields = {"match_length": 7, "score": (2, 4), "cube": 2, "cube_owner": 1}
    actions = [bearoff.race_actions(decision_of(SIDE_7, SIDE_8, turn=turn, **fields)) for turn in (1, -1)]
    assert actions[0] == actions[1]


def test_waiting_never_gains_where_a_loss_loses_the_match(bearoff: Bearoff) -> None:
    for away in range(2, 8):
        for pair in ((SIDE_7, SIDE_8), (SIDE_8, SIDE_7)):
            actions = bearoff.race_actions(decision_of(*pair, match_length=9, score=(9 - away, 8)))
            assert actions is not None
            assert (actions.no_double <= actions.double_take + 1e-12).all()


def test_uncovered_positions_have_no_recursion(bearoff: Bearoff) -> None:
    position = Position.from_array([0, 9, 0, 0, 0, 0, 0, 1, *[0] * 16, -10, 0])
    assert bearoff.race_actions(Decision(position=position)) is None
    assert bearoff.race_actions(Decision(position=Position.start())) is None
    # The mover may lose a gammon, or win one.
    full_side: Side = (0, 0, 0, 0, 8, 7)
    assert bearoff.race_actions(decision_of(full_side, (3, 0, 0, 0, 0, 0))) is None
    assert bearoff.race_actions(decision_of((3, 0, 0, 0, 0, 0), full_side)) is None
    race = Race.of(number_of_side((10, 0, 0, 0, 0, 0)), number_of_side((10, 0, 0, 0, 0, 0)), None, 1)
    assert race.size == 4 * 6 * 6  # each player may own the cube or not
    assert bearoff.race_actions(FIVE_ROLLS, max_values=race.size) is not None
    assert bearoff.race_actions(FIVE_ROLLS, max_values=race.size - 1) is None


def test_beavers_double_the_take_and_limits_kill_the_cube(bearoff: Bearoff) -> None:
    pair: tuple[Side, Side] = ((8, 0, 0, 0, 0, 0), (10, 0, 0, 0, 0, 0))
    beaver_actions = bearoff.race_actions(decision_of(*pair, beaver=True))
    assert beaver_actions is not None
    assert beaver_actions.double_beaver == pytest.approx(2 * beaver_actions.double_take)
    limited_actions = bearoff.race_actions(decision_of(*pair, max_cube=2))
    # With a maximum of 2 the cube is dead after the double.
    win = bearoff([board_of(*pair)])[0, 0]
    assert limited_actions is not None
    assert limited_actions.double_take == pytest.approx(2 * (2 * win - 1))
