"""Common types and constants of boards and rolls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

Board = tuple[int, ...]
"""26 numbers from the mover's side: 25 the mover's bar, 24 to 1 the points, 0 the opponent's bar."""

Boards = npt.NDArray[np.int8]
"""Boards, shape (n, 26)."""

Roll = tuple[int, int]
"""Two dice, in either order."""


class SupportsArray(Protocol):
    """Array of numpy or another library that numpy can convert."""

    def __array__(self) -> npt.NDArray[Any]: ...


Rolls = SupportsArray | Sequence[int] | Sequence[Sequence[int]] | Sequence[SupportsArray]
"""One roll or many. Not `numpy.typing.ArrayLike`, which accepts any text, so that wrong words would pass."""

UnfinishedPhase = Literal["contact", "race", "bearoff"]
"""The phases of a position with a player on roll."""

BOARD_SIZE = 26
BAR = 25  # where a move from the mover's bar starts
OFF = 0  # end of a move that bears a checker off; index 0 of a board is the opponent's bar instead
HOME = 6  # the highest point of the mover's home
CHECKERS = 15  # per side by default; also the generator's maximum


def flipped(board: Sequence[int]) -> Board:
    """Return a board from the other side."""
    return tuple(-number for number in reversed(board))
