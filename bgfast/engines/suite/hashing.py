"""Hash of a set of positions, and random numbers, by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

A position is hashed by 64-bit FNV-1a over its 26 bytes and mixed; the hashes of a set are added modulo 2**64.
Without mixing different sets often have the same sum: an FNV-1a step with byte 0 is a multiplication, and
most bytes of a position are 0, so that the effects of two moves in different places simply add up. Then {X, X
after both moves} and {X after the first move, X after the second} have the same sum, for 25 of 91 pairs of
moves from the starting position.

The published suite depends on these numbers, so they must not vary between versions of Python or bgfast: only
arithmetic modulo 2**64 is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
FNV_START = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3

Item = TypeVar("Item")


def mix(value: int) -> int:
    """Mix a 64-bit number: a permutation in which every input bit affects the output."""
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


def position_hash(board: Sequence[int]) -> int:
    """Return 64-bit FNV-1a over the 26 numbers as bytes (two's complement), index 0 first."""
    value = FNV_START
    for number in board:
        value = ((value ^ (number & 255)) * FNV_PRIME) & MASK
    return value


def set_hash(boards: Iterable[Sequence[int]]) -> str:
    """Return the hash of a set of positions, 16 hexadecimal digits; repetitions change the hash."""
    return f"{sum(map(mix, map(position_hash, boards))) & MASK:016x}"


class RandomNumbers:
    """Random number generator, reproducible by its seed, 0 to 2**64 - 1."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def next(self) -> int:
        """Return a 64-bit number."""
        self._state = (self._state + STEP) & MASK
        return mix(self._state)

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1, uniform to one part in 2**64 / `limit`."""
        return self.next() * limit >> 64

    def choice(self, items: Sequence[Item]) -> Item:
        """Return a random item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled
