"""What the functions on arrays of positions share: checks of boards and output."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .core.batch import first_fault
from .core.board import fault_text
from .errors import BgfastError, InvalidPositionError, shown
from .inputs import board_rows

__all__ = ["check_out", "checked_boards"]


def checked_boards(boards: npt.ArrayLike, checkers: int) -> npt.NDArray[np.int8]:
    """Return boards as a C-contiguous int8 array (n, 26): the array itself if it is one already.

    Raises
    ------
    InvalidPositionError
        If one is impossible with so many checkers a side; the message names the first bad row.
    """
    rows = board_rows(boards)
    bad = first_fault(rows, checkers)
    if bad is not None:
        row, fault = bad
        raise InvalidPositionError(f"row {row}: {fault_text(fault, rows[row], checkers)}")
    return rows


def check_out(
    out: Any, dtype: npt.DTypeLike, rows: int | None, columns: int, **read: npt.NDArray[Any] | None
) -> None:
    """Refuse memory that cannot take so many rows (None: any number); nothing is written before this.

    Parameters
    ----------
    **read : ndarray or None
        The arrays that are read while `out` is written, by their names: it may not overlap them.

    Raises
    ------
    BgfastError
        If `out` is of another dtype, shape or layout, is read-only, or overlaps one of `read`.
    """
    if (
        not isinstance(out, np.ndarray)
        or out.dtype != dtype
        or out.ndim != 2
        or out.shape[1] != columns
        or rows not in (None, len(out))
    ):
        wanted = f"dtype {np.dtype(dtype)}, shape ({'N' if rows is None else rows}, {columns})"
        raise BgfastError(f"out is {_described(out)}; expected an array of {wanted}")
    if not out.flags.c_contiguous or not out.flags.aligned or not out.flags.writeable:
        raise BgfastError("out is not C-contiguous, aligned and writeable; expected memory to write rows to")
    for name, given in read.items():
        if given is not None and np.may_share_memory(out, given):
            raise BgfastError(f"out overlaps {name}; expected memory of its own")


def _described(out: Any) -> str:
    return f"of dtype {out.dtype!s:.60}, shape {out.shape}" if isinstance(out, np.ndarray) else shown(out)
