"""``bgfast show``: state contained in an ID, pictures, positions in text files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bgfast import Decision, Position, svg
from tests.support.command_line import Capture, get_error, run
from tests.support.position_texts import xg_text

BOARD = "-b----E-C---eE---c-e----B-"
TEXT = f"XGID={BOARD}:1:-1:-1:31:2:3:0:7:10"


@pytest.mark.parametrize("arguments", [[TEXT], [TEXT[5:]], [Decision.read(TEXT).gnubg_id]])
def test_the_state_of_an_id_is_shown(arguments: list[str], capsys: Capture) -> None:
    out = run(capsys, "show", "--", *arguments)
    ids = [TEXT, "GNU match ID:    AYHlADAAEAAE", "OGID=11ccccchhhjjjjj:66666888dddddoo:B1N:13:W:R:2:3:7:0"]
    for text in ("O to play 3-1", "score 3 of 7", "score 2 of 7", "cube 2", *ids):
        assert text in out
    assert out.startswith(str(Decision.read(TEXT)))


def test_a_beaver_has_no_match_id(capsys: Capture) -> None:
    out = run(capsys, "show", f"XGID={BOARD}:0:0:1:B:0:0:2:0:10")
    assert "O offers a beaver" in out
    assert "match ID" not in out
    assert "OGID" not in out
    assert json.loads(run(capsys, "show", "--json", f"XGID={BOARD}:0:0:1:B:0:0:2:0:10"))["ogid"] is None


def test_json_has_the_state(capsys: Capture) -> None:
    content = json.loads(run(capsys, "show", "--json", TEXT))
    assert content["xgid"] == TEXT
    assert content["ogid"] == Decision.read(TEXT).ogid
    assert content["board"] == Position.start().to_array().tolist()
    expected = {"turn": -1, "dice": [3, 1], "score": [3, 2], "cube_owner": 1}
    assert {name: content[name] for name in expected} == expected
    assert "dice" not in json.loads(run(capsys, "show", "--json", "start"))


def test_pictures_equal_svg(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "board.svg"
    run(capsys, "show", TEXT, "--svg", str(file), "--theme", "dark", "--size", "300")
    assert file.read_text(encoding="utf-8") == svg(Decision.read(TEXT), theme="dark", size=300)
    run(capsys, "show", "start", "--svg", str(file))
    assert file.read_text(encoding="utf-8") == svg(Position.start())


def test_pasted_positions_are_found(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(capsys, "show", TEXT)
    (tmp_path / "board.txt").write_text(xg_text(Decision.read(TEXT)), "utf-8")
    assert run(capsys, "show", str(tmp_path / "board.txt")) == expected
    with open(tmp_path / "board.txt") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert run(capsys, "show", "-") == expected
    # The output can be pasted again.
    (tmp_path / "board.txt").write_text(expected)
    assert run(capsys, "show", str(tmp_path / "board.txt")) == expected


def test_other_files_are_refused(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "board.txt"
    decision = Decision.read(TEXT)
    for content, message in (
        (
            xg_text(decision) + xg_text(replace(decision, dice=(6, 5))),
            r"board.txt: 2 positions, the second on line 22; expected one",
        ),
        (
            "nothing",
            "line 1, column 1: no match in it; expected one in .mat, .txt, SGF, .xg, .bgf or .ogxm format",
        ),
    ):
        path.write_text(content, "utf-8")
        assert re.search(message, get_error(capsys, "show", str(path)))
        with open(path) as file:
            monkeypatch.setattr("sys.stdin", file)
            error = get_error(capsys, "show", "-")
        assert re.search(message.replace("board.txt", "standard input"), error)
        assert "standard input" in error
    path.write_text(xg_text(decision), "utf-8")
    assert "no match in it" in get_error(capsys, "show", str(path), "--game", "1")
