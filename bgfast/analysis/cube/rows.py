"""Rows of five probabilities as users give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import PROBABILITIES, PROBABILITY_NAMES, SLACK, are_probabilities
from bgfast.common.validation import number_array
from bgfast.errors import BgfastError, shown

__all__ = ["ANY_EXCESS", "ROUNDED", "Rows", "check_rows", "given_rows"]

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]
ROUNDED = 1e-3 + SLACK
"""By how much gammons may be more than games, and backgammons than gammons: numbers have three digits."""
ANY_EXCESS = 2.0
"""More than those of any evaluator are, whose numbers are probabilities each for itself."""
_WHOLES = ("1", "win", "win_gammon", "1 - win", "lose_gammon")  # what each is a part of


def given_rows(probabilities: Any) -> tuple[Rows, bool]:
    """Return probabilities as a C-contiguous array (n, 5) of float32 or float64, and whether it was one row.

    Raises
    ------
    BgfastError
        If these are no numbers, or have another shape.
    """
    found = number_array(probabilities, "probabilities", BgfastError, "real numbers")
    single = found.ndim == 1
    if found.shape[-1:] != (PROBABILITIES,) or found.ndim > 2:
        raise BgfastError(f"probabilities of shape {shown(found.shape)}; expected (n, 5) or (5,)")
    kept = found.dtype if found.dtype in (np.float32, np.float64) else np.float64
    return np.require(found[None] if single else found, kept, ["C", "A"]), single


def check_rows(rows: Rows, excess: float = ROUNDED, first: int = 0) -> None:
    """Refuse what are no probabilities, and more gammons than games or backgammons than gammons.

    Parameters
    ----------
    rows : array (n, 5)
    excess : float
        By how much they may be more.
    first : int
        The row to begin with.

    Raises
    ------
    BgfastError
        About the first such number.
    """
    given = rows[first:].astype(np.float64)
    win, win_gammon, _, lose_gammon, _ = given.T
    wholes = np.column_stack((np.ones(len(given)), win, win_gammon, 1 - win, lose_gammon))
    good = (given >= -SLACK) & (given - wholes <= (SLACK, *[excess] * 4))
    if good.all():
        return
    row = int(np.argmin(good.all(axis=1)))
    place = int(np.argmin(good[row]))
    number, most = rows[first + row, place], f"at most {_WHOLES[place]}, {wholes[row, place]:g}"
    expected = most if are_probabilities(given[row, place]) else "0 to 1"
    raise BgfastError(f"row {first + row}: {PROBABILITY_NAMES[place]} is {number}; expected {expected}")
