"""Exit statuses and single-line errors with any streams and files."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bgfast.cli.main import main
from tests.support.command_line import Capture

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no shell and no devices of this kind")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@pytest.fixture(autouse=True)
def small_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the suite that `suite export` writes."""
    monkeypatch.setattr("bgfast.cli.suite.build_suite", lambda seed, progress: seed)
    monkeypatch.setattr("bgfast.cli.suite.suite_bytes", lambda suite: b"suite\n")


def run_in_shell(words: str, **environment: str) -> tuple[int, str, str]:
    """Run a command line in a shell; return status, output and errors."""
    completed = subprocess.run(
        ["sh", "-c", f'"$0" -m bgfast {words}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
    )
    return completed.returncode, completed.stdout, completed.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_unencodable_characters_keep_the_status(encoding: str) -> None:
    status, out, err = run_in_shell(
        "crosscheck program:/no/such bgfast --random 2", PYTHONIOENCODING=encoding
    )
    assert (status, err) == (2, "")
    assert "| program:/no/such | ? | 0 | 0 | 0 | MISSING" in out


@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        ("play --seed 1 <&-", 0, "\nbye\n", ""),
        ("crosscheck bgfast --random 2 <&-", 0, "agrees |\n", ""),
        ("plays 31 >&-", 1, "", "bgfast: error: standard output is closed\n"),
        ("--help >&-", 1, "", "bgfast: error: standard output is closed\n"),
        ("plays 99 2>&-", 2, "", ""),
        ("plays 99 <&- >&- 2>&-", 1, "", ""),
        pytest.param("plays 99 2>/dev/full", 2, "", "", marks=FULL),
        pytest.param("plays --foo 2>/dev/full", 2, "", "", marks=FULL),
        pytest.param(
            "crosscheck bgfast --random 2 >/dev/full",
            1,
            "",
            "bgfast: error: standard output: No space left on device\n",
            marks=FULL,
        ),
    ],
)
def test_closed_and_full_streams(words: str, status: int, out: str, err: str) -> None:
    result, printed, errors = run_in_shell(words)
    assert (result, errors) == (status, err)
    assert printed.endswith(out)
    assert bool(printed) == bool(out)


@FULL
@pytest.mark.parametrize("words", ["--help", "crosscheck --help", "--version"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_unwritable_help(words: str, unbuffered: str) -> None:
    message = "bgfast: error: standard output: No space left on device\n"
    assert run_in_shell(f"{words} >/dev/full", PYTHONUNBUFFERED=unbuffered) == (1, "", message)


FIFO = "it is a FIFO; expected a file"
TOO_MUCH = "it has more than 64,000,000 bytes, the maximum"


# Never a device as output: broken code running as root would replace it.
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("perft 4 --checkpoint fifo", f"checkpoint fifo: {FIFO}"),
        ("perft 4 --checkpoint .", "checkpoint .: Is a directory"),
        ("crosscheck bgfast --resume fifo", f"resume file fifo: {FIFO}"),
        ("crosscheck bgfast --resume .", "resume file .: Is a directory"),
        ("crosscheck bgfast --positions /dev/zero", f"/dev/zero: {TOO_MUCH}"),
        ("crosscheck bgfast --positions /dev/null", "/dev/null: no position in it"),
        ("crosscheck bgfast --positions .", ".: Is a directory"),
        ("suite run --engine bgfast --file /dev/zero", f"'/dev/zero' cannot be read: {TOO_MUCH}"),
        ("suite export --file .", "'.' cannot be written: Is a directory"),
    ],
)
def test_special_files(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    assert main(words.split()) == 2
    assert capsys.readouterr() == ("", f"bgfast: error: {message}\n")
    assert os.listdir() == ["fifo"]


def test_full_disk(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.chdir(tmp_path)
    for words, message in (
        ("suite export --file file", "'file' cannot be written: No space left on device"),
        ("perft hypergammon 4 --checkpoint file", "checkpoint file: No space left on device"),
    ):
        assert main(words.split()) == 2
        assert capsys.readouterr() == ("", f"bgfast: error: {message}\n")


def test_positions_come_through_a_pipe(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    writer = threading.Thread(target=Path("fifo").write_text, args=("start 31\nnackgammon\n",))
    writer.start()
    assert main(["crosscheck", "bgfast", "--positions", "fifo"]) == 0
    writer.join()
    assert "(139 named; positions: 2 of a file" in capsys.readouterr().out


def test_suite_to_any_kind_of_file(capsys: Capture, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "fifo").read_text()))
    reader.start()
    assert main(["suite", "export", "--file", str(tmp_path / "fifo")]) == 0
    reader.join()
    assert read == ["suite\n"]
    (tmp_path / "link").symlink_to("suite")
    (tmp_path / "suite").write_text("old")
    (tmp_path / "suite").chmod(0o640)
    assert main(["suite", "export", "--file", str(tmp_path / "link")]) == 0
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "suite").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "suite").read_text() == "suite\n"
    assert len(os.listdir(tmp_path)) == 3


def test_interrupted_export_keeps_the_file(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*arguments: object) -> bytes:
        raise KeyboardInterrupt

    path = tmp_path / "suite"
    path.write_text("old")
    monkeypatch.setattr("bgfast.cli.suite.build_suite", interrupted)
    assert main(["suite", "export", "--file", str(path)]) == 130
    assert capsys.readouterr() == ("", "bgfast: interrupted\n")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["suite"]
