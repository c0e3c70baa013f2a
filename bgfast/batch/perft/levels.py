"""Leaf counts level by level: equal positions are merged, with the number of ways to reach them.

Levels are merged whole until three plies are left, as long as memory can hold them. The next level is built
in parts; the two plies below its positions are counted with a cache of recently counted positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.perft._levels import merged_children
from bgfast.batch.perft._perft import leaves_below
from bgfast.batch.successors import results, successors
from bgfast.batch.validation import Switches
from bgfast.common.rolls import ROLLS
from bgfast.common.threads import parallel_map
from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.rules import STANDARD, RuleSet

MIN_MERGED_DEPTH = 4
"""Minimum depth for merging; shallower trees are counted faster without it."""

CHILDREN_PER_POSITION = 600
"""Typical number of children of a position over the 21 rolls, for memory estimates."""

MAX_MERGED_CHILDREN = 2**30
"""Maximum children of a level to be merged; beyond it merging takes longer than counting."""

MAX_WHOLE_CHILDREN = 2**24
"""Maximum children of a level held in memory whole; larger levels, of gigabytes, are built in parts."""

PART_CHILDREN = 2**22
"""Children merged at a time, which limits memory to some 700 MB."""

PART_POSITIONS = 4096
"""Positions of a part where the next level is not merged."""

BATCH_POSITIONS = {1: 65536, 2: 2048, 3: 16}
"""Positions counted by one call of a thread, by the plies left: a few tenths of a second of work."""

Ways = npt.NDArray[np.uint64]


class Level(NamedTuple):
    """Distinct unfinished positions at one level of the tree."""

    boards: Boards  # (n, 26), from the side of the player on roll
    ways: Ways  # (n, 21): number of ways to reach each position, by first roll
    finished: Ways  # (21,): the same to games that have ended at or above this level
    plies_left: int  # below this level
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
    """Number of positions of a part of a level, and of leaves below them by first roll."""

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
    return Level(boards[~is_over], ways[~is_over], finished, depth - 1, generated_switches(rules))


def last_merged_level(level: Level, weighted: bool, threads: int) -> Level:
    """Return the level from which leaves are counted part by part, merging whole levels up to it."""
    while level.plies_left > 3 and len(level.boards) * CHILDREN_PER_POSITION <= MAX_WHOLE_CHILDREN:
        level = _next_level(level, weighted, threads)
    return level


def _next_level(level: Level, weighted: bool, threads: int) -> Level:
    part_count = max(level.part_count, threads)
    parts = list(
        parallel_map(
            lambda part: merged_children(
                level.switches, level.boards, level.ways, weighted, part, part_count
            ),
            range(part_count),
            threads,
        )
    )
    boards = np.concatenate([part_boards for part_boards, _, _ in parts])
    ways = np.concatenate([part_ways for _, part_ways, _ in parts])
    finished = np.array([level.finished, *(part_finished for _, _, part_finished in parts)], np.uint64)
    return Level(boards, ways, finished.sum(axis=0, dtype=np.uint64), level.plies_left - 1, level.switches)


def count_part(
    level: Level, part: int, weighted: bool, threads: int, progress: Callable[[float], None]
) -> PartLeaves:
    """Count the leaves below a part of a level; `progress` receives the completed fraction."""
    if level.merges_children:
        boards, ways, total = merged_children(
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
    return PartLeaves(len(boards), [int(number) for number in total])
