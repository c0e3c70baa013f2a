"""``bgfast bearoff``: output, databases, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bgfast import Decision, Position
from bgfast.cli.main import main
from bgfast.evaluation.bearoff import databases
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.bearoff.databases import one_sided_spec, two_sided_spec
from tests.support.command_line import Capture, run, run_json

BOARD = "0 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 -1 -2 -1 -2 0"
POSITION = Position.from_array([int(number) for number in BOARD.split()])


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("BGFAST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(databases, "_warned_folders", set())
    return tmp_path / "cache"


def test_text_has_both_sides(capsys: Capture) -> None:
    out = run(capsys, "bearoff", *BOARD.split())
    assert out.startswith(str(POSITION))
    rows = {line[:13].strip(): line[13:].split() for line in out.splitlines()[-12:-3]}
    assert rows[""] == ["X", "O"]
    assert rows["pips"] == ["12", "19"]
    bearoff = Bearoff()
    sides = (POSITION, POSITION.flip())
    methods = {"mean rolls": bearoff.mean_rolls, "EPC": bearoff.epc, "wastage": bearoff.wastage}
    for name, method in methods.items():
        assert rows[name] == [f"{method(side):.3f}" for side in sides]
    roll_rows = {int(name[0]): row for name, row in rows.items() if "roll" in name[1:7] and name[0].isdigit()}
    assert sorted(roll_rows) == [2, 3, 4, 5]
    for column, side in enumerate(sides):
        percentages = [f"{p:.1%}" for p in [*bearoff.distribution(side).tolist(), 0.0, 0.0, 0.0][2:6]]
        assert [row[column] for _, row in sorted(roll_rows.items())] == percentages
    win = bearoff([POSITION.to_array()])[0, 0]
    assert out.splitlines()[-2].startswith(f"X wins {win:.2%}, 0.00% with a gammon, O {1 - win:.2%}, 0.00%; ")
    assert out.endswith("each side minimizes its number of rolls\ncubeless, money\n")


def test_the_two_sided_database_plays_to_win(capsys: Capture) -> None:
    position = Position.from_array([0, 1, 0, 0, 0, 0, 0, *[0] * 17, -1, 0])
    out = run(capsys, "bearoff", position.gnubg_id)
    assert "\n1 roll           100.0%    100.0%\n" in out
    assert out.endswith(
        "X wins 100.00%, 0.00% with a gammon, O 0.00%, 0.00%; both play to win\ncubeless, money\n"
    )


def test_json_has_both_sides(capsys: Capture) -> None:
    content = run_json(capsys, "bearoff", POSITION.xgid)
    bearoff = Bearoff()
    assert list(content) == ["position", "probabilities", "exact", "conditions", "mover", "opponent"]
    assert content["position"] == POSITION.gnubg_id
    assert content["probabilities"] == bearoff([POSITION.to_array()])[0].tolist()
    assert content["exact"] is False
    for side, name in ((POSITION, "mover"), (POSITION.flip(), "opponent")):
        assert content[name] == {
            "pips": side.pip_counts[0],
            "mean_rolls": bearoff.mean_rolls(side),
            "epc": bearoff.epc(side),
            "wastage": bearoff.wastage(side),
            "rolls": bearoff.distribution(side).tolist(),
            "first_checker": bearoff.gammon_distribution(side).tolist(),
        }


def test_gammons_are_possible_with_three_checkers_per_side(capsys: Capture) -> None:
    board = "0 0 0 0 0 1 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -3 0".split()
    gammon_losses = []
    for arguments in (["--checkers", "3"], []):
        content = run_json(capsys, "bearoff", *arguments, *board)
        assert content["exact"] is True
        gammon_losses.append(content["probabilities"][3])
    assert gammon_losses[0] > gammon_losses[1] == 0


def test_databases_are_built_checked_and_rebuilt(capsys: Capture, folder: Path) -> None:
    for action in ("built", "already there, checked"):
        first, second = run(capsys, "bearoff", "--make").splitlines()
        for line, start in (
            (first, f"one-sided: {folder / one_sided_spec().name}, 19.1 MB, {action} in "),
            (second, f"two-sided: {folder / two_sided_spec(6).name}, 6.8 MB, {action} in "),
        ):
            assert re.fullmatch(re.escape(start) + r"\d+\.\d{3} s", line)
    content = run_json(capsys, "bearoff", "--make")["databases"]
    specs = {"one-sided": one_sided_spec(), "two-sided": two_sided_spec(6)}
    for row, (name, spec) in zip(content, specs.items(), strict=True):
        assert (row["database"], row["built"]) == (name, False)
        assert (row["file"], row["bytes"]) == (str(folder / spec.name), spec.size)
    file = folder / two_sided_spec(6).name
    file.write_bytes(file.read_bytes()[:-8])
    assert main(["bearoff", "--make"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(f"bgfast: {file}: it has 6,830,264 bytes, expected 6,830,272; rebuilding it")
    assert err.count("\n") == 1
    first, second = out.splitlines()
    assert "already there" in first
    assert "built" in second


def test_unwritable_folders_warn(capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.touch()
    monkeypatch.setenv("BGFAST_CACHE", str(folder / "subfolder"))
    assert main(["bearoff", *BOARD.split()]) == 0
    out, err = capsys.readouterr()
    assert "X wins" in out
    assert err.startswith(f"bgfast: {folder / 'subfolder'}: ")
    assert err.endswith("; bear-off databases are kept in memory\n")
    assert main(["bearoff", "--make"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("bgfast: error: the databases cannot be stored; ")


SIX_CHECKERS = "-AAAAAA------------aaaaaa-"


@pytest.mark.parametrize(
    ("context", "action", "conditions"),
    [
        ("1:1:1:00:3:2:0:7:10", "Redouble, take", "match to 7, X 4 away, O 5 away; cube 2, X's"),
        ("1:1:-1:00:3:2:0:7:10", "Cube not available", "match to 7, X 5 away, O 4 away; cube 2, O's"),
        ("0:0:1:31:0:0:3:0:10", "Double, take", "money, Jacoby rule, beavers; cube 1, centred"),
        ("0:0:1:00:4:2:1:5:10", "Cube not available", "X 1 away, O 3 away, Crawford game; cube 1, centred"),
    ],
)
def test_cube_decisions_are_exact(capsys: Capture, context: str, action: str, conditions: str) -> None:
    decision = Decision.read(f"{SIX_CHECKERS}:{context}")
    expected = Bearoff().cube_actions([decision.position], decision)
    content = run_json(capsys, "bearoff", decision.xgid)
    assert content["conditions"] == "cubeless, money"
    cube = content["cube"]
    assert cube["proper_action"] == action == expected.words[0]
    assert cube["equities"]["no_double"] == expected.no_double[0]
    assert cube["equities"]["double_take"] == (
        None if action == "Cube not available" else expected.double_take[0]
    )
    assert (cube["mwc"] is None) == (decision.match_length == 0)
    assert conditions in cube["conditions"]
    assert cube["conditions"].endswith("; exact")
    lines = run(capsys, "bearoff", decision.xgid).splitlines()
    row = lines.index(f"before the roll: {action}")
    assert lines[row - 2] == "cubeless, money"
    assert lines[row + 1].split()[2] == f"{expected.no_double[0]:+.4f}"
    assert lines[-1] == cube["conditions"]
    assert len(lines) - row == (3 if action == "Cube not available" else 5)


def test_ignored_cubes_are_reported(capsys: Capture) -> None:
    message = "cube and score ignored\nbgfast analyse takes cube and score into account\n"
    for xgid in (
        "-BBBBBB------------aaaaaa-:1:1:1:00:3:2:0:7:10",  # too many checkers
        f"{SIX_CHECKERS}:1:1:1:00:0:0:3:0:3",  # beavers, and the cube has a limit
    ):
        assert "cube" not in run_json(capsys, "bearoff", xgid)
        assert run(capsys, "bearoff", xgid).endswith(message)
