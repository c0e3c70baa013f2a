"""Checkpoints of perft: stored parts, resumption and refused files; test_journal.py tests the format."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.batch import perft
from tests.support.journals import lines_of, rewrite

POSITION = Position.from_array([0, -1, 0, 1] + [0] * 18 + [-1, 0, 0, 1])
DEPTH = 4
BAD_RECORD = '\n{"part": 99\n'


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perft, "PART_CHILDREN", 5_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "late.json"


def record_parts(monkeypatch: pytest.MonkeyPatch, stop_after: int = 10**9) -> list[int]:
    """Return a list that records the parts counted from now on; interrupt after `stop_after` parts."""
    parts: list[int] = []
    count_part = perft.count_part

    def count_and_record(level: perft.Level, part: int, *arguments: Any) -> perft.PartLeaves:
        if len(parts) == stop_after:
            raise KeyboardInterrupt
        parts.append(part)
        return count_part(level, part, *arguments)

    monkeypatch.setattr(perft, "count_part", count_and_record)
    return parts


def test_a_count_resumes_where_it_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bgfast.perft(POSITION, DEPTH, bulk=False)
    with monkeypatch.context() as patch:
        first_parts = record_parts(patch, stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            bgfast.perft(POSITION, DEPTH, checkpoint=path)
    header, *records = lines_of(path)
    assert [part["part"] for part in records] == first_parts == [0, 1]
    later_parts = record_parts(monkeypatch)
    assert bgfast.perft(POSITION, DEPTH, checkpoint=str(path), threads=2) == expected
    part_count = header["job"]["parts"]
    assert part_count > 4
    assert later_parts == list(range(2, part_count))
    # A third run has nothing left to count.
    assert bgfast.perft(POSITION, DEPTH, checkpoint=path) == expected
    assert later_parts == list(range(2, part_count))
    assert os.listdir(path.parent) == [path.name]


def test_a_checkpoint_records_the_job_and_the_parts(path: Path) -> None:
    path.touch()  # an empty file is treated as new
    total = bgfast.perft(POSITION, DEPTH, checkpoint=path)
    header, *parts = lines_of(path)
    assert header["kind"] == "count"
    assert header["job"] == {
        "board": POSITION.to_array().tolist(),
        "depth": DEPTH,
        "weighted": False,
        "parts": len(parts),
    }
    # Games that ended at an earlier level belong to no part.
    part_sums = [sum(part["leaves"]) for part in parts]
    first_level = perft.first_level(POSITION.to_array(), DEPTH)
    finished_games = perft.last_merged_level(first_level, False, 1).finished
    assert sum(part_sums) + int(finished_games.sum()) == total
    assert all(part["positions"] > 0 and part["seconds"] >= 0 for part in parts)


def test_a_checkpoint_records_its_rules_and_refuses_others(path: Path) -> None:
    total = bgfast.perft(POSITION, DEPTH, rules=bgfast.EXACT, checkpoint=path)
    assert total == bgfast.perft(POSITION, DEPTH, rules=bgfast.EXACT, bulk=False)
    assert lines_of(path)[0]["job"]["rules"] == {
        "bearoff_die": "exact",
        "bearoff_compulsory": False,
        "forfeit": "empty_point",
        "stack_max": 0,
    }
    # Rules that do not affect generation, such as the win scheme, are not part of the job.
    rules = bgfast.RuleSet(bearoff_die="exact", forfeit="empty_point")
    assert bgfast.perft(POSITION, DEPTH, rules=rules, checkpoint=path) == total
    for rules in (bgfast.STANDARD, bgfast.FIVE_STACK):
        with pytest.raises(BgfastError, match="belongs to another count: its rules is"):
            bgfast.perft(POSITION, DEPTH, rules=rules, checkpoint=path)
    path.unlink()
    bgfast.perft(POSITION, DEPTH, checkpoint=path)
    with pytest.raises(BgfastError, match="its rules is None, here it is"):
        bgfast.perft(POSITION, DEPTH, rules=bgfast.EXACT, checkpoint=path)


def test_stored_parts_are_not_counted_again(path: Path) -> None:
    total = bgfast.perft(POSITION, DEPTH, checkpoint=path)

    def change(lines: list[dict[str, Any]]) -> None:
        lines[2]["leaves"][3] += 1000

    rewrite(path, change)
    assert bgfast.perft(POSITION, DEPTH, checkpoint=path) == total + 1000


def test_progress_rises_to_1(path: Path) -> None:
    for options in ({"checkpoint": path}, {"checkpoint": path}, {"threads": 2}, {"bulk": False}):
        fractions: list[float] = []
        bgfast.perft(POSITION, DEPTH, progress=fractions.append, **options)  # type: ignore[arg-type]
        assert len(fractions) > 4
        assert fractions == sorted(fractions)
        assert 0 < fractions[0] < 0.5
        assert fractions[-1] == 1


INVALID_PART = "record 1: part 0 is invalid; expected the number of positions, and of leaves by roll"


def set_keys(line: int, **changes: Any) -> Callable[[list[dict[str, Any]]], object]:
    """Return a function that changes keys of a record, or of the job if `line` is 0."""
    return lambda lines: (lines[line] if line else lines[0]["job"]).update(changes)


def set_leaves(value: Any) -> Callable[[list[dict[str, Any]]], object]:
    return lambda lines: lines[1]["leaves"].__setitem__(0, value)


REFUSED_CHANGES = [
    (lambda lines: lines[1]["leaves"].pop(), INVALID_PART),
    *((set_leaves(value), INVALID_PART) for value in (-1, 2**64, 1.0)),
    *((set_keys(1, positions=value), INVALID_PART) for value in ("5", True)),
    (set_keys(1, leaves=21), INVALID_PART),
    (lambda lines: lines[1].pop("leaves"), "record 1: it is not a record of a count; left as it is"),
    (set_keys(2, part=0), r"record 2: part is 0; expected 0 to \d+, none twice"),
    (set_keys(1, part=1000), r"record 1: part is 1000; expected 0 to \d+, none"),
    (set_keys(1, part=False), "record 1: part is False; expected 0 to"),
    (set_keys(0, parts="9"), "another count: its parts is '9'"),
    (set_keys(0, depth=5), "another count: its depth is 5, here it is 4"),
]


def test_refused_files_are_left_unchanged(path: Path) -> None:
    bgfast.perft(POSITION, DEPTH, checkpoint=path)
    valid_content = path.read_bytes()
    for change, message in REFUSED_CHANGES:
        path.write_bytes(valid_content)
        rewrite(path, change)
        content = path.read_bytes()
        with pytest.raises(BgfastError, match=message):
            bgfast.perft(POSITION, DEPTH, checkpoint=path)
        assert path.read_bytes() == content


def test_parts_at_a_damaged_end_are_counted_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    total = bgfast.perft(POSITION, DEPTH, checkpoint=path)
    records, text = lines_of(path)[1:], path.read_text()
    for cut_length, suffix in ((0, ""), (9, ""), (400, "\0\0\0\0"), (0, BAD_RECORD), (400, BAD_RECORD)):
        path.write_text(text[: len(text) - cut_length] + suffix)
        intact_parts = text[: len(text) - cut_length].count("\n") - 1
        with monkeypatch.context() as patch:
            parts = record_parts(patch)
            with pytest.warns(UserWarning, match="damaged") if cut_length or suffix else nullcontext():
                assert bgfast.perft(POSITION, DEPTH, checkpoint=path) == total
        assert parts == list(range(intact_parts, len(records)))
        assert bool(parts) == bool(cut_length)
        if parts:
            assert [part["leaves"] for part in lines_of(path)[1:]] == [part["leaves"] for part in records]


def test_the_file_is_unlocked_after_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        record_parts(patch, stop_after=1)
        with pytest.raises(KeyboardInterrupt) as interrupt:  # keeps every frame alive
            bgfast.perft(POSITION, DEPTH, checkpoint=path)
    with pytest.raises(BgfastError, match="another count") as refusal:
        bgfast.perft(POSITION, 5, checkpoint=path)
    assert bgfast.perft(POSITION, DEPTH, checkpoint=path) == bgfast.perft(POSITION, DEPTH, bulk=False)
    assert interrupt.traceback
    assert refusal.traceback
