"""States of the cube in a bear-off: transitions between them, and values of finished games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast.evaluation.bearoff._bearoff as _bearoff
from bgfast.common.validation import value_numbers
from bgfast.errors import BgfastError

OWNED, CENTRED, UNAVAILABLE = OWNERS = (1, 0, -1)
"""Owner of the cube: the player on roll, nobody, the opponent."""
DOUBLING_OWNERS = (OWNED, CENTRED)
"""Owners with which the player on roll may double, in the order of the no-double tables."""
MAX_LEVELS = _bearoff.MAX_CUBE_STATES // 4
NONE = -1


class CubeStates(NamedTuple):
    """States of the cube for `_bearoff.fill_two_sided`; states after a double come before the others."""

    total: float  # sum of the values of both players
    # (n, 3): the state after a play, with the opponent on roll; the state after double and take, with the
    # same player on roll; the index of its no-double table. -1 stands for none.
    transitions: npt.NDArray[np.int32]
    # (n, 3): the value of one point of the state after a double; of a game won; of a game lost.
    values: npt.NDArray[np.float64]

    @property
    def no_double_count(self) -> int:
        """Number of no-double tables."""
        return int(self.transitions[:, 2].max()) + 1


def _states(total: float, transitions: list[Any], values: list[Any]) -> CubeStates:
    return CubeStates(total, np.array(transitions, np.int32), np.array(values, np.float64))


CUBELESS = _states(1, [(0, NONE, NONE)], [(1, 1, 0)])
"""Winning probabilities without a cube."""
MONEY = _states(0, [(1, NONE, NONE), (0, 0, 0), (2, 0, 1)], [(2, 1, -1)] * 3)
"""Points per unit of the cube: unavailable, owned, centred. A doubled cube only doubles the values."""


def states_at(stakes: npt.NDArray[np.float64]) -> tuple[CubeStates, int, int]:
    """Return the states of a cube with the stakes of `checked_stakes`, and two of these states.

    Values for the opponent of the player who is now on roll are negated. The two states are those, with this
    player on roll, in which the cube is unavailable: at its present level, and doubled once (the same if
    there is only one level).
    """
    last = len(stakes) - 1
    # Nobody can double at the last level, so its owner is irrelevant. Only the first level can be centred.
    owners = [OWNERS, *[(OWNED, UNAVAILABLE)] * (last - 1), (CENTRED,)] if last else [(CENTRED,)]
    keys = [
        (level, owner, player)
        for level in range(last, -1, -1)
        for owner in reversed(owners[level])
        for player in (1, -1)
    ]
    indices = {key: index for index, key in enumerate(keys)}

    def unavailable(level: int, player: int) -> int:
        return indices[level, UNAVAILABLE if level < last else CENTRED, player]

    transitions, values = [], []
    for level, owner, player in keys:
        can_double = level < last and owner != UNAVAILABLE
        has_table = can_double and level == 0 and player == 1
        transitions.append(
            (
                indices[level, -owner, -player],
                unavailable(level + 1, player) if can_double else NONE,
                DOUBLING_OWNERS.index(owner) if has_table else NONE,
            )
        )
        won, lost = (stakes[level] * player)[::player]
        values.append((1, won, lost))
    return _states(0, transitions, values), unavailable(0, 1), unavailable(min(1, last), 1)


def checked_stakes(stakes: Any) -> npt.NDArray[np.float64]:
    """Return stakes as a new float64 array (levels, 2): values of a game won and lost."""
    array = value_numbers("stakes", stakes).astype(np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or not 1 <= len(array) <= MAX_LEVELS:
        raise BgfastError(
            f"stakes has the shape {array.shape}; expected (n, 2), n from 1 to {MAX_LEVELS}: the values of a "
            "game won and lost with the cube as it is, doubled once, ..."
        )
    for level, (won, lost) in enumerate(array.tolist()):
        if not -np.inf < lost <= won < np.inf:
            raise BgfastError(
                f"stakes, row {level}: {won} for a game won and {lost} for a game lost; expected finite "
                "numbers, the first not less than the second"
            )
    return array
