"""Positions for tests of the n-ply search, and an evaluator without core support."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast import Position
from bgfast.evaluators import Evaluator

ROUNDING_TOLERANCE = 4e-3
"""Tolerance of a mean equity over the 21 rolls (points): rounded weights may change the choice of plays."""
START = Position.start()
CLOSED_OUT = [0] * 19 + [-2] * 6 + [1]
ON_THE_BAR = [-1, 2, 0, 2, 2, 2, 2, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, -3, 0, -5, -2, -2, 0, -2, 0, 1]
LAST_CHECKERS = [0, 2] + [0] * 22 + [-1, 0]
ONE_EACH = [0, 1] + [0] * 22 + [-1, 0]
GAMMON_TO_COME = [0, 2] + [0] * 10 + [-15] + [0] * 13
BACKGAMMON_TO_COME = [-2, 2] + [0] * 10 + [-13] + [0] * 13
WON = [0] * 24 + [-15, 0]
SPECIAL_BOARDS = [
    CLOSED_OUT,
    ON_THE_BAR,
    LAST_CHECKERS,
    ONE_EACH,
    GAMMON_TO_COME,
    BACKGAMMON_TO_COME,
    [-x for x in reversed(CLOSED_OUT)][:19] + [0] * 5 + [-3, 0],
    START.to_array().tolist(),
]


class Proxy:
    """Proxy that hides the core support of an evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def __call__(self, boards: np.ndarray) -> npt.ArrayLike:
        return self.evaluator(boards)
