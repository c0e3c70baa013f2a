"""Random damage of bytes: flipped bits, overwritten, lost, repeated and moved pieces, truncation."""

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


def damage(content: bytes, rng: random.Random) -> bytes:
    """Return a damaged copy of bytes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        if not content:
            break
        start = rng.randrange(len(content))
        size = rng.choice((1, 1, 2, 4, 16, 600))
        piece = content[start : start + size]
        kind = rng.randrange(6)
        if kind == 0:  # one bit
            flipped = content[start] ^ 1 << rng.randrange(8)
            content = content[:start] + bytes([flipped]) + content[start + 1 :]
        elif kind == 1:
            written = rng.choice(EXTREMES)
            content = content[:start] + written + content[start + len(written) :]
        elif kind == 2:
            content = content[:start] + content[start + size :]
        elif kind == 3:
            content = content[:start] + piece * 2 + content[start + size :]
        elif kind == 4:
            content = content[:start]
        else:
            other = rng.randrange(len(content))
            content = content[:other] + piece + content[other + len(piece) :]
    return content
