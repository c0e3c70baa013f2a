r"""Weights of a network, and the files that store them with a checksum and without pickle.

A file consists of:

* 16 bytes: ``bgfast network``, a newline and a zero byte;
* a line of JSON: ``format`` (7); ``bits`` (16 or 32, the size of a weight); ``first_layers``, a list of
  objects with ``hidden`` (units), ``features`` (rows of features per side, 0 or 116) and ``triples`` (rows of
  each triple, 0 or 125); ``heads``, a list of five objects with ``first_layer`` (an index), ``dense``
  (units of each dense layer, 5 in the last) and ``squares`` (true if the first dense layer reads activations
  and then their squares); ``about`` (an object that describes the training run); and a newline;
* the weights: little-endian IEEE 754 floats, arrays in C order. For each first layer: ``points`` (2 sides,
  24 points, 6 inputs, hidden), ``bar`` (2, hidden), ``off`` (2, 15, hidden), ``features`` (2, rows,
  hidden), ``bias`` (hidden), ``triples`` (8, rows, hidden). Then for each dense layer of each head:
  ``weights`` (units, inputs), ``bias`` (units). At 16 bits, the low bytes of all weights precede the high
  bytes, which makes compressed wheels smaller;
* the SHA-256 of all preceding bytes, 32 bytes.

Format 6, which keeps the two bytes of a 16-bit weight together, can also be read.

Each bucket has a head. The first four buckets are for contact, chosen by which sides have checkers back
(in the opponent's home board or on the bar): both, the mover, the opponent, neither. The last is for races.

The sides are the mover and the opponent; each counts points from its own home, point 1 first. Inputs of a
point with n checkers of a side: n = 1, n >= 2, n >= 3, n >= 4, n >= 5 (0 or 1), and max(0, n - 5) / 2. Input
of the bar: n / 2. Inputs of checkers off: n >= k for k = 1 to 15. The ten features of a side, see
docs/NETWORK.md, are whole numbers with a row of weights for each knot: 0, 2, 5, 9, 14, 20, 27, 36 for the
first seven, every number up to 25, 20 and 12 for the last three. Values between two knots are interpolated:
6 is 0.75 of knot 5 and 0.25 of knot 9.

A triple is three adjacent points; triple t, from 0 on, has the mover's points 3t + 1 to 3t + 3. One of its
rows is active: row 25a + 5b + c, where a, b and c are, for the three points in this order, 2 plus
the mover's checkers on the point, or 2 minus the opponent's, counting at most two.

Hidden units are ReLUs; squares are squared activations. Outputs are sigmoids: the probabilities of a win, a
gammon or better, a backgammon, a lost gammon or worse, a lost backgammon. Each is clipped to the probability
of the event that includes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.files import naming, read_limited, validate_path, write_atomically
from bgfast.common.validation import number_array, whole_number
from bgfast.errors import BgfastError, short_repr

Floats = npt.NDArray[np.float32]

BUCKETS = 5  # four for contact, one for races
OUTPUTS = 5
FEATURE_ROWS = 116
TRIPLES = 8  # groups of three adjacent points
TRIPLE_CLASSES = 125
LANES = 32  # units of first layers and hidden dense layers are multiples of this
MAX_HIDDEN = 1024
MAX_UNITS = 128  # maximum units of a hidden dense layer
ROWS_BEFORE_TRIPLES = 553  # rows of a first layer before the triples
# Sums stay within 32-bit floats: outputs are below 1024 * 1e9 * 59 * 1e9 * 128 * 1e9.
MAX_WEIGHT = 1e9


class Dense(NamedTuple):
    """Dense layer."""

    weights: Floats  # (units, inputs)
    bias: Floats  # (units,)


class FirstLayer(NamedTuple):
    """Layer that reads the board; the module's docstring lists the inputs."""

    points: Floats  # (2, 24, 6, hidden)
    bar: Floats  # (2, hidden)
    off: Floats  # (2, 15, hidden)
    features: Floats  # (2, 116, hidden), or (2, 0, hidden) without features
    bias: Floats  # (hidden,)
    triples: Floats  # (8, 125, hidden), or (8, 0, hidden) without triples

    @property
    def hidden(self) -> int:
        """Number of units."""
        return len(self.bias)

    @property
    def has_features(self) -> bool:
        """True if the layer has rows for hand-written features."""
        return bool(self.features.shape[1])

    @property
    def has_triples(self) -> bool:
        """True if the layer has rows for triples of adjacent points."""
        return bool(self.triples.shape[1])

    @property
    def rows(self) -> Floats:
        """All rows of weights in the core's order; zeros for absent features and triples."""
        shapes = first_layer_shapes(self.hidden, FEATURE_ROWS, TRIPLE_CLASSES).values()
        arrays = [
            (array if array.size else np.zeros(shape, np.float32)).reshape(-1, self.hidden)
            for shape, array in zip(shapes, self, strict=True)
        ]
        return np.concatenate(arrays, dtype=np.float32)

    @classmethod
    def of_rows(cls, rows: Floats, has_features: bool) -> FirstLayer:
        """Return a layer from its rows, in the order of the property `rows`; triples may be absent."""
        hidden = rows.shape[1]
        triple_rows = 0 if len(rows) == ROWS_BEFORE_TRIPLES else TRIPLE_CLASSES
        shapes = [*first_layer_shapes(hidden, FEATURE_ROWS, triple_rows).values()]
        parts = np.split(rows, np.cumsum([prod(shape) // hidden for shape in shapes])[:-1])
        layer = cls(*(part.reshape(shape).copy() for part, shape in zip(parts, shapes, strict=True)))
        return layer if has_features else layer._replace(features=layer.features[:, :0].copy())


class Head(NamedTuple):
    """Layers from the activations of a first layer to the outputs."""

    first_layer: int  # index in `Weights.first_layers`
    dense: tuple[Dense, ...]  # at most one hidden layer (ReLU), then the outputs

    def reads_squares(self, hidden: int) -> bool:
        """Return whether the first dense layer reads `hidden` activations and then their squares."""
        return bool(self.dense[0].weights.shape[1] == 2 * hidden)


class Weights(NamedTuple):
    """Weights of a network."""

    first_layers: tuple[FirstLayer, ...]
    heads: tuple[Head, ...]  # a head for each bucket: four for contact, one for races

    def as_floats(self) -> Weights:
        """Return the weights as read-only float32 arrays."""
        return Weights(
            tuple(FirstLayer(*map(_as_floats, layer)) for layer in self.first_layers),
            tuple(
                Head(head.first_layer, tuple(Dense(*map(_as_floats, dense)) for dense in head.dense))
                for head in self.heads
            ),
        )

    def arrays(self) -> Iterator[Floats]:
        """Yield all arrays in file order."""
        for layer in self.first_layers:
            yield from layer
        for head in self.heads:
            for dense in head.dense:
                yield from dense


def _as_floats(array: npt.NDArray[Any]) -> Floats:
    floats = array.astype(np.float32, copy=False)
    floats.flags.writeable = False
    return floats


def first_layer_shapes(hidden: int, feature_rows: int, triple_rows: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of a `FirstLayer` in order."""
    return {
        "points": (2, 24, 6, hidden),
        "bar": (2, hidden),
        "off": (2, 15, hidden),
        "features": (2, feature_rows, hidden),
        "bias": (hidden,),
        "triples": (TRIPLES, triple_rows, hidden),
    }


def validate_weights(weights: Any, name: str = "a network", *, is_finite: bool = False) -> Weights:
    """Return a read-only copy of valid weights; errors begin with `name` and give layer, array and index.

    If `is_finite` is True, the arrays must be read-only with numbers in range; they are then not copied.
    """
    if not isinstance(weights, Weights):
        raise BgfastError(f"{name} of {short_repr(weights)}; expected Weights")
    layers = _validate_items(weights.first_layers, FirstLayer, f"{name}, first layers")
    heads = _validate_items(weights.heads, Head, f"{name}, heads")
    if not 0 < len(layers) <= BUCKETS:
        raise BgfastError(f"{name} has {len(layers)} first layers; expected 1 to {BUCKETS}")
    if len(heads) != BUCKETS:
        raise BgfastError(f"{name} has {len(heads)} heads; expected {BUCKETS}")
    layers = tuple(
        _validate_layer(layer, f"{name}, first layer {i}", is_finite) for i, layer in enumerate(layers)
    )
    heads = tuple(
        _validate_head(head, layers, f"{name}, head {i}", is_finite) for i, head in enumerate(heads)
    )
    unread_layers = set(range(len(layers))) - {head.first_layer for head in heads}
    if unread_layers:
        raise BgfastError(f"{name}: no head reads first layer {min(unread_layers)}")
    return Weights(layers, heads)


def _validate_items(value: Any, item_type: type, name: str) -> tuple[Any, ...]:
    items = tuple(value) if isinstance(value, Sequence) and not isinstance(value, item_type) else None
    if items is None or not all(isinstance(item, item_type) for item in items):
        raise BgfastError(f"{name} are {short_repr(value)}; expected a tuple of {item_type.__name__}")
    return items


def _validate_layer(layer: FirstLayer, name: str, is_finite: bool) -> FirstLayer:
    arrays = {field: _as_numbers(values, f"{name}: {field}") for field, values in layer._asdict().items()}
    hidden = arrays["bias"].shape[-1] if arrays["bias"].ndim else 0
    if not 0 < hidden <= MAX_HIDDEN or hidden % LANES:
        raise BgfastError(
            f"{name} has {hidden} hidden units; expected a multiple of {LANES} up to {MAX_HIDDEN}"
        )
    rows = {"features": FEATURE_ROWS, "triples": TRIPLE_CLASSES}
    sizes = [0 if arrays[field].shape[1:2] == (0,) else count for field, count in rows.items()]
    for field, shape in first_layer_shapes(hidden, *sizes).items():
        arrays[field] = _validate_array(arrays[field], shape, f"{name}: {field}", is_finite)
    return FirstLayer(**arrays)


def _validate_head(head: Head, layers: tuple[FirstLayer, ...], name: str, is_finite: bool) -> Head:
    layer_index = whole_number(head.first_layer)
    if layer_index is None or not 0 <= layer_index < len(layers):
        raise BgfastError(
            f"{name} reads first layer {short_repr(head.first_layer)}; expected 0 to {len(layers) - 1}"
        )
    dense_layers = _validate_items(head.dense, Dense, f"{name}, dense layers")
    if not 1 <= len(dense_layers) <= 2:
        raise BgfastError(
            f"{name} has {len(dense_layers)} dense layers; expected outputs, or a hidden layer and outputs"
        )
    dense = []
    inputs = layers[layer_index].hidden
    if np.shape(dense_layers[0].weights)[1:] == (2 * inputs,):  # the layer reads activations and squares
        inputs *= 2
    for index, layer in enumerate(dense_layers):
        label = f"{name}, dense layer {index}"
        bias = _as_numbers(layer.bias, f"{label}: bias")
        units = bias.shape[-1] if bias.ndim else 0
        if index == len(dense_layers) - 1:
            units = OUTPUTS
        elif not 0 < units <= MAX_UNITS or units % LANES:
            raise BgfastError(f"{label} has {units} units; expected a multiple of {LANES} up to {MAX_UNITS}")
        weights = _as_numbers(layer.weights, f"{label}: weights")
        weights = _validate_array(weights, (units, inputs), f"{label}: weights", is_finite)
        dense.append(Dense(weights, _validate_array(bias, (units,), f"{label}: bias", is_finite)))
        inputs = units
    return Head(layer_index, tuple(dense))


def _as_numbers(values: Any, name: str) -> npt.NDArray[Any]:
    return number_array(values, name, BgfastError, "numbers")


def _validate_array(array: npt.NDArray[Any], shape: tuple[int, ...], name: str, is_finite: bool) -> Floats:
    if array.shape != shape:
        raise BgfastError(f"{name} of shape {short_repr(array.shape)}; expected {shape}")
    if is_finite:
        return array
    array = array if array.dtype.itemsize >= 4 else array.astype(np.float32)
    is_bounded = (array >= -MAX_WEIGHT) & (array <= MAX_WEIGHT)
    if not is_bounded.all():
        index = np.argwhere(~is_bounded)[0].tolist()
        raise BgfastError(
            f"{name} is {array[tuple(index)]:g} at {', '.join(map(str, index))}; "
            f"expected finite numbers, at most {MAX_WEIGHT:g} in size"
        )
    copy = np.array(array, np.float32, order="C")
    copy.flags.writeable = False
    return copy


# ---------------------------------------------------------------- files


MAGIC = b"bgfast network\n\x00"
FORMAT = 7
PREVIOUS_FORMAT = 6
MAX_HEADER = 100_000  # maximum size of the JSON line, in bytes
CHECKSUM_BYTES = 32
MAX_READ = 40_000_000  # maximum size of a file, in bytes
_DTYPES = {16: "<f2", 32: "<f4"}
_INFINITY = 0x7C00  # a 16-bit float with these bits is infinite or NaN


def write_network(path: str | os.PathLike[str], weights: Weights, about: Mapping[str, Any]) -> None:
    """Write a network file atomically, with 16-bit weights if 16 bits represent all weights exactly."""
    name = _label(path)
    check_name(path)
    bits = 16 if all(_fits_16_bits(array) for array in weights.arrays()) else 32
    header = {
        "format": FORMAT,
        "bits": bits,
        "first_layers": [
            {"hidden": layer.hidden, "features": layer.features.shape[1], "triples": layer.triples.shape[1]}
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
        line = json.dumps(header, sort_keys=True).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BgfastError(f"{name}: about cannot be written as JSON: {error}") from None
    if len(line) > MAX_HEADER:
        raise BgfastError(f"{name}: about has more than {MAX_HEADER:,} bytes of JSON")
    content = MAGIC + line
    values = np.concatenate([array.astype(_DTYPES[bits]).ravel() for array in weights.arrays()])
    content += values.view(np.uint8).reshape(-1, 2).T.tobytes() if bits == 16 else values.tobytes()
    with naming(name):
        write_atomically(path, content + hashlib.sha256(content).digest())


def _fits_16_bits(array: Floats) -> bool:
    with np.errstate(over="ignore"):
        return np.array_equal(array.astype(np.float16).astype(np.float32), array)


def check_name(path: str | os.PathLike[str]) -> None:
    """Raise `BgfastError` for a name that ends in .onnx."""
    if os.fsdecode(path).lower().endswith(".onnx"):
        raise BgfastError(
            f"{_label(path)}: bgfast writes networks in its own format; expected a name without .onnx"
        )


def read_network(path: str | os.PathLike[str]) -> tuple[Weights, dict[str, Any]]:
    """Return the validated weights of a file, in the file's precision, and its ``about`` object."""
    name = _label(path)
    with naming(name):
        content = read_limited(path, MAX_READ)
    header, offset = _read_header(name, content)
    shapes, bits = _read_shapes(name, header), header["bits"]
    sizes = [*map(prod, shapes)]
    length = offset + bits // 8 * sum(sizes) + CHECKSUM_BYTES
    if len(content) != length:
        raise BgfastError(f"{name} has {len(content):,} bytes; expected {length:,}: it is cut off or damaged")
    if hashlib.sha256(memoryview(content)[:-CHECKSUM_BYTES]).digest() != content[-CHECKSUM_BYTES:]:
        raise BgfastError(f"{name} is damaged: its checksum does not match")
    stored = np.frombuffer(content, _DTYPES[bits], offset=offset, count=sum(sizes))
    if bits == 16 and header["format"] == FORMAT:
        low, high = stored.view(np.uint8).reshape(2, -1)
        stored = (high.astype("<u2") << 8 | low).view("<f2")
        stored.flags.writeable = False
    values = stored.astype(stored.dtype.newbyteorder("="), copy=False)
    parts = np.split(values, np.cumsum(sizes)[:-1])
    arrays = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    layers = tuple(FirstLayer(*islice(arrays, len(FirstLayer._fields))) for _ in header["first_layers"])
    heads = tuple(
        Head(item["first_layer"], tuple(Dense(*islice(arrays, 2)) for _ in item["dense"]))
        for item in header["heads"]
    )
    weights = Weights(layers, heads)
    is_finite = bits == 16 and int((values.view(np.uint16) & _INFINITY).max()) < _INFINITY
    return validate_weights(weights, name, is_finite=is_finite), header["about"]


def _label(path: Any) -> str:
    return f"network {validate_path(path, 'network')}"


def _read_header(name: str, content: bytes) -> tuple[dict[str, Any], int]:
    """Return the header of a file and the offset of the weights."""
    if not content.startswith(MAGIC):
        raise BgfastError(f"{name} is not a bgfast network file; expected a file written by Network.save")
    end = content.find(b"\n", len(MAGIC), len(MAGIC) + MAX_HEADER)
    try:
        header = json.loads(content[len(MAGIC) : end]) if end >= 0 else None
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not isinstance(header.get("about"), dict):
        raise BgfastError(f"{name} is damaged: its header cannot be read")
    if type(header.get("format")) is not int or header["format"] not in (PREVIOUS_FORMAT, FORMAT):
        raise BgfastError(
            f"{name} has the format {short_repr(header.get('format'))}; this version of bgfast reads "
            f"{PREVIOUS_FORMAT} and {FORMAT}"
        )
    return header, end + 1


def _read_shapes(name: str, header: dict[str, Any]) -> list[tuple[int, ...]]:
    if type(header.get("bits")) is not int or header["bits"] not in _DTYPES:
        raise BgfastError(f"{name} has weights of {short_repr(header.get('bits'))} bits; expected 16 or 32")
    layers = header.get("first_layers")
    if not isinstance(layers, list) or not 0 < len(layers) <= BUCKETS:
        raise BgfastError(
            f"{name} has the first layers {short_repr(layers)}; expected a list of 1 to {BUCKETS}"
        )
    shapes: list[tuple[int, ...]] = []
    for index, layer in enumerate(layers):
        fields = layer if isinstance(layer, dict) else {}
        size: list[Any] = [fields.get(field) for field in ("hidden", "features", "triples")]
        if (
            {*map(type, size)} != {int}
            or not 0 < size[0] <= MAX_HIDDEN
            or size[0] % LANES
            or size[1] not in (0, FEATURE_ROWS)
            or size[2] not in (0, TRIPLE_CLASSES)
        ):
            raise BgfastError(
                f"{name}: first layer {index} is {short_repr(layer)}; expected hidden units, a multiple of "
                f"{LANES} up to {MAX_HIDDEN}, rows of features, 0 or {FEATURE_ROWS}, and rows of triples, 0 "
                f"or {TRIPLE_CLASSES}"
            )
        shapes += first_layer_shapes(*size).values()
    heads = header.get("heads")
    if not isinstance(heads, list) or len(heads) != BUCKETS:
        raise BgfastError(f"{name} has the heads {short_repr(heads)}; expected a list of {BUCKETS}")
    for index, item in enumerate(heads):
        fields = item if isinstance(item, dict) else {}
        first_layer, units = fields.get("first_layer"), fields.get("dense")
        if (
            type(first_layer) is not int
            or not 0 <= first_layer < len(layers)
            or not isinstance(units, list)
            or type(fields.get("squares")) is not bool
            or not 1 <= len(units) <= 2
            or units[-1] != OUTPUTS
            or not all(type(n) is int and (n == OUTPUTS or 0 < n <= MAX_UNITS) for n in units)
        ):
            raise BgfastError(
                f"{name}: head {index} is {short_repr(item)}; expected a first layer from 0 to "
                f"{len(layers) - 1} and one or two dense layers, the last of {OUTPUTS} units, the other of "
                f"up to {MAX_UNITS}, and whether squares are read"
            )
        inputs = layers[first_layer]["hidden"] * (1 + fields["squares"])
        for n in units:
            shapes += [(n, inputs), (n,)]
            inputs = n
    return shapes
