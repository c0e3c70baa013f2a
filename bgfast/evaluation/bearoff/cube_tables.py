"""Equities with a cube: two-sided tables for any stakes, and longer races by a recursion over their plays."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast.evaluation.bearoff._bearoff as _bearoff
from bgfast.common.validation import CHECKERS, ROLL_WEIGHTS
from bgfast.evaluation.bearoff.databases import (
    DOUBLING_OWNERS,
    MONEY,
    CubeStates,
    ListedPlays,
    list_plays,
    number_of_sides,
    one_sided_plays,
    states_at,
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
    doubled: Array  # equities with an unavailable cube after double and take
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


def build_tables(stakes: Array, listing: ListedPlays) -> CubeTables:
    """Build the tables of all listed sides; `stakes` come from `validate_stakes`."""
    states, unavailable, doubled = states_at(stakes)
    equities, no_doubles = two_sided_tables(listing, states, lambda done: None)
    table = equities[unavailable].copy()  # releases the memory of the other states
    if len(stakes) == 1:
        return CubeTables(table, table, table, table, 1, -np.inf)
    owned, centred = no_doubles
    return CubeTables(table, owned, centred, equities[doubled].copy(), 1, float(stakes[0, 0]))


class StakesTables:
    """Tables for stakes from `validate_stakes`, built on demand.

    The first query builds tables of the queried sides and of all sides reachable from them, usually a small
    part of all sides. A query for other sides builds the tables of all sides with no more checkers.
    Thread-safe; threads may build the same tables at the same time.
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
        self, queried_sides: npt.NDArray[np.int32], all_sides: bool
    ) -> tuple[npt.NDArray[np.int16], CubeTables]:
        """Return the table index of every side, -1 for none, and the tables."""
        largest = int(queried_sides.max(initial=0))
        listing = list_plays(next(n for n in range(CHECKERS) if number_of_sides(n) > largest))
        sides = np.arange(len(listing.begins)) if all_sides else _reachable_sides(queried_sides, listing)
        indices = np.full(len(listing.begins), -1, np.int16)
        indices[sides] = np.arange(len(sides))
        # Renumber the plays: the selected sides are closed under plays.
        begins = listing.begins[sides]
        rows = [listing.plays[row[0] : row[-1]] for row in begins]
        shifts = np.cumsum([0, *map(len, rows)])[:-1, None] - begins[:, :1]
        selected = ListedPlays((begins + shifts).astype(np.int32), indices[np.concatenate(rows)])
        return indices, build_tables(self.stakes, selected)


def _reachable_sides(queried_sides: npt.NDArray[np.int32], listing: ListedPlays) -> npt.NDArray[np.intp]:
    """Return the queried sides and all sides reachable from them, including the empty side."""
    is_reached = np.zeros(len(listing.begins), bool)
    is_reached[0] = True
    is_reached[queried_sides] = True
    for side in range(len(is_reached) - 1, 0, -1):  # every play leads to a smaller number
        if is_reached[side]:
            is_reached[listing.plays[listing.begins[side, 0] : listing.begins[side, -1]]] = True
    return np.flatnonzero(is_reached)


# ---- races ----

Indices = npt.NDArray[np.int32]
ExactEquities = Callable[[npt.NDArray[Any], npt.NDArray[Any]], Array]

_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)


class RaceSides(NamedTuple):
    """Sides that a player reaches from one side with the plays of the one-sided database."""

    numbers: npt.NDArray[np.intp]  # side numbers, ascending from the empty side to the initial side
    plays: Indices  # (n, 21): index of the side after each roll


@lru_cache(64)
def race_sides(side: int) -> RaceSides:
    """Return the sides that a player reaches from a side."""
    plays = one_sided_plays()
    is_reached = np.zeros(len(plays), bool)
    frontier = np.array([side])
    while len(frontier):
        is_reached[frontier] = True
        after = np.unique(plays[frontier])
        frontier = after[~is_reached[after]]
    numbers = np.flatnonzero(is_reached)
    return RaceSides(numbers, np.searchsorted(numbers, plays[numbers]).astype(np.int32))


class Race(NamedTuple):
    """Race of two sides in which each player has one play with every roll."""

    first: RaceSides  # sides of the player on roll
    second: RaceSides
    states: CubeStates
    root: int  # state of the cube now
    doubled: int  # state after double and take
    on_roll: Indices  # states in which the first player is on roll after the first turn
    waiting: Indices  # states in which the second player is on roll

    @classmethod
    def of(cls, on_roll: int, waiting: int, stakes: Array | None, owner: int) -> Race:
        """Return the race of two sides; `stakes` come from `validate_stakes`, or are None for money play."""
        states, unavailable, doubled = (MONEY, 0, 0) if stakes is None else states_at(stakes)
        tables = states.transitions[:, 2].tolist()  # NONE if the player on roll cannot double
        table = DOUBLING_OWNERS.index(owner) if owner in DOUBLING_OWNERS else None
        root = tables.index(table) if table in tables else unavailable
        reachable = _find_states(states.transitions, (root, doubled))
        return cls(race_sides(on_roll), race_sides(waiting), states, root, doubled, *reachable)

    @property
    def size(self) -> int:
        """Number of equities that the recursion computes."""
        pairs = len(self.first.numbers) * len(self.second.numbers)
        return pairs * (len(self.on_roll) + len(self.waiting))

    def equities(self, exact: ExactEquities | None, exact_sides: int) -> tuple[float, float]:
        """Return the equities of no double, and of double and take.

        `exact(on_roll, waiting)` returns the equities at the beginning of a turn, by state, for pairs of
        side numbers below `exact_sides`.
        """
        (firsts, plays), (seconds, replies) = self.first, self.second
        count = len(self.states.transitions)
        equities, rows = np.empty((count, len(firsts), len(seconds))), np.empty((count, len(seconds)))
        exact_equities = np.empty((count, 0, 0))
        if exact is not None:
            exact_firsts = firsts[firsts < exact_sides, None]
            exact_seconds = seconds[None, seconds < exact_sides]
            exact_equities = np.ascontiguousarray(exact(exact_firsts, exact_seconds))
            equities[:, : exact_firsts.size, : exact_seconds.size] = exact(exact_seconds, exact_firsts)
        _, transitions, values = self.states
        tables = exact_equities, rows, equities
        _bearoff.fill_race(plays, replies, self.on_roll, self.waiting, transitions, values, *tables)
        after = equities[transitions[[self.root, self.doubled], 0][:, None], plays[-1], -1]
        # Sums in the order of the rolls are the same on every machine.
        no_double, double_take = -np.add.accumulate(after * _WEIGHTS, axis=1)[:, -1] / _WEIGHTS.sum()
        return float(no_double), float(values[self.root, 0] * double_take)


def _find_states(transitions: Indices, roots: tuple[int, ...]) -> tuple[Indices, Indices]:
    """Return the states in which each player can be on roll after the first turn, ascending."""
    states_of_player: tuple[set[int], set[int]] = set(), set()
    pending = [(int(transitions[root, 0]), 1) for root in roots]
    while pending:
        state, player = pending.pop()
        if state >= 0 and state not in states_of_player[player]:
            states_of_player[player].add(state)
            after, doubled, _ = transitions[state].tolist()
            pending += [(after, 1 - player), (doubled, player)]
    on_roll, waiting = (np.array(sorted(states), np.int32) for states in states_of_player)
    return on_roll, waiting
