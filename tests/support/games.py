"""Positions near the end of a game, a check of refused actions, and names of the presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from bgfast import Game, Match, Position

PRESETS = ("standard", "exact", "rear_first", "five_stack")
BAR = 25


@contextmanager
def expect_refusal(game: Game | Match, error: type[Exception], message: str) -> Iterator[None]:
    """Expect an error that leaves the game or match unchanged."""
    state = game.to_json(complete=True)
    with pytest.raises(error, match=message):
        yield
    assert game.to_json(complete=True) == state


def near_win(loser: Mapping[int, int]) -> Position:
    """Return a position with the mover's last checker on the ace point; `loser` maps points to counts."""
    board = [0] * 26
    board[1] = 1
    for point, count in loser.items():
        assert board[BAR - point] == 0
        board[BAR - point] = -count
    return Position.from_array(board)


def bear_off(game: Game | Match) -> None:
    """Roll 2-1 and bear the last checker off."""
    game.roll((2, 1))
    game.play(next(play for play in game.plays() if play.position.phase == "over"))
