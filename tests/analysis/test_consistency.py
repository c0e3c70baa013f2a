"""All analyses of a position have equal numbers, to the last bit."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import isnan
from typing import Any

import pytest

import bgfast
from bgfast import ROLLS, Decision, Match
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.cli.main import main
from bgfast.cube import MatchEquityTable, roll_map, score_map
from bgfast.evaluators import Lookahead, WithBearoff
from bgfast.position.decision import after_turn
from tests.support.matches import random_match
from tests.support.ubgi_engines import answers

DECISIONS = {
    "opening, match": "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:3:10",
    "opening, money": "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:3:0:10",
    "bearing in, match": "XGID=-CB--cBDB-A-A---a--bbabbb-:1:1:1:00:2:1:0:7:10",
    "on the bar, money": "XGID=a-A-B-E-C--BAAa--cac--bbb-:0:0:1:00:0:0:0:0:10",
    "bear-off, match": "XGID=-BBCCCB------------bcccbb-:0:0:-1:00:3:1:0:5:10",
    "bear-off, money": "XGID=-BBC---------------bcb----:0:0:1:00:0:0:0:0:10",
}
ROLL = (3, 1)
# The depths 0 to 2 occur, and so do money play, match play and exact bear-off tables.
DEPTHS = {
    "opening, match": 0,
    "opening, money": 1,
    "bearing in, match": 1,
    "on the bar, money": 2,
    "bear-off, match": 1,
    "bear-off, money": 0,
}
AT_DEPTHS = pytest.mark.parametrize(("text", "ply"), [(DECISIONS[name], ply) for name, ply in DEPTHS.items()])
BUILTIN = WithBearoff(bgfast.Network.builtin())


def json_output(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json", "-q"] if arguments[0] == "rollout" else [*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def with_roll(text: str) -> str:
    return text.replace(":00:", ":{}{}:".format(*ROLL))


def analysis_of_worst_play(decision: Decision, roll: tuple[int, int] = ROLL, **options: Any) -> MatchAnalysis:
    """Return the analysis of a turn: this cube decision, a roll, and the worst play."""
    match = Match.from_decision(decision)
    match.roll(roll)
    match.play(Lookahead(BUILTIN, ply=0).best_plays(match.decision)[-1].play)
    return bgfast.analyse_match(match, **options)


def score_map_cell(decision: Decision, *arguments: Any, **options: Any) -> Any:
    """Return the answer of a score map at the score of the decision."""
    row, column = (decision.match_length - points for points in decision.score)
    return score_map(decision, *arguments, away=decision.match_length, **options).answers[row][column]


@AT_DEPTHS
def test_cube_actions_agree(text: str, ply: int, capsys: pytest.CaptureFixture[str]) -> None:
    decision = Decision.read(text)
    cube = bgfast.cube_decision(decision, ply=ply)
    assert not any(map(isnan, (cube.equities.no_double, cube.equities.double, cube.equities.double_take)))
    content = json.loads(json.dumps(cube.to_dict()))
    assert json_output(capsys, "analyse", text, "--ply", str(ply))["cube_decision"] == content
    if decision.match_length:
        assert json.loads(json.dumps(score_map_cell(decision, ply=ply).to_dict())) == content
    double, _ = analysis_of_worst_play(decision, ply=ply).decisions
    # Obvious decisions are not searched.
    expected = bgfast.cube_decision(decision, ply=double.best.ply)
    assert double.best.ply in (0, ply)
    assert double.no_double == expected.equities.no_double
    assert double.equity_of("double") == expected.equities.double
    assert double.taken.equity == expected.equities.double_take
    assert double.best.probabilities == expected.probabilities


@AT_DEPTHS
def test_answers_to_doubles_agree(text: str, ply: int, capsys: pytest.CaptureFixture[str]) -> None:
    match = Match.from_decision(Decision.read(text))
    if match.decision.cube_owner < 0 or "double" not in match.legal_actions():
        pytest.skip("no double is legal")
    match.double()
    offer = match.decision
    match.take()
    double, answer = bgfast.analyse_match(match, ply=ply).decisions
    double_equities, answer_equities = (
        bgfast.cube_decision(replace(offer, offer=None), ply=analysed.best.ply).equities
        for analysed in (double, answer)
    )
    assert double.no_double == double_equities.no_double
    for choice in answer.choices:
        assert choice.equity == -getattr(answer_equities, f"double_{choice.text}")
    cube = json_output(capsys, "analyse", offer.xgid, "--ply", str(answer.best.ply))["cube_decision"]
    equities = {item["action"].lower(): item["equity"] for item in cube["actions"]}
    assert all(equities[choice.text] == choice.equity for choice in answer.choices)


@AT_DEPTHS
def test_plays_agree(text: str, ply: int, capsys: pytest.CaptureFixture[str]) -> None:
    decision = Decision.read(with_roll(text))
    cube_decision = replace(decision, dice=None)
    search = Lookahead(BUILTIN, ply=ply)
    ranked_plays = search.best_plays(decision)
    plays = json_output(capsys, "analyse", with_roll(text), "--ply", str(ply), "--top", "100")["plays"]
    assert [(item["text"], item["ply"], item["equity"]) for item in plays] == [
        (str(item.play), item.ply, item.equity) for item in ranked_plays
    ]
    rolls = roll_map(cube_decision, ply=ply)
    index = ROLLS.index(ROLL)
    assert (rolls.plays[index].play, rolls.equities[index]) == (ranked_plays[0].play, ranked_plays[0].equity)
    if decision.match_length:
        assert list(score_map_cell(decision, ply=ply)) == list(ranked_plays)
    # Match analysis searches fewer plays, but always the recorded play; this search includes all plays.
    full_search = Lookahead(search.evaluator, ply=ply, candidates=(100,) * ply, threshold=(9.0,) * ply)
    equities = {str(item.play): item.equity for item in full_search.best_plays(decision)}
    static_equities = {str(item.play): item.equity for item in Lookahead(BUILTIN, ply=0).best_plays(decision)}
    *_, play = analysis_of_worst_play(cube_decision, ply=ply).decisions
    assert play.best.text == str(ranked_plays[0].play)
    assert play.best.ply == play.chosen.ply == ply
    for choice in play.choices:
        if choice.ply in (0, ply):
            assert choice.equity == (equities if choice.ply == ply else static_equities)[choice.text]


def test_all_analyses_include_the_opponents_double_after_a_play(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the opponent's double the best play would be worth 0.2 more."""
    text = "XGID=-cACaaC-D---A------bbd-bBA:0:0:1:21:0:0:0:0:10"
    decision = Decision.read(text)
    network = bgfast.Network.builtin_fast()
    ranked_plays = network.best_plays(decision, ply=0)
    search = Lookahead(network, ply=0)
    evaluation = search.evaluation(after_turn(decision, ranked_plays[0].play.position))
    assert ranked_plays[0].equity == -1 < -evaluation.equity - 0.2
    assert search.best_plays(decision) == ranked_plays
    assert (
        bgfast.analyse(decision, evaluator=network, ply=0)
        == bgfast.analyse(text, evaluator=network, ply=0)
        == ranked_plays
    )
    batch_plays = Lookahead(lambda boards: network(boards), ply=0).best_plays(decision)
    expected = [(str(item.play), pytest.approx(item.equity, abs=1e-6)) for item in ranked_plays]
    assert [(str(item.play), item.equity) for item in batch_plays] == expected
    options = ("--evaluator", "builtin-fast", "--ply", "0", "--top", "100")
    plays = json_output(capsys, "analyse", text, *options)["plays"]
    assert [(item["text"], item["equity"]) for item in plays] == expected
    lines = answers(f"position xgid {text}\ngo chequer\n")
    equities = [float(line.split(" eq ")[1].split()[0]) for line in lines if " eq " in line]
    assert equities[0] == round(ranked_plays[0].equity, 6)
    cube_decision = replace(decision, dice=None)
    play = analysis_of_worst_play(cube_decision, (2, 1), evaluator=network, ply=0).decisions[-1]
    assert play.best.equity == ranked_plays[0].equity


def test_analyses_with_the_same_search_agree() -> None:
    evaluator = WithBearoff(bgfast.Network.builtin_fast())
    search = Lookahead(evaluator, ply=1, candidates=(3,), threshold=(0.05,))
    options: dict[str, Any] = {"met": MatchEquityTable.builtin(), "efficiency": "gnubg"}
    decision = Decision.read(DECISIONS["opening, match"])
    cube = bgfast.cube_decision(decision, search, **options)
    double, play = analysis_of_worst_play(decision, evaluator=search, **options).decisions
    double_search = search if double.best.ply else Lookahead(evaluator, ply=0)
    assert double.no_double == bgfast.cube_decision(decision, double_search, **options).equities.no_double
    assert score_map_cell(decision, search, **options).equities.no_double == cube.equities.no_double
    rolls = roll_map(decision, search, **options)
    assert play.best.equity == rolls.equities[ROLLS.index(ROLL)]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("XGID=-CB--cBDB-A-A---a--bbabbb-:0:0:1:00:0:0:0:7:6", "Too good to double, drop"),
        ("XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:3:0:10", "No double, take"),
        ("XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:00:0:0:0:7:10", "No redouble, take"),
    ],
)
def test_table_and_decision_of_a_rollout_agree(
    text: str, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("rollout", text, "--trials", "72", "--truncate", "5", "--seed", "3")
    assert main([*options, "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (verdict,) = (line for line in lines if line.startswith(f"{action}; "))
    rows = [re.fullmatch(r" {3}((?:no |)\w+(?:, \w+|)) +([+-]\d\.\d{4}).*", line) for line in lines]
    equities = {row[1].replace("redouble", "double"): float(row[2]) for row in rows if row}
    answer = min(value for name, value in equities.items() if name.startswith("double"))
    no_double = equities["no double"]
    assert action.startswith("Too good" if no_double > 1 else "No" if no_double > answer else "Double")
    assert action.endswith("drop") == (equities["double, take"] > equities["double, drop"])
    costs = [float(cost) for cost in re.findall(r"costs (\d\.\d{3}) ± \d\.\d{3}", verdict)]
    assert costs == pytest.approx(
        [abs(no_double - answer), abs(equities["double, take"] - equities["double, drop"])], abs=6e-4
    )
    assert re.search(r"; a (re|)double costs .*, a (\w+) costs", verdict)[2] != action.split()[-1]
    cube = json_output(capsys, *options)["cube"]
    assert (cube["proper_action"], round(cube["no_double"], 4)) == (action, no_double)
    assert round(cube["double_take"], 4) == equities["double, take"]


# ---------------------------------------------------------------- matches


def mirror(match: Match) -> Match:
    """Return the same match with the players exchanged."""
    twin = Match(match.length, match.rules, crawford=match.state.crawford)
    for action in match.history:
        player = None if action.player is None else 1 - action.player
        dice: Any = action.dice
        if action.name in ("roll", "roll_again"):
            twin.roll(dice[::-1] if action.player is None or twin.phase == "opening" else dice)
        elif action.name == "play":
            twin.play(action.text or next(play for play in twin.plays() if play.position == action.after))
        elif action.name == "resign":
            twin.resign(action.level, by=player)
        else:
            getattr(twin, action.name)()
    return twin


def choice_summary(item: AnalysedDecision, player: int) -> tuple[Any, ...]:
    """Return the player, the decision, and the choices in order."""
    recorded = item.recorded
    choices = [(choice.text, choice.ply, choice.probabilities) for choice in item.choices]
    return player, recorded.kind, recorded.chosen, recorded.game, choices, item.rank


def decision_values(item: AnalysedDecision) -> list[float]:
    """Return all equities and match winning chances of a decision."""
    choices = [*item.choices, *([item.taken] if item.taken is not None else [])]
    values = [value for choice in choices for value in (choice.equity, choice.mwc) if value is not None]
    return [*values, item.error, item.spread]


@pytest.mark.parametrize(("seed", "length"), [(3, 3), (5, None)])
def test_numbers_do_not_depend_on_the_order_of_players(seed: int, length: int | None) -> None:
    match = random_match(seed, length)
    twin = mirror(match)
    assert twin.score == match.score[::-1]
    options: dict[str, Any] = {"evaluator": bgfast.Network.builtin_fast(), "ply": 1}
    analysis, twin_analysis = bgfast.analyse_match(match, **options), bgfast.analyse_match(twin, **options)
    assert len(analysis.decisions) > 40
    for item, twin_item in zip(analysis.decisions, twin_analysis.decisions, strict=True):
        assert choice_summary(item, item.recorded.player) == choice_summary(
            twin_item, 1 - twin_item.recorded.player
        )
        # Match equity tables store the chances of one player; the opponent's chances are rounded.
        expected = decision_values(twin_item)
        assert decision_values(item) == (pytest.approx(expected, abs=1e-12) if length else expected)
    luck, twin_luck = ([roll.luck for roll in item.rolls] for item in (analysis, twin_analysis))
    assert luck == pytest.approx(twin_luck, abs=1e-12)
    prs, twin_prs = ([rates.pr for rates in item.rates] for item in (analysis, twin_analysis))
    assert prs == pytest.approx(twin_prs[::-1])


def test_threads_change_nothing() -> None:
    match = Match(5, dice=3)
    player = Lookahead(bgfast.evaluators.PipCount(), ply=0)
    for _ in range(6):
        match.roll()
        match.play(player.best_plays(match.decision)[0].play)
    report, threaded_report = (
        bgfast.analyse_match(match, bgfast.Network.builtin_fast(), ply=1, threads=threads).to_json()
        for threads in (1, 3)
    )
    assert report == threaded_report
