"""Comparison of recorded evaluations with bgfast's."""

from __future__ import annotations

import json
from math import nan
from pathlib import Path

import pytest

import bgfast
from bgfast import Decision, Match, Position
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.cli.main import main
from bgfast.cube import MatchEquityTable
from bgfast.matches import AnalysisComparison
from bgfast.records.recorded_analysis import CandidatePlay, CubeEquities, DecisionAnalysis
from tests.evaluation.test_match_equity import EXPLICIT_XML
from tests.records.test_xg import short_match
from tests.support.binary_matches import put, xg_file, xg_records
from tests.support.command_line import Capture
from tests.support.matches import match_with_plays

PLAYS = (
    CandidatePlay("6/5 8/5", 0.16, None, "3-ply"),  # the notation is not canonical
    CandidatePlay("13/9", -0.04, None, "2-ply"),
    CandidatePlay("24/20", -0.05, None, "2-ply"),
)


def analyse(plays: tuple[CandidatePlay, ...] = PLAYS, cube: CubeEquities | None = None) -> MatchAnalysis:
    """Return the analysis of the play 13/9 and of a turn without a double, with recorded evaluations."""
    match = match_with_plays("13/9", "24/13")
    match.recorded_analysis = {1: DecisionAnalysis(plays, 1), 3: DecisionAnalysis((), None, cube)}
    return bgfast.analyse_match(match, ply=0)


CUBE = CubeEquities(0.1, 0.2, 1.0, None, "XG Roller")


def test_recorded_evaluations_give_errors_prs_and_agreement() -> None:
    comparison = AnalysisComparison([analyse(cube=CUBE)])
    play, no_double = comparison.decisions
    assert play.recorded.error == pytest.approx(0.2)
    assert (play.recorded.best.text, play.recorded.best.level) == ("8/5 6/5", "3-ply")
    assert play.agrees
    assert play.analysed.recorded.chosen == "13/9"
    assert play.recorded.loss_of("24/20") == pytest.approx(0.21)
    assert play.recorded.loss_of("24/21 24/23") is None
    assert no_double.recorded.error == pytest.approx(0.1)
    assert no_double.recorded.best == ("double", 0.2, "XG Roller")
    assert not no_double.agrees
    first, second = comparison.players
    assert first.recorded_pr == pytest.approx(500 * 0.2)
    assert second.recorded_pr == pytest.approx(500 * 0.1)
    assert comparison.gaps[0] == pytest.approx(500 * (play.analysed.error - 0.2))
    assert comparison.agreement("play") == 1
    assert comparison.agreement("double") == 0
    assert comparison.cost("play") == 0
    assert comparison.cost("play", "double") == pytest.approx(500 * 0.1 / 2)  # bgfast would not double
    assert len(comparison.gaps) == 1  # bgfast does not count the turn without a double
    assert comparison.mean_gap == abs(comparison.gaps[0])
    largest_difference = max((item.difference for item in comparison.decisions), key=abs)
    assert comparison.worst(1)[0].difference == largest_difference


def test_answers_to_doubles_are_evaluated_for_the_responder() -> None:
    match = Match.from_decision(Decision(position=Position.start(), match_length=3, score=(0, 0)))
    match.double()
    match.drop()
    recorded_analysis = DecisionAnalysis(cube=CubeEquities(0.05, -0.3, 1.0, None, "3-ply"))
    match.recorded_analysis = {0: recorded_analysis, 1: recorded_analysis}
    double, answer = AnalysisComparison([bgfast.analyse_match(match, ply=0)]).decisions
    assert double.recorded.error == pytest.approx(0.35)
    assert answer.recorded.error == pytest.approx(1.3)
    assert answer.recorded.best[:2] == ("take", 0.3)


def test_missing_and_damaged_analyses_share_one_finding() -> None:
    damaged_plays = (CandidatePlay("8/5 6/5", nan, None, ""), *PLAYS[1:])
    comparison = AnalysisComparison([analyse(damaged_plays, CUBE)])
    assert [item.analysed.recorded.kind for item in comparison.decisions] == ["double"]
    (finding,) = comparison.findings
    assert finding.message == "the file has no usable analysis of 2 of 3 decisions"
    illegal_plays = (CandidatePlay("24/15", 0.5, None, "3-ply"), *PLAYS)
    assert AnalysisComparison([analyse(illegal_plays)]).decisions == ()
    comparison = AnalysisComparison([bgfast.analyse_match(analyse().match, ply=0)])
    assert comparison.mean_gap is not None
    comparison = AnalysisComparison([analyse((PLAYS[0], PLAYS[2]))])
    assert (comparison.decisions, comparison.correlation) == ((), None)


def test_reports_show_both_analyses() -> None:
    analysis = analyse(cube=CUBE)
    assert f"{'PR by the file':<20}{'100.00':>15}{'50.00':>15}" in analysis.to_text()
    row = analysis.rows()[0]
    assert (row["recorded_best"], row["recorded_error"]) == ("8/5 6/5", pytest.approx(0.2))
    content = json.loads(analysis.to_json())
    assert content["decisions"][0]["recorded"]["recorded_choices"][1]["level"] == "2-ply"
    assert content["summary"][1]["recorded_pr"] == pytest.approx(50)
    page = analysis.to_html()
    assert (
        "Analysis in the file: best 8/5 6/5 +0.160 (3-ply); played 13/9 −0.040 (2-ply), loss −0.200" in page
    )
    comparison = AnalysisComparison([analysis])
    assert json.loads(comparison.to_json())["cost"]["plays"] == 0
    assert "same best play            100.0%" in str(comparison)
    assert len(comparison.rows()) == 2
    analysis.match.recorded_analysis = {}
    analysis = bgfast.analyse_match(analysis.match, ply=0)
    assert "by the file" not in analysis.to_text() + analysis.to_html()
    assert (analysis.rows()[0]["recorded_error"], analysis.recorded_prs) == (None, (None, None))


def write_match_file(folder: Path, name: str = "a.xg", analysed: bool = True) -> Path:
    """Write a short match as eXtreme Gammon does, with or without an analysis."""
    path = folder / name
    path.write_bytes(xg_file(xg_records(short_match(), analysed=analysed), rollouts=1))
    return path


def run(*arguments: str | Path) -> int:
    return main(["compare", *map(str, arguments), "--ply", "0"])


def test_matches_have_names_in_all_outputs() -> None:
    analyses = [analyse(cube=CUBE), analyse(cube=CUBE)]
    assert AnalysisComparison(analyses).names == ("match 1", "match 2")
    comparison = AnalysisComparison(analyses, ["a.xg", "b\n.xg"])
    for items in (comparison.decisions, comparison.players):
        assert [item.match for item in items] == ["a.xg"] * 2 + ["b\n.xg"] * 2
    assert [row["match"] for row in comparison.rows()] == ["a.xg"] * 2 + ["b\n.xg"] * 2
    assert comparison.decisions[2].place == "b .xg, game 1, move 1"
    assert comparison.analysis_of(comparison.decisions[2]) is analyses[1]
    assert comparison.to_text().count("\na.xg\n") == 1
    assert comparison.to_text().count("a.xg, game 1, move 1: ") == 2


def test_the_command_compares_and_rolls_out(tmp_path: Path, capsys: Capture) -> None:
    path = write_match_file(tmp_path)
    match = bgfast.load_match(path)
    assert run(tmp_path) == 0
    expected = AnalysisComparison([bgfast.analyse_match(match, ply=0)], [path.name])
    output = capsys.readouterr()
    assert output.out.split() == str(expected).split()
    assert output.err == ""
    options = ["--json", "--rollout", "--trials", "36", "--worst", "2"]
    assert run(tmp_path, *options) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["players"] == json.loads(expected.to_json())["players"]
    assert [(item["match"], item["action"]) for item in content["rollouts"]] == [
        (path.name, item.analysed.recorded.action) for item in expected.worst(2)
    ]
    assert content["rollouts"][0]["trials"] == 36
    assert run(tmp_path, *options[1:]) == 0
    text = capsys.readouterr().out
    assert "Rollouts, 36 trials" in text
    assert run(path, "--csv") == 0
    assert capsys.readouterr().out == expected.to_csv()


def test_the_command_takes_a_match_equity_table(tmp_path: Path, capsys: Capture) -> None:
    path = write_match_file(tmp_path)
    (tmp_path / "met.xml").write_text(EXPLICIT_XML, encoding="utf-8")
    table = MatchEquityTable.read(tmp_path / "met.xml")
    assert run(path, "--csv", "--met", tmp_path / "met.xml") == 0
    analysis = bgfast.analyse_match(bgfast.load_match(path), ply=0, met=table)
    assert capsys.readouterr().out == AnalysisComparison([analysis], [path.name]).to_csv()
    assert run(path, "--csv") == 0
    assert capsys.readouterr().out != AnalysisComparison([analysis], [path.name]).to_csv()


def test_findings_of_files_are_reported(tmp_path: Path, capsys: Capture) -> None:
    write_match_file(tmp_path, "a.xg")
    write_match_file(tmp_path, "b.xg", analysed=False)
    records = xg_records(short_match())
    put(records[3], d2320=nan)
    (tmp_path / "c.xg").write_bytes(xg_file(records))
    (tmp_path / "d.xg").write_bytes(b"RGMH")
    assert run(tmp_path) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "bgfast: b.xg: contains no analysis; left out"
    assert lines[1] == "bgfast: c.xg: 1 warning"
    assert "the luck of a roll is nan" in lines[2]
    assert "d.xg" in lines[3]
    assert lines[4] == "bgfast: 3 of 4 files read, 1 with warnings"
    assert run(tmp_path / "b.xg") == 2
    assert "no match with its own analysis; expected one, as in .xg" in capsys.readouterr().err
