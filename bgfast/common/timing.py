"""Time taken side by side: every repetition runs each task once, so that a slow moment hits all of them."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bgfast.errors import WrongCountError

__all__ = ["Task", "Timing", "interleave"]


class Task(NamedTuple):
    """Something to time. `work` returns how many units (successors, mostly) it met in its `calls` calls.

    `known` is how many it has to meet, where that is known beforehand.
    """

    workload: str
    engine: str
    what: str
    unit: str
    calls: int
    work: Callable[[], int]
    known: int | None = None


class Timing(NamedTuple):
    """The seconds that a task took, for a single pass of its work, in each repetition."""

    task: Task
    units: int
    seconds: list[float]

    @property
    def best(self) -> float:
        """The least of the seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The middle of the seconds."""
        return statistics.median(self.seconds)


def interleave(
    tasks: Sequence[Task], repetitions: int, least: float, tell: Callable[[str], None]
) -> list[Timing]:
    """Time the tasks in turn.

    Parameters
    ----------
    tasks : sequence of Task
    repetitions : int
        How often each is measured; the order changes.
    least : float
        Seconds a measurement shall last; shorter work is done several times in it.
    tell : callable
        Called with a line for each task as it is begun.

    Returns
    -------
    list of Timing

    Raises
    ------
    WrongCountError
        If a task does not meet the same number of units each time, and the known one where there is one.
    """
    timings, passes = [], []
    for task in tasks:
        tell(f"{task.workload}: {task.engine}, {task.what}")
        started = time.perf_counter()
        units = task.work()  # the first pass warms caches up, compiles, touches memory
        taken = time.perf_counter() - started
        _check(task, {units}, units if task.known is None else task.known)
        passes.append(1 if taken > least else _passes(task, least))
        timings.append(Timing(task, units, []))
    # Another order each time, so that no task always finds the caches as the same other one leaves them.
    rng = random.Random(0)
    for _ in range(repetitions):
        for at in rng.sample(range(len(tasks)), len(tasks)):
            timings[at].seconds.append(_seconds(timings[at], passes[at]))
    return timings


def _passes(task: Task, least: float) -> int:
    started = time.perf_counter()
    task.work()
    return max(1, round(least / (time.perf_counter() - started)))


def _seconds(timing: Timing, passes: int) -> float:
    """Return the time of one pass, garbage collection held back as it would fall on anybody."""
    work = timing.task.work
    gc.collect()
    gc.disable()
    try:
        started = time.perf_counter()
        met = [work() for _ in range(passes)]
        taken = time.perf_counter() - started
    finally:
        gc.enable()
    _check(timing.task, set(met), timing.units)
    return taken / passes


def _check(task: Task, met: set[int], expected: int) -> None:
    if met != {expected}:
        found = ", ".join(f"{units:,}" for units in sorted(met))
        raise WrongCountError(
            f"wrong count: {task.workload}, {task.what}: {found} {task.unit}; expected {expected:,}"
        )
