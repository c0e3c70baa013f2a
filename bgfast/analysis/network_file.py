r"""The file of a network: weights by input, with their checksum; no pickle.

A file is, one behind the other:

* the 16 bytes ``bgfast network\\n`` and a zero byte;
* a line of JSON: ``format`` (1), ``hidden`` (the hidden units of each of the two networks), ``about`` (an
  object: how it was trained), and a newline;
* the weights of the network for contact, then of that for races, as little-endian 32-bit floats, each array
  in C order: ``points`` (2 sides, 24 points, 6 inputs, hidden), ``bar`` (2, hidden), ``off`` (2, 15, hidden),
  ``bias`` (hidden), ``output`` (5, hidden), ``output_bias`` (5);
* the SHA-256 of all that stands before it, 32 bytes.

Sides are the mover and the opponent, each counting points from its own home, point 1 first. The inputs of a
point with n checkers of a side: n = 1, n >= 2, n >= 3, n >= 4, n >= 5 (each 0 or 1), and (n - 5) / 2 where
n > 5. That of a bar is n / 2; those of off are k <= n for k = 1 to 15. A hidden unit is what its weights and
its bias add up to, or 0 if that is less; an output is the sigmoid of what its weights and its bias make of
the hidden units: the chances to win, to win a gammon or more, to win a backgammon, to lose a gammon or more,
to lose a backgammon. A chance is at most that which it is a part of.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.files import read_limited, write_atomically
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, shown

__all__ = ["LANES", "MOST_HIDDEN", "Weights", "read_network", "shapes", "write_network"]

Floats = npt.NDArray[np.float32]

MAGIC = b"bgfast network\n\x00"
FORMAT = 1
LANES = 32  # hidden units come in so many
MOST_HIDDEN = 1024
MOST_HEAD = 100_000  # bytes of JSON
CHECKSUM = 32
MOST_READ = 20_000_000


class Weights(NamedTuple):
    """The weights of one network; see the head of this module."""

    points: Floats
    bar: Floats
    off: Floats
    bias: Floats
    output: Floats
    output_bias: Floats


def shapes(hidden: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of `Weights`, in their order."""
    return {
        "points": (2, 24, 6, hidden),
        "bar": (2, hidden),
        "off": (2, 15, hidden),
        "bias": (hidden,),
        "output": (5, hidden),
        "output_bias": (5,),
    }


def write_network(
    path: str | os.PathLike[str], contact: Weights, race: Weights, about: Mapping[str, Any]
) -> None:
    """Write a file whole or not at all.

    Raises
    ------
    BgfastError
        If it cannot be written.
    """
    head = {"format": FORMAT, "hidden": [len(contact.bias), len(race.bias)], "about": dict(about)}
    content = MAGIC + json.dumps(head, sort_keys=True).encode() + b"\n"
    content += b"".join(array.astype("<f4").tobytes() for part in (contact, race) for array in part)
    try:
        write_atomically(path, content + hashlib.sha256(content).digest())
    except OSError as error:
        raise BgfastError(f"network {os.fspath(path)}: {reason(error)}") from None


def read_network(path: str | os.PathLike[str]) -> tuple[Weights, Weights, dict[str, Any], str]:
    """Return the weights for contact and for races, how they were trained, and the checksum in hexadecimal.

    Raises
    ------
    BgfastError
        If the file cannot be read, is none of a network, is of a newer format, or is damaged.
    """
    name = f"network {os.fspath(path)}"
    try:
        content = read_limited(path, MOST_READ)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    hidden, about, at = _head(name, content)
    length = at + 4 * sum(int(np.prod(shape)) for h in hidden for shape in shapes(h).values()) + CHECKSUM
    if len(content) != length:
        raise BgfastError(f"{name} has {len(content):,} bytes; expected {length:,}: it is cut off or damaged")
    if hashlib.sha256(content[:-CHECKSUM]).digest() != content[-CHECKSUM:]:
        raise BgfastError(f"{name} is damaged: its checksum is another one")
    numbers = np.frombuffer(content, "<f4", offset=at, count=(length - CHECKSUM - at) // 4)
    if not np.isfinite(numbers).all():
        raise BgfastError(f"{name} has weights that are no numbers; expected finite ones")
    contact, race = _parts(numbers, hidden)
    return contact, race, about, content[-CHECKSUM:].hex()


def _head(name: str, content: bytes) -> tuple[tuple[int, int], dict[str, Any], int]:
    """Return the hidden units, what the file says about itself, and where its weights begin."""
    if not content.startswith(MAGIC):
        raise BgfastError(f"{name} is none that bgfast has written")
    end = content.find(b"\n", len(MAGIC), len(MAGIC) + MOST_HEAD)
    try:
        head = json.loads(content[len(MAGIC) : end]) if end >= 0 else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or not isinstance(head.get("about"), dict):
        raise BgfastError(f"{name} is damaged: its head cannot be read")
    if head.get("format") != FORMAT:
        raise BgfastError(
            f"{name} has the format {shown(head.get('format'))}; this version of bgfast reads {FORMAT}"
        )
    hidden = head.get("hidden")
    if (
        not isinstance(hidden, list)
        or len(hidden) != 2
        or not all(type(h) is int and 0 < h <= MOST_HIDDEN and h % LANES == 0 for h in hidden)
    ):
        raise BgfastError(
            f"{name} has {shown(hidden)} hidden units; expected two multiples of {LANES} up to {MOST_HIDDEN}"
        )
    return (hidden[0], hidden[1]), head["about"], end + 1


def _parts(numbers: npt.NDArray[Any], hidden: tuple[int, int]) -> Iterator[Weights]:
    at = 0
    for h in hidden:
        arrays = []
        for shape in shapes(h).values():
            size = int(np.prod(shape))
            # A copy: in the file's bytes numbers begin anywhere.
            arrays.append(np.array(numbers[at : at + size], np.float32).reshape(shape))
            at += size
        yield Weights(*arrays)
