"""Damage at random: bits, bytes, pieces that are lost, repeated, moved, and files that are cut off."""

from __future__ import annotations

import random

EXTREMES = (
    b"\x00",
    b"\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x00\x00\xc0\x7f",
    b"\x00\x00\x80\x80",
)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with one to three damages."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        if not content:
            break
        at = chance.randrange(len(content))
        size = chance.choice((1, 1, 2, 4, 16, 600))
        piece = content[at : at + size]
        kind = chance.randrange(6)
        if kind == 0:  # one bit
            flipped = content[at] ^ 1 << chance.randrange(8)
            content = content[:at] + bytes([flipped]) + content[at + 1 :]
        elif kind == 1:
            written = chance.choice(EXTREMES)
            content = content[:at] + written + content[at + len(written) :]
        elif kind == 2:
            content = content[:at] + content[at + size :]
        elif kind == 3:
            content = content[:at] + piece * 2 + content[at + size :]
        elif kind == 4:
            content = content[:at]
        else:
            other = chance.randrange(len(content))
            content = content[:other] + piece + content[other + len(piece) :]
    return content
