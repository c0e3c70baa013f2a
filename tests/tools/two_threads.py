"""Speed-up from a second Python thread that makes its own calls: ``python -m tests.tools.two_threads``.

The speed-up from two processes is the machine's limit. With ``--least A B`` the exit status is 1 unless the
speed-up reaches A for batch calls and B for single calls, or nearly the speed-up from two processes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

import bgfast
from bgfast import Position

JOBS = ("successors of 10,000 boards", "Position.plays")
SUFFICIENT_FRACTION = 0.97
"""Fraction of the two-process speed-up that suffices."""


def make_task(job: str, seed: int) -> Callable[[int], None]:
    """Return a function that makes a given number of calls on positions drawn from the seed."""
    boards = bgfast.random_positions(10_000, seed, phase="contact")
    dice = np.random.default_rng(seed).integers(1, 7, (len(boards), 2)).astype(np.int8)
    if job == JOBS[0]:
        out = np.empty((int(bgfast.count_successors(boards, dice).sum()), 26), np.int8)

        def call_batches(times: int) -> None:
            for _ in range(times):
                bgfast.successors(boards, dice, out=out)

        return call_batches
    calls = [
        (Position.from_array(board), (first, second))
        for board, (first, second) in zip(boards, dice.tolist(), strict=True)
    ]

    def call_single(times: int) -> None:
        for _ in range(times):
            for position, roll in calls:
                position.plays(roll).boards  # noqa: B018

    return call_single


def seconds_in_threads(tasks: Sequence[Callable[[int], None]], times: int) -> float:
    """Return the seconds that tasks take in parallel threads."""
    barrier = threading.Barrier(len(tasks) + 1)

    def run(task: Callable[[int], None]) -> None:
        barrier.wait()
        task(times)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    barrier.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def _process(job: str, seed: int, times: int, barrier: object, durations: object) -> None:
    task = make_task(job, seed)
    task(1)
    for _ in range(5):
        barrier.wait()  # type: ignore[attr-defined]
        start = time.perf_counter()
        task(times)
        durations.put(time.perf_counter() - start)  # type: ignore[attr-defined]


def seconds_in_processes(job: str, count: int, times: int) -> float:
    """Return the shortest time of five runs in parallel processes."""
    context = multiprocessing.get_context("spawn")
    barrier, durations = context.Barrier(count), context.Queue()
    processes = [
        context.Process(target=_process, args=(job, seed, times, barrier, durations)) for seed in range(count)
    ]
    for process in processes:
        process.start()
    seconds = [[durations.get() for _ in range(count)] for _ in range(5)]
    for process in processes:
        process.join()
    return min(map(max, seconds))


def speedups(job: str, rounds: int) -> tuple[float, float, float]:
    """Return the speed-ups of two threads and of two processes, and the seconds of a round."""
    tasks = [make_task(job, seed) for seed in range(2)]
    start = time.perf_counter()
    tasks[0](1)
    times = max(1, round(0.3 / (time.perf_counter() - start)))
    single_seconds, parallel_seconds = [], []
    for _ in range(rounds):
        single_seconds.append(seconds_in_threads(tasks[:1], times))
        parallel_seconds.append(seconds_in_threads(tasks, times))
    processes = 2 * seconds_in_processes(job, 1, times) / seconds_in_processes(job, 2, times)
    return 2 * min(single_seconds) / min(parallel_seconds), processes, min(single_seconds) / times


def main(argv: Sequence[str] | None = None) -> int:
    """Print the speed-ups and compare them with the minimum."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.two_threads", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--least", type=float, nargs=2, metavar=("BATCHES", "CALLS"))
    arguments = parser.parse_args(argv)
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    build = "free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else "default build"
    print(f"CPython {sys.version.split()[0]}, {build}, GIL {'enabled' if has_gil else 'disabled'}")
    is_too_slow = False
    for index, job in enumerate(JOBS):
        threads, processes, seconds = speedups(job, arguments.rounds)
        print(
            f"{job}: two threads {threads:.2f}x one, two processes {processes:.2f}x; "
            f"{1e3 * seconds:.2f} ms per round of 10,000"
        )
        if arguments.least and threads < min(arguments.least[index], SUFFICIENT_FRACTION * processes):
            is_too_slow = True
    return 1 if is_too_slow else 0


if __name__ == "__main__":
    sys.exit(main())
