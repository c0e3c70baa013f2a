"""Checks of what users hand over: turns any spelling of valid values into one form, refuses the rest."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InvalidDiceError, InvalidPositionError, InvalidRulesError
from .rules import STANDARD, RuleSet

__all__ = ["board_numbers", "check_generated_rules", "checkers_per_side", "dice_pair"]

BOARD_SIZE = 26
MAX_CHECKERS = 15  # the bounds of the generator hold for 15 checkers a side


def board_numbers(values: Any) -> npt.NDArray[np.int8]:
    """Return the 26 numbers of a board as a fresh C-contiguous int8 array.

    Any sequence or array of 26 whole numbers will do, whatever its dtype, byte order or strides; floats
    are taken if they are whole. Whether the numbers make a possible position is not looked at here.

    Raises
    ------
    InvalidPositionError
        If there are not 26 numbers, or one of them is not a whole number in the range of int8.
    """
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidPositionError(
            f"a board of {type(values).__name__} cannot be read: {error!s:.80}"
        ) from None
    if array.shape != (BOARD_SIZE,):
        raise InvalidPositionError(
            f"a board of shape {array.shape}; expected {BOARD_SIZE} numbers, shape (26,)"
        )
    if array.dtype.kind not in "iuf":
        raise InvalidPositionError(f"a board of dtype {array.dtype}; expected whole numbers")
    # Comparisons with NaN are false, so that it counts as bad.
    good = (
        (np.abs(array) <= 127) & (array == np.trunc(array))
        if array.dtype.kind == "f"
        else ((array <= 127) & (array >= -127))
    )
    if not good.all():
        where = int(np.argmin(good))
        raise InvalidPositionError(
            f"index {where} is {array[where]}; expected a whole number of checkers, from -15 to 15"
        )
    return array.astype(np.int8, order="C")


def checkers_per_side(value: Any) -> int:
    """Return the number of checkers a side plays with, 1 to 15.

    Raises
    ------
    InvalidPositionError
        If it is anything else.
    """
    try:
        number = index(value)
    except TypeError:
        number = 0
    if not 1 <= number <= MAX_CHECKERS:
        raise InvalidPositionError(
            f"checkers is {value!r:.60}; expected a whole number from 1 to {MAX_CHECKERS}"
        )
    return number


def dice_pair(roll: Any) -> tuple[int, int]:
    """Return the two dice of a roll, in the order given.

    Raises
    ------
    InvalidDiceError
        If there are not two dice, or one is not a whole number from 1 to 6.
    """
    if isinstance(roll, (str, bytes)):
        raise InvalidDiceError(f"roll is {roll!r:.60}; expected two numbers, as in (3, 1)")
    try:
        dice = list(roll)
    except TypeError:
        raise InvalidDiceError(f"roll is {roll!r:.60}; expected two numbers, as in (3, 1)") from None
    if len(dice) != 2:
        raise InvalidDiceError(f"roll is {roll!r:.60}, {len(dice)} dice; expected two")
    numbers = []
    for place, die in zip(("first", "second"), dice, strict=True):
        try:
            number = index(die)
        except TypeError:
            number = 0
        if not 1 <= number <= 6:
            raise InvalidDiceError(f"the {place} die is {die!r:.60}; expected a whole number from 1 to 6")
        numbers.append(number)
    return numbers[0], numbers[1]


def check_generated_rules(rules: Any) -> None:
    """Check that the generator plays these rules.

    Raises
    ------
    InvalidRulesError
        If `rules` is not a `RuleSet`, or has a switch that the generator does not play.
    """
    if not isinstance(rules, RuleSet):
        raise InvalidRulesError(f"rules is {rules!r:.60}; expected a RuleSet, as bgfast.STANDARD")
    for switch in ("bearoff_die", "bearoff_compulsory", "forfeit", "stack_max"):
        value = getattr(rules, switch)
        if value != getattr(STANDARD, switch):
            raise InvalidRulesError(
                f"{switch}={value!r} is not played by the generator in this version; expected the value of "
                f"STANDARD, {getattr(STANDARD, switch)!r} (bgfast.reference plays every rule set)"
            )
