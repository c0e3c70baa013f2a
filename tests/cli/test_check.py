"""`bgfast check`, `bgfast convert`, and recorded matches in `bgfast show` and `bgfast game`."""

from __future__ import annotations

import argparse
import io
import json
import os
from pathlib import Path

import pytest

import bgfast
from bgfast.cli import check
from bgfast.cli.main import main
from tests.records.test_match_files import RECORDS

CRAWFORD, SESSION = RECORDS / "crawford.mat", RECORDS / "session.mat"


def test_clean_files_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(CRAWFORD), str(SESSION)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{CRAWFORD}: clean: 2 games, 119 plays",
        f"{SESSION}: clean: 3 games, 74 plays",
    ]


HEAD = " 5 point match\n\n Game 1\n Anna : 0                        Bob : 0\n"
SEEDED = {
    # what stands behind the head, line, column, game, move, kind, message
    "an illegal play": ("  1) 31: 8/5 6/4\n", 5, 6, 1, 1, "play", "illegal play '8/5 6/4' for 3-1"),
    "the higher die": ("  1) 31: 8/7\n", 5, 6, 1, 1, "play", "both numbers can be played, so both must be"),
    "another roll": ("  1) 31: 8/5 6/5   65: 24/14\n", 5, 20, 1, 1, "play", "illegal play '24/14' for 6-5"),
    "nobody stands there": ("  1) 31: 8/5 6/5   65: 11/5 11/6\n", 5, 20, 1, 1, "play", "stands on 11"),
    "a pass that is none": ("  1) 31:           64: 24/14\n", 5, 6, 1, 1, "play", "passing is not allowed"),
    "unreadable": ("  1) 31: 8/5 6/x\n", 5, 6, 1, 1, "text", "cannot read part 2 of the play"),
    "a tie": ("  1) 33: 8/5(2) 6/3(2)\n", 5, 6, 1, 1, "turn", "the opening roll is 3-3, a tie"),
    "twice the same": ("  1) 31: 8/5 6/5\n  2) 64: 24/14\n", 6, 6, 1, 2, "turn", "X rolls; expected O"),
    "a double before the opening": ("  1) Doubles => 2\n", 5, 6, 1, 1, "cube", "opening roll"),
    "not the owner": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) Takes   64: 24/14\n  3) 31: 13/10 24/23   Doubles => 4\n",
        7, 24, 1, 3, "cube", "X owns the cube and alone may double",
    ),
    "to a wrong value": ("  1) 31: 8/5 6/5    Doubles => 8\n", 5, 21, 1, 1, "cube", "doubles to 8; expected 2"),  # noqa: E501
    "a take of nothing": ("  1) 31: 8/5 6/5    Takes\n", 5, 21, 1, 1, "cube", "no double is pending"),
    "a beaver in a match": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) Beavers => 4\n", 6, 6, 1, 2, "cube", "no beavers in match play",  # noqa: E501
    ),
    "a roll instead of an answer": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) 64: 24/14\n", 6, 6, 1, 2, "turn", "a double is pending",
    ),
    "points of a drop": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) Drops\n                              Wins 2 points\n",
        7, 31, 1, 0, "score", "wins 2 points; expected 1 point",
    ),
    "the winner of a drop": (
        "  1) 31: 8/5 6/5    Doubles => 2\n  2) Drops\n     Wins 1 point\n", 7, 6, 1, 0, "result", "X wins; expected O",  # noqa: E501
    ),
    "points of a resignation": (
        "  1) 31: 8/5 6/5\n     Wins 5 points\n", 6, 6, 1, 0, "score", "wins 5 points; expected 1, 2 or 3",
    ),
    "not the match": (
        "  1) 31: 8/5 6/5\n     Wins 2 points and the match\n", 6, 6, 1, 0, "result", "it stands 2-0",
    ),
    "a play behind the end": (
        "  1) 31: 8/5 6/5\n     Wins 1 point\n  2) 31: 8/5 6/5\n", 7, 6, 1, 2, "result", "behind the end of the game",  # noqa: E501
    ),
    "the score": (
        "  1) 31: 8/5 6/5\n     Wins 1 point\n Game 2\n Anna : 2     Bob : 0\n", 7, 2, 2, 0, "score",
        "the score is 2-0; expected 1-0",
    ),
    "a double in the Crawford game": (
        "  1) 31: 8/5 6/5\n     Wins 3 points\n Game 2\n Anna : 3     Bob : 0\n  1) 31: 8/5 6/5\n     Wins 1 point\n"  # noqa: E501
        " Game 3\n Anna : 4     Bob : 0\n  1) 31: 8/5 6/5     Doubles => 2\n", 13, 22, 3, 1, "cube", "the Crawford game",  # noqa: E501
    ),
    "a game too many": (
        "  1) 31: 8/5 6/5\n     Wins 3 points\n Game 2\n Anna : 3     Bob : 0\n  1) 31: 8/5 6/5\n     Wins 2 points\n"  # noqa: E501
        " Game 3\n Anna : 5     Bob : 0\n  1) 31: 8/5 6/5\n", 11, 2, 3, 0, "score", "behind the end of the match",  # noqa: E501
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SEEDED)
def test_each_kind_of_error_is_found_where_it_is(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, line, column, game, move, kind, message = SEEDED[what]
    path = tmp_path / "seeded.mat"
    path.write_text(HEAD + text, encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    (content,) = json.loads(capsys.readouterr().out)["files"]
    first = content["findings"][0]
    assert (first["line"], first["column"], first["game"], first["move"]) == (line, column, game, move)
    assert first["kind"] == kind
    assert message in first["message"]
    assert content["clean"] is False
    with pytest.raises(bgfast.RecordError) as caught:
        bgfast.load_match(path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in str(caught.value) or kind == "score"


def test_what_follows_an_illegal_play_is_checked_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.mat"
    path.write_text(
        HEAD + "  1) 31: 8/5 6/4     64: 24/14\n  2) 65: 24/14     31: 8/4 6/5\n", encoding="utf-8"
    )
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0].removeprefix(str(path)) for line in lines if not line.startswith("    ")] == [
        ":5:6", ":6:6", ":6:20", "",
    ]  # fmt: skip
    assert lines[-1] == f"{path}: 3 wrong: 1 game, 4 plays"


def test_what_is_not_checked_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "skipped.mat"
    two = "  1) 31: 8/5 6/5     Takes\n  2) 65: 24/14     31: 8/4 6/5\n     Wins 1 point\n"
    damaged = " Game 2\n Anna : 1     Bob : 0\n  1) 31: 8/5 6/5\nnonsense\n"
    path.write_text(HEAD + two + damaged, encoding="utf-8")
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{path}:5:22: game 1, move 1: take: no double is pending")
    assert lines[2:] == [
        f"{path}:6:6: game 1: the rest of this game, 3 entries, is not checked: it cannot be followed",
        f"{path}:11:1: 'nonsense'; expected a roll as '31: 8/5 6/5', Doubles, Takes, Drops or Wins",
        f"{path}:11:1: the rest of this file is not checked: it cannot be read",
        f"{path}: 2 wrong: 1 game, 1 play",
    ]
    path.write_text(HEAD + "  1) 31: 8/5 6/5     Takes\n", encoding="utf-8")
    main(["check", str(path)])
    assert "the rest" not in capsys.readouterr().out  # there is none


def test_a_double_with_a_dead_cube_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD.replace(" 5 point", " 2 point")
    text += "  1) 31: 8/5 6/5     Doubles => 2\n  2)  Takes     64: 24/14\n  3) Doubles => 4\n"
    path = tmp_path / "dead.mat"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "a double without effect: the cube is dead" in lines[0]
    assert bgfast.load_match(path).history[-1].unchecked


def test_a_damaged_file_has_one_error_and_is_not_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "damaged.mat"
    path.write_text(
        CRAWFORD.read_text(encoding="utf-8").replace(" 10)", " 10) nonsense", 1), encoding="utf-8"
    )
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{path}:")
    assert "nonsense" in lines[0]
    assert lines[-1].startswith(f"{path}: 1 wrong")
    assert main(["check"]) == 2


def test_what_cannot_be_read_keeps_nobody_from_checking_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    binary = tmp_path / "match.xg"
    binary.write_bytes(b"RGMH\x01\x00")
    words = ["check", str(binary), str(tmp_path / "missing"), str(CRAWFORD)]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == f"{CRAWFORD}: clean: 2 games, 119 plays\n"
    assert [line.rpartition("': ")[2][:20] for line in err.splitlines()] == [
        "a binary file of eXt", "No such file or dire",
    ]  # fmt: skip
    assert main([*words, "--json"]) == 2
    files = json.loads(capsys.readouterr().out)["files"]
    assert [each["clean"] for each in files] == [False, False, True]
    assert "binary file of eXtreme Gammon" in files[0]["error"]


def test_a_reader_that_goes_is_no_error_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    path = tmp_path / "wrong.mat"
    path.write_text(HEAD + "  1) 31: 8/5 6/4\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdout", Gone())
    arguments = argparse.Namespace(words=[str(path)], json=False, quiet=True)
    with pytest.raises(BrokenPipeError):
        check.run(arguments)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "-"], "standard input: clean: 2 games, 119 plays\n"),
        (["show", "-", "--game", "2", "--move", "1"], "score 2 of 3 (Crawford game)"),
        (["convert", "-", "out.sgf", "--force"], ""),
    ],
)
def test_standard_input(
    words: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, status in ((CRAWFORD, 0), (os.devnull, 1 if words[0] == "check" else 2)):
        with open(file) as opened:
            monkeypatch.setattr("sys.stdin", opened)
            assert main(words) == status
            assert not opened.closed
            os.fstat(opened.fileno())
        out, err = capsys.readouterr()
        assert said in out if file == CRAWFORD else "standard input" in out + err
    if words[0] == "convert":
        assert bgfast.load_match("out.sgf").history == bgfast.load_match(CRAWFORD).history


def test_names_and_comments_are_not_printed_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evil.mat"
    path.write_text(HEAD + "  1) 31: \x1b[31m8/5 6/5\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.sgf"
    assert main(["convert", str(CRAWFORD), str(target)]) == 0
    assert bgfast.load_match(target).history == bgfast.load_match(CRAWFORD).history
    before = target.read_bytes()
    assert main(["convert", str(SESSION), str(target)]) == 2
    assert "it is there already" in capsys.readouterr().err
    assert target.read_bytes() == before
    assert main(["convert", str(SESSION), str(target), "--force"]) == 0
    assert target.read_bytes() != before
    assert main(["convert", str(SESSION)]) == 2


def test_the_games_before_the_damage_are_offered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged, target = tmp_path / "damaged.mat", tmp_path / "out.mat"
    head, _, rest = CRAWFORD.read_text(encoding="utf-8").partition(" Game 2")
    damaged.write_text(f"{head} Game 2{rest.replace(' 10) ', ' 10) nonsense ')}", encoding="utf-8")
    assert main(["convert", str(damaged), str(target)]) == 2
    error = capsys.readouterr().err
    assert "line 51, column 6: 'nonsense" in error
    assert error.endswith("; --partial writes the game before it\n")
    assert not target.exists()
    assert main(["convert", str(damaged), str(target), "--partial"]) == 1
    assert "line 51, column 6: 'nonsense" in capsys.readouterr().err
    assert bgfast.load_match(target).history == bgfast.read_match(head).history
    target.unlink()
    damaged.write_text(head.replace("  1)", "  1) nonsense"), encoding="utf-8")
    assert main(["convert", str(damaged), str(target), "--partial"]) == 2
    assert "--partial" not in capsys.readouterr().err
    assert not target.exists()
    assert main(["convert", str(CRAWFORD), str(target), "--partial"]) == 0


def test_show_a_moment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(CRAWFORD), "--game", "2", "--move", "1", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["crawford"] is True or content["match_length"] == 3
    picture = tmp_path / "moment.svg"
    assert main(["show", str(CRAWFORD), "--move", "3", "--player", "O", "--svg", str(picture)]) == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    capsys.readouterr()
    assert main(["show", str(CRAWFORD)]) == 0
    alone = capsys.readouterr().out
    assert main(["show", str(CRAWFORD), "--game", "1"]) == 0
    assert capsys.readouterr().out == alone
    for words in (["--game", "9"], ["--move", "999"], ["--move", "1", "extra"]):
        assert main(["show", str(CRAWFORD), *words]) == 2
        assert "expected" in capsys.readouterr().err


def test_show_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The moment at which check reports something can be seen, and those around it."""
    path = tmp_path / "wrong.mat"
    path.write_text(HEAD + "  1) 31: 8/5 6/4     64: 24/14\n  2) 65: 24/13     Takes\n", encoding="utf-8")
    for move, shown in (("1", "X to play 3-1"), ("2", "X to play 6-5")):
        assert main(["show", str(path), "--game", "1", "--move", move]) == 0
        out, err = capsys.readouterr()
        assert shown in out
        first, second = err.splitlines()
        assert first.startswith("bgfast: line 5, column 6: illegal play '8/5 6/4' for 3-1")
        assert second == "bgfast: line 6, column 20: take: no double is pending"
    assert main(["show", str(path), "--game", "2"]) == 2
    assert "1 game in it; expected --game of these" in capsys.readouterr().err
    with path.open("a", encoding="utf-8") as file:
        file.write(" Game 2\n Anna : 0    Bob : 0\n  1) 31: 8/5 6/5\n")
    assert main(["show", str(path), "--game", "2"]) == 0
    assert capsys.readouterr().err == ""


def test_game_and_play_save(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, words in enumerate((["--match", "3"], ["--games", "2"], [])):
        path = tmp_path / f"{number}.mat"
        assert main(["game", "--seed", "7", *words, "--save", str(path)]) == 0
        assert bgfast.load_match(path).length == (3 if number == 0 else None)
        assert main(["game", "--seed", "7", *words, "--save", str(path)]) == 2
        assert main(["game", "--seed", "7", *words, "--save", str(path), "--force"]) == 0
    capsys.readouterr()
    assert main(["game", "--rules", "exact", "--save", str(tmp_path / "exact.mat")]) == 2
    assert "cannot be written" in capsys.readouterr().err
