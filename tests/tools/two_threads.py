"""Speed-up by a second Python thread with separate calls: ``python -m tests.tools.two_threads``.

The speed-up by two processes is the machine's limit. With ``--least A B`` the exit status is 1 unless batch
calls become A times and single calls B times as fast, or nearly as fast as with two processes.
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

KINDS = ("successors of 10,000 boards", "Position.plays")
SHARE = 0.97  # sufficient share of the two-process speed-up


def work(kind: str, seed: int) -> Callable[[int], None]:
    """Return a function that makes a given number of calls with its own positions."""
    boards = bgfast.random_positions(10_000, seed, phase="contact")
    dice = np.random.default_rng(seed).integers(1, 7, (len(boards), 2)).astype(np.int8)
    if kind == KINDS[0]:
        out = np.empty((int(bgfast.count_successors(boards, dice).sum()), 26), np.int8)

        def batches(times: int) -> None:
            for _ in range(times):
                bgfast.successors(boards, dice, out=out)

        return batches
    calls = [
        (Position.from_array(board), (first, second))
        for board, (first, second) in zip(boards, dice.tolist(), strict=True)
    ]

    def single_calls(times: int) -> None:
        for _ in range(times):
            for position, roll in calls:
                position.plays(roll).boards  # noqa: B018

    return single_calls


def seconds_in_threads(tasks: Sequence[Callable[[int], None]], times: int) -> float:
    """Return the seconds that functions take in parallel threads."""
    begin = threading.Barrier(len(tasks) + 1)

    def run(task: Callable[[int], None]) -> None:
        begin.wait()
        task(times)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    begin.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def _process(kind: str, seed: int, times: int, begin: object, durations: object) -> None:
    task = work(kind, seed)
    task(1)
    for _ in range(5):
        begin.wait()  # type: ignore[attr-defined]
        began = time.perf_counter()
        task(times)
        durations.put(time.perf_counter() - began)  # type: ignore[attr-defined]


def seconds_in_processes(kind: str, count: int, times: int) -> float:
    """Return the shortest time of five runs in parallel processes."""
    context = multiprocessing.get_context("spawn")
    begin, durations = context.Barrier(count), context.Queue()
    processes = [
        context.Process(target=_process, args=(kind, seed, times, begin, durations)) for seed in range(count)
    ]
    for process in processes:
        process.start()
    seconds = [[durations.get() for _ in range(count)] for _ in range(5)]
    for process in processes:
        process.join()
    return min(map(max, seconds))


def gains(kind: str, rounds: int) -> tuple[float, float, float]:
    """Return the speed-ups of two threads and of two processes, and the seconds of a round."""
    tasks = [work(kind, seed) for seed in range(2)]
    began = time.perf_counter()
    tasks[0](1)
    times = max(1, round(0.3 / (time.perf_counter() - began)))
    alone, both = [], []
    for _ in range(rounds):
        alone.append(seconds_in_threads(tasks[:1], times))
        both.append(seconds_in_threads(tasks, times))
    processes = 2 * seconds_in_processes(kind, 1, times) / seconds_in_processes(kind, 2, times)
    return 2 * min(alone) / min(both), processes, min(alone) / times


def main(argv: Sequence[str] | None = None) -> int:
    """Print the speed-ups and compare them with the minimum."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.two_threads", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--least", type=float, nargs=2, metavar=("BATCHES", "CALLS"))
    arguments = parser.parse_args(argv)
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    built = "free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else "default build"
    print(f"CPython {sys.version.split()[0]}, {built}, GIL {'enabled' if locked else 'disabled'}")
    missed = False
    for index, kind in enumerate(KINDS):
        threads, processes, seconds = gains(kind, arguments.rounds)
        print(
            f"{kind}: two threads {threads:.2f}x one, two processes {processes:.2f}x; "
            f"{1e3 * seconds:.2f} ms per round of 10,000"
        )
        if arguments.least and threads < min(arguments.least[index], SHARE * processes):
            missed = True
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
