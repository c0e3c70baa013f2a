"""Timed tasks: every engine on the same positions, and bgfast's batch calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from benchmarks.peers.engines import Case, Engine, UnreachableError
from benchmarks.positions import Sample, fresh_stream
from bgfast import Position
from bgfast.common.machine import Task

Boards = npt.NDArray[np.int8]

BATCH = "`successors`, `out=` reused"
MOVES = "`successors(moves=True)`, `out=` reused"
NEW_ARRAYS = "`successors`, new arrays"
COUNT = "`count_successors`"
COPY = "`numpy.copyto` of the successors"
WITH_MOVES = "the same with the moves of each play"
THREADS = "threads=2, "
TWO_CALLS = "two independent threads with one call each"
ONE_CALL = "one call"
REPEATED_BATCH = "the same 1,000 again and again"
SMALL_BATCHES = "a batch of 1,000 after the other"
GENERATED_PERFT, BULK_PERFT = "`perft`, bulk=False", "`perft`, bulk=True"
STREAM_SEED = 3
START_LEAVES = {1: 447, 2: 202_782, 3: 116_154_993, 4: 65_769_899_582}
BATCH_SIZE = 1000


class Workloads(NamedTuple):
    """Names of the workloads; the tasks of a workload are timed in turn."""

    contact: str = "contact, all 21 rolls"
    race: str = "race, all 21 rolls"
    stream: str = "fresh stream, one roll each"
    perft: str = "perft of the start"
    threads: str = "threads, one roll each"
    cost: str = "batch size, one roll each"


NAMES = Workloads()


def all_rolls(name: str, engines: Sequence[Engine], samples: Sequence[Sample]) -> Iterator[Task]:
    """Yield the tasks for these positions with all 21 rolls."""
    cases = [case for sample in samples for case in sample.cases()]
    yield from _engine_tasks(name, engines, cases)
    boards = np.array([sample.board for sample in samples], np.int8)
    yield from _batch_tasks(name, boards, "all")


def stream(engines: Sequence[Engine], count: int, engine_count: int) -> Iterator[Task]:
    """Yield the tasks for positions of random games, one roll each; engines get the first `engine_count`."""
    boards, dice = fresh_stream(count, STREAM_SEED)
    pairs = zip(boards[:engine_count].tolist(), dice[:engine_count].tolist(), strict=True)
    cases = [Case(tuple(board), (first, second)) for board, (first, second) in pairs]
    yield from _engine_tasks(NAMES.stream, engines, cases)
    yield from _batch_tasks(NAMES.stream, boards, dice)


def perft(engines: Sequence[Engine], peer_depth: int) -> Iterator[Task]:
    """Yield the tasks for bgfast's perft(start, 3), and for a recursion over gnubg-nn's moves."""
    start = Position.start()

    def generate_leaves() -> int:
        return check_leaves(bgfast.perft(start, 3, bulk=False), 3)

    def count_leaves() -> int:
        return check_leaves(bgfast.perft(start, 3), 3)

    yield Task(NAMES.perft, "bgfast", GENERATED_PERFT, "leaves", 1, generate_leaves)
    yield Task(NAMES.perft, "bgfast", BULK_PERFT, "leaves", 1, count_leaves)
    if any(engine.name == "gnubg-nn" for engine in engines):
        from benchmarks.peers.engines import gnubg  # an optional package

        def recurse() -> int:
            return check_leaves(gnubg.perft(peer_depth), peer_depth)

        call = f"recursion over `moves`, depth {peer_depth}"
        yield Task(NAMES.perft, "gnubg-nn", call, "leaves", 1, recurse)


def check_leaves(leaves: int, depth: int) -> int:
    """Return the number of leaves below the start; raise `AssertionError` if it is wrong."""
    if leaves != START_LEAVES[depth]:
        raise AssertionError(f"perft(start, {depth}) is {leaves}; expected {START_LEAVES[depth]}")
    return leaves


def threads(count: int) -> Iterator[Task]:
    """Yield the tasks for one and two threads, with reused memory and new arrays, and the machine's limit.

    The limit is measured on two threads with separate calls and memory, each with half of the positions.
    """
    boards, dice = fresh_stream(count, STREAM_SEED + 1)
    out = _output_memory(boards, dice)
    for prefix, thread_count in (("", 1), (THREADS, 2)):
        yield _batch_task(NAMES.threads, prefix + BATCH, boards, dice, threads=thread_count, out=out)
        yield _batch_task(NAMES.threads, prefix + NEW_ARRAYS, boards, dice, threads=thread_count)
    halves = [
        (boards[half], dice[half], _output_memory(boards[half], dice[half]))
        for half in (slice(0, count // 2), slice(count // 2, count))
    ]
    pool = ThreadPoolExecutor(2)

    def call_half(half: tuple[Boards, Boards, Boards]) -> int:
        return len(bgfast.successors(half[0], half[1], out=half[2]).boards)

    yield Task(NAMES.threads, "bgfast", TWO_CALLS, "successors", 2, lambda: sum(pool.map(call_half, halves)))


def cost(count: int) -> Iterator[Task]:
    """Yield the tasks for one batch, for its positions in batches of 1,000, and for the first 1,000 repeated.

    The processor predicts the branches of the repeated batch, but not of new positions.
    """
    boards, dice = fresh_stream(count, STREAM_SEED + 2)
    out = _output_memory(boards, dice)
    yield _batch_task(NAMES.cost, ONE_CALL, boards, dice, out=out)
    first_batch = (boards[:BATCH_SIZE], dice[:BATCH_SIZE])
    yield _batch_task(NAMES.cost, REPEATED_BATCH, *first_batch, out=_output_memory(*first_batch))
    parts = [slice(first, first + BATCH_SIZE) for first in range(0, count, BATCH_SIZE)]
    batch_out = np.zeros((max(_total_successors(boards[part], dice[part]) for part in parts), 26), np.int8)

    def call_in_batches() -> int:
        return sum(len(bgfast.successors(boards[part], dice[part], out=batch_out).boards) for part in parts)

    yield Task(NAMES.cost, "bgfast", SMALL_BATCHES, "successors", len(parts), call_in_batches)


def _engine_tasks(name: str, engines: Sequence[Engine], cases: list[Case]) -> Iterator[Task]:
    for engine in engines:
        try:
            work = engine.workload(cases)
        except UnreachableError:
            continue
        yield Task(name, engine.name, engine.note, engine.unit, len(cases), work)
        with_moves: Callable[[list[Case]], Callable[[], int]] | None
        with_moves = getattr(engine, "workload_with_moves", None)
        if with_moves is not None:
            yield Task(name, engine.name, WITH_MOVES, engine.unit, len(cases), with_moves(cases))


def _batch_tasks(name: str, boards: Boards, dice: Boards | Literal["all"]) -> Iterator[Task]:
    out = _output_memory(boards, dice)
    yield _batch_task(name, BATCH, boards, dice, out=out)
    yield _batch_task(name, MOVES, boards, dice, moves=True, out=out)
    yield _batch_task(name, NEW_ARRAYS, boards, dice)
    yield Task(
        name, "bgfast", COUNT, "successors", 1, lambda: int(bgfast.count_successors(boards, dice).sum())
    )
    copy = np.zeros_like(out)

    def copy_boards() -> int:
        np.copyto(copy, out)
        return len(out)

    yield Task(name, "numpy", COPY, "successors", 1, copy_boards)


def _batch_task(name: str, call: str, boards: Boards, dice: Boards | Literal["all"], **options: Any) -> Task:
    def work() -> int:
        return len(bgfast.successors(boards, dice, **options).boards)

    return Task(name, "bgfast", call, "successors", 1, work)


def _output_memory(boards: Boards, dice: Boards | Literal["all"]) -> Boards:
    """Return initialized memory for the successors: the first write to a page is slow."""
    memory = np.empty((_total_successors(boards, dice), 26), np.int8)
    memory.fill(1)
    return memory


def _total_successors(boards: Boards, dice: Boards | Literal["all"]) -> int:
    return int(bgfast.count_successors(boards, dice).sum())
