"""Validation shared by the batch functions: boards, requests and output memory."""

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

MAX_ROWS = 2**48  # keeps the bytes of a result within an int64; memory ends long before

# Words accepted instead of dice, and their meanings.
DICE_WORDS = {"all": "the 21 rolls of each board", "random": "a fair roll of its own for each board"}

BoardsLike = npt.ArrayLike | Sequence[Position]
"""Boards as users pass them: an array (n, 26), anything numpy converts to one, or a list of positions."""

Switches = tuple[int, bool, bool, int] | None
"""Rules in the core's form: see `generated_switches`."""


def boards_array(boards: BoardsLike, checkers: int | None = None) -> npt.NDArray[np.int8]:
    """Return boards, or `Position` objects in a list, as a C-contiguous int8 array (n, 26).

    An array that is one already is returned itself. Raises `InvalidPositionError` if these are not rows of 26
    whole numbers in the range of int8, or a `Position` has another number of checkers a side than `checkers`.
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
    """Return valid boards as `boards_array`; `checkers` None allows up to 15 a side.

    Raises `InvalidPositionError`, with the first invalid row, if a board is impossible.
    """
    # Save a call for arrays.
    rows = board_rows(boards) if type(boards) is np.ndarray else boards_array(boards, checkers)
    check_boards(rows, CHECKERS if checkers is None else checkers, threads)
    return rows


def checkers_of(positions: Any) -> int:
    """Return the number of checkers a side of positions; raise `InvalidPositionError` for anything else."""
    if not isinstance(positions, (list, tuple)) or not all(isinstance(item, Position) for item in positions):
        raise InvalidPositionError(f"positions is {shown(positions)}; expected a list of Position")
    sizes: set[int] = {position.checkers for position in positions}
    if len(sizes) != 1:
        raise InvalidPositionError(
            f"positions have {shown(sorted(sizes))} checkers a side; expected one number for all"
        )
    return sizes.pop()


def row_count(value: Any) -> int:
    """Return a number of rows; raise `BgfastError` if it is not a whole number from 0 to 2**48."""
    return bounded_number("n", value, MAX_ROWS)


def checked_dice(dice: Rolls | str, boards: int, word: str) -> npt.NDArray[np.int8] | None:
    """Return one roll for all boards, or one for each; None if `dice` is `word`.

    Raises `InvalidDiceError` if these are not rolls, their number is not that of the boards, or `dice` is
    another word.
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

    The generator checks that boards are possible as it reads them, since they may change until then. Raises
    a `BgfastError`, with the first bad row, for other invalid arguments.
    """
    switches = None if rules is STANDARD else generated_switches(rules)
    workers = thread_count(threads)
    rows = board_rows(boards) if type(boards) is np.ndarray else boards_array(boards)
    return switches, rows, checked_dice(dice, len(rows), word), workers


def check_out(
    out: Any, dtype: npt.DTypeLike, shape: tuple[int | None, ...], **read: npt.NDArray[Any] | None
) -> None:
    """Check memory for a result of this shape (None: any number), before anything is written.

    `out` must not overlap the arrays `read` by name. Raises `BgfastError` if `out` is of another dtype, shape
    or layout, is read-only, or overlaps one of them.
    """
    # A subclass may misreport its shape and flags: check the base array, which is written to.
    memory = np.asarray(out) if isinstance(out, np.ndarray) else None
    if memory is None or memory.dtype != dtype or not _has_shape(memory, shape):
        numbers = ", ".join("N" if number is None else str(number) for number in shape)
        expected = f"dtype {np.dtype(dtype)}, shape ({numbers}{',' if len(shape) == 1 else ''})"
        actual = _describe(out if memory is None else memory)
        raise BgfastError(f"out is {actual}; expected an array of {expected}")
    if not memory.flags.c_contiguous or not memory.flags.aligned or not memory.flags.writeable:
        raise BgfastError("out is not C-contiguous, aligned and writeable; expected memory to write to")
    for name, array in read.items():
        if array is not None and np.may_share_memory(memory, array):
            raise BgfastError(f"out overlaps {name}; expected memory of its own")


def result_memory(
    out: Any, dtype: npt.DTypeLike, shape: tuple[int, ...], **read: npt.NDArray[Any] | None
) -> npt.NDArray[Any]:
    """Return memory for a result: `out`, checked by `check_out`, or a fresh array if it is None."""
    if out is None:
        return np.empty(shape, dtype)
    check_out(out, dtype, shape, **read)
    memory: npt.NDArray[Any] = out
    return memory


def _has_shape(out: npt.NDArray[Any], shape: tuple[int | None, ...]) -> bool:
    return out.ndim == len(shape) and all(
        actual == expected or expected is None for actual, expected in zip(out.shape, shape, strict=True)
    )


def _describe(out: Any) -> str:
    return f"of dtype {out.dtype!s:.60}, shape {out.shape}" if isinstance(out, np.ndarray) else shown(out)
