"""Race positions, dice and Python evaluators for tests of rollouts."""

from __future__ import annotations

from math import erf

import numpy as np

import bgfast
from bgfast import Network, Position
from bgfast.analysis.rollouts._turns import rollout_dice
from bgfast.evaluators import Evaluator, PipCount

RACE = Position.from_array(np.array([0, 3, 3, 2, 2, 1, 1, 1] + [0] * 10 + [-1, -1, -2, -2, -3, -3] + [0] * 2))
NETWORK = Network.builtin_fast()
# The game ends after a few rolls.
ENDING = Position.from_array(np.array([0, 0, 0, 1, 0, 1, 1] + [0] * 12 + [-1, 0, -1, 0, 0, 0, 0]))


def dice_of(seed: int, quasi_random: bool, trials: np.ndarray, ply: int) -> np.ndarray:
    """Return the rolls of a ply, shape (n, 2)."""
    out = np.empty((len(trials), 2), np.int8)
    rollout_dice(seed, quasi_random, trials, np.full(len(trials), ply), out)
    return out


def pip_count(boards: np.ndarray) -> np.ndarray:
    """Evaluate boards with `PipCount`, wrapped in a Python function that the core cannot call."""
    return PipCount()(boards)


def unbounded_pip_count(boards: np.ndarray) -> np.ndarray:
    """Evaluate boards with the formula by which `PipCount` orders plays, without bounds from the rules."""
    own, opponent = bgfast.pip_counts(boards).astype(int).T
    roots = np.sqrt(np.maximum(own + opponent - 4, 1))
    return np.array([erf(ratio) for ratio in (opponent - own + 4) / (2 * roots)])


def five_probabilities(boards: np.ndarray) -> np.ndarray:
    """Return five probabilities derived from the pip count."""
    win = (PipCount()(boards) + 1) / 2
    gammon = win / 5
    return np.column_stack((win, gammon, gammon / 10, (1 - win) / 5, (1 - win) / 50))


class InterruptingEvaluator:
    """Evaluator that raises KeyboardInterrupt on the n-th call."""

    def __init__(self, n: int, evaluator: Evaluator = pip_count) -> None:
        self.calls_left = n
        self.evaluator = evaluator

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        self.calls_left -= 1
        if not self.calls_left:
            raise KeyboardInterrupt
        return np.asarray(self.evaluator(boards))
