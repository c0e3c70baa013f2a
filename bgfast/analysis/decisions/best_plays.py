"""Ranking of the plays of a decision: exact where tables cover them with their cube, else searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bgfast.analysis.decisions.exact import exact_tables
from bgfast.analysis.decisions.searches import after_turn, boards_of
from bgfast.batch.successors import flip
from bgfast.common.probabilities import EQUITY, EVALUATION, PROBABILITIES, Numbers, flipped_probabilities
from bgfast.evaluation.cube._stakes import CubeStakes
from bgfast.evaluation.cube.match_equity import MatchEquityTable
from bgfast.evaluation.cube.stakes import stakes_of
from bgfast.evaluation.evaluators.at_stakes import AtStakes
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay, RankedPlays
from bgfast.position.decision import Decision


def best_plays(
    search: Lookahead,
    decision: Decision,
    met: MatchEquityTable | None,
    efficiency: str,
    threads: int = 1,
    *,
    alone: bool = True,
) -> RankedPlays:
    """Return the plays of a decision with dice, best first; the opponent doubles if that gains equity.

    Equities are exact at any ply if the evaluator's tables cover all resulting positions with cube and
    score; probabilities and cubeless equities are those of the search even then. With `alone` the only play
    left in the search filter is searched to the full depth, too; without it there must be several plays.
    """
    ranked = search._best_plays(decision, None, False, met, efficiency, threads, alone=alone)
    candidates = _reranked(ranked, with_doubles(ranked, decision, met, efficiency))
    positions = [play.position for play, *_ in candidates if play.position.winner is None]
    after = after_turn(decision, decision.position)
    tables = exact_tables(search.evaluator, after, positions, met, search.rules)
    if tables is None:
        return candidates
    stakes = stakes_of(after, met)
    actions = tables.cube_actions(boards_of(positions), after, met=met)
    equities = iter(np.atleast_1d(actions.best).tolist())
    exact = [
        candidate
        if candidate.play.position.winner is not None
        else _with_opponent_equity(candidate, next(equities), stakes)
        for candidate in candidates
    ]
    return _reranked(candidates, [candidate._replace(ply=search.ply) for candidate in exact])


def with_doubles(
    plays: Sequence[RankedPlay], decision: Decision, met: MatchEquityTable | None, efficiency: str
) -> list[RankedPlay]:
    """Replace equities of plays after which the opponent gains equity with an immediate double."""
    open_plays = [
        candidate
        for candidate in plays
        if candidate.play.position.winner is None and candidate.probabilities is not None
    ]
    if not open_plays:
        return list(plays)
    stakes = AtStakes.of(after_turn(decision, open_plays[0].play.position), met, efficiency)
    if not stakes.stakes.may_double:
        return list(plays)
    evaluations = np.empty((len(open_plays), EVALUATION))
    evaluations[:, :PROBABILITIES] = flipped_probabilities(
        np.array([candidate.probabilities for candidate in open_plays])
    )
    evaluations[:, EQUITY] = [-candidate.equity for candidate in open_plays]
    stakes.let_double(evaluations, boards_of([candidate.play.position for candidate in open_plays]))
    doubled = {
        candidate.play.position: _with_opponent_equity(candidate, equity, stakes.stakes)
        for candidate, equity in zip(open_plays, evaluations[:, EQUITY].tolist(), strict=True)
        if equity > -candidate.equity
    }
    return [doubled.get(candidate.play.position, candidate) for candidate in plays]


def static_equities(
    search: Lookahead, decision: Decision, met: MatchEquityTable | None, efficiency: str
) -> Numbers:
    """Return the equities that `best_plays` computes at 0 plies, without databases and in any order."""
    assert decision.dice is not None
    boards = flip(decision.position.plays(decision.dice, search.rules).boards)
    next_stakes = AtStakes.of(after_turn(decision, decision.position), met, efficiency)
    evaluations = search._evaluations(boards, 0, decision.position.checkers, at_stakes=next_stakes)
    next_stakes.let_double(evaluations, boards)
    equities: Numbers = -evaluations[:, EQUITY]
    return equities


def _reranked(original: RankedPlays, plays: list[RankedPlay]) -> RankedPlays:
    """Rank plays again, deepest search first; return the original if no play changed."""
    if all(old is new for old, new in zip(original, plays, strict=True)):
        return original
    plays.sort(key=lambda candidate: (-candidate.ply, -candidate.equity))
    return RankedPlays(play._replace(difference=play.equity - plays[0].equity) for play in plays)


def _with_opponent_equity(play: RankedPlay, opponent_equity: float, stakes: CubeStakes) -> RankedPlay:
    """Return a play with the negative equity of the opponent, who is on roll after it."""
    mwc = 1 - float(stakes.denormalized(opponent_equity)) if stakes.is_match else None
    return play._replace(equity=-opponent_equity, mwc=mwc)
