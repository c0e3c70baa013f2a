"""Start of games that continue from a decision; player 0 is X."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bgfast.common.validation import rule_set
from bgfast.games.scoring import Cube, MatchScore
from bgfast.games.state import UNLIMITED, ActionName
from bgfast.position.decision import Decision
from bgfast.rules import RuleSet


def as_decision(decision: Any, checkers: int) -> Decision:
    """Return a `Decision`; text is parsed."""
    return decision if isinstance(decision, Decision) else Decision.read(decision, checkers)


def game_arguments(decision: Decision, rules: Any) -> dict[str, Any]:
    """Return the arguments of the `Game` that begins with a decision."""
    resolved: RuleSet = rule_set(rules)
    mover = 0 if decision.turn == 1 else 1
    match = None
    if decision.match_length:
        score = (decision.score[mover], decision.score[1 - mover])
        match = MatchScore(decision.match_length, score, decision.crawford)
    else:
        resolved = replace(resolved, jacoby=decision.jacoby, beavers=decision.beaver)
    return {
        "rules": replace(resolved, cube_limit=decision.max_cube)
        if decision.max_cube < UNLIMITED
        else resolved,
        "position": decision.position,
        "on_turn": mover,
        "cube": Cube(decision.cube, {0: None, 1: mover, -1: 1 - mover}[decision.cube_owner]),
        "match": match,
        "roll": decision.dice,
    }


def offered_actions(decision: Decision) -> tuple[ActionName, ...]:
    """Return the pending cube actions, in order."""
    offers: tuple[ActionName, ...] = ("double", "beaver", "raccoon")
    return () if decision.offer is None else offers[: offers.index(decision.offer) + 1]
