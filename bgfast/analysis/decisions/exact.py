"""Evaluators with exact tables, and the decisions that these cover."""

from __future__ import annotations

from collections.abc import Sequence

from bgfast.common.vocabulary import CHECKERS
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.cube.stakes import stakes_of
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.hypergammon.hypergammon import Hypergammon
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

__all__ = ["exact_tables"]


def exact_tables(
    evaluator: Evaluator, decision: Decision, positions: Sequence[Position]
) -> Bearoff | Hypergammon | None:
    """Return the tables of an evaluator if they cover all positions with the cube of a decision, else None.

    Parameters
    ----------
    evaluator : evaluator
    decision : Decision
        Cube, score and rules; its position is ignored.
    positions : sequence of Position
        Unfinished positions of the same game.
    """
    if not positions:
        return None
    checkers = positions[0].checkers
    if isinstance(evaluator, Hypergammon):
        # At a score the equities of the tables are normalised by the match equities of hypergammon.
        is_covered = checkers == evaluator.checkers and not decision.match_length
        return evaluator if is_covered and evaluator.why_not_exact(decision) is None else None
    if not isinstance(evaluator, WithBearoff) or checkers != CHECKERS:
        return None
    if not decision.match_length and stakes_of(decision).may_beaver_below_limit:
        return None  # the databases ignore beavers below a maximum cube
    return evaluator.bearoff if evaluator.bearoff.covers_exactly(positions).all() else None
