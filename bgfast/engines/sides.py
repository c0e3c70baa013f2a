"""From which side the boards of an answer are seen: the mover's, as agreed, or one easily taken for it.

An author who flips the board after each play, or only the points or only the signs, lists boards that are
right for all but bgfast. The bars go with the points, with the signs, with both or with neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import BAR, OFF, Board
from bgfast.errors import shown

__all__ = ["MOVER", "SIDES", "Side", "impossible", "no_board", "possible_sides"]

Numbers = tuple[int, ...]


class Side(NamedTuple):
    """A way to see a board.

    Attributes
    ----------
    name : str
        "mover", "whole-board", "points-only" or "signs-only": what is seen from the opponent's side.
    points, bars : function
        What the numbers of the 24 points, and those at 0 and 25, are from the mover's side.
    """

    name: str
    points: Callable[[Numbers], Numbers]
    bars: Callable[[Numbers], Numbers]

    def turned(self, board: Board) -> Board:
        """Return a board as the mover sees it."""
        first, last = self.bars((board[OFF], board[BAR]))
        return (first, *self.points(board[OFF + 1 : BAR]), last)


def _same(numbers: Numbers) -> Numbers:
    return numbers


def _reversed(numbers: Numbers) -> Numbers:
    return numbers[::-1]


def _negative(numbers: Numbers) -> Numbers:
    return tuple(-number for number in numbers)


def _flipped(numbers: Numbers) -> Numbers:
    return _negative(numbers[::-1])


MOVER = Side("mover", _same, _same)
SIDES = (
    MOVER,
    *(
        Side(name, points, bars)
        for name, points in (("whole-board", _flipped), ("points-only", _reversed), ("signs-only", _negative))
        for bars in dict.fromkeys((points, _same, _flipped, _reversed, _negative))
    ),
)
"""Every side that an engine may see, the mover's first."""


def impossible(listed: Sequence[Board], before: Board, sides: Sequence[Side] = SIDES) -> str:
    """Say why no play whatever can lead to the boards of an answer, whichever of the sides sees them.

    Parameters
    ----------
    listed : sequence of Board
    before : Board
        The board that was asked for.
    sides : sequence of Side, optional

    Returns
    -------
    str
        A sentence about the first board that cannot be from the mover's side; empty if they are possible.
    """
    if next(possible_sides(listed, before, sides), None) is not None:
        return ""
    return next(no_board(board, why) for board in listed if (why := _problem(board, before)))


def possible_sides(listed: Sequence[Board], before: Board, sides: Sequence[Side] = SIDES) -> Iterator[Side]:
    """Yield the sides from which some play, legal or not, could lead to each of the boards."""
    return (side for side in sides if not any(_problem(side.turned(board), before) for board in listed))


def no_board(row: object, why: str) -> str:
    """Say that something is no board, and show a board in full, anything else shortened."""
    numbers = isinstance(row, list | tuple) and len(row) <= 30 and set(map(type, row)) == {int}
    text = json.dumps(row) if numbers else ""
    return f"it listed a board that cannot be, {why}: {text if text and len(text) <= 200 else shown(row)}"


def _problem(board: Board, before: Board) -> str:
    """Return why no play can lead to a board that is seen from the mover's side, or an empty text."""
    own, other = _own_and_other(before)
    own_after, other_after = _own_and_other(board)
    if own_after > own:
        return f"the mover has {own_after} checkers on it instead of at most {own}"
    # Fewer are possible where a checker that was hit is not put on the bar.
    if other_after > other:
        return f"the opponent has {other_after} checkers on it instead of at most {other}"
    if not 0 <= board[BAR] <= before[BAR]:
        return f"the mover's bar, index 25, holds {board[BAR]} instead of 0 to {before[BAR]}"
    if board[OFF] > before[OFF]:
        return f"the opponent's bar, index 0, holds {board[OFF]} instead of {before[OFF]} or less"
    return ""


def _own_and_other(board: Board) -> tuple[int, int]:
    difference, total = sum(board), sum(map(abs, board))
    return (total + difference) // 2, (total - difference) // 2
