"""Cube points: take, double, cash and too good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bgfast import Decision, Position
from bgfast.cube import cube_actions, cube_points

MONEY = Decision(position=Position.start())
NO_GAMMONS = [0.5, 0, 0, 0, 0]


def test_actions_change_at_the_cube_points() -> None:
    # At 2-away, 4-away all doubles lie between two breakpoints of the equity curves.
    for fields in ({}, {"jacoby": True, "beaver": True}, {"match_length": 4, "score": (2, 0)}):
        decision = replace(MONEY, **fields)
        win = np.linspace(0.002, 0.998, 499)
        for gammons, lost_gammons in ((0, 0), (0.3, 0.2), (0.5, 0.1)):
            rows = np.column_stack((win, gammons * win, 0 * win, lost_gammons * (1 - win), 0 * win))
            _, double, cash, too_good = np.nan_to_num(cube_points(rows, decision, efficiency=0.68), nan=2)
            actions = cube_actions(rows, decision, efficiency=0.68)
            np.testing.assert_array_equal(actions.answers == "drop", win > cash)
            np.testing.assert_array_equal(actions.doubles, (win > double) & (win < too_good))


def test_two_actions_have_equal_equities_at_a_cube_point() -> None:
    rng = np.random.default_rng(0)
    for trial in range(100):
        jacoby, beaver, owner = (int(bit) for bit in rng.integers(0, (2, 2, 2)))
        limit = int(rng.choice([2, 4, 16, 1024]))
        money = replace(MONEY, jacoby=bool(jacoby), beaver=bool(beaver), cube_owner=owner, max_cube=limit)
        match = replace(MONEY, match_length=9, score=tuple(rng.integers(0, 8, 2).tolist()), cube_owner=owner)
        decision = match if trial % 3 == 0 else money
        row = [0.5, *(0.5 * rng.random() * np.array([1, 0.2])), *(0.5 * rng.random() * np.array([1, 0.2]))]
        efficiency = float(rng.choice([0, rng.random(), 1]))
        points = cube_points(row, decision, efficiency=efficiency)
        for point, attribute in ((points.double, "double"), (points.cash, "double_take")):
            if not 1e-9 < point < 1 - 1e-9:
                continue
            actions = cube_actions(row_with_win(row, point), decision, efficiency=efficiency)
            alternative = actions.no_double if attribute == "double" else actions.double_drop
            assert getattr(actions, attribute) == pytest.approx(alternative, abs=1e-11)


def row_with_win(row: list[float], win: float) -> list[float]:
    return [win, *(2 * win * share for share in row[1:3]), *(2 * (1 - win) * share for share in row[3:])]


def test_points_of_impossible_actions_are_nan() -> None:
    crawford_decision = replace(MONEY, match_length=5, score=(2, 4), crawford=True)
    assert np.isnan(cube_points(NO_GAMMONS, crawford_decision)).all()
    unavailable_points = cube_points(NO_GAMMONS, MONEY, owner=-1)
    assert not np.isnan(unavailable_points.take)
    assert np.isnan(unavailable_points[1:]).all()
    trailer_points = cube_points(NO_GAMMONS, replace(MONEY, match_length=5, score=(2, 4)))
    assert trailer_points.double == 0
    assert np.isnan(trailer_points.take)


def test_certain_wins_and_losses_have_take_points() -> None:
    points = cube_points([[1, 0.2, 0, 0, 0], [0, 0, 0, 0.3, 0]], MONEY, efficiency=1)
    np.testing.assert_allclose(points.take, [0.5 / 2.7, 0.8 / 2.8])


@pytest.mark.parametrize("efficiency", [0, 0.3, 0.68, 1, None])
@pytest.mark.parametrize("owner", [0, 1])
def test_too_good_points_are_not_below_cash_points(efficiency: float | None, owner: int) -> None:
    """At 5-away a double to 8 makes gammons worthless, so no double may be best where the opponent takes."""
    decision = replace(MONEY, match_length=25, score=(20, 0), cube=4, cube_owner=owner)
    rows = np.array([[0.5, gammon, 0, lost, 0] for gammon in (0.1, 0.15, 0.2, 0.3) for lost in (0, 0.1)])
    points = cube_points(rows, decision, efficiency=efficiency)
    assert (points.too_good >= points.cash).all()
    for row, cash, too_good in zip(rows, points.cash, points.too_good, strict=True):
        win = np.linspace(0.9, 1, 2001)[1:-1]
        shares = np.outer(win, row[1:3] / 0.5), np.outer(1 - win, row[3:] / 0.5)
        actions = cube_actions(np.column_stack((win, *shares)), decision, efficiency=efficiency)
        np.testing.assert_array_equal(actions.answers == "drop", win > cash)
        is_too_good = (actions.answers == "drop") & (actions.no_double > actions.double_drop + 1e-9)
        np.testing.assert_array_equal(is_too_good, win > too_good + 1e-9)
