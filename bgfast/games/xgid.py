"""Games as XGIDs, both ways; X is player 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from bgfast.common.validation import rule_set
from bgfast.errors import IllegalActionError
from bgfast.games.scoring import Cube, MatchScore
from bgfast.games.state import ActionName, GameState
from bgfast.position.text.xgid_text import Offer
from bgfast.position.xgid import Xgid

__all__ = ["actions_of", "given_xgid", "offered", "seen_by_mover", "start_of", "xgid_of"]

_OFFERS: Mapping[str, Offer] = MappingProxyType({"doubled": "double", "beavered": "beaver"})


def xgid_of(state: GameState, money_score: tuple[int, int]) -> Xgid:
    """Return where a game stands, with the points of players 0 and 1 if it is no game of a match.

    Raises
    ------
    NotationError
        If the cube shows more than an XGID can say.
    """
    offer = offered(state)
    return Xgid(
        position=state.position,
        turn=1 if (state.on_turn or 0) == 0 else -1,
        dice=state.dice if offer is None else None,
        offer=offer,
        beaver=state.match is None and state.rules.beavers,
        max_cube=max(1024, state.cube.value),
        **seen_by_mover(state, money_score),
    )


def offered(state: GameState) -> Offer | None:
    """Return what the player on turn has done with the cube, where that waits for an answer."""
    return _OFFERS.get(state.phase)


def seen_by_mover(state: GameState, money_score: tuple[int, int]) -> dict[str, Any]:
    """Return cube, score and what is played for, from the side of the player on turn: fields of an `Xgid`."""
    mover = state.on_turn or 0
    owner = state.cube.owner
    score = money_score if state.match is None else state.match.score
    return {
        "cube": state.cube.value,
        "cube_owner": 0 if owner is None else 1 if owner == mover else -1,
        "score": (score[mover], score[1 - mover]),
        "match_length": 0 if state.match is None else state.match.length,
        "crawford": state.match is not None and state.match.crawford,
        "jacoby": state.match is None and state.rules.jacoby,
    }


def given_xgid(xgid: Any, checkers: int) -> Xgid:
    """Return an `Xgid`, read if it is text."""
    return xgid if isinstance(xgid, Xgid) else Xgid.read(xgid, checkers)


def start_of(xgid: Xgid, rules: Any) -> dict[str, Any]:
    """Return the arguments of the `Game` that begins like this."""
    found = rule_set(rules)
    mover = 0 if xgid.turn == 1 else 1
    match = None
    if xgid.match_length:
        score = xgid.score if mover == 0 else (xgid.score[1], xgid.score[0])
        match = MatchScore(xgid.match_length, score, xgid.crawford)
    else:
        found = replace(found, jacoby=xgid.jacoby, beavers=xgid.beaver)
    return {
        "rules": found,
        "position": xgid.position,
        "on_turn": mover,
        "cube": Cube(xgid.cube, {0: None, 1: mover, -1: 1 - mover}[xgid.cube_owner]),
        "match": match,
        "roll": xgid.dice,
    }


def actions_of(xgid: Xgid) -> tuple[ActionName, ...]:
    """Return what has been done with the cube since the turn began.

    Raises
    ------
    IllegalActionError
        If it is a raccoon, which no rules here know.
    """
    if xgid.offer == "raccoon":
        raise IllegalActionError("raccoon: no rules know it; expected a double, a beaver, or none")
    return {None: (), "double": ("double",), "beaver": ("double", "beaver")}[xgid.offer]
