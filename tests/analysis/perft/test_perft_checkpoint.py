"""Long counts that stop and go on: what is kept, and what is refused."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.analysis.perft import levels as perft_levels
from bgfast.analysis.perft import perft
from tests.support.journals import lines_of, rewrite

LATE = Position.from_array([0, -1, 0, 1] + [0] * 18 + [-1, 0, 0, 1])
DEPTH = 4


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perft_levels, "PART", 5_000)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "late.json"


def counted_parts(monkeypatch: pytest.MonkeyPatch, stop_after: int = 10**9) -> list[int]:
    """The parts that are counted from now on; Ctrl-C comes when so many are done."""
    parts: list[int] = []
    part_leaves = perft.part_leaves

    def watched(level: perft_levels.Level, part: int, *rest: Any) -> perft_levels.PartLeaves:
        if len(parts) == stop_after:
            raise KeyboardInterrupt
        parts.append(part)
        return part_leaves(level, part, *rest)

    monkeypatch.setattr(perft, "part_leaves", watched)
    return parts


def test_a_count_goes_on_where_it_stopped(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bgfast.perft(LATE, DEPTH, bulk=False)
    with monkeypatch.context() as patch:
        before = counted_parts(patch, stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            bgfast.perft(LATE, DEPTH, checkpoint=file)
    header, *kept = lines_of(file)
    assert [part["part"] for part in kept] == before == [0, 1]
    after = counted_parts(monkeypatch)
    assert bgfast.perft(LATE, DEPTH, checkpoint=str(file), threads=2) == expected
    parts = header["job"]["parts"]
    assert parts > 4
    assert after == list(range(2, parts))
    # And once more: nothing is left to do.
    assert bgfast.perft(LATE, DEPTH, checkpoint=file) == expected
    assert after == list(range(2, parts))
    assert os.listdir(file.parent) == [file.name]


def test_a_checkpoint_tells_how_the_number_was_obtained(file: Path) -> None:
    total = bgfast.perft(LATE, DEPTH, checkpoint=file)
    header, *parts = lines_of(file)
    assert header["kind"] == "count"
    assert header["job"] == {
        "board": LATE.to_array().tolist(),
        "depth": DEPTH,
        "weighted": False,
        "parts": len(parts),
    }
    # Games that ended earlier belong to no part.
    by_part = [sum(part["leaves"]) for part in parts]
    first = perft_levels.first_level(LATE.to_array(), DEPTH)
    ended = perft_levels.last_merged_level(first, False, 1).finished
    assert sum(by_part) + int(ended.sum()) == total
    assert all(part["positions"] > 0 and part["seconds"] >= 0 for part in parts)


def test_a_checkpoint_is_that_of_its_rules(file: Path) -> None:
    total = bgfast.perft(LATE, DEPTH, rules=bgfast.EXACT, checkpoint=file)
    assert total == bgfast.perft(LATE, DEPTH, rules=bgfast.EXACT, bulk=False)
    assert lines_of(file)[0]["job"]["rules"] == {
        "bearoff_die": "exact",
        "bearoff_compulsory": False,
        "forfeit": "empty_point",
        "stack_max": 0,
    }
    # The win scheme and the like change no count.
    rules = bgfast.RuleSet(bearoff_die="exact", forfeit="empty_point")
    assert bgfast.perft(LATE, DEPTH, rules=rules, checkpoint=file) == total
    for rules in (bgfast.STANDARD, bgfast.FIVE_STACK):
        with pytest.raises(BgfastError, match="that of another count: its rules is"):
            bgfast.perft(LATE, DEPTH, rules=rules, checkpoint=file)
    file.unlink()
    bgfast.perft(LATE, DEPTH, checkpoint=file)
    with pytest.raises(BgfastError, match="its rules is None, here it is"):
        bgfast.perft(LATE, DEPTH, rules=bgfast.EXACT, checkpoint=file)


def test_what_is_kept_is_used(file: Path) -> None:
    # Otherwise "going on" could mean to begin again.
    total = bgfast.perft(LATE, DEPTH, checkpoint=file)

    def change(lines: list[dict[str, Any]]) -> None:
        lines[2]["leaves"][3] += 1000

    rewrite(file, change)
    assert bgfast.perft(LATE, DEPTH, checkpoint=file) == total + 1000


def test_progress_is_told(file: Path) -> None:
    for options in ({"checkpoint": file}, {"checkpoint": file}, {"threads": 2}, {"bulk": False}):
        told: list[float] = []
        bgfast.perft(LATE, DEPTH, progress=told.append, **options)  # type: ignore[arg-type]
        assert len(told) > 4
        assert told == sorted(told)
        assert 0 < told[0] < 0.5
        assert told[-1] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[1]["leaves"].pop(), "record 1: part 0: expected positions, and leaves of"),
        (lambda lines: lines[1]["leaves"].__setitem__(0, -1), "record 1: part 0: expected positions"),
        (lambda lines: lines[1]["leaves"].__setitem__(0, 2**64), "record 1: part 0: expected positions"),
        (lambda lines: lines[1]["leaves"].__setitem__(0, 1.0), "record 1: part 0: expected positions"),
        (lambda lines: lines[1].update(positions="5"), "record 1: part 0: expected positions"),
        (lambda lines: lines[1].update(positions=True), "record 1: part 0: expected positions"),
        (lambda lines: lines[1].update(leaves=21), "record 1: part 0: expected positions"),
        (lambda lines: lines[1].pop("leaves"), "record 1: it is none of a count; left as it is"),
        (lambda lines: lines[2].update(part=0), "record 2: part 0; expected one of . that is not there yet"),
        (lambda lines: lines[1].update(part=1000), "record 1: part 1000; expected one of"),
        (lambda lines: lines[1].update(part=False), "record 1: part False; expected one of"),
        (
            lambda lines: lines[0]["job"].update(parts=str(lines[0]["job"]["parts"])),
            "another count: its parts is",
        ),
        (
            lambda lines: lines[0]["job"].update(weighted=0),
            "another count: its weighted is 0, here it is False",
        ),
        (lambda lines: lines[0]["job"].update(board={"a": [1]}), "another count: its board is"),
        (
            lambda lines: lines[0]["job"].update(more=None, some=1),
            "another count: its some is 1, here it is None",
        ),
        (lambda lines: lines[0]["job"].update(depth=5), "another count: its depth is 5, here it is 4"),
        (lambda lines: lines[0]["job"].pop("board"), "another count: its board is None"),
    ],
)
def test_files_that_are_refused_stay_as_they_are(
    file: Path, change: Callable[[list[dict[str, Any]]], object], message: str
) -> None:
    bgfast.perft(LATE, DEPTH, checkpoint=file)
    rewrite(file, change)
    wrong = file.read_bytes()
    with pytest.raises(BgfastError, match=message):
        bgfast.perft(LATE, DEPTH, checkpoint=file)
    assert file.read_bytes() == wrong


@pytest.mark.parametrize("cut", [0, 9, 400])
@pytest.mark.parametrize("end", ["", "\0\0\0\0", '\n{"part": 99\n'])
def test_parts_at_a_damaged_end_are_counted_again(
    file: Path, monkeypatch: pytest.MonkeyPatch, cut: int, end: str
) -> None:
    total = bgfast.perft(LATE, DEPTH, checkpoint=file)
    whole = lines_of(file)
    text = file.read_text()
    file.write_text(text[: len(text) - cut] + end)
    sound = text[: len(text) - cut].count("\n") - 1
    parts = counted_parts(monkeypatch)
    with pytest.warns(UserWarning, match="damaged") if cut or end else nullcontext():
        assert bgfast.perft(LATE, DEPTH, checkpoint=file) == total
    assert parts == list(range(sound, len(whole) - 1))
    assert bool(parts) == bool(cut)
    if parts:
        assert [part["leaves"] for part in lines_of(file)[1:]] == [part["leaves"] for part in whole[1:]]


def test_an_empty_file_is_as_new(file: Path) -> None:
    file.touch()
    total = bgfast.perft(LATE, DEPTH, checkpoint=file)
    assert total == bgfast.perft(LATE, DEPTH, bulk=False)
    assert lines_of(file)[1:]


def test_two_runs_do_not_share_a_file(file: Path) -> None:
    refused: list[str] = []

    def second(done: float) -> None:
        try:
            bgfast.perft(LATE, DEPTH, checkpoint=file)
        except BgfastError as error:
            refused.append(str(error))

    bgfast.perft(LATE, DEPTH, checkpoint=file, progress=second)
    assert len(refused) >= len(lines_of(file)) - 1
    assert all("it is in use by" in message for message in refused)
    bgfast.perft(LATE, DEPTH, checkpoint=file)


def test_the_file_is_free_after_an_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        counted_parts(patch, stop_after=1)
        with pytest.raises(KeyboardInterrupt) as kept:  # and with it every frame
            bgfast.perft(LATE, DEPTH, checkpoint=file)
    with pytest.raises(BgfastError, match="another count") as refused:
        bgfast.perft(LATE, 5, checkpoint=file)
    assert bgfast.perft(LATE, DEPTH, checkpoint=file) == bgfast.perft(LATE, DEPTH, bulk=False)
    assert kept.traceback
    assert refused.traceback


def test_a_disk_that_is_full_is_told_and_what_was_kept_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        counted_parts(patch, stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            bgfast.perft(LATE, DEPTH, checkpoint=file)
    kept = file.read_text()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BgfastError, match=r"checkpoint .*late\.json: No space left on device"):
            bgfast.perft(LATE, DEPTH, checkpoint=file)
    assert file.read_text() == kept
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs")
def test_a_fifo_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(BgfastError, match=f"checkpoint {tmp_path}/fifo: it is a FIFO; expected a file"):
        bgfast.perft(LATE, DEPTH, checkpoint=tmp_path / "fifo")


def test_binary_files_and_directories_are_refused(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BgfastError, match=r"late\.json"):
        bgfast.perft(LATE, DEPTH, checkpoint=file)
    assert file.read_bytes() == b"\xff\xfe\x00"
    with pytest.raises(BgfastError, match=str(tmp_path)):
        bgfast.perft(LATE, DEPTH, checkpoint=tmp_path)
    with pytest.raises(BgfastError, match="No such file or directory"):
        bgfast.perft(LATE, DEPTH, checkpoint=tmp_path / "nowhere" / "late.json")


def test_a_checkpoint_needs_merging(file: Path) -> None:
    for depth, bulk in ((3, True), (4, False)):
        with pytest.raises(BgfastError, match="a depth of 4 or more, and bulk=True"):
            bgfast.perft(LATE, depth, bulk=bulk, checkpoint=file)
    assert not file.exists()
