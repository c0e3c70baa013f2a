"""Public functions and methods called with odd arguments: no crash, and one clear exception."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import patient

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str], int]:
    """Calls, exceptions and exit status of a process that makes the calls."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.support.odd_calls"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path_factory.mktemp("odd_calls"),
        env={**os.environ, "PYTHONPATH": path},
        timeout=patient(200),
    )
    return process.stdout.splitlines(), process.stderr.splitlines(), process.returncode


def test_no_call_crashes(output: tuple[list[str], list[str], int]) -> None:
    calls, exceptions, status = output
    assert status == 0, [calls[-1:], exceptions[-1:]]
    assert len(calls) > 5000


def test_errors_are_clear(output: tuple[list[str], list[str], int]) -> None:
    """Invalid arguments raise `BgfastError` or `TypeError`."""
    _, exceptions, _ = output
    assert exceptions == []
