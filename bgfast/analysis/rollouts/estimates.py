"""Estimates of candidates from their trials: means, standard errors, cube values and verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts.candidates import Candidate
from bgfast.analysis.rollouts.result import CubeVerdict, Estimate
from bgfast.common.probabilities import (
    EQUITY,
    PROBABILITIES,
    Numbers,
    evaluations_of_points,
    flipped_evaluations,
)
from bgfast.evaluation._cubeful import CubeStakes

GROUP_TRIALS = 36
"""Consecutive quasi-random trials that begin with all 36 rolls: standard errors are based on group means."""
Pair = tuple[float, float] | tuple[None, None]
MIN_GROUPS = 12  # fewer group means do not estimate their variance


def estimates(
    candidates: Sequence[Candidate],
    points: npt.NDArray[np.int8],
    plies: npt.NDArray[np.int32],
    adjusted: Numbers | None,
    quasi_random: bool,
    values: CubeValues | None = None,
) -> tuple[Estimate, ...]:
    """Return the estimates of candidates from their trials, best first.

    `points` and `plies`, shape (c, n), are those of the player on roll at the start; so is `adjusted`, shape
    (c, n, 6), the evaluations that replace the points.
    """
    evaluations = _player_evaluations(candidates, points, adjusted)
    equities = _player_equities(candidates, evaluations, values)
    order = sorted(range(len(candidates)), key=lambda row: -equities[row].mean())
    best = equities[order[0]]
    results = []
    for row in order:
        means, errors = evaluations[row].mean(axis=0), standard_errors(evaluations[row], quasi_random)
        name, position, sign = candidates[row][:3]
        won, counts = np.unique(sign * points[row], return_counts=True)
        games = dict(zip(won.tolist(), counts.tolist(), strict=True))
        probabilities, probabilities_se = (
            None if np.isnan(means[:PROBABILITIES]).any() else tuple(numbers[:PROBABILITIES].tolist())
            for numbers in (means, errors)
        )
        length = float(plies[row].mean()), int(plies[row].max())
        equity, difference = (_mean(trials, quasi_random) for trials in (equities[row], equities[row] - best))
        mwc: Pair = (None, None)
        cubeless: Pair = (None, None)
        if values is not None:
            cubeless = float(means[EQUITY]), float(errors[EQUITY])
            if values.stakes.is_match:
                mwc = _mean(values.player_values(row, sign), quasi_random)
        head = name, position.gnubg_id, *equity, probabilities, probabilities_se
        results.append(Estimate(*head, games, *length, *difference, *mwc, *cubeless))
    return tuple(results)


def half_equities(
    candidates: Sequence[Candidate],
    points: npt.NDArray[np.int8],
    adjusted: Numbers | None,
    quasi_random: bool,
    values: CubeValues | None,
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the mean equities of candidates in two halves of their trials; parameters as for `estimates`.

    Quasi-random trials alternate between the halves in whole groups of 36, if there are two.
    """
    equities = _player_equities(candidates, _player_evaluations(candidates, points, adjusted), values)
    trial = np.arange(points.shape[1])
    is_grouped = quasi_random and len(trial) >= 2 * GROUP_TRIALS
    is_second = (trial // GROUP_TRIALS if is_grouped else trial) % 2 == 1
    first, second = (
        {item.name: float(row[half].mean()) for item, row in zip(candidates, equities, strict=True)}
        for half in (~is_second, is_second)
    )
    return first, second


def _player_evaluations(
    candidates: Sequence[Candidate], points: npt.NDArray[np.int8], adjusted: Numbers | None
) -> list[Numbers]:
    """Return the evaluations of every trial of the candidates, for their players."""
    outcomes = [evaluations_of_points(outcome) for outcome in points] if adjusted is None else adjusted
    return [
        outcome if candidate.sign > 0 else flipped_evaluations(outcome)
        for outcome, candidate in zip(outcomes, candidates, strict=True)
    ]


def _player_equities(
    candidates: Sequence[Candidate], evaluations: Sequence[Numbers], values: CubeValues | None
) -> list[Numbers]:
    """Return the equities of every trial of the candidates, for their players."""
    if values is not None:
        return [values.equities(row, candidate.sign) for row, candidate in enumerate(candidates)]
    return [outcome[:, EQUITY] for outcome in evaluations]


class CubeValues(NamedTuple):
    """Values of trials with the cube, float64 of shape (c, n), for the player on roll at the start.

    Their scale is that of the stakes, which are those of the player whose decision it is.
    """

    stakes: CubeStakes
    numbers: Numbers

    def player_values(self, row: int, sign: int) -> Numbers:
        """Return the numbers of a candidate for its player, who is on roll if `sign` is 1."""
        values: Numbers = self.numbers[row] if sign > 0 else float(self.stakes.is_match) - self.numbers[row]
        return values

    def equities(self, row: int, sign: int) -> Numbers:
        """Return the normalised equities (EMG) of a candidate for its player."""
        zero, unit = self.stakes.normalized(0), self.stakes.normalized(1)
        equities: Numbers = zero + (unit - zero) * self.player_values(row, sign)
        return equities


def cube_verdict(no_double: Estimate, double_take: Estimate, *, redouble: bool, beavers: bool) -> CubeVerdict:
    """Return the cube decision from the estimates of its two branches."""
    difference_se = double_take.difference_se or no_double.difference_se
    # A beaver doubles the stakes of the same game; the doubler drops it rather than lose more than 2.
    double_beaver = max(2 * double_take.equity, -2.0) if beavers else None
    answers = [(double_take.equity, difference_se), (1.0, no_double.equity_se)]
    if double_beaver is not None:
        # Var(n - 2t) from those of n, t and n - t.
        variance = 2 * difference_se**2 - no_double.equity_se**2 + 2 * double_take.equity_se**2
        is_dropped = double_beaver == -2
        answers.append((double_beaver, no_double.equity_se if is_dropped else math.sqrt(max(0.0, variance))))
    best, error = min(answers)
    values = no_double.equity, no_double.equity_se, double_take.equity, double_take.equity_se
    return CubeVerdict(*values, 1.0, double_beaver, redouble, no_double.equity - best, error)


def _mean(trials: Numbers, quasi_random: bool) -> tuple[float, float]:
    """Return the mean of the trials and its standard error."""
    return float(trials.mean()), float(standard_errors(trials[:, None], quasi_random)[0])


def standard_errors(trials: Numbers, quasi_random: bool) -> Numbers:
    """Return the standard error of the mean of each column.

    With quasi-random dice the means of groups of 36 trials vary less than those of independent trials, so the
    error is estimated from these means. Groups count as independent, although their mean varies even less.
    Trials after the last whole group, and all trials of fewer than twelve groups, count as independent.
    """
    count = len(trials)
    variance = trials.var(axis=0, ddof=1)
    groups = count // GROUP_TRIALS
    if not quasi_random or groups < MIN_GROUPS:
        return np.asarray(np.sqrt(variance / count))
    group_means = trials[: groups * GROUP_TRIALS].reshape(groups, GROUP_TRIALS, -1).mean(axis=1)
    rest = count - groups * GROUP_TRIALS
    variance_of_sum = GROUP_TRIALS**2 * groups * group_means.var(axis=0, ddof=1) + rest * variance
    return np.asarray(np.sqrt(variance_of_sum) / count)
