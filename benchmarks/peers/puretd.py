"""PureTD, the published network of alexstrehl/backgammon-ai-engine, as a NumPy evaluator.

The weights are ``best_models/cubeless_prob5_512_512_256_128.pt`` of that GitHub repository, under its MIT
licence. bgfast does not include them; ``PURETD_WEIGHTS`` names the file:

    PURETD_WEIGHTS=cubeless_prob5_512_512_256_128.pt bgfast contest builtin benchmarks.peers.puretd:Evaluator

The file is a zip archive, whose members ``data/0`` to ``data/9`` are the float32 weights and biases of five
dense layers. Reading them needs neither PyTorch nor pickle.
"""

from __future__ import annotations

import os
import zipfile
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bgfast import BgfastError, Network, results
from bgfast.common.probabilities import flip_probabilities
from bgfast.common.validation import ROLL_WEIGHTS, ROLLS, Boards
from bgfast.evaluators import WithBearoff

__all__ = ["Evaluator", "OnePlyMean"]

WEIGHTS_VARIABLE = "PURETD_WEIGHTS"
LAYER_SIZES = (196, 512, 512, 256, 128, 5)
BATCH_SIZE = 4096
ONE_PLY_BATCH_SIZE = 500

Floats = npt.NDArray[np.float32]


class Evaluator:
    """Static evaluations of PureTD, cubeless. Thread-safe.

    Parameters
    ----------
    path : str, optional
        File of the weights; default: the file that ``PURETD_WEIGHTS`` names.

    Raises
    ------
    BgfastError
        If no file is named, or the file does not have these weights.
    """

    def __init__(self, path: str | None = None) -> None:
        file = path or os.environ.get(WEIGHTS_VARIABLE)
        if not file:
            raise BgfastError(f"{WEIGHTS_VARIABLE} is not set; expected the file of PureTD's weights")
        try:
            self._layers = _read_layers(file)
        except (OSError, KeyError, IndexError, ValueError, zipfile.BadZipFile) as error:
            raise BgfastError(f"{file} is not a file of PureTD's weights: {error!r}") from None

    def __call__(self, boards: Boards) -> npt.NDArray[np.float64]:
        """Return the probabilities of the player on roll: float64 (n, 5)."""
        probabilities = np.empty((len(boards), LAYER_SIZES[-1]))
        for first in range(0, len(boards), BATCH_SIZE):
            batch = slice(first, first + BATCH_SIZE)
            probabilities[batch] = self._evaluate(boards[batch])
        return probabilities

    def _evaluate(self, boards: Boards) -> npt.NDArray[np.float64]:
        units = encode(boards)
        *hidden, (weights, bias) = self._layers
        for hidden_weights, hidden_bias in hidden:
            units = units @ hidden_weights
            units += hidden_bias
            np.maximum(units, 0, out=units)
        return _make_consistent(1 / (1 + np.exp(-(units @ weights + bias).astype(np.float64))))


class OnePlyMean:
    """1-ply mean of `bgfast.Network.builtin` and PureTD: a teacher for ``bgfast train``.

    After each roll the network chooses the play. The result is the network's mean over 36 rolls, plus half
    of PureTD's mean difference from the network over six rolls, in which each number occurs once on each die.
    The board alone determines the six rolls. In positions that the bear-off databases cover, before or after
    the play, the probabilities are exact.
    """

    def __init__(self) -> None:
        self._network = Network.builtin()
        self._player = WithBearoff(self._network)
        self._covers = self._player.bearoff.covers
        self._puretd = Evaluator()

    def __call__(self, boards: Boards) -> npt.NDArray[np.float64]:
        """Return the five probabilities of the player on roll: float64 (n, 5)."""
        probabilities = np.asarray(self._player(boards), np.float64)
        uncovered_rows = np.flatnonzero(~self._covers(boards))
        for first in range(0, len(uncovered_rows), ONE_PLY_BATCH_SIZE):
            batch = uncovered_rows[first : first + ONE_PLY_BATCH_SIZE]
            probabilities[batch] = self._one_ply(boards[batch])
        return probabilities

    def _one_ply(self, boards: Boards) -> npt.NDArray[np.float64]:
        roll_count = len(ROLLS)
        dice = np.tile(np.array(ROLLS, np.int8), (len(boards), 1))
        best_boards = self._network.best_successors(np.repeat(boards, roll_count, axis=0), dice).boards
        probabilities = np.asarray(self._player(best_boards), np.float64)
        weights = np.tile(np.array(ROLL_WEIGHTS, np.float64) / 36, (len(boards), 1))
        # The ordered roll (i, j) belongs to the sample (i + j) mod 6, which has six rolls.
        samples = (boards.astype(np.int64) @ np.arange(boards.shape[1])) % 6
        first, second = np.array(ROLLS).T
        is_sampled = (first + second) % 6 == samples[:, None]
        sample_weights = np.where(is_sampled, np.where(first == second, 1, 2) / 6, 0.0)
        rows = np.flatnonzero(is_sampled.ravel())
        rows = rows[(results(best_boards[rows]) == 0) & ~self._covers(best_boards[rows])]
        differences = (self._puretd(best_boards[rows]) - probabilities[rows]) / 2
        flipped = flip_probabilities(probabilities) * weights.reshape(-1, 1)
        means = flipped.reshape(len(boards), roll_count, -1).sum(axis=1)
        flipped_zero = flip_probabilities(np.zeros((1, LAYER_SIZES[-1])))
        corrections = (flip_probabilities(differences) - flipped_zero) * sample_weights.ravel()[rows, None]
        np.add.at(means, rows // roll_count, corrections)
        np.clip(means, 0, 1, out=means)
        return _make_consistent(means)


def _make_consistent(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Limit gammons to wins, and backgammons to gammons, in place for both players; return the result."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = probabilities.T
    np.minimum(gammon, win, out=gammon)
    np.minimum(backgammon, gammon, out=backgammon)
    np.minimum(lose_gammon, 1 - win, out=lose_gammon)
    np.minimum(lose_backgammon, lose_gammon, out=lose_backgammon)
    return probabilities


def encode(boards: Boards) -> Floats:
    """Return the inputs of boards: float32 (n, 196), 98 for the player on roll, then 98 for the opponent.

    Each point with n checkers has four inputs: n >= 1, n >= 2, n >= 3 and max(n - 3, 0) / 2. The inputs for
    the bar (checkers / 2) and for checkers borne off (checkers / 15) follow.
    """
    inputs = np.empty((len(boards), 2, 98), np.float32)
    for side, bar in enumerate((25, 0)):
        counts = np.maximum(boards if side == 0 else -boards, 0).astype(np.float32)
        points = inputs[:, side, :96].reshape(len(boards), 24, 4)  # a view of `inputs`
        for threshold in (1, 2, 3):
            points[:, :, threshold - 1] = counts[:, 1:25] >= threshold
        points[:, :, 3] = np.maximum(counts[:, 1:25] - 3, 0) / 2
        inputs[:, side, 96] = counts[:, bar] / 2
        inputs[:, side, 97] = (15 - counts.sum(axis=1)) / 15
    return inputs.reshape(len(boards), -1)


def _read_layers(file: str) -> list[tuple[Floats, Floats]]:
    """Return each layer's weights, shape (inputs, outputs), and its biases."""
    layers = []
    with zipfile.ZipFile(file) as archive:
        root = archive.namelist()[0].split("/")[0]
        for layer, (inputs, outputs) in enumerate(pairwise(LAYER_SIZES)):
            weights, bias = (
                np.frombuffer(archive.read(f"{root}/data/{2 * layer + part}"), "<f4") for part in (0, 1)
            )
            layers.append((np.ascontiguousarray(weights.reshape(outputs, inputs).T), bias.reshape(outputs)))
    return layers
