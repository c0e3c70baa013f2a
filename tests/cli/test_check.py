"""`bgfast check`, `bgfast convert`, and recorded matches in `bgfast show` and `bgfast game`."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import bgfast
from bgfast import Match
from bgfast.analysis.matches import match_analysis
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.recorded_decisions import extract_decisions
from bgfast.cli import check
from bgfast.cli.main import main
from bgfast.errors import one_line
from bgfast.records import match_files
from bgfast.records.match_files import iterate_games, read_matches
from tests.records.test_match_files import RECORDS
from tests.support.binary_matches import xg_file, xg_records
from tests.support.command_line import Capture, get_error, run
from tests.support.matches import play_on
from tests.support.site_records import MAT_CASES, worst_of

CRAWFORD, SESSION = RECORDS / "crawford.mat", RECORDS / "session.mat"


def test_a_summary_of_each_file_is_printed(capsys: Capture) -> None:
    assert main(["check", str(CRAWFORD), str(SESSION)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{CRAWFORD}: clean: 2 games, 119 plays",
        f"{SESSION}:31:35: note: game 1: O wins 2 points: the game does not show why",
        "    XGID=-EDB--------------------d-:1:1:1:00:0:0:2:0:10",
        f"{SESSION}: 1 note: 3 games, 74 plays",
    ]


HEAD = " 5 point match\n\n Game 1\n Anna : 0                        Bob : 0\n"
FINDINGS = {
    # text after the heading, line, column, game, move, severity, kind, message
    "an illegal play": ("  1) 31: 8/5 6/4\n", 5, 6, 1, 1, "error", "play", "illegal play '8/5 6/4' for 3-1"),
    "an illegal pass": ("  1) 31: no play   64: 24/14\n", 5, 6, 1, 1, "error", "play", "passing is not"),
    "a double before the opening": (
        "  1) Doubles => 2    31: 8/5 6/5\n", 5, 6, 1, 1, "error", "cube", "opening roll",
    ),
    "a roll instead of an answer": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) 64: 24/14\n", 6, 6, 1, 2, "error", "turn", "a double is",
    ),
    "the wrong winner of a drop": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) Drops\n     Wins 1 point\n",
        7, 6, 1, 0, "warning", "result", "X wins; expected O",
    ),
    "a win that the game does not explain": (
        "  1) 31: 8/5 6/5\n     Wins 4 points\n", 6, 6, 1, 0, "note", "result", "the game does not show why",
    ),
    "an unfinished match": (
        "  1) 31: 8/5 6/5   Resigns\n     Wins 2 points and the match\n",
        6, 6, 1, 0, "warning", "result", "the score is 2-0",
    ),
    "a play after the end": (
        "  1) 31: 8/5 6/5   Resigns\n     Wins 1 point\n  3) 31: 8/5 6/5\n",
        7, 6, 1, 2, "error", "result", "after the end of the game",
    ),
    "a wrong score": (
        "  1) 31: 8/5 6/5   Resigns\n     Wins 1 point\n Game 2\n Anna : 2     Bob : 0\n",
        7, 2, 2, 0, "warning", "score", "the score is 2-0; expected 1-0",
    ),
}  # fmt: skip
STATUS_BY_SEVERITY = {"note": 0, "warning": 0, "error": 1}


def test_findings_have_their_places(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "wrong\x1b.mat"
    for text, line, column, game, move, severity, kind, message in FINDINGS.values():
        path.write_text(HEAD + text, encoding="utf-8")
        status = main(["check", str(path), "--json"])
        (content,) = json.loads(capsys.readouterr().out)["files"]
        first, *_ = content["findings"]
        expected = {"line": line, "column": column, "game": game, "move": move, "severity": severity}
        assert {name: first[name] for name in expected} == expected
        assert first["kind"] == kind
        assert message in first["message"]
        severities = [finding["severity"] for finding in content["findings"]]
        assert status == max(map(STATUS_BY_SEVERITY.__getitem__, severities))
        assert main(["check", str(path), "--strict"]) == int(severities.count("note") < len(severities))
        assert content["clean"] == (severities.count("note") == len(severities))
        assert "\x1b" not in capsys.readouterr().out


def test_a_file_without_a_readable_game_is_refused(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "unread.mat"
    path.write_text(f"{HEAD}  1) 31: 8/5 6/x\n", encoding="utf-8")
    assert main(["check", str(path)]) == 2
    out = capsys.readouterr().out
    assert ":5:6: error: game 1" in out
    assert main(["check", str(path), "--json"]) == 2
    assert "no game can be read" in json.loads(capsys.readouterr().out)["files"][0]["error"]
    for arguments in (["convert", str(path), str(tmp_path / "out.mat")], ["analyse", str(path)]):
        assert "line 5, column 6: game 1" in get_error(capsys, *arguments)


def test_skipped_actions_and_unknown_boards_are_reported(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "skipped.mat"
    first_game = "  1) 31: 8/5 6/5     Takes\n  2) 65: 24/14     31: 8/4 6/5\n     Wins 1 point\n"
    second_game = " Game 2\n Anna : 1     Bob : 0\n  1) 31: 8/5 6/5\nnonsense\n"
    path.write_text(HEAD + first_game + second_game, encoding="utf-8")
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith("    ")] == [
        f"{path}:5:22: error: game 1, move 1: take: no double is pending; the action is left out",
        f"{path}:6:6: error: game 1, move 2: X rolls; expected O, who is on turn; the board is unknown from here",  # noqa: E501
        f"{path}:7:6: note: game 1: X wins 1 point: the board is unknown",
        f"{path}:11:1: error: game 2: 'nonsense'; expected a roll like '31: 8/5 6/5', Doubles, Takes, Drops or Wins",  # noqa: E501
        f"{path}: 3 errors, 1 note: 2 games, 4 plays",
    ]


def test_checking_continues_after_unreadable_files(tmp_path: Path, capsys: Capture) -> None:
    arguments = ["check", str(tmp_path), str(tmp_path / "missing"), str(CRAWFORD)]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == f"{CRAWFORD}: clean: 2 games, 119 plays\n"
    assert [line.rpartition("': ")[2][:20] for line in err.splitlines()] == [
        "no recorded match; e", "No such file or dire",
    ]  # fmt: skip
    assert main([*arguments, "--json"]) == 2
    files = json.loads(capsys.readouterr().out)["files"]
    assert [entry["clean"] for entry in files] == [False, False, True]
    assert "no recorded match; expected" in files[0]["error"]
    assert main(["check"]) == 2


def test_files_of_folders_and_zips_are_checked(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "matches"
    folder.mkdir()
    (folder / "other").write_text("no record", encoding="utf-8")
    shutil.copy(CRAWFORD, folder / "a.mat")
    archive = folder / "b.zip"
    with ZipFile(archive, "w") as file:
        file.writestr("c.mat", HEAD + "  1) 31: 8/5 6/4\n")
    assert main(["check", str(folder)]) == 1
    first, finding, *_, last = capsys.readouterr().out.splitlines()
    assert first == f"{folder}/a.mat: clean: 2 games, 119 plays"
    assert finding.startswith(f"{archive}/c.mat:5:6: error: game 1, move 1: ")
    assert last.startswith(f"{archive}/c.mat: 1 error")
    archive.write_bytes(b"PK")
    assert main(["check", str(archive)]) == 2
    assert "b.zip" in capsys.readouterr().err


def test_a_closed_pipe_ends_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class ClosedPipe(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    path = tmp_path / "wrong.mat"
    path.write_text(HEAD + "  1) 31: 8/5 6/4\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdout", ClosedPipe())
    arguments = argparse.Namespace(operands=[str(path)], json=False, quiet=True)
    with pytest.raises(BrokenPipeError):
        check.run(arguments)


def test_standard_input_stays_open(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, expected in (
        ("check -", "standard input: clean: 2 games, 119 plays\n"),
        ("show - --game 2 --move 1", "score 2 of 3 (Crawford game)"),
        ("convert - out.sgf --force", ""),
    ):
        for path, status in ((CRAWFORD, 0), (os.devnull, 2)):
            with open(path) as stream:
                monkeypatch.setattr("sys.stdin", stream)
                assert main(arguments.split()) == status
                assert not stream.closed
                os.fstat(stream.fileno())
            out, err = capsys.readouterr()
            assert expected in out if path == CRAWFORD else "standard input" in out + err
    assert bgfast.load_match("out.sgf").history == bgfast.load_match(CRAWFORD).history


def test_conversion_overwrites_only_with_force(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "out.sgf"
    assert main(["convert", str(CRAWFORD), str(target)]) == 0
    assert bgfast.load_match(target).history == bgfast.load_match(CRAWFORD).history
    old_content = target.read_bytes()
    assert "exists already" in get_error(capsys, "convert", str(SESSION), str(target))
    assert target.read_bytes() == old_content
    assert main(["convert", str(SESSION), str(target), "--force"]) == 0
    assert target.read_bytes() != old_content
    assert main(["convert", str(SESSION)]) == 2


def test_conversion_reports_errors(tmp_path: Path, capsys: Capture) -> None:
    source, target = tmp_path / "faulty.mat", tmp_path / "out.mat"
    head, _, rest = CRAWFORD.read_text(encoding="utf-8").partition(" Game 2")
    source.write_text(f"{head} Game 2{rest.replace(' 10) ', ' 10) nonsense ')}", encoding="utf-8")
    assert main(["convert", str(source), str(target)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"bgfast: {source}: 1 error"
    assert lines[1].startswith("bgfast:   line 51, column 6: error: game 2: 'nonsense")
    converted_match = bgfast.load_match(target)
    assert converted_match.history == bgfast.load_match(source).history
    assert not converted_match.findings


def test_show_prints_a_state(tmp_path: Path, capsys: Capture) -> None:
    assert main(["show", str(CRAWFORD), "--game", "2", "--move", "1", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["crawford"] is True or content["match_length"] == 3
    picture = tmp_path / "state.svg"
    assert main(["show", str(CRAWFORD), "--move", "3", "--player", "O", "--svg", str(picture)]) == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    capsys.readouterr()
    output = run(capsys, "show", str(CRAWFORD))
    assert main(["show", str(CRAWFORD), "--game", "1"]) == 0
    assert capsys.readouterr().out == output
    for arguments in (["--game", "9"], ["--move", "999"], ["--move", "1", "extra"]):
        assert "expected" in get_error(capsys, "show", str(CRAWFORD), *arguments)


def test_show_reports_findings(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "wrong.mat"
    path.write_text(HEAD + "  1) 31: 8/5 6/4     64: 24/14\n  2) 65: 24/13     Takes\n", encoding="utf-8")
    for move, expected in (("1", "X to play 3-1"), ("2", "X to play 6-5")):
        assert main(["show", str(path), "--game", "1", "--move", move]) == 0
        out, err = capsys.readouterr()
        assert expected in out
        head, first, second = err.splitlines()
        assert head == f"bgfast: {path}: 2 errors"
        assert first.startswith("bgfast:   line 5, column 6: error: game 1, move 1: illegal play '8/5 6/4'")
        assert second.startswith("bgfast:   line 6, column 20: error: game 1, move 2: take: no double")
    assert "expected at most 1, the number of games" in get_error(capsys, "show", str(path), "--game", "2")
    with path.open("a", encoding="utf-8") as file:
        file.write(" Game 2\n Anna : 0    Bob : 0\n  1) 31: 8/5 6/5\n")
    assert main(["show", str(path), "--game", "2"]) == 0
    assert capsys.readouterr().err == ""


def test_game_saves_records(tmp_path: Path, capsys: Capture) -> None:
    for index, arguments in enumerate((["--match", "3"], ["--games", "2"], [])):
        path = tmp_path / f"{index}.mat"
        assert main(["game", "--seed", "7", *arguments, "--save", str(path)]) == 0
        assert bgfast.load_match(path).length == (3 if index == 0 else None)
        assert main(["game", "--seed", "7", *arguments, "--save", str(path)]) == 2
        assert main(["game", "--seed", "7", *arguments, "--save", str(path), "--force"]) == 0
    capsys.readouterr()
    path = str(tmp_path / "exact.mat")
    assert "cannot be written" in get_error(capsys, "game", "--rules", "exact", "--save", path)


# ---- Commands that read records: `check`, `convert`, `show`, `analyse` ----

CLEAN_RECORD = MAT_CASES["losses, left, own row"].text
WARNING_RECORD = MAT_CASES["wrong points of a drop"].text
HIDDEN_PLAY_RECORD = MAT_CASES["a hidden play in the middle of a game"].text
ERROR_RECORD = MAT_CASES["a checker moved backwards"].text


def save(tmp_path: Path, **texts: str) -> list[str]:
    """Write files and return their paths."""
    for name, text in texts.items():
        (tmp_path / f"{name}.mat").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.mat") for name in texts]


def test_check_agrees_with_load_match(tmp_path: Path, capsys: Capture) -> None:
    paths = save(tmp_path, **{str(index): case.text for index, case in enumerate(MAT_CASES.values())})
    expected_findings = [bgfast.load_match(path).findings for path in paths]
    assert main(["check", "--json", *paths]) == int("error" in map(worst_of, expected_findings))
    files = json.loads(capsys.readouterr().out)["files"]
    for name, content, findings in zip(MAT_CASES, files, expected_findings, strict=True):
        expected = [{**item._asdict(), "message": one_line(item.message)} for item in findings]
        assert content["findings"] == json.loads(json.dumps(expected)), name


def test_check_of_several_files_has_the_worst_status(tmp_path: Path, capsys: Capture) -> None:
    texts = {"clean": CLEAN_RECORD, "warning": WARNING_RECORD, "error": ERROR_RECORD, "unreadable": "?\n"}
    clean_file, warning_file, error_file, unreadable_file = save(tmp_path, **texts)
    assert main(["check", clean_file, warning_file]) == 0
    assert main(["check", "--strict", clean_file, warning_file]) == 1
    assert main(["check", error_file, clean_file]) == 1
    assert main(["check", unreadable_file, error_file, clean_file]) == 2
    assert main(["check", clean_file, unreadable_file]) == 2
    capsys.readouterr()


FAILURES: dict[str, tuple[type[Exception], str]] = {
    "b": (ValueError, "ValueError: out of range"),
    "c": (MemoryError, "MemoryError: out of range"),
    "d": (bgfast.BgfastError, "out of range"),
}
"""Exceptions and their messages, by the stem of the file that causes the exception."""


@pytest.mark.parametrize("stage", ["reading", "analysis", "report"])
@pytest.mark.parametrize("command", ["analyse", "compare", "check"])
def test_an_exception_in_a_file_does_not_end_a_batch(
    command: str, stage: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [f"{name}.xg" for name in "abcde"]
    for seed, file in enumerate(files):
        Path(file).write_bytes(xg_file(xg_records(play_on(Match(1, dice=seed), 12))))
    read_names: list[str] = []

    def fail(current_stage: str) -> None:
        exception, _ = FAILURES.get(Path(read_names[-1]).stem, (None, ""))
        if current_stage == stage and exception is not None:
            raise exception("out of range")

    def read_or_fail(file: Any, name: str) -> Iterator[Match]:
        read_names.append(name)
        fail("reading")
        yield from read_matches(file, name)

    def iterate_or_fail(file: Any, name: str) -> Iterator[tuple[int, Match, bool]]:
        read_names.append(name)
        for game in iterate_games(file, name):
            fail(stage)
            yield game

    def wrap(failing_stage: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda subject: [fail(failing_stage), function(subject)][1]

    judgements = wrap("report", lambda analysis: [None] * len(analysis.decisions))
    monkeypatch.setattr(match_files, "read_matches", read_or_fail)
    monkeypatch.setattr(check, "iterate_games", iterate_or_fail)
    monkeypatch.setattr(match_analysis, "extract_decisions", wrap("analysis", extract_decisions))
    monkeypatch.setattr(MatchAnalysis, "to_dict", wrap("report", lambda analysis: {}))
    monkeypatch.setattr(MatchAnalysis, "recorded_judgements", property(judgements))
    options = [] if command == "check" else ["--ply", "0", "--json"]
    status = main([command, *options, "--quiet", *files])
    out, err = capsys.readouterr()
    assert status == (2 if command == "check" else 0)
    lines = [line.partition("error: ")[2].partition(" (test_")[0] for line in err.splitlines()]
    assert list(filter(None, lines)) == [f"'{name}.xg': {text}" for name, (_, text) in FAILURES.items()]
    assert [name for name in "abcde" if f"{name}.xg" in out] == ["a", "e"]


def test_ctrl_c_ends_a_batch(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(match_files, "read_matches", interrupt)
    monkeypatch.setattr(check, "iterate_games", interrupt)
    files = save(tmp_path, clean=CLEAN_RECORD, warning=WARNING_RECORD)
    for command in ("analyse", "compare", "check"):
        assert main([command, *files]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_an_unknown_board_is_not_shown(tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record=HIDDEN_PLAY_RECORD)
    assert main(["show", path, "--move", "3"]) == 0
    capsys.readouterr()
    for arguments in (["--move", "4"], ["--game", "1"]):
        assert main(["show", path, *arguments]) == 2
        assert "the board is unknown there" in capsys.readouterr().err
    assert main(["analyse", path, "--ply", "0"]) == 0
    assert "board unknown from move 3" in capsys.readouterr().out
