"""Batches of recorded turns, expanded into actions on demand.

A turn is a roll with its play. Most recorded turns are legal and in plain notation; a batch checks them in
one call without intermediate states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from bgfast.common.validation import generated_switches
from bgfast.games._turns import follow_turns
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import state_after_turns
from bgfast.games.unchecked_plays import action_to
from bgfast.position.objects import Position

Turn = tuple[int | None, tuple[int, int] | None, str]
"""Player, dice, and play in notation, empty for a pass; None where the record has no entry."""


class Turns(NamedTuple):
    """Batch of turns in a history."""

    turns: Sequence[Turn]
    actions: int  # a roll and a play per turn, without a first roll that was thrown before


def apply_turns(state: GameState, turns: list[Turn | None], first: int) -> tuple[Turns, GameState] | None:
    """Apply the leading legal turns from index `first`; return them and the state after them, or None.

    The first turn plays the roll of the state, if there is one.
    """
    if state.phase not in ("to_roll", "to_play") or generated_switches(state.rules) is not None:
        return None
    assert state.on_turn is not None
    number, board = follow_turns(state.position.to_array(), state.on_turn, turns, first)
    if not number:
        return None
    applied = cast("list[Turn]", turns[first : first + number])
    throws = number - (state.phase == "to_play")
    position = Position.from_array(np.frombuffer(board, np.int8), state.position.checkers)
    return Turns(applied, number + throws), state_after_turns(state, number, throws, position)


def play_of_turn(state: GameState, turn: Turn) -> Action:
    """Return the play or pass of an applied turn; the state has its roll."""
    assert state.on_turn is not None
    _, board = follow_turns(state.position.to_array(), state.on_turn, [turn], 0)
    return action_to(state, Position.from_array(np.frombuffer(board, np.int8), state.position.checkers))
