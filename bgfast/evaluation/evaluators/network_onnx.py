"""Export of networks as ONNX models, and the inputs of these models.

Models are onnx.proto messages (https://github.com/onnx/onnx, operator set 17), encoded as Protocol Buffers
(https://protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

import math
import os
from functools import cache

import numpy as np
import numpy.typing as npt

from bgfast.common.files import naming, validate_path, write_atomically
from bgfast.common.validation import CHECKERS, Boards
from bgfast.evaluation.evaluators._network import position_buckets, position_features
from bgfast.evaluation.evaluators.network_file import (
    BUCKETS,
    FEATURE_ROWS,
    OUTPUTS,
    ROWS_BEFORE_TRIPLES,
    TRIPLE_CLASSES,
    TRIPLES,
    FirstLayer,
    Floats,
    Weights,
)

POINTS = 24
INPUTS_OF_POINT = 6
FEATURES = 10  # features per side
MAX_VALUE = 36  # largest value of a feature
TWO = np.float32(2)  # as a divisor it keeps the precision of float32
KNOTS = (*[(0, 2, 5, 9, 14, 20, 27, 36)] * 7, range(26), range(21), range(13))  # by feature
INPUTS = 2 * (POINTS * INPUTS_OF_POINT + 1 + CHECKERS + FEATURE_ROWS) + BUCKETS

IR_VERSION = 8
OPERATOR_SET = 17
FLOAT, INT64 = 1, 7  # types of tensors
INT = 2  # type of an attribute
AXIS_1 = ("axis", 1)


def network_inputs(boards: Boards) -> Floats:
    """Return the inputs of boards, float32 (n, INPUTS): first-layer inputs, then the bucket."""
    sides = np.stack([boards, -boards[:, ::-1]], axis=1).clip(min=0)  # each side counts from its own home
    checkers = sides[:, :, 1:25]
    point_inputs = [
        checkers == 1,
        *(checkers >= count for count in (2, 3, 4, 5)),
        (checkers - 5).clip(min=0) / TWO,
    ]
    off = (CHECKERS - sides.sum(axis=2))[..., None] >= np.arange(1, CHECKERS + 1)
    features = np.zeros((len(boards), 2, FEATURES), np.uint8)
    buckets = position_buckets(boards)
    features[buckets < BUCKETS] = position_features(boards[buckets < BUCKETS]).reshape(-1, 2, FEATURES)
    feature_inputs = [weights[features[:, :, k]] for k, weights in enumerate(_knot_weights())]
    groups = (
        np.stack(point_inputs, axis=3),
        sides[:, :, 25] / TWO,
        off,
        np.concatenate(feature_inputs, axis=2),
        np.eye(BUCKETS + 1, dtype=np.float32)[buckets, :BUCKETS],
    )
    rows = [group.reshape(len(boards), math.prod(group.shape[1:])) for group in groups]
    return np.concatenate(rows, axis=1, dtype=np.float32)


@cache
def _knot_weights() -> list[Floats]:
    """Return for each feature the interpolation weights of its knots by value, shape (values, knots)."""
    values = np.arange(MAX_VALUE + 1)
    return [
        np.stack([np.interp(values, knots, row) for row in np.eye(len(knots))], axis=1, dtype=np.float32)
        for knots in map(np.array, KNOTS)
    ]


def _class_weights() -> Floats:
    """Return weights (inputs, triples); a board's weighted sums are its triple classes minus 62 (empty)."""
    weights = np.zeros((2, POINTS, INPUTS_OF_POINT, TRIPLES), np.float32)
    for point in range(POINTS):
        place_value = 5 ** (2 - point % 3)
        for checkers in (1, 2):  # 2 stands for two or more
            weights[0, point, checkers - 1, point // 3] = checkers * place_value
            weights[1, POINTS - 1 - point, checkers - 1, point // 3] = -checkers * place_value
    rows = weights.reshape(-1, TRIPLES)
    return np.concatenate([rows, np.zeros((INPUTS - BUCKETS - len(rows), TRIPLES), np.float32)])


def write_onnx(path: str | os.PathLike[str], weights: Weights) -> None:
    """Write a network atomically as an ONNX model."""
    name = validate_path(path, "model")
    with naming(f"model {name}"):
        write_atomically(path, _Graph().model(weights))


class _Graph:
    """ONNX graph under construction."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.tensors: list[bytes] = []

    def model(self, weights: Weights) -> bytes:
        """Return the model, which computes all heads, multiplies each by its bucket's input and adds them."""
        board = self.columns("inputs", 0, INPUTS - BUCKETS)
        activations = []
        for layer in weights.first_layers:
            sums = self.dense(board, layer.rows[: ROWS_BEFORE_TRIPLES - 1], layer.bias)
            if layer.has_triples:
                sums = self.node("Add", sums, self.triples(board, layer))
            activations.append(self.node("Relu", sums))
        selected = []
        for bucket, head in enumerate(weights.heads):
            values = activations[head.first_layer]
            if head.reads_squares(weights.first_layers[head.first_layer].hidden):
                values = self.node("Concat", values, self.node("Mul", values, values), attribute=AXIS_1)
            for dense in head.dense[:-1]:
                values = self.node("Relu", self.dense(values, dense.weights.T, dense.bias))
            values = self.dense(values, head.dense[-1].weights.T, head.dense[-1].bias)
            column = INPUTS - BUCKETS + bucket
            selected.append(self.node("Mul", values, self.columns("inputs", column, column + 1)))
        outputs = self.node("Sigmoid", self.node("Sum", *selected))
        win, gammon, backgammon, lose_gammon, lose_backgammon = (
            self.columns(outputs, k, k + 1) for k in range(OUTPUTS)
        )
        gammon = self.node("Min", gammon, win)
        backgammon = self.node("Min", backgammon, gammon)
        lose = self.node("Sub", self.tensor(np.ones(1, np.float32)), win)
        lose_gammon = self.node("Min", lose_gammon, lose)
        lose_backgammon = self.node("Min", lose_backgammon, lose_gammon)
        clipped = (win, gammon, backgammon, lose_gammon, lose_backgammon)
        self.node("Concat", *clipped, output="probabilities", attribute=AXIS_1)
        graph = [_field(1, node) for node in self.nodes]
        graph += [_field(2, b"bgfast"), *(_field(5, tensor) for tensor in self.tensors)]
        graph.append(_field(11, _value_info("inputs", INPUTS)))
        graph.append(_field(12, _value_info("probabilities", OUTPUTS)))
        operator_set = _field(1, b"") + _field(2, OPERATOR_SET)
        return _message(
            _field(1, IR_VERSION), _field(2, b"bgfast"), _field(7, _message(*graph)), _field(8, operator_set)
        )

    def dense(self, values: str, weights: Floats, bias: Floats) -> str:
        """Add a dense layer with weights of shape (inputs, units); return the name of its output."""
        return self.node("Gemm", values, self.tensor(weights), self.tensor(bias))

    def triples(self, board: str, layer: FirstLayer) -> str:
        """Add nodes that sum the active rows of all triples; return the name of their output."""
        first_rows = np.arange(TRIPLES, dtype=np.float32) * TRIPLE_CLASSES
        indices = self.node("Round", self.dense(board, _class_weights(), first_rows + np.float32(62)))
        indices = self.node("Cast", indices, attribute=("to", INT64))
        rows = self.tensor(layer.triples.reshape(-1, layer.hidden))
        selected = self.node("Gather", rows, indices)
        return self.node("ReduceSum", selected, self.tensor(np.array([1])), attribute=("keepdims", 0))

    def columns(self, values: str, begin: int, end: int) -> str:
        """Add a slice of columns; return the name of its output."""
        bounds = (self.tensor(np.array([bound])) for bound in (begin, end, 1))
        return self.node("Slice", values, *bounds)

    def node(
        self, operator: str, *inputs: str, output: str | None = None, attribute: tuple[str, int] | None = None
    ) -> str:
        """Add a node and return the name of its output; `attribute` is a name and a whole number."""
        name = f"{operator.lower()}_{len(self.nodes)}" if output is None else output
        fields = [_field(1, value.encode()) for value in inputs]
        fields += [_field(2, name.encode()), _field(4, operator.encode())]
        if attribute is not None:
            key, value = attribute
            fields.append(_field(5, _message(_field(1, key.encode()), _field(3, value), _field(20, INT))))
        self.nodes.append(_message(*fields))
        return name

    def tensor(self, array: npt.NDArray[np.float32] | npt.NDArray[np.int64]) -> str:
        """Add a constant; return its name."""
        name = f"numbers_{len(self.tensors)}"
        data_type, dtype = (FLOAT, "<f4") if array.dtype == np.float32 else (INT64, "<i8")
        fields = [_field(1, size) for size in array.shape]
        fields += [_field(2, data_type), _field(8, name.encode())]
        fields.append(_field(9, np.ascontiguousarray(array, dtype).tobytes()))
        self.tensors.append(_message(*fields))
        return name


def _value_info(name: str, columns: int) -> bytes:
    """Return a ValueInfoProto: a float tensor with any number of rows."""
    shape = _message(_field(1, _field(2, b"n")), _field(1, _field(1, columns)))
    return _message(
        _field(1, name.encode()), _field(2, _field(1, _message(_field(1, FLOAT), _field(2, shape))))
    )


def _message(*fields: bytes) -> bytes:
    return b"".join(fields)


def _field(field_number: int, content: bytes | int) -> bytes:
    """Return an encoded field: a whole number, or bytes preceded by their length."""
    if isinstance(content, int):
        return _varint(field_number << 3) + _varint(content)
    return _varint(field_number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Return a whole number in Protocol Buffers' base 128 encoding."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])
