"""The two players of a game, 0 and 1, and what they are called in print."""

from __future__ import annotations

from typing import Any

from bgfast.common.validation import whole_number
from bgfast.errors import InvalidGameError, shown

__all__ = ["PLAYER_NAMES", "other_player", "player_number"]

PLAYER_NAMES = ("X", "O")  # as the printed board shows their checkers


def other_player(player: int) -> int:
    """Return the opponent of a player."""
    return 1 - player


def player_number(name: str, value: Any) -> int:
    """Return a player, 0 or 1.

    Raises
    ------
    InvalidGameError
        If it is anything else.
    """
    number = whole_number(value)
    if number not in (0, 1):
        raise InvalidGameError(f"{name} is {shown(value)}; expected a player, 0 or 1")
    return number
