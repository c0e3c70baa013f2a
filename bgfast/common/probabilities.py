"""Arrays of outcome probabilities and equities.

Probabilities are rows of five numbers for the player on roll: to win, to win a gammon or more, to win a
backgammon, to lose a gammon or more, and to lose a backgammon. An evaluation is a row of six: the
probabilities and the equity. `bgfast/core/probabilities.pxd` defines the same for the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

PROBABILITY_NAMES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
PROBABILITIES = len(PROBABILITY_NAMES)
EQUITY = PROBABILITIES
"""Column of the equity in an evaluation."""
EVALUATION = PROBABILITIES + 1  # number of columns of an evaluation
SLACK = 1e-6
"""Tolerance: a probability in float32 may be outside 0 to 1 by this much."""
NORMAL_95 = 1.959963984540054
"""Half-width of a 95 % confidence interval in standard errors."""


def equities_of(probabilities: Numbers) -> Numbers:
    """Return the equities (n,), in points at cube 1, of probabilities (n, 5)."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities.T
    equities: Numbers = 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon
    return equities


def flip_probabilities(probabilities: Numbers) -> Numbers:
    """Return the probabilities of the other player, (n, 5)."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities.T
    return np.column_stack((1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon))


def are_probabilities(values: Numbers, slack: Any = SLACK) -> npt.NDArray[np.bool_]:
    """Return a mask of the numbers from 0 to 1, with a tolerance of `slack`."""
    mask: npt.NDArray[np.bool_] = (values >= -slack) & (values <= 1 + slack)
    return mask


def evaluations_of_probabilities(probabilities: Numbers) -> Numbers:
    """Return evaluations (n, 6): the probabilities and their equities."""
    return np.ascontiguousarray(np.column_stack((probabilities, equities_of(probabilities))))


def evaluations_of_equities(equities: Numbers) -> Numbers:
    """Return evaluations (n, 6) with these equities and NaN for the probabilities."""
    evaluations = np.full((len(equities), EVALUATION), np.nan)
    evaluations[:, EQUITY] = equities
    return evaluations


def evaluations_of_points(points: npt.NDArray[Any]) -> Numbers:
    """Return the evaluations (n, 6) of ended games from the points won (n,), -3 to 3."""
    outcomes = (points > 0, points > 1, points > 2, points < -1, points < -2)
    return np.column_stack((*outcomes, points)).astype(np.float64)


_FLIPPED_COLUMNS = np.array([0, 3, 4, 1, 2, EQUITY])  # order of the columns for the other player


def flip_evaluations(evaluations: Numbers) -> Numbers:
    """Return the evaluations of the other player, (n, 6)."""
    flipped = evaluations.take(_FLIPPED_COLUMNS, axis=1)
    flipped[:, 0] = 1 - flipped[:, 0]
    np.negative(flipped[:, EQUITY], out=flipped[:, EQUITY])
    return flipped


def probabilities_by_name(probabilities: Sequence[float] | None, suffix: str = "") -> dict[str, float | None]:
    """Return five probabilities by name; all are None if `probabilities` is None."""
    values = probabilities if probabilities is not None else (None,) * PROBABILITIES
    return {f"{name}{suffix}": value for name, value in zip(PROBABILITY_NAMES, values, strict=True)}


def percent(chance: float, digits: int = 2) -> str:
    """Format a probability in per cent; a value that rounds to 0 has no sign."""
    return f"{round(chance, digits + 2) + 0.0:.{digits}%}"
