r"""Network files: architecture, weights, checksum; no pickle.

A file consists of:

* 16 bytes: ``bgfast network\\n`` and a zero byte;
* a line of JSON: ``format`` (6); ``bits`` (16 or 32, the size of a weight); ``first_layers``, a list of
  objects with ``hidden`` (units), ``features`` (rows of features a side, 0 or 116) and ``triples`` (rows of
  each triple, 0 or 125); ``heads``, a list of five objects with ``first_layer`` (its index), ``dense``
  (units of each dense layer, the last 5) and ``squares`` (whether the first dense layer reads the squares of
  the activations after the activations); ``about`` (an object that describes the training); and a newline;
* the weights: little-endian IEEE 754 floats, arrays in C order. For each first layer: ``points`` (2 sides,
  24 points, 6 inputs, hidden), ``bar`` (2, hidden), ``off`` (2, 15, hidden), ``features`` (2, rows,
  hidden), ``bias`` (hidden), ``triples`` (8, rows, hidden). Then for each dense layer of each head:
  ``weights`` (units, inputs), ``bias`` (units);
* the SHA-256 of everything before it, 32 bytes.

Formats 5 to 2 can be read as well. They have no ``triples``, formats 4 to 2 no ``squares``. Format 3 has
``ceiling`` (hidden), which is not used, after each ``bias`` of a first layer. Format 2 has no hidden dense
layers. Instead of ``bits``, ``first_layers`` and ``heads`` it has ``hidden`` and ``features``, lists of five
numbers, and 32-bit arrays for each bucket: ``points``, ``bar``, ``off``, ``features``, ``bias``, ``output``
(5, hidden), ``output_bias`` (5). Each bucket has a first layer of its own.

There is a head for each bucket. The first four are for contact, by which sides have checkers back (in the
opponent's home board or on the bar): both, the mover, the opponent, neither. The last is for races.

The sides are the mover and the opponent; each counts points from its own home, point 1 first. Inputs of a
point with n checkers of a side: n = 1, n >= 2, n >= 3, n >= 4, n >= 5 (0 or 1), and max(0, n - 5) / 2. Input
of the bar: n / 2. Inputs of checkers off: n >= k for k = 1 to 15. The ten features of a side, see
docs/NETWORK.md, are whole numbers with a row of weights for each knot: 0, 2, 5, 9, 14, 20, 27, 36 for the
first seven, every number up to 25, 20 and 12 for the last three. Values between two knots are interpolated:
6 is 0.75 of knot 5 and 0.25 of knot 9.

A triple is three adjacent points; triple t, from 0 on, has the mover's points 3t + 1 to 3t + 3. One of its
rows counts: row 25a + 5b + c, where a, b and c stand for the three points in this order, 2 plus the mover's
checkers or less the opponent's, of which each point counts at most two.

Hidden units are ReLUs, squares are those of their activations. Outputs are sigmoids: the probabilities of a
win, a gammon or better, a backgammon, a lost gammon or worse, a lost backgammon. Each is clipped to the
probability of the event that includes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from bgfast.common.files import checked_path, read_limited, reason, write_atomically
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.network_weights import (
    BUCKETS,
    FEATURE_ROWS,
    LANES,
    MAX_HIDDEN,
    MAX_UNITS,
    OUTPUTS,
    TRIPLE_CLASSES,
    Dense,
    FirstLayer,
    Floats,
    Head,
    Weights,
    checked_weights,
    first_layer_shapes,
)

MAGIC = b"bgfast network\n\x00"
FORMAT = 6
WITH_CEILINGS = 3  # former formats
WITH_SQUARES = 5  # the first
MAX_HEAD = 100_000  # bytes of JSON
CHECKSUM = 32
MAX_READ = 40_000_000
_DTYPES = {16: "<f2", 32: "<f4"}
_SIZE = (
    f"hidden units, a multiple of {LANES} up to {MAX_HIDDEN}, rows of features, 0 or {FEATURE_ROWS}, and "
    f"rows of triples, 0 or {TRIPLE_CLASSES}"
)


def write_network(path: str | os.PathLike[str], weights: Weights, about: Mapping[str, Any]) -> None:
    """Write a network file atomically, with 16-bit weights if they represent all weights exactly."""
    name = _named(path)
    check_name(path)
    bits = 16 if all(_fits_16_bits(array) for array in weights.arrays()) else 32
    head = {
        "format": FORMAT,
        "bits": bits,
        "first_layers": [
            {
                "hidden": layer.hidden,
                "features": layer.features.shape[1],
                "triples": layer.triples.shape[1],
            }
            for layer in weights.first_layers
        ],
        "heads": [
            {
                "first_layer": head.first_layer,
                "dense": [len(dense.bias) for dense in head.dense],
                "squares": head.reads_squares(weights.first_layers[head.first_layer].hidden),
            }
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
    """Raise `BgfastError` for a name that ends in .onnx."""
    if os.fsdecode(path).lower().endswith(".onnx"):
        raise BgfastError(
            f"{_named(path)}: bgfast writes networks in a format of its own; expected a name without .onnx"
        )


def read_network(path: str | os.PathLike[str]) -> tuple[Weights, dict[str, Any]]:
    """Return the weights and the description (``about``) in a network file."""
    name = _named(path)
    try:
        content = read_limited(path, MAX_READ)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    head, offset = _head(name, content)
    shapes, bits = _shapes_of_format_2(name, head) if head["format"] == 2 else _shapes(name, head)
    sizes = [prod(shape) for shape in shapes]
    length = offset + bits // 8 * sum(sizes) + CHECKSUM
    if len(content) != length:
        raise BgfastError(f"{name} has {len(content):,} bytes; expected {length:,}: it is cut off or damaged")
    if hashlib.sha256(content[:-CHECKSUM]).digest() != content[-CHECKSUM:]:
        raise BgfastError(f"{name} is damaged: its checksum does not match")
    numbers = np.frombuffer(content, _DTYPES[bits], offset=offset, count=sum(sizes)).astype(np.float32)
    arrays = map(np.reshape, np.split(numbers, np.cumsum(sizes)[:-1]), shapes)
    weights = _weights_of_format_2(arrays) if head["format"] == 2 else _weights(arrays, head)
    return checked_weights(weights, name), head["about"]


def _named(path: Any) -> str:
    return f"network {checked_path(path, 'network')}"


def _head(name: str, content: bytes) -> tuple[dict[str, Any], int]:
    """Return the header of a file and the offset of the weights."""
    if not content.startswith(MAGIC):
        raise BgfastError(f"{name} is not a bgfast network file; expected a file of Network.save")
    end = content.find(b"\n", len(MAGIC), len(MAGIC) + MAX_HEAD)
    try:
        head = json.loads(content[len(MAGIC) : end]) if end >= 0 else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or not isinstance(head.get("about"), dict):
        raise BgfastError(f"{name} is damaged: its header cannot be read")
    if type(head.get("format")) is not int or not 2 <= head["format"] <= FORMAT:
        raise BgfastError(
            f"{name} has the format {shown(head.get('format'))}; this version of bgfast reads 2 to {FORMAT}"
        )
    return head, end + 1


def _shapes(name: str, head: dict[str, Any]) -> tuple[list[tuple[int, ...]], int]:
    """Return the shapes of all arrays, and the bits of a weight."""
    if type(head.get("bits")) is not int or head["bits"] not in _DTYPES:
        raise BgfastError(f"{name} has weights of {shown(head.get('bits'))} bits; expected 16 or 32")
    layers = head.get("first_layers")
    if not isinstance(layers, list) or not 0 < len(layers) <= BUCKETS:
        raise BgfastError(f"{name} has the first layers {shown(layers)}; expected a list of 1 to {BUCKETS}")
    shapes: list[tuple[int, ...]] = []
    for index, layer in enumerate(layers):
        fields = layer if isinstance(layer, dict) else {}
        triples = fields.get("triples") if head["format"] == FORMAT else 0
        size: list[Any] = [fields.get("hidden"), fields.get("features"), triples]
        if not _is_size(*size):
            raise BgfastError(f"{name}: first layer {index} is {shown(layer)}; expected {_SIZE}")
        shapes += first_layer_shapes(*size).values()
        if head["format"] == WITH_CEILINGS:
            shapes.append((size[0],))
    heads = head.get("heads")
    if not isinstance(heads, list) or len(heads) != BUCKETS:
        raise BgfastError(f"{name} has the heads {shown(heads)}; expected a list of {BUCKETS}")
    for index, item in enumerate(heads):
        fields = item if isinstance(item, dict) else {}
        first_layer, units = fields.get("first_layer"), fields.get("dense")
        squares = fields.get("squares") if head["format"] >= WITH_SQUARES else False
        if (
            type(first_layer) is not int
            or not 0 <= first_layer < len(layers)
            or not isinstance(units, list)
            or type(squares) is not bool
            or not 1 <= len(units) <= 2
            or units[-1] != OUTPUTS
            or not all(type(n) is int and (n == OUTPUTS or 0 < n <= MAX_UNITS) for n in units)
        ):
            raise BgfastError(
                f"{name}: head {index} is {shown(item)}; expected a first layer from 0 to "
                f"{len(layers) - 1} and one or two dense layers, the last of {OUTPUTS} units, the other of "
                f"up to {MAX_UNITS}, and whether squares are read"
            )
        inputs = layers[first_layer]["hidden"] * (1 + squares)
        for n in units:
            shapes += [(n, inputs), (n,)]
            inputs = n
    return shapes, head["bits"]


def _weights(arrays: Iterator[Floats], head: dict[str, Any]) -> Weights:
    count = len(FirstLayer._fields)
    with_ceiling = count + (head["format"] == WITH_CEILINGS)
    layers = tuple(FirstLayer(*[*islice(arrays, with_ceiling)][:count]) for _ in head["first_layers"])
    heads = tuple(
        Head(item["first_layer"], tuple(Dense(*islice(arrays, 2)) for _ in item["dense"]))
        for item in head["heads"]
    )
    return Weights(layers, heads)


def _is_size(hidden: Any, features: Any, triples: Any = 0) -> bool:
    return (
        type(hidden) is int
        and 0 < hidden <= MAX_HIDDEN
        and hidden % LANES == 0
        and type(features) is int
        and features in (0, FEATURE_ROWS)
        and type(triples) is int
        and triples in (0, TRIPLE_CLASSES)
    )


def _shapes_of_format_2(name: str, head: dict[str, Any]) -> tuple[list[tuple[int, ...]], int]:
    sizes: list[Any] = [head.get("hidden"), head.get("features")]
    if not all(isinstance(size, list) and len(size) == BUCKETS for size in sizes) or not all(
        map(_is_size, *sizes)
    ):
        raise BgfastError(
            f"{name} has hidden units {shown(sizes[0])} and features {shown(sizes[1])}; "
            f"expected lists of {BUCKETS}: {_SIZE}"
        )
    shapes: list[tuple[int, ...]] = []
    for hidden, features in zip(*sizes, strict=True):
        shapes += [*first_layer_shapes(hidden, features, 0).values(), (OUTPUTS, hidden), (OUTPUTS,)]
    return shapes, 32


def _weights_of_format_2(arrays: Iterator[Floats]) -> Weights:
    layers, heads = [], []
    for bucket in range(BUCKETS):
        layers.append(FirstLayer(*islice(arrays, len(FirstLayer._fields))))
        heads.append(Head(bucket, (Dense(*islice(arrays, 2)),)))
    return Weights(tuple(layers), tuple(heads))
