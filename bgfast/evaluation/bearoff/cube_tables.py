"""Two-sided tables with a cube: for money play from the database, for other stakes built on demand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import CHECKERS
from bgfast.evaluation.bearoff.cube_states import MONEY, states_at
from bgfast.evaluation.bearoff.databases import (
    ListedPlays,
    listed_plays,
    number_of_sides,
    two_sided_tables,
)

Array = npt.NDArray[np.float64]


class BearoffEquities(NamedTuple):
    """Equities of positions for the player on roll; arrays of shape (n,)."""

    unavailable: Array  # the opponent owns the cube
    owned: Array  # no double in this turn
    centred: Array  # no double in this turn
    double_take: Array
    cash: float  # double and drop; -inf where the cube cannot be doubled

    def at_start(self) -> Array:
        """Return the equities at the beginning of a turn: cube unavailable, owned, centred."""
        double = np.minimum(self.double_take, self.cash)
        return np.stack([self.unavailable, np.maximum(self.owned, double), np.maximum(self.centred, double)])


class CubeTables(NamedTuple):
    """Tables of `BearoffEquities`, indexed by the waiting side and the side on roll."""

    unavailable: Array
    owned: Array
    centred: Array
    doubled: Array  # unavailable cube after double and take
    unit: float  # factor of the values of `doubled`
    cash: float

    def equities(self, on_roll: npt.NDArray[Any], waiting: npt.NDArray[Any]) -> BearoffEquities:
        """Look up pairs of sides by their numbers, shape (n,)."""
        unavailable, owned, centred, doubled = (table[waiting, on_roll] for table in self[:4])
        return BearoffEquities(unavailable, owned, centred, self.unit * doubled, self.cash)


def money_tables(arrays: tuple[Array, ...]) -> CubeTables:
    """Return the tables for money play from the arrays of its database."""
    unavailable, owned, centred = arrays
    return CubeTables(unavailable, owned, centred, unavailable, *MONEY.values[0, :2].tolist())


def build_tables(stakes: Array, listed: ListedPlays) -> CubeTables:
    """Build the tables of all listed sides; `stakes` are those of `checked_stakes`."""
    states, unavailable, doubled = states_at(stakes)
    equities, no_doubles = two_sided_tables(listed, states, lambda done: None)
    first = equities[unavailable].copy()  # releases the memory of the other states
    if len(stakes) == 1:
        return CubeTables(first, first, first, first, 1, -np.inf)
    owned, centred = no_doubles
    return CubeTables(first, owned, centred, equities[doubled].copy(), 1, float(stakes[0, 0]))


class StakesTables:
    """Tables for stakes of `checked_stakes`, built on demand.

    The first query builds tables of the queried sides and of those reachable from them, usually a small part
    of all sides. A query for other sides builds the tables of all sides with as many checkers. Thread-safe;
    threads may build the same tables at the same time.
    """

    def __init__(self, stakes: Array) -> None:
        self.stakes = stakes
        self._tables: tuple[npt.NDArray[np.int16], CubeTables] | None = None

    def equities(self, on_roll: npt.NDArray[np.int32], waiting: npt.NDArray[np.int32]) -> BearoffEquities:
        """Look up pairs of sides by their numbers, shape (n,)."""
        sides = np.union1d(on_roll, waiting)
        cached = self._tables
        if cached is None or sides.max(initial=0) >= len(cached[0]) or (cached[0][sides] < 0).any():
            cached = self._tables = self._build(sides, all_sides=cached is not None)
        indices, tables = cached
        return tables.equities(indices[on_roll], indices[waiting])

    def _build(
        self, queried: npt.NDArray[np.int32], all_sides: bool
    ) -> tuple[npt.NDArray[np.int16], CubeTables]:
        """Return the table index of every side, -1 for none, and the tables."""
        largest = int(queried.max(initial=0))
        listed = listed_plays(next(n for n in range(CHECKERS) if number_of_sides(n) > largest))
        sides = np.arange(len(listed.begins)) if all_sides else _reachable_sides(queried, listed)
        indices = np.full(len(listed.begins), -1, np.int16)
        indices[sides] = np.arange(len(sides))
        # Renumber the plays: the selected sides are closed under plays.
        begins = listed.begins[sides]
        rows = [listed.plays[row[0] : row[-1]] for row in begins]
        shifts = np.cumsum([0, *map(len, rows)])[:-1, None] - begins[:, :1]
        selected = ListedPlays((begins + shifts).astype(np.int32), indices[np.concatenate(rows)])
        return indices, build_tables(self.stakes, selected)


def _reachable_sides(queried: npt.NDArray[np.int32], listed: ListedPlays) -> npt.NDArray[np.intp]:
    """Return the queried sides and all sides reachable from them, including the empty side."""
    reached = np.zeros(len(listed.begins), bool)
    reached[0] = True
    reached[queried] = True
    for side in range(len(reached) - 1, 0, -1):  # every play leads to a smaller number
        if reached[side]:
            reached[listed.plays[listed.begins[side, 0] : listed.begins[side, -1]]] = True
    return np.flatnonzero(reached)
