"""A moment of a match, by the numbers of its score sheet."""

from __future__ import annotations

from bgfast.errors import BgfastError
from bgfast.games.match import Match
from bgfast.records.game_replay import NumberedRows

__all__ = ["moment"]

_ACTIONS = ("double", "beaver", "raccoon", "take", "drop", "resign")


def moment(match: Match, move: int | None, player: int | None = None) -> Match:
    """Return a match of one game as it stood before a move; the match itself is taken back to there.

    Parameters
    ----------
    match : Match
    move : int or None
        The number of a row of its score sheet; None is the end.
    player : {None, 0, 1}
        Whose cell of that row; None is the first one.

    Raises
    ------
    BgfastError
        If the game has no such move.
    """
    if move is None:
        return match
    rows, found, number = NumberedRows(), None, 0
    for index, action in enumerate(match.history):
        if action.name not in ("play", "pass_turn", *_ACTIONS) or action.player is None:
            continue
        number = rows.cell(action.player)
        if found is None and number == move and player in (None, action.player):
            found = index
    if found is None:
        whose = "" if player is None else " of that player"
        raise BgfastError(f"move {move}{whose}: the game has {number} moves; expected one of these")
    while len(match.history) > found:
        match.undo()
    return match
