"""Commands that read records: `check`, `convert`, `show`, `analyse`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import Match
from bgfast.analysis.matches import match_analysis
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.recorded_decisions import recorded_decisions
from bgfast.cli import check, recorded_matches
from bgfast.cli.main import main
from bgfast.errors import one_line
from bgfast.records.match_files import load_matches, recorded_games
from tests.support.binary_matches import xg_file, xg_records
from tests.support.command_line import Capture
from tests.support.finished_matches import play_on
from tests.support.site_records import MAT_CASES, worst_of

CLEAN = MAT_CASES["losses, left, own row"].text
NOTED = MAT_CASES["forfeited, cube on 1"].text
WARNED = MAT_CASES["wrong points of a drop"].text
HIDDEN = MAT_CASES["a hidden play in the middle of a game"].text
WRONG = MAT_CASES["a checker moved backwards"].text


def save(tmp_path: Path, **texts: str) -> list[str]:
    """Write files and return their paths."""
    for name, text in texts.items():
        (tmp_path / f"{name}.mat").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.mat") for name in texts]


def test_check_agrees_with_load_match(tmp_path: Path, capsys: Capture) -> None:
    paths = save(tmp_path, **{str(index): case.text for index, case in enumerate(MAT_CASES.values())})
    found = [bgfast.load_match(path).findings for path in paths]
    assert main(["check", "--json", *paths]) == int("error" in map(worst_of, found))
    files = json.loads(capsys.readouterr().out)["files"]
    for name, content, findings in zip(MAT_CASES, files, found, strict=True):
        expected = [{**item._asdict(), "message": one_line(item.message)} for item in findings]
        assert content["findings"] == json.loads(json.dumps(expected)), name


def test_check_of_several_files_has_the_worst_status(tmp_path: Path, capsys: Capture) -> None:
    clean, warned, wrong, nothing = save(tmp_path, clean=CLEAN, warned=WARNED, wrong=WRONG, nothing="?\n")
    assert main(["check", clean, warned]) == 0
    assert main(["check", "--strict", clean, warned]) == 1
    assert main(["check", wrong, clean]) == 1
    assert main(["check", nothing, wrong, clean]) == 2
    assert main(["check", clean, nothing]) == 2
    capsys.readouterr()


def test_converted_files_have_the_same_results(tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "out.sgf")
    for name, case in list(MAT_CASES.items())[::4]:  # tests/records/ convert all
        (path,) = save(tmp_path, record=case.text)
        match = bgfast.load_match(path)
        assert main(["convert", path, out, "--force"]) == 0, name
        err = capsys.readouterr().err
        assert bool(err) == bool(match.findings), err
        if match.findings:
            assert sum(map(int, re.findall(r"(\d+) (?:error|warning|note)s?\b", err))) == len(match.findings)
            assert "\\n" not in err
            worst = next(item for item in match.findings if item.severity == worst_of(match.findings))
            assert worst.message in err
        assert bgfast.load_match(out).results == match.results, name


@pytest.mark.parametrize("text", [CLEAN, NOTED, WARNED, WRONG])
def test_analyse_continues_after_damage(text: str, tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record=text)
    match = bgfast.load_match(path)
    assert main(["analyse", path, "--ply", "0", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert bool(err) == bool(match.findings), err
    if match.findings:
        worst = next(item for item in match.findings if item.severity == worst_of(match.findings))
        assert worst.message in err


def test_folder_of_files_with_notes(tmp_path: Path, capsys: Capture) -> None:
    save(tmp_path, clean=CLEAN, noted=NOTED, again=NOTED)
    assert main(["analyse", str(tmp_path), "--ply", "0"]) == 0
    out, err = capsys.readouterr()
    assert "3 of 3 files read, 2 with notes" in out + err


SHORT = xg_file(xg_records(play_on(Match(1, dice=3), 12)))
FAILURES: dict[str, tuple[type[Exception], str]] = {
    "b": (ValueError, "ValueError: out of range"),
    "c": (MemoryError, "MemoryError: out of range"),
    "d": (bgfast.BgfastError, "out of range"),
}
"""Exceptions of the files of a folder, and the lines that report them."""


@pytest.mark.parametrize("stage", ["reading", "analysis", "report"])
@pytest.mark.parametrize("command", ["analyse", "compare", "check"])
def test_an_exception_of_a_file_does_not_end_a_batch(
    command: str, stage: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [f"{name}.xg" for name in "abcde"]
    for file in files:
        Path(file).write_bytes(SHORT)
    read: list[str] = []

    def fail(at: str) -> None:
        kind, _ = FAILURES.get(Path(read[-1]).stem, (None, ""))
        if at == stage and kind is not None:
            raise kind("out of range")

    def failing_load(name: str) -> Iterator[Match]:
        read.append(name)
        fail("reading")
        yield from load_matches(name)

    def failing_games(file: Any, name: str) -> Iterator[tuple[int, Match, bool]]:
        read.append(name)
        for game in recorded_games(file, name):
            fail(stage)
            yield game

    def failing_content(analysis: MatchAnalysis) -> dict[str, Any]:
        fail("report")
        return {}

    def failing_judgements(analysis: MatchAnalysis) -> list[Any]:
        fail("report")
        return [None] * len(analysis.decisions)

    def failing_decisions(match: Match) -> list[Any]:
        fail("analysis")
        return recorded_decisions(match)

    monkeypatch.setattr(recorded_matches, "load_matches", failing_load)
    monkeypatch.setattr(check, "recorded_games", failing_games)
    monkeypatch.setattr(match_analysis, "recorded_decisions", failing_decisions)
    monkeypatch.setattr(MatchAnalysis, "to_dict", failing_content)
    monkeypatch.setattr(MatchAnalysis, "recorded_judgements", property(failing_judgements))
    options = [] if command == "check" else ["--ply", "0", "--json"]
    status = main([command, *options, "--quiet", *files])
    out, err = capsys.readouterr()
    assert status == (2 if command == "check" else 0)
    lines = [line.partition("error: ")[2].partition(" (test_")[0] for line in err.splitlines()]
    assert list(filter(None, lines)) == [f"'{name}.xg': {text}" for name, (_, text) in FAILURES.items()]
    assert [name for name in "abcde" if f"{name}.xg" in out] == ["a", "e"]


def test_ctrl_c_ends_a_batch(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(recorded_matches, "load_matches", interrupted)
    monkeypatch.setattr(check, "recorded_games", interrupted)
    files = save(tmp_path, clean=CLEAN, noted=NOTED)
    for command in ("analyse", "compare", "check"):
        assert main([command, *files]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_an_unknown_board_is_not_shown(tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record=HIDDEN)
    assert main(["show", path, "--move", "3"]) == 0
    capsys.readouterr()
    for words in (["--move", "4"], ["--game", "1"]):
        assert main(["show", path, *words]) == 2
        assert "the board is unknown there" in capsys.readouterr().err
    assert main(["analyse", path, "--ply", "0"]) == 0
    assert "board unknown from move 3" in capsys.readouterr().out
