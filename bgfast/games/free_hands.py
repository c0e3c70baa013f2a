"""A play as hands make it: checkers are carried to where they are put, whatever the rules say.

What a player does on a real board before his opponent objects; for plays made ``unchecked=True``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from bgfast.common.validation import whole_number
from bgfast.common.vocabulary import BAR, OFF
from bgfast.errors import IllegalPlayError, shown
from bgfast.position.hops import Hop, hop_text, hops_text
from bgfast.position.objects import Position
from bgfast.position.play_text import is_pass, read_hops

__all__ = ["carried"]

MAX_DIE = 6
MAX_MOVES = 4


def carried(position: Position, play: Any) -> tuple[Position, str]:
    """Return the position of the next player after checkers were carried like this, and the text of it.

    Parameters
    ----------
    position : Position
        The mover's side.
    play : str, or sequence of moves
        In notation, or as (from, to), (die, from, to) or (die, from, to, hit); (d, d) forfeits the die d.
        ``"pass"`` and forfeits carry nothing.

    Raises
    ------
    IllegalPlayError
        If no hands can do it: no checker stands there, or opposing checkers hold the place.
    NotationError
        If text cannot be read.
    InvalidPositionError
        If what comes out is no position.

    Examples
    --------
    >>> from bgfast import Position
    >>> after, text = carried(Position.start(), "13/2")
    >>> after.pip_counts, text
    ((167, 156), '13/2')
    >>> carried(Position.start(), [(13, 8), (1, 1)])[1]
    '13/8 F1'
    """
    hops, forfeits = _parts(play)
    board = position.to_array().tolist()
    for start, end in hops:
        if board[start] < 1:
            raise IllegalPlayError(f"{hop_text((start, end))}: no checker of the player stands there")
        if end != OFF and board[end] < -1:
            # "A hit needs exactly one", and a point cannot hold checkers of both sides
            raise IllegalPlayError(
                f"{hop_text((start, end))}: {-board[end]} opposing checkers hold the point"
            )
        board[start] -= 1
        if end != OFF:
            if board[end] == -1:
                board[0] -= 1
                board[end] = 0
            board[end] += 1
    return Position.from_array(board, position.checkers).flip(), hops_text(hops, forfeits) or "pass"


def _parts(play: Any) -> tuple[list[Hop], list[int]]:
    """Return from where to where checkers are carried, and the dice that are forfeited."""
    if isinstance(play, str):
        hops, forfeits, _ = ([], (), set()) if is_pass(play) else read_hops(play)
        return hops, list(forfeits)
    if not isinstance(play, Iterable):
        raise IllegalPlayError(f"a play of {shown(play)}; expected text, a Play, or a sequence of moves")
    moves = list(islice(play, MAX_MOVES + 1))
    if len(moves) > MAX_MOVES:
        raise IllegalPlayError(f"a play of more than {MAX_MOVES} moves")
    pairs = [_pair(move, number) for number, move in enumerate(moves, 1)]
    return [pair for pair in pairs if pair[0] != pair[1]], [start for start, end in pairs if start == end]


def _pair(move: Any, number: int) -> Hop:
    values = tuple(islice(move, 5)) if isinstance(move, Iterable) else ()
    points = [whole_number(value) for value in (values if len(values) == 2 else values[1:3])]
    if len(values) not in (2, 3, 4) or len(points) != 2:
        points = [None, None]
    start, end = points
    if start is None or end is None or not (BAR >= start > end >= OFF or 1 <= start == end <= MAX_DIE):
        raise IllegalPlayError(
            f"move {number} is {shown(move)}; expected (from, to), down from 25 (the bar) to 0 (off), "
            "or (d, d) for a forfeited die d"
        )
    return start, end
