"""What follows a double and no double: the values of each branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.actions import cube_values
from bgfast.analysis.cube.efficiency import cube_efficiencies
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.decisions.players import boards_of, no_probabilities
from bgfast.analysis.evaluators.lookahead import Lookahead
from bgfast.common.probabilities import Numbers, equities_of
from bgfast.common.threads import each
from bgfast.common.vocabulary import CHECKERS
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

__all__ = ["Branches", "Values", "branches"]


class Values(NamedTuple):
    """What the mover has after each thing that may be done: chances to win the match, or points.

    NaN for what the rules forbid.
    """

    no_double: float
    double_take: float
    double_pass: float
    double_beaver: float


class Branches(NamedTuple):
    """The branches of a decision, and the cubeless evaluation before it."""

    stakes: HeldStakes
    values: Values
    probabilities: tuple[float, ...]
    cubeless_equity: float


def branches(
    player: Lookahead,
    decisions: Sequence[Decision],
    met: MatchEquityTable,
    efficiency: str,
    threads: int,
) -> list[Branches]:
    """Return the branches of decisions whose game is not over, in their order.

    The formula makes all values of the five probabilities that looking ahead finds.

    Raises
    ------
    BgfastError
        If the evaluator tells equities alone.
    """
    different = list(dict.fromkeys(decision.position for decision in decisions))
    found = _probabilities(player, different, threads)
    efficiencies = cube_efficiencies(boards_of(different), efficiency)
    equities = equities_of(found).tolist()
    places = {position: row for row, position in enumerate(different)}
    result = []
    for decision in decisions:
        row = places[decision.position]
        stakes = stakes_of(decision, met)
        values = cube_values(stakes, found[row : row + 1], efficiencies[row : row + 1])
        probabilities = tuple(found[row].tolist())
        result.append(
            Branches(stakes, Values(*(float(value[0]) for value in values)), probabilities, equities[row])
        )
    return result


def _probabilities(player: Lookahead, positions: Sequence[Position], threads: int) -> Numbers:
    """Return the five probabilities of positions, (n, 5), at sight in one batch."""
    if player.ply == 0 and all(position.checkers == CHECKERS for position in positions):
        found = np.asarray(player(boards_of(positions)))
        if found.ndim == 2:
            return found
        raise no_probabilities(player)
    told = [found.probabilities for found in each(player.evaluation, positions, threads)]
    known = [probabilities for probabilities in told if probabilities is not None]
    if len(known) < len(told):
        raise no_probabilities(player)
    return np.array(known)
