"""``bgfast bench``: a short measurement of the speed on this machine, with every count checked.

``benchmarks/`` in a clone measures more.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from bgfast.batch.encoders import ONEHOT_INPUTS, TDGAMMON_INPUTS, encode_onehot, encode_tdgammon
from bgfast.batch.perft import perft
from bgfast.batch.random_positions import random_positions
from bgfast.batch.successors import count_successors, successors
from bgfast.cli.parser import align, print_result
from bgfast.cli.streams import explain_interrupt
from bgfast.common import machine
from bgfast.common.machine import Task, Timing, interleave
from bgfast.common.validation import ROLLS, Boards, UnfinishedPhase
from bgfast.errors import BgfastError, WrongCountError
from bgfast.evaluation.cubeful import cubeful_equities
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

SEED = 1
PHASE_POSITIONS = 2_000  # each with all doubles or all other rolls
STREAM_POSITIONS = 25_000  # each with a roll: too many for a branch predictor to learn
SINGLE_CALLS = 2_500
ENCODED_POSITIONS = 5_000
CUBE_ROWS = 200_000
REPETITIONS = 5
MIN_SECONDS = 0.02

ROLLS_BY_NAME = {
    "doubles": [roll for roll in ROLLS if roll[0] == roll[1]],
    "other rolls": [roll for roll in ROLLS if roll[0] != roll[1]],
}
# The tests verify these successor counts with `bgfast.reference`; a seed gives the same positions everywhere.
SUCCESSORS = {
    ("contact", "doubles"): 514_507,
    ("contact", "other rolls"): 432_695,
    ("race", "doubles"): 390_610,
    ("race", "other rolls"): 326_887,
}
STREAM_SUCCESSORS = 448_365
SINGLE_SUCCESSORS = 44_220
PERFT_3 = 116_154_993

HELP = """
Every count is checked. Other work on the machine distorts the times.

--json
--threads N[1..999]  number of threads in the multithreaded rows (the usable cores)

example: bgfast bench --threads 2
"""


def run(arguments: argparse.Namespace) -> None:
    """Print a table of the measured speeds."""
    threads = machine.usable_cores() if arguments.threads is None else arguments.threads
    description = machine.description()
    started = time.perf_counter()
    with explain_interrupt("no result yet: times are printed once all are measured"):
        rows = measure(threads, _print_progress)
    seconds = time.perf_counter() - started
    content = {"machine": description, "threads": threads, "rows": rows, "seconds": seconds}
    cells = [["what", "unit", "units/s", "ns per unit", "count"]]
    cells += [list(map(format, row.values(), ("", "", ",.0f", ",.2f", ","))) for row in rows]
    lines = [f"{name}: {value}" for name, value in description.items()]
    summary = f"every count checked, {seconds:.1f} s"
    print_result(arguments, content, *lines, "", *align(cells, text_columns=2), "", summary)


def _print_progress(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def measure(threads: int, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """Time the tasks in turn; return a row for each. `progress` gets task names. Raises `WrongCountError`."""
    progress("random positions")
    try:
        timings = interleave(_tasks(threads), REPETITIONS, MIN_SECONDS, progress)
    except BgfastError as error:  # the input is valid: a refusal is a wrong result
        raise WrongCountError(f"wrong results: {error}") from error
    return [_row(timing) for timing in timings]


def stream(count: int) -> tuple[Boards, Boards]:
    """Return `count` positions of random games and a roll for each, the same on every machine."""
    # Raw numbers of PCG64 are guaranteed; derived numbers of NumPy's Generator may change.
    dice = np.random.PCG64(SEED).random_raw(2 * count) % 6 + 1
    return random_positions(count, SEED), dice.reshape(count, 2).astype(np.int8)


def _tasks(threads: int) -> list[Task]:
    boards, dice = stream(STREAM_POSITIONS)
    return [
        *_phase_tasks("contact"),
        *_phase_tasks("race"),
        *_stream_tasks(boards, dice, threads),
        *_perft_tasks(threads),
        *_encoder_tasks(boards[:ENCODED_POSITIONS]),
        *_cube_tasks(),
    ]


def _batch_task(workload: str, call: str, boards: Boards, dice: Boards, count: int, **options: Any) -> Task:
    def work() -> int:
        return len(successors(boards, dice, **options).boards)

    return Task(workload, "bgfast", call, "successors", 1, work, count)


def _phase_tasks(phase: UnfinishedPhase) -> Iterator[Task]:
    positions = random_positions(PHASE_POSITIONS, SEED, phase)
    for name, rolls in ROLLS_BY_NAME.items():
        boards = np.repeat(positions, len(rolls), axis=0)
        dice = np.tile(np.array(rolls, np.int8), (PHASE_POSITIONS, 1))
        count = SUCCESSORS[phase, name]
        yield _batch_task(phase, f"successors, {name}", boards, dice, count, out=_allocate_rows(count))


def _stream_tasks(boards: Boards, dice: Boards, threads: int) -> Iterator[Task]:
    name, count = "fresh stream", STREAM_SUCCESSORS
    out, copy = _allocate_rows(count), _allocate_rows(count)
    yield _batch_task(name, "successors", boards, dice, count, out=out)
    yield _batch_task(name, "successors, moves=True", boards, dice, count, out=out, moves=True)
    yield _batch_task(name, f"successors, threads={threads}", boards, dice, count, out=out, threads=threads)

    def count_rows() -> int:
        return int(count_successors(boards, dice).sum())

    def copy_rows() -> int:
        np.copyto(copy, out)
        return len(copy)

    yield Task(name, "bgfast", "count_successors", "successors", 1, count_rows, count)
    yield Task(name, "numpy", "numpy.copyto of the successors", "successors", 1, copy_rows, count)
    pairs = zip(boards[:SINGLE_CALLS], dice[:SINGLE_CALLS].tolist(), strict=True)
    cases = [(Position.from_array(board), (first, second)) for board, (first, second) in pairs]

    def work() -> int:
        return sum(len(position.plays(roll).boards) for position, roll in cases)

    call, unit = "pos.plays(roll).boards", "successors"
    yield Task(name, "bgfast", call, unit, SINGLE_CALLS, work, SINGLE_SUCCESSORS)


def _perft_tasks(threads: int) -> Iterator[Task]:
    variants: dict[str, dict[str, Any]] = {
        "generating": {"bulk": False},
        "counting": {},
        f"counting, threads={threads}": {"threads": threads},
    }
    for variant, options in variants.items():
        work = partial(perft, Position.start(), 3, **options)
        yield Task("perft(start, 3)", "bgfast", variant, "leaves", 1, work, PERFT_3)


def _encoder_tasks(boards: Boards) -> Iterator[Task]:
    for encode, inputs in ((encode_tdgammon, TDGAMMON_INPUTS), (encode_onehot, ONEHOT_INPUTS)):
        out = np.zeros((len(boards), inputs), np.float32)

        def work(encode: Any = encode, out: Any = out) -> int:
            return len(encode(boards, out=out))

        yield Task("encoders", "bgfast", encode.__name__, "positions", 1, work, ENCODED_POSITIONS)


def _cube_tasks() -> Iterator[Task]:
    # Winning chances rise from 0 to 1; gammon rates are periodic.
    win = np.linspace(0, 1, CUBE_ROWS)
    gammon_rate, lost_gammon_rate = (np.arange(CUBE_ROWS) % period / (2 * period) for period in (7, 5))
    rows = np.stack((win, win * gammon_rate, 0 * win, (1 - win) * lost_gammon_rate, 0 * win), axis=1)
    match = Decision(position=Position.start(), match_length=7, score=(0, 2))
    for conditions, decision in (("money", Decision(position=Position.start())), ("7 away, 5 away", match)):

        def work(decision: Decision = decision) -> int:
            return int(np.isfinite(cubeful_equities(rows, decision, efficiency=0.68)).sum())

        yield Task("cube", "bgfast", f"cubeful_equities, {conditions}", "equities", 1, work, CUBE_ROWS)


def _allocate_rows(rows: int) -> Boards:
    """Return memory that has been written to: the first write to new memory is slower than generation."""
    return np.ones((rows, 26), np.int8)


def _row(timing: Timing) -> dict[str, Any]:
    """Return a task's best speed as a row, in calls if the work consists of single calls."""
    task = timing.task
    unit, units = ("calls", task.calls) if task.calls > 1 else (task.unit, timing.units)
    speeds = {"units_per_second": units / timing.best, "ns_per_unit": 1e9 * timing.best / units}
    return {"what": f"{task.workload}: {task.what}", "unit": unit, **speeds, "count": timing.units}
