"""What holds for all tests: how Hypothesis works, where databases are kept, threads, signals, limits of time.

Databases are not kept in the cache of whoever runs the tests.
"""

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

# Under python -O an assert holds only where pytest has written it anew, as it does in the tests themselves.
pytest.register_assert_rewrite("tests.support", "tests.tools")

from tests.support.patience import patient  # noqa: E402

# Read when NumPy is imported, here and by the processes that tests start. Tests share the processors already:
# threads for the algebra of small matrices would wait for each other at work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if "BGFAST_CACHE" not in os.environ:  # the processes that tests start share it
    os.environ["BGFAST_CACHE"] = tempfile.mkdtemp(prefix="bgfast-cache-")
    atexit.register(shutil.rmtree, os.environ["BGFAST_CACHE"], ignore_errors=True)

# Where Python writes nothing beside its sources, hundreds of processes would compile all that they import.
if "PYTEST_XDIST_WORKER" in os.environ and os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(os.environ["BGFAST_CACHE"]) / "compiled")

# On a busy machine an example may take long for no fault of the code; a test that demands speed measures it.
settings.register_profile("tests", deadline=None)
# For `tests.tools.mutations`, which asks only whether a test fails.
settings.register_profile(
    "first failure",
    parent=settings.get_profile("tests"),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("tests")


# ---- several processes ----

MAX_PROCESSES = 4
"""More than these take longer to start than they gain."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Share the tests of whole folders out among processes, unless told how many or somebody looks on."""
    option = config.option
    own_choice = getattr(option, "numprocesses", 0) is not None or option.dist != "no"  # no xdist, or told
    looked_on = option.usepdb or option.trace or option.capture == "no" or option.collectonly
    inside = "PYTEST_XDIST_WORKER" in os.environ  # of a process that has its share
    folders = any(Path(argument.partition("::")[0]).is_dir() for argument in config.args)
    if folders and not (own_choice or looked_on or inside):
        option.numprocesses = min(processors(), MAX_PROCESSES)
        option.dist = "worksteal"


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_collection() -> None:
    """Let the garbage collector wait: hardly anything of what is made now is left behind."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Tell the garbage collector that what is there by now stays: thousands of tests, modules, syntax trees.

    It would look at all of them whenever it is called, as it is before each measurement of time.
    """
    gc.enable()
    gc.collect()
    gc.freeze()


# ---- signals ----


def hear_nothing(number: int, frame: FrameType | None) -> None:
    """Ignore a signal, but not in the processes that are started: what has a handler is the usual there."""


# Jobs in the background have Ctrl-C ignored, those of nohup SIGHUP, and hand that on; tests send both.
for name in ("SIGINT", "SIGHUP", "SIGTERM", "SIGQUIT"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if name == "SIGINT" else hear_nothing)


# ---- limits of time ----

QUICK, SLOW, LONG = 300, 1800, 4 * 3600
"""Seconds for a test of each kind, many times what it needs: more is waiting for ever."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Set the limit of each test for pytest-timeout."""
    for item in items:
        kind = LONG if item.get_closest_marker("long") else SLOW if item.get_closest_marker("slow") else QUICK
        item.add_marker(pytest.mark.timeout(patient(kind)))
