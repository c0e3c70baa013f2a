"""SGF reports of matches: their properties, and agreement with GNU Backgammon's statistics."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import bgfast
from bgfast import Match, RuleSet
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.games import MatchInfo
from tests.support.gnubg import run_commands
from tests.support.matches import best_or_worst_play, match_with_plays, play_on

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
NAMES = ("Anna [x] \\ ]", "Bob: the \\")


@pytest.fixture(scope="module")
def analysis() -> MatchAnalysis:
    match = play_on(Match(5, dice=7, info=MatchInfo(players=NAMES)), play=best_or_worst_play, interval=7)
    return bgfast.analyse_match(match, FAST, ply=0)


def nodes(text: str) -> list[str]:
    return re.findall(r"^;(.*)", text, re.MULTILINE)


def decisions_of_kind(analysis: MatchAnalysis, kind: str) -> list[AnalysedDecision]:
    return [decision for decision in analysis.decisions if decision.recorded.kind == kind]


def floats(text: str) -> list[float]:
    return list(map(float, text.split()))


# ---- properties ----


def test_the_match_can_be_read_back(analysis: MatchAnalysis) -> None:
    match = bgfast.records.read_match(analysis.to_sgf())
    assert match.history == analysis.match.history
    assert match.info == analysis.match.info


def test_plays_are_sorted_and_have_the_recorded_index(analysis: MatchAnalysis) -> None:
    plays = decisions_of_kind(analysis, "play")
    written_plays = re.findall(r"A\[(\d+)\]((?:\[[a-z]+ E [^\]]*\])+)", analysis.to_sgf())
    assert len(written_plays) == len(plays)
    for decision, (chosen, candidates) in zip(plays, written_plays, strict=True):
        rows = re.findall(r"\[([a-z]+) E ver 3 (.*?) 0C 0 1 0.000000 0\]", candidates)
        assert decision.choices[int(chosen)] is decision.chosen
        for choice, (_, row) in zip(decision.choices, rows, strict=True):
            assert floats(row) == pytest.approx([*(choice.probabilities or ()), choice.equity], abs=1e-6)
    first = next(node for node in nodes(analysis.to_sgf()) if "A[" in node)
    play = re.match(r"[WB]\[\d\d([a-z]+)\]", first)
    assert f"[{play[1]} E " in first


def test_cube_analyses_are_for_the_player_on_roll(analysis: MatchAnalysis) -> None:
    doubles = decisions_of_kind(analysis, "double")
    text = analysis.to_sgf()
    cube_nodes = [node for node in nodes(text) if "DA[" in node and not re.match(r"[WB]\[(take|drop)", node)]
    assert len(cube_nodes) == len(doubles)
    for decision, node in zip(doubles, cube_nodes, strict=True):
        row = re.search(r"DA\[E ver 3 0C 1 0.000000 0 ([^\]]*)\]", node)
        values = floats(row[1])
        no_double = next(choice for choice in decision.choices if choice.text == "no double")
        assert values[:5] == values[7:12] == pytest.approx(no_double.probabilities, abs=1e-6)
        assert (values[6], values[13]) == pytest.approx((no_double.mwc, decision.taken.mwc), abs=1e-6)
        assert ("[double]" in node) == (decision.recorded.chosen == "double")
    pairs = [pair for pair in pairwise(nodes(text)) if re.match(r"[WB]\[(take|drop)", pair[1])]
    assert len(pairs) == len(decisions_of_kind(analysis, "take")) >= 2
    for double, answer in pairs:
        assert re.findall(r"DA\[.*?\]", answer) == re.findall(r"DA\[.*?\]", double)


def test_marks_and_luck_are_written(analysis: MatchAnalysis) -> None:
    text = analysis.to_sgf()
    marks = {"doubtful": "DO[] DC[]", "bad": "BM[1] BC[1]", "very bad": "BM[2] BC[2]"}
    counts = {mark: sum(map(text.count, properties.split())) for mark, properties in marks.items()}
    assert counts == {mark: sum(rates.marks[mark] for rates in analysis.rates) for mark in counts}
    assert text.count("BC[") > 0
    luck = re.findall(r"([WB])\[\d\d[a-z]*\].*?LU\[(.*?)\](?:G([WB])\[(\d)\])?", text)
    values = [float(value) for _, value, _, _ in luck]
    assert values == pytest.approx([roll.luck for roll in analysis.rolls], abs=1e-5)
    assert {lucky_player for _, _, lucky_player, _ in luck} == {"", "W", "B"}
    for player, value, lucky_player, level in luck:
        size = abs(float(value))
        assert level == ("2" if size >= 0.6 else "1" if size >= 0.3 else "")
        assert not lucky_player or (lucky_player == player) == (float(value) > 0)


def test_a_searched_take_replaces_the_static_take() -> None:
    match = match_with_plays("8/5 6/5", length=None)
    match.double()
    match.take()
    analysis = bgfast.analyse_match(match, FAST, ply=0)
    play, double, take = analysis.decisions
    searched_choices = tuple(choice._replace(ply=2, equity=choice.equity - 0.25) for choice in take.choices)
    for answer, ply, difference in ((take, 0, 0.0), (replace(take, choices=searched_choices), 2, 0.25)):
        text = MatchAnalysis(match, (play, double, answer), analysis.rolls, analysis.settings).to_sgf()
        first, second = re.findall(r"DA\[E ver 3 (\d)C 1 0.000000 0 ([^\]]*)\]", text)
        assert first == second
        assert int(first[0]) == ply
        assert floats(first[1])[-1] == pytest.approx(double.taken.equity + difference, abs=1e-6)


@pytest.fixture(scope="module")
def rollout_analysis() -> MatchAnalysis:
    match = play_on(Match(5, dice=185), 24, best_or_worst_play, 7)
    return bgfast.analyse_match(match, FAST, ply=0, rollout=True, trials=36, truncate=2, seed=7)


def test_rollouts_have_trials_and_standard_errors(rollout_analysis: MatchAnalysis) -> None:
    text = rollout_analysis.to_sgf()
    decisions = decisions_of_kind(rollout_analysis, "play")
    plays = [choice for decision in decisions for choice in decision.choices if choice.trials]
    rows = re.findall(r"X ver 3 Score (\S+) \S+ Trials 36 Output (.*?) StdDev (.*?) SK 0 RC (.*?)\]", text)
    assert len(rows) == len(plays) > 2
    for choice, (score, means, errors, context) in zip(plays, rows, strict=True):
        assert float(score) == pytest.approx(choice.equity, abs=1e-9)
        assert floats(means)[:5] == pytest.approx(list(choice.probabilities), abs=1e-9)
        assert floats(means)[6] == pytest.approx(choice.mwc, abs=1e-9)
        assert floats(errors)[:5] == pytest.approx(list(choice.probabilities_se), abs=1e-9)
        assert 0 < floats(errors)[6] < choice.equity_se
        assert context.startswith('1 1 0 1 0 1 2 0 0 0 "bgfast" 7 cube0 ver 3 0C')
    takes = [decision.taken for decision in decisions_of_kind(rollout_analysis, "double")]
    take_mwcs = {choice.mwc for choice in takes if choice.trials}
    take_rows = re.findall(r"DA\[X ver 3 Eq Trials 36 NoDouble .*? DoubleTake Output (.*?) StdDev", text)
    assert take_mwcs
    assert sorted({floats(row)[6] for row in take_rows}) == pytest.approx(sorted(take_mwcs), abs=1e-9)


# ---- agreement with GNU Backgammon ----


def statistics(folder: Path, analysis: MatchAnalysis) -> dict[str, list[float]]:
    """Return GNU Backgammon's statistics by label: a number per player, checker plays before cube actions."""
    file = folder / "analysed.sgf"
    file.write_text(analysis.to_sgf(), encoding="utf-8")
    output = run_commands(f"set output matchpc off\nload match {file}\nshow statistics match\n")
    numbers: dict[str, list[float]] = {}
    for name, row in re.findall(r"^(\w[\w ]+?)(?: \(.*?\))?  +([-+]?\d.*)$", output, re.MULTILINE):
        numbers.setdefault(name, []).extend(
            float(number) for number in re.findall(r"[-+]?\d+(?:\.\d+)?", re.sub(r"\(.*?\)", "", row))
        )
    return numbers


@pytest.mark.parametrize("kind", ["static", "rollout", "money"])
def test_gnu_backgammon_counts_the_same_errors(
    kind: str, analysis: MatchAnalysis, rollout_analysis: MatchAnalysis, tmp_path: Path
) -> None:
    if kind == "money":
        match = play_on(Match(None, RuleSet(jacoby=True), dice=12), 81, best_or_worst_play, 7)
        analysis = bgfast.analyse_match(match, FAST, ply=0)
    elif kind == "rollout":
        analysis = rollout_analysis
    gnubg_statistics = statistics(tmp_path, analysis)
    assert analysis.match.phase != "to_play"  # an unplayed roll would not be in the file
    totals = [-total for total in gnubg_statistics["Error total EMG"]][:4]
    player_rates = analysis.rates
    play_errors, cube_errors = [0.0, 0.0], [0.0, 0.0]
    for decision in analysis.decisions:
        # GNU Backgammon subtracts equities; bgfast estimates rollout errors from two halves of the trials.
        error = decision.error if kind != "rollout" else decision.best.equity - decision.chosen.equity
        (play_errors if decision.recorded.kind == "play" else cube_errors)[decision.recorded.player] += error
    assert totals == pytest.approx([*play_errors, *cube_errors], abs=0.002), gnubg_statistics
    assert gnubg_statistics["Unforced moves"] == [rates.unforced_plays for rates in player_rates]
    close_counts = [rates.close_cube_decisions for rates in player_rates]
    assert gnubg_statistics["Close or actual cube decisions"] == close_counts
    assert gnubg_statistics["Luck total EMG"] == pytest.approx(analysis.luck, abs=0.002)
