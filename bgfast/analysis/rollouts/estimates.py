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
    EVALUATION,
    PROBABILITIES,
    Numbers,
    evaluations_of_points,
    flip_evaluations,
)
from bgfast.evaluation._cubeful import CubeStakes

GROUP_TRIALS = 36
"""Number of consecutive quasi-random trials that begin with all 36 rolls; standard errors use group means."""
MIN_GROUPS = 12  # minimum number of groups for an estimate of the variance of their means


class TrialResults(NamedTuple):
    """Results of n trials of c candidates, for the player whose equity is estimated; shape (c, n)."""

    candidates: Sequence[Candidate]
    points: npt.NDArray[np.int64]  # without the cube
    plies: npt.NDArray[np.int32]
    evaluations: Numbers  # (c, n, 6), without the cube
    equities: Numbers  # in points; normalised (EMG) with a cube
    mwc: Numbers | None  # None without a match or a cube
    has_cube: bool

    @classmethod
    def of(
        cls,
        candidates: Sequence[Candidate],
        open_points: npt.NDArray[np.int8],
        open_plies: npt.NDArray[np.int32],
        open_adjusted: Numbers | None,
        stakes: CubeStakes | None,
    ) -> TrialResults:
        """Return the results of candidates from a `Block`, which omits candidates whose game is over.

        `stakes` are for the player whose decision it is; None without a cube.
        """
        is_open = np.array([not candidate.points for candidate in candidates])
        is_play = np.array([candidate.sign < 0 for candidate in candidates])
        shape = len(candidates), open_points.shape[1]
        points = np.repeat(np.array([[candidate.points] for candidate in candidates]), shape[1], axis=1)
        plies = np.zeros(shape, np.int32)
        points[is_open], plies[is_open] = open_points, open_plies
        evaluations = evaluations_of_points(points.reshape(-1)).reshape(*shape, -1)
        if open_adjusted is not None:
            evaluations[is_open] = open_adjusted[..., :EVALUATION]
        for row in np.flatnonzero(is_play).tolist():
            evaluations[row] = flip_evaluations(evaluations[row])
        equities, mwc = evaluations[..., EQUITY], None
        if stakes is not None and open_adjusted is not None:
            values = np.zeros(shape)
            values[is_open] = open_adjusted[..., EVALUATION]
            for row in np.flatnonzero(~is_open).tolist():
                own_stakes = stakes.flip() if is_play[row] else stakes
                values[row] = own_stakes.of_points(candidates[row].points)
            values[is_play] = float(stakes.is_match) - values[is_play]
            zero, unit = stakes.normalize(0), stakes.normalize(1)
            equities, mwc = zero + (unit - zero) * values, values if stakes.is_match else None
        points[is_play] *= -1
        return cls(candidates, points, plies, evaluations, equities, mwc, stakes is not None)


def estimates(trials: TrialResults, quasi_random: bool) -> tuple[Estimate, ...]:
    """Return the estimates of candidates from their trials, best first."""
    order = sorted(range(len(trials.candidates)), key=lambda row: -trials.equities[row].mean())
    best = trials.equities[order[0]]
    results = []
    for row in order:
        evaluations, equities = trials.evaluations[row], trials.equities[row]
        means, errors = evaluations.mean(axis=0), standard_errors(evaluations, quasi_random)
        points, counts = np.unique(trials.points[row], return_counts=True)
        games = dict(zip(points.tolist(), counts.tolist(), strict=True))
        probabilities, probabilities_se = (
            None if np.isnan(means[:PROBABILITIES]).any() else tuple(values[:PROBABILITIES].tolist())
            for values in (means, errors)
        )
        length = float(trials.plies[row].mean()), int(trials.plies[row].max())
        equity, difference = (_mean_and_error(values, quasi_random) for values in (equities, equities - best))
        mwc = (None, None) if trials.mwc is None else _mean_and_error(trials.mwc[row], quasi_random)
        cubeless = (float(means[EQUITY]), float(errors[EQUITY])) if trials.has_cube else (None, None)
        name, position = trials.candidates[row][:2]
        first_fields = name, position.gnubg_id, *equity, probabilities, probabilities_se
        results.append(Estimate(*first_fields, games, *length, *difference, *mwc, *cubeless))
    return tuple(results)


def half_equities(trials: TrialResults, quasi_random: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Return the mean equities of candidates, by name, in two halves of their trials.

    Quasi-random trials alternate between the halves in whole groups of 36 if there are two groups or more.
    """
    trial = np.arange(trials.points.shape[1])
    is_grouped = quasi_random and len(trial) >= 2 * GROUP_TRIALS
    is_second = (trial // GROUP_TRIALS if is_grouped else trial) % 2 == 1
    names = [candidate.name for candidate in trials.candidates]
    first, second = (
        dict(zip(names, (float(row[half].mean()) for row in trials.equities), strict=True))
        for half in (~is_second, is_second)
    )
    return first, second


def cube_verdict(no_double: Estimate, double_take: Estimate, *, redouble: bool, beavers: bool) -> CubeVerdict:
    """Return the cube decision from the estimates of its two branches."""
    difference_se = double_take.difference_se or no_double.difference_se
    # A beaver doubles the stakes of the same game; the doubler drops a beaver that costs more than 2.
    double_beaver = max(2 * double_take.equity, -2.0) if beavers else None
    answers = [(double_take.equity, difference_se), (1.0, no_double.equity_se)]
    if double_beaver is not None:
        # Var(n - 2t) from the variances of n, t and n - t.
        variance = 2 * difference_se**2 - no_double.equity_se**2 + 2 * double_take.equity_se**2
        is_dropped = double_beaver == -2
        answers.append((double_beaver, no_double.equity_se if is_dropped else math.sqrt(max(0.0, variance))))
    best, error = min(answers)
    values = no_double.equity, no_double.equity_se, double_take.equity, double_take.equity_se
    return CubeVerdict(*values, 1.0, double_beaver, redouble, no_double.equity - best, error)


def _mean_and_error(trials: Numbers, quasi_random: bool) -> tuple[float, float]:
    return float(trials.mean()), float(standard_errors(trials[:, None], quasi_random)[0])


def standard_errors(trials: Numbers, quasi_random: bool) -> Numbers:
    """Return the standard error of the mean of each column.

    With quasi-random dice the means of groups of 36 trials vary less than means of independent trials, so
    the error is estimated from group means. Groups count as independent, which overestimates the error.
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
