"""Measure what a second thread gains by size, and write the table into docs/notes/performance.md.

``python -m benchmarks.tables.threads_table --measure`` measures (a minute on a quiet machine with two
processors) into benchmarks/data/threads.json. Without it the table is written from that file; ``--check``
tells whether it is there.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.append(str(ROOT))

import bgfast  # noqa: E402
from benchmarks.peers.report import table  # noqa: E402
from benchmarks.tables.generated_block import Block, add_options, update  # noqa: E402
from bgfast.common.files import write_atomically  # noqa: E402
from bgfast.common.machine import description  # noqa: E402

PROGRAM = "threads_table"
BLOCK = Block(PROGRAM, "threads table", "docs/notes/performance.md")
DATA = ROOT / "benchmarks" / "data" / "threads.json"
SIZES = (100, 1_000, 3_000, 10_000, 100_000, 1_000_000)
CALLS = ("count_successors", "successors, out=", "successors, new arrays")
ROUNDS = 9
MIN_SECONDS = 0.03  # seconds that a round of one task takes
HEAD = ("boards, one roll each", *CALLS)

Task = Callable[[], object]


class Part:
    """Boards, a roll for each, and memory for their successors."""

    def __init__(self, number: int) -> None:
        base = bgfast.random_positions(min(number, 200_000), 3, phase="contact")
        self.boards = np.resize(base, (number, 26))
        self.dice = np.random.default_rng(1).integers(1, 7, (number, 2)).astype(np.int8)
        self.out = np.empty((int(bgfast.count_successors(self.boards, self.dice).sum()), 26), np.int8)

    def call(self, name: str, threads: int = 1) -> Task:
        """Return a call of one of `CALLS`."""
        if name == "count_successors":
            return lambda: bgfast.count_successors(self.boards, self.dice, threads=threads)
        out = self.out if name == "successors, out=" else None
        return lambda: bgfast.successors(self.boards, self.dice, threads=threads, out=out)


def measure() -> dict[str, Any]:
    """Measure every row of the table."""
    rows = []
    for number in SIZES:
        whole, halves = Part(number), [Part(number // 2) for _ in range(2)]
        for name in CALLS:
            one, two = best_times([whole.call(name), whole.call(name, 2)])
            alone, together = best_times(_apart([half.call(name) for half in halves], one))
            rows.append({"boards": number, "call": name, "gain": one / two, "possible": 2 * alone / together})
            print(f"{number:,} {name}: {one / two:.2f} of {2 * alone / together:.2f}", file=sys.stderr)
    return {"bgfast": bgfast.__version__, "machine": description(), "rows": rows}


def _apart(calls: Sequence[Task], seconds: float) -> list[Task]:
    """Return one thread, and two that share nothing, each with many calls of half the size."""
    times = max(1, round(MIN_SECONDS / seconds))

    def many(call: Task) -> None:
        for _ in range(times):
            call()

    def both() -> None:
        threads = [threading.Thread(target=many, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return [lambda: many(calls[0]), both]


def best_times(tasks: Sequence[Task]) -> list[float]:
    """Return the best seconds of each of some tasks, which take turns."""
    found: list[list[float]] = [[] for _ in tasks]
    times = []
    for task in tasks:
        began = time.perf_counter()
        task()
        times.append(max(1, round(MIN_SECONDS / (time.perf_counter() - began))))
    for _ in range(ROUNDS):
        for place, task in enumerate(tasks):
            began = time.perf_counter()
            for _ in range(times[place]):
                task()
            found[place].append((time.perf_counter() - began) / times[place])
    return [min(each) for each in found]


def threads_table(measured: dict[str, Any]) -> str:
    """Return the table as Markdown."""
    rows = []
    for number in dict.fromkeys(row["boards"] for row in measured["rows"]):
        cells = {row["call"]: row for row in measured["rows"] if row["boards"] == number}
        rows.append((f"{number:,}", *(_cell(cells[name]) for name in CALLS)))
    machine = measured["machine"]
    return (
        f"{table(HEAD, rows)}\n\n"
        f"bgfast {measured['bgfast']}, {machine['cpu']} with {machine['usable cores']} "
        f"usable cores, load {machine['load']}, {machine['python']}, NumPy {machine['numpy']}."
    )


def _cell(row: dict[str, Any]) -> str:
    return f"{row['gain']:.2f}x of {row['possible']:.2f}x"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write or check; return the exit status."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.tables.{PROGRAM}", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--measure", action="store_true", help="measure again; nothing else may run")
    add_options(parser)
    asked = parser.parse_args(argv)
    if asked.measure:
        write_atomically(DATA, (json.dumps(measure(), indent=1) + "\n").encode())
    return update(
        asked, PROGRAM, lambda: {BLOCK: threads_table(json.loads(DATA.read_text(encoding="utf-8")))}, [DATA]
    )


if __name__ == "__main__":
    sys.exit(main())
