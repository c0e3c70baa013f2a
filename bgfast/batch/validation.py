"""Checks that the functions on arrays of positions share: of boards, requests and output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch._request import check_boards
from bgfast.common.validation import (
    board_rows,
    bounded_number,
    dice_rows,
    generated_switches,
    thread_count,
)
from bgfast.common.vocabulary import BOARD_SIZE, CHECKERS, Rolls
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, shown
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike

__all__ = [
    "BoardsLike",
    "Switches",
    "check_out",
    "checked_boards",
    "checked_dice",
    "checked_request",
    "given_boards",
    "row_count",
]

MOST_ROWS = 2**48  # keeps the bytes of a result within an int64; memory ends long before

# What a function takes for dice where none are given, and what that is.
DICE_WORDS = {"all": "the 21 rolls of each board", "random": "a fair roll of its own for each board"}

BoardsLike = npt.ArrayLike | Sequence[Position]
"""Many boards as users hold them: an array (n, 26), what numpy makes one of, or a list of positions."""

Switches = tuple[int, bool, bool, int] | None
"""The rules as the core takes them: see `generated_switches`."""


def given_boards(boards: BoardsLike, checkers: int | None = None) -> npt.NDArray[np.int8]:
    """Return boards, or `Position` objects in a list, as a C-contiguous int8 array (n, 26).

    An array that is one already is returned itself.

    Parameters
    ----------
    checkers : int, optional
        How many a side the positions have to have, where that decides what is returned.

    Raises
    ------
    InvalidPositionError
        If these are not rows of 26 whole numbers in the range of int8, or a position has another number of
        checkers a side.
    """
    if not isinstance(boards, (list, tuple)) or not boards or not isinstance(boards[0], Position):
        return board_rows(boards)
    rows = np.empty((len(boards), BOARD_SIZE), np.int8)
    for row, position in enumerate(boards):
        if not isinstance(position, Position):
            raise InvalidPositionError(f"row {row} is {shown(position)}; expected a Position, as in row 0")
        if checkers is not None and position.checkers != checkers:
            raise InvalidPositionError(
                f"row {row}: a position of {position.checkers} checkers a side; expected {checkers}"
            )
        rows[row] = position.to_array()
    return rows


def checked_boards(boards: BoardsLike, checkers: int | None, threads: int = 1) -> npt.NDArray[np.int8]:
    """Return boards as a C-contiguous int8 array (n, 26): the array itself if it is one already.

    Parameters
    ----------
    boards : array, or list of Position
    checkers : int or None
        Per side. None: 15 at most, where it does not matter how many are off.

    Raises
    ------
    InvalidPositionError
        If one is impossible with so many checkers a side; the message names the first bad row.
    """
    # Arrays are spared a call.
    rows = board_rows(boards) if type(boards) is np.ndarray else given_boards(boards, checkers)
    check_boards(rows, CHECKERS if checkers is None else checkers, threads)
    return rows


def row_count(value: Any) -> int:
    """Return how many rows are to be made.

    Raises
    ------
    BgfastError
        If it is not a whole number from 0 to 2**48.
    """
    return bounded_number("n", value, MOST_ROWS)


def checked_dice(dice: Rolls | str, boards: int, word: str) -> npt.NDArray[np.int8] | None:
    """Return one roll for all boards, or one for each; None where `dice` is this word.

    Raises
    ------
    InvalidDiceError
        If these are not rolls, or not as many as boards; if it is another word, such as that of another
        function.
    """
    if isinstance(dice, str) and dice == word:
        return None
    if dice is None or isinstance(dice, str):
        raise InvalidDiceError(f"dice is {shown(dice)}; expected rolls, or {word!r} for {DICE_WORDS[word]}")
    return dice_rows(dice, boards)


def checked_request(
    boards: BoardsLike, dice: Rolls | str, word: str, rules: RuleSetLike, threads: int
) -> tuple[Switches, npt.NDArray[np.int8], npt.NDArray[np.int8] | None, int]:
    """Return switches, boards, dice as by `checked_dice`, and threads for the generator.

    Whether a board can be is for the generator to check, as it reads it: until then it may change.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If these are no boards, or a roll is impossible; the message names the first bad row.
    InvalidRulesError
        If `rules` is neither a `RuleSet` nor the name of one.
    BgfastError
        If `threads` is no number of threads.
    """
    switches = None if rules is STANDARD else generated_switches(rules)
    number = thread_count(threads)
    rows = board_rows(boards) if type(boards) is np.ndarray else given_boards(boards)
    return switches, rows, checked_dice(dice, len(rows), word), number


def check_out(
    out: Any, dtype: npt.DTypeLike, shape: tuple[int | None, ...], **read: npt.NDArray[Any] | None
) -> None:
    """Refuse memory that cannot take a result of this shape (None: any number), before anything is written.

    Parameters
    ----------
    **read : ndarray or None
        The arrays that are read while `out` is written, by their names: it may not overlap them.

    Raises
    ------
    BgfastError
        If `out` is of another dtype, shape or layout, is read-only, or overlaps one of `read`.
    """
    # A subclass may say anything of its shape and flags: the array beneath it is what is written to.
    memory = np.asarray(out) if isinstance(out, np.ndarray) else None
    if memory is None or memory.dtype != dtype or not _has_shape(memory, shape):
        numbers = ", ".join("N" if number is None else str(number) for number in shape)
        wanted = f"dtype {np.dtype(dtype)}, shape ({numbers}{',' if len(shape) == 1 else ''})"
        found = _described(out if memory is None else memory)
        raise BgfastError(f"out is {found}; expected an array of {wanted}")
    if not memory.flags.c_contiguous or not memory.flags.aligned or not memory.flags.writeable:
        raise BgfastError("out is not C-contiguous, aligned and writeable; expected memory to write to")
    for name, given in read.items():
        if given is not None and np.may_share_memory(memory, given):
            raise BgfastError(f"out overlaps {name}; expected memory of its own")


def _has_shape(out: npt.NDArray[Any], shape: tuple[int | None, ...]) -> bool:
    return out.ndim == len(shape) and all(
        there == wanted or wanted is None for there, wanted in zip(out.shape, shape, strict=True)
    )


def _described(out: Any) -> str:
    return f"of dtype {out.dtype!s:.60}, shape {out.shape}" if isinstance(out, np.ndarray) else shown(out)
