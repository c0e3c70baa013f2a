"""Perft: counting the positions that follow a position, roll by roll."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .core.tree import leaves_of_roll
from .errors import BgfastError, InvalidPositionError, shown
from .inputs import board_numbers, check_generated_rules
from .rules import STANDARD, RuleSet

__all__ = ["ROLLS", "ROLL_WEIGHTS", "leaves_by_roll", "perft", "roll_weight", "total_leaves"]

ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, (1, 1) (2, 1) (2, 2) (3, 1) … (6, 6)."""

ROLL_WEIGHTS = tuple(1 if high == low else 2 for high, low in ROLLS)
"""How many of the 36 ordered rolls each of them stands for."""

MAX_DEPTH = 64
"""No tree of backgammon is counted this deep; the limit keeps the recursion within any thread's stack."""


class _Position(Protocol):
    """The little of `bgfast.Position` that counting needs; this floor lies below it."""

    def to_array(self) -> npt.NDArray[np.int8]: ...


def perft(
    pos: _Position, depth: int, *, weighted: bool = False, bulk: bool = True, rules: RuleSet = STANDARD
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
        Count the last level without writing its boards. With False every leaf is generated: the honest way to
        compare generators.
    rules : RuleSet

    Returns
    -------
    int
        Exact as long as it is below 2**64.

    Raises
    ------
    BgfastError
        If the depth is not a whole number from 0 to 64.
    InvalidPositionError
        If `pos` is no position.
    InvalidRulesError
        If the generator does not play these rules.

    Notes
    -----
    Counts without the GIL; several threads may call it at once. Ctrl-C is seen within a second.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.perft(bgfast.Position.start(), 2)
    202782
    >>> bgfast.perft(bgfast.Position.start(), 1, weighted=True)
    637
    """
    leaves = list(leaves_by_roll(pos, depth, weighted=weighted, bulk=bulk, rules=rules))
    return total_leaves(leaves, weighted=weighted)


def total_leaves(leaves: Iterable[tuple[tuple[int, int], int]], *, weighted: bool) -> int:
    """Return the sum over the first rolls that `leaves_by_roll` gives; 1 where it gives none."""
    numbers = [n * (roll_weight(roll) if weighted else 1) for roll, n in leaves]
    return sum(numbers) if numbers else 1


def leaves_by_roll(
    pos: _Position, depth: int, *, weighted: bool = False, bulk: bool = True, rules: RuleSet = STANDARD
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield each first roll and its leaves; nothing where the position itself is the only leaf.

    Parameters and errors are those of `perft`. With `weighted` all rolls but the first
    are weighted, since each first roll has a row of its own.
    """
    check_generated_rules(rules)
    checked = _checked_depth(depth)
    if not hasattr(pos, "to_array"):
        raise InvalidPositionError(f"{shown(pos)} is no position; expected a bgfast.Position")
    board = board_numbers(pos.to_array())
    over = not (board > 0).any() or not (board < 0).any()
    rolls = () if over or checked == 0 else ROLLS
    return ((roll, leaves_of_roll(board, *roll, checked, bool(weighted), bool(bulk))) for roll in rolls)


def roll_weight(roll: tuple[int, int]) -> int:
    """Return how many of the 36 ordered rolls a roll stands for: 1 for doubles, else 2."""
    return 1 if roll[0] == roll[1] else 2


def _checked_depth(depth: Any) -> int:
    try:
        number = index(depth)
    except TypeError:
        number = -1
    if not 0 <= number <= MAX_DEPTH:
        raise BgfastError(f"depth is {shown(depth)}; expected a whole number from 0 to {MAX_DEPTH}")
    return number
