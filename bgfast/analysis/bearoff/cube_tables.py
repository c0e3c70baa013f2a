"""Two-sided tables with a cube: money play's, from the database, and those of any stakes, made on demand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.bearoff.cube_states import MONEY, states_at
from bgfast.analysis.bearoff.databases import (
    ListedPlays,
    listed_plays,
    number_of_sides,
    two_sided_tables,
)
from bgfast.common.vocabulary import CHECKERS

__all__ = ["CubeEquities", "CubeTables", "TablesOfStakes", "money_tables", "tables_at"]

Array = npt.NDArray[np.float64]


class CubeEquities(NamedTuple):
    """What positions are worth to the player on roll, shape (n,) each.

    With the cube unavailable; not to double now, owning it, and with a centred one; double and take. What a
    pass is worth, `cash`, is -inf where nobody can double.
    """

    unavailable: Array
    owned: Array
    centred: Array
    double_take: Array
    cash: float


class CubeTables(NamedTuple):
    """Tables of the same sides, index the side that waits and the side on roll.

    The first three are those of `CubeEquities`; `doubled` is the unavailable cube after double and take,
    whose points count `unit` each.
    """

    unavailable: Array
    owned: Array
    centred: Array
    doubled: Array
    unit: float
    cash: float

    def equities(self, on_roll: npt.NDArray[Any], waiting: npt.NDArray[Any]) -> CubeEquities:
        """Return what they have about pairs of sides, shape (n,)."""
        unavailable, owned, centred, doubled = (table[waiting, on_roll] for table in self[:4])
        return CubeEquities(unavailable, owned, centred, self.unit * doubled, self.cash)


def money_tables(arrays: tuple[Array, ...]) -> CubeTables:
    """Return those of the database of money play."""
    unavailable, owned, centred = arrays
    return CubeTables(unavailable, owned, centred, unavailable, *MONEY.worth[0, :2].tolist())


def tables_at(stakes: Array, listed: ListedPlays) -> CubeTables:
    """Make those of all sides listed; `stakes` as `checked_stakes` returns them."""
    states, unavailable, doubled = states_at(stakes)
    equities, no_doubles = two_sided_tables(listed, states, lambda done: None)
    first = equities[unavailable].copy()  # the others are many
    if len(stakes) == 1:
        return CubeTables(first, first, first, first, 1, -np.inf)
    owned, centred = no_doubles
    return CubeTables(first, owned, centred, equities[doubled].copy(), 1, float(stakes[0, 0]))


class TablesOfStakes:
    """Tables of some sides at some stakes, which grow with the sides that are asked for.

    At first they have what can come of these sides, mostly a small part of all with as many checkers; who
    asks for more sides gets all. Safe to share between threads, each of which may make what it needs.

    Parameters
    ----------
    stakes : ndarray of float64, shape (levels, 2)
    """

    def __init__(self, stakes: Array) -> None:
        self.stakes = stakes
        self._made: tuple[npt.NDArray[np.int16], CubeTables] | None = None

    def equities(self, on_roll: npt.NDArray[np.int32], waiting: npt.NDArray[np.int32]) -> CubeEquities:
        """Return what they have about pairs of sides, shape (n,)."""
        asked = np.union1d(on_roll, waiting)
        made = self._made
        if made is None or asked.max(initial=0) >= len(made[0]) or (made[0][asked] < 0).any():
            made = self._made = self._make(asked, everything=made is not None)
        places, tables = made
        return tables.equities(places[on_roll], places[waiting])

    def _make(
        self, asked: npt.NDArray[np.int32], everything: bool
    ) -> tuple[npt.NDArray[np.int16], CubeTables]:
        """Return the places of sides in the tables, -1 where they are not there, and the tables."""
        greatest = int(asked.max(initial=0))
        listed = listed_plays(next(n for n in range(CHECKERS) if number_of_sides(n) > greatest))
        sides = np.arange(len(listed.begins)) if everything else _what_comes_of(asked, listed)
        places = np.full(len(listed.begins), -1, np.int16)
        places[sides] = np.arange(len(sides))
        # A play leads from one of these sides to another.
        begins = listed.begins[sides]
        rows = [listed.plays[row[0] : row[-1]] for row in begins]
        moved = np.cumsum([0, *map(len, rows)])[:-1, None] - begins[:, :1]
        own = ListedPlays((begins + moved).astype(np.int32), places[np.concatenate(rows)])
        return places, tables_at(self.stakes, own)


def _what_comes_of(asked: npt.NDArray[np.int32], listed: ListedPlays) -> npt.NDArray[np.intp]:
    """Return the numbers of these sides and of all that plays lead to, the empty one included."""
    reached = np.zeros(len(listed.begins), bool)
    reached[0] = True
    reached[asked] = True
    for side in range(len(reached) - 1, 0, -1):  # every play leads to a smaller number
        if reached[side]:
            reached[listed.plays[listed.begins[side, 0] : listed.begins[side, -1]]] = True
    return np.flatnonzero(reached)
