"""Structure of a position: points, primes, back checkers, and the rolls that hit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bgfast.common.rolls import ROLLS, roll_weight
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike

BACK_POINT = 18
"""Checkers on this point and further back, the bar included, are back checkers."""
POINTS = 24
FIRST_ANCHOR = 19


class Structure(NamedTuple):
    """Structure of one side, with points as that side counts them."""

    points: frozenset[int]  # with two or more checkers
    prime: int  # length of the longest block with an opposing checker behind it; 0 without one
    back_checkers: int  # on `BACK_POINT` or further back
    opponent_on_bar: int
    shots: int  # rolls of 36 with which the opponent, on roll, hits


def structure_of(after: Position, rules: RuleSetLike = STANDARD) -> Structure:
    """Return the structure of the side that has just played; the opponent is the mover of `after`."""
    board = list(after.flip())
    points = frozenset(point for point in range(1, POINTS + 1) if board[point] >= 2)
    return Structure(
        points=points,
        prime=_prime(points, board),
        back_checkers=sum(number for number in board[BACK_POINT:] if number > 0),
        opponent_on_bar=-board[0],
        shots=hitting_rolls(after, rules),
    )


def _prime(points: frozenset[int], board: Sequence[int]) -> int:
    """Return the length of the longest block with an opposing checker behind it."""
    longest = length = 0
    is_held = board[0] < 0
    for point in range(1, POINTS + 1):
        length = length + 1 if point in points else 0
        if is_held:
            longest = max(longest, length)
        if board[point] < 0:
            is_held = True
    return longest


def hitting_rolls(position: Position, rules: RuleSetLike = STANDARD) -> int:
    """Return the number of the 36 rolls with which the player on roll can hit."""
    if position.winner is not None:
        return 0
    on_bar = position[0]
    return sum(
        roll_weight(roll) for roll in ROLLS if np.any(position.plays(roll, rules).boards[:, 0] < on_bar)
    )


def point_name(point: int) -> str:
    """Return the usual name of a point, with its article."""
    if point >= FIRST_ANCHOR:
        return f"the anchor on {point}"
    return {7: "the bar-point", 13: "the midpoint"}.get(point, f"the {point}-point")
