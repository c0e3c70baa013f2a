"""Weights of a network as data: first layers, and a head for each bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.validation import number_array, whole_number
from bgfast.errors import BgfastError, shown

Floats = npt.NDArray[np.float32]

BUCKETS = 5  # four kinds of contact, races
OUTPUTS = 5
FEATURE_ROWS = 116
TRIPLES = 8  # of adjacent points
TRIPLE_CLASSES = 125
LANES = 32  # units of first and dense layers are multiples of it
MAX_HIDDEN = 1024
MAX_UNITS = 128  # of a dense layer
ROWS_BEFORE_TRIPLES = 553  # of a first layer
MAX_WEIGHT = 1e9
"""Largest absolute weight. Sums stay within 32-bit floats: outputs are below
1024 * 1e9 * 59 * 1e9 * 128 * 1e9."""


class Dense(NamedTuple):
    """A dense layer."""

    weights: Floats  # (units, inputs)
    bias: Floats  # (units,)


class FirstLayer(NamedTuple):
    """Layer that reads the board; `bgfast.evaluation.evaluators.network_file` lists its inputs."""

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
        """True if the layer has rows for three adjacent points."""
        return bool(self.triples.shape[1])

    @property
    def rows(self) -> Floats:
        """All rows of weights in the core's order; zeros for absent features and triples."""
        arrays = []
        for (name, shape), array in zip(
            first_layer_shapes(self.hidden, FEATURE_ROWS, TRIPLE_CLASSES).items(), self, strict=True
        ):
            absent = name in ("features", "triples") and not array.shape[1]
            arrays.append((np.zeros(shape, np.float32) if absent else array).reshape(-1, self.hidden))
        return np.concatenate(arrays, dtype=np.float32)

    @classmethod
    def of_rows(cls, rows: Floats, has_features: bool) -> FirstLayer:
        """Return a layer from rows in the order of `rows`, with triples or without."""
        hidden = rows.shape[1]
        full = first_layer_shapes(
            hidden, FEATURE_ROWS, 0 if len(rows) == ROWS_BEFORE_TRIPLES else TRIPLE_CLASSES
        )
        ends = np.cumsum([int(np.prod(shape)) // hidden for shape in full.values()])
        arrays = {
            name: array.reshape(shape).copy()
            for (name, shape), array in zip(full.items(), np.split(rows, ends[:-1]), strict=True)
        }
        if not has_features:
            arrays["features"] = arrays["features"][:, :0].copy()
        return cls(**arrays)


class Head(NamedTuple):
    """Layers from the activations of a first layer to the outputs."""

    first_layer: int  # index
    dense: tuple[Dense, ...]  # at most one hidden layer (ReLU), then the outputs

    def reads_squares(self, hidden: int) -> bool:
        """Return whether the first dense layer reads `hidden` activations and then their squares."""
        return bool(self.dense[0].weights.shape[1] == 2 * hidden)


class Weights(NamedTuple):
    """Weights of a network."""

    first_layers: tuple[FirstLayer, ...]
    heads: tuple[Head, ...]  # a head for each bucket: four for contact, one for races

    def arrays(self) -> Iterator[Floats]:
        """Yield all arrays in file order."""
        for layer in self.first_layers:
            yield from layer
        for head in self.heads:
            for dense in head.dense:
                yield from dense


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


def checked_weights(weights: Any, name: str = "a network") -> Weights:
    """Return a read-only copy of valid weights; errors begin with `name` and name layer, array and index."""
    if not isinstance(weights, Weights):
        raise BgfastError(f"{name} of {shown(weights)}; expected Weights")
    layers = _items(weights.first_layers, FirstLayer, f"{name}, first layers")
    heads = _items(weights.heads, Head, f"{name}, heads")
    if not 0 < len(layers) <= BUCKETS:
        raise BgfastError(f"{name} has {len(layers)} first layers; expected 1 to {BUCKETS}")
    if len(heads) != BUCKETS:
        raise BgfastError(f"{name} has {len(heads)} heads; expected {BUCKETS}")
    layers = tuple(_checked_layer(layer, f"{name}, first layer {i}") for i, layer in enumerate(layers))
    heads = tuple(_checked_head(head, layers, f"{name}, head {i}") for i, head in enumerate(heads))
    unread = set(range(len(layers))) - {head.first_layer for head in heads}
    if unread:
        raise BgfastError(f"{name}: no head reads first layer {min(unread)}")
    return Weights(layers, heads)


def _items(value: Any, kind: type, name: str) -> tuple[Any, ...]:
    items = tuple(value) if isinstance(value, Sequence) and not isinstance(value, kind) else None
    if items is None or not all(isinstance(item, kind) for item in items):
        raise BgfastError(f"{name} are {shown(value)}; expected a tuple of {kind.__name__}")
    return items


def _checked_layer(layer: FirstLayer, name: str) -> FirstLayer:
    arrays = {word: _numbers(values, f"{name}: {word}") for word, values in layer._asdict().items()}
    hidden = arrays["bias"].shape[-1] if arrays["bias"].ndim else 0
    if not 0 < hidden <= MAX_HIDDEN or hidden % LANES:
        raise BgfastError(
            f"{name} has {hidden} hidden units; expected a multiple of {LANES} up to {MAX_HIDDEN}"
        )
    rows = {"features": FEATURE_ROWS, "triples": TRIPLE_CLASSES}
    sizes = [0 if arrays[word].shape[1:2] == (0,) else number for word, number in rows.items()]
    for word, shape in first_layer_shapes(hidden, *sizes).items():
        arrays[word] = _checked_array(arrays[word], shape, f"{name}: {word}")
    return FirstLayer(**arrays)


def _checked_head(head: Head, layers: tuple[FirstLayer, ...], name: str) -> Head:
    number = whole_number(head.first_layer)
    if number is None or not 0 <= number < len(layers):
        raise BgfastError(
            f"{name} reads first layer {shown(head.first_layer)}; expected 0 to {len(layers) - 1}"
        )
    dense_layers = _items(head.dense, Dense, f"{name}, dense layers")
    if not 1 <= len(dense_layers) <= 2:
        raise BgfastError(
            f"{name} has {len(dense_layers)} dense layers; expected outputs, or a hidden layer and outputs"
        )
    dense = []
    inputs = layers[number].hidden
    if np.shape(dense_layers[0].weights)[1:] == (2 * inputs,):  # squares of the activations, too
        inputs *= 2
    for index, layer in enumerate(dense_layers):
        where = f"{name}, dense layer {index}"
        bias = _numbers(layer.bias, f"{where}: bias")
        units = bias.shape[-1] if bias.ndim else 0
        if index == len(dense_layers) - 1:
            units = OUTPUTS
        elif not 0 < units <= MAX_UNITS or units % LANES:
            raise BgfastError(f"{where} has {units} units; expected a multiple of {LANES} up to {MAX_UNITS}")
        weights = _numbers(layer.weights, f"{where}: weights")
        dense.append(
            Dense(
                _checked_array(weights, (units, inputs), f"{where}: weights"),
                _checked_array(bias, (units,), f"{where}: bias"),
            )
        )
        inputs = units
    return Head(number, tuple(dense))


def _numbers(values: Any, name: str) -> npt.NDArray[Any]:
    return number_array(values, name, BgfastError, "numbers")


def _checked_array(array: npt.NDArray[Any], shape: tuple[int, ...], name: str) -> Floats:
    if array.shape != shape:
        raise BgfastError(f"{name} of shape {shown(array.shape)}; expected {shape}")
    array = array if array.dtype.itemsize >= 4 else array.astype(np.float32)
    bounded = (array >= -MAX_WEIGHT) & (array <= MAX_WEIGHT)
    if not bounded.all():
        index = np.argwhere(~bounded)[0].tolist()
        raise BgfastError(
            f"{name} is {array[tuple(index)]:g} at {', '.join(map(str, index))}; "
            f"expected finite numbers, at most {MAX_WEIGHT:g} in size"
        )
    copy = np.array(array, np.float32, order="C")
    copy.flags.writeable = False
    return copy
