"""Journals: damage and interrupted writes lose no complete record."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bgfast import BgfastError
from bgfast.common import files
from bgfast.common import journal as journal_module
from bgfast.common.files import check_same_job
from bgfast.common.journal import Journal
from tests.support.journals import journal_bytes, lines_of, rewrite
from tests.support.patience import patient

JOB = {"evaluator": "ü", "seed": None}
CONTENTS = [{"value": 1.25}, {"value": [-3, True]}, {"a": ',"crc32":"'}]
Contents = list[dict[str, Any]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def open_journal(path: Path) -> tuple[Journal, Contents]:
    """Open a journal of `JOB`; return it and its records."""
    records: Contents = []
    journal = Journal(path, "rollout", "checkpoint")
    try:
        journal.begin(JOB)
        journal.read(records.append)
    except BaseException:
        journal.close()
        raise
    assert [record.pop("record") for record in records] == list(range(1, len(records) + 1))
    assert all(record.pop("crc32", None) is None for record in records)
    return journal, records


def records_of(path: Path) -> Contents:
    journal, records = open_journal(path)
    journal.close()
    return records


def write_journal(path: Path, contents: Contents = CONTENTS) -> bytes:
    journal, _ = open_journal(path)
    for content in contents:
        journal.append(content)
    journal.close()
    return path.read_bytes()


def test_round_trip(file: Path) -> None:
    write_journal(file, CONTENTS[:1])
    write_journal(file, CONTENTS[1:])
    assert records_of(file) == CONTENTS
    header, *records = lines_of(file)
    assert header == {"bgfast_journal": 1, "kind": "rollout", "job": JOB}
    assert records == [{"record": index, **content} for index, content in enumerate(CONTENTS, 1)]


def test_every_flipped_bit_is_detected(file: Path) -> None:
    text = write_journal(file)
    ends = [index + 1 for index, byte in enumerate(text) if byte == ord("\n")]
    outcomes = {"refused": 0, "warned": 0}
    for index in range(len(text)):
        for bit in (0, 5, 7):
            damaged_text = bytearray(text)
            damaged_text[index] ^= 1 << bit
            with file.open("r+b") as stream:  # truncating the file would take ten times as long
                stream.write(damaged_text)
            with warnings.catch_warnings(record=True) as warning_records:
                warnings.simplefilter("always")
                try:
                    records = records_of(file)
                except BgfastError:
                    outcomes["refused"] += 1
                    assert file.read_bytes() == damaged_text
                    assert index < ends[-2] - 1  # a valid record follows the damage, or the header is damaged
                    continue
            # The last record is lost, and also the record before it if the newline between them is damaged.
            outcomes["warned"] += 1
            valid_count = 2 if index >= ends[-2] else 1
            assert index >= ends[-2] - 1
            assert records == CONTENTS[:valid_count]
            assert [str(warning.message) for warning in warning_records] == [
                f"checkpoint {file}: {len(text) - ends[valid_count]} damaged bytes at its end are ignored"
            ]
    assert outcomes["warned"] == 3 * (ends[-1] - ends[-2] + 1)
    assert sum(outcomes.values()) == 3 * len(text)


def test_truncated_journals_keep_whole_records(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # a thousand calls would take seconds
    text = write_journal(file)
    ends = [index + 1 for index, byte in enumerate(text) if byte == ord("\n")]
    for length in range(len(text) + 1):
        file.write_bytes(text[:length])
        whole_ends = [end for end in ends if end <= length]
        with warnings.catch_warnings(record=True) as warning_records:
            warnings.simplefilter("always")
            journal, records = open_journal(file)
        count = max(0, len(whole_ends) - 1)
        assert records == CONTENTS[:count]
        end_size = length - (whole_ends[-1] if whole_ends else 0)
        assert [str(warning.message) for warning in warning_records] == (
            [f"checkpoint {file}: {end_size} damaged bytes at its end are ignored"] if end_size else []
        )
        for content in CONTENTS[count:]:
            journal.append(content)
        journal.close()
        assert file.read_bytes() == text


@pytest.mark.parametrize(
    "end", [b"\0" * 5000, b"\0" * 50 + b"\n", b"[]\n", b'{"record":4}\n\xff\n{"a', b"\n\n"]
)
def test_damage_at_the_end_is_ignored_and_overwritten(file: Path, end: bytes) -> None:
    text = write_journal(file, CONTENTS[:2])
    file.write_bytes(text + end)
    with pytest.warns(UserWarning, match=f"^checkpoint {file}: {len(end):,} damaged bytes at its end are"):
        journal, records = open_journal(file)
    assert records == CONTENTS[:2]
    assert file.read_bytes() == text + end
    journal.append(CONTENTS[2])
    journal.close()
    assert file.read_bytes() == text + journal_bytes(expected_lines())[len(text) :]


def expected_lines() -> Contents:
    header = {"bgfast_journal": 1, "kind": "rollout", "job": JOB}
    return [header, *({"record": index, **content} for index, content in enumerate(CONTENTS, 1))]


def test_damage_before_a_valid_record_is_refused(file: Path) -> None:
    text = write_journal(file)
    lines = text.splitlines(keepends=True)
    valid_size = len(lines[0]) + len(lines[1])
    damaged_line = lines[2][:-2] + b"\n"
    for damaged_lines in (
        [*lines[:2], damaged_line, lines[3]],
        [*lines[:2], lines[3]],  # a missing record
        [*lines[:2], lines[3], lines[2]],  # exchanged records
        [*lines[:2], b"\0" * 99 + b"\n", *lines[3:]],
    ):
        file.write_bytes(b"".join(damaged_lines))
        with pytest.raises(BgfastError) as error:
            records_of(file)
        assert str(error.value) == (
            f"checkpoint {file}: record 2 is damaged or missing, and record 3 after it is valid; left as it "
            f"is, with {valid_size} valid bytes before"
        )
        assert file.read_bytes() == b"".join(damaged_lines)
    file.write_bytes(b"".join([*lines[:2], b"\0\n", *lines[2:]]))  # an inserted line
    with pytest.raises(BgfastError, match=f"damaged data follows its first {valid_size} bytes, and record"):
        records_of(file)
    file.write_bytes(b"".join([*lines[:2], lines[1]]))  # a repeated record
    with pytest.raises(BgfastError, match="record 2 is damaged or missing, and record 1 after it is valid"):
        records_of(file)


def test_records_of_another_file_are_ignored(file: Path) -> None:
    text = write_journal(file)
    rewrite(file, lambda lines: lines[0]["job"].update(seed=1))
    other_lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*text.splitlines(keepends=True)[:2], *other_lines[2:]]))
    with pytest.warns(UserWarning, match="damaged bytes"):
        assert records_of(file) == CONTENTS[:1]


def test_refused_journals_are_closed(file: Path) -> None:
    file.write_bytes(b"hello\n")  # tests/refusals/common.txt lists other refused files
    errors = []
    for _ in range(2):
        with pytest.raises(BgfastError, match="it is not a checkpoint of a rollout") as error:
            records_of(file)
        errors.append(error)  # keeps every frame alive


def test_errors_of_readers_name_the_record(file: Path) -> None:
    text = write_journal(file)
    for error, reason in (
        (BgfastError("it is late"), "it is late"),
        (KeyError("value"), "it is not a record of a rollout"),
        (TypeError(), "it is not a record of a rollout"),
    ):

        def refuse_second_record(record: dict[str, Any], error: Exception = error) -> None:
            if record["record"] == 2:
                raise error

        journal = Journal(file, "rollout", "checkpoint")
        with pytest.raises(BgfastError, match=f"^checkpoint {file}: record 2: {reason}; left as it is$"):
            journal.read(refuse_second_record)
        journal.close()
    assert file.read_bytes() == text


def test_jobs_are_compared_as_stored() -> None:
    check_same_job("file", "count", {"board": [1, 2], "rules": {"b": 1, "a": 2}, "more": None},
                   {"board": (1, 2), "rules": {"a": 2, "b": 1}})  # fmt: skip


# ---- errors while writing ----


def test_short_writes_are_completed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: real_write(descriptor, content[:7]))
    assert write_journal(file) == journal_bytes(expected_lines())


def limited_disk(free_bytes: int) -> Callable[[int, Any], int]:
    """Return a replacement of `os.write` for a disk with this many free bytes."""
    remaining, real_write = free_bytes, os.write

    def write(descriptor: int, content: Any) -> int:
        nonlocal remaining
        if remaining == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written_count = real_write(descriptor, content[:remaining])
        remaining -= written_count
        return written_count

    return write


def test_full_disk_loses_one_record(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, _ = open_journal(file)
    journal.append(CONTENTS[0])
    text = file.read_bytes()
    for free_bytes in range(30):
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", limited_disk(free_bytes))
            with pytest.raises(BgfastError, match=f"^checkpoint {file}: No space left on device$"):
                journal.append(CONTENTS[1])
        assert file.read_bytes() == text
    for content in CONTENTS[1:]:
        journal.append(content)
    journal.close()
    assert records_of(file) == CONTENTS


def test_partial_record_is_removed_after_ctrl_c(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, _ = open_journal(file)
    text = file.read_bytes()
    real_write = os.write

    def interrupt(descriptor: int, content: Any) -> int:
        real_write(descriptor, content[:9])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupt)
        with pytest.raises(KeyboardInterrupt):
            journal.append(CONTENTS[0])
    assert file.read_bytes() == text
    journal.close()


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_disk_errors_lose_one_record(file: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    journal, _ = open_journal(file)
    journal.append(CONTENTS[0])

    def fail(*arguments: Any) -> int:
        if call == "write":
            return 0
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(BgfastError, match="No space left on device"):
            journal.append(CONTENTS[1])
    journal.append(CONTENTS[1])
    journal.close()
    assert records_of(file) == CONTENTS[:2]


def test_partial_records_are_overwritten(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, _ = open_journal(file)
    journal.append(CONTENTS[0])
    real_truncate, calls = os.ftruncate, 0

    def fail_second_time(descriptor: int, length: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(errno.EIO, "Input/output error")
        real_truncate(descriptor, length)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", limited_disk(20))
        patch.setattr(os, "ftruncate", fail_second_time)
        with pytest.raises(BgfastError, match="No space left"):
            journal.append(CONTENTS[2])
    assert file.stat().st_size == journal._size[0] + 20
    journal.append({})  # this record ends before the end of the file
    journal.close()
    assert records_of(file) == [CONTENTS[0], {}]


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits")
def test_the_file_size_limit_loses_one_record(file: Path) -> None:
    import resource

    journal, _ = open_journal(file)
    journal.append(CONTENTS[0])
    text = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(text) + 10, hard))
    try:
        with pytest.raises(BgfastError, match="File too large"):
            journal.append(CONTENTS[1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == text
    journal.append(CONTENTS[1])
    journal.close()
    assert records_of(file) == CONTENTS[:2]


def interrupt_at(line_count: int) -> Callable[[FrameType, str, Any], Any]:
    """Return a trace function that interrupts `journal` and `files` at the n-th line that they execute."""
    remaining = line_count

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal remaining
        if frame.f_code.co_filename not in (journal_module.__file__, files.__file__):
            return None
        if event == "line":
            remaining -= 1
            if remaining == 0:
                raise KeyboardInterrupt
        return trace

    return trace


def interrupt_every_line(action: Callable[[], object]) -> Iterator[None]:
    """Repeat an action with Ctrl-C one line later each time, until it completes."""
    for line_count in range(1, 10_000):
        old_trace = sys.gettrace()
        sys.settrace(interrupt_at(line_count))
        try:
            action()
        except KeyboardInterrupt:
            sys.settrace(old_trace)
            yield
        else:
            return
        finally:
            sys.settrace(old_trace)


def test_ctrl_c_at_any_line_loses_no_complete_record(file: Path) -> None:
    journal, _ = open_journal(file)
    journal.append(CONTENTS[0])
    attempts = 0
    for _ in interrupt_every_line(lambda: journal.append(CONTENTS[1])):
        attempts += 1
        copy = file.with_name("copy")
        copy.write_bytes(file.read_bytes())
        # If the process ended now, the record would be complete or missing.
        assert records_of(copy) in (CONTENTS[:1], CONTENTS[:2])
    assert attempts > 15
    journal.append(CONTENTS[2])
    journal.close()
    assert records_of(file) == CONTENTS


WRITER = """
import sys
from bgfast.common.journal import Journal
journal = Journal(sys.argv[1], "rollout", "checkpoint")
journal.begin({"a": 1})
for index in range(10**6):
    journal.append({"value": [index] * 5000})
    print(index, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_process_loses_no_complete_record(file: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=patient(30))
    reported = 20 + rest.count(b"\n")
    records: Contents = []
    journal = Journal(file, "rollout", "checkpoint")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        journal.read(records.append)
    assert len(records) in (reported, reported + 1)
    assert all(record["value"] == [record["record"] - 1] * 5000 for record in records)
    journal.append({"value": 0})
    journal.close()


def test_two_runs_do_not_share_a_file(file: Path) -> None:
    holder = f"process {os.getpid()}" if sys.platform == "linux" else "another run"
    journal, _ = open_journal(file)
    with pytest.raises(BgfastError, match=f"^checkpoint {file}: it is in use by {holder}$"):
        open_journal(file)
    journal.append(CONTENTS[0])
    journal.close()
    assert records_of(file) == CONTENTS[:1]


def test_replaced_file_is_not_written(file: Path) -> None:
    journal, _ = open_journal(file)
    text = file.read_bytes()
    moved_file = file.rename(file.with_name("moved"))
    file.write_text("other content")
    with pytest.raises(BgfastError, match="another file has replaced it"):
        journal.append(CONTENTS[0])
    assert (file.read_text(), moved_file.read_bytes()) == ("other content", text)
    file.unlink()
    with pytest.raises(BgfastError, match="No such file or directory"):
        journal.append(CONTENTS[0])
    moved_file.rename(file)
    journal.append(CONTENTS[0])
    journal.close()
    assert records_of(file) == CONTENTS[:1]


def test_files_truncated_during_use_are_refused(file: Path) -> None:
    journal, _ = open_journal(file)
    journal.append(CONTENTS[0])
    os.truncate(file, 30)
    with pytest.raises(BgfastError, match="it has been cut off while it was in use"):
        journal.append(CONTENTS[1])
    journal.close()
    assert file.stat().st_size == 30


def test_links_and_file_modes_are_kept(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file)
    file.touch(0o640)
    mode = file.stat().st_mode
    write_journal(link)
    assert link.is_symlink()
    assert file.stat().st_mode == mode
    assert sorted(os.listdir(file.parent)) == ["journal", "link"]


def test_records_are_synced_to_the_disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced_sizes: list[int] = []
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        synced_sizes.append(os.fstat(descriptor).st_size)
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    journal, _ = open_journal(file)
    initial_count = len(synced_sizes)
    assert initial_count == 2  # the file and its folder
    journal.append(CONTENTS[0])
    assert synced_sizes[initial_count:] == [file.stat().st_size]
    journal.close()


def test_lines_are_read_up_to_the_size_limit(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = write_journal(file)
    header = text.index(b"\n") + 1
    monkeypatch.setattr(journal_module, "MAX_LINE", 200)
    file.write_bytes(text[: header - 1] + b" " * 10_000)
    with pytest.raises(BgfastError, match="its header is damaged; left as it is"):
        Journal(file, "rollout", "checkpoint")
    file.write_bytes(text + b"x" * 10_000)
    sizes = []
    parse = journal_module._content

    def content_of(line: bytes, seed: int) -> dict[str, Any] | None:
        sizes.append(len(line))
        return parse(line, seed)

    monkeypatch.setattr(journal_module, "_content", content_of)
    with pytest.warns(UserWarning, match="10,000 damaged bytes at its end are ignored"):
        journal, records = open_journal(file)
    assert records == CONTENTS
    assert max(sizes) == 200
    with pytest.raises(BgfastError, match=r"a record of 3\d\d bytes; expected at most 200"):
        journal.append({"value": "x" * 300})
    journal.append({"value": 2})
    journal.close()
    assert records_of(file) == [*CONTENTS, {"value": 2}]
