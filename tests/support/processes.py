"""Processes that a test starts: what they print, and all that they start, found by a mark."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.patience import patient

MARK = "BGFAST_TEST_MARK"


def said_by(program: str, seconds: float = 60.0) -> str:
    """Return what a Python program prints, which has to end well, in so many seconds."""
    command = [sys.executable, "-W", "ignore", "-c", program]  # where threads are, a fork is warned of
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=patient(seconds)
    ).stdout


class Marked:
    """What carries a mark in its environment, whoever its parent is and whatever session it is in.

    Without a folder of processes nothing is seen.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._mark = f"{MARK}={os.urandom(8).hex()}"
        patch.setenv(*self._mark.split("="))

    def living(self) -> list[int]:
        """The numbers of those that live."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:  # it has ended, or is another user's
                continue
        return found

    def command_lines(self) -> dict[int, str]:
        """Those that live, and how they were called."""
        found = {}
        for pid in self.living():
            try:
                found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
        return found

    def await_number(self, number: int, seconds: float = 30.0) -> list[int]:
        """Wait until so many live, and return them."""
        deadline = time.monotonic() + patient(seconds)
        while len(found := self.living()) != number:
            assert time.monotonic() < deadline, f"{number} expected, there are {self.command_lines()}"
            time.sleep(0.02)
        return found

    def assert_gone(self, seconds: float = 10.0) -> None:
        """Fail if one lives on."""
        self.await_number(0, seconds)
