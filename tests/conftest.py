"""Settings for all tests: Hypothesis, database folder, threads, signals, time limits."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import Phase, settings

# pytest rewrites asserts of these modules; otherwise python -O would remove them.
pytest.register_assert_rewrite("tests.support", "tests.tools")

from tests.support.patience import patient  # noqa: E402

# NumPy reads this on import, also in child processes. Tests run in parallel; more threads would only wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if "BGFAST_CACHE" not in os.environ:  # child processes share the folder
    os.environ["BGFAST_CACHE"] = tempfile.mkdtemp(prefix="bgfast-cache-")
    atexit.register(shutil.rmtree, os.environ["BGFAST_CACHE"], ignore_errors=True)

# Without stored bytecode, hundreds of child processes would compile their imports.
if "PYTEST_XDIST_WORKER" in os.environ and os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(os.environ["BGFAST_CACHE"]) / "compiled")

# No deadlines: the machine may be busy. Tests of speed measure times themselves.
settings.register_profile("tests", deadline=None)
# `tests.tools.mutations` uses this profile; it only needs to know whether a test fails.
settings.register_profile(
    "first failure",
    parent=settings.get_profile("tests"),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("tests")


# ---- several processes ----

MAX_PROCESSES = 4
"""More processes would take longer to start than they save."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Distribute the tests of whole folders among processes, unless the options or a debugger rule it out."""
    option = config.option
    # numprocesses is missing without pytest-xdist, and None by default.
    has_distribution = getattr(option, "numprocesses", 0) is not None or option.dist != "no"
    is_interactive = option.usepdb or option.trace or option.capture == "no" or option.collectonly
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    has_folder = any(Path(argument.partition("::")[0]).is_dir() for argument in config.args)
    if has_folder and not (has_distribution or is_interactive or is_worker):
        option.numprocesses = min(processor_count(), MAX_PROCESSES)
        option.dist = "worksteal"


def processor_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_collection() -> None:
    """Disable the garbage collector while tests are collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Freeze the objects of all tests, so that later garbage collections skip them."""
    gc.enable()
    gc.collect()
    gc.freeze()


# ---- signals ----


def ignore_signal(signum: int, frame: FrameType | None) -> None:
    """Do nothing; unlike SIG_IGN, a handler is not inherited by child processes."""


# Background jobs inherit an ignored SIGINT, nohup jobs an ignored SIGHUP; tests send both.
for name in ("SIGINT", "SIGHUP", "SIGTERM", "SIGQUIT"):
    signum = getattr(signal, name, None)
    if signum is not None and signal.getsignal(signum) is signal.SIG_IGN:
        signal.signal(signum, signal.default_int_handler if name == "SIGINT" else ignore_signal)


# ---- time limits ----

QUICK_SECONDS, SLOW_SECONDS, LONG_SECONDS = 300, 1800, 4 * 3600
"""Time limits of tests in seconds, many times the usual durations."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Set the time limit of each test."""
    for item in items:
        get_marker = item.get_closest_marker
        limit = LONG_SECONDS if get_marker("long") else SLOW_SECONDS if get_marker("slow") else QUICK_SECONDS
        item.add_marker(pytest.mark.timeout(patient(limit)))
