"""States of the cube as columns of a table: transitions between them, and values of finished games."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

NONE = -1


class CubeColumns(NamedTuple):
    """States of the cube for `_hypergammon.sweep_cube`, which describes the arrays."""

    names: tuple[str, ...]
    total: float  # sum of the values of both players
    transitions: npt.NDArray[np.int32]  # (n, 2)
    numbers: npt.NDArray[np.float64]  # (n, 5)

    def begin_turn(self, no_double: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the values at the beginning of a turn from those without a double, shape (n, states)."""
        values = no_double.copy()
        for state, ((_, doubled), (unit, cash, *_)) in enumerate(
            zip(self.transitions.tolist(), self.numbers.tolist(), strict=True)
        ):
            if doubled != NONE:
                double = np.minimum(unit * no_double[:, doubled], cash)
                np.maximum(values[:, state], double, out=values[:, state])
        return values


def _money() -> CubeColumns:
    """Return the states of an unlimited cube in money play, in points per unit of the cube.

    A doubled cube only doubles the values, so that the states at all its levels are the same.
    """
    transitions = {
        "unavailable": ("owned", None),
        "owned": ("unavailable", "unavailable"),
        "centred": ("centred", "unavailable"),
        # Until the cube is turned, gammons and backgammons count as single games.
        "centred, Jacoby": ("centred, Jacoby", "unavailable"),
    }
    names = tuple(transitions)
    states = [
        (names.index(after), NONE if doubled is None else names.index(doubled))
        for after, doubled in transitions.values()
    ]
    numbers = [(2, 1, -1, -1, -1) if name.endswith("Jacoby") else (2, 1, -1, -2, -3) for name in names]
    return CubeColumns(names, 0, np.array(states, np.int32), np.array(numbers, np.float64))


MONEY = _money()


def money_state(owner: int, jacoby: bool) -> int:
    """Return the column of `MONEY` for an owner: 1 the player on roll, 0 nobody, -1 the opponent."""
    centred = "centred, Jacoby" if jacoby else "centred"
    return MONEY.names.index({1: "owned", 0: centred, -1: "unavailable"}[owner])
