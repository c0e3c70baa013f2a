"""Plays as pairs of points, as in binary formats: conversion to notation and to and from boards.

A move is (start, end), points minus 1: 24 is the bar, -1 is off the board. Boards have 26 numbers from the
mover's side: own checkers positive on points 1 to 24, the own bar at 25, the opponent's at 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bgfast.position.explain.attempt import moved
from bgfast.position.explain.hops import hop_text

BAR = 24
_MAX_MOVES = 4

Move = tuple[int, int]


def play_text(moves: Iterable[Move]) -> str:
    """Return moves in notation, without marks of hits."""
    return " ".join(hop_text((start + 1, end + 1)) for start, end in moves)


def board_after(board: Sequence[int], moves: Iterable[Move]) -> tuple[int, ...]:
    """Return the board after moves, legal or not; a checker that lands on a blot hits it."""
    return moved(tuple(board), [(start + 1, end + 1) for start, end in moves])


def moves_between(before: Sequence[int], after: Sequence[int]) -> list[Move]:
    """Return moves between two boards, perhaps illegal or backwards; none if more than four are needed."""
    starts: list[int] = []
    ends: list[int] = []
    for point in range(25, 0, -1):
        change = max(after[point], 0) - max(before[point], 0)
        (starts if change < 0 else ends).extend([point - 1] * abs(change))
    ends += [-1] * (len(starts) - len(ends))
    return list(zip(starts, ends, strict=True)) if len(starts) == len(ends) <= _MAX_MOVES else []
