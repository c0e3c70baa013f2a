"""Moments of a game by the rows of its score sheet."""

from __future__ import annotations

from bgfast.errors import BgfastError
from bgfast.games.match import Match
from bgfast.records.finding_log import NumberedRows

__all__ = ["moment"]

_ACTIONS = ("double", "beaver", "raccoon", "take", "drop", "resign")


def moment(match: Match, move: int | None, player: int | None = None) -> Match:
    """Undo a match of one game back to the moment before a row of its score sheet; return the match.

    Parameters
    ----------
    match : Match
    move : int or None
        Row of the score sheet; None for the end.
    player : {None, 0, 1}
        Player of the cell in that row; None for the first cell.

    Raises
    ------
    BgfastError
        If the game has no such move.
    """
    if move is None:
        return match
    rows, moment_index, number = NumberedRows(), None, 0
    for index, action in enumerate(match.history):
        if action.name not in ("play", "pass_turn", *_ACTIONS) or action.player is None:
            continue
        number = rows.cell(action.player)
        if moment_index is None and number == move and player in (None, action.player):
            moment_index = index
    if moment_index is None:
        of_player = "" if player is None else " of that player"
        raise BgfastError(f"move {move}{of_player}: expected one of the {number} moves of the game")
    while len(match.history) > moment_index:
        match.undo()
    return match
