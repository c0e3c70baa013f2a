"""Perft: counting the positions that follow a position, roll by roll."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .bulk import successors
from .core.distinct import leaves_below, merged_children
from .core.tree import leaves_of_roll
from .errors import BgfastError, InvalidPositionError, shown
from .inputs import board_numbers, check_generated_rules, thread_count
from .rolls import ROLLS, roll_weight
from .rules import STANDARD, RuleSet
from .sharing import each

__all__ = ["leaves_by_roll", "perft", "total_leaves"]

MAX_DEPTH = 64
"""No tree of backgammon is counted this deep; the limit keeps the recursion within any thread's stack."""

MERGED_DEPTH = 4
"""From here on, merging equal positions saves more than it costs."""

CHILDREN = 600
"""About as many children as a position has over the 21 rolls, for estimates of memory."""

MOST_MERGED = 2**30
"""A level with more children than that is counted without merging them, which would take longer."""

PART = 2**22
"""Children of a level that are merged at a time, which bounds memory: some 300 MB for each thread."""


class _Position(Protocol):
    """The little of `bgfast.Position` that counting needs; this floor lies below it."""

    def to_array(self) -> npt.NDArray[np.int8]: ...


def perft(
    pos: _Position,
    depth: int,
    *,
    weighted: bool = False,
    bulk: bool = True,
    rules: RuleSet = STANDARD,
    threads: int = 1,
) -> int:
    """Return the number of leaves of the game tree below a position.

    A child is a distinct position after a play, sides then swapped; a pass is one child; a finished game is
    one leaf whatever depth remains.

    Parameters
    ----------
    pos : Position
    depth : int
        How many plays deep, 0 to 64.
    weighted : bool
        Sum over the 36 ordered rolls at each level instead of the 21 distinct ones.
    bulk : bool
        Count the last level without writing its boards, and from depth 4 on each distinct position once a
        level. With False every leaf is generated: the honest way to compare generators.
    rules : RuleSet
    threads : int
        How many threads share the work. The result is the same for any number.

    Returns
    -------
    int
        Exact as long as it is below 2**64.

    Raises
    ------
    BgfastError
        If the depth is not a whole number from 0 to 64, or `threads` not one from 1 on.
    InvalidPositionError
        If `pos` is no position.
    InvalidRulesError
        If the generator does not play these rules.

    Notes
    -----
    Counts without the GIL; several threads may call it at once. Ctrl-C is seen within seconds.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.perft(bgfast.Position.start(), 2)
    202782
    >>> bgfast.perft(bgfast.Position.start(), 1, weighted=True)
    637
    """
    leaves = leaves_by_roll(pos, depth, weighted=weighted, bulk=bulk, rules=rules, threads=threads)
    return total_leaves(list(leaves), weighted=weighted)


def total_leaves(leaves: Iterable[tuple[tuple[int, int], int]], *, weighted: bool) -> int:
    """Return the sum over the first rolls that `leaves_by_roll` gives; 1 where it gives none."""
    numbers = [n * (roll_weight(roll) if weighted else 1) for roll, n in leaves]
    return sum(numbers) if numbers else 1


def leaves_by_roll(
    pos: _Position,
    depth: int,
    *,
    weighted: bool = False,
    bulk: bool = True,
    rules: RuleSet = STANDARD,
    threads: int = 1,
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield each first roll and its leaves; nothing where the position itself is the only leaf.

    Parameters and errors are those of `perft`. With `weighted` all rolls but the first are weighted, since
    each first roll has a row of its own.
    """
    check_generated_rules(rules)
    checked = _checked_depth(depth)
    workers = thread_count(threads)
    if not hasattr(pos, "to_array"):
        raise InvalidPositionError(f"{shown(pos)} is no position; expected a bgfast.Position")
    board = board_numbers(pos.to_array())
    over = not (board > 0).any() or not (board < 0).any()
    rolls = () if over or checked == 0 else ROLLS
    if bulk and checked >= MERGED_DEPTH:
        return ((roll, _merged_leaves(board, roll, checked, bool(weighted), workers)) for roll in rolls)

    def counted(roll: tuple[int, int]) -> tuple[tuple[int, int], int]:
        return roll, leaves_of_roll(board, *roll, checked, bool(weighted), bool(bulk))

    return each(counted, rolls, workers)


def _merged_leaves(
    board: npt.NDArray[np.int8], roll: tuple[int, int], depth: int, weighted: bool, threads: int
) -> int:
    """Count the leaves of a first roll level by level, equal positions once with the ways to them."""
    boards = successors(board[None], roll, flip=True, passes="keep").boards
    unfinished = (boards > 0).any(axis=1) & (boards < 0).any(axis=1)
    total = int((~unfinished).sum())
    boards = boards[unfinished]
    ways = np.ones(len(boards), np.uint64)
    left = depth - 1
    while left > 2 and len(boards) * CHILDREN <= MOST_MERGED:
        parts = _parts(len(boards), threads)
        levels = list(
            each(lambda part: merged_children(boards, ways, weighted, part, parts), range(parts), threads)  # noqa: B023
        )
        total += sum(finished for _, _, finished in levels)
        boards = np.concatenate([found for found, _, _ in levels])
        ways = np.concatenate([found for _, found, _ in levels])
        left -= 1
    if left == 2 and len(boards) * CHILDREN <= MOST_MERGED:
        parts = _parts(len(boards), threads)

        def part_leaves(part: int) -> int:
            found, found_ways, finished = merged_children(boards, ways, weighted, part, parts)
            return finished + leaves_below(found, found_ways, 1, weighted)

        return total + sum(each(part_leaves, range(parts), threads))
    shares = range(0, len(boards), 1000)

    def share_leaves(first: int) -> int:
        share = slice(first, first + 1000)
        return leaves_below(boards[share], ways[share], left, weighted)

    return total + sum(each(share_leaves, shares, threads))


def _parts(boards: int, threads: int) -> int:
    """In how many parts the children of so many boards are merged."""
    return max(threads, -(-boards * CHILDREN // PART))


def _checked_depth(depth: Any) -> int:
    try:
        number = index(depth)
    except TypeError:
        number = -1
    if not 0 <= number <= MAX_DEPTH:
        raise BgfastError(f"depth is {shown(depth)}; expected a whole number from 0 to {MAX_DEPTH}")
    return number
