"""PureTD, the published network of alexstrehl/backgammon-ai-engine, as an evaluator in NumPy alone.

The weights are ``best_models/cubeless_prob5_512_512_256_128.pt`` of that GitHub repository, under its MIT
licence. They are not part of bgfast; ``PURETD_WEIGHTS`` names the file:

    PURETD_WEIGHTS=cubeless_prob5_512_512_256_128.pt bgfast contest builtin benchmarks.peers.puretd:Evaluator

The file is a zip archive, whose members ``data/0`` to ``data/9`` are the float32 weights and biases of five
dense layers. They are read without PyTorch and without unpickling anything.
"""

from __future__ import annotations

import os
import zipfile
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bgfast import BgfastError
from bgfast.common.vocabulary import Boards

__all__ = ["Evaluator"]

VARIABLE = "PURETD_WEIGHTS"
UNITS = (196, 512, 512, 256, 128, 5)
BOARDS_AT_ONCE = 4096

Floats = npt.NDArray[np.float32]


class Evaluator:
    """Static evaluations of PureTD, cubeless. Thread-safe.

    Parameters
    ----------
    path : str, optional
        The file of the weights; by default ``PURETD_WEIGHTS`` names it.

    Raises
    ------
    BgfastError
        If no file is named, or it is not a file of these weights.
    """

    def __init__(self, path: str | None = None) -> None:
        file = path or os.environ.get(VARIABLE)
        if not file:
            raise BgfastError(f"{VARIABLE} is not set; expected the file of PureTD's weights")
        try:
            self._layers = _read_layers(file)
        except (OSError, KeyError, IndexError, ValueError, zipfile.BadZipFile) as error:
            raise BgfastError(f"{file} is no file of PureTD's weights: {error!r}") from None

    def __call__(self, boards: Boards) -> npt.NDArray[np.float64]:
        """Return the five probabilities of the player on roll: float64 (n, 5)."""
        probabilities = np.empty((len(boards), UNITS[-1]))
        for first in range(0, len(boards), BOARDS_AT_ONCE):
            batch = slice(first, first + BOARDS_AT_ONCE)
            probabilities[batch] = self._evaluate(boards[batch])
        return probabilities

    def _evaluate(self, boards: Boards) -> npt.NDArray[np.float64]:
        units = encode(boards)
        *hidden, (weights, bias) = self._layers
        for own, own_bias in hidden:
            units = units @ own
            units += own_bias
            np.maximum(units, 0, out=units)
        probabilities = 1 / (1 + np.exp(-(units @ weights + bias).astype(np.float64)))
        win, gammon, backgammon, lose_gammon, lose_backgammon = probabilities.T
        # The outputs are independent; a gammon implies a win, a backgammon a gammon.
        np.minimum(gammon, win, out=gammon)
        np.minimum(backgammon, gammon, out=backgammon)
        np.minimum(lose_gammon, 1 - win, out=lose_gammon)
        np.minimum(lose_backgammon, lose_gammon, out=lose_backgammon)
        return probabilities


def encode(boards: Boards) -> Floats:
    """Return the inputs of boards: float32 (n, 196), 98 of the player on roll, then 98 of the opponent.

    They are four for each point, n >= 1, n >= 2, n >= 3 and (n - 3) / 2 where that is positive, then the
    checkers on the bar / 2 and those borne off / 15.
    """
    inputs = np.empty((len(boards), 2, 98), np.float32)
    for side, bar in enumerate((25, 0)):
        counts = np.maximum(boards if side == 0 else -boards, 0).astype(np.float32)
        points = inputs[:, side, :96].reshape(len(boards), 24, 4)  # a view
        for least in (1, 2, 3):
            points[:, :, least - 1] = counts[:, 1:25] >= least
        points[:, :, 3] = np.maximum(counts[:, 1:25] - 3, 0) / 2
        inputs[:, side, 96] = counts[:, bar] / 2
        inputs[:, side, 97] = (15 - counts.sum(axis=1)) / 15
    return inputs.reshape(len(boards), -1)


def _read_layers(file: str) -> list[tuple[Floats, Floats]]:
    """Return weights, (inputs, outputs), and bias of each layer."""
    layers = []
    with zipfile.ZipFile(file) as archive:
        root = archive.namelist()[0].split("/")[0]
        for layer, (inputs, outputs) in enumerate(pairwise(UNITS)):
            weights, bias = (
                np.frombuffer(archive.read(f"{root}/data/{2 * layer + part}"), "<f4") for part in (0, 1)
            )
            layers.append((np.ascontiguousarray(weights.reshape(outputs, inputs).T), bias.reshape(outputs)))
    return layers
