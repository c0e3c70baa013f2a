"""States of the cube in money play, and at scores up to 3 points, as columns of a table."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

NONE = -1
MAX_NEED = 3
"""Largest number of points that a player needs."""
POINTS = (1, 2, 3)
CENTRED = 0


class CubeColumns(NamedTuple):
    """States of the cube for `_hypergammon.sweep_cube`, which describes the arrays."""

    names: tuple[str, ...]
    total: float  # sum of the values of both players
    transitions: npt.NDArray[np.int32]  # (n, 2)
    numbers: Array  # (n, 5)

    def begin_turn(self, no_double: Array) -> Array:
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


class ScoreState(NamedTuple):
    """Score and cube of the player on roll."""

    need: int  # points to win the match
    opponent_need: int
    crawford: bool = False  # True in the Crawford game
    cube: int = 1
    owner: int = CENTRED  # 1 the player on roll, 0 nobody, -1 the opponent

    def canonical(self) -> ScoreState:
        """Return the state of equal values: double match point where the game decides the match anyway."""
        return LAST_GAME if self.cube >= max(self.need, self.opponent_need) else self

    def after_play(self) -> ScoreState:
        """Return the state of the opponent, who is on roll after a play."""
        return ScoreState(self.opponent_need, self.need, self.crawford, self.cube, -self.owner)

    def after_double(self) -> ScoreState | None:
        """Return the state after double and take; None if it is forbidden, or a single game is enough."""
        if self.crawford or self.owner == -1 or self.cube >= self.need:
            return None
        return ScoreState(self.need, self.opponent_need, False, 2 * self.cube, -1).canonical()

    def next_game(self, points: int) -> ScoreState | None:
        """Return the state after a game of `points`, negative if lost; None if the match is over."""
        need, opponent_need = self.need - max(points, 0), self.opponent_need + min(points, 0)
        if need <= 0 or opponent_need <= 0:
            return None
        # The Crawford game is the first in which a player needs a single point.
        crawford = min(need, opponent_need) == 1 < min(self.need, self.opponent_need)
        return ScoreState(need, opponent_need, crawford).canonical()


LAST_GAME = ScoreState(1, 1)


def _states() -> tuple[ScoreState, ...]:
    """Return all states that a match can reach, those after a double before the others."""
    needs = range(1, MAX_NEED + 1)
    starts = [ScoreState(*scores) for scores in product(needs, needs)]
    starts += [start._replace(crawford=True) for start in starts if 1 == min(start[:2]) < max(start[:2])]
    reached, left = set[ScoreState](), [start.canonical() for start in starts]
    while left:
        state = left.pop()
        if state not in reached:
            reached.add(state)
            left += filter(None, (state.after_play().canonical(), state.after_double()))
    return tuple(sorted(reached, key=lambda state: (state != LAST_GAME, -state.cube, state.owner, state)))


SCORE_STATES = _states()
"""All states, in the order of the columns."""


def match_columns() -> CubeColumns:
    """Return the columns of all states, in match-winning chances; `update_match_columns` completes them."""
    columns = {state: column for column, state in enumerate(SCORE_STATES)}
    transitions = [
        (
            columns[state.after_play().canonical()],
            NONE if (doubled := state.after_double()) is None else columns[doubled],
        )
        for state in SCORE_STATES
    ]
    names = tuple(
        f"{state.need}-away, {state.opponent_need}-away"
        + (", Crawford" if state.crawford else "")
        + ("" if state.owner == CENTRED else f", cube {state.cube}, owner {state.owner:+d}")
        for state in SCORE_STATES
    )
    numbers = np.ones((len(names), 5))
    result = CubeColumns(names, 1, np.array(transitions, np.int32), numbers)
    update_match_columns(result, np.full(len(names), 0.5))
    return result


def match_equity(state: ScoreState | None, points: int, opening: Array) -> float:
    """Return the match-winning chance at the start of a game; `state` is None if the match is over.

    `points` are those won, or negative lost, in the game before. `opening` (states,) has for centred states
    the chance of the player who makes the opening play.
    """
    if state is None:
        return float(points > 0)
    own = opening[SCORE_STATES.index(state)]
    other = opening[SCORE_STATES.index(state.after_play().canonical())]
    return float(own + 1 - other) / 2


def update_match_columns(columns: CubeColumns, opening: Array) -> None:
    """Replace the values of finished games by those of the next games; parameters as for `match_equity`."""

    def value(state: ScoreState, points: int) -> float:
        return match_equity(state.next_game(points), points, opening)

    for column, state in enumerate(SCORE_STATES):
        columns.numbers[column] = (
            1,
            value(state, state.cube),
            *(value(state, -points * state.cube) for points in POINTS),
        )
