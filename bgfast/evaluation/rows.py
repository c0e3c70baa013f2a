"""Validation of users' rows of five probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import PROBABILITIES, PROBABILITY_NAMES, SLACK, are_probabilities
from bgfast.common.validation import number_array
from bgfast.errors import BgfastError, shown

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]
ROUNDING_EXCESS = 1e-3 + SLACK
"""Excess of gammons over games, or backgammons over gammons, that rounding to three digits can cause."""
ANY_EXCESS = 2.0
"""A limit that no excess reaches: an evaluator's numbers need only be probabilities."""
_BOUND_NAMES = ("1", "win", "win_gammon", "1 - win", "lose_gammon")  # upper bounds of the five probabilities


def as_rows(probabilities: Any) -> tuple[Rows, bool]:
    """Return probabilities as a C-contiguous float array (n, 5), and whether they were a single row."""
    array = number_array(probabilities, "probabilities", BgfastError, "real numbers")
    is_single = array.ndim == 1
    if array.shape[-1:] != (PROBABILITIES,) or array.ndim > 2:
        raise BgfastError(f"probabilities of shape {shown(array.shape)}; expected (n, 5) or (5,)")
    dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    return np.require(array[None] if is_single else array, dtype, ["C", "A"]), is_single


def check_rows(rows: Rows, excess: float = ROUNDING_EXCESS, first: int = 0) -> None:
    """Raise `BgfastError` for the first number that is not a probability, from row `first` on.

    `excess` is the tolerated excess of gammons over games, and of backgammons over gammons.
    """
    numbers = rows[first:].astype(np.float64)
    win, win_gammon, _, lose_gammon, _ = numbers.T
    bounds = np.column_stack((np.ones(len(numbers)), win, win_gammon, 1 - win, lose_gammon))
    is_valid = (numbers >= -SLACK) & (numbers - bounds <= (SLACK, *[excess] * 4))
    if is_valid.all():
        return
    row = int(np.argmin(is_valid.all(axis=1)))
    column = int(np.argmin(is_valid[row]))
    number = rows[first + row, column]
    bound = f"at most {_BOUND_NAMES[column]}, {bounds[row, column]:g}"
    expected = bound if are_probabilities(numbers[row, column]) else "0 to 1"
    raise BgfastError(f"row {first + row}: {PROBABILITY_NAMES[column]} is {number}; expected {expected}")
