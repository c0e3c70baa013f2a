"""Files of solved tables: interrupted runs, damaged files, and files of another game."""

from __future__ import annotations

import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgfast import BgfastError
from bgfast.cli.main import main
from bgfast.common.files import FileLock
from bgfast.evaluation.hypergammon.solver import SolveProgress, solve_tables
from bgfast.evaluation.hypergammon.tables import (
    HEADER_BYTES,
    MAGIC,
    PREFIX,
    VERSION,
    TablesFile,
    check_table,
    open_tables,
    read_header,
    table_at,
)
from bgfast.evaluators import Hypergammon


@pytest.fixture
def copy_path(small_path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(small_path, tmp_path / "copy.bghyper"))


def tables_of(path: Path) -> list[np.ndarray]:
    header = read_header(str(path))
    return [np.array(table_at(str(path), header, index)) for index in range(len(header.tables))]


def test_a_file_has_three_tables(small_path: Path) -> None:
    header = read_header(str(small_path))
    assert [entry.name for entry in header.tables] == ["cubeless", "money", "match"]
    assert all(entry.residual is not None and entry.residual < 1e-9 for entry in header.tables)
    assert small_path.stat().st_size == HEADER_BYTES + 8 * 601 * 30


def test_an_interrupted_run_is_resumed(small_path: Path, tmp_path: Path) -> None:
    for table in ("cubeless", "money", "match"):
        path = tmp_path / f"{table}.bghyper"
        states: list[SolveProgress] = []

        def interrupt(state: SolveProgress, table: str = table) -> None:
            if state.table == table and state.sweeps == 7:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            solve_tables(path, checkers=1, progress=interrupt)
        *complete_tables, last_table = read_header(str(path)).tables
        assert (last_table.name, last_table.sweeps, last_table.residual) == (table, 7, None)
        check_table(str(path), read_header(str(path)), len(complete_tables))
        solve_tables(path, checkers=1, progress=states.append)
        assert [state.sweeps for state in states[:2]] == [0, 8]
        for actual, expected in zip(tables_of(path), tables_of(small_path), strict=True):
            assert np.abs(actual - expected).max() < 1e-8
        assert solve_tables(path, checkers=1, progress=lambda state: pytest.fail("solved again")).tables


def test_a_failed_write_leaves_the_file_unchanged(copy_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_header(str(copy_path))
    with open_tables(str(copy_path), 1, expected.positions) as file:

        def fail(file: TablesFile, header: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(TablesFile, "_write_header", fail)
        with pytest.raises(BgfastError, match=r"copy\.bghyper: No space left on device"):
            file.append("more", np.zeros((expected.positions, 1)), 1, 0.0)
    monkeypatch.undo()
    assert read_header(str(copy_path)) == expected
    solve_tables(copy_path, checkers=1)


def flip_bit(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


def test_damaged_files_are_refused(copy_path: Path, tmp_path: Path) -> None:
    header = read_header(str(copy_path))
    Hypergammon(copy_path).check()
    flip_bit(copy_path, header.offset(1) + 12345)
    assert read_header(str(copy_path)) == header
    check_table(str(copy_path), header, 0)
    for check in (lambda: check_table(str(copy_path), header, 1), Hypergammon(copy_path).check):
        with pytest.raises(
            BgfastError, match=r"copy\.bghyper: the checksum of the table 'money' is \w{8}; expected \w{8}"
        ):
            check()
    for offset, message in (
        (60, r"the checksum of its header is \w{8}; expected \w{8}"),
        (8, "it has version 0 of the format; expected 1"),
        (0, "it is not a file of hypergammon tables"),
    ):
        flip_bit(copy_path, offset)
        with pytest.raises(BgfastError, match=message):
            read_header(str(copy_path))


def test_invalid_headers_with_a_valid_checksum_are_refused(copy_path: Path) -> None:
    header = read_header(str(copy_path))
    fields = json.loads(copy_path.read_bytes()[PREFIX.size : HEADER_BYTES].rstrip(b"\0"))
    table = fields["tables"][1]
    changes: list[dict[str, Any]] = [
        *({name: None} for name in fields),
        {"rules": ["standard"]},
        {"checkers": 4},
        {"checkers": True},
        {"checkers": 2},
        {"positions": 10**400},
        {"positions": header.positions - 1},
        {"tables": {}},
        {"tables": [5]},
        {"tables": [{}]},
        *({"tables": [{**table, name: None}]} for name in table if name != "residual"),
        {"tables": [{**table, "columns": 5}]},
        {"tables": [{**table, "columns": 10**300, "name": "other"}]},
        {"tables": [{**table, "residual": "small"}]},
        {"tables": [{**table, "sweeps": -1}]},
        {"tables": [{**table, "more": 1}]},
    ]
    texts = [json.dumps({**fields, **change}).encode() for change in changes]
    texts += [b"", b"5", b"{", b"[" * 4000, b"\xff", json.dumps(fields).encode()[:-1]]
    for text in texts:
        packed = PREFIX.pack(MAGIC, VERSION, len(text), zlib.crc32(text)) + text
        with open(copy_path, "r+b") as file:
            file.write(packed.ljust(HEADER_BYTES, b"\0"))
        with pytest.raises(BgfastError, match=r"copy\.bghyper: .*; expected "):
            Hypergammon(copy_path)
        with pytest.raises(BgfastError, match=r"; expected "):
            solve_tables(copy_path, checkers=1)


def test_truncated_files_are_refused(copy_path: Path) -> None:
    size = copy_path.stat().st_size
    with open(copy_path, "r+b") as file:
        for length, message in (
            (size - 1, rf"it has {size - 1:,} bytes; expected {size:,}"),
            (100, "its header has 100 bytes; expected 4,096"),
        ):
            file.truncate(length)
            with pytest.raises(BgfastError, match=message):
                read_header(str(copy_path))


def test_files_of_other_games_and_files_in_use_are_refused(copy_path: Path) -> None:
    with pytest.raises(
        BgfastError, match="it has 1 checkers per side and 601 positions; expected 2 and 106,552"
    ):
        solve_tables(copy_path, checkers=2)
    text_file = copy_path.with_name("other")
    text_file.write_text("a text\n")
    with pytest.raises(BgfastError, match="it is not a file of hypergammon tables"):
        solve_tables(text_file, checkers=1)
    assert text_file.read_text() == "a text\n"
    lock = FileLock.on(copy_path)
    with pytest.raises(BgfastError, match=r"copy\.bghyper: it is in use by"):
        solve_tables(copy_path, checkers=1)
    lock.release()


def test_the_command_checks_files(copy_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hypergammon", "check", str(copy_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["positions"] == 601
    assert [table["columns"] for table in report["tables"]] == [5, 4, 21]
    assert main(["hypergammon", "check", str(copy_path)]) == 0
    assert "money: 4 columns" in capsys.readouterr().out
    flip_bit(copy_path, HEADER_BYTES)
    assert main(["hypergammon", "check", str(copy_path)]) == 2
    assert "the checksum of the table 'cubeless'" in capsys.readouterr().err
