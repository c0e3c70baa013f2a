"""Rows of five probabilities as users give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import PROBABILITIES, PROBABILITY_NAMES, are_probabilities
from bgfast.common.validation import number_array
from bgfast.errors import BgfastError, shown

__all__ = ["Rows", "given_rows", "refuse_row"]

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]


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


def refuse_row(rows: Rows, first: int) -> BgfastError:
    """Return the error about the first number from this row on that is no probability."""
    good = are_probabilities(rows[first:].astype(np.float64))
    row, place = (int(number) for number in np.argwhere(~good)[0])
    return BgfastError(
        f"row {first + row}: {PROBABILITY_NAMES[place]} is {rows[first + row, place]}; expected 0 to 1"
    )
