"""Cube decisions: what each branch is worth, what is right, in which words, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, CubeDecision, Decision, MatchEquityTable, Position
from bgfast.analysis.bearoff.bearoff import Bearoff
from bgfast.errors import IllegalActionError, InvalidDiceError, InvalidPositionError
from bgfast.evaluators import Lookahead, PipCount

CONTACT = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10"
PROBABILITIES = [0.7, 0.2, 0.01, 0.1, 0.0]


class Says:
    """An evaluator that says the same of every board."""

    def __init__(self, *probabilities: float) -> None:
        self.probabilities = probabilities

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return np.tile(self.probabilities, (len(boards), 1))


def at(text: str, **fields: object) -> Decision:
    return replace(Decision.read(text), **fields)  # type: ignore[arg-type]


def decided(decision: Decision, *probabilities: float) -> CubeDecision:
    return bgfast.cube_decision(decision, Says(*(probabilities or PROBABILITIES)), ply=0)


MONEY = Decision.read(CONTACT)


def test_values_are_those_of_the_formula() -> None:
    (x,) = bgfast.cube_efficiencies([MONEY.position], probabilities=PROBABILITIES)
    found = decided(MONEY)
    expected = bgfast.cube_actions(PROBABILITIES, MONEY)
    assert found.equities == replace(expected, double_beaver=pytest.approx(math.nan, nan_ok=True))
    assert found.cube_efficiency == x
    assert found.points == {
        name: bgfast.cube_points(PROBABILITIES, MONEY, efficiency=kind)
        for name, kind in (("dead", 0), ("live", 1), ("cubeful", "bgfast"))
    }
    assert found.mwc is None
    assert found.cubeless_equity == pytest.approx(2 * 0.7 - 1 + 0.2 + 0.01 - 0.1)
    assert (found.ply, found.efficiency, found.match_equity_table) == (
        0,
        "bgfast",
        "Kazaross XG2 25 point MET",
    )
    assert found.costs == {
        "no double": expected.cost_no_double,
        "double": expected.cost_double,
        "take": expected.cost_take,
        "pass": expected.cost_pass,
    }


def test_a_match_has_both_scales() -> None:
    match = replace(MONEY, match_length=7, score=(3, 4), cube=2, cube_owner=1)
    found = decided(match, 0.55, 0.2, 0.01, 0.1, 0)
    assert found.mwc is not None
    met = MatchEquityTable.builtin()
    assert found.mwc.double_pass == met.after(match, 2)
    win, lose = met.after(match, 2), met.after(match, -2)
    for name in ("no_double", "double_take", "double_pass"):
        mwc, equity = getattr(found.mwc, name), getattr(found.equities, name)
        assert equity == pytest.approx((2 * mwc - win - lose) / (win - lose))
    assert found.proper_action == "Redouble, take"
    assert [each.action for each in found.actions] == ["Redouble, take", "No redouble", "Redouble, pass"]
    assert found.actions[0].mwc == found.mwc.double_take


@pytest.mark.parametrize(
    ("fields", "win", "action"),
    [
        ({}, 0.5, "No double, take"),
        ({}, 0.74, "Double, take"),
        ({}, 0.8, "Double, pass"),
        ({"cube": 2, "cube_owner": 1}, 0.68, "No redouble, take"),
        ({"cube": 2, "cube_owner": 1}, 0.8, "Redouble, pass"),
        ({"beaver": True}, 0.45, "No double, beaver"),
        ({"match_length": 2}, 0.6, "Double, take"),
    ],
)
def test_the_proper_action(fields: dict[str, object], win: float, action: str) -> None:
    found = decided(replace(MONEY, **fields), win, 0, 0, 0, 0)  # type: ignore[arg-type]
    assert found.proper_action == action
    assert found.actions[0].action == action.split(", ")[0] or action
    assert found.actions[0].difference == 0
    assert min(found.costs.values()) == 0


def test_too_good_is_none_with_jacoby_and_a_centred_cube() -> None:
    gammons = (0.9, 0.7, 0.0, 0.0, 0.0)
    assert decided(MONEY, *gammons).proper_action == "Too good to double, pass"
    assert decided(replace(MONEY, jacoby=True), *gammons).proper_action == "Double, pass"
    owned = replace(MONEY, jacoby=True, cube=2, cube_owner=1)
    assert decided(owned, *gammons).proper_action == "Too good to redouble, pass"


def test_after_the_crawford_game_doubling_costs_the_trailer_nothing() -> None:
    trailer = replace(MONEY, match_length=3, score=(1, 2))
    assert decided(trailer, 0.4, 0.1, 0.0, 0.1, 0.0).proper_action == "Double, take"
    assert decided(trailer).proper_action == "Too good to double, pass"
    lost = decided(trailer, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert lost.proper_action == "Optional double, take"
    assert [each.action for each in lost.actions] == ["Double, take", "No double", "Double, pass"]
    both = replace(MONEY, match_length=3, score=(2, 2))
    assert decided(both).why_not == "the cube is dead: 1 wins the match for X already"


@pytest.mark.parametrize(
    ("fields", "why_not"),
    [
        ({"match_length": 7, "score": (6, 2), "crawford": True}, "this is the Crawford game"),
        ({"cube": 2, "cube_owner": -1}, "O owns the cube and alone may double"),
        (
            {"match_length": 5, "score": (3, 0), "cube": 2, "cube_owner": 1},
            "the cube is dead: 2 wins the match",
        ),
        ({"max_cube": 4, "cube": 4, "cube_owner": 1}, "the cube would show 8, and the greatest"),
        ({"cube": 1024, "cube_owner": 1}, "the cube shows 1024, its greatest value"),
    ],
)
@pytest.mark.parametrize("ply", [0, 1])
def test_where_no_double_is_possible(fields: dict[str, object], why_not: str, ply: int) -> None:
    found = bgfast.cube_decision(replace(MONEY, **fields), ply=ply)  # type: ignore[arg-type]
    assert found.why_not is not None
    assert found.why_not.startswith(why_not)
    assert found.proper_action == "No double"
    ((action, equity, difference, _),) = found.actions
    assert (action, equity, difference) == ("No double", found.equities.no_double, 0)
    assert found.costs == {}
    content = found.to_dict()
    assert content["equities"]["double_take"] is None
    assert content["points"]["live"]["double"] is None
    assert not content["may_double"]


def test_who_is_doubled() -> None:
    offered = replace(MONEY, offer="double")
    found = decided(offered)
    before = decided(MONEY)
    assert found.equities.double_take == before.equities.double_take
    assert found.proper_action == "Take"
    take, drop = found.actions
    assert (take.action, take.equity, take.difference) == ("Take", -before.equities.double_take, 0)
    assert (drop.action, drop.equity, drop.difference) == ("Pass", -1, -before.costs["pass"])
    assert decided(offered, 0.9, 0, 0, 0, 0).proper_action == "Pass"
    match = decided(replace(offered, match_length=5, score=(1, 2)), 0.6, 0.1, 0, 0.1, 0)
    assert match.mwc is not None
    assert [each.mwc for each in match.actions] == [1 - match.mwc.double_take, 1 - match.mwc.double_pass]


def test_beavers() -> None:
    offered = replace(MONEY, offer="double", beaver=True)
    found = decided(offered, 0.4, 0, 0, 0, 0)
    assert found.proper_action == "Beaver"
    assert [each.action for each in found.actions] == ["Beaver", "Take", "Pass"]
    assert found.actions[0].equity == pytest.approx(2 * found.actions[1].equity)
    assert set(found.costs) == {"no double", "double", "take", "pass", "beaver"}
    limited = decided(replace(offered, max_cube=2), 0.4, 0, 0, 0, 0)
    assert [each.action for each in limited.actions] == ["Take", "Pass"]


@pytest.mark.parametrize("win", [0.05, 0.3, 0.45, 0.6, 0.9])
def test_a_beaver_is_answered(win: float) -> None:
    """The mover has doubled, the opponent beavered; the game is the doubled one, for twice as much."""
    taken = decided(replace(MONEY, beaver=True), win, 0, 0, 0, 0).equities.double_take
    found = decided(replace(MONEY, beaver=True, offer="beaver"), win, 0, 0, 0, 0)
    answers = {"Take": 2 * taken, "Pass": -2, "Raccoon": 4 * min(taken, 1)}
    assert {each.action: each.equity for each in found.actions} == pytest.approx(answers)
    assert found.proper_action == found.actions[0].action == max(answers, key=answers.__getitem__)
    assert found.equities.no_double == pytest.approx(-taken)
    assert set(found.costs) == {"no beaver", "beaver", "take", "pass", "raccoon"}
    assert found.costs["no beaver"] == pytest.approx(max(0, taken - max(answers.values())))
    raccooned = decided(replace(MONEY, beaver=True, offer="raccoon"), win, 0, 0, 0, 0)
    answers = {"Take": -4 * taken, "Pass": -4}
    assert {each.action: each.equity for each in raccooned.actions} == pytest.approx(answers)
    assert raccooned.proper_action == ("Take" if taken < 1 else "Pass")
    assert set(raccooned.costs) == {"no raccoon", "raccoon", "take", "pass"}


def test_a_beaver_at_the_greatest_cube() -> None:
    limited = [
        decided(replace(MONEY, beaver=True, offer="beaver", max_cube=limit), 0.6, 0, 0, 0, 0)
        for limit in (4, 8)
    ]
    assert [{each.action for each in found.actions} for found in limited] == [
        {"Take", "Pass"},
        {"Take", "Pass", "Raccoon"},
    ]
    # A dead cube, and one that has a turn left.
    taken = [dict(each[:2] for each in found.actions)["Take"] for found in limited]
    assert taken[0] == pytest.approx(4 * 0.2)
    assert taken[1] < taken[0]


def test_answers_to_a_beaver_looking_ahead_and_in_bear_offs() -> None:
    last = Position.from_array([0, 2, 1, 0, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
    for position, ply in ((MONEY.position, 1), (last, 0)):
        before = Decision(position=position, beaver=True)
        taken = bgfast.cube_decision(before, ply=ply).equities.double_take
        found = bgfast.cube_decision(replace(before, offer="beaver"), ply=ply)
        equities = {each.action: each.equity for each in found.actions}
        assert equities == pytest.approx({"Take": 2 * taken, "Pass": -2, "Raccoon": 4 * min(taken, 1)})
    limited = Decision(position=MONEY.position, beaver=True, offer="beaver", max_cube=4)
    dead = Lookahead(bgfast.Network.builtin(), ply=1).evaluation(
        replace(limited, offer=None, cube=4, cube_owner=-1)
    )
    found = bgfast.cube_decision(limited, bgfast.Network.builtin(), ply=1)
    assert found.equities.double_take == pytest.approx(-4 * dead.equity)


def test_two_away_two_away_has_no_case_of_its_own() -> None:
    """Who is not behind may double at once."""
    for win in (0.5, 0.55, 0.65):
        found = decided(replace(MONEY, match_length=2), win, 0, 0, 0, 0)
        assert found.costs["double"] == pytest.approx(0, abs=1e-9)


def test_looking_ahead_each_branch_has_its_own_cube() -> None:
    player = Lookahead(bgfast.Network.builtin(), ply=1)
    for decision in (MONEY, replace(MONEY, match_length=7, score=(2, 4), cube=2, cube_owner=1, turn=-1)):
        found = bgfast.cube_decision(decision, player)
        waiting = player.evaluation(decision)
        assert found.equities.no_double == pytest.approx(waiting.equity)
        assert found.probabilities == waiting.probabilities
        taken = player.evaluation(replace(decision, cube=2 * decision.cube, cube_owner=-1))
        if found.mwc is None:
            assert found.equities.double_take == pytest.approx(2 * taken.equity)
        else:
            assert found.mwc.double_take == pytest.approx(taken.mwc)
            assert found.mwc.no_double == pytest.approx(waiting.mwc)
        assert found.ply == 1


def test_looking_ahead_there_are_beavers_and_a_limit() -> None:
    beavers = bgfast.cube_decision(replace(MONEY, beaver=True), ply=1)
    plain = bgfast.cube_decision(MONEY, ply=1)
    assert beavers.equities.double_take == plain.equities.double_take
    assert beavers.equities.double_beaver == pytest.approx(2 * plain.equities.double_take)
    # Who is doomed gives a beaver up.
    doomed = Position.from_array([0] * 5 + [3, 3] + [0] * 17 + [-1, 0])
    given_up = bgfast.cube_decision(
        replace(MONEY, position=doomed, beaver=True), bgfast.Network.builtin(), ply=1
    )
    assert given_up.equities.double_beaver == -2 < given_up.equities.no_double
    # 1024 stands for no limit.
    high = bgfast.cube_decision(replace(MONEY, beaver=True, cube=512, cube_owner=1, max_cube=1024), ply=1)
    owned = bgfast.cube_decision(replace(MONEY, beaver=True, cube=2, cube_owner=1), ply=1)
    assert high.equities.double_beaver == pytest.approx(owned.equities.double_beaver)


def test_many_are_each_what_they_are_alone() -> None:
    texts = [
        CONTACT,
        CONTACT.replace(":0:0:1:00:0:0:0:0:", ":1:1:1:00:2:3:0:7:"),
        CONTACT[:-13] + "D:0:0:0:0:10",
    ]
    for ply in (0, 1):
        found = bgfast.cube_decisions(texts, ply=ply, threads=2)
        assert [each.to_dict() for each in found] == [
            bgfast.cube_decision(text, ply=ply).to_dict() for text in texts
        ]
    rows = found.rows()
    assert [row["proper_action"] for row in rows] == [each.proper_action for each in found]
    assert rows[0]["no_double_mwc"] is None
    assert rows[1]["no_double_mwc"] == found[1].to_dict()["mwc"]["no_double"]
    assert bgfast.cube_decisions([], ply=0) == ()


def test_a_game_with_fewer_checkers() -> None:
    decision = Decision(position=Position.hypergammon())
    found = bgfast.cube_decision(decision, ply=0)
    assert (
        found.probabilities
        == Lookahead(bgfast.evaluators.WithBearoff(bgfast.Network.builtin()), ply=0)
        .evaluation(decision.position)
        .probabilities
    )


def test_points_change_what_is_right() -> None:
    found = decided(MONEY, 0.6, 0.15, 0, 0.1, 0)
    assert list(found.points) == ["dead", "live", "cubeful"]
    points = found.points["cubeful"]
    gammon, lost = 0.15 / 0.6, 0.1 / 0.4

    def right(win: float) -> str:
        return decided(MONEY, win, gammon * win, 0, lost * (1 - win), 0).proper_action

    near = 1e-4
    assert (right(points.double - near), right(points.double + near)) == ("No double, take", "Double, take")
    assert (right(points.cash - near), right(points.cash + near)) == ("Double, take", "Double, pass")
    assert right(points.too_good + near) == "Too good to double, pass"


def test_the_best_answer_is_the_default() -> None:
    found = bgfast.cube_decision(CONTACT)
    assert found.ply == 2
    assert found.evaluator == "WithBearoff(Network.builtin())" or "Bearoff" in found.evaluator


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            CONTACT.replace(":00:", ":31:"),
            InvalidDiceError,
            "the roll is 3-1; expected a decision before the roll",
        ),
        (CONTACT.replace(":00:", ":B:"), IllegalActionError, "there are no beavers under these rules"),
        ("XGID=-A------------------------:0:0:1:00:0:0:0:0:10", InvalidPositionError, "the game is over"),
        (CONTACT.replace(":0:0:1:00:0:0:0:0:", ":0:0:1:D:6:0:1:7:"), IllegalActionError, "the Crawford game"),
        (3, BgfastError, "a decision of type int"),
    ],
)
def test_what_is_refused(given: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bgfast.cube_decision(given, ply=0)  # type: ignore[arg-type]
    with pytest.raises(error, match=f"decision 1: .*{message}"):
        bgfast.cube_decisions([CONTACT, given], ply=0)  # type: ignore[list-item]


def test_other_things_that_are_refused() -> None:
    for ply in (0, 1):
        with pytest.raises(
            BgfastError, match=r"PipCount.* returns equities alone; expected an evaluator of five"
        ):
            bgfast.cube_decision(MONEY, PipCount(), ply=ply)
    with pytest.raises(
        BgfastError, match="ply is 1; expected none beside a Lookahead, which searches 0 plies"
    ):
        bgfast.cube_decision(MONEY, Lookahead(bgfast.Network.builtin(), ply=0), ply=1)
    with pytest.raises(BgfastError, match="met is 3; expected a MatchEquityTable"):
        bgfast.cube_decision(MONEY, ply=0, met=3)  # type: ignore[arg-type]
    with pytest.raises(BgfastError, match="efficiency model 'best'"):
        bgfast.cube_decision(MONEY, ply=0, efficiency="best")
    with pytest.raises(BgfastError, match="expected an iterable of decisions"):
        bgfast.cube_decisions(CONTACT)


def test_bearoffs_are_what_the_tables_have() -> None:
    last = Position.from_array([0, 2, 1, 0, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
    (exact,) = Bearoff().doubling_equities([last])
    found = bgfast.cube_decision(Decision(position=last), ply=0).equities
    assert (found.no_double, found.double_take) == (exact[1], exact[2])
    formula = bgfast.cube_actions(Bearoff()([last])[0], Decision(position=last))
    assert abs(formula.no_double - exact[1]) > 1e-3
