"""Analyses in SGF files: values, damage, and files written by bgfast and GNU Backgammon."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bgfast
from bgfast import Match
from bgfast.cli.main import main
from bgfast.matches import AnalysisComparison
from bgfast.records.recorded_analysis import CandidatePlay, CubeChances, CubeEquities, DecisionAnalysis
from tests.support.gnubg import run_commands

EVALUATOR = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
MATCH_HEAD = "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[Anna]PB[Bob]RU[Crawford]"
MONEY_HEAD = "(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[Anna]PB[Bob]"
PROBABILITY_TEXT = "0.55 0.15 0.01 0.12 0.005"
PROBABILITIES = (0.55, 0.15, 0.01, 0.12, 0.005)
BEST_PLAY = f"hefe E ver 3 {PROBABILITY_TEXT} 0.16 2C 0 1 0.000000 1"
SECOND_PLAY = f"xwxu E ver 3 {PROBABILITY_TEXT} -0.04 0 0 1 0.000000 1"
PLAYS = f"A[1][{BEST_PLAY}][{SECOND_PLAY}]LU[0.21]"
CUBE = f"DA[E ver 3 2C 1 0.000000 1 {PROBABILITY_TEXT} 0.13 0.52 {PROBABILITY_TEXT} 0.13 0.48]"
ROLLOUT = (
    f"hefe X ver 3 Score 0.16 0.1 Trials 36 Output {PROBABILITY_TEXT} 0.1 0.53 StdDev 0 0 0 0 0 0 0.01 "
    'SK 0 RC 1 1 0 1 0 1 2 0 0 0 "" 7 cube0 ver 3 0C 1 0 0'
)
CUBE_ROLLOUT = (
    f"DA[X ver 3 Eq Trials 72 NoDouble Output {PROBABILITY_TEXT} 0.13 0.52 StdDev 0 0 0 0 0 0 0 "
    f"DoubleTake Output {PROBABILITY_TEXT} 0.13 0.48 StdDev 0 0 0 0 0 0 0 SK 0]"
)


def read(text: str) -> Match:
    match = bgfast.records.read_match(text)
    assert [action.name for action in match.history][:2] == ["roll", "play"]
    return match


# ---- values ----


def test_plays_and_luck_are_read() -> None:
    match = read(f"{MATCH_HEAD}\n;W[31xwxu]{PLAYS}\n)")
    assert not match.findings
    assert match.recorded_analysis[1] == DecisionAnalysis(
        (
            CandidatePlay("8/5 6/5", 0.16, PROBABILITIES, "2-ply"),
            CandidatePlay("24/23 24/21", -0.04, PROBABILITIES, "cubeless 0-ply"),
        ),
        1,
        luck=0.21,
    )


@pytest.mark.parametrize("node", ["take", "drop"])
def test_cube_decisions_are_read(node: str) -> None:
    events = f"\n;W[31hefe]\n;B[double]{CUBE}\n;W[{node}]{CUBE}\n"
    match = read(f"{MATCH_HEAD}{events})")
    chances = CubeChances(0.52, 0.48, PROBABILITIES, "2-ply")
    assert match.recorded_analysis == {2: DecisionAnalysis(cube=chances), 3: DecisionAnalysis(cube=chances)}
    equities = CubeEquities(0.52, 0.48, 1.0, PROBABILITIES, "2-ply")
    analyses = read(f"{MONEY_HEAD}{events})").recorded_analysis
    assert analyses[2].cube == analyses[3].cube == equities


def test_rollouts_are_read() -> None:
    match = read(f"{MATCH_HEAD}\n;W[31hefe]A[0][{ROLLOUT}]\n;B[double]{CUBE_ROLLOUT}\n)")
    play = CandidatePlay("8/5 6/5", 0.16, PROBABILITIES, "rollout 36 trials")
    assert match.recorded_analysis[1] == DecisionAnalysis((play,), 0)
    assert match.recorded_analysis[2].cube == CubeChances(0.52, 0.48, PROBABILITIES, "rollout 72 trials")


def test_match_winning_chances_are_converted_to_equities() -> None:
    """A win leads to the score 2-away, 3-away; a loss leads to 3-away, 2-away."""
    match = read(f"{MATCH_HEAD}\n;W[31hefe]\n;B[double]{CUBE}\n;W[take]{CUBE}\n)")
    _, double, take = bgfast.analyse_match(match, EVALUATOR, ply=0).recorded_judgements
    match_equity = bgfast.cube.MatchEquityTable.builtin()
    win, loss = match_equity(2, 3), match_equity(3, 2)
    no_double, double_take = (((2 * chance - win - loss) / (win - loss)) for chance in (0.52, 0.48))
    assert {choice.text: choice.equity for choice in double.choices} == pytest.approx(
        {"no double": no_double, "double": double_take}
    )
    assert {choice.text: choice.equity for choice in take.choices} == pytest.approx(
        {"take": -double_take, "drop": -1.0}
    )


# ---- damage ----


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        (PLAYS.replace("A[1]", "A[x]"), "the recorded play is 'x'; expected its index"),
        (PLAYS.replace("A[1]", "A[\u0661]"), "the recorded play is '\u0661'; expected its index"),
        (PLAYS.replace("0.16 2C", "\u0661 2C"), "expected numbers"),
        (PLAYS.replace("hefe", "he2e"), "a play is 'he2e'; expected letters of its moves"),
        (PLAYS.replace("hefe", "he" * 9), "expected letters of its moves"),
        (PLAYS.replace("ver 3", "ver 2", 1), "an evaluation is 'E ver 2 0.55 0.15 0.'; expected E or X"),
        (PLAYS.replace("0.16 2C", "nan 2C"), "an equity is nan"),
        (PLAYS.replace("0.16 2C", "1e9 2C"), r"an equity is 1e\+09"),
        (PLAYS.replace("0.16 2C", "0.16 2X"), "the plies are '2X'"),
        (PLAYS.replace("0.16 2C", "x 2C"), "expected numbers"),
        (f"A[0][hefe E ver 3 {PROBABILITY_TEXT}]LU[0.21]", "an evaluation has 5 values"),
        (f"A[0][{ROLLOUT.replace('Trials', 'Games')}]LU[0.21]", "expected Trials with a number"),
        (f"A[0][{ROLLOUT.replace('Output', 'Means')}]LU[0.21]", "expected Output with seven numbers"),
        ("A[0][]LU[0.21]", "an evaluation is ''"),
    ],
)
def test_damaged_plays_are_left_out(analysis: str, message: str) -> None:
    match = read(f"{MATCH_HEAD}\n;W[31hefe]{analysis}\n;B[64aggk]LU[x]\n)")
    (finding,) = match.findings
    assert re.search(message, finding.message), finding.message
    assert finding.message.startswith("2 parts of the file's analysis are damaged and left out, the first: ")
    assert (finding.kind, finding.severity, finding.line) == ("analysis", "warning", 2)
    assert match.recorded_analysis[1] == DecisionAnalysis(luck=0.21)


@pytest.mark.parametrize(
    ("cube", "message"),
    [
        (CUBE.replace("0.48]", "1.2]"), "a match-winning chance is 1.2; expected 0 to 1"),
        (CUBE.replace("0.48]", "nan]"), "a match-winning chance is nan"),
        (CUBE.replace(" 0.48]", "]"), "a cube decision has 17 values"),
        (CUBE_ROLLOUT.replace("DoubleTake", "Take"), "expected DoubleTake with seven numbers"),
        ("DA[]", "expected E or X of version 3"),
    ],
)
def test_damaged_cube_decisions_are_left_out(cube: str, message: str) -> None:
    match = read(f"{MATCH_HEAD}\n;W[31hefe]{PLAYS}\n;B[double]{cube}\n)")
    (finding,) = match.findings
    assert re.search(message, finding.message), finding.message
    assert finding.message.startswith("a part of the file's analysis is damaged and left out: ")
    assert len(match.recorded_analysis[1].plays) == 2
    assert match.recorded_analysis[2].cube is None


def test_damaged_probabilities_do_not_remove_the_play() -> None:
    analysis = PLAYS.replace(PROBABILITY_TEXT, "0.55 0.65 0.01 0.12 0.005", 1)
    match = read(f"{MATCH_HEAD}\n;W[31hefe]{analysis}\n)")
    assert len(match.findings) == 1
    plays = match.recorded_analysis[1].plays
    assert [play.probabilities for play in plays] == [None, PROBABILITIES]


def test_an_unlisted_recorded_play_is_unknown() -> None:
    match = read(f"{MATCH_HEAD}\n;W[31hefe]{PLAYS.replace('A[1]', 'A[7]')}\n)")
    assert match.recorded_analysis[1].played is None


# ---- files written by bgfast and GNU Backgammon ----


@pytest.fixture(scope="module")
def played_match() -> Match:
    """Return a match with doubles, takes and drops."""
    match = Match(5, dice=7)
    while len(match.history) < 90 and match.winner is None:
        if match.result is not None:
            match.next_game()
        elif match.phase == "doubled":
            match.take() if len(match.history) % 2 else match.drop()
        elif match.phase == "to_roll" and "double" in match.legal_actions() and len(match.history) > 20:
            match.double()
        elif match.phase in ("opening", "to_roll"):
            match.roll()
        elif not len(match.plays()):
            match.pass_turn()
        else:
            plays = match.plays()
            match.play(plays[len(plays) // 3])
    return match


@pytest.mark.parametrize("rollout", [False, True])
def test_files_of_bgfast_keep_equities(rollout: bool, played_match: Match) -> None:
    options = {"trials": 36, "truncate": 2} if rollout else {}
    analysis = bgfast.analyse_match(played_match, EVALUATOR, ply=0, rollout=rollout, **options)
    match = bgfast.records.read_match(analysis.to_sgf())
    assert not match.findings
    copy_analysis = bgfast.analyse_match(match, EVALUATOR, ply=0)
    judgements = dict(zip(analysis.decisions, copy_analysis.recorded_judgements, strict=True))
    for decision, judgement in judgements.items():
        if decision.recorded.kind == "resignation":
            continue
        equities = {choice.text: choice.equity for choice in decision.choices}
        recorded_equities = {choice.text: choice.equity for choice in judgement.choices}
        assert recorded_equities == pytest.approx(equities, abs=2e-5)
    if not rollout:
        comparison = AnalysisComparison([copy_analysis])
        assert comparison.gaps == pytest.approx([0, 0], abs=0.01)
        assert comparison.agreement("play") == comparison.agreement("double", "take") == 1


def test_files_of_gnu_backgammon_keep_errors(
    played_match: Match, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The errors in GNU Backgammon's analysis add up to the statistics in its file."""
    played_match.save(tmp_path / "match.mat")
    path = tmp_path / "match.sgf"
    run_commands(
        f"import mat {tmp_path / 'match.mat'}\nset analysis chequerplay evaluation plies 0\n"
        f"set analysis cubedecision evaluation plies 0\nanalyse match\nsave match {path}\n"
    )
    match = bgfast.load_match(path)
    assert not match.findings
    analysis = bgfast.analyse_match(match, EVALUATOR, ply=0)
    errors = {"play": 0.0, "cube": 0.0}
    for decision, judgement in zip(analysis.decisions, analysis.recorded_judgements, strict=True):
        if decision.recorded.kind != "resignation":
            assert judgement is not None, decision
            assert {choice.level for choice in judgement.choices} == {"0-ply"}
            errors["play" if decision.recorded.kind == "play" else "cube"] += judgement.error
    text = path.read_text(encoding="utf-8")
    for name, letter in (("play", "M"), ("cube", "C")):
        rows = re.findall(rf"\[{letter}:([^\]]*)", text)
        # Rows hold counts, and errors as pairs of EMG and MWC.
        total = sum(float(value) for row in rows for value in re.findall(r"\d+\.\d+", row)[::2])
        assert total > 0.1
        assert errors[name] == pytest.approx(total, abs=0.001)
    assert main(["compare", str(path), "--ply", "0", "-q"]) == 0
    assert "same cube action" in capsys.readouterr().out
