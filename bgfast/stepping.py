"""One move at a time: which single moves some legal play continues with.

For boards on which a person clicks one checker after the other. Works on plain boards of 26 ints,
mover's side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from .core.generator import movable_points
from .errors import IllegalPlayError, shown
from .inputs import whole_number

__all__ = ["Move", "NextMoves", "next_moves", "played_board"]

UNUSED = (-1, -1)  # how arrays of moves fill the rows that a play does not need
Board = tuple[int, ...]


class Move(NamedTuple):
    """One checker moved with one die: points 1..24, 25 is the bar; `to` 0 is off."""

    die: int
    from_: int
    to: int
    hit: bool


class NextMoves(NamedTuple):
    """The single moves that some legal play continues with, and whether the play is complete without them."""

    moves: tuple[Move, ...]
    complete: bool


class _Stand(NamedTuple):
    """Where an unfinished play stands: the board, and the dice that it still has to use."""

    board: Board
    dice: tuple[int, ...]


def _after(board: Board, move: Move) -> Board:
    numbers = list(board)
    numbers[move.from_] -= 1
    if move.hit:
        numbers[0] -= 1
        numbers[move.to] = 0
    if move.to:
        numbers[move.to] += 1
    return tuple(numbers)


def _moves(stand: _Stand) -> Iterator[tuple[Move, _Stand]]:
    """Every move of one die from here, and where it leads; from the highest point down, higher die first."""
    for die in sorted(set(stand.dice), reverse=True):
        rest = list(stand.dice)
        rest.remove(die)
        for point in movable_points(stand.board, die):
            to = max(point - die, 0)
            move = Move(die, point, to, to > 0 and stand.board[to] == -1)
            yield move, _Stand(_after(stand.board, move), tuple(rest))


def _dice_to_use(board: Board, roll: tuple[int, int], length: int) -> tuple[int, ...]:
    """The dice that every legal play of `length` moves uses.

    "When L == 1 on a non-double: that die is the higher of those that had an ordinary move at the start."
    """
    high, low = max(roll), min(roll)
    if high == low:
        return (high,) * length
    if length == 1:
        return (high,) if movable_points(board, high) else (low,)
    return (high, low)[:length]


def _stands(
    board: Sequence[int], roll: tuple[int, int], length: int, so_far: Iterable[Sequence[int]]
) -> tuple[set[_Stand], dict[_Stand, list[tuple[Move, _Stand]]]]:
    """Where the moves of `so_far` can have led, and the good moves from each of those places.

    There can be several: without a die, (3, 0) may have used either of two high dice.
    """

    @cache
    def can_finish(stand: _Stand) -> bool:
        return not stand.dice or any(can_finish(after) for _, after in _moves(stand))

    def good(stand: _Stand) -> list[tuple[Move, _Stand]]:
        return [(move, after) for move, after in _moves(stand) if can_finish(after)]

    start = tuple(int(number) for number in board)
    stands = {_Stand(start, _dice_to_use(start, roll, length))}
    if not isinstance(so_far, Iterable):
        raise IllegalPlayError(f"a play of {shown(so_far)}; expected text, a Play, or a sequence of moves")
    for number, given in enumerate(so_far, 1):
        wanted = _given_move(given, number)
        if wanted == UNUSED:
            continue
        reached = {
            after
            for stand in stands
            for move, after in good(stand)
            if wanted in ((move.from_, move.to), move[:3], move)
        }
        if not reached:
            raise IllegalPlayError(
                f"move {number}, {_move_text(wanted)}: no legal play of {roll[0]}-{roll[1]} goes on like this"
            )
        stands = reached
    return stands, {stand: good(stand) for stand in stands}


def _given_move(given: Sequence[int], number: int) -> tuple[int, ...]:
    """The move as (from, to), (die, from, to) or (die, from, to, hit); anything else is refused."""
    try:
        values = () if isinstance(given, (str, bytes)) else tuple(islice(given, 5))
    except TypeError:
        values = ()
    points, hit = values[:3], values[3:]
    numbers = tuple(whole_number(value) for value in points)
    if len(values) not in (2, 3, 4) or None in numbers or not all(type(value) is bool for value in hit):
        raise IllegalPlayError(
            f"move {number} is {shown(given)}; expected (from, to), (die, from, to) or (die, from, to, hit)"
        )
    return (*(value for value in numbers if value is not None), *hit)


def _move_text(wanted: tuple[int, ...]) -> str:
    source, to = wanted[-2:] if len(wanted) < 4 else wanted[1:3]
    return f"{shown(source)}/{shown(to)}"


def next_moves(
    board: Sequence[int], roll: tuple[int, int], length: int, so_far: Iterable[Sequence[int]]
) -> NextMoves:
    """Return the moves that some legal play continues with after `so_far`.

    Parameters
    ----------
    board : sequence of 26 int
        Mover's side, at the start of the play.
    roll : (int, int)
    length : int
        How many dice each legal play uses; 0 when there is none.
    so_far : iterable of (from, to) or (die, from, to[, hit])

    Returns
    -------
    NextMoves
        Sorted by die and point, both from the highest down.

    Raises
    ------
    IllegalPlayError
        If no legal play begins with `so_far`.
    """
    stands, continuations = _stands(board, roll, length, so_far)
    moves = {move for good in continuations.values() for move, _ in good}
    return NextMoves(
        tuple(sorted(moves, key=lambda move: (-move.die, -move.from_))),
        complete=all(not stand.dice for stand in stands),
    )


def played_board(
    board: Sequence[int], roll: tuple[int, int], length: int, moves: Iterable[Sequence[int]]
) -> Board:
    """Return the board, still the mover's side, after a whole play given move by move.

    Raises
    ------
    IllegalPlayError
        If the moves are not a legal play, or not the whole of one.
    """
    stands, _ = _stands(board, roll, length, moves)
    for stand in stands:
        if stand.dice:
            missing = " and ".join(str(die) for die in stand.dice)
            raise IllegalPlayError(f"the play is not complete: {missing} can still be played and must be")
    boards = {stand.board for stand in stands}
    return boards.pop()
