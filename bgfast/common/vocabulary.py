"""Types and constants of boards and rolls."""

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


def roll_weight(roll: Roll) -> int:
    """Return the number of ordered rolls that are equal to a roll: 1 for doubles, else 2."""
    return 1 if roll[0] == roll[1] else 2


ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, (1, 1) (2, 1) (2, 2) (3, 1) … (6, 6)."""

ROLL_WEIGHTS = tuple(roll_weight(roll) for roll in ROLLS)
"""Number of ordered rolls for every roll of `ROLLS`: 1 for doubles, else 2."""

ORDERED_ROLLS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
"""The 36 ordered rolls, (1, 1) (1, 2) … (6, 6)."""
