"""Public functions and methods, called with odd arguments in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import patient

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def test_odd_arguments_raise_only_bgfast_and_type_errors(tmp_path: Path) -> None:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.support.odd_calls"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        timeout=patient(200),
    )
    calls = process.stdout.splitlines()
    assert process.returncode == 0, [calls[-1:], process.stderr[-1000:]]
    assert process.stderr == ""
    assert len(calls) > 5000
