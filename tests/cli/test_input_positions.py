"""``--positions FILE`` of ``analyse`` and ``rollout``: lines, output, errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from bgfast.rollouts import RolloutResult
from tests.support import command_line
from tests.support.command_line import Capture

MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:2:3:0:7:10"
LINES = f"""# an opening
start 31
{MATCH}   # in a match

nackgammon
Position ID: 4HPwATDgc/ABMA
Match ID: UYnlADAAEAAE
"""
PLACES = [
    {"line": 2, "given": "start 31"},
    {"line": 3, "given": MATCH},
    {"line": 5, "given": "nackgammon"},
    {"line": 6, "given": "Position ID: 4HPwATDgc/ABMA Match ID: UYnlADAAEAAE"},
]
CUBE_IGNORED = "cubeless, money; cube and score ignored"
REASON = "; pip-count returns no probabilities, which cube and score need"
CONDITIONS = {
    command: ["cubeless, money", CUBE_IGNORED + suffix, "cubeless, money", CUBE_IGNORED + suffix]
    for command, suffix in (("analyse", REASON), ("rollout", ""))
}
OPTIONS = {
    "analyse": ["--evaluator", "pip-count", "--top", "1"],
    "rollout": ["--evaluator", "pip-count", "--top", "1", "--trials", "36", "--truncate", "3", "--cubeless"],
}
EACH_COMMAND = pytest.mark.parametrize("command", OPTIONS)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "positions.txt").write_text(LINES)
    return str(tmp_path / "positions.txt")


def run(capsys: Capture, command: str, *arguments: str) -> str:
    return command_line.run(capsys, command, *OPTIONS[command], *arguments)


def get_error(capsys: Capture, command: str, *arguments: str) -> str:
    return command_line.get_error(capsys, command, *OPTIONS[command], *arguments)


@EACH_COMMAND
def test_results_agree_with_single_positions(command: str, file: str, capsys: Capture) -> None:
    content = [json.loads(line) for line in run(capsys, command, "--positions", file, "--json").splitlines()]
    results: list[Any] = []
    for place in PLACES:
        arguments = [*str(place["given"]).split(), "--json"]
        if command == "rollout" and place["given"] == "nackgammon":
            arguments += ["--top", "1"]
            assert "need a ROLL" in get_error(capsys, command, *arguments)
            results.append(None)
            continue
        results.append(json.loads(run(capsys, command, *arguments)))
    assert [
        {name: item[name] for name in place} for item, place in zip(content, PLACES, strict=True)
    ] == PLACES
    for item, expected, place, conditions in zip(content, results, PLACES, CONDITIONS[command], strict=True):
        if command == "analyse":
            assert item == {**place, **expected}
            assert item["conditions"] == conditions
            continue
        result = RolloutResult.from_json(json.dumps(item["rollout"]))
        assert result.conditions == conditions
        if expected is not None:
            assert result.estimates == RolloutResult.from_json(json.dumps(expected)).estimates


@EACH_COMMAND
def test_tables_name_lines(command: str, file: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = run(capsys, command, "--positions", file).split("\n\n")
    assert [part.splitlines()[0] for part in parts] == [
        f"line {place['line']}: {place['given']}" for place in PLACES
    ]
    assert all(
        conditions in part.splitlines() for part, conditions in zip(parts, CONDITIONS[command], strict=True)
    )
    with open(file) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        rows = list(csv.DictReader(io.StringIO(run(capsys, command, "--positions", "-", "--csv"))))
    assert [row["line"] for row in rows] == ["2", "3", "5", "6"]
    assert [row["roll"] for row in rows] == ["3-1", "6-4", "", "3-1"]
    assert [row["conditions"] for row in rows] == CONDITIONS[command]
    (single_row,) = csv.DictReader(io.StringIO(run(capsys, command, "31", "--csv")))
    assert single_row["position"] == "4HPwATDgc/ABMA"
    assert "line" not in single_row
    assert float(rows[0]["equity"]) == float(single_row["equity"])


@EACH_COMMAND
def test_invalid_lines_are_refused_before_any_result(command: str, tmp_path: Path, capsys: Capture) -> None:
    for lines, message in (
        ("start 31\nnonsense", "line 2: 'nonsense' is not a position; expected start"),
        ("start 31\n\nstart 71", "line 3: the first die is 7"),
        ("start 31\n31 42", "line 2: '31 42' is not a position"),
        (f"start 31\n{MATCH.replace(':64:', ':D:')} 31", "line 2: X offers a double, which waits for an"),
        ("Match ID: UYnlADAAEAAE", "line 1: a match ID without a position ID before it"),
        (f"{MATCH}\nMatch ID: UYnlADAAEAAE", "line 2: a match ID without a position ID before it"),
        ("start 31\n0 " + "0 " * 23 + "-15 0 31", "line 2: the game is over"),
        ("# none", "has no position"),
    ):
        (tmp_path / "positions.txt").write_text(lines)
        error = get_error(capsys, command, "--positions", str(tmp_path / "positions.txt"))
        assert f"{tmp_path / 'positions.txt'}" in error
        assert message in error
