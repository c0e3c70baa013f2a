"""Searches that evaluate decisions, and the decision of the next player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bgfast.common.validation import whole_number
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.evaluation.evaluators.lookahead import THRESHOLDS, Lookahead
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike


def search_of(
    evaluator: Evaluator | None,
    ply: int | None,
    default_ply: int,
    rules: RuleSetLike = STANDARD,
    thresholds: Sequence[float] = THRESHOLDS,
    candidates: Sequence[int] | None = None,
) -> Lookahead:
    """Return the search of an evaluator: a `Lookahead` as it is, any other evaluator wrapped in one.

    The default evaluator is the built-in network with bear-off databases. The default depth is
    `default_ply`, but 0 for an evaluator whose `is_exact` is true. `thresholds` and `candidates` are those of
    the search filter by ply; a search of n plies uses the first n thresholds. Raises `BgfastError` for a
    `Lookahead` with `ply`, and for an invalid argument.
    """
    if isinstance(evaluator, Lookahead):
        if ply is not None:
            raise BgfastError(
                f"ply is {ply!r}; expected none beside a Lookahead, which searches {evaluator.ply} plies"
            )
        return evaluator
    static_evaluator: Any = WithBearoff(Network.builtin()) if evaluator is None else evaluator
    if ply is None:
        ply = 0 if getattr(static_evaluator, "is_exact", False) else default_ply
    depth: Any = ply
    # `Lookahead` validates the depth: an invalid one leaves all thresholds.
    return Lookahead(
        static_evaluator,
        ply=depth,
        candidates=candidates,
        threshold=thresholds[: whole_number(depth)],
        rules=rules,
    )


def no_probabilities(search: Lookahead) -> BgfastError:
    """Return the error for an evaluator without probabilities."""
    name = evaluator_name(search.evaluator)
    return BgfastError(
        f"{name} returns equities alone; expected an evaluator of five probabilities for the cube"
    )


def boards_of(positions: Sequence[Position]) -> Boards:
    """Return the boards of positions, shape (n, 26)."""
    return np.stack([position.to_array() for position in positions])
