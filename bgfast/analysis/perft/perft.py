"""Perft: counting the positions that follow a position, roll by roll."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext
from os import PathLike
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bgfast.analysis.perft._perft import leaves_of_roll
from bgfast.analysis.perft.checkpoint import Checkpoint
from bgfast.analysis.perft.levels import FEWEST_PLIES, first_level, last_merged_level, part_leaves
from bgfast.batch.successors import results
from bgfast.batch.validation import Switches
from bgfast.common.rolls import ROLLS, roll_weight
from bgfast.common.threads import each
from bgfast.common.validation import (
    GENERATED_SWITCHES,
    board_numbers,
    checked_progress,
    generated_switches,
    rule_set,
    thread_count,
    whole_number,
)
from bgfast.errors import BgfastError, InvalidPositionError, shown
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

__all__ = ["leaves_by_roll", "perft", "total_leaves"]

MAX_DEPTH = 64
"""No tree of backgammon is counted this deep; the limit keeps the recursion within any thread's stack."""


class _Position(Protocol):
    """The little of `bgfast.Position` that counting needs; this floor lies below it."""

    def to_array(self) -> npt.NDArray[np.int8]: ...


def perft(
    position: _Position,
    depth: int,
    *,
    weighted: bool = False,
    bulk: bool = True,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> int:
    """Return the number of leaves of the game tree below a position.

    A child is a distinct position after a play, sides then swapped; a pass is one child; a finished game is
    one leaf whatever depth remains.

    Parameters
    ----------
    position : Position
    depth : int
        How many plays deep, 0 to 64.
    weighted : bool
        Sum over the 36 ordered rolls at each level instead of the 21 distinct ones.
    bulk : bool
        Count the last level without writing its boards, and from depth 4 on each distinct position once a
        level. With False every leaf is generated: the honest way to compare generators.
    rules : RuleSet, or the name of a preset
    threads : int
        How many threads share the work. The result is the same for any number.
    progress : callable, optional
        Called now and then, from the calling thread, with the fraction of the work that is done.
    checkpoint : path, optional
        A file that keeps each part of the work that is done. If it is there the count goes on from it. It is
        JSON and says how the number was obtained: positions, leaves by first roll and seconds of each part.
        Only where positions are merged: `bulk` and a depth of 4 or more.

    Returns
    -------
    int
        Exact as long as the leaves of each first roll are below 2**64.

    Raises
    ------
    BgfastError
        If the depth is not a whole number from 0 to 64, or `threads` not one from 1 to 999, or `progress`
        cannot be called; if `checkpoint` cannot be written, is in use, is no checkpoint, or is that of
        another count: it stays as it is then.
    InvalidPositionError
        If `position` is no position.
    InvalidRulesError
        If `rules` is neither a `RuleSet` nor the name of one.

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
    leaves = leaves_by_roll(
        position,
        depth,
        weighted=weighted,
        bulk=bulk,
        rules=rules,
        threads=threads,
        progress=progress,
        checkpoint=checkpoint,
    )
    return total_leaves(leaves, weighted=weighted)


def total_leaves(leaves: Iterable[tuple[tuple[int, int], int]], *, weighted: bool) -> int:
    """Return the sum over the first rolls that `leaves_by_roll` gives; 1 where it gives none."""
    numbers = [n * (roll_weight(roll) if weighted else 1) for roll, n in leaves]
    return sum(numbers) if numbers else 1


def leaves_by_roll(
    position: _Position,
    depth: int,
    *,
    weighted: bool = False,
    bulk: bool = True,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield each first roll and its leaves; nothing where the position itself is the only leaf.

    Parameters and errors are those of `perft`. With `weighted` all rolls but the first are weighted, since
    each first roll has a row of its own.
    """
    rules = rule_set(rules)
    switches = generated_switches(rules)
    checked = _checked_depth(depth)
    workers = thread_count(threads)
    if not hasattr(position, "to_array"):
        raise InvalidPositionError(f"{shown(position)} is no position; expected a bgfast.Position")
    board = board_numbers(position.to_array())
    merged = bulk and checked >= FEWEST_PLIES
    if checkpoint is not None and not merged:
        raise BgfastError(f"a checkpoint needs a depth of {FEWEST_PLIES} or more, and bulk=True")
    tell = checked_progress(progress)
    if checked == 0 or results(board[None])[0]:
        return iter(())
    if merged:
        return _merged_leaves(rules, board, checked, bool(weighted), workers, tell, checkpoint)
    return _generated_leaves(switches, board, checked, bool(weighted), bool(bulk), workers, tell)


def _generated_leaves(
    switches: Switches,
    board: npt.NDArray[np.int8],
    depth: int,
    weighted: bool,
    bulk: bool,
    threads: int,
    progress: Callable[[float], None],
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the leaves of each first roll as soon as it is counted."""

    def counted(roll: tuple[int, int]) -> tuple[tuple[int, int], int]:
        return roll, leaves_of_roll(switches, board, *roll, depth, weighted, bulk)

    for done, found in enumerate(each(counted, ROLLS, threads), 1):
        progress(done / len(ROLLS))
        yield found


def _merged_leaves(
    rules: RuleSet,
    board: npt.NDArray[np.int8],
    depth: int,
    weighted: bool,
    threads: int,
    progress: Callable[[float], None],
    checkpoint: str | PathLike[str] | None,
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the leaves of each first roll, once all parts of the work are done."""
    level = last_merged_level(first_level(board, depth, rules), weighted, threads)
    job = {"board": board.tolist(), "depth": depth, "weighted": weighted, "parts": level.parts}
    if level.switches is not None:
        job["rules"] = {name: getattr(rules, name) for name in GENERATED_SWITCHES}
    total = [int(number) for number in level.finished]
    with nullcontext() if checkpoint is None else closing(Checkpoint(checkpoint, job)) as kept:
        for part in range(level.parts):
            found = None if kept is None else kept.found(part)
            if found is None:
                started = time.perf_counter()
                found = part_leaves(
                    level,
                    part,
                    weighted,
                    threads,
                    lambda done: progress((part + done) / level.parts),  # noqa: B023
                )
                if kept is not None:
                    kept.keep(part, found, time.perf_counter() - started)
            progress((part + 1) / level.parts)
            total = [sum(pair) for pair in zip(total, found.leaves, strict=True)]
    yield from zip(ROLLS, total, strict=True)


def _checked_depth(depth: Any) -> int:
    number = whole_number(depth)
    if number is None or not 0 <= number <= MAX_DEPTH:
        raise BgfastError(f"depth is {shown(depth)}; expected a whole number from 0 to {MAX_DEPTH}")
    return number
