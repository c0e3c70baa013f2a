"""The hash of a set of positions: the same in whatever order an engine lists them.

Each position is hashed by 64-bit FNV-1a over its 26 bytes, the result is mixed, and what comes out is added
modulo 2**64. Without the mixing two different sets easily have the same sum: a step of FNV-1a with the byte
0 is a multiplication, and most bytes of a position are 0, so that what two moves in different places change
just adds up: {X, X with both moves} and {X with the one, X with the other} have the same sum for 25 of 91
pairs of moves from the starting position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bgfast.engines.suite.splitmix import MASK, mixed

__all__ = ["position_hash", "set_hash"]

FNV_START = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


def position_hash(board: Sequence[int]) -> int:
    """Return 64-bit FNV-1a over the 26 numbers as bytes (two's complement), index 0 first.

    Examples
    --------
    >>> hex(position_hash([0] * 26))
    '0x17f8dd1ca2b90acd'
    """
    value = FNV_START
    for number in board:
        value = ((value ^ (number & 255)) * FNV_PRIME) & MASK
    return value


def set_hash(boards: Iterable[Sequence[int]]) -> str:
    """Return the hash of a set of positions, 16 hexadecimal digits; one that is listed twice counts twice.

    Examples
    --------
    >>> set_hash([])
    '0000000000000000'
    """
    return f"{sum(map(mixed, map(position_hash, boards))) & MASK:016x}"
