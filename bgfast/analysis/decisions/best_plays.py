"""The plays of a decision, best first: exact where a bear-off is known with its cube, else looked ahead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.decisions.players import after_turn, boards_of
from bgfast.analysis.evaluators.at_stakes import AtStakes
from bgfast.analysis.evaluators.lookahead import Lookahead, RankedPlay, RankedPlays
from bgfast.analysis.evaluators.with_bearoff import WithBearoff
from bgfast.batch.successors import flip
from bgfast.common.probabilities import EQUITY, EVALUATION, PROBABILITIES, Numbers, flipped_probabilities
from bgfast.common.vocabulary import CHECKERS
from bgfast.position.decision import Decision

__all__ = ["best_plays", "equities_at_sight", "with_doubles"]


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

    The opponent may double before the next roll, and does where that is better for him. Where the evaluator
    has bear-off databases that know all that the plays lead to, cube and score included, equities are exact
    at any ply; probabilities and cubeless equities stay as they were found.
    """
    found = player._best_plays(decision, None, False, met, efficiency, threads, alone=alone)
    plays = _ranked(found, with_doubles(found, decision, met, efficiency))
    evaluator = player.evaluator
    if not isinstance(evaluator, WithBearoff) or decision.position.checkers != CHECKERS:
        return plays
    unfinished = [each.play.position for each in plays if each.play.position.winner is None]
    if not unfinished or not evaluator.bearoff.covers_exactly(unfinished).all():
        return plays
    after = after_turn(decision, unfinished[0])
    stakes = stakes_of(after, met)
    if stakes.may_beaver_below_limit:
        return plays  # the databases know of no beavers below a greatest cube
    actions = evaluator.bearoff.cube_actions(boards_of(unfinished), after, met=met)
    values = iter(np.atleast_1d(actions.best).tolist())
    exact = [
        each if each.play.position.winner is not None else _worth(each, next(values), stakes)
        for each in plays
    ]
    return _ranked(plays, [each._replace(ply=player.ply) for each in exact])


def with_doubles(
    plays: Sequence[RankedPlay], decision: Decision, met: MatchEquityTable | None, efficiency: str
) -> list[RankedPlay]:
    """Return plays by what they are worth if the opponent doubles at once where that is better."""
    asked = [each for each in plays if each.play.position.winner is None and each.probabilities is not None]
    if not asked:
        return list(plays)
    at = AtStakes.of(after_turn(decision, asked[0].play.position), met, efficiency)
    if not at.stakes.may_double:
        return list(plays)
    evaluations = np.empty((len(asked), EVALUATION))
    evaluations[:, :PROBABILITIES] = flipped_probabilities(np.array([each.probabilities for each in asked]))
    evaluations[:, EQUITY] = [-each.equity for each in asked]
    at.let_double(evaluations, boards_of([each.play.position for each in asked]))
    worth = {
        each.play.position: _worth(each, equity, at.stakes)
        for each, equity in zip(asked, evaluations[:, EQUITY].tolist(), strict=True)
        if equity > -each.equity
    }
    return [worth.get(each.play.position, each) for each in plays] if worth else list(plays)


def equities_at_sight(
    player: Lookahead, decision: Decision, met: MatchEquityTable | None, efficiency: str
) -> Numbers:
    """Return what `best_plays` says of the plays at sight, in any order, where none is known exactly."""
    assert decision.dice is not None
    boards = flip(decision.position.plays(decision.dice, player.rules).boards)
    after = AtStakes.of(after_turn(decision, decision.position), met, efficiency)
    evaluations = player._evaluations(boards, 0, decision.position.checkers, at=after)
    after.let_double(evaluations, boards)
    found: Numbers = -evaluations[:, EQUITY]
    return found


def _ranked(before: RankedPlays, plays: list[RankedPlay]) -> RankedPlays:
    """Return plays in their new order, those that were looked at furthest first; nothing new as it was."""
    if all(one is other for one, other in zip(before, plays, strict=True)):
        return before
    plays.sort(key=lambda each: (-each.ply, -each.equity))
    return RankedPlays(each._replace(difference=each.equity - plays[0].equity) for each in plays)


def _worth(play: RankedPlay, opponent: float, stakes: HeldStakes) -> RankedPlay:
    """Return a play with what its position is worth to the opponent, who is on roll then."""
    mwc = 1 - float(stakes.denormalized(opponent)) if stakes.is_match else None
    return play._replace(equity=-opponent, mwc=mwc)
