"""A play that was made, as an action: legal or not, a pass or not, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import tee
from typing import Any

from bgfast.errors import IllegalPlayError, InvalidGameError, shown
from bgfast.games.actions import Action
from bgfast.games.free_hands import carried
from bgfast.games.state import GameState
from bgfast.games.transitions import check_action

__all__ = ["check_saved_play", "made_play"]


def made_play(game: GameState, play: Any, unchecked: bool, end_turn: bool) -> Action:
    """Return what a play is as an action: a pass, or a play with what it leads to and its text.

    Raises
    ------
    IllegalActionError
        If there is no legal play, and this is not the pass.
    IllegalPlayError
        If the play is not legal; unchecked, if hands cannot make it.
    NotationError
        If text cannot be read, or fits several distinct results.
    """
    plays = game.plays()
    # Moves that come one after the other can be asked for once only.
    first, again = tee(play) if isinstance(play, Iterator) else (play, play)
    try:
        after = game.position.play(first, plays.roll, game.rules)
        text = ""
    except IllegalPlayError:
        if not unchecked:
            check_action(game, "play")  # where the turn passes it says so
            raise
        after, text = carried(game.position, again)
    if not len(plays) and after == game.position.flip():
        # "No legal play: the turn passes; a pass changes nothing"
        return Action("pass_turn")
    for legal in plays:
        if legal.position == after:
            return Action("play", after=after, text=str(legal), ends_turn=end_turn)
    return Action("play", after=after, text=text, unchecked=True, ends_turn=end_turn)


def check_saved_play(game: GameState, action: Action) -> None:
    """Raise `InvalidGameError` unless the text of a saved play is that of what it leads to."""
    assert action.after is not None
    found = next((play for play in game.plays() if play.position == action.after), None)
    expected = carried(game.position, action.text) if found is None else (action.after, str(found))
    if (action.after, action.text) != expected:
        raise InvalidGameError(f"the play {shown(action.text)} does not lead to {action.after.gnubg_id}")
