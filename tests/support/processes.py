"""Processes started by tests and their descendants, which an environment variable identifies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.patience import patient

MARK = "BGFAST_TEST_MARK"


def run_python(program: str, seconds: float = 60.0) -> str:
    """Run a Python program, which must succeed within a timeout; return its output."""
    command = [sys.executable, "-W", "ignore", "-c", program]  # forking with threads warns
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=patient(seconds)
    ).stdout


class MarkedProcesses:
    """Processes marked by an environment variable, whatever their parent or session; needs /proc."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._mark = f"{MARK}={os.urandom(8).hex()}"
        patch.setenv(*self._mark.split("="))

    def running_ids(self) -> list[int]:
        ids = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    ids.append(int(folder.name))
            except OSError:  # exited, or owned by another user
                continue
        return ids

    def command_lines(self) -> dict[int, str]:
        """Return the command lines of the running processes by ID."""
        lines = {}
        for pid in self.running_ids():
            try:
                lines[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
        return lines

    def await_count(self, count: int, seconds: float = 30.0) -> list[int]:
        """Wait until exactly `count` processes are running; return their IDs."""
        deadline = time.monotonic() + patient(seconds)
        while len(ids := self.running_ids()) != count:
            assert time.monotonic() < deadline, f"{self.command_lines()}; expected {count} processes"
            time.sleep(0.02)
        return ids

    def assert_gone(self, seconds: float = 10.0) -> None:
        self.await_count(0, seconds)
