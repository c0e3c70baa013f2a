"""Cubeful equities of races beyond the two-sided tables, by a recursion over one-sided plays."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast.evaluation.bearoff._bearoff as _bearoff
from bgfast.common.rolls import ROLL_WEIGHTS
from bgfast.evaluation.bearoff.cube_states import DOUBLING_OWNERS, MONEY, CubeStates, states_at
from bgfast.evaluation.bearoff.databases import one_sided_plays

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
ExactEquities = Callable[[npt.NDArray[Any], npt.NDArray[Any]], Array]

_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)


class RaceSides(NamedTuple):
    """Sides that a player reaches from one side with the plays of the one-sided database."""

    numbers: npt.NDArray[np.intp]  # side numbers, from the empty side to the one at the start
    plays: Indices  # (n, 21): index of the side after each roll


@lru_cache(64)
def race_sides(number: int) -> RaceSides:
    """Return the sides that a player reaches from a side."""
    plays = one_sided_plays()
    reached = np.zeros(len(plays), bool)
    frontier = np.array([number])
    while len(frontier):
        reached[frontier] = True
        after = np.unique(plays[frontier])
        frontier = after[~reached[after]]
    numbers = np.flatnonzero(reached)
    return RaceSides(numbers, np.searchsorted(numbers, plays[numbers]).astype(np.int32))


class Race(NamedTuple):
    """Race of two sides in which each player has one play with every roll."""

    first: RaceSides  # of the player on roll
    second: RaceSides
    states: CubeStates
    root: int  # state of the cube
    doubled: int  # state after double and take
    on_roll: Indices  # states in which the first player is on roll after the first turn
    waiting: Indices  # states in which the second player is on roll

    @classmethod
    def of(cls, on_roll: int, waiting: int, stakes: Array | None, owner: int) -> Race:
        """Return the race of two sides; `stakes` are those of `checked_stakes`, None for money play."""
        states, unavailable, doubled = (MONEY, 0, 0) if stakes is None else states_at(stakes)
        roots = [*states.transitions[:, 2]]
        table = DOUBLING_OWNERS.index(owner) if owner in DOUBLING_OWNERS else None
        root = roots.index(table) if table in roots else unavailable
        needed = _needed_states(states.transitions, (root, doubled))
        return cls(race_sides(on_roll), race_sides(waiting), states, root, doubled, *needed)

    @property
    def size(self) -> int:
        """Number of equities that the recursion computes."""
        pairs = len(self.first.numbers) * len(self.second.numbers)
        return pairs * (len(self.on_roll) + len(self.waiting))

    def equities(self, exact: ExactEquities | None, exact_sides: int) -> tuple[float, float]:
        """Return the equities of no double, and of double and take.

        `exact` returns the equities at the beginning of a turn, by state, of pairs of sides on roll and
        waiting whose numbers are below `exact_sides`.
        """
        (firsts, plays), (seconds, replies) = self.first, self.second
        count = len(self.states.transitions)
        equities, rows = np.empty((count, len(firsts), len(seconds))), np.empty((count, len(seconds)))
        known = np.empty((count, 0, 0))
        if exact is not None:
            own = firsts[firsts < exact_sides, None]
            other = seconds[None, seconds < exact_sides]
            known = np.ascontiguousarray(exact(own, other))
            equities[:, : own.size, : other.size] = exact(other, own)
        _bearoff.fill_race(
            plays,
            replies,
            self.on_roll,
            self.waiting,
            self.states.transitions,
            self.states.values,
            known,
            rows,
            equities,
        )
        after = equities[self.states.transitions[[self.root, self.doubled], 0][:, None], plays[-1], -1]
        # Sums in the order of the rolls are the same on every machine.
        no_double, taken = -np.add.accumulate(after * _WEIGHTS, axis=1)[:, -1] / _WEIGHTS.sum()
        return float(no_double), float(self.states.values[self.root, 0] * taken)


def _needed_states(transitions: Indices, roots: tuple[int, ...]) -> tuple[Indices, Indices]:
    """Return the states that the first and the second player meet on roll after the first turn, ascending."""
    needed: tuple[set[int], set[int]] = set(), set()
    pending = [(int(transitions[root, 0]), 1) for root in roots]
    while pending:
        state, player = pending.pop()
        if state >= 0 and state not in needed[player]:
            needed[player].add(state)
            after, doubled, _ = transitions[state].tolist()
            pending += [(after, 1 - player), (doubled, player)]
    on_roll, waiting = (np.array(sorted(states), np.int32) for states in needed)
    return on_roll, waiting
