"""Perspective of the boards in an answer: the mover's, as the protocol demands, or a common mistake.

Some engines flip the board after a play, or reverse only the points, or negate only the signs. Their boards
are correct but for the perspective. The bars may be flipped like the points, like the signs, both or neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import BAR, OFF, Board
from bgfast.errors import shown

Numbers = tuple[int, ...]


class Side(NamedTuple):
    """Perspective of a board, named by the part that is seen from the opponent's side, and its conversion."""

    name: str
    points: Callable[[Numbers], Numbers]
    bars: Callable[[Numbers], Numbers]

    def from_mover(self, board: Board) -> Board:
        """Return the board from the mover's side."""
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
"""All perspectives that are recognized, the mover's first."""


def impossible_board(listed: Sequence[Board], before: Board, sides: Sequence[Side] = SIDES) -> str:
    """Return a message about a board that no play, legal or illegal, can reach.

    It is about the first board that is impossible from the mover's side; empty if one perspective makes all
    boards possible.
    """
    if next(plausible_sides(listed, before, sides), None) is not None:
        return ""
    return next(
        describe_impossible(board, problem) for board in listed if (problem := _problem(board, before))
    )


def plausible_sides(listed: Sequence[Board], before: Board, sides: Sequence[Side] = SIDES) -> Iterator[Side]:
    """Yield the perspectives from which a play, legal or illegal, could reach every board of the list."""
    return (side for side in sides if not any(_problem(side.from_mover(board), before) for board in listed))


def describe_impossible(row: object, reason: str) -> str:
    """Return the message about an impossible board; numbers are quoted in full, anything else shortened."""
    is_board = isinstance(row, list | tuple) and len(row) <= 30 and set(map(type, row)) == {int}
    text = json.dumps(row) if is_board else ""
    return f"it listed an impossible board, {reason}: {text if text and len(text) <= 200 else shown(row)}"


def _problem(board: Board, before: Board) -> str:
    """Return the reason why no play can reach a board, from the mover's side; empty if one can."""
    own, other = _own_and_other(before)
    own_after, other_after = _own_and_other(board)
    if own_after > own:
        return f"the mover has {own_after} checkers on it instead of at most {own}"
    # Fewer are accepted: an engine may forget to put a hit checker on the bar.
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
