r"""The file of a network: weights by input, with their checksum; no pickle.

A file is, one behind the other:

* the 16 bytes ``bgfast network\\n`` and a zero byte;
* a line of JSON: ``format`` (2), ``hidden`` (the hidden units of each of the five parts), ``features`` (how
  many rows of features each has a side, 0 or 116), ``about`` (an object: how it was trained), and a newline;
* the weights of each part, as little-endian 32-bit floats, each array in C order: ``points`` (2 sides, 24
  points, 6 inputs, hidden), ``bar`` (2, hidden), ``off`` (2, 15, hidden), ``features`` (2, rows, hidden),
  ``bias`` (hidden), ``output`` (5, hidden), ``output_bias`` (5);
* the SHA-256 of all that stands before it, 32 bytes.

The parts are networks for four kinds of contact: both sides have checkers back, which is in the opponent's
home board or on the bar; the mover alone; the opponent alone; nobody; and for races, where the sides have
passed each other.

Sides are the mover and the opponent, each counting points from its own home, point 1 first. The inputs of a
point with n checkers of a side: n = 1, n >= 2, n >= 3, n >= 4, n >= 5 (each 0 or 1), and (n - 5) / 2 where
n > 5. That of a bar is n / 2; those of off are k <= n for k = 1 to 15. The ten features of a side stand in
docs/NETWORK.md, each a whole number that has a row for each of some knots: 0, 2, 5, 9, 14, 20, 27, 36 for
the first seven, all numbers from 0 to 25, 20 and 12 for the last three. The inputs of the two knots around a
value are its shares of them: of 6, which is a quarter of the way from 5 to 9, 0.75 and 0.25.

A hidden unit is what its weights and its bias add up to, or 0 if that is less; an output is the sigmoid of
what its weights and its bias make of the hidden units: the chances to win, to win a gammon or more, to win a
backgammon, to lose a gammon or more, to lose a backgammon. A chance is at most that which it is a part of.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.files import checked_path, read_limited, write_atomically
from bgfast.common.resumable import reason
from bgfast.common.validation import number_array
from bgfast.errors import BgfastError, shown

__all__ = [
    "FEATURE_ROWS",
    "LANES",
    "MOST_HIDDEN",
    "MOST_WEIGHT",
    "PARTS",
    "Weights",
    "check_name",
    "checked_parts",
    "read_network",
    "shapes",
    "write_network",
]

Floats = npt.NDArray[np.float32]

MAGIC = b"bgfast network\n\x00"
FORMAT = 2
PARTS = 5  # four kinds of contact, races
FEATURE_ROWS = 116
LANES = 32  # hidden units come in so many
MOST_HIDDEN = 1024
MOST_WEIGHT = 1e9
"""Of either sign. Far from any network's weights, and from those whose sums leave a float of 32 bits or that
cannot be rounded to 16 bits: what an output adds up to stays below 1024 * 1e9 * 51 * 1e9."""
MOST_HEAD = 100_000  # bytes of JSON
CHECKSUM = 32
MOST_READ = 20_000_000


class Weights(NamedTuple):
    """The weights of one network; see the head of this module."""

    points: Floats
    bar: Floats
    off: Floats
    features: Floats
    bias: Floats
    output: Floats
    output_bias: Floats

    @property
    def rows(self) -> Floats:
        """All rows of hidden units as the core has them, (n, hidden); of features that it has not, zeros."""
        hidden = len(self.bias)
        features = np.zeros((2, FEATURE_ROWS, hidden), np.float32)
        features[:, : self.features.shape[1]] = self.features
        parts = (self.points, self.bar, self.off, features, self.bias, self.output)
        return np.concatenate([part.reshape(-1, hidden) for part in parts], dtype=np.float32)

    @classmethod
    def of_rows(cls, rows: Floats, output_bias: Floats, feature_rows: int) -> Weights:
        """Return weights with rows as `rows` has them."""
        hidden = rows.shape[1]
        full = {name: shape for name, shape in shapes(hidden, FEATURE_ROWS).items() if name != "output_bias"}
        ends = np.cumsum([int(np.prod(shape)) // hidden for shape in full.values()])
        arrays = {
            name: part.reshape(shape).copy()
            for (name, shape), part in zip(full.items(), np.split(rows, ends[:-1]), strict=True)
        }
        arrays["features"] = arrays["features"][:, :feature_rows].copy()
        return cls(**arrays, output_bias=output_bias[:5].copy())


def shapes(hidden: int, feature_rows: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of `Weights`, in their order."""
    return {
        "points": (2, 24, 6, hidden),
        "bar": (2, hidden),
        "off": (2, 15, hidden),
        "features": (2, feature_rows, hidden),
        "bias": (hidden,),
        "output": (5, hidden),
        "output_bias": (5,),
    }


def checked_parts(given: Any, name: str = "a network") -> tuple[Weights, ...]:
    """Return the weights of all parts in memory of their own, which cannot be written to.

    Raises
    ------
    BgfastError
        If these are no parts of a network, or a weight is no number that one can be made of; the message
        begins with `name` and says which part, array and place.
    """
    parts = list(given) if isinstance(given, Sequence) else None
    if parts is None or len(parts) != PARTS or not all(isinstance(part, Weights) for part in parts):
        what = shown(given) if parts is None else f"{len(parts)} parts"
        raise BgfastError(f"{name} of {what}; expected {PARTS} parts, each of them Weights")
    return tuple(_checked_part(part, f"{name}, part {number}") for number, part in enumerate(parts))


def _checked_part(part: Weights, name: str) -> Weights:
    arrays = {
        word: number_array(values, f"{name}: {word}", BgfastError, "numbers")
        for word, values in part._asdict().items()
    }
    hidden = arrays["bias"].shape[-1] if arrays["bias"].ndim else 0
    if not 0 < hidden <= MOST_HIDDEN or hidden % LANES:
        raise BgfastError(
            f"{name} has {hidden} hidden units; expected a multiple of {LANES} up to {MOST_HIDDEN}"
        )
    has_features = arrays["features"].shape[1:2] != (0,)
    for word, shape in shapes(hidden, FEATURE_ROWS if has_features else 0).items():
        array = arrays[word]
        if array.shape != shape:
            raise BgfastError(f"{name}: {word} of shape {shown(array.shape)}; expected {shape}")
        bounded = (array >= -MOST_WEIGHT) & (array <= MOST_WEIGHT)
        if not bounded.all():
            place = np.argwhere(~bounded)[0].tolist()
            raise BgfastError(
                f"{name}: {word} is {array[tuple(place)]:g} at {', '.join(map(str, place))}; "
                f"expected finite numbers, at most {MOST_WEIGHT:g} in size"
            )
        arrays[word] = np.array(array, np.float32, order="C")
        arrays[word].flags.writeable = False
    return Weights(**arrays)


def write_network(path: str | os.PathLike[str], parts: Sequence[Weights], about: Mapping[str, Any]) -> None:
    """Write a file whole or not at all.

    Raises
    ------
    BgfastError
        If it cannot be written.
    """
    name = _named(path)
    check_name(path)
    head = {
        "format": FORMAT,
        "hidden": [len(part.bias) for part in parts],
        "features": [part.features.shape[1] for part in parts],
        "about": dict(about),
    }
    try:
        line = json.dumps(head, sort_keys=True).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BgfastError(f"{name}: about cannot be written as JSON: {error}") from None
    if len(line) > MOST_HEAD:
        raise BgfastError(f"{name}: about has more than {MOST_HEAD:,} bytes of JSON")
    content = MAGIC + line
    content += b"".join(array.astype("<f4").tobytes() for part in parts for array in part)
    try:
        write_atomically(path, content + hashlib.sha256(content).digest())
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a file that others would take for a network in their format.

    Raises
    ------
    BgfastError
        If it ends in .onnx.
    """
    if os.fsdecode(path).lower().endswith(".onnx"):
        raise BgfastError(
            f"{_named(path)}: bgfast writes networks in a format of its own; expected a name without .onnx"
        )


def read_network(path: str | os.PathLike[str]) -> tuple[tuple[Weights, ...], dict[str, Any]]:
    """Return the weights of each part, and how they were trained.

    Raises
    ------
    BgfastError
        If the file cannot be read, is none of a network, is of a newer format, or is damaged.
    """
    name = _named(path)
    try:
        content = read_limited(path, MOST_READ)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    sizes, about, at = _head(name, content)
    count = sum(int(np.prod(shape)) for size in sizes for shape in shapes(*size).values())
    length = at + 4 * count + CHECKSUM
    if len(content) != length:
        raise BgfastError(f"{name} has {len(content):,} bytes; expected {length:,}: it is cut off or damaged")
    if hashlib.sha256(content[:-CHECKSUM]).digest() != content[-CHECKSUM:]:
        raise BgfastError(f"{name} is damaged: its checksum is another one")
    numbers = np.frombuffer(content, "<f4", offset=at, count=count)
    return checked_parts(tuple(_parts(numbers, sizes)), name), about


def _named(path: Any) -> str:
    return f"network {checked_path(path, 'network')}"


def _head(name: str, content: bytes) -> tuple[list[tuple[int, int]], dict[str, Any], int]:
    """Return both sizes (hidden units, rows of features), what the file says of itself, where weights are."""
    if not content.startswith(MAGIC):
        raise BgfastError(f"{name} is none that bgfast has written")
    end = content.find(b"\n", len(MAGIC), len(MAGIC) + MOST_HEAD)
    try:
        head = json.loads(content[len(MAGIC) : end]) if end >= 0 else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or not isinstance(head.get("about"), dict):
        raise BgfastError(f"{name} is damaged: its head cannot be read")
    if type(head.get("format")) is not int or head["format"] != FORMAT:
        raise BgfastError(
            f"{name} has the format {shown(head.get('format'))}; this version of bgfast reads {FORMAT}"
        )
    hidden = head.get("hidden")
    if (
        not isinstance(hidden, list)
        or len(hidden) != PARTS
        or not all(type(h) is int and 0 < h <= MOST_HIDDEN and h % LANES == 0 for h in hidden)
    ):
        raise BgfastError(
            f"{name} has {shown(hidden)} hidden units; expected {PARTS} multiples of {LANES} "
            f"up to {MOST_HIDDEN}"
        )
    features = head.get("features")
    if (
        not isinstance(features, list)
        or len(features) != PARTS
        or not all(type(n) is int and n in (0, FEATURE_ROWS) for n in features)
    ):
        raise BgfastError(
            f"{name} has {shown(features)} rows of features; expected {PARTS} numbers, each 0 "
            f"or {FEATURE_ROWS}"
        )
    return list(zip(hidden, features, strict=True)), head["about"], end + 1


def _parts(numbers: npt.NDArray[Any], sizes: list[tuple[int, int]]) -> Iterator[Weights]:
    at = 0
    for size_of_part in sizes:
        arrays = []
        for shape in shapes(*size_of_part).values():
            size = int(np.prod(shape))
            arrays.append(numbers[at : at + size].reshape(shape))
            at += size
        yield Weights(*arrays)
