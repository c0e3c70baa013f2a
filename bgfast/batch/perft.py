"""Perft: the number of leaves of the game tree below a position, in total and by first roll."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch._perft import leaves_below, leaves_of_roll, merge_children
from bgfast.batch.successors import Switches, results, successors
from bgfast.common.foreign_names import names_arguments
from bgfast.common.journal import Journal
from bgfast.common.threads import parallel_map
from bgfast.common.validation import (
    GENERATOR_SWITCHES,
    ROLLS,
    Boards,
    flag,
    generator_switches,
    roll_weight,
    rule_set,
    thread_count,
    validate_number,
    validate_progress,
)
from bgfast.errors import BgfastError, short_repr
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

MAX_DEPTH = 64  # far beyond what can be counted; keeps the recursion within a thread's stack


@names_arguments
def perft(
    position: Any,
    depth: int | None = None,
    *,
    weighted: bool = False,
    bulk: bool = True,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> int:
    """Return the number of leaves of the game tree below a position.

    A child is a distinct position after a play, seen from the next player. A pass is one child. A finished
    game is one leaf whatever depth remains.

    Parameters
    ----------
    position : Position, text, or board of 26 numbers
    depth : int
        Plays from the position to a leaf, 0 to 64.
    weighted : bool
        Sum over the 36 ordered rolls at each level instead of the 21 distinct ones.
    bulk : bool
        Count the last level without generating its boards and, from depth 4 on, merge equal positions of a
        level. With False every leaf is generated, as a fair comparison of move generators requires.
    rules : RuleSet, or the name of a preset
    threads : int
        Number of threads. The result does not depend on it.
    progress : callable, optional
        Called repeatedly, from the calling thread, with the completed fraction of the work.
    checkpoint : path, optional
        File of the finished parts of the count. If it exists, the count resumes from it. It is JSON, one
        record for each part: positions, leaves by first roll, and seconds. Only for merged counts: `bulk` and
        a depth of 4 or more.

    Returns
    -------
    int
        Exact as long as each first roll has fewer than 2**64 leaves.

    Raises
    ------
    InvalidPositionError, InvalidRulesError, BgfastError
        If an argument is wrong, or `checkpoint` cannot be written, is in use, is not a checkpoint, or belongs
        to another count; the file is then left unchanged.

    See Also
    --------
    count_successors : Successors of many boards, one ply deep.

    Notes
    -----
    Thread-safe; the GIL is released. Ctrl-C interrupts within seconds.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.perft(bgfast.Position(), 2)
    202782
    """
    weighted = flag("weighted", weighted)
    if depth is None:
        expected = f"a position and a depth, as in perft('start', {short_repr(position)})"
        raise BgfastError(f"no depth given; expected {expected}")
    leaves = leaves_by_roll(position, depth, weighted, bulk, rules, threads, progress, checkpoint)
    return total_leaves(leaves, weighted=weighted)


def total_leaves(leaves: Iterable[tuple[tuple[int, int], int]], *, weighted: bool) -> int:
    """Return the total of the leaf counts of `leaves_by_roll`, or 1 if it yields none."""
    counts = [count * (roll_weight(roll) if weighted else 1) for roll, count in leaves]
    return sum(counts) if counts else 1


def leaves_by_roll(
    position: Any,
    depth: int,
    weighted: bool = False,
    bulk: bool = True,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield each first roll with its number of leaves; yield nothing if the position itself is the only leaf.

    Parameters and errors as for `perft`, but `weighted` does not apply to the first roll.
    """
    rules = rule_set(rules)
    switches = generator_switches(rules)
    depth = validate_number("depth", depth, MAX_DEPTH)
    threads = thread_count(threads)
    weighted, bulk = flag("weighted", weighted), flag("bulk", bulk)
    board = (position if isinstance(position, Position) else Position(position)).to_array()
    is_merged = bulk and depth >= MIN_MERGED_DEPTH
    if checkpoint is not None and not is_merged:
        raise BgfastError(f"a checkpoint needs a depth of {MIN_MERGED_DEPTH} or more, and bulk=True")
    report = validate_progress(progress)
    if depth == 0 or results(board[None])[0]:
        return iter(())
    if is_merged:
        return _count_parts(rules, board, depth, weighted, threads, report, checkpoint)

    def count_roll(roll: tuple[int, int]) -> int:
        return leaves_of_roll(switches, board, *roll, depth, weighted, bulk)

    return _count_rolls(count_roll, threads, report)


def _count_rolls(
    count_roll: Callable[[tuple[int, int]], int], threads: int, progress: Callable[[float], None]
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the leaves of each first roll as soon as they are counted."""
    for done, leaves in enumerate(parallel_map(count_roll, ROLLS, threads), 1):
        progress(done / len(ROLLS))
        yield ROLLS[done - 1], leaves


def _count_parts(
    rules: RuleSet,
    board: npt.NDArray[np.int8],
    depth: int,
    weighted: bool,
    threads: int,
    progress: Callable[[float], None],
    checkpoint: str | PathLike[str] | None,
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the leaves of each first roll once all parts are counted."""
    level = last_merged_level(first_level(board, depth, rules), weighted, threads)
    job = {"board": board.tolist(), "depth": depth, "weighted": weighted, "parts": level.part_count}
    if level.switches is not None:
        job["rules"] = {name: getattr(rules, name) for name in GENERATOR_SWITCHES}
    journal = None if checkpoint is None else Journal(checkpoint, "count", "checkpoint")
    parts: dict[int, PartLeaves] = {}
    with nullcontext() if journal is None else closing(journal):
        if journal is not None:  # before any work is done
            journal.begin(job)
            journal.read(lambda record: _load_part(record, parts, level.part_count))
        for part in range(level.part_count):
            if part not in parts:
                start = time.perf_counter()
                report = lambda done, part=part: progress((part + done) / level.part_count)  # noqa: E731
                parts[part] = count_part(level, part, weighted, threads, report)
                seconds = round(time.perf_counter() - start, 2)
                if journal is not None:
                    journal.append({"part": part, **parts[part]._asdict(), "seconds": seconds})
            progress((part + 1) / level.part_count)
    counts = level.finished.tolist(), *(result.leaves for result in parts.values())
    yield from zip(ROLLS, map(sum, zip(*counts, strict=True)), strict=True)


def _load_part(record: Mapping[str, Any], parts: dict[int, PartLeaves], part_count: int) -> None:
    part, positions, leaves = record["part"], record["positions"], record["leaves"]
    if type(part) is not int or part not in range(part_count) or part in parts:
        raise BgfastError(f"part is {short_repr(part)}; expected 0 to {part_count - 1}, none twice")
    if (
        type(leaves) is not list
        or len(leaves) != len(ROLLS)
        or not all(type(count) is int and 0 <= count < 2**64 for count in (positions, *leaves))
    ):
        raise BgfastError(f"part {part} is invalid; expected the number of positions, and of leaves by roll")
    parts[part] = PartLeaves(positions, leaves)


# ---- leaf counts level by level ----
#
# Equal positions are merged, with the number of ways to reach them. Levels are merged whole until three plies
# are left, as long as memory can hold them. The next level is built in parts; the two plies below its
# positions are counted with a cache of recently counted positions.

MIN_MERGED_DEPTH = 4  # shallower trees are counted faster without merging
CHILDREN_PER_POSITION = 600  # typical number over the 21 rolls, for memory estimates
MAX_MERGED_CHILDREN = 2**30  # children of a level; merging more takes longer than counting them
MAX_WHOLE_CHILDREN = 2**24  # children of a level held whole in memory; larger levels are built in parts
PART_CHILDREN = 2**22  # children merged at a time, in some 700 MB of memory
PART_POSITIONS = 4096  # positions of a part if the next level is not merged
# Positions that a thread counts in one call, by plies left: a few tenths of a second of work.
BATCH_POSITIONS = {1: 65536, 2: 2048, 3: 16}

Ways = npt.NDArray[np.uint64]


class Level(NamedTuple):
    """Distinct unfinished positions at one level of the tree."""

    boards: Boards  # (n, 26), from the side of the player on roll
    ways: Ways  # (n, 21): number of ways to reach each position, by first roll
    finished: Ways  # (21,): number of ways to reach games that ended at or above this level
    plies_left: int  # plies below this level
    switches: Switches

    @property
    def merges_children(self) -> bool:
        """True if the next level is merged before its leaves are counted."""
        return len(self.boards) * CHILDREN_PER_POSITION <= MAX_MERGED_CHILDREN

    @property
    def part_count(self) -> int:
        """Number of parts in which the leaves below this level are counted."""
        size = PART_CHILDREN if self.merges_children else PART_POSITIONS * CHILDREN_PER_POSITION
        return max(1, -(-len(self.boards) * CHILDREN_PER_POSITION // size))


class PartLeaves(NamedTuple):
    """Number of positions in a part of a level, and numbers of leaves below them by first roll."""

    positions: int
    leaves: list[int]


def first_level(board: Boards, depth: int, rules: RuleSet = STANDARD) -> Level:
    """Return the level after the first ply from an unfinished position; equal positions are not merged."""
    children = [successors(board[None], roll, rules=rules, flip=True, passes="keep").boards for roll in ROLLS]
    boards = np.concatenate(children)
    first_rolls = np.repeat(np.arange(len(ROLLS)), [len(roll_children) for roll_children in children])
    ways = np.eye(len(ROLLS), dtype=np.uint64)[first_rolls]
    is_over = results(boards) != 0
    finished = ways[is_over].sum(axis=0, dtype=np.uint64)
    return Level(boards[~is_over], ways[~is_over], finished, depth - 1, generator_switches(rules))


def last_merged_level(level: Level, weighted: bool, threads: int) -> Level:
    """Return the level from which leaves are counted part by part, merging whole levels up to it."""
    while level.plies_left > 3 and len(level.boards) * CHILDREN_PER_POSITION <= MAX_WHOLE_CHILDREN:
        level = _next_level(level, weighted, threads)
    return level


def _next_level(level: Level, weighted: bool, threads: int) -> Level:
    part_count = max(level.part_count, threads)

    def merge_part(part: int) -> tuple[Boards, Ways, Ways]:
        return merge_children(level.switches, level.boards, level.ways, weighted, part, part_count)

    boards, ways, finished = zip(*parallel_map(merge_part, range(part_count), threads), strict=True)
    total = np.array([level.finished, *finished], np.uint64).sum(axis=0, dtype=np.uint64)
    return Level(np.concatenate(boards), np.concatenate(ways), total, level.plies_left - 1, level.switches)


def count_part(
    level: Level, part: int, weighted: bool, threads: int, progress: Callable[[float], None]
) -> PartLeaves:
    """Count the leaves below a part of a level; `progress` receives the completed fraction."""
    if level.merges_children:
        boards, ways, total = merge_children(
            level.switches, level.boards, level.ways, weighted, part, level.part_count
        )
        plies_left = level.plies_left - 1
    else:
        rows = slice(PART_POSITIONS * part, PART_POSITIONS * (part + 1))
        boards, ways, total = level.boards[rows], level.ways[rows], np.zeros(len(ROLLS), np.uint64)
        plies_left = level.plies_left
    size = BATCH_POSITIONS.get(plies_left, 1)
    starts = range(0, len(boards), size)

    def count_batch(start: int) -> Ways:
        batch = slice(start, start + size)
        return leaves_below(level.switches, boards[batch], ways[batch], plies_left, weighted)

    for done, leaves in enumerate(parallel_map(count_batch, starts, threads), 1):
        total = total + leaves
        progress(done / len(starts))
    return PartLeaves(len(boards), total.tolist())
