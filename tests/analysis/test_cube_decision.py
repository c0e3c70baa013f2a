"""Cube decisions: values of branches, proper actions, and answers to doubles."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Position
from bgfast.cli.main import main
from bgfast.cube import CubeDecision, MatchEquityTable
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluators import Lookahead

CONTACT = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10"
PROBABILITIES = [0.7, 0.2, 0.01, 0.1, 0.0]


def decide(decision: Decision, *probabilities: float) -> CubeDecision:
    """Return the decision of an evaluator that gives all boards these probabilities."""

    def constant(boards: np.ndarray) -> np.ndarray:
        return np.tile(probabilities or PROBABILITIES, (len(boards), 1))

    return bgfast.cube_decision(decision, constant, ply=0)


def equities(result: CubeDecision) -> dict[str, float]:
    return {action.action: action.equity for action in result.actions}


MONEY = Decision.read(CONTACT)


def test_static_values_equal_the_formula() -> None:
    (cube_efficiency,) = bgfast.cube.cube_efficiencies([MONEY.position], probabilities=PROBABILITIES)
    result = decide(MONEY)
    expected = bgfast.cube.cube_actions(PROBABILITIES, MONEY)
    assert result.equities == expected
    assert result.cube_efficiency == cube_efficiency
    assert result.points == {
        name: bgfast.cube.cube_points(PROBABILITIES, MONEY, efficiency=kind)
        for name, kind in (("dead", 0), ("live", 1), ("cubeful", "bgfast"))
    }
    assert result.mwc is None
    assert result.cubeless_equity == pytest.approx(2 * 0.7 - 1 + 0.2 + 0.01 - 0.1)
    assert (result.ply, result.efficiency) == (0, "bgfast")
    assert result.match_equity_table == "Kazaross XG2 25 point MET"
    names = ("no double", "double", "take", "drop")
    assert result.costs == {name: getattr(expected, f"cost_{name.replace(' ', '_')}") for name in names}


def test_match_results_have_emg_and_mwc() -> None:
    decision = replace(MONEY, match_length=7, score=(3, 4), cube=2, cube_owner=1)
    result = decide(decision, 0.55, 0.2, 0.01, 0.1, 0)
    met = MatchEquityTable.builtin()
    assert result.mwc.double_drop == met.after(decision, 2)
    win, lose = met.after(decision, 2), met.after(decision, -2)
    for name in ("no_double", "double_take", "double_drop"):
        mwc, equity = getattr(result.mwc, name), getattr(result.equities, name)
        assert equity == pytest.approx((2 * mwc - win - lose) / (win - lose))
    assert result.proper_action == "Redouble, take"
    assert [action.action for action in result.actions] == ["Redouble, take", "No redouble", "Redouble, drop"]
    assert result.actions[0].mwc == result.mwc.double_take


def test_the_proper_action_is_listed_first() -> None:
    for fields, win, action in (
        ({}, 0.5, "No double, take"),
        ({}, 0.74, "Double, take"),
        ({}, 0.8, "Double, drop"),
        ({"cube": 2, "cube_owner": 1}, 0.68, "No redouble, take"),
        ({"cube": 2, "cube_owner": 1}, 0.8, "Redouble, drop"),
        ({"beaver": True}, 0.45, "No double, beaver"),
        *(({"match_length": 2}, win, "Double, take") for win in (0.55, 0.65)),
    ):
        result = decide(replace(MONEY, **fields), win, 0, 0, 0, 0)
        assert result.proper_action == action
        assert result.actions[0].action in (action.split(", ")[0], action)
        assert result.actions[0].difference == min(result.costs.values()) == 0


def test_a_sure_win_without_gammons_is_cashed() -> None:
    """The loser has a checker off, so no game is worth more than the cash."""
    decision = Decision(position=Position.from_gnubg_id("APD/AaANAAAAAA"))
    for ply in (0, 1, 2):
        result = bgfast.cube_decision(decision, ply=ply)
        assert result.proper_action == "Double, drop"
        assert max(result.equities.no_double, result.equities.double_drop) == 1


def test_nothing_is_too_good_with_jacoby_and_a_centred_cube() -> None:
    gammons = (0.9, 0.7, 0.0, 0.0, 0.0)
    assert decide(MONEY, *gammons).proper_action == "Too good to double, drop"
    assert decide(replace(MONEY, jacoby=True), *gammons).proper_action == "Double, drop"
    owned_cube = replace(MONEY, jacoby=True, cube=2, cube_owner=1)
    assert decide(owned_cube, *gammons).proper_action == "Too good to redouble, drop"


def test_after_the_crawford_game_doubling_costs_the_trailer_nothing() -> None:
    trailer = replace(MONEY, match_length=3, score=(1, 2))
    assert decide(trailer, 0.4, 0.1, 0.0, 0.1, 0.0).proper_action == "Double, take"
    assert decide(trailer).proper_action == "Too good to double, drop"
    lost_game = decide(trailer, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert lost_game.proper_action == "Optional double, take"
    assert [action.action for action in lost_game.actions] == ["Double, take", "No double", "Double, drop"]
    # The branches of a search may choose different plays: at 5-away, no double would seem to gain 0.0002.
    for score in ("2:4:0:5", "0:4:0:5"):
        result = bgfast.cube_decision(f"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:{score}:10", ply=2)
        assert result.proper_action == "Optional double, take"
        assert result.costs["no double"] == result.costs["double"] == 0
    double_match_point = replace(MONEY, match_length=3, score=(2, 2))
    assert decide(double_match_point).why_not == "the cube is dead: 1 wins the match for X already"


def test_illegal_doubles_have_a_reason() -> None:
    for ply, fields, why_not in (
        (0, {"match_length": 7, "score": (6, 2), "crawford": True}, "this is the Crawford game"),
        (1, {"cube": 2, "cube_owner": -1}, "O owns the cube and alone may double"),
        (0, {"match_length": 5, "score": (3, 0), "cube": 2, "cube_owner": 1}, "the cube is dead: 2 wins the"),
        (1, {"max_cube": 4, "cube": 4, "cube_owner": 1}, "the cube would show 8, but the largest"),
        (0, {"cube": 1024, "cube_owner": 1}, "the cube shows 1024, its maximum value"),
    ):
        result = bgfast.cube_decision(replace(MONEY, **fields), ply=ply)
        assert result.why_not.startswith(why_not)
        ((action, equity, difference, _),) = result.actions
        assert (action, equity, difference) == ("No double", result.equities.no_double, 0)
        assert (result.proper_action, result.costs) == ("No double", {})
        content = result.to_dict()
        assert content["equities"]["double_take"] is content["points"]["live"]["double"] is None
        assert not content["may_double"]


def test_answers_have_equities_of_the_responder() -> None:
    offer = replace(MONEY, offer="double")
    result = decide(offer)
    double_result = decide(MONEY)
    assert result.equities.double_take == double_result.equities.double_take
    assert result.proper_action == "Take"
    take, drop = result.actions
    assert (take.action, take.equity, take.difference) == ("Take", -double_result.equities.double_take, 0)
    assert (drop.action, drop.equity, drop.difference) == ("Drop", -1, -double_result.costs["drop"])
    assert decide(offer, 0.9, 0, 0, 0, 0).proper_action == "Drop"
    result = decide(replace(offer, match_length=5, score=(1, 2)), 0.6, 0.1, 0, 0.1, 0)
    expected = [1 - result.mwc.double_take, 1 - result.mwc.double_drop]
    assert [action.mwc for action in result.actions] == expected


def test_beavers_are_answers_below_the_maximum_cube() -> None:
    offer = replace(MONEY, offer="double", beaver=True)
    result = decide(offer, 0.4, 0, 0, 0, 0)
    assert result.proper_action == "Beaver"
    assert [action.action for action in result.actions] == ["Beaver", "Take", "Drop"]
    assert result.actions[0].equity == pytest.approx(2 * result.actions[1].equity)
    assert set(result.costs) == {"no double", "double", "take", "drop", "beaver"}
    limited_result = decide(replace(offer, max_cube=2), 0.4, 0, 0, 0, 0)
    assert [action.action for action in limited_result.actions] == ["Take", "Drop"]


def test_answers_to_a_beaver_are_evaluated_at_doubled_stakes() -> None:
    """A beaver doubles the stakes of the game after the double."""
    for win in (0.05, 0.3, 0.45, 0.6, 0.9):
        double_take = decide(replace(MONEY, beaver=True), win, 0, 0, 0, 0).equities.double_take
        result = decide(replace(MONEY, beaver=True, offer="beaver"), win, 0, 0, 0, 0)
        answers = {"Take": 2 * double_take, "Drop": -2, "Raccoon": 4 * min(double_take, 1)}
        assert equities(result) == pytest.approx(answers)
        assert result.proper_action == result.actions[0].action == max(answers, key=answers.__getitem__)
        assert result.equities.no_double == pytest.approx(-double_take)
        assert set(result.costs) == {"no beaver", "beaver", "take", "drop", "raccoon"}
        assert result.costs["no beaver"] == pytest.approx(max(0, double_take - max(answers.values())))
        raccoon_result = decide(replace(MONEY, beaver=True, offer="raccoon"), win, 0, 0, 0, 0)
        assert equities(raccoon_result) == pytest.approx({"Take": -4 * double_take, "Drop": -4})
        assert raccoon_result.proper_action == ("Take" if double_take < 1 else "Drop")
        assert set(raccoon_result.costs) == {"no raccoon", "raccoon", "take", "drop"}


def test_a_beaver_at_the_maximum_cube_excludes_a_raccoon() -> None:
    offer = replace(MONEY, beaver=True, offer="beaver")
    dead_equities, live_equities = (
        equities(decide(replace(offer, max_cube=limit), 0.6, 0, 0, 0, 0)) for limit in (4, 8)
    )
    assert (set(dead_equities), set(live_equities)) == ({"Take", "Drop"}, {"Take", "Drop", "Raccoon"})
    assert live_equities["Take"] < dead_equities["Take"] == pytest.approx(4 * 0.2)


def test_searches_and_bearoffs_evaluate_answers_to_a_beaver() -> None:
    bearoff = Position.from_array([0, 2, 1, 0, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
    for position, ply in ((MONEY.position, 1), (bearoff, 0)):
        double = Decision(position=position, beaver=True)
        double_take = bgfast.cube_decision(double, ply=ply).equities.double_take
        result = bgfast.cube_decision(replace(double, offer="beaver"), ply=ply)
        answers = {"Take": 2 * double_take, "Drop": -2, "Raccoon": 4 * min(double_take, 1)}
        assert equities(result) == pytest.approx(answers)
    offer = Decision(position=MONEY.position, beaver=True, offer="beaver", max_cube=4)
    evaluation = Lookahead(bgfast.Network.builtin(), ply=1).evaluation(
        replace(offer, offer=None, cube=4, cube_owner=-1)
    )
    result = bgfast.cube_decision(offer, bgfast.Network.builtin(), ply=1)
    assert result.equities.double_take == pytest.approx(-4 * evaluation.equity)


def test_searched_branches_have_their_own_cube() -> None:
    search = Lookahead(bgfast.Network.builtin(), ply=1)
    for decision in (MONEY, replace(MONEY, match_length=7, score=(2, 4), cube=2, cube_owner=1, turn=-1)):
        result = bgfast.cube_decision(decision, search)
        no_double = search.evaluation(decision)
        assert result.equities.no_double == pytest.approx(no_double.equity)
        assert result.probabilities == no_double.probabilities
        double_take = search.evaluation(replace(decision, cube=2 * decision.cube, cube_owner=-1))
        if result.mwc is None:
            assert result.equities.double_take == pytest.approx(2 * double_take.equity)
        else:
            assert result.mwc.double_take == pytest.approx(double_take.mwc)
            assert result.mwc.no_double == pytest.approx(no_double.mwc)
        assert result.ply == 1


def test_searches_use_beavers_and_the_cube_limit() -> None:
    beaver_result = bgfast.cube_decision(replace(MONEY, beaver=True), ply=1)
    plain_result = bgfast.cube_decision(MONEY, ply=1)
    assert beaver_result.equities.double_take == plain_result.equities.double_take
    assert beaver_result.equities.double_beaver == pytest.approx(2 * plain_result.equities.double_take)
    # A hopeless doubler drops the beaver.
    lost_position = Position.from_array([0] * 5 + [3, 3] + [0] * 17 + [-1, 0])
    hopeless_result = bgfast.cube_decision(
        replace(MONEY, position=lost_position, beaver=True), bgfast.Network.builtin(), ply=1
    )
    assert hopeless_result.equities.double_beaver == -2 < hopeless_result.equities.no_double
    # A limit of 1024 means no limit.
    high_cube_result = bgfast.cube_decision(
        replace(MONEY, beaver=True, cube=512, cube_owner=1, max_cube=1024), ply=1
    )
    low_cube_result = bgfast.cube_decision(replace(MONEY, beaver=True, cube=2, cube_owner=1), ply=1)
    assert high_cube_result.equities.double_beaver == pytest.approx(low_cube_result.equities.double_beaver)


def test_batch_equals_single_decisions() -> None:
    texts = [
        CONTACT,
        CONTACT.replace(":0:0:1:00:0:0:0:0:", ":1:1:1:00:2:3:0:7:"),
        CONTACT[:-13] + "D:0:0:0:0:10",
    ]
    for ply in (0, 1):
        result = bgfast.cube.cube_decisions(texts, ply=ply, threads=2)
        assert [item.to_dict() for item in result] == [
            bgfast.cube_decision(text, ply=ply).to_dict() for text in texts
        ]
    rows = result.rows()
    assert [row["proper_action"] for row in rows] == [item.proper_action for item in result]
    assert rows[0]["no_double_mwc"] is None
    assert rows[1]["no_double_mwc"] == result[1].to_dict()["mwc"]["no_double"]
    assert bgfast.cube.cube_decisions([], ply=0) == ()


def test_games_with_fewer_checkers_are_decided() -> None:
    position = Position.hypergammon()
    result = bgfast.cube_decision(Decision(position=position), ply=0)
    assert result.probabilities == bgfast.analyse(position, ply=0).probabilities


def test_exact_tables_are_for_the_standard_rules(capsys: pytest.CaptureFixture[str]) -> None:
    decision = Decision(position=Position.from_array([0, 1, 0, 0, 0, 0, 2, *[0] * 17, -3, 0]))
    exact_result = bgfast.cube_decision(decision)
    assert exact_result.is_exact
    assert not bgfast.cube_decision(decision, rules=bgfast.RuleSet(win_scheme="not_all_home")).is_exact
    result = bgfast.cube_decision(decision, rules="rear_first")
    assert not result.is_exact
    assert result.equities.no_double < exact_result.equities.no_double - 0.1
    for dice in (None, (5, 2)):
        assert main(["analyse", replace(decision, dice=dice).xgid, "--rules", "rear_first"]) == 0
        assert "; exact" not in capsys.readouterr().out


RACE = "XGID=-J----------------------j-:1:1:1:00:0:0:0:0:10"


def test_results_and_texts_name_their_method(capsys: pytest.CaptureFixture[str]) -> None:
    short_race, network = RACE.replace("J", "F").replace("j", "f"), bgfast.Network.builtin()
    for text, method in ((short_race, "exact"), (RACE, "race recursion")):
        result = bgfast.cube_decision(text, ply=1)
        assert (result.method, result.is_exact) == (method, method == "exact")
        assert (result.to_dict()["method"], result.ply) == (method, 1)
        assert bgfast.cube_decision(text, network, ply=0).method == "formula"
        assert bgfast.cube_decision(text, ply=0, rules="rear_first").method == "formula"
        assert bgfast.cube.cube_decisions([text], ply=0)[0].equities == result.equities
        assert bgfast.cube_decision(text.replace(":00:", ":D:"), ply=0).equities == result.equities
        assert main(["analyse", text]) == 0
        assert capsys.readouterr().out.endswith(f"cubeful, money; cube 2, X's; {method}\n")
        assert main(["analyse", text, "--json"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert content["cube_decision"]["method"] == method
        assert content["played_for"]["efficiency"] is None


def test_races_are_decided_by_recursion() -> None:
    five_rolls, six_rolls = (
        bgfast.cube_decision(RACE.replace("J", side).replace("j", side.lower()), ply=0) for side in "JL"
    )
    assert five_rolls.proper_action == six_rolls.proper_action == "No redouble, take"
    values = [(result.equities.no_double, result.equities.double_take) for result in (five_rolls, six_rolls)]
    assert np.round(values, 4).tolist() == [[0.7534, 0.7269], [0.6519, 0.5887]]
    match_result = bgfast.cube_decision(RACE.replace(":0:0:0:0:10", ":2:4:0:7:10"), ply=0)
    assert match_result.method == "race recursion"
    assert match_result.mwc is not None
    assert 0 < match_result.mwc.double_take < 1


def test_the_favourite_doubles_in_the_last_position_of_a_game() -> None:
    network = bgfast.Network.builtin_fast()
    for counts, wins in (((0, 1, 0, 0, 1), 19), ((1, 0, 0, 0, 0, 1), 15), ((2, 1), 6), ((1, 1), 36)):
        board = [0, *counts, *[0] * (22 - len(counts)), 0, -1, 0]
        decision = Decision(position=Position.from_array(board))
        for evaluator, ply in ((None, 0), (network, 2)):
            result = bgfast.cube_decision(decision, evaluator, ply=ply).equities
            equity = 2 * wins / 36 - 1
            assert (result.no_double, result.double_take) == pytest.approx((equity, 2 * equity), abs=1e-12)
            assert result.doubles == (equity > 0)
            # After the Crawford game an underdog also doubles.
            trailer = replace(decision, match_length=5, score=(2, 4))
            trailer_equities = bgfast.cube_decision(trailer, evaluator, ply=ply).equities
            assert trailer_equities.no_double <= trailer_equities.double_take + 1e-12
            assert trailer_equities.doubles


def test_bearoffs_agree_with_the_exact_tables() -> None:
    position = Position.from_array([0, 2, 1, 0, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
    (exact_equities,) = Bearoff().doubling_equities([position])
    result = bgfast.cube_decision(Decision(position=position), ply=0).equities
    assert (result.no_double, result.double_take) == (exact_equities[1], exact_equities[2])
    formula_equities = bgfast.cube.cube_actions(Bearoff()([position])[0], Decision(position=position))
    assert abs(formula_equities.no_double - exact_equities[1]) > 1e-3
