"""Boards, rolls and other arguments: types, constants, and validation.

Valid values are converted to a single form; others raise `BgfastError`, or the error class of their argument.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from numbers import Real
from operator import index
from types import MappingProxyType
from typing import Any, Literal, Protocol, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from bgfast.core.board import Fault, fault_of, fault_text
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, one_line, short_repr
from bgfast.rules import rule_set as rule_set

Board = tuple[int, ...]
"""26 numbers from the mover's side: 25 the mover's bar, 24 to 1 the points, 0 the opponent's bar."""

Boards = npt.NDArray[np.int8]
"""Boards, shape (n, 26)."""

Roll = tuple[int, int]
"""Two dice, in either order."""

RollLike = str | Sequence[SupportsIndex] | npt.NDArray[np.integer[Any]]
"""A roll as users pass it: (3, 1) or ``"31"``."""


class SupportsArray(Protocol):
    """Position, or array of numpy or another library that numpy can convert."""

    def __array__(self) -> npt.NDArray[Any]: ...


Rolls = str | SupportsArray | Sequence[SupportsIndex | SupportsArray | RollLike]
"""One roll or many, or a word such as ``"all"``. Not `numpy.typing.ArrayLike`, which accepts a number."""

PositionLike = SupportsArray | str | Sequence[int]
"""A position as users pass it: an object, any text of `bgfast.Position`, or a board."""

UnfinishedPhase = Literal["contact", "race", "bearoff"]
"""The phases of a position with a player on roll."""

BOARD_SIZE = 26
BAR = 25  # where a move from the mover's bar starts
OFF = 0  # end of a move that bears a checker off; index 0 of a board is the opponent's bar instead
HOME = 6  # the highest point of the mover's home
CHECKERS = 15  # per side by default; also the generator's maximum

STARTS: Mapping[str, tuple[Mapping[int, int], int]] = MappingProxyType(
    {
        "start": ({24: 2, 13: 5, 8: 3, 6: 5}, CHECKERS),
        "nackgammon": ({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}, CHECKERS),
        "longgammon": ({24: 15}, CHECKERS),
        "hypergammon": ({24: 1, 23: 1, 22: 1}, 3),
    }
)
"""Starting positions by name: each side's checkers by its own points, and the checkers per side."""


def start_board(name: str) -> tuple[Board, int]:
    """Return a starting position of `STARTS` and its checkers per side."""
    counts, checkers = STARTS[name]
    return tuple(counts.get(point, 0) - counts.get(BAR - point, 0) for point in range(BOARD_SIZE)), checkers


def flip_board(board: Sequence[int]) -> Board:
    """Return a board as seen from the other side."""
    return tuple(-cell for cell in reversed(board))


def roll_weight(roll: Roll) -> int:
    """Return the number of ordered rolls with the same dice: 1 for doubles, else 2."""
    return 1 if roll[0] == roll[1] else 2


ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, (1, 1) (2, 1) (2, 2) (3, 1) … (6, 6)."""

ROLL_WEIGHTS = tuple(roll_weight(roll) for roll in ROLLS)
"""Number of ordered rolls for every roll of `ROLLS`: 1 for doubles, else 2."""

ORDERED_ROLLS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
"""The 36 ordered rolls, (1, 1) (1, 2) … (6, 6)."""


# ---- validation ----

MAX_SEED = 2**64 - 1
MAX_STORED = 1e100  # limit of numbers in files; their sums and squares stay finite
MAX_THREADS = 999  # maximum threads of a call
GENERATOR_SWITCHES = ("bearoff_die", "bearoff_compulsory", "forfeit", "stack_max")  # rules that affect plays
BEAROFF_DICE = ("standard", "exact", "rearmost")  # in the order of core/generator/generator.pxd


def validate_progress(progress: Any) -> Callable[[float], None]:
    """Return a checked progress callable; for None, return one that does nothing."""
    if progress is None:
        return lambda done: None
    from inspect import signature  # slow to import

    try:
        signature(progress).bind(0.0)
    except TypeError:
        expected = "None, or a callable that takes the completed fraction, one number"
        raise BgfastError(f"progress is {short_repr(progress)}; expected {expected}") from None
    except ValueError:  # the parameters of a compiled function may be unknown
        pass
    return cast("Callable[[float], None]", progress)


def whole_number(value: Any) -> int | None:
    """Return a value as an int if it is a whole number; None for anything else, True and False included."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return index(value)
    except TypeError:
        return None


def real_number(value: Any) -> float | None:
    """Return a value as a float if it is a real number; None for anything else, True and False included."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def number_in_text(text: str) -> float:
    """Parse a number; raise `ValueError` for underscores and non-ASCII digits, which `float` accepts."""
    if not text.isascii() or "_" in text:
        raise ValueError(f"{short_repr(text)} is not a number")
    return float(text)


def number_from_file(value: Any) -> float | None:
    """Return a number from a file as a float; None if it is not a real number or is beyond `MAX_STORED`."""
    number = real_number(value)
    return number if number is not None and abs(number) <= MAX_STORED else None


def flag(name: str, value: Any, error_class: type[BgfastError] = BgfastError) -> bool:
    """Return a switch as a bool; raise `error_class` for anything but True and False."""
    if not isinstance(value, (bool, np.bool_)):
        raise error_class(f"{name} is {short_repr(value)}; expected True or False")
    return bool(value)


def one_of(name: str, value: Any, *choices: str) -> str:
    """Return one of the choices; raise `BgfastError` for anything else."""
    if not isinstance(value, str) or value not in choices:
        separator = " or " if len(choices) == 2 else ", "
        raise BgfastError(f"{name} is {short_repr(value)}; expected {separator.join(map(repr, choices))}")
    return value


def validate_number(
    name: str,
    value: Any,
    maximum: int | None = None,
    minimum: int = 0,
    error_class: type[BgfastError] = BgfastError,
) -> int:
    """Return a whole number within limits; raise `error_class` for anything else."""
    integer = whole_number(value)
    if integer is None or integer < minimum or (maximum is not None and integer > maximum):
        limits = f", {minimum} or more" if maximum is None else f" from {minimum} to {maximum}"
        raise error_class(f"{name} is {short_repr(value)}; expected a whole number{limits}")
    return integer


def time_limit_seconds(value: Any) -> float | None:
    """Return a time limit in seconds, above 0, or None."""
    if value is None:
        return None
    seconds = real_number(value)
    if seconds is None or not seconds > 0:
        raise BgfastError(f"time_limit is {short_repr(value)}; expected seconds greater than 0, or None")
    return seconds


def seed_number(value: Any) -> int:
    """Return the seed of random numbers, 0 to 2**64 - 1."""
    return validate_number("seed", value, MAX_SEED)


def board_numbers(values: Any) -> npt.NDArray[np.int8]:
    """Return the 26 numbers of a board as a fresh C-contiguous int8 array; the position may be impossible.

    Any sequence or array of 26 whole numbers is accepted, with any dtype, byte order and strides; floats must
    be whole.
    """
    expected = f"{BOARD_SIZE} numbers, shape (26,)"
    if not isinstance(values, np.ndarray):  # numpy would convert text, and copy huge sequences
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise InvalidPositionError(f"board is {short_repr(values)}; expected {BOARD_SIZE} whole numbers")
        if len(values) != BOARD_SIZE:
            raise _wrong_shape("a board", (len(values),), expected)
        for cell, value in enumerate(values):
            if isinstance(value, (bool, str, bytes)):
                raise _wrong_cell(f"index {cell}", value)
    array = number_array(values, "a board")
    if array.shape != (BOARD_SIZE,):
        raise _wrong_shape("a board", array.shape, expected)
    if array.dtype == np.int8 and b"\x80" not in array.tobytes():  # -128 cannot be negated
        return array.copy(order="C")
    _check_cells(array)
    return array.astype(np.int8, order="C")


def validate_counts(values: Any, checkers: int = CHECKERS) -> list[int]:
    """Return the 26 numbers of a board with valid bars and counts; the position need not be reachable."""
    cells = board_numbers(values)
    fault = fault_of(cells, checkers)
    if fault not in (Fault.FAULT_NONE, Fault.FAULT_EMPTY, Fault.FAULT_DEADLOCK):
        raise InvalidPositionError(fault_text(fault, cells, checkers))
    board: list[int] = cells.tolist()
    return board


def _check_cells(array: npt.NDArray[Any]) -> None:
    """Raise `InvalidPositionError` unless the numbers of one or more boards are whole, from -127 to 127."""
    is_valid = (array <= 127) & (array >= -127) & (array == np.trunc(array))  # comparisons of NaN are false
    if not is_valid.all():
        *row, column = place = _first(~is_valid)
        where = "".join(f"row {index}: " for index in row)
        raise _wrong_cell(f"{where}index {column}", array[tuple(place)].item())


def _wrong_cell(place: str, value: Any) -> InvalidPositionError:
    return InvalidPositionError(f"{place} is {short_repr(value)}; expected a whole number of checkers")


def _wrong_shape(
    name: str, shape: tuple[int, ...], expected: str, error_class: type[BgfastError] = InvalidPositionError
) -> BgfastError:
    return error_class(f"{name} of shape {short_repr(shape)}; expected {expected}")


def _first(mask: npt.NDArray[np.bool_]) -> list[int]:
    """Return the indices of the first True value."""
    indices: list[int] = np.argwhere(mask)[0].tolist()
    return indices


def board_rows(values: Any) -> Boards:
    """Return one or more boards as a C-contiguous int8 array (n, 26): the array itself if possible."""
    array = number_array(values, "boards")
    if array.shape == (BOARD_SIZE,):
        array = array[None]
    if array.ndim != 2 or array.shape[1] != BOARD_SIZE:
        raise _wrong_shape("boards", array.shape, f"(n, {BOARD_SIZE})")
    if array.dtype != np.int8:
        _check_cells(array)
    return np.ascontiguousarray(array, dtype=np.int8)


def dice_rows(values: Any, boards: int) -> npt.NDArray[np.int8]:
    """Return one roll for all boards, or one for each, as a C-contiguous int8 array (1, 2) or (boards, 2)."""
    if isinstance(values, str):
        values = roll_of_text(values)
    elif isinstance(values, (list, tuple)) and any(isinstance(roll, str) for roll in values):
        values = [*map(dice_pair, values)]
    array = number_array(values, "dice", InvalidDiceError)
    if array.shape == ():
        raise InvalidDiceError(f"dice are {short_repr(values)}; expected two dice, as in (3, 1) or '31'")
    if array.shape == (2,):
        array = array[None]
    elif array.shape != (boards, 2):
        raise _wrong_shape("dice", array.shape, f"(2,) or ({boards}, 2)", InvalidDiceError)
    is_valid = (array >= 1) & (array <= 6) & (np.trunc(array) == array)
    if not is_valid.all():
        row, column = _first(~is_valid)
        raise InvalidDiceError(
            f"row {row}: the {('first', 'second')[column]} die is {short_repr(array[row, column].item())}; "
            "expected a whole number from 1 to 6"
        )
    return np.ascontiguousarray(array, dtype=np.int8)


def move_rows(values: Any, plays: int) -> Boards:
    """Return the moves of plays as a C-contiguous int8 array (plays, 4, 2)."""
    array = number_array(values, "moves", BgfastError)
    if array.shape != (plays, 4, 2):
        expected = f"({plays}, 4, 2), one play for each board and roll"
        raise _wrong_shape("moves", array.shape, expected, BgfastError)
    start, end = array[..., 0], array[..., 1]
    is_move = (start <= BAR) & (start > end) & (end >= OFF)
    is_unused_die = (start == end) & ((start == -1) | ((start >= 1) & (start <= 6)))
    is_valid = (is_move | is_unused_die) & (np.trunc(array) == array).all(axis=-1)
    if not is_valid.all():
        row, move = _first(~is_valid)
        raise BgfastError(
            f"row {row}: move {move} is {short_repr(tuple(array[row, move].tolist()))}; expected two points, "
            "the higher first, 25 the bar and 0 off, (d, d) for a forfeited die d, or (-1, -1) for no move"
        )
    return np.ascontiguousarray(array, dtype=np.int8)


def side_numbers(values: Any, boards: int) -> npt.NDArray[np.int8]:
    """Return one side, 0 or 1, for all boards, or one for each, as an int8 array (1,) or (boards,)."""
    array = number_array(values, "side", BgfastError)
    if array.shape == ():
        array = array[None]
    elif array.shape != (boards,):
        raise _wrong_shape("side", array.shape, f"one number or shape ({boards},)", BgfastError)
    is_invalid = (array != 0) & (array != 1)
    if is_invalid.any():
        (row,) = _first(is_invalid)
        raise BgfastError(f"row {row}: side is {short_repr(array[row].item())}; expected 0 or 1")
    return np.ascontiguousarray(array, dtype=np.int8)


def value_numbers(name: str, values: Any) -> npt.NDArray[Any]:
    """Return values without NaN as a C-contiguous float32 or float64 array: the array itself if possible."""
    array = number_array(values, name, BgfastError, "real numbers")
    is_float = array.dtype in (np.float32, np.float64)
    floats = np.require(array, array.dtype if is_float else np.float64, ["C", "A"])
    if floats.size and np.isnan(floats.min()):  # NaN if any number is NaN
        place = ", ".join(map(str, _first(np.isnan(floats))))
        raise BgfastError(f"{name}: index {place} is nan; expected a number")
    return floats


def segment_offsets(values: Any, rows: int) -> npt.NDArray[np.int64]:
    """Return segment offsets, 0 to `rows`, as an int64 array (k + 1,): the array itself if possible."""
    array = number_array(values, "offsets", BgfastError)
    if array.ndim != 1 or not array.size:
        raise _wrong_shape("offsets", array.shape, "(k + 1,) for k segments", BgfastError)
    if array.dtype.kind == "f":
        raise BgfastError(f"offsets of dtype {array.dtype}; expected integers, as in `successors(...)`")
    if array[0] != 0:
        raise BgfastError(f"offsets: index 0 is {array[0]}; expected 0")
    is_descent = array[1:] < array[:-1]
    if is_descent.any():
        place = int(np.argmax(is_descent)) + 1
        raise BgfastError(
            f"offsets: index {place} is {array[place]}, after {array[place - 1]}; expected ascending offsets"
        )
    if array[-1] != rows:
        raise BgfastError(f"offsets: the last one is {array[-1]}; expected the number of values, {rows}")
    return np.require(array, np.int64, ["C", "A"])


def number_array(
    values: Any,
    name: str,
    error_class: type[BgfastError] = InvalidPositionError,
    expected: str = "whole numbers",
    kinds: str = "iuf",
) -> npt.NDArray[Any]:
    """Return numbers as an array with a dtype of these `kinds`: the array itself if possible."""
    try:
        masked = is_masked(values)
        array = as_array(values)
    except MemoryError:
        raise
    except Exception as error:  # __array__ and __dlpack__ are untrusted code and may raise anything
        type_name = type(values).__name__
        raise error_class(f"{name} of {type_name} cannot be read: {one_line(error):.80}") from error
    if masked:
        raise error_class(f"{name} with masked numbers; expected {expected}")
    if array.dtype.kind not in kinds:
        raise error_class(f"{name} of dtype {array.dtype!s:.60}; expected {expected}")
    return array


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return values as an array, without a copy if they are an array or share memory through DLPack."""
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def is_masked(values: Any) -> bool:
    """Return whether some numbers are masked; if numpy.ma is not imported, none can be."""
    check = getattr(sys.modules.get("numpy.ma"), "is_masked", None)
    return check is not None and bool(check(values))


def checkers_per_side(value: Any) -> int:
    """Return a number of checkers per side, 1 to 15."""
    return validate_number("checkers", value, CHECKERS, 1, InvalidPositionError)


_ROLL_TEXT = re.compile(r"([0-9])(?:[- ]| ?, ?)?([0-9]) ?:?", re.ASCII)


def is_roll_text(text: str) -> bool:
    """Return whether a text has the form of a roll, such as 31, 3-1, 3 1 or 31:."""
    return _ROLL_TEXT.fullmatch(text) is not None


def roll_of_text(text: str) -> Roll:
    """Parse a roll into its two digits, which need not be from 1 to 6."""
    match = _ROLL_TEXT.fullmatch(text)
    if not match:
        raise InvalidDiceError(f"the roll is {short_repr(text)}; expected two dice like 31, 3-1 or 3 1")
    return int(match[1]), int(match[2])


def dice_pair(roll: Any) -> Roll:
    """Return the two dice of a roll, in the given order."""
    try:
        dice = list(roll_of_text(roll) if isinstance(roll, str) else islice(roll, 3))
    except TypeError:
        dice = []
    if len(dice) != 2 or isinstance(roll, bytes):
        problem = "no roll given" if roll is None else f"roll is {short_repr(roll)}"
        raise InvalidDiceError(f"{problem}; expected two dice, as in (3, 1) or '31'")
    first = validate_number("the first die", dice[0], 6, 1, InvalidDiceError)
    return first, validate_number("the second die", dice[1], 6, 1, InvalidDiceError)


def thread_count(value: Any) -> int:
    """Return a number of threads, 1 to 999."""
    return validate_number("threads", value, MAX_THREADS, 1)


def generator_switches(rules: Any) -> tuple[int, bool, bool, int] | None:
    """Return the switches that affect plays, in the core's form; None for the switches of `STANDARD`."""
    rules = rule_set(rules)
    switches = (
        BEAROFF_DICE.index(rules.bearoff_die),
        rules.bearoff_compulsory,
        rules.forfeit == "empty_point",
        min(rules.stack_max, CHECKERS),
    )
    return switches if any(switches) else None
