"""Hash of a set of positions, independent of their order.

A position is hashed by 64-bit FNV-1a over its 26 bytes and mixed; the hashes of a set are added modulo 2**64.
Without mixing different sets often have the same sum: an FNV-1a step with byte 0 is a multiplication, and
most bytes of a position are 0, so that the effects of two moves in different places simply add up. Then {X, X
after both moves} and {X after the first move, X after the second} have the same sum, for 25 of 91 pairs of
moves from the starting position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bgfast.engines.suite.splitmix import MASK, mix

FNV_START = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


def position_hash(board: Sequence[int]) -> int:
    """Return 64-bit FNV-1a over the 26 numbers as bytes (two's complement), index 0 first."""
    value = FNV_START
    for number in board:
        value = ((value ^ (number & 255)) * FNV_PRIME) & MASK
    return value


def set_hash(boards: Iterable[Sequence[int]]) -> str:
    """Return the hash of a set of positions, 16 hexadecimal digits; repetitions change the hash."""
    return f"{sum(map(mix, map(position_hash, boards))) & MASK:016x}"
