"""Positions near the end of the bear-off, with winning chances known by hand."""

from __future__ import annotations

from bgfast import Position

__all__ = ["EVEN", "LONG_SHOT", "WON", "bearing_off"]


def bearing_off(own: list[int], opponent: list[int]) -> Position:
    """Return a position by the numbers of checkers on points 1, 2, ... of both sides."""
    board = [0, *own] + [0] * (25 - len(own))
    for point, number in enumerate(opponent, 1):
        board[25 - point] = -number
    return Position.from_array(board)


EVEN = bearing_off([0, 1, 0, 0, 1], [2])  # 19 of 36 rolls win, all others lose
LONG_SHOT = bearing_off([0, 0, 0, 0, 0, 2], [2])  # 6-6, 5-5, 4-4 and 3-3 win
WON = bearing_off([1], [1])
