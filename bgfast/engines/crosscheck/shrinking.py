"""Shrinking: reduce a position on which an engine is wrong to as few checkers as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from bgfast.common.vocabulary import Board
from bgfast.engines.protocol import Case


class ShrinkResult(NamedTuple):
    """Smallest case on which the engine is still wrong in the same way; without a game."""

    case: Case
    attempts: int  # positions tried
    complete: bool  # True if it is minimal: without any one or two checkers the error disappears


def shrink(case: Case, still_wrong: Callable[[Case], bool], max_attempts: int | None = None) -> ShrinkResult:
    """Remove checkers from the board as long as the engine stays wrong in the same way.

    Whole points are tried first, which is fastest, then single checkers, then pairs, of either side; both
    sides keep at least one checker. Removed checkers count as borne off.
    """
    case = case._replace(game=None)
    tried = {case.board}
    candidates = _smaller(case.board)
    while (board := next(candidates, None)) is not None:
        if board in tried:
            continue
        if max_attempts is not None and len(tried) > max_attempts:
            return ShrinkResult(case, len(tried) - 1, False)
        tried.add(board)
        if still_wrong(case._replace(board=board)):
            case = case._replace(board=board)
            candidates = _smaller(board)
    return ShrinkResult(case, len(tried) - 1, True)


def _smaller(board: Board) -> Iterator[Board]:
    """Yield the boards to try; both sides keep at least one checker."""
    points = [point for point, number in enumerate(board) if number]
    removals: list[Sequence[int]] = [[point] * abs(board[point]) for point in points]
    removals += combinations_with_replacement(points, 1)
    removals += combinations_with_replacement(points, 2)
    for removal in removals:
        after = list(board)
        for point in removal:
            after[point] += 1 if board[point] < 0 else -1
        crossed = any(before * now < 0 for before, now in zip(board, after, strict=True))
        if not crossed and max(after) > 0 > min(after):
            yield tuple(after)
