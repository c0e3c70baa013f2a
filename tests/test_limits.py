"""Signals and time limits of the test run itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import patient

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")

ROOT = Path(__file__).parents[1]
IMPORTS = "import os, signal, subprocess, sys, threading\nimport pytest\n"
SIGNAL_TESTS = """
def test_ctrl_c():
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)

@pytest.mark.slow  # slow tests have six times the limit, since processes start slowly
@pytest.mark.parametrize("signal_number", [signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT])
def test_signals_end_children_but_not_tests(signal_number):
    code = f"import os; os.kill(os.getpid(), {signal_number})"
    assert subprocess.run([sys.executable, "-S", "-c", code]).returncode == -signal_number
    signal.raise_signal(signal_number)

@pytest.mark.slow
def test_children_receive_ctrl_c():
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert subprocess.check_output([sys.executable, "-S", "-c", code]) == b"True\\n"

@pytest.fixture
def endless_fixture():
    threading.Event().wait()

def test_waiting():
    threading.Event().wait()

def test_set_up(endless_fixture):
    pass
"""


def run_with_ignored_signals(tests: str, folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run tests with a time limit, and with signals ignored from the start."""
    (folder / "test_it.py").write_text(IMPORTS + tests, encoding="utf-8")
    program = f"{sys.executable} -m pytest -q -p tests.conftest -p no:cacheprovider -p no:xdist -W ignore"
    command = f'trap "" INT HUP TERM QUIT; exec {program} test_it.py'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BGFAST_TEST_SLOWNESS": str(patient(seconds) / 300)}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.mark.slow
def test_signals_end_children_and_timeouts_end_tests(tmp_path: Path) -> None:
    completed = run_with_ignored_signals(SIGNAL_TESTS, tmp_path, 0.3)
    assert re.search(r"\n1 failed, 5 passed, 1 error in", completed.stdout), completed.stdout
    assert "\nFAILED test_it.py::test_waiting - Failed: Timeout" in completed.stdout
    assert "\nERROR test_it.py::test_set_up - Failed: Timeout" in completed.stdout
