"""The 21 rolls of two dice, and the 36 in which the order counts."""

from __future__ import annotations

__all__ = ["ORDERED_ROLLS", "ROLLS", "ROLL_WEIGHTS", "roll_weight"]


def roll_weight(roll: tuple[int, int]) -> int:
    """Return how many of the 36 ordered rolls a roll stands for: 1 for doubles, else 2."""
    return 1 if roll[0] == roll[1] else 2


ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, (1, 1) (2, 1) (2, 2) (3, 1) … (6, 6)."""

ROLL_WEIGHTS = tuple(roll_weight(roll) for roll in ROLLS)
"""How many of the 36 ordered rolls each of them stands for."""

ORDERED_ROLLS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
"""The 36 rolls, (1, 1) (1, 2) … (6, 6)."""
