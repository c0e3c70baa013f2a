"""First layer and its heads during training, and their conversion from and to network weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bgfast.common.validation import Boards
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.network_file import (
    BUCKETS,
    OUTPUTS,
    ROWS_BEFORE_TRIPLES,
    TRIPLE_CLASSES,
    TRIPLES,
    Dense,
    FirstLayer,
    Floats,
    Head,
    Weights,
)
from bgfast.learning._learning_layer import Learner, weights_size

BATCH = 256  # positions in a step
TILE = 32  # hidden units in a tile of the first layer
PADDED_OUTPUTS = 8  # length of padded output biases
INITIAL_DEVIATION = 0.1  # standard deviation of initial weights in the first layer and the outputs
# First-layer weights are rounded to multiples of these numbers, which makes compressed files a fifth smaller.
PRECISION, TRIPLE_PRECISION = 2.0**-10, 2.0**-8


class LearningLayer:
    """First layer and its heads in training, for the buckets that read the layer.

    `Learner` describes the arguments. `arrays` has the weights and Adam's moments: ``weights``, ``mean`` and
    ``square``.
    """

    def __init__(
        self,
        buckets: Sequence[int],
        hidden: int,
        dense: int,
        features: bool,
        triples: bool,
        squares: bool,
        random: np.random.PCG64,
    ) -> None:
        self.buckets, self.hidden, self.dense = tuple(buckets), hidden, dense
        self.features, self.triples, self.squares = features, triples, squares
        self.input_rows = ROWS_BEFORE_TRIPLES + TRIPLES * TRIPLE_CLASSES * triples
        size = weights_size(hidden, len(self.buckets), dense, triples, squares)
        self.arrays = {name: np.zeros(size, np.float32) for name in ("weights", "mean", "square")}
        self._draw_weights(random)
        self._learner = self._new_learner(self.arrays["weights"], 0)

    def _new_learner(self, weights: Floats, steps: int) -> Learner:
        heads = [self.buckets.index(bucket) if bucket in self.buckets else -1 for bucket in range(BUCKETS)]
        shape = (self.hidden, self.dense, heads, self.features, self.triples, self.squares)
        return Learner(*shape, weights, self.arrays["mean"], self.arrays["square"], steps, BATCH)

    def _draw_weights(self, random: np.random.PCG64) -> None:
        def fill(array: Floats, deviation: float) -> None:
            uniform = (random.random_raw(array.size) >> np.uint64(40)).astype(np.float32) / np.float32(2**23)
            array[...] = ((uniform - 1) * np.float32(deviation * 3**0.5)).reshape(array.shape)

        rows, tails = self._views(self.arrays["weights"])
        tiles = rows.swapaxes(0, 1)
        fill(tiles[:, : ROWS_BEFORE_TRIPLES - 1], INITIAL_DEVIATION)  # biases and triples start at 0
        deviation = (2 / self.hidden) ** 0.5 if self.dense else INITIAL_DEVIATION
        head_rows = self._head_rows(rows)[:, 0]  # weights of squares start at 0
        weights = np.empty((len(tiles), *head_rows.shape[:2], TILE), np.float32)
        fill(weights, deviation)
        head_rows[...] = weights.transpose(1, 2, 0, 3)
        if self.dense:
            fill(tails[:, self.dense : self.dense * (1 + OUTPUTS)], INITIAL_DEVIATION)

    def _views(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return views: tiles as (rows, tiles, 32), the other weights of the heads as (heads, n)."""
        rows = self.input_rows + len(self.buckets) * (self.dense or OUTPUTS) * (1 + self.squares)
        return (
            weights[: self.hidden * rows].reshape(-1, rows, TILE).swapaxes(0, 1),
            weights[self.hidden * rows :].reshape(len(self.buckets), -1),
        )

    def _head_rows(self, rows: Floats) -> Floats:
        """Return the rows of the heads as (heads, n, units, ...), where n is 2 with squares and 1 without."""
        return rows[self.input_rows :].reshape(
            len(self.buckets), 1 + self.squares, self.dense or OUTPUTS, *rows.shape[1:]
        )

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return self._learner.steps

    def resume(self, arrays: Mapping[str, Floats], steps: int) -> None:
        """Load weights and moments of a saved run."""
        for name, array in self.arrays.items():
            array[:] = arrays[name]
        self._learner = self._new_learner(self.arrays["weights"], steps)

    def fits(self, weights: Weights) -> bool:
        """Return whether a network has this shape in these buckets; triples and squares may be missing."""
        heads = [weights.heads[bucket] for bucket in self.buckets]
        index = heads[0].first_layer
        first_layer = weights.first_layers[index]
        units = [self.dense, OUTPUTS] if self.dense else [OUTPUTS]
        return (
            (first_layer.hidden, first_layer.has_features) == (self.hidden, self.features)
            and first_layer.has_triples <= self.triples
            and all(
                head.first_layer == index
                and [len(layer.bias) for layer in head.dense] == units
                and head.reads_squares(self.hidden) <= self.squares
                for head in heads
            )
        )

    def begin_with(self, weights: Weights) -> None:
        """Load the weights of a network for which `fits` is True."""
        rows, tails = self._views(self.arrays["weights"])
        first_layer = weights.first_layers[weights.heads[self.buckets[0]].first_layer]
        rows[: self.input_rows] = first_layer.rows[: self.input_rows].reshape(self.input_rows, -1, TILE)
        for bucket, head, tail in zip(self.buckets, self._head_rows(rows), tails, strict=True):
            next_layer, *outputs = weights.heads[bucket].dense
            units = len(next_layer.weights)
            parts = next_layer.weights.reshape(units, -1, *head.shape[2:]).swapaxes(0, 1)
            head[: len(parts)] = parts
            head[len(parts) :] = 0  # squares that the network does not read
            if outputs:
                tail[: self.dense] = next_layer.bias
                tail[self.dense : -PADDED_OUTPUTS] = outputs[0].weights.ravel()
            tail[-PADDED_OUTPUTS:][:OUTPUTS] = (*outputs, next_layer)[0].bias

    def learn(
        self, boards: Boards, targets: Floats, rows: npt.NDArray[np.int64], rate: float, threads: int
    ) -> float:
        """Take a step; return the sum of the squared equity errors before it."""
        return self._learner.learn(boards, targets, rows, rate, threads)

    def as_network(
        self, weights: Floats, index: int, boards: Boards, threads: int
    ) -> tuple[FirstLayer, list[Head]]:
        """Return the layer with these weights as first layer `index` of a network, and its heads.

        Units that are active together on the boards become pairs.
        """
        rows = np.flatnonzero(np.isin(position_buckets(boards), self.buckets))
        activations = self._new_learner(weights, 0).first_layer_activations(boards, rows, threads)
        order = pair_units(activations > 0)
        all_rows, tails = self._views(weights)
        input_rows = all_rows[: self.input_rows].reshape(self.input_rows, self.hidden)[:, order]
        precision = np.full((self.input_rows, 1), PRECISION, np.float32)
        precision[ROWS_BEFORE_TRIPLES:] = TRIPLE_PRECISION
        first_layer = FirstLayer.of_rows(
            _round_to_16_bits(np.round(input_rows / precision) * precision), self.features
        )
        heads = []
        for head, tail in zip(self._head_rows(all_rows), tails, strict=True):
            # The rows of squares follow the rows of activations.
            head_weights = np.concatenate([*head.reshape(*head.shape[:2], self.hidden)[..., order]], axis=1)
            output_bias = tail[-PADDED_OUTPUTS:][:OUTPUTS]
            layers = [(head_weights, output_bias)]
            if self.dense:
                outputs = tail[self.dense : -PADDED_OUTPUTS].reshape(OUTPUTS, self.dense)
                layers = [(head_weights, tail[: self.dense]), (outputs, output_bias)]
            heads.append(Head(index, tuple(Dense(*map(_round_to_16_bits, layer)) for layer in layers)))
        return first_layer, heads


def pair_units(is_active: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return an order of units in which many pairs are inactive in the same positions.

    A hidden dense layer skips pairs of inactive units (``bgfast/core/network/dense.h``). In order of
    activity, each unit is paired with the unit that is active with it most often. `is_active` has the
    shape (positions, units), with an even number of units.
    """
    counts = is_active.astype(np.float32)
    # float32 is exact below 2**24. Not np.empty: OpenBLAS for ARM keeps a NaN in uninitialized memory.
    joint_counts = np.zeros((counts.shape[1],) * 2, np.float32)
    np.matmul(counts.T, counts, out=joint_counts)
    activity = np.diag(joint_counts).copy()
    np.fill_diagonal(joint_counts, -1)
    order: list[int] = []
    while len(order) < len(activity):
        first = int(np.argmax(activity))
        second = int(np.argmax(joint_counts[first]))
        order += [first, second]
        activity[order[-2:]] = -1
        joint_counts[:, order[-2:]] = -1
    return np.array(order, np.int64)


def _round_to_16_bits(array: Floats) -> Floats:
    """Round weights to the precision of network files, so that a saved network plays identically."""
    with np.errstate(over="ignore"):  # `Network` refuses infinite weights
        return np.ascontiguousarray(array).astype(np.float16).astype(np.float32)
