"""Contested decisions made by hand: every play costs what a function of the board after it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bgfast import Position
from bgfast.learning.strength.contested_decisions import ContestedDecision, RolledOutPlay
from bgfast.learning.strength.families import family_of


def contested_decision(
    position: Position,
    roll: tuple[int, int],
    equity: Callable[[np.ndarray], float],
    *,
    loss_se: float = 0.002,
    window: float = 0.1,
) -> ContestedDecision:
    """A decision whose plays are worth what a function of the board says, as the next player sees it."""
    plays = {play.position.gnubg_id: play for play in position.plays(roll)}
    equities = {found: round(equity(play.position.to_array()), 4) for found, play in plays.items()}
    order = sorted(plays, key=lambda found: -equities[found])
    losses = {found: round(equities[order[0]] - equities[found], 4) for found in order}
    candidates = tuple(
        RolledOutPlay(
            found, equities[found], 0.001, losses[found], loss_se if number else 0.0, str(plays[found])
        )
        for number, found in enumerate(order)
        if losses[found] <= window
    )
    estimates = tuple((found, losses[found]) for found in order[len(candidates) :])
    larger, smaller = max(roll), min(roll)
    return ContestedDecision(
        position.gnubg_id, (larger, smaller), family_of(position), 36, 7, candidates, estimates
    )


def blots(board: np.ndarray) -> float:
    """A hundredth of a point less for each blot of the player who has just played."""
    return -int((board == -1).sum()) / 100


def few_blots(boards: np.ndarray) -> np.ndarray:
    """An evaluator that agrees with `blots`."""
    return np.array([-blots(board) for board in boards])
