"""SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): its mixing function, and whole numbers drawn with it.

The published suite is made from these numbers, so they must be the same with every version of everything:
nothing but arithmetic modulo 2**64 takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

__all__ = ["MASK", "Numbers", "mixed"]

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15

Item = TypeVar("Item")


def mixed(value: int) -> int:
    """Return the number of 64 bits that stands for another one: a permutation in which every bit matters.

    Examples
    --------
    >>> [hex(mixed(value)) for value in (0, 1)]
    ['0x0', '0x5692161d100b05e5']
    """
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


class Numbers:
    """A stream of numbers, the same for the same seed.

    Parameters
    ----------
    seed : int
        0 to 2**64 - 1.

    Examples
    --------
    >>> numbers = Numbers(0)
    >>> hex(numbers.next()), numbers.below(6)
    ('0xe220a8397b1dcdaf', 2)
    """

    def __init__(self, seed: int) -> None:
        self._state = seed

    def next(self) -> int:
        """Return a number of 64 bits."""
        self._state = (self._state + STEP) & MASK
        return mixed(self._state)

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1, each as likely to one part in 2**64 / limit."""
        return self.next() * limit >> 64

    def one_of(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order."""
        left = list(items)
        for last in range(len(left) - 1, 0, -1):
            other = self.below(last + 1)
            left[last], left[other] = left[other], left[last]
        return left
