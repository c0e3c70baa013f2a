r"""The file of a network: its architecture and weights, with their checksum; no pickle.

A file is, one behind the other:

* the 16 bytes ``bgfast network\\n`` and a zero byte;
* a line of JSON: ``format`` (3); ``bits`` (32 or 16, those of a weight); ``first_layers``, a list of
  objects with ``hidden`` (units) and ``features`` (how many rows of features there are a side, 0 or 116);
  ``heads``, a list of five objects with ``first_layer`` (which one it reads, from 0) and ``dense`` (the
  units of its layers, the last of them 5); ``about`` (an object: how it was trained); and a newline;
* the weights as little-endian IEEE 754 floats of so many bits, each array in C order. Of each first layer:
  ``points`` (2 sides, 24 points, 6 inputs, hidden), ``bar`` (2, hidden), ``off`` (2, 15, hidden),
  ``features`` (2, rows, hidden), ``bias`` (hidden), ``ceiling`` (hidden). Then of each head, for each dense
  layer: ``weights`` (units, inputs), ``bias`` (units);
* the SHA-256 of all that stands before it, 32 bytes.

Format 2 is read, too: instead of ``bits``, ``first_layers`` and ``heads`` it has ``hidden`` and
``features``, lists of five numbers, and for each part, in 32 bits, ``points``, ``bar``, ``off``,
``features``, ``bias``, ``output`` (5, hidden), ``output_bias`` (5): five first layers, each with a head of
nothing but the outputs.

The heads are those of five parts: four kinds of contact, in which both sides have checkers back, which is
in the opponent's home board or on the bar; the mover alone; the opponent alone; nobody; and races, where
the sides have passed each other.

Sides are the mover and the opponent, each counting points from its own home, point 1 first. The inputs of a
point with n checkers of a side: n = 1, n >= 2, n >= 3, n >= 4, n >= 5 (each 0 or 1), and (n - 5) / 2 where
n > 5. That of a bar is n / 2; those of off are k <= n for k = 1 to 15. The ten features of a side stand in
docs/NETWORK.md, each a whole number that has a row for each of some knots: 0, 2, 5, 9, 14, 20, 27, 36 for
the first seven, all numbers from 0 to 25, 20 and 12 for the last three. The inputs of the two knots around
a value are its shares of them: of 6, which is a quarter of the way from 5 to 9, 0.75 and 0.25.

A unit's activation is what its weights and its bias add up to, or 0 if that is less; an output is the
sigmoid of what its weights and its bias make of the activations before it: the chances to win, to win a
gammon or more, to win a backgammon, to lose a gammon or more, to lose a backgammon. A chance is at most
that which it is a part of. ``ceiling`` plays no part in that; it scales quantized activations
(docs/notes/network_history.md).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from bgfast.common.files import checked_path, read_limited, write_atomically
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.network_weights import (
    FEATURE_ROWS,
    LANES,
    MAX_HIDDEN,
    MAX_UNITS,
    OUTPUTS,
    PARTS,
    Dense,
    FirstLayer,
    Floats,
    Head,
    Weights,
    checked_weights,
    first_layer_shapes,
)

__all__ = ["check_name", "read_network", "write_network"]

MAGIC = b"bgfast network\n\x00"
FORMAT = 3
MAX_HEAD = 100_000  # bytes of JSON
CHECKSUM = 32
MAX_READ = 20_000_000
_DTYPES = {16: "<f2", 32: "<f4"}
_SIZE = f"hidden units, a multiple of {LANES} up to {MAX_HIDDEN}, and rows of features, 0 or {FEATURE_ROWS}"


def write_network(path: str | os.PathLike[str], weights: Weights, about: Mapping[str, Any]) -> None:
    """Write a file whole or not at all, with 16 bits a weight if these hold all weights exactly.

    Raises
    ------
    BgfastError
        If it cannot be written.
    """
    name = _named(path)
    check_name(path)
    bits = 16 if all(_fits_16_bits(array) for array in weights.arrays()) else 32
    head = {
        "format": FORMAT,
        "bits": bits,
        "first_layers": [
            {"hidden": layer.hidden, "features": layer.features.shape[1]} for layer in weights.first_layers
        ],
        "heads": [
            {"first_layer": head.first_layer, "dense": [len(dense.bias) for dense in head.dense]}
            for head in weights.heads
        ],
        "about": dict(about),
    }
    try:
        line = json.dumps(head, sort_keys=True).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BgfastError(f"{name}: about cannot be written as JSON: {error}") from None
    if len(line) > MAX_HEAD:
        raise BgfastError(f"{name}: about has more than {MAX_HEAD:,} bytes of JSON")
    content = MAGIC + line
    content += b"".join(array.astype(_DTYPES[bits]).tobytes() for array in weights.arrays())
    try:
        write_atomically(path, content + hashlib.sha256(content).digest())
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None


def _fits_16_bits(array: Floats) -> bool:
    with np.errstate(over="ignore"):
        return np.array_equal(array.astype(np.float16).astype(np.float32), array)


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a file name that suggests another format.

    Raises
    ------
    BgfastError
        If it ends in .onnx.
    """
    if os.fsdecode(path).lower().endswith(".onnx"):
        raise BgfastError(
            f"{_named(path)}: bgfast writes networks in a format of its own; expected a name without .onnx"
        )


def read_network(path: str | os.PathLike[str]) -> tuple[Weights, dict[str, Any]]:
    """Return the weights, and how they were trained.

    Raises
    ------
    BgfastError
        If the file cannot be read, is none of a network, is of a newer format, or is damaged.
    """
    name = _named(path)
    try:
        content = read_limited(path, MAX_READ)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    head, at = _head(name, content)
    shapes, bits = (_shapes_of_format_2 if head["format"] == 2 else _shapes)(name, head)
    count = sum(int(np.prod(shape)) for shape in shapes)
    length = at + bits // 8 * count + CHECKSUM
    if len(content) != length:
        raise BgfastError(f"{name} has {len(content):,} bytes; expected {length:,}: it is cut off or damaged")
    if hashlib.sha256(content[:-CHECKSUM]).digest() != content[-CHECKSUM:]:
        raise BgfastError(f"{name} is damaged: its checksum is another one")
    numbers = np.frombuffer(content, _DTYPES[bits], offset=at, count=count).astype(np.float32)
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    arrays = iter(
        [part.reshape(shape) for part, shape in zip(np.split(numbers, ends[:-1]), shapes, strict=True)]
    )
    weights = (_weights_of_format_2 if head["format"] == 2 else _weights)(arrays, head)
    return checked_weights(weights, name), head["about"]


def _named(path: Any) -> str:
    return f"network {checked_path(path, 'network')}"


def _head(name: str, content: bytes) -> tuple[dict[str, Any], int]:
    """Return the header of a file and the offset of the weights."""
    if not content.startswith(MAGIC):
        raise BgfastError(f"{name} is none that bgfast has written; expected a file of Network.save")
    end = content.find(b"\n", len(MAGIC), len(MAGIC) + MAX_HEAD)
    try:
        head = json.loads(content[len(MAGIC) : end]) if end >= 0 else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or not isinstance(head.get("about"), dict):
        raise BgfastError(f"{name} is damaged: its head cannot be read")
    if type(head.get("format")) is not int or head["format"] not in (2, FORMAT):
        raise BgfastError(
            f"{name} has the format {shown(head.get('format'))}; this version of bgfast reads 2 and {FORMAT}"
        )
    return head, end + 1


def _shapes(name: str, head: dict[str, Any]) -> tuple[list[tuple[int, ...]], int]:
    """Return the shapes of all arrays, and the bits of a weight."""
    if type(head.get("bits")) is not int or head["bits"] not in _DTYPES:
        raise BgfastError(f"{name} has weights of {shown(head.get('bits'))} bits; expected 16 or 32")
    layers = head.get("first_layers")
    if not isinstance(layers, list) or not 0 < len(layers) <= PARTS:
        raise BgfastError(f"{name} has the first layers {shown(layers)}; expected a list of 1 to {PARTS}")
    shapes: list[tuple[int, ...]] = []
    for number, layer in enumerate(layers):
        size: list[Any] = [layer.get("hidden"), layer.get("features")] if isinstance(layer, dict) else [0, 0]
        if not _is_size(*size):
            raise BgfastError(f"{name}: first layer {number} is {shown(layer)}; expected {_SIZE}")
        shapes += first_layer_shapes(*size).values()
    heads = head.get("heads")
    if not isinstance(heads, list) or len(heads) != PARTS:
        raise BgfastError(f"{name} has the heads {shown(heads)}; expected a list of {PARTS}")
    for number, given in enumerate(heads):
        reads, units = (
            (given.get("first_layer"), given.get("dense")) if isinstance(given, dict) else (None, None)
        )
        if (
            type(reads) is not int
            or not 0 <= reads < len(layers)
            or not isinstance(units, list)
            or not 1 <= len(units) <= 2
            or units[-1] != OUTPUTS
            or not all(type(n) is int and (n == OUTPUTS or 0 < n <= MAX_UNITS) for n in units)
        ):
            raise BgfastError(
                f"{name}: head {number} is {shown(given)}; expected a first layer from 0 to "
                f"{len(layers) - 1} and dense layers, the last of {OUTPUTS} units, at most one "
                f"before it, of up to {MAX_UNITS}"
            )
        inputs = layers[reads]["hidden"]
        for n in units:
            shapes += [(n, inputs), (n,)]
            inputs = n
    return shapes, head["bits"]


def _weights(arrays: Iterator[Floats], head: dict[str, Any]) -> Weights:
    layers = tuple(FirstLayer(*islice(arrays, len(FirstLayer._fields))) for _ in head["first_layers"])
    heads = tuple(
        Head(given["first_layer"], tuple(Dense(*islice(arrays, 2)) for _ in given["dense"]))
        for given in head["heads"]
    )
    return Weights(layers, heads)


def _is_size(hidden: Any, features: Any) -> bool:
    return (
        type(hidden) is int
        and 0 < hidden <= MAX_HIDDEN
        and hidden % LANES == 0
        and type(features) is int
        and features in (0, FEATURE_ROWS)
    )


def _shapes_of_format_2(name: str, head: dict[str, Any]) -> tuple[list[tuple[int, ...]], int]:
    sizes: list[Any] = [head.get("hidden"), head.get("features")]
    if not all(isinstance(size, list) and len(size) == PARTS for size in sizes) or not all(
        map(_is_size, *sizes)
    ):
        raise BgfastError(
            f"{name} has hidden units {shown(sizes[0])} and features {shown(sizes[1])}; "
            f"expected lists of {PARTS}: {_SIZE}"
        )
    shapes: list[tuple[int, ...]] = []
    for hidden, features in zip(*sizes, strict=True):
        layer = first_layer_shapes(hidden, features)
        del layer["ceiling"]
        shapes += [*layer.values(), (OUTPUTS, hidden), (OUTPUTS,)]
    return shapes, 32


def _weights_of_format_2(arrays: Iterator[Floats], head: dict[str, Any]) -> Weights:
    layers, heads = [], []
    for number, hidden in enumerate(head["hidden"]):
        layers.append(FirstLayer(*islice(arrays, 5), *[np.zeros(hidden, np.float32)]))
        heads.append(Head(number, (Dense(*islice(arrays, 2)),)))
    return Weights(tuple(layers), tuple(heads))
