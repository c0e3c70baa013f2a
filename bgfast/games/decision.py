"""Games as decisions, both ways; X is player 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from bgfast.common.validation import rule_set
from bgfast.games.scoring import Cube, MatchScore
from bgfast.games.state import ActionName, GameState
from bgfast.position.decision import Decision
from bgfast.position.text.xgid_text import Offer
from bgfast.rules import RuleSet

__all__ = ["actions_of", "decision_of", "given_decision", "start_of"]

_OFFERS: Mapping[str, Offer] = MappingProxyType(
    {"doubled": "double", "beavered": "beaver", "raccooned": "raccoon"}
)
_UNLIMITED = 1024  # what eXtreme Gammon writes for the greatest cube where nobody has set a limit


def decision_of(state: GameState, money_score: tuple[int, int]) -> Decision:
    """Return where a game stands, with the points of players 0 and 1 if it is no game of a match."""
    mover, owner, match = state.on_turn or 0, state.cube.owner, state.match
    score = money_score if match is None else match.score
    # A resignation is not in it.
    offer = _OFFERS.get(state.resumes if state.phase == "resigned" else state.phase)
    return Decision(
        position=state.position,
        turn=1 if mover == 0 else -1,
        dice=state.dice if offer is None else None,
        offer=offer,
        cube=state.cube.value,
        cube_owner=0 if owner is None else 1 if owner == mover else -1,
        score=(score[mover], score[1 - mover]),
        match_length=0 if match is None else match.length,
        crawford=match is not None and match.crawford,
        jacoby=match is None and state.rules.jacoby,
        beaver=match is None and state.rules.beavers,
        max_cube=max(state.rules.cube_limit or _UNLIMITED, state.cube.value),
    )


def given_decision(decision: Any, checkers: int) -> Decision:
    """Return a `Decision`, read if it is text."""
    return decision if isinstance(decision, Decision) else Decision.read(decision, checkers)


def start_of(decision: Decision, rules: Any) -> dict[str, Any]:
    """Return the arguments of the `Game` that begins like this."""
    found: RuleSet = rule_set(rules)
    mover = 0 if decision.turn == 1 else 1
    match = None
    if decision.match_length:
        score = (decision.score[mover], decision.score[1 - mover])
        match = MatchScore(decision.match_length, score, decision.crawford)
    else:
        found = replace(found, jacoby=decision.jacoby, beavers=decision.beaver)
    return {
        "rules": replace(found, cube_limit=decision.max_cube) if decision.max_cube < _UNLIMITED else found,
        "position": decision.position,
        "on_turn": mover,
        "cube": Cube(decision.cube, {0: None, 1: mover, -1: 1 - mover}[decision.cube_owner]),
        "match": match,
        "roll": decision.dice,
    }


def actions_of(decision: Decision) -> tuple[ActionName, ...]:
    """Return what has been done with the cube since the turn began."""
    done: tuple[ActionName, ...] = ("double", "beaver", "raccoon")
    return () if decision.offer is None else done[: done.index(decision.offer) + 1]
