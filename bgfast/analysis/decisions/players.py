"""Who judges decisions: an evaluator that tells five probabilities, looking ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bgfast.analysis.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.analysis.evaluators.lookahead import THRESHOLDS, Lookahead
from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.evaluators.with_bearoff import WithBearoff
from bgfast.common.validation import whole_number
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike

__all__ = ["after_turn", "boards_of", "no_probabilities", "player_of"]


def player_of(
    evaluator: Evaluator | None,
    ply: int | None,
    default_ply: int,
    rules: RuleSetLike = STANDARD,
    thresholds: Sequence[float] = THRESHOLDS,
) -> Lookahead:
    """Return who looks so far ahead: a `Lookahead` as it is, any other evaluator by one of these thresholds.

    Raises
    ------
    BgfastError
        If a `Lookahead` and a number of plies are given, or what `Lookahead` refuses.
    """
    if isinstance(evaluator, Lookahead):
        if ply is not None:
            raise BgfastError(f"ply is {ply!r} beside a Lookahead, which looks {evaluator.ply} plies ahead")
        return evaluator
    asked: Any = WithBearoff(Network.builtin()) if evaluator is None else evaluator
    far: Any = default_ply if ply is None else ply
    # Of a number of plies that is none, it is what `Lookahead` refuses.
    return Lookahead(asked, ply=far, threshold=thresholds[: whole_number(far)], rules=rules)


def no_probabilities(player: Lookahead) -> BgfastError:
    """Return the error of an evaluator that tells equities alone."""
    name = evaluator_name(player.evaluator)
    return BgfastError(
        f"{name} tells equities alone; expected an evaluator of five probabilities for the cube"
    )


def boards_of(positions: Sequence[Position]) -> Boards:
    """Return the boards of positions, (n, 26)."""
    return np.stack([position.to_array() for position in positions])


def after_turn(decision: Decision, position: Position) -> Decision:
    """Return the decision of the next player, whose position this is; cube and score stay."""
    return replace(
        decision,
        position=position,
        turn=-decision.turn,
        dice=None,
        cube_owner=-decision.cube_owner,
        score=decision.score[::-1],
    )
