"""States of the cube while two sides bear off: which follows which, and what a game is worth in each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.bearoff import _bearoff
from bgfast.common.validation import value_numbers
from bgfast.errors import BgfastError

__all__ = ["CUBELESS", "MONEY", "NOT_DOUBLED", "OWNERS", "CubeStates", "checked_stakes", "states_at"]

OWNED, CENTRED, UNAVAILABLE = OWNERS = (1, 0, -1)
"""Who owns the cube: the player on roll, nobody, the opponent."""
NOT_DOUBLED = (OWNED, CENTRED)
"""Where the player on roll may turn it; in this order there are tables of what it is worth not to."""
MOST_LEVELS = _bearoff.MOST_CUBE_STATES // 4
NEVER = -1


class CubeStates(NamedTuple):
    """What `_bearoff.fill_two_sided` asks: all states of the cube, those after a double before the others.

    Attributes
    ----------
    total : float
        What a game is worth to both players together.
    turns : ndarray of int32, shape (n, 3)
        Of each state the one after a play, with the opponent on roll; the one after double and take, with
        the same player on roll; the table of what it is worth not to double. -1 for none.
    worth : ndarray of float64, shape (n, 3)
        What a point of the state after a double is worth in this one; a game won; a game lost.
    """

    total: float
    turns: npt.NDArray[np.int32]
    worth: npt.NDArray[np.float64]

    @property
    def not_doubled(self) -> int:
        """How many tables there are of what it is worth not to double."""
        return int(self.turns[:, 2].max()) + 1


def _states(total: float, turns: list[Any], worth: list[Any]) -> CubeStates:
    return CubeStates(total, np.array(turns, np.int32), np.array(worth, np.float64))


CUBELESS = _states(1, [(0, NEVER, NEVER)], [(1, 1, 0)])
"""Chances to win."""
MONEY = _states(0, [(1, NEVER, NEVER), (0, 0, 0), (2, 0, 1)], [(2, 1, -1)] * 3)
"""Points a unit of cube: unavailable, owned, centred. With a doubled cube the game is the same twice over."""


def states_at(stakes: npt.NDArray[np.float64]) -> tuple[CubeStates, int, int]:
    """Return the states of a cube that may be doubled until a last value.

    Parameters
    ----------
    stakes : ndarray of float64, shape (levels, 2)
        What a game won and lost is worth to the player on roll, with the cube as it is, doubled once, ...

    Returns
    -------
    CubeStates
        The opponent of the player who is now on roll has the negative numbers.
    int, int
        The states, with this player on roll, in which the cube is unavailable, as it is and doubled once;
        both the same if there is one level.
    """
    last = len(stakes) - 1
    # Nobody can turn the last cube, so that its owner is no matter. Of the others only the first is centred.
    owners = [OWNERS, *[(OWNED, UNAVAILABLE)] * (last - 1), (CENTRED,)] if last else [(CENTRED,)]
    names = [
        (level, owner, player)
        for level in range(last, -1, -1)
        for owner in reversed(owners[level])
        for player in (1, -1)
    ]
    place = {name: at for at, name in enumerate(names)}

    def unavailable(level: int, player: int) -> int:
        return place[level, UNAVAILABLE if level < last else CENTRED, player]

    turns, worth = [], []
    for level, owner, player in names:
        doubles = level < last and owner != UNAVAILABLE
        asked = doubles and level == 0 and player == 1
        turns.append(
            (
                place[level, -owner, -player],
                unavailable(level + 1, player) if doubles else NEVER,
                NOT_DOUBLED.index(owner) if asked else NEVER,
            )
        )
        won, lost = (stakes[level] * player)[::player]
        worth.append((1, won, lost))
    return _states(0, turns, worth), unavailable(0, 1), unavailable(min(1, last), 1)


def checked_stakes(stakes: Any) -> npt.NDArray[np.float64]:
    """Return stakes as an array of their own.

    Raises
    ------
    BgfastError
        If they are none.
    """
    found = value_numbers("stakes", stakes).astype(np.float64)
    if found.ndim != 2 or found.shape[1] != 2 or not 1 <= len(found) <= MOST_LEVELS:
        raise BgfastError(
            f"stakes has the shape {found.shape}; expected (n, 2), n from 1 to {MOST_LEVELS}: what a game "
            "won and lost is worth with the cube as it is, doubled once, ..."
        )
    for level, (won, lost) in enumerate(found.tolist()):
        if not -np.inf < lost <= won < np.inf:
            raise BgfastError(
                f"stakes, row {level}: {won} for a game won and {lost} for one lost; expected numbers, the "
                "first not less than the second"
            )
    return found
