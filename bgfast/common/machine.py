"""Measurement conditions (machine, compiler, versions) and interleaved timing."""

from __future__ import annotations

import gc
import importlib
import os
import platform
import random
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bgfast.common import __version__
from bgfast.core.board import fault_of
from bgfast.core.generator.generator import BUILD
from bgfast.errors import WrongCountError

COMPILERS = (rb"GCC: \([^)]*\) [\d.]+[\w. ]*", rb"(?:[\w ]+ )?clang version [\w.\-+~]+")


def description() -> dict[str, str | int]:
    """Return a dictionary that describes the machine, system, compiler and versions."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count() or 0,
        "usable cores": usable_cores(),
        "load": load_average(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "compiler": compiler(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "python's compiler": platform.python_compiler(),
        "numpy": np.__version__,
        "cython": cython_version(),
        "bgfast": __version__,
        "build": BUILD,
    }


def cpu_model() -> str:
    """Return the processor's name."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    match = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or "unknown"


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load_average() -> str:
    """Return the 1-minute load average; load from other processes makes measurements worthless."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def compiler() -> str:
    """Return the compiler that built the generator's module, as recorded in the file, or "unknown"."""
    generator = importlib.import_module("bgfast.core.generator.generator")
    file = Path(str(generator.__file__))
    content = file.with_name(file.name.replace("generator", BUILD)).read_bytes()
    for pattern in COMPILERS:
        match = re.search(pattern, content)
        if match:
            return match.group().decode("ascii", "replace").strip()
    return "unknown"


def cython_version() -> str:
    """Return the version of Cython that built the core, from the name of its function type."""
    # Not __module__: in Cython 3.1.0 it is not a string.
    match = re.search(r"_cython_(\d+_\d+\w*)\.", repr(type(fault_of)))
    return match.group(1).replace("_", ".") if match else "unknown"


# ---- interleaved timing: every repetition runs all tasks once, so slow moments affect all of them ----


class Task(NamedTuple):
    """Timed work of an engine."""

    workload: str
    engine: str
    what: str  # function or variant that is timed
    unit: str  # such as "successors"
    calls: int  # number of calls of the timed function in `work`
    work: Callable[[], int]  # returns the number of units processed
    expected_units: int | None = None  # None if it is not known in advance


class Timing(NamedTuple):
    """Seconds for one pass of a task's work, by repetition."""

    task: Task
    units: int
    seconds: list[float]

    @property
    def best(self) -> float:
        """Shortest time of a pass, in seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Median time of a pass, in seconds."""
        return statistics.median(self.seconds)


def interleave(
    tasks: Sequence[Task],
    repetitions: int,
    min_seconds: float,
    report: Callable[[str], None],
    clock: Callable[[], float] = time.perf_counter,
) -> list[Timing]:
    """Time tasks in turn: `repetitions` measurements of each, in varying order.

    A measurement takes `min_seconds` or more: shorter work is repeated. `report` receives a line for each
    task. Raises `WrongCountError` if the number of units varies, or differs from the expected one.
    """
    timings, passes = [], []
    for task in tasks:
        report(f"{task.workload}: {task.engine}, {task.what}")
        started = time.perf_counter()
        units = task.work()  # the first pass fills caches, compiles and touches memory
        seconds = time.perf_counter() - started
        _check(task, {units}, units if task.expected_units is None else task.expected_units)
        passes.append(1 if seconds > min_seconds else _passes(task, min_seconds))
        timings.append(Timing(task, units, []))
    # The order varies, so that a task does not always follow the same task and find its cache contents.
    rng = random.Random(0)
    for _ in range(repetitions):
        for index in rng.sample(range(len(tasks)), len(tasks)):
            timings[index].seconds.append(_seconds(timings[index], passes[index], clock))
    return timings


def _passes(task: Task, min_seconds: float) -> int:
    started = time.perf_counter()
    task.work()
    return max(1, round(min_seconds / (time.perf_counter() - started)))


def _seconds(timing: Timing, passes: int, clock: Callable[[], float]) -> float:
    """Return the time of one pass; garbage collection is off, since it would hit a random task."""
    work = timing.task.work
    gc.collect()
    gc.disable()
    try:
        started = clock()
        counts = [work() for _ in range(passes)]
        seconds = clock() - started
    finally:
        gc.enable()
    _check(timing.task, set(counts), timing.units)
    return seconds / passes


def _check(task: Task, counts: set[int], expected: int) -> None:
    if counts != {expected}:
        units = ", ".join(f"{count:,}" for count in sorted(counts))
        raise WrongCountError(
            f"wrong count: {task.workload}, {task.what}: {units} {task.unit}; expected {expected:,}"
        )
