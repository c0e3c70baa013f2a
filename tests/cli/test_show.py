"""``bgfast show``: what an ID says is kept; pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bgfast import Decision, Match, Position, svg
from bgfast.cli.main import main
from tests.support.command_line import printed

BOARD = "-b----E-C---eE---c-e----B-"
TEXT = f"XGID={BOARD}:1:-1:-1:31:2:3:0:7:10"


@pytest.mark.parametrize("words", [[TEXT], [TEXT[5:]], [Decision.read(TEXT).gnubg_id]])
def test_what_an_id_says_is_kept(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "show", "--", *words)
    for said in (
        "O to play 3-1",
        "score 3 of 7",
        "score 2 of 7",
        "cube 2",
        "GNU match ID:    AYHlADAAEAAE",
        TEXT,
    ):
        assert said in out
    assert out.startswith(str(Decision.read(TEXT)))


def test_pasted_from_gnu_backgammon(capsys: pytest.CaptureFixture[str]) -> None:
    pasted = "GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : UYnlADAAEAAE"
    assert "X to play 3-1" in printed(capsys, "show", pasted)
    assert "X to play 3-1" in printed(capsys, "show", *pasted.split())


def test_a_beaver_has_no_match_id(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "show", f"XGID={BOARD}:0:0:1:B:0:0:2:0:10")
    assert "O offers a beaver" in out
    assert "match ID" not in out


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(printed(capsys, "show", "--json", TEXT))
    assert content["xgid"] == TEXT
    assert content["board"] == Position.start().to_array().tolist()
    assert (content["turn"], content["dice"], content["score"], content["cube_owner"]) == (
        -1,
        [3, 1],
        [3, 2],
        1,
    )
    assert "dice" not in json.loads(printed(capsys, "show", "--json", "start"))


def test_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "board.svg"
    printed(capsys, "show", TEXT, "--svg", str(file), "--theme", "dark", "--size", "300")
    assert file.read_text(encoding="utf-8") == svg(Decision.read(TEXT), theme="dark", size=300)
    printed(capsys, "show", "start", "--svg", str(file))
    assert file.read_text(encoding="utf-8") == svg(Position.start())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--svg", "no/where.svg"], "bgfast: error: 'no/where.svg': No such file or directory\n"),
        (["--svg", "no\x1b[31m/x.svg"], r"bgfast: error: 'no\x1b[31m/x.svg': No such file"),
        (["--svg", "x.svg", "--size", "5"], "bgfast: error: size is 5; expected a width in pixels"),
        (["--svg", "x.svg", "--theme", "blue"], "invalid choice: 'blue'"),
        ([TEXT, "31"], "'31' behind the position; expected nothing more"),
    ],
)
def test_what_is_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert not Path("x.svg").exists()


def test_a_picture_does_not_replace_the_match_it_is_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.mat"
    Match(3, dice=1).save(file)
    before = file.read_bytes()
    assert main(["show", str(file), "--svg", str(file)]) == 2
    assert "match.mat' is read or written besides; expected another file" in capsys.readouterr().err
    assert file.read_bytes() == before
