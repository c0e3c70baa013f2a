"""Database files: construction, reading, sharing, damage, interruption, and databases in memory only."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import warnings
import zlib
from collections.abc import Callable
from math import comb
from pathlib import Path

import numpy as np
import pytest

from bgfast.common import files
from bgfast.evaluation.bearoff import databases
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.bearoff.databases import HEADER, one_sided_spec, two_sided_spec
from tests.support.bearing_off import board_of
from tests.support.patience import patient

SIDES = comb(21, 6)
ONE_SIDED, TWO_SIDED = one_sided_spec().name, two_sided_spec(6).name


def open_without_warning(folder: Path, is_built: bool) -> Bearoff:
    """Open the databases, and assert that they were built or read as expected, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bearoff = Bearoff(folder=folder)
    assert [database.built for database in bearoff.databases] == [is_built] * 2
    assert [database.path for database in bearoff.databases] == [folder / ONE_SIDED, folder / TWO_SIDED]
    return bearoff


@pytest.fixture
def folder(bearoff: Bearoff, tmp_path: Path) -> Path:
    """Return a folder with valid files."""
    for database in bearoff.databases:
        assert database.path is not None
        (tmp_path / database.path.name).write_bytes(database.path.read_bytes())
    return tmp_path


def test_databases_are_built_once_and_read(tmp_path: Path) -> None:
    fractions: list[float] = []
    folder = tmp_path / "not" / "there"
    Bearoff(folder=str(folder), progress=fractions.append)
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < 0.1
    assert fractions[-1] == 1
    assert len(fractions) > 30
    bearoff = open_without_warning(folder, is_built=False)
    assert sorted(os.listdir(folder)) == [ONE_SIDED, TWO_SIDED]
    assert (folder / ONE_SIDED).stat().st_size == HEADER.size + 8 * SIDES * (32 + 12)
    assert (folder / TWO_SIDED).stat().st_size == HEADER.size + 8 * 924**2
    for database in bearoff.databases:
        for array in database.arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 1
    assert repr(bearoff) == f"Bearoff(6, folder={str(folder)!r})"
    assert bearoff.checkers == 6


def test_the_header_is_as_documented(folder: Path) -> None:
    content = (folder / TWO_SIDED).read_bytes()
    assert content[:8] == b"bgfastBO"
    fields = np.frombuffer(content, "<u4", 4, 8).tolist()
    assert fields == [1, 2, 6, 6]  # version, type code, points, checkers
    assert np.frombuffer(content, "<u8", 2, 24).tolist() == [924**2, len(content) - 64]
    assert int.from_bytes(content[40:44], "little") == zlib.crc32(content[64:])
    assert content[44:64] == bytes(20)
    one_sided = (folder / ONE_SIDED).read_bytes()
    assert np.frombuffer(one_sided, "<u4", 4, 8).tolist() == [1, 1, 6, 15]
    assert np.frombuffer(one_sided, "<u8", 2, 24).tolist() == [SIDES, len(one_sided) - 64]


def flip_bit(content: bytes, index: int) -> bytes:
    return content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :]


DAMAGE: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda content: content[:-1], "it has [0-9,]+ bytes, expected "),
    (lambda content: content[:40], "it has 40 bytes, expected "),  # the header is incomplete
    (lambda content: b"", "it has 0 bytes, expected "),
    (lambda content: content + b"x", "it has [0-9,]+ bytes, expected "),
    (lambda content: flip_bit(content, -2), "its checksum is [0-9a-f]{8}, expected "),
    (lambda content: flip_bit(content, 64), "its checksum is "),  # the first number changes
    (lambda content: flip_bit(content, 40), "its checksum is "),  # the checksum changes
    (lambda content: flip_bit(flip_bit(content, 8), 9), "it has version 256 of the format, expected 1"),
    (lambda content: b"PNG" * len(content), "it is not a bear-off database"),
    (lambda content: flip_bit(content, 20), "its header is "),  # the number of checkers changes
    (lambda content: flip_bit(flip_bit(content, 12), 12 + 3), "its header is "),  # the type code changes
]


def open_file(spec: databases.DatabaseSpec, folder: Path) -> databases.OpenDatabase:
    return databases.open_database(spec, folder, lambda fraction: None)


def test_a_damaged_file_is_rebuilt(tmp_path: Path) -> None:
    spec = two_sided_spec(3)
    (expected,) = open_file(spec, tmp_path).arrays
    content = (tmp_path / spec.name).read_bytes()
    for damage, message in DAMAGE:
        (tmp_path / spec.name).write_bytes(damage(content))
        with pytest.warns(UserWarning, match=rf"{spec.name}: {message}.*; rebuilding it") as record:
            database = open_file(spec, tmp_path)
        assert len(record) == 1
        assert database.built
        assert np.array_equal(database.arrays[0], expected)
        assert (tmp_path / spec.name).read_bytes() == content
        assert not open_file(spec, tmp_path).built


def test_only_the_damaged_file_is_rebuilt(bearoff: Bearoff, folder: Path) -> None:
    (folder / ONE_SIDED).write_bytes(flip_bit((folder / ONE_SIDED).read_bytes(), -2))
    with pytest.warns(UserWarning, match="its checksum is .*; rebuilding it") as record:
        new_bearoff = Bearoff(folder=folder)
    assert [warning.filename for warning in record] == [__file__]
    assert [database.built for database in new_bearoff.databases] == [True, False]
    for actual, expected in zip(new_bearoff.databases[0].arrays, bearoff.databases[0].arrays, strict=True):
        assert np.array_equal(actual, expected)
    open_without_warning(folder, is_built=False)


def test_truncation_while_reading_counts_as_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, fstat = two_sided_spec(3), databases.os.fstat
    open_file(spec, tmp_path)
    path = tmp_path / spec.name
    content = path.read_bytes()

    def truncating_fstat(descriptor: int) -> os.stat_result:
        status = fstat(descriptor)
        if status.st_size == len(content):
            os.truncate(path, len(content) // 2)
        return status

    monkeypatch.setattr(databases.os, "fstat", truncating_fstat)
    with pytest.warns(UserWarning, match="it was truncated while being read; rebuilding it"):
        open_file(spec, tmp_path)
    assert path.read_bytes() == content


@pytest.fixture
def no_warnings_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_warned_folders", set())


@pytest.mark.usefixtures("no_warnings_yet")
def test_an_unwritable_folder_gives_databases_in_memory(bearoff: Bearoff, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "below"
    with pytest.warns(UserWarning, match="below: .*; bear-off databases are kept in memory") as record:
        bearoffs = [Bearoff(folder=folder), Bearoff(folder=folder)]
    assert len(record) == 1
    assert record[0].filename == __file__
    for instance in bearoffs:
        assert [(database.path, database.built) for database in instance.databases] == [(None, True)] * 2
        assert np.array_equal(instance.databases[0].arrays[0], bearoff.databases[0].arrays[0])
        with pytest.raises(ValueError, match="read-only"):
            instance.databases[1].arrays[0][0, 0] = 1
    board = [board_of((1,) * 6)]
    assert np.array_equal(pickle.loads(pickle.dumps(bearoffs[0]))(board), bearoff(board))


@pytest.mark.usefixtures("no_warnings_yet")
def test_a_full_disk_gives_databases_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing_fsync(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", failing_fsync)
    with pytest.warns(UserWarning, match="No space left on device; bear-off databases are kept in memory"):
        assert open_file(two_sided_spec(3), tmp_path).path is None
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.usefixtures("no_warnings_yet")
def test_paths_that_are_not_files_are_left_unchanged(tmp_path: Path) -> None:
    spec = two_sided_spec(3)
    for make in (Path.mkdir, os.mkfifo):
        folder = tmp_path / make.__name__
        folder.mkdir()
        make(folder / spec.name)
        with pytest.warns(UserWarning, match="bear-?off") as record:
            assert open_file(spec, folder).path is None
        assert "rebuilding it" in str(record[0].message)
        assert "kept in memory" in str(record[1].message)
        assert not (folder / spec.name).is_file()


@pytest.mark.usefixtures("no_warnings_yet")
def test_a_user_without_a_home_folder_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("BGFAST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", failing_home)
    with pytest.warns(UserWarning, match="no folder: the user has no home folder; bear-off") as record:
        bearoff = Bearoff()
    assert [warning.filename for warning in record] == [__file__]
    assert repr(bearoff) == "Bearoff(6, folder=None)"
    assert bearoff.databases[0].path is None


def test_ctrl_c_while_building_leaves_only_complete_files(tmp_path: Path) -> None:
    for limit, file_names in ((0.2, []), (0.7, [ONE_SIDED])):

        def interrupt(fraction: float, limit: float = limit) -> None:
            if fraction > limit:
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            Bearoff(folder=tmp_path, progress=interrupt)
        assert os.listdir(tmp_path) == file_names


def start_python(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start Python with warnings as errors."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@pytest.mark.slow
def test_two_processes_can_build_at_the_same_time(tmp_path: Path) -> None:
    code = (
        "import sys; from bgfast.evaluation.bearoff.bearoff import Bearoff; print('ready', flush=True); "
        "sys.stdin.readline(); b = Bearoff(folder=sys.argv[1]); "
        "print([d.path is not None for d in b.databases])"
    )
    processes = [start_python(code, str(tmp_path)) for _ in range(2)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready" + os.linesep.encode()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=patient(60))[0] for process in processes]
    assert [output.split() for output in outputs] == [[b"[True,", b"True]"]] * 2
    assert sorted(os.listdir(tmp_path)) == [ONE_SIDED, TWO_SIDED]
    open_without_warning(tmp_path, is_built=False)


def test_a_pickle_is_read_in_another_process(folder: Path) -> None:
    """Unpickling reads the files without mapping them: truncation of a mapped file would kill the process."""
    bearoff = Bearoff(folder=folder)
    content = pickle.dumps(bearoff)
    assert len(content) < 1000
    code = (
        "import os, pickle, sys; b = pickle.load(sys.stdin.buffer); "
        "[os.truncate(database.path, 64) for database in b.databases]; "
        "print(float(sum(array.sum() for database in b.databases for array in database.arrays))); "
        f"print(b, b.databases[0].built, b([{board_of((1,) * 6, (2,) * 6)}]).tolist())"
    )
    output, _ = start_python(code).communicate(content, timeout=patient(60))
    total = float(sum(array.sum() for database in bearoff.databases for array in database.arrays))
    assert output.decode().split("\n")[:2] == [
        str(total),
        f"{bearoff} False {bearoff([board_of((1,) * 6, (2,) * 6)]).tolist()}",
    ]
