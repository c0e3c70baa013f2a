"""``bgfast analyse -`` and ``bgfast analyse < FILE``: pasted matches and positions."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bgfast import Decision
from bgfast.cli.main import main
from tests.support.command_line import Capture, get_error
from tests.support.position_texts import blitz_text, gnubg_text, xg_text

OPTIONS = ["--evaluator", "builtin-fast", "--ply", "0"]
MATCH = """ 3 point match

 Game 1
 Anna : 0                        Bob : 0
  1) 31: 13/9                     64: 24/14
  2) 52: 13/8 13/11               Doubles => 2
  3)  Drops                       Wins 1 point

 Game 2
 Anna : 0                        Bob : 1
  1) 31: 8/5 6/5                  64: 24/14
"""
FAULTY_MATCH = MATCH.replace("8/5 6/5", "8/5 6/4")

Paste = Callable[[str], None]


def analyse(capsys: Capture, *arguments: str) -> str:
    """Return the output of a fast analysis."""
    assert main(["analyse", *arguments, *OPTIONS]) == 0
    return capsys.readouterr().out


@pytest.fixture
def paste(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paste:
    def paste_text(text: str) -> None:
        (tmp_path / "pasted").write_text(text)
        file = os.open(tmp_path / "pasted", os.O_RDONLY)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.FileIO(file)))

    return paste_text


@pytest.mark.parametrize("options", [[], ["-"]])
def test_pasted_text_is_analysed(options: list[str], paste: Paste, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "match.mat").write_text(MATCH)
    for text, operands in ((MATCH, [str(tmp_path / "match.mat")]), ("\nstart 31\n", ["start", "31"])):
        paste(text)
        assert analyse(capsys, *options) == analyse(capsys, *operands)


def test_a_lesson_may_resemble_a_match(paste: Paste, tmp_path: Path, capsys: Capture) -> None:
    ids = [
        "XGID=-O-----------------aaa----:1:1:1:00:0:0:3:0:10",
        "XGID=-BCBC-D------------bbcbba-:1:1:1:55:0:0:3:0:10",
    ]
    text = f"Player 2\n\nUnlimited Game\nJacoby Beaver\n{ids[0]}\nWhat now?\n\n{ids[1]}\nand not {ids[0]}\n"
    (tmp_path / "lesson.txt").write_text(text)
    paste(text)
    expected = analyse(capsys, "-")
    assert [line for line in expected.splitlines() if "XGID" in line] == [
        f"line 5: {ids[0]}",
        f"line 8: {ids[1]}",
    ]
    for arguments in ([], ["--positions"]):
        assert analyse(capsys, *arguments, str(tmp_path / "lesson.txt")) == expected
    assert main(["check", str(tmp_path / "lesson.txt")]) == 2
    assert "no match in it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "standard input, line 1, column 1: no match in it"),
        ("neither this nor that", "standard input, line 1, column 1: no match in it"),
    ],
)
def test_bad_text_is_refused(text: str, message: str, paste: Paste, tmp_path: Path, capsys: Capture) -> None:
    paste(text)
    assert message in get_error(capsys, "report", "-", "--html", str(tmp_path / "page.html"), *OPTIONS)
    assert not (tmp_path / "page.html").exists()
    if not text:
        assert "nothing on standard input; expected recorded" in get_error(capsys, "analyse", "-", *OPTIONS)


def test_errors_of_a_pasted_match_are_reported(paste: Paste, capsys: Capture) -> None:
    paste(FAULTY_MATCH)
    assert main(["report", "-", *OPTIONS]) == 0
    captured = capsys.readouterr()
    assert "Bob wins 1 point" in captured.out
    assert captured.err.splitlines() == [
        "bgfast: standard input: 1 error",
        "bgfast:   line 11, column 6: error: game 2, move 1: illegal play '8/5 6/4' for 3-1: no die or "
        "combination of 3-1 gives the 2 pips of 6/4",
    ]


def test_a_truncated_game_is_analysed(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "cut.mat"
    file.write_text(
        " 3 point match\n\n Game 1\n Anna : 0     Bob : 0\n  1) 31: 13/9    64: 24/14\n  2) 31: 8"
    )
    assert main(["analyse", str(file), *OPTIONS]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(
        "Anna - Bob: match to 3, score 0-0, not finished, board unknown in 1 game "
    )
    assert "13/9; best 8/5 6/5" in captured.out
    assert "cannot read part 1 of the play" in captured.err


def test_files_without_games_are_omitted(tmp_path: Path, capsys: Capture) -> None:
    money_match, faulty_match = (text.replace(" 3 point", " 0 point") for text in (MATCH, FAULTY_MATCH))
    incomplete_match = money_match + "  2) 31: 8/x\n"
    for number, text in enumerate((money_match, faulty_match, "nothing", incomplete_match), 1):
        (tmp_path / f"{number}.mat").write_text(text)
    assert main(["report", str(tmp_path), *OPTIONS]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert [Path(line.split(":")[0]).name for line in lines[:3]] == ["1.mat", "2.mat", "4.mat"]
    assert "board unknown in 1 game, not in the totals" in lines[2]
    assert [line.split()[1] for line in lines[4:]] == ["2", "2"]  # each player has two matches
    assert captured.err.splitlines()[-1] == "bgfast: 3 of 4 files read, 2 with errors"
    (tmp_path / "1.mat").unlink()
    (tmp_path / "2.mat").unlink()
    (tmp_path / "4.mat").write_text("nothing")
    assert main(["report", str(tmp_path), *OPTIONS]) == 2


DECISION = Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10")


def test_positions_within_text_are_found(paste: Paste, tmp_path: Path, capsys: Capture) -> None:
    for text, expected_position in (
        (xg_text(DECISION, "French"), DECISION.xgid),
        (blitz_text(DECISION), DECISION.xgid),
        (gnubg_text(DECISION), DECISION.gnubg_id),
        (f"What now?\nhttps://example.org/{DECISION.xgid.replace(':', '%3A')}&x=1\n", DECISION.xgid),
        (f"OGID={DECISION.ogid}\n", DECISION.ogid),
        ("start 31\n", "start 31"),
    ):
        paste(text)
        expected = analyse(capsys, *expected_position.split())
        assert analyse(capsys, "-") == analyse(capsys, str(tmp_path / "pasted")) == expected


def test_files_with_invalid_positions_are_refused(paste: Paste, tmp_path: Path, capsys: Capture) -> None:
    for text, message in (
        ("start 31\nstrat 65\n", "line 2: 'strat' is not a position; expected start"),
        (xg_text(DECISION).replace(":31:", ":71:"), "line 1: field 5 (dice) of the XGID is '71'"),
    ):
        paste(text)
        assert message in get_error(capsys, "analyse", str(tmp_path / "pasted"), *OPTIONS)


def test_a_zip_on_standard_input_is_refused(paste: Paste, capsys: Capture) -> None:
    paste("PK\x03\x04\n31\n")
    assert "line 1, column 1: a zip; expected a file from it" in get_error(capsys, "analyse", "-", *OPTIONS)
