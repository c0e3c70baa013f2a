"""Order of hidden units for speed: units that are active together become pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["paired_units"]


def paired_units(is_active: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return an order of units in which many pairs are inactive in the same positions.

    A hidden dense layer skips pairs of inactive units (``bgfast/core/network/dense.h``), so that fewer active
    pairs save time. A unit's partner is the one that shares most positions with it; the most active units
    choose first.

    Parameters
    ----------
    is_active : ndarray of bool, shape (n, units)
        Whether each unit is active in typical positions; an even number of units.

    Returns
    -------
    ndarray of int64, shape (units,)
        Indices of units; neighbours 0 and 1, 2 and 3, and so on are pairs.
    """
    counts = is_active.astype(np.float32)
    together = counts.T @ counts  # exact: whole numbers below 2**24
    active = np.diag(together).copy()
    np.fill_diagonal(together, -1)
    order: list[int] = []
    while len(order) < len(active):
        first = int(np.argmax(active))
        second = int(np.argmax(together[first]))
        order += [first, second]
        active[order[-2:]] = -1
        together[:, order[-2:]] = -1
    return np.array(order, np.int64)
