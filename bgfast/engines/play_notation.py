"""Plays in the notations of UBGI, in all dialects, and of GNU Backgammon."""

from __future__ import annotations

import re

from bgfast.common.vocabulary import BAR, OFF, Board
from bgfast.position.objects import Play

PASS = "pass"
"""UBGI's play where none is legal."""
_POINTS = {"bar": BAR, "off": OFF}
_NAMES = {point: name for name, point in _POINTS.items()}
_PAIRS = re.compile(r"(?:bar|off|[0-9]{1,2})(?:[ -]+(?:bar|off|[0-9]{1,2}))+")
_CHAIN = re.compile(r"((?:bar|[0-9]{1,2})(?:[/-](?:off|[0-9]{1,2})\*?)+)(?:\(([1-4])\))?")


def play_words(play: Play) -> str:
    """Return a play as separate moves of one die each, without hits: ``24/18 18/13``; "" for a pass."""
    # From the rear, so that the moves can be made in this order.
    moves = sorted(play.moves, reverse=True)
    return " ".join(f"{_NAMES.get(start, start)}/{_NAMES.get(end, end)}" for start, end in moves)


def joined_pairs(text: str) -> str:
    """Return a play with ``/`` between start and end: ``8 5 6 5``, another spelling, becomes ``8/5 6/5``."""
    if not _PAIRS.fullmatch(text):
        return text
    points = re.split(r"[ -]+", text)
    if len(points) % 2:
        return text
    return " ".join(f"{start}/{end}" for start, end in zip(points[::2], points[1::2], strict=True))


def board_after(board: Board, text: str) -> Board:
    """Return the board after a play in UBGI's or GNU Backgammon's notation, from the mover's side.

    Legality is not checked. Blots on all points where a checker stops are hit, with or without a ``*``.
    Raises `ValueError` if the text is not a list of moves.
    """
    row = list(board)
    chains = []
    for part in joined_pairs(text).split():
        match = _CHAIN.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is no move")
        points = [_point(word) for word in re.split("[/-]", match[1].replace("*", ""))]
        chains.append((points, int(match[2] or 1)))
    # All blots first: the moves may be in any order.
    for points, _ in chains:
        for point in points[1:]:
            if point != OFF and row[point] == -1:
                row[point] = 0
                row[OFF] -= 1
    for points, count in chains:
        row[points[0]] -= count
        if points[-1] != OFF:
            row[points[-1]] += count
    return tuple(row)


def _point(word: str) -> int:
    point = _POINTS.get(word)
    point = int(word) if point is None else point
    if point > BAR:
        raise ValueError(f"{word} is no point")
    return point
