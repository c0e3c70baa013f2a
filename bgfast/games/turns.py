"""Whole turns that were played elsewhere: followed all at once where they are plain, told one by one later.

A turn is a roll with its play. Most turns of a record are legal and written plainly. Whether they are is
asked of the generator, for all of them in one call, and no state between them is made before it is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from bgfast.common.validation import generated_switches
from bgfast.games._turns import follow_turns
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import state_after_turns
from bgfast.games.unchecked_plays import play_to
from bgfast.position.objects import Position

__all__ = ["Turn", "Turns", "followed_turns", "told_play"]

Turn = tuple[int | None, tuple[int, int] | None, str]
"""Who plays, the dice, and the play in notation, empty for a pass; None is what a record does not say."""


class Turns(NamedTuple):
    """Turns that were followed.

    Attributes
    ----------
    turns : sequence of (int, (int, int), str)
        Who played, the dice and the text.
    actions : int
        How many actions they are: a roll and a play each, but for a first roll that was thrown before.
    """

    turns: Sequence[Turn]
    actions: int


def followed_turns(state: GameState, turns: list[Turn | None], first: int) -> tuple[Turns, GameState] | None:
    """Return the turns that can be followed from place `first` on, and the state after them; None for none.

    The first of them plays the roll of the state, if there is one.
    """
    if state.phase not in ("to_roll", "to_play") or generated_switches(state.rules) is not None:
        return None
    assert state.on_turn is not None
    number, board = follow_turns(state.position.to_array(), state.on_turn, turns, first)
    if not number:
        return None
    followed = cast("list[Turn]", turns[first : first + number])
    throws = number - (state.phase == "to_play")
    position = Position.from_array(np.frombuffer(board, np.int8), state.position.checkers)
    return Turns(followed, number + throws), state_after_turns(state, number, throws, position)


def told_play(state: GameState, turn: Turn) -> Action:
    """Return the play of a turn that was followed, or its pass; the state has its roll."""
    assert state.on_turn is not None
    _, board = follow_turns(state.position.to_array(), state.on_turn, [turn], 0)
    return play_to(state, Position.from_array(np.frombuffer(board, np.int8), state.position.checkers))
