"""Cube evaluation in the core, compared with a slow reference at random scores and cube values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from bgfast import Decision, Position
from bgfast.cube import cube_actions, cube_points
from bgfast.evaluation.stakes import stakes_of
from tests.support.reference_cube import KAZAROSS, Game, Match, Money, decide, decisive_points, emg, equity

OWNERS = {"centred": 0, "owned": 1, "unavailable": -1}
START = Position.start()


def random_probabilities(rng: random.Random) -> list[float]:
    """Return random probabilities, some of which are zero or have their maximum value."""
    win = rng.choice((rng.random(), rng.random(), rng.random(), 0.0, 1.0))
    row = [win]
    for outcome in (win, 1 - win):
        gammons = outcome * rng.choice((0.0, 1.0, rng.random(), rng.random() * 0.4))
        row += [gammons, gammons * rng.choice((0.0, 1.0, rng.random() * 0.3))]
    return row


def random_money(rng: random.Random) -> tuple[Game, dict[str, Any], int]:
    jacoby, beavers = rng.random() < 0.5, rng.random() < 0.5
    cube, limit = 2 ** rng.randrange(4), rng.choice((0, 0, 8, 16, 64))
    fields = {"jacoby": jacoby, "beaver": beavers, "cube": cube, "max_cube": limit or 1024}
    return Money(jacoby, beavers, limit), fields, cube


def random_match(rng: random.Random) -> tuple[Game, dict[str, Any], int]:
    length = rng.choice((2, 3, 5, 7, 9, 13, 25))
    away = rng.randint(1, length), rng.randint(1, length)
    crawford = "before"
    if (1 in away) and max(away) > 1:
        crawford = rng.choice(("now", "after"))
    limit = rng.choice((0, 0, 0, 4))
    cube = 1 if crawford == "now" else 2 ** rng.choice((0, 0, 0, 1, 1, 2, 3))
    cube = min(cube, limit or cube)
    fields = {
        "match_length": length,
        "score": (length - away[0], length - away[1]),
        "crawford": crawford == "now",
        "cube": cube,
        "max_cube": limit or 1024,
    }
    return Match(KAZAROSS, away, crawford, limit), fields, cube


@pytest.mark.parametrize("make_game", [random_money, random_match])
def test_equities_equal_the_reference(make_game: Any) -> None:
    rng = random.Random(make_game.__name__)
    for _ in range(20 if make_game is random_money else 120):
        game, fields, cube = make_game(rng)
        owner = "centred" if cube == 1 else rng.choice(tuple(OWNERS))
        row, x = random_probabilities(rng), rng.choice((0.0, 1.0, rng.random()))
        stakes = stakes_of(Decision(position=START, cube_owner=OWNERS[owner], **fields))
        unit = cube if isinstance(game, Money) else 1
        case = f"{game!r}, {fields}, {owner}, {row}, {x}"
        expected_equity = equity(game, row, cube, owner, x)
        assert stakes.value(row, x) * unit == pytest.approx(expected_equity, abs=1e-9), case
        expected = decide(game, row, cube, owner, x)
        assert stakes.may_double == (expected.action != "no cube"), case
        assert stakes.double_drop * unit == pytest.approx(expected.double_drop, abs=1e-12), case
        if stakes.may_double:
            assert stakes.double_take(row, x) * unit == pytest.approx(expected.take_value, abs=1e-9), case
        if isinstance(game, Match):
            assert stakes.normalize(0.4) == pytest.approx(emg(game, 0.4, cube), abs=1e-9), case


def test_near_the_limit_a_beaver_can_be_correct_against_a_favourite() -> None:
    """The next double makes the cube dead; without a limit a beaver would double the take's equity."""
    row, x = [0.72, 0.03, 0.0, 0.28, 0.06], 0.67
    expected = decide(Money(beavers=True, limit=8), row, 1, "centred", x)
    assert expected.double_beaver is not None
    assert expected.double_beaver < -0.2 < 0 < expected.double_take
    stakes = stakes_of(Decision(position=START, beaver=True, max_cube=8))
    assert stakes.double_take(row, x) == pytest.approx(expected.double_beaver, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_actions_of_arrays_equal_the_reference(seed: int) -> None:
    rng = random.Random(f"actions {seed}")
    game, fields, cube = random_match(rng) if seed % 4 else random_money(rng)
    owner = "centred" if cube == 1 else rng.choice(("owned", "owned", "unavailable"))
    rows = [random_probabilities(rng) for _ in range(20 if seed % 4 else 6)]
    efficiencies = [rng.random() for _ in rows]
    decision = Decision(position=START, cube_owner=OWNERS[owner], **fields)
    actions = cube_actions(rows, decision, efficiency=efficiencies, mwc=isinstance(game, Match))
    unit = cube if isinstance(game, Money) else 1
    for index, (row, x) in enumerate(zip(rows, efficiencies, strict=True)):
        case = f"{game!r}, {fields}, {owner}, {row}, {x}"
        expected = decide(game, row, cube, owner, x)
        assert actions.no_double[index] * unit == pytest.approx(expected.no_double, abs=1e-9), case
        if expected.action == "no cube":
            assert actions.words[index] == "Cube not available", case
            assert np.isnan(actions.double_take[index]), case
            continue
        assert actions.double_take[index] * unit == pytest.approx(expected.double_take, abs=1e-9), case
        assert actions.double_drop[index] * unit == pytest.approx(expected.double_drop, abs=1e-9), case
        assert np.isnan(actions.double_beaver[index]) == (expected.double_beaver is None), case
        costs = (
            actions.cost_no_double,
            actions.cost_double,
            np.fmin(actions.cost_take, actions.cost_beaver),
            actions.cost_drop,
        )
        assert [cost[index] * unit for cost in costs] == pytest.approx(expected.costs(), abs=1e-9), case
        # Optional doubles, which have a tolerance of a millionth, and ties between answers are skipped.
        gain = abs(expected.no_double - min(expected.take_value, expected.double_drop))
        if min(gain, sum(expected.costs()[2:])) > 2e-6:
            assert actions.words[index].lower() == expected.action, case


@pytest.mark.parametrize("seed", range(5))
def test_cube_points_equal_the_reference(seed: int) -> None:
    rng = random.Random(f"points {seed}")
    game, fields, cube = random_match(rng) if seed % 3 else (Money(), {"cube": 4}, 4)
    owner = "centred" if cube == 1 else "owned"
    row, x = random_probabilities(rng), rng.random()
    decision = Decision(position=START, cube_owner=OWNERS[owner], **fields)
    points = cube_points(row, decision, efficiency=x)
    expected = decisive_points(game, row, cube, owner, x)
    if owner == "centred" and stakes_of(decision).flip().may_double:
        assert points.take == pytest.approx(expected["take"], abs=1e-9)
    assert points.double == pytest.approx(expected["double"], abs=1e-9)
    assert points.cash == pytest.approx(expected["cash"], abs=1e-9)
    assert np.nan_to_num(points.too_good, nan=1.0) == pytest.approx(expected["too good"], abs=1e-9)
