"""Other engines against bgfast: correct engines agree, and errors of incorrect engines are classified.

bgsage bears off the last checker with one die when both can be played; pgx does not check for longer plays at
all. Engines that are not installed are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bgfast import Position
from bgfast.cli.main import main
from tests.support.rule_cases import rule_cases

NAMED_COUNT = 139  # the named cases come first in every cross-check
LAST_CHECKER = "must-play-both-last-checker"
SLOW_AND_LONG = pytest.mark.parametrize(
    "divisor", [pytest.param(3, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.long)]
)
"""Slow tests check a third of the cases in docs/CROSSCHECK.md; long tests check all of them."""


def crosscheck(
    capsys: pytest.CaptureFixture[str], engine: str, case_count: int, *options: str
) -> dict[str, dict[str, dict[str, object]]]:
    """Cross-check an engine on the named cases and `case_count` others; return the classes by rule."""
    status = main(["crosscheck", engine, *options, "--json"])
    (result,) = json.loads(capsys.readouterr().out)["engines"]
    if result["missing"]:
        pytest.skip(f"{engine} is NOT INSTALLED, so nothing was compared: {result['unchecked']}")
    # OpenSpiel only replays games, so it cannot be set to the named cases.
    unreachable = NAMED_COUNT if engine == "open_spiel" else 0
    assert result["compared"] == case_count + NAMED_COUNT - unreachable
    assert (result["unreachable"], result["stopped"]) == (unreachable, None)
    classes = result["classes"]
    assert status == (1 if classes else 0)
    assert all(summary["kind"] == "illegal" for summary in classes)
    return {summary["rule"]: summary for summary in classes}


def legal_and_wrong_plays(example: dict[str, object]) -> tuple[list[str], list[str]]:
    """Check an example; return its legal plays and its wrong plays."""
    plays = Position.from_gnubg_id(example["gnubg_id"]).plays(example["roll"])  # type: ignore[arg-type]
    assert example["legal"] == [str(play) for play in plays]
    assert example["note"].startswith(("A local minimum", "Already minimal."))  # type: ignore[operator]
    wrong_plays = [item["play"] for item in example["wrong"]]  # type: ignore[attr-defined]
    return example["legal"], wrong_plays  # type: ignore[return-value]


@SLOW_AND_LONG
def test_gnubg_nn_agrees(capsys: pytest.CaptureFixture[str], divisor: int) -> None:
    counts = ("--random", 300), ("--bearoff", 150), ("--games", 150)
    options = [argument for option, count in counts for argument in (option, str(count // divisor))]
    assert crosscheck(capsys, "gnubg-nn", 21_600 // divisor, *options, "--rolls", "all") == {}


@pytest.mark.slow
def test_gnu_backgammon_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert crosscheck(capsys, "gnubg", 500, "--random", "250", "--bearoff", "150", "--games", "100") == {}


@SLOW_AND_LONG
def test_open_spiel_agrees(capsys: pytest.CaptureFixture[str], divisor: int) -> None:
    count = 2_000 // divisor
    assert crosscheck(capsys, "open_spiel", count, "--games", str(count)) == {}


@pytest.mark.slow
def test_bgsage_lets_one_die_bear_off_the_last_checker(capsys: pytest.CaptureFixture[str]) -> None:
    classes = crosscheck(capsys, "bgsage", 5_000, "--random", "2500", "--bearoff", "2500")
    assert set(classes) == {LAST_CHECKER}
    legal_plays, wrong_plays = legal_and_wrong_plays(classes[LAST_CHECKER]["example"])
    assert legal_plays != wrong_plays
    # Each side has one checker; the lower number, played first, hits.
    board = classes[LAST_CHECKER]["example"]["board"]
    assert sum(map(abs, board)) == 2  # type: ignore[call-overload]
    assert all("*" in play for play in legal_plays)


@pytest.mark.slow
def test_pgx_does_not_check_for_longer_plays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # Only about 1 in 3,000 random cases depends on the higher die, so one is added.
    higher_die_case = next(case for case in rule_cases() if case.id == "P10")
    path = tmp_path / "higher_die.txt"
    path.write_text(f"{' '.join(map(str, higher_die_case.board))} 64\n")
    options = ["--random", "200", "--bearoff", "200", "--positions", str(path)]
    classes = crosscheck(capsys, "pgx", 401, *options)
    assert set(classes) == {"must-play-both", "higher-die"}
    assert LAST_CHECKER in classes["must-play-both"]["others"]
    for summary in classes.values():
        legal_and_wrong_plays(summary["example"])
    board = classes["higher-die"]["example"]["board"]
    assert sum(count for count in board if count > 0) == 1  # type: ignore[attr-defined]
