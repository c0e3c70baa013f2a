"""A first layer with its heads, as it learns: its weights in the core's order, and as a network has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bgfast.analysis.evaluators._network import activation_units, position_parts
from bgfast.analysis.evaluators.network_weights import OUTPUTS, PARTS, Dense, FirstLayer, Floats, Head
from bgfast.analysis.training._learner import Learner, weights_size
from bgfast.analysis.training.dense_rounding import rounded_dense
from bgfast.common.vocabulary import Boards

__all__ = ["BATCH", "LearningLayer"]

BATCH = 256  # positions of a step
TILE = 32  # hidden units
LANES = 8  # of the outputs' bias
INPUT_ROWS = 553  # the bias is the last
FIRST_DEVIATION = 0.1  # of the weights of a first layer at the beginning, and of those of the outputs
LEAST_CEILING = 0.01  # of the mean of all


class LearningLayer:
    """A first layer with its heads, as it learns.

    Parameters
    ----------
    parts : sequence of int
        Which parts of a network read it.
    hidden, dense : int
        Units of the first layer, and of the hidden dense layer of each head; 0 for none.
    features : bool
    random : numpy.random.PCG64
        What the weights are at the beginning. Its raw numbers are promised to stay.

    Attributes
    ----------
    arrays : dict
        ``weights``, ``mean``, ``square``: the weights, and what Adam knows of each.
    steps : int
        That it has taken.
    """

    def __init__(
        self, parts: Sequence[int], hidden: int, dense: int, features: bool, random: np.random.PCG64
    ) -> None:
        self.parts = tuple(parts)
        self.hidden, self.dense, self.features = hidden, dense, features
        size = weights_size(hidden, len(self.parts), dense)
        self.arrays = {name: np.zeros(size, np.float32) for name in ("weights", "mean", "square")}
        self._begin(random)
        self._make_learner(0)

    def _make_learner(self, steps: int) -> None:
        heads = [self.parts.index(part) if part in self.parts else -1 for part in range(PARTS)]
        weights, mean, square = self.arrays.values()
        self._learner = Learner(
            self.hidden, self.dense, heads, self.features, weights, mean, square, steps, BATCH
        )

    def _begin(self, random: np.random.PCG64) -> None:
        """Fill the weights with random numbers; biases stay 0."""

        def fill(array: Floats, deviation: float) -> None:
            numbers = (random.random_raw(array.size) >> np.uint64(40)).astype(np.float32) / np.float32(2**23)
            array[...] = ((numbers - 1) * np.float32(deviation * 3**0.5)).reshape(array.shape)

        tiles, tails = self._views()
        fill(tiles[:, : INPUT_ROWS - 1], FIRST_DEVIATION)
        fill(tiles[:, INPUT_ROWS:], (2 / self.hidden) ** 0.5 if self.dense else FIRST_DEVIATION)
        if self.dense:
            fill(tails[:, self.dense : self.dense * (1 + OUTPUTS)], FIRST_DEVIATION)

    def _views(self) -> tuple[Floats, Floats]:
        """Return the weights as (tiles, rows, 32), and the tails of the heads, (heads, n)."""
        units = self.dense or OUTPUTS
        rows = INPUT_ROWS + len(self.parts) * units
        weights = self.arrays["weights"]
        return (
            weights[: self.hidden * rows].reshape(-1, rows, TILE),
            weights[self.hidden * rows :].reshape(len(self.parts), -1),
        )

    @property
    def steps(self) -> int:
        """How many it has taken."""
        return self._learner.steps

    def go_on(self, arrays: Mapping[str, Floats], steps: int) -> None:
        """Take weights and what Adam knew of them from elsewhere."""
        for name, array in self.arrays.items():
            array[:] = arrays[name]
        self._make_learner(steps)

    def learn(
        self, boards: Boards, targets: Floats, rows: npt.NDArray[np.int64], rate: float, threads: int
    ) -> float:
        """Take a step; return the sum of the squares of how far off equities were before it."""
        return self._learner.learn(boards, targets, rows, rate, threads)

    def as_network(self, number: int, boards: Boards, threads: int) -> tuple[FirstLayer, list[Head]]:
        """Return the first layer, of this number, and the heads of its parts, quantized for such boards.

        Ceilings are the greatest activations there; dense layers are rounded as what is common there asks.
        """
        parts = position_parts(boards)
        rows = np.flatnonzero(np.isin(parts, self.parts))
        activations = self._learner.first_activations(boards, rows, threads)
        peaks = activations.max(axis=0, initial=0)
        least = LEAST_CEILING * float(peaks.mean()) or 1.0
        tiles, tails = self._views()
        weights = tiles[:, :INPUT_ROWS].transpose(1, 0, 2).reshape(INPUT_ROWS, self.hidden)
        first_layer = FirstLayer.of_rows(
            _of_16_bits(weights), _of_16_bits(np.maximum(peaks, np.float32(least))), self.features
        )
        units = activation_units(first_layer.rows, first_layer.ceiling, self.features) if self.dense else None
        heads = [
            Head(number, self._dense(place, tail, units, activations[parts[rows] == self.parts[place]]))
            for place, tail in enumerate(tails)
        ]
        return first_layer, heads

    def _dense(
        self, place: int, tail: Floats, units: Floats | None, activations: Floats
    ) -> tuple[Dense, ...]:
        """Return the dense layers of a head, a hidden one for activations in these units."""
        tiles, _ = self._views()
        count = self.dense or OUTPUTS
        first = INPUT_ROWS + place * count
        behind = tiles[:, first : first + count].transpose(1, 0, 2).reshape(count, self.hidden)
        output_bias = tail[-LANES:][:OUTPUTS]
        if units is None:
            return (Dense(_of_16_bits(behind), _of_16_bits(output_bias)),)
        hidden = rounded_dense(Dense(behind, tail[: self.dense]), units, activations)
        outputs = Dense(tail[self.dense : -LANES].reshape(OUTPUTS, self.dense), output_bias)
        return tuple(Dense(*map(_of_16_bits, layer)) for layer in (hidden, outputs))


def _of_16_bits(array: Floats) -> Floats:
    """Return what 16 bits can hold: files are half as large, and a network plays as its file will."""
    with np.errstate(over="ignore"):  # what is infinite is refused by whoever makes a network of it
        return np.ascontiguousarray(array).astype(np.float16).astype(np.float32)
