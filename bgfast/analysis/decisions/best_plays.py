"""The plays of a decision, best first: exact where a bear-off is known with its cube, else looked ahead."""

from __future__ import annotations

import numpy as np

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.decisions.players import after_turn, boards_of
from bgfast.analysis.evaluators.lookahead import Lookahead, RankedPlay, RankedPlays
from bgfast.analysis.evaluators.with_bearoff import WithBearoff
from bgfast.common.vocabulary import CHECKERS
from bgfast.position.decision import Decision

__all__ = ["best_plays"]


def best_plays(
    player: Lookahead,
    decision: Decision,
    met: MatchEquityTable | None,
    efficiency: str,
    threads: int = 1,
    *,
    alone: bool = True,
) -> RankedPlays:
    """Return the plays of a decision with dice, best first; without `alone` there are several.

    With `alone` a play that is left over alone is looked at as far as others would be.

    Where the evaluator has bear-off databases that know all that the plays lead to, cube and score included,
    equities are exact at any ply; probabilities and cubeless equities stay as they were found.
    """
    plays = player._best_plays(decision, None, False, met, efficiency, threads, alone=alone)
    evaluator = player.evaluator
    if not isinstance(evaluator, WithBearoff) or decision.position.checkers != CHECKERS:
        return plays
    unfinished = [each.play.position for each in plays if each.play.position.winner is None]
    if not unfinished or not evaluator.bearoff.covers_exactly(unfinished).all():
        return plays
    after = after_turn(decision, unfinished[0])
    stakes = stakes_of(after, met)
    if stakes.may_beaver and stakes.single_games is not None:
        return plays  # the databases know of no beavers below a greatest cube
    actions = evaluator.bearoff.cube_actions(boards_of(unfinished), after, met=met)
    values = iter(np.atleast_1d(actions.best).tolist())
    found = [
        each if each.play.position.winner is not None else _exact(each, next(values), stakes)
        for each in plays
    ]
    found.sort(key=lambda each: -each.equity)
    best = found[0].equity
    return RankedPlays(each._replace(difference=each.equity - best, ply=player.ply) for each in found)


def _exact(play: RankedPlay, opponent: float, stakes: HeldStakes) -> RankedPlay:
    """Return a play with what its position is worth to the opponent, who is on roll then."""
    mwc = 1 - float(stakes.denormalized(opponent)) if stakes.is_match else None
    return play._replace(equity=-opponent, mwc=mwc)
