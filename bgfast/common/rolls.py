"""The 21 rolls of two dice, and the 36 ordered rolls."""

from __future__ import annotations


def roll_weight(roll: tuple[int, int]) -> int:
    """Return the number of ordered rolls that are equal to a roll: 1 for doubles, else 2."""
    return 1 if roll[0] == roll[1] else 2


ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, (1, 1) (2, 1) (2, 2) (3, 1) … (6, 6)."""

ROLL_WEIGHTS = tuple(roll_weight(roll) for roll in ROLLS)
"""Number of ordered rolls for every roll of `ROLLS`: 1 for doubles, else 2."""

ORDERED_ROLLS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
"""The 36 ordered rolls, (1, 1) (1, 2) … (6, 6)."""
