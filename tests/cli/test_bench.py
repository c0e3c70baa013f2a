"""``bgfast bench``: output, and errors instead of speeds for wrong results."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import ROLLS, reference
from bgfast.cli import bench
from bgfast.cli.main import main
from bgfast.common import machine
from tests.support.command_line import Capture, get_error

ROWS = [
    "contact: successors, doubles",
    "contact: successors, other rolls",
    "race: successors, doubles",
    "race: successors, other rolls",
    "fresh stream: successors",
    "fresh stream: successors, moves=True",
    "fresh stream: successors, threads=2",
    "fresh stream: count_successors",
    "fresh stream: numpy.copyto of the successors",
    "fresh stream: pos.plays(roll).boards",
    "perft(start, 3): generating",
    "perft(start, 3): counting",
    "perft(start, 3): counting, threads=2",
    "encoders: encode_tdgammon",
    "encoders: encode_onehot",
    "cube: cubeful_equities, money",
    "cube: cubeful_equities, 7 away, 5 away",
]
Measurement = tuple[list[dict[str, Any]], list[str]]

# The slowest calls are cached.
cached_positions = cache(bench.random_positions)
cached_leaves = cache(bench.perft)


def cached_perft(position: bgfast.Position, depth: int, **options: Any) -> int:
    """Return cached leaves, ignoring options: the tests of perft prove that all ways of counting agree."""
    return cached_leaves(position, depth)


@pytest.fixture(scope="module", autouse=True)
def _shorten_measurement() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "REPETITIONS", 1)
        patch.setattr(bench, "MIN_SECONDS", 0.0)
        patch.setattr(bench, "random_positions", cached_positions)
        patch.setattr(bench, "perft", cached_perft)
        yield


@pytest.fixture(scope="module")
def measurement() -> Measurement:
    """One measurement with two threads, and its progress messages."""
    messages: list[str] = []
    return bench.measure(2, messages.append), messages


@pytest.fixture
def _use_measurement(measurement: Measurement, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(threads: int, progress: Callable[[str], None]) -> list[dict[str, Any]]:
        assert threads == 2
        for line in measurement[1]:
            progress(line)
        return measurement[0]

    monkeypatch.setattr(bench, "measure", measure)


@pytest.mark.usefixtures("_use_measurement")
def test_output_has_the_machine_and_a_table(capsys: Capture) -> None:
    assert main(["bench", "--threads", "2"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    head, rows, summary = out.split("\n\n")
    description = dict(line.split(": ", 1) for line in head.splitlines())
    assert description.keys() == machine.description().keys()
    assert description["bgfast"] == bgfast.__version__
    lines = rows.splitlines()
    assert lines[0].split() == ["what", "unit", "units/s", "ns", "per", "unit", "count"]
    assert [line[: len(name)] for line, name in zip(lines[1:], ROWS, strict=True)] == ROWS
    assert len({len(line) for line in lines}) == 1
    assert lines[ROWS.index("perft(start, 3): counting") + 1].split()[-1] == "116,154,993"
    assert summary.startswith("every count checked, ")


@pytest.mark.usefixtures("_use_measurement")
def test_json_and_progress_have_all_rows(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "usable_cores", lambda: 2)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["bench", "--json"]) == 0
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 1 + len(ROWS)
    content = json.loads(out)
    assert content.keys() == {"machine", "threads", "rows", "seconds"}
    assert {"cpu", "cores", "usable cores", "system", "python", "numpy", "bgfast", "build"} <= set(
        content["machine"]
    )
    assert content["threads"] == 2
    assert [row["what"] for row in content["rows"]] == ROWS
    for row in content["rows"]:
        assert row.keys() == {"what", "unit", "units_per_second", "ns_per_unit", "count"}
        assert row["units_per_second"] * row["ns_per_unit"] == pytest.approx(1e9)
        assert row["count"] > 0


def drop_successor(*arguments: Any, **options: Any) -> bgfast.Successors:
    result = bgfast.successors(*arguments, **options)
    return result._replace(boards=result.boards[1:])


def add_one(count: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments, **options: count(*arguments, **options) + 1


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("successors", drop_successor, "count: contact, successors, doubles: 514,506 successors"),
        ("count_successors", add_one(bench.count_successors), "count: .*, count_successors: 473,365"),
        ("perft", add_one(cached_perft), "count: .*116,154,994 leaves; expected 116,154,993"),
        ("SINGLE_SUCCESSORS", 7, r"count: .*pos.plays\(roll\).boards: 44,220 successors; expected 7"),
        ("encode_onehot", lambda boards, out: out[1:], "count: .*4,999 positions; expected 5,000"),
        ("SUCCESSORS", {**bench.SUCCESSORS, ("contact", "doubles"): 500_000}, "results: .*514507 are needed"),
        ("random_positions", lambda n, *_: np.ones((n, 26), np.int8), "results: .*opponent's bar"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_results_are_errors(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, name: str, value: Any, message: str
) -> None:
    monkeypatch.setattr(bench, name, value)
    err = get_error(capsys, "bench", status=1)
    assert re.match(f"bgfast: error: wrong {message}", err)


@pytest.mark.parametrize(
    "step", [pytest.param(10, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.long)]
)
def test_expected_counts_agree_with_the_reference(step: int) -> None:
    """The reference confirms the counts of all positions, or of every tenth."""

    def confirm_sum(boards: np.ndarray, dice: np.ndarray) -> int:
        counts = bgfast.count_successors(boards, dice)
        cases = zip(*(rows[::step].tolist() for rows in (boards, dice, counts)), strict=True)
        assert all(len(reference.legal_positions(board, *roll)) == count for board, roll, count in cases)
        return int(counts.sum())

    for (phase, name), total in bench.SUCCESSORS.items():
        boards = bgfast.random_positions(bench.PHASE_POSITIONS, bench.SEED, phase)
        rolls = np.array(bench.ROLLS_BY_NAME[name])
        assert confirm_sum(boards.repeat(len(rolls), axis=0), np.tile(rolls, (len(boards), 1))) == total
    boards, dice = bench.stream(bench.STREAM_POSITIONS)
    assert confirm_sum(boards, dice) == bench.STREAM_SUCCESSORS
    assert confirm_sum(boards[: bench.SINGLE_CALLS], dice[: bench.SINGLE_CALLS]) == bench.SINGLE_SUCCESSORS
    assert set(bench.ROLLS_BY_NAME["doubles"]) | set(bench.ROLLS_BY_NAME["other rolls"]) == set(ROLLS)
