"""Short games to roll out, and players that the core does not know."""

from __future__ import annotations

import numpy as np

from bgfast import Position
from bgfast.evaluators import Evaluator, PipCount

__all__ = ["ENDING", "RACE", "Interrupted", "five", "pip_count"]

RACE = Position.from_array(np.array([0, 3, 3, 2, 2, 1, 1, 1] + [0] * 10 + [-1, -1, -2, -2, -3, -3] + [0] * 2))
# One checker each, both about to bear off but for small rolls: short games with a known end.
ENDING = Position.from_array(np.array([0, 0, 0, 1, 0, 1, 1] + [0] * 12 + [-1, 0, -1, 0, 0, 0, 0]))


def pip_count(boards: np.ndarray) -> np.ndarray:
    """The built-in evaluator as somebody else's: asked once a ply, not played in the core."""
    return PipCount()(boards)


def five(boards: np.ndarray) -> np.ndarray:
    """Probabilities instead of equities."""
    win = (PipCount()(boards) + 1) / 2
    gammon = win / 5
    return np.column_stack((win, gammon, gammon / 10, (1 - win) / 5, (1 - win) / 50))


class Interrupted:
    """A player at whom somebody presses Ctrl-C when it is asked for the n-th time."""

    def __init__(self, n: int, evaluator: Evaluator = pip_count) -> None:
        self.left = n
        self.evaluator = evaluator

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return np.asarray(self.evaluator(boards))
