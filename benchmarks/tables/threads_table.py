"""Measure the speed-up from a second thread, and write the table into docs/PERFORMANCE.md.

``python -m benchmarks.tables.threads_table --measure`` measures for a minute, on a quiet machine with two
processors, and writes benchmarks/data/threads.json. Without ``--measure`` the table comes from that file;
``--check`` compares the page with the file.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import bgfast
from benchmarks.peers.report import table
from benchmarks.tables.generated_block import ROOT, Block, add_options, update
from bgfast.common.files import write_atomically
from bgfast.common.machine import description

PROGRAM = "threads_table"
BLOCK = Block(PROGRAM, "threads table", "docs/PERFORMANCE.md")
DATA = ROOT / "benchmarks" / "data" / "threads.json"
SIZES = (100, 1_000, 3_000, 10_000, 100_000, 1_000_000)
CALLS = ("count_successors", "successors, out=", "successors, new arrays")
ROUNDS = 9
MIN_SECONDS = 0.03
"""Minimum time of a task in a round."""
HEAD = ("boards, one roll each", *CALLS)

Task = Callable[[], object]


class Batch:
    """Boards, a roll for each, and memory for their successors."""

    def __init__(self, size: int) -> None:
        positions = bgfast.random_positions(min(size, 200_000), 3, phase="contact")
        self.boards = np.resize(positions, (size, 26))
        self.dice = np.random.default_rng(1).integers(1, 7, (size, 2)).astype(np.int8)
        self.out = np.empty((int(bgfast.count_successors(self.boards, self.dice).sum()), 26), np.int8)

    def task(self, name: str, threads: int = 1) -> Task:
        """Return a task that makes one of `CALLS`."""
        if name == "count_successors":
            return lambda: bgfast.count_successors(self.boards, self.dice, threads=threads)
        out = self.out if name == "successors, out=" else None
        return lambda: bgfast.successors(self.boards, self.dice, threads=threads, out=out)


def measure() -> dict[str, Any]:
    rows = []
    for size in SIZES:
        batch, halves = Batch(size), [Batch(size // 2) for _ in range(2)]
        for name in CALLS:
            one_thread, two_threads = best_times([batch.task(name), batch.task(name, 2)])
            one_half, two_halves = best_times(_half_tasks([half.task(name) for half in halves], one_thread))
            speedup, limit = one_thread / two_threads, 2 * one_half / two_halves
            rows.append({"boards": size, "call": name, "gain": speedup, "possible": limit})
            print(f"{size:,} {name}: {speedup:.2f} of {limit:.2f}", file=sys.stderr)
    return {"bgfast": bgfast.__version__, "machine": description(), "rows": rows}


def _half_tasks(calls: Sequence[Task], seconds: float) -> list[Task]:
    """Return two tasks that repeat half-size calls: on one thread, and on two threads without shared data."""
    repeats = max(1, round(MIN_SECONDS / seconds))

    def repeat(call: Task) -> None:
        for _ in range(repeats):
            call()

    def run_both() -> None:
        threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return [lambda: repeat(calls[0]), run_both]


def best_times(tasks: Sequence[Task]) -> list[float]:
    """Return the best time of each task; the tasks alternate."""
    seconds: list[list[float]] = [[] for _ in tasks]
    repeats = []
    for task in tasks:
        start = time.perf_counter()
        task()
        repeats.append(max(1, round(MIN_SECONDS / (time.perf_counter() - start))))
    for _ in range(ROUNDS):
        for task, count, times in zip(tasks, repeats, seconds, strict=True):
            start = time.perf_counter()
            for _ in range(count):
                task()
            times.append((time.perf_counter() - start) / count)
    return [min(times) for times in seconds]


def threads_table(result: dict[str, Any]) -> str:
    rows = []
    for size in dict.fromkeys(row["boards"] for row in result["rows"]):
        cells = {row["call"]: row for row in result["rows"] if row["boards"] == size}
        rows.append((f"{size:,}", *(_cell(cells[name]) for name in CALLS)))
    machine = result["machine"]
    return (
        f"{table(HEAD, rows)}\n\n"
        f"bgfast {result['bgfast']}, {machine['cpu']} with {machine['usable cores']} "
        f"usable cores, load {machine['load']}, {machine['python']}, NumPy {machine['numpy']}."
    )


def _cell(row: dict[str, Any]) -> str:
    return f"{row['gain']:.2f}x of {row['possible']:.2f}x"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write or check the table; return the exit status."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.tables.{PROGRAM}", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--measure", action="store_true", help="measure again, on an idle machine")
    add_options(parser)
    options = parser.parse_args(arguments)
    if options.measure:
        write_atomically(DATA, (json.dumps(measure(), indent=1) + "\n").encode())
    return update(
        options, PROGRAM, lambda: {BLOCK: threads_table(json.loads(DATA.read_text(encoding="utf-8")))}, [DATA]
    )


if __name__ == "__main__":
    sys.exit(main())
