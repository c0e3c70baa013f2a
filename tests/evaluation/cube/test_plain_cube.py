"""Tests of the slow reference implementation of the cube."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.support.cube_tables import KAZAROSS
from tests.support.plain_cube import (
    Game,
    Match,
    Money,
    at,
    decide,
    decisive_points,
    emg,
    equity,
    live_points,
    shape,
)

OWNERS = ("centred", "owned", "unavailable")
OPPONENT_VIEW = {"centred": "centred", "owned": "unavailable", "unavailable": "owned"}
GAMES: list[Game] = [
    Money(),
    Money(jacoby=True),
    Match(KAZAROSS, (7, 5)),
    Match(KAZAROSS, (2, 4)),
    Match(KAZAROSS, (4, 2)),
    Match(KAZAROSS, (2, 2)),
    Match(KAZAROSS, (25, 25)),
    Match(KAZAROSS, (3, 1), "after"),
    Match(KAZAROSS, (1, 4), "after"),
]


def random_shapes(number: int, seed: int) -> list[tuple[float, float, float, float]]:
    """Return random shares of gammons and backgammons among wins and losses."""
    source = random.Random(seed)
    shapes = []
    for _ in range(number):
        gammons, lost = source.uniform(0, 0.7), source.uniform(0, 0.7)
        shapes.append((gammons, gammons * source.uniform(0, 0.3), lost, lost * source.uniform(0, 0.3)))
    return shapes


def five(p: float, parts: tuple[float, float, float, float] = (0, 0, 0, 0)) -> tuple[float, ...]:
    """Return five probabilities from a winning probability and shares of gammons and backgammons."""
    return p, p * parts[0], p * parts[1], (1 - p) * parts[2], (1 - p) * parts[3]


def other_side(probabilities: tuple[float, ...]) -> tuple[float, ...]:
    win, gammon, backgammon, lose_gammon, lose_backgammon = probabilities
    return 1 - win, lose_gammon, lose_backgammon, gammon, backgammon


@pytest.mark.parametrize("parts", random_shapes(6, 1))
@pytest.mark.parametrize("x", [0.0, 0.4, 1.0])
def test_money_points_follow_the_closed_form(parts: tuple[float, float, float, float], x: float) -> None:
    win, loss = 1 + parts[0] + parts[1], 1 + parts[2] + parts[3]
    points = decisive_points(Money(), five(0.5, parts), 1, "centred", x)
    assert points["take"] == pytest.approx((loss - 0.5) / (win + loss + x / 2), abs=1e-12)
    assert points["cash"] == pytest.approx((loss + 0.5 + x / 2) / (win + loss + x / 2), abs=1e-12)


@pytest.mark.parametrize(
    ("wins", "losses", "take", "cash"),
    [(1, 1, 0.2, 0.8), (2, 1, 1 / 7, 4 / 7), (1, 2, 3 / 7, 6 / 7), (3, 3, 2.5 / 6.5, 4 / 6.5)],
)
def test_live_points_of_whole_games(wins: int, losses: int, take: float, cash: float) -> None:
    parts = (float(wins > 1), float(wins > 2), float(losses > 1), float(losses > 2))
    assert live_points(Money(), shape(five(0.5, parts)), 1) == pytest.approx((take, cash), abs=1e-12)


def test_a_live_cube_has_a_quarter_point_at_even_chances() -> None:
    equities = [equity(Money(), five(0.5), owner=owner, x=1) for owner in ("owned", "centred", "unavailable")]
    assert equities == pytest.approx([0.25, 0, -0.25], abs=1e-12)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_equities_rise_without_jumps_in_the_order_of_owners(game: Game) -> None:
    chances = [place / 100 for place in range(101)]
    for parts, x in itertools.product(random_shapes(2, 2), (0.0, 0.6, 1.0)):
        form = shape(five(0.5, parts))
        rows = [
            [at(game, form, p, 1, owner, x) for p in chances] for owner in ("unavailable", "centred", "owned")
        ]
        for row in rows:
            steps = [after - before for before, after in itertools.pairwise(row)]
            assert min(steps) >= -1e-12
            assert max(steps) < 0.1
        if not (isinstance(game, Money) and game.jacoby):
            assert all(a <= b + 1e-12 <= c + 2e-12 for a, b, c in zip(*rows, strict=True))


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_equities_of_both_sides_add_up(game: Game) -> None:
    other = (
        Match(game.tables, (game.away[1], game.away[0]), game.crawford) if isinstance(game, Match) else game
    )
    for parts, p, owner in itertools.product(random_shapes(1, 3), (0.37,), OWNERS):
        own = equity(game, five(p, parts), 1, owner, 0.7)
        opponent = equity(other, other_side(five(p, parts)), 1, OPPONENT_VIEW[owner], 0.7)
        assert own + opponent == pytest.approx(1 if isinstance(game, Match) else 0, abs=1e-12)


def test_gammons_make_positions_too_good_beyond_the_cash_point() -> None:
    """Limiting the curve to 1 there causes errors of up to a quarter point."""
    decision = decide(Money(), five(0.9, (0.9, 0, 0, 0)), owner="owned", x=1)
    assert decision.action == "too good to redouble, drop"
    assert decision.no_double > 1.5
    assert decide(Money(jacoby=True), five(0.9, (0.9, 0, 0, 0)), x=1).action == "optional double, drop"


def test_under_the_jacoby_rule_gammons_do_not_count_before_the_double() -> None:
    with_gammons, without = (equity(Money(jacoby=True), five(0.6, (part, 0, 0, 0))) for part in (0.6, 0))
    assert with_gammons == without == pytest.approx(0.2)
    assert equity(Money(), five(0.6, (0.6, 0, 0, 0))) == pytest.approx(0.2 + 0.36)


def test_a_beaver_doubles_the_loss_of_a_wrong_double() -> None:
    decision = decide(Money(beavers=True), five(0.45), x=0.6)
    assert decision.double_take < 0
    assert decision.double_beaver == pytest.approx(2 * decision.double_take)
    assert decision.action == "no double, beaver"
    assert decision.costs()[1] == pytest.approx(decision.no_double - decision.double_beaver)
    assert decide(Money(), five(0.45), x=0.6).action == "no double, take"
    # Passing a beaver loses the doubled cube.
    assert decide(Money(beavers=True), five(0.01), x=0.6).taken() == -2


@pytest.mark.parametrize(
    ("p", "action"),
    [
        (0.5, "no double, take"),
        (0.72, "double, take"),
        (0.79, "double, drop"),
        (0.99, "double, drop"),
    ],
)
def test_actions_without_gammons(p: float, action: str) -> None:
    assert decide(Money(), five(p), x=0.6).action == action


def test_cube_limits() -> None:
    p = five(0.63, random_shapes(1, 4)[0])
    equities = [equity(Money(limit=limit), p, x=1) for limit in (1, 2, 4, 16, 2**40, 0)]
    assert equities[0] == equity(Money(), p)
    assert equities[4] == pytest.approx(equities[5], abs=1e-9)
    assert [abs(value - equities[5]) for value in equities[:5]] == sorted(
        (abs(value - equities[5]) for value in equities[:5]), reverse=True
    )
    assert decide(Money(limit=4), p, 4, "owned").action == "no cube"


def test_immediate_doubles_at_two_away_two_away_cost_nothing() -> None:
    game = Match(KAZAROSS, (2, 2))
    for p in (0.35, 0.45, 0.5, 0.6, 0.67):
        decision = decide(game, five(p, (0.25, 0.01, 0.25, 0.01)), x=1)
        assert decision.double_take == pytest.approx(p)
        assert decision.no_double == pytest.approx(p)


def test_at_two_away_four_away_the_leader_doubles_late_and_the_trailer_early() -> None:
    money = decisive_points(Money(), five(0.5), 1, "centred", 0.68)["double"]
    leader, trailer = (
        decisive_points(Match(KAZAROSS, away), five(0.5, (0.25, 0, 0.25, 0)), 1, "centred", 0.68)["double"]
        for away in ((2, 4), (4, 2))
    )
    assert trailer < money - 0.1
    assert leader > money + 0.05


@pytest.mark.parametrize("away", range(2, 26))
def test_after_crawford_the_trailer_doubles_and_the_leader_does_not(away: int) -> None:
    for p, parts in itertools.product((0.1, 0.3, 0.5), random_shapes(2, 5)):
        trailer = decide(Match(KAZAROSS, (away, 1), "after"), five(p, parts), x=0.68)
        assert trailer.costs()[1] < 0.01
        leader = decide(Match(KAZAROSS, (1, away), "after"), five(p, parts), x=0.68)
        assert leader.costs()[0] == 0
        assert leader.action == "no cube"


def test_after_crawford_the_leader_has_a_free_drop_at_even_away_scores() -> None:
    cash = [
        decisive_points(Match(KAZAROSS, (away, 1), "after"), five(0.5, (0.2, 0, 0.2, 0)), 1, "centred", 1)[
            "cash"
        ]
        for away in range(2, 26)
    ]
    assert all(even < 0.6 for even in cash[::2])
    assert all(odd > 0.75 for odd in cash[1::2])


def test_no_cube_in_the_crawford_game() -> None:
    for away in ((5, 1), (1, 5)):
        decision = decide(Match(KAZAROSS, away, "now"), five(0.7, (0.3, 0, 0.1, 0)), x=0.68)
        assert decision.action == "no cube"
        assert decision.no_double == equity(Match(KAZAROSS, away, "now"), five(0.7, (0.3, 0, 0.1, 0)))


@pytest.mark.parametrize(("away", "cube"), [((1, 1), 1), ((20, 20), 64), ((2, 2), 2), ((3, 4), 4)])
def test_a_cube_that_decides_the_match_is_dead(away: tuple[int, int], cube: int) -> None:
    game = Match(KAZAROSS, away, "after" if away == (1, 1) else "before")
    decision = decide(game, five(0.3, (0.5, 0.1, 0.2, 0)), cube, "owned", 0.68)
    assert decision.action == "no cube"
    assert decision.no_double == pytest.approx(0.3)


def test_a_player_who_wins_with_the_cube_has_no_use_for_it() -> None:
    game = Match(KAZAROSS, (2, 5))
    for p in (0.2, 0.5, 0.8):
        assert equity(game, five(p), 2, "owned", 1) == pytest.approx(equity(game, five(p), 2, "owned", 0))
        assert equity(game, five(p), 2, "unavailable", 1) < equity(game, five(p), 2, "unavailable", 0) - 0.01


def test_a_pass_has_equity_one() -> None:
    for away, cube in (((7, 5), 1), ((7, 5), 2), ((4, 2), 2)):
        game = Match(KAZAROSS, away)
        assert emg(game, decide(game, five(0.5), cube).double_drop, cube) == pytest.approx(1)
        assert emg(game, game.worth(-cube), cube) == pytest.approx(-1)
    # Even match-winning chances are a gain for the trailer.
    assert emg(Match(KAZAROSS, (4, 2)), 0.5, 1) > 0.3
