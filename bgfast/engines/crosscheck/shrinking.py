"""From a position on which an engine is wrong to one with as few checkers as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from bgfast.engines.protocol import Board, Case

__all__ = ["Shrunk", "shrunk"]


class Shrunk(NamedTuple):
    """What shrinking led to.

    Attributes
    ----------
    case : Case
        The last case that is still wrong in the same way; it comes from no game.
    attempts : int
        How many positions were tried.
    complete : bool
        Whether it is a local minimum: with any checker, or any two, taken off the engine is not wrong in the
        same way any more. Otherwise the attempts were used up.
    """

    case: Case
    attempts: int
    complete: bool


def shrunk(case: Case, still_wrong: Callable[[Case], bool], most: int | None = None) -> Shrunk:
    """Take checkers off the board as long as an engine stays wrong in the same way.

    Whole points are tried first, which is fastest, then single checkers, then two at a time, of either side;
    each side keeps one. Whatever is taken off counts as borne off.

    Parameters
    ----------
    case : Case
    still_wrong : function
        Whether the engine is wrong on a case in the same way.
    most : int, optional
        The greatest number of positions to try; None is no limit.

    Returns
    -------
    Shrunk

    Examples
    --------
    >>> board = [0] * 26
    >>> board[13], board[6], board[24], board[19] = 5, 4, -2, -1
    >>> found = shrunk(Case(tuple(board), (3, 1)), lambda case: case.board[6] >= 2).case.board
    >>> found[6], found[13], sum(map(abs, found))
    (2, 0, 3)
    """
    case = case._replace(game=None)
    tried = {case.board}
    open_ = _smaller(case.board)
    while (board := next(open_, None)) is not None:
        if board in tried:
            continue
        if most is not None and len(tried) > most:
            return Shrunk(case, len(tried) - 1, False)
        tried.add(board)
        if still_wrong(case._replace(board=board)):
            case = case._replace(board=board)
            open_ = _smaller(board)
    return Shrunk(case, len(tried) - 1, True)


def _smaller(board: Board) -> Iterator[Board]:
    """Yield the boards to be tried, on which each side still has a checker."""
    places = [place for place, number in enumerate(board) if number]
    taken: list[Sequence[int]] = [[place] * abs(board[place]) for place in places]
    taken += combinations_with_replacement(places, 1)
    taken += combinations_with_replacement(places, 2)
    for those in taken:
        after = list(board)
        for place in those:
            after[place] += 1 if board[place] < 0 else -1
        crossed = any(before * now < 0 for before, now in zip(board, after, strict=True))
        if not crossed and max(after) > 0 > min(after):
            yield tuple(after)
