"""Matches with their analysis as SGF: what stands in it, and that GNU Backgammon finds the same there."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import bgfast
from bgfast import Match, MatchInfo, RuleSet
from bgfast.analysis.decisions.players import player_of
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from tests.support.gnubg_matches import told

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
NAMES = ("Anna [x] \\ ]", "Bob: the \\")


def played(match: Match, actions: int) -> Match:
    """Go on: the first player plays what looks best, the other what looks worst, and some double."""
    player = player_of(FAST, 0, 0)
    while match.winner is None and len(match.history) < actions:
        if match.result is not None:
            match.next_game()
        elif match.phase == "opening":
            match.roll()
        elif match.phase == "doubled":
            match.take() if len(match.results) == 1 else match.drop()
        elif match.phase == "to_roll":
            doubles = "double" in match.legal_actions() and len(match.history) % 7 == 0
            match.double() if doubles else match.roll()
        elif not len(match.plays()):
            match.pass_turn()
        else:
            ranked = player.best_plays(match.decision)
            match.play(ranked[-1 if match.on_turn else 0].play)
    return match


@pytest.fixture(scope="module")
def found() -> MatchAnalysis:
    match = played(Match(5, dice=3, info=MatchInfo(players=NAMES)), 120)
    return bgfast.analyse_match(match, FAST, ply=0)


def nodes(text: str) -> list[str]:
    return re.findall(r"^;(.*)", text, re.MULTILINE)


def of_kind(found: MatchAnalysis, kind: str) -> list[AnalysedDecision]:
    return [each for each in found.decisions if each.recorded.kind == kind]


def numbers(text: str) -> list[float]:
    return [float(each) for each in text.split()]


# ---- what stands in it ----


def test_the_match_is_read_back_without_its_analysis(found: MatchAnalysis) -> None:
    again = bgfast.read_match(found.to_sgf())
    assert again.history == found.match.history
    assert again.info == found.match.info


def test_plays_best_first_and_which_was_made(found: MatchAnalysis) -> None:
    plays = of_kind(found, "play")
    written = re.findall(r"A\[(\d+)\]((?:\[[a-z]+ E [^\]]*\])+)", found.to_sgf())
    assert len(written) == len(plays)
    for each, (chosen, candidates) in zip(plays, written, strict=True):
        rows = re.findall(r"\[([a-z]+) E ver 3 (.*?) 0C 0 1 0.000000 0\]", candidates)
        assert each.choices[int(chosen)] is each.chosen
        for choice, (_, row) in zip(each.choices, rows, strict=True):
            assert numbers(row) == pytest.approx([*(choice.probabilities or ()), choice.equity], abs=1e-6)
    first = next(each for each in nodes(found.to_sgf()) if "A[" in each)
    moved = re.match(r"[WB]\[\d\d([a-z]+)\]", first)
    assert moved
    assert f"[{moved[1]} E " in first


def test_a_cube_for_the_player_on_roll(found: MatchAnalysis) -> None:
    doubles = of_kind(found, "double")
    text = found.to_sgf()
    analysed = [each for each in nodes(text) if "DA[" in each and not re.match(r"[WB]\[(take|drop)", each)]
    assert len(analysed) == len(doubles)
    for each, node in zip(doubles, analysed, strict=True):
        row = re.search(r"DA\[E ver 3 0C 1 0.000000 0 ([^\]]*)\]", node)
        assert row
        values = numbers(row[1])
        assert each.taken is not None
        waiting = next(one for one in each.choices if one.text == "no double")
        assert values[:5] == values[7:12] == pytest.approx(waiting.probabilities, abs=1e-6)
        assert (values[6], values[13]) == pytest.approx((waiting.mwc, each.taken.mwc), abs=1e-6)
        assert ("[double]" in node) == (each.recorded.chosen == "double")
    answers = [each for each in nodes(text) if re.match(r"[WB]\[(take|drop)", each)]
    told_twice = [
        before for before, each in zip(nodes(text), nodes(text)[1:], strict=False) if each in answers
    ]
    assert len(answers) == len(of_kind(found, "take")) >= 2
    for answer, double in zip(answers, told_twice, strict=True):
        assert re.findall(r"DA\[.*?\]", answer) == re.findall(r"DA\[.*?\]", double)


def test_marks_and_luck(found: MatchAnalysis) -> None:
    text = found.to_sgf()
    written = {
        mark: sum(text.count(word) for word in words)
        for mark, words in {
            "doubtful": ("DO[]", "DC[]"),
            "bad": ("BM[1]", "BC[1]"),
            "very bad": ("BM[2]", "BC[2]"),
        }.items()
    }
    assert written == {mark: sum(each.marks[mark] for each in found.rates) for mark in written}
    assert text.count("BC[") > 0
    luck = re.findall(r"([WB])\[\d\d[a-z]*\].*?LU\[(.*?)\](?:G([WB])\[(\d)\])?", text)
    assert [float(value) for _, value, _, _ in luck] == pytest.approx(
        [one.luck for one in found.rolls], abs=1e-5
    )
    assert {who for _, _, who, _ in luck} == {"", "W", "B"}
    for player, value, who, number in luck:
        size = abs(float(value))
        assert number == ("2" if size >= 0.6 else "1" if size >= 0.3 else "")
        assert not who or (who == player) == (float(value) > 0)


def test_a_take_that_was_looked_at_further_stands_for_both() -> None:
    match = Match(None, dice=[(3, 1), (6, 5)])
    match.roll()
    match.play("8/5 6/5")
    match.double()
    match.take()
    found = bgfast.analyse_match(match, FAST, ply=0)
    play, double, take = found.decisions
    further = tuple(each._replace(ply=2, equity=each.equity - 0.25) for each in take.choices)
    for answer, ply, more in ((take, 0, 0.0), (replace(take, choices=further), 2, 0.25)):
        text = MatchAnalysis(match, (play, double, answer), found.rolls, found.settings).to_sgf()
        first, second = re.findall(r"DA\[E ver 3 (\d)C 1 0.000000 0 ([^\]]*)\]", text)
        assert first == second
        assert double.taken is not None
        assert (int(first[0]), numbers(first[1])[-1]) == (
            ply,
            pytest.approx(double.taken.equity + more, abs=1e-6),
        )


@pytest.fixture(scope="module")
def rolled_out() -> MatchAnalysis:
    match = played(Match(5, dice=13), 24)
    return bgfast.analyse_match(match, FAST, ply=0, rollout=True, trials=36, truncate=2, seed=7)


def test_rollouts_have_trials_and_errors(rolled_out: MatchAnalysis) -> None:
    text = rolled_out.to_sgf()
    plays = [choice for each in of_kind(rolled_out, "play") for choice in each.choices if choice.trials]
    rows = re.findall(r"X ver 3 Score (\S+) \S+ Trials 36 Output (.*?) StdDev (.*?) SK 0 RC (.*?)\]", text)
    assert len(rows) == len(plays) > 2
    for choice, (score, means, errors, how) in zip(plays, rows, strict=True):
        assert choice.probabilities is not None
        assert choice.probabilities_se is not None
        assert float(score) == pytest.approx(choice.equity, abs=1e-9)
        assert numbers(means)[:5] == pytest.approx(list(choice.probabilities), abs=1e-9)
        assert numbers(means)[6] == pytest.approx(choice.mwc, abs=1e-9)
        assert numbers(errors)[:5] == pytest.approx(list(choice.probabilities_se), abs=1e-9)
        assert 0 < numbers(errors)[6] < choice.equity_se
        assert how.startswith('1 1 0 1 0 1 2 0 0 0 "bgfast" 7 cube0 ver 3 0C')
    rolled = [each for each in of_kind(rolled_out, "double") if each.taken and each.taken.trials]
    doubled = re.findall(r"DA\[X ver 3 Eq Trials 36 NoDouble .*? DoubleTake Output (.*?) StdDev", text)
    assert rolled
    chances = {each.taken.mwc for each in rolled if each.taken and each.taken.mwc is not None}
    assert sorted({numbers(each)[6] for each in doubled}) == pytest.approx(sorted(chances), abs=1e-9)


# ---- what GNU Backgammon makes of it ----


def statistics(folder: Path, found: MatchAnalysis) -> dict[str, list[float]]:
    """Return the first number of each player in GNU Backgammon's statistics, of plays before the cube."""
    file = folder / "analysed.sgf"
    file.write_text(found.to_sgf(), encoding="utf-8")
    said = told(f"set output matchpc off\nload match {file}\nshow statistics match\n")
    lines: dict[str, list[float]] = {}
    for name, row in re.findall(r"^(\w[\w ]+?)(?: \(.*?\))?  +([-+]?\d.*)$", said, re.MULTILINE):
        lines.setdefault(name, []).extend(
            float(each) for each in re.findall(r"[-+]?\d+(?:\.\d+)?", re.sub(r"\(.*?\)", "", row))
        )
    return lines


@pytest.mark.parametrize("kind", ["sight", "rollout", "money"])
def test_gnu_backgammon_counts_the_same_errors(
    kind: str, found: MatchAnalysis, rolled_out: MatchAnalysis, tmp_path: Path
) -> None:
    if kind == "money":
        match = played(Match(None, RuleSet(jacoby=True), dice=12), 81)
        analysis = bgfast.analyse_match(match, FAST, ply=0)
    else:
        analysis = found if kind == "sight" else rolled_out
    said = statistics(tmp_path, analysis)
    assert analysis.match.phase != "to_play"  # such a roll is not in the file
    totals = [-each for each in said["Error total EMG"]][:4]
    both = analysis.rates
    plays = [each.errors["play"] for each in both]
    cube = [each.error - each.errors["play"] for each in both]
    assert totals == pytest.approx([*plays, *cube], abs=0.002), said
    assert said["Unforced moves"] == [each.unforced_plays for each in both]
    assert said["Close or actual cube decisions"] == [each.close_cube_decisions for each in both]
    assert said["Luck total EMG"] == pytest.approx(analysis.luck, abs=0.002)
