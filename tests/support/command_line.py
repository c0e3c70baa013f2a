"""Helpers that run commands in this or another process and provide pseudo-terminals."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bgfast.cli.main import main

MAX_ERROR_LENGTH = 400
Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> str:
    """Run a command that succeeds without messages; return its output."""
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def run_json(capsys: Capture, *arguments: str) -> dict[str, Any]:
    """Run a command with ``--json``; return the printed object."""
    result = json.loads(run(capsys, *arguments, "--json"))
    assert isinstance(result, dict)
    return result


def get_error(capsys: Capture, *arguments: str, status: int = 2) -> str:
    """Run a command that fails; return its error, a single printable line."""
    assert main(arguments) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bgfast: error: ")
    assert err.endswith("\n")
    assert all(character.isprintable() for character in err[:-1])
    assert len(err) < MAX_ERROR_LENGTH
    return err


@contextmanager
def start_command(*arguments: str, program: str = "", **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command, or a Python program, in another process, which is killed on exit."""
    command = [sys.executable, *(["-c", program] if program else ["-m", "bgfast"]), *arguments]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, **options) as process:
        try:
            yield process
        finally:
            process.kill()


class Screen(io.StringIO):
    """Text stream with the descriptor of a pseudo-terminal."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def resize(self, columns: int) -> None:
        """Set the number of columns."""
        import fcntl
        import termios

        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


@contextmanager
def screen(columns: int) -> Iterator[Screen]:
    """Provide a pseudo-terminal with this number of columns (POSIX)."""
    controller, device = os.openpty()
    try:
        terminal = Screen(device)
        terminal.resize(columns)
        yield terminal
    finally:
        os.close(device)
        os.close(controller)
