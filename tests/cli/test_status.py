"""Exit statuses and single-line errors with closed, full and unusual streams and files."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from bgfast.cli.main import main
from tests.support.command_line import Capture
from tests.support.faulty_engines import Fake

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell and named pipes")
NEEDS_FULL_DEVICE = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@pytest.fixture(autouse=True)
def small_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the suite that `suite export` writes with a short text."""
    monkeypatch.setattr("bgfast.cli.suite.build_suite", lambda seed, progress: seed)
    monkeypatch.setattr("bgfast.cli.suite.suite_bytes", lambda suite: b"suite\n")


def run_in_shell(command: str) -> tuple[int, str, str]:
    """Run a command line in a shell; return status, output and errors."""
    completed = subprocess.run(
        ["sh", "-c", f'"$0" -m bgfast {command}', sys.executable], capture_output=True, text=True, check=False
    )
    return completed.returncode, completed.stdout, completed.stderr


def test_closed_streams_are_not_an_error() -> None:
    status, out, err = run_in_shell("play --seed 1 <&- 2>&-")
    assert (status, err) == (0, "")
    assert out.endswith("\nbye\n")


FULL_DISK_MESSAGE = "standard output: No space left on device"
CLOSED_MESSAGE = "standard output is closed"


@pytest.mark.parametrize(
    ("arguments", "status", "out", "err"),
    [
        ("plays 31", 1, "closed", CLOSED_MESSAGE),
        ("--help", 1, "closed", CLOSED_MESSAGE),
        ("plays 99", 2, "", "closed"),
        *(
            pytest.param(*case, marks=NEEDS_FULL_DEVICE)
            for case in (
                ("plays 99", 2, "", "full"),
                ("plays --foo", 2, "", "full"),
                ("plays 31", 1, "full", FULL_DISK_MESSAGE),
                ("perft 2", 1, "unbuffered", FULL_DISK_MESSAGE),
                *(
                    (f"{arguments}--help", 1, out, FULL_DISK_MESSAGE)
                    for arguments in ("", "plays ")
                    for out in ("full", "unbuffered")
                ),
                *(("--version", 1, out, FULL_DISK_MESSAGE) for out in ("full", "unbuffered")),
            )
        ),
    ],
)
def test_the_status_with_closed_and_full_streams(
    arguments: str, status: int, out: str, err: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`out` and `err` are stream states; an `err` with spaces is the message on standard error."""
    with ExitStack() as files:
        for name, state in (("stdout", out), ("stderr", err)):
            stream = None
            if state in ("full", "unbuffered"):
                file = files.enter_context(
                    open("/dev/full", "wb", buffering=0 if state == "unbuffered" else -1)
                )
                stream = io.TextIOWrapper(file, write_through=state == "unbuffered")
            if state in ("closed", "full", "unbuffered"):
                monkeypatch.setattr(sys, name, stream)
        assert main(arguments.split()) == status
    output, errors = capsys.readouterr()
    assert (output, errors) == ("", f"bgfast: error: {err}\n" if " " in err else "")


def test_a_full_disk_is_an_error(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        ("suite export --file file", "'file' cannot be written: No space left on device"),
        ("perft hypergammon 4 --checkpoint file", "checkpoint file: No space left on device"),
    ):
        assert main(arguments.split()) == 2
        assert capsys.readouterr() == ("", f"bgfast: error: {message}\n")


def test_unencodable_characters_keep_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, "ascii"))
    assert main("crosscheck program:/no/such --random 0".split()) == 2
    assert b"| program:/no/such | ? | 0 | 0 | 0 | MISSING" in output.getvalue()


def test_positions_are_read_from_a_pipe(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    monkeypatch.setattr("bgfast.cli.crosscheck.open_engine", lambda name, time_limit: Fake(name=name))
    writer = threading.Thread(target=Path("fifo").write_text, args=("start 31\nnackgammon\n",))
    writer.start()
    assert main(["crosscheck", "bgfast", "--positions", "fifo"]) == 0
    writer.join()
    assert "named; positions: 2 from a file" in capsys.readouterr().out


def test_interrupted_export_keeps_the_file(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupt(*arguments: object) -> bytes:
        raise KeyboardInterrupt

    path = tmp_path / "suite"
    path.write_text("old")
    monkeypatch.setattr("bgfast.cli.suite.build_suite", interrupt)
    assert main(["suite", "export", "--file", str(path)]) == 130
    assert capsys.readouterr() == ("", "bgfast: interrupted\n")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["suite"]
