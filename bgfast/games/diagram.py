"""What a picture of a game shows. An XGID would do, but for a cube that is too high for one."""

from __future__ import annotations

from bgfast.games.scoring import PLAYER_NAMES
from bgfast.games.state import GameState
from bgfast.games.xgid import offered, seen_by_mover
from bgfast.position.board_svg import Diagram
from bgfast.position.xgid import awaited

__all__ = ["diagram_of"]


def diagram_of(state: GameState, money_score: tuple[int, int]) -> Diagram:
    """Return what a picture shows of a game, with the points of players 0 and 1 in money play."""
    mover = PLAYER_NAMES[state.on_turn or 0]
    offer = offered(state)
    seen = seen_by_mover(state, money_score)
    if not seen["match_length"] and not any(seen["score"]):
        seen["score"] = None
    dice = state.dice if offer is None else None
    if state.result is None:
        status = awaited(mover, dice, offer)
    else:
        status = f"{PLAYER_NAMES[state.result.winner]} wins {state.result}"
    return Diagram(
        board=tuple(state.position),
        checkers=state.position.checkers,
        mover=mover,
        status=status,
        roll=dice,
        cube_offered=offer is not None,
        **seen,
    )
