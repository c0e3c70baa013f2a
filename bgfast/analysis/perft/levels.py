"""Leaves counted level by level: equal positions once, with the numbers of ways that lead to them.

All levels but the last three are merged whole, if memory can hold them. The next one is made in parts, and
below each of its positions two plies are counted, from a memory of those that were met shortly before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.perft._levels import merged_children
from bgfast.analysis.perft._perft import leaves_below
from bgfast.batch.successors import results, successors
from bgfast.batch.validation import Switches
from bgfast.common.rolls import ROLLS
from bgfast.common.threads import each
from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.rules import STANDARD, RuleSet

__all__ = ["FEWEST_PLIES", "Level", "PartLeaves", "first_level", "last_merged_level", "part_leaves"]

FEWEST_PLIES = 4
"""Trees of fewer plies are counted faster without merging."""

CHILDREN = 600
"""About as many children as a position has over the 21 rolls, for estimates of memory."""

MOST_MERGED = 2**30
"""A level with more children than that is counted without merging them, which would take longer."""

MOST_WHOLE = 2**24
"""A level with more children than that is not kept whole but made in parts: it could take gigabytes."""

PART = 2**22
"""Children of a level that are merged at a time, which bounds memory: some 700 MB."""

SLICE = 4096
"""Positions of a level that is not merged any further, whose leaves are counted as one part."""

SHARES = {1: 65536, 2: 2048, 3: 16}
"""Positions below which the leaves are counted at a time, by the plies left: some tenths of a second."""

Ways = npt.NDArray[np.uint64]


class Level(NamedTuple):
    """The distinct unfinished positions after some plies.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
        From the side of the player on roll.
    ways : ndarray of uint64, shape (n, 21)
        How many ways lead to each, by first roll.
    finished : ndarray of uint64, shape (21,)
        How many ways lead to games that have ended so far.
    left : int
        Plies that follow.
    switches : tuple or None
        The rules, as the core takes them.
    """

    boards: Boards
    ways: Ways
    finished: Ways
    left: int
    switches: Switches

    @property
    def merges(self) -> bool:
        """Whether the next level is merged before anything is counted below it."""
        return len(self.boards) * CHILDREN <= MOST_MERGED

    @property
    def parts(self) -> int:
        """In how many parts the leaves below this level are counted."""
        size = PART if self.merges else SLICE * CHILDREN
        return max(1, -(-len(self.boards) * CHILDREN // size))


class PartLeaves(NamedTuple):
    """The result of one part of a level: its positions, and the leaves below them by first roll."""

    positions: int
    leaves: list[int]


def first_level(board: Boards, depth: int, rules: RuleSet = STANDARD) -> Level:
    """Return the positions after the first ply from an unfinished one; equal ones are not merged yet."""
    found = [successors(board[None], roll, rules=rules, flip=True, passes="keep").boards for roll in ROLLS]
    boards = np.concatenate(found)
    first_rolls = np.repeat(np.arange(len(ROLLS)), [len(of_roll) for of_roll in found])
    ways = np.eye(len(ROLLS), dtype=np.uint64)[first_rolls]
    over = results(boards) != 0
    finished = ways[over].sum(axis=0, dtype=np.uint64)
    return Level(boards[~over], ways[~over], finished, depth - 1, generated_switches(rules))


def last_merged_level(level: Level, weighted: bool, threads: int) -> Level:
    """Go on to the level whose children are to be counted part by part."""
    while level.left > 3 and len(level.boards) * CHILDREN <= MOST_WHOLE:
        level = _next_level(level, weighted, threads)
    return level


def _next_level(level: Level, weighted: bool, threads: int) -> Level:
    parts = max(level.parts, threads)
    made = list(
        each(
            lambda part: merged_children(level.switches, level.boards, level.ways, weighted, part, parts),
            range(parts),
            threads,
        )
    )
    boards = np.concatenate([found for found, _, _ in made])
    ways = np.concatenate([found for _, found, _ in made])
    finished = np.array([level.finished, *(found for _, _, found in made)], np.uint64)
    return Level(boards, ways, finished.sum(axis=0, dtype=np.uint64), level.left - 1, level.switches)


def part_leaves(
    level: Level, part: int, weighted: bool, threads: int, progress: Callable[[float], None]
) -> PartLeaves:
    """Count the leaves below one part of the children of a level.

    `progress` is called now and then with the fraction of the part that is done.
    """
    if level.merges:
        boards, ways, total = merged_children(
            level.switches, level.boards, level.ways, weighted, part, level.parts
        )
        left = level.left - 1
    else:
        here = slice(SLICE * part, SLICE * (part + 1))
        boards, ways, total = level.boards[here], level.ways[here], np.zeros(len(ROLLS), np.uint64)
        left = level.left
    size = SHARES.get(left, 1)
    shares = range(0, len(boards), size)

    def below(first: int) -> Ways:
        share = slice(first, first + size)
        return leaves_below(level.switches, boards[share], ways[share], left, weighted)

    for done, found in enumerate(each(below, shares, threads), 1):
        total = total + found
        progress(done / len(shares))
    return PartLeaves(len(boards), [int(number) for number in total])
