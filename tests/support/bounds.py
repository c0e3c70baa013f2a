"""Functions that list the results bgfast considers possible, and limit probabilities in plain Python."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bgfast import STANDARD, RuleSet
from bgfast.common.probabilities import evaluations_of_points
from bgfast.evaluation.evaluators._evaluators import bound_values
from bgfast.evaluation.evaluators.evaluators import game_rules

RESULTS = (1, 2, 3, -1, -2, -3)
"""Points for the player on roll; the index of a result is its bit in a mask."""


def possible_results(boards: np.ndarray, rules: RuleSet, checkers: int) -> np.ndarray:
    """Return a mask per board of the results that `bound_values` accepts as certain."""
    bits = np.zeros(len(boards), np.uint8)
    for bit, certain_evaluation in enumerate(evaluations_of_points(np.array(RESULTS))[:, :5]):
        values = np.tile(certain_evaluation, (len(boards), 1))
        bound_values(values, np.ascontiguousarray(boards, np.int8), *game_rules(rules, checkers))
        bits |= (values == certain_evaluation).all(axis=1).astype(np.uint8) << bit
    return bits


def possible_point_sets(boards: np.ndarray, rules: RuleSet = STANDARD, checkers: int = 15) -> list[set[int]]:
    """Return the set of points that bgfast considers possible for each board."""
    masks = possible_results(boards, rules, checkers)
    return [{points for bit, points in enumerate(RESULTS) if mask >> bit & 1} for mask in masks.tolist()]


def bound_probabilities(probabilities: Iterable[float], possible_points: set[int]) -> list[float]:
    """Return the five probabilities, limited to the possible results."""
    win, *rest = probabilities
    wins, losses = ({abs(p) for p in possible_points if p * sign > 0} for sign in (1, -1))
    win = 0.0 if not wins else 1.0 if not losses else win
    return [win, *_bound_gammons(win, *rest[:2], wins), *_bound_gammons(1 - win, *rest[2:], losses)]


def _bound_gammons(total: float, gammon: float, backgammon: float, points: set[int]) -> tuple[float, float]:
    if points == {1, 3}:
        backgammon = min(total, gammon, backgammon)
        return backgammon, backgammon
    if not points & {2, 3}:
        return 0.0, 0.0
    gammon = min(total, gammon) if 1 in points else total
    if 3 not in points:
        return gammon, 0.0
    return gammon, min(gammon, backgammon) if points & {1, 2} else gammon
