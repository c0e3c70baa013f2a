"""Cube points: take, double, cash and too good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bgfast import Decision, Position
from bgfast.cube import MatchEquityTable, cube_actions, cube_points, cubeful_equities

MONEY = Decision(position=Position.start())
NO_GAMMONS = [0.5, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "decision",
    [
        MONEY,
        replace(MONEY, jacoby=True, beaver=True),
        replace(MONEY, cube=2, cube_owner=1, max_cube=8),
        replace(MONEY, match_length=7, score=(0, 2)),
        replace(MONEY, match_length=4, score=(2, 0)),
        replace(MONEY, match_length=9, score=(1, 4), cube=2, cube_owner=1),
    ],
)
def test_the_proper_action_changes_at_the_points(decision: Decision) -> None:
    win = np.linspace(0.002, 0.998, 499)
    for gammons, lost in ((0, 0), (0.3, 0.2), (0.5, 0.1)):
        rows = np.column_stack((win, gammons * win, 0 * win, lost * (1 - win), 0 * win))
        points = cube_points(rows, decision, efficiency=0.68)
        take, double, cash, too_good = (np.nan_to_num(point, nan=2)[0] for point in points)
        assert all(np.ptp(np.nan_to_num(point)) < 1e-9 for point in points)
        actions = cube_actions(rows, decision, efficiency=0.68)
        np.testing.assert_array_equal(actions.answers == "drop", win > cash)
        np.testing.assert_array_equal(actions.doubles, (win > double) & (win < too_good))
        opponent_may_double = decision.cube_owner <= 0
        assert np.isnan(points.take[0]) == (not opponent_may_double)
        if opponent_may_double:
            # At the take point a drop is worth as much as owning a cube of twice the value.
            taker = replace(decision, cube=2 * decision.cube, cube_owner=1)
            row = [take, gammons * take, 0, lost * (1 - take), 0]
            taken = cubeful_equities(row, taker, efficiency=0.68, mwc=bool(decision.match_length))
            assert taken == pytest.approx(_value_of_pass(decision))


def test_both_actions_have_the_same_equity_at_their_point() -> None:
    rng = np.random.default_rng(0)
    for trial in range(100):
        jacoby, beaver, owner = (int(bit) for bit in rng.integers(0, (2, 2, 2)))
        limit = int(rng.choice([2, 4, 16, 1024]))
        money = replace(MONEY, jacoby=bool(jacoby), beaver=bool(beaver), cube_owner=owner, max_cube=limit)
        match = replace(MONEY, match_length=9, score=tuple(rng.integers(0, 8, 2).tolist()), cube_owner=owner)
        decision = match if trial % 3 == 0 else money
        row = [0.5, *(0.5 * rng.random() * np.array([1, 0.2])), *(0.5 * rng.random() * np.array([1, 0.2]))]
        x = float(rng.choice([0, rng.random(), 1]))
        points = cube_points(row, decision, efficiency=x)
        for point, attribute in ((points.double, "double"), (points.cash, "double_take")):
            if not 1e-9 < point < 1 - 1e-9:
                continue
            actions = cube_actions(_with_win(row, point), decision, efficiency=x)
            other = actions.no_double if attribute == "double" else actions.double_drop
            assert getattr(actions, attribute) == pytest.approx(other, abs=1e-11)


def _with_win(row: list[float], win: float) -> list[float]:
    return [win, *(2 * win * chance for chance in row[1:3]), *(2 * (1 - win) * chance for chance in row[3:])]


def _value_of_pass(decision: Decision) -> float:
    """Return the value of a pass as match-winning chance, or in units of the doubled cube."""
    if not decision.match_length:
        return -0.5
    value: float = MatchEquityTable.builtin().after(decision, -decision.cube)
    return value


def test_a_player_who_may_not_double_has_no_points() -> None:
    crawford = replace(MONEY, match_length=5, score=(2, 4), crawford=True)
    assert np.isnan(cube_points(NO_GAMMONS, crawford)).all()
    unavailable = cube_points(NO_GAMMONS, MONEY, owner=-1)
    assert not np.isnan(unavailable.take)
    assert np.isnan(unavailable[1:]).all()
    trailing = cube_points(NO_GAMMONS, replace(MONEY, match_length=5, score=(2, 4)))
    assert trailing.double == 0
    assert np.isnan(trailing.take)


def test_certain_wins_and_losses_have_points() -> None:
    points = cube_points([[1, 0.2, 0, 0, 0], [0, 0, 0, 0.3, 0]], MONEY, efficiency=1)
    np.testing.assert_allclose(points.take, [0.5 / 2.7, 0.8 / 2.8])


@pytest.mark.parametrize("x", [0, 0.3, 0.68, 1, None])
@pytest.mark.parametrize("owner", [0, 1])
def test_nobody_is_too_good_before_there_is_something_to_cash(x: float | None, owner: int) -> None:
    """At 5-away a double to 8 makes gammons worthless: rolling may beat a drop before the opponent drops."""
    decision = replace(MONEY, match_length=25, score=(20, 0), cube=4, cube_owner=owner)
    rows = np.array([[0.5, 0.5 * won, 0, 0.5 * lost, 0] for won in (0.2, 0.3, 0.4, 0.6) for lost in (0, 0.2)])
    points = cube_points(rows, decision, efficiency=x)
    assert (points.too_good >= points.cash).all()
    for row, cash, too_good in zip(rows, points.cash, points.too_good, strict=True):
        win = np.linspace(0.9, 1, 2001)[1:-1]
        shares = np.outer(win, row[1:3] / 0.5), np.outer(1 - win, row[3:] / 0.5)
        actions = cube_actions(np.column_stack((win, *shares)), decision, efficiency=x)
        np.testing.assert_array_equal(actions.answers == "drop", win > cash)
        plays_on = (actions.answers == "drop") & (actions.no_double > actions.double_drop + 1e-9)
        np.testing.assert_array_equal(plays_on, win > too_good + 1e-9)
