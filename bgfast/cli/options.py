"""What is typed on the command line: a position, a roll, a depth, and the numbers of several commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from bgfast.common.validation import GREATEST_SEED
from bgfast.common.vocabulary import BOARD_SIZE
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, NotationError, shown
from bgfast.position.objects import Position
from bgfast.position.xgid import read_xgid

__all__ = [
    "Typed",
    "nothing_more",
    "read_depth",
    "read_number",
    "read_position",
    "read_roll",
    "read_seed",
    "read_threads",
    "read_time_limit",
]

STARTS: Mapping[str, Callable[[], Position]] = MappingProxyType(
    {
        "start": Position.start,
        "nackgammon": Position.nackgammon,
        "longgammon": Position.longgammon,
        "hypergammon": Position.hypergammon,
    }
)
GNUBG_ID_LENGTH = 14
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DICE_LIKE = re.compile(r"[0-9.,+-]*", re.ASCII)  # no position ID looks like this


class Typed(NamedTuple):
    """A position, the roll that its XGID carried, and the words behind it."""

    position: Position
    dice: tuple[int, int] | None
    rest: tuple[str, ...]


def read_position(words: Sequence[str], checkers: str | None) -> Typed:
    """Return the position that the words begin with; without one it is the start.

    `checkers` is what was typed for checkers per side, if anything; named positions have their own number.

    Raises
    ------
    InvalidPositionError, NotationError
        If the words begin with something that is neither a position nor a number.
    """
    if words and words[0].lower() in STARTS:
        return _named(words[0].lower(), checkers, words[1:])
    per_side = _per_side(checkers)
    if words and (words[0].upper().startswith("XGID=") or words[0].count(":") > 1):
        return Typed(Position.from_xgid(words[0], per_side), read_xgid(words[0]).dice, tuple(words[1:]))
    numbers = " ".join(words).replace(",", " ").split()
    leading = next((i for i, word in enumerate(numbers) if not _WHOLE_NUMBER.fullmatch(word)), len(numbers))
    if leading >= BOARD_SIZE:
        board = [_checkers_on(where, word) for where, word in enumerate(numbers[:BOARD_SIZE])]
        return Typed(Position.from_array(board, per_side), None, tuple(numbers[BOARD_SIZE:]))
    if leading > 3:
        raise InvalidPositionError(f"a board of {leading} numbers; expected 26, then the rest of the command")
    if words and not _DICE_LIKE.fullmatch(words[0]):
        return _read_gnubg_id(words, per_side)
    return _named("start", checkers, words)


def _named(name: str, checkers: str | None, rest: Sequence[str]) -> Typed:
    if checkers is not None:
        raise InvalidPositionError(
            f"--checkers goes with an ID or a board; {name} has its own number of checkers"
        )
    return Typed(STARTS[name](), None, tuple(rest))


def _per_side(checkers: str | None) -> int:
    if checkers is None:
        return 15
    if not re.fullmatch(r"[0-9]{1,2}", checkers, re.ASCII):
        raise InvalidPositionError(f"--checkers is {shown(checkers)}; expected a whole number from 1 to 15")
    return int(checkers)


def _checkers_on(where: int, word: str) -> int:
    if len(word) > 4:
        raise InvalidPositionError(f"index {where} is {shown(word)}; expected a number of checkers")
    return int(word)


def _read_gnubg_id(words: Sequence[str], checkers: int) -> Typed:
    if len(words[0]) != GNUBG_ID_LENGTH and ":" not in words[0]:
        raise NotationError(
            f"{shown(words[0])} is no position; expected {', '.join(STARTS)}, an XGID, a GNU position ID "
            f"(14 characters) or {BOARD_SIZE} whole numbers"
        )
    return Typed(Position.from_gnubg_id(words[0], checkers), None, tuple(words[1:]))


def read_roll(typed: Typed) -> tuple[int, int]:
    """Return the roll: 31, 3-1 or 3 1, or the one that the XGID carries.

    Raises
    ------
    InvalidDiceError
        If there is none, it cannot be read, or it contradicts the XGID.
    """
    text = " ".join(typed.rest)
    if not text:
        if typed.dice is None:
            raise InvalidDiceError("no roll given; expected one like 31, 3-1 or 3 1")
        return typed.dice
    match = re.fullmatch(r"([0-9])(?:[- ]| ?, ?)?([0-9])", text, re.ASCII)
    if not match:
        raise InvalidDiceError(f"the roll is {shown(text)}; expected two dice like 31, 3-1 or 3 1")
    roll = int(match[1]), int(match[2])
    if typed.dice is not None and sorted(roll) != sorted(typed.dice):
        raise InvalidDiceError(
            f"the roll is {roll[0]}-{roll[1]}, but the XGID carries "
            f"{typed.dice[0]}-{typed.dice[1]}; leave one out"
        )
    return roll


def read_depth(typed: Typed) -> int:
    """Return the depth that the remaining word names.

    Raises
    ------
    BgfastError
        If it is missing, or not a whole number from 0 to 9.
    """
    text = " ".join(typed.rest)
    if not re.fullmatch(r"[0-9]", text, re.ASCII):
        found = f"the depth is {shown(text)}" if text else "no depth given"
        raise BgfastError(f"{found}; expected a whole number from 0 to 9")
    return int(text)


def read_threads(text: str) -> int:
    """Return a number of threads.

    Raises
    ------
    BgfastError
        If it is not a whole number from 1 to 999.
    """
    if not re.fullmatch(r"[1-9][0-9]{0,2}", text, re.ASCII):
        raise BgfastError(f"--threads is {shown(text)}; expected a whole number from 1 to 999")
    return int(text)


def read_number(option: str, text: str, least: int, most: int) -> int:
    """Return the whole number that an option is given.

    Raises
    ------
    BgfastError
        If it is none from `least` to `most`.
    """
    if not re.fullmatch(r"[0-9]{1,20}", text, re.ASCII) or not least <= int(text) <= most:
        raise BgfastError(f"--{option} is {shown(text)}; expected a whole number from {least} to {most}")
    return int(text)


def read_seed(text: str) -> int:
    """Return the number given to ``--seed``; raises as `read_number` does."""
    return read_number("seed", text, 0, GREATEST_SEED)


def read_time_limit(text: str) -> float:
    """Return the seconds given to ``--time-limit``.

    Raises
    ------
    BgfastError
        If they are no number above 0.
    """
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII) or not float(text):
        raise BgfastError(f"--time-limit is {shown(text)}; expected seconds, as 60 or 0.5")
    return float(text)


def nothing_more(typed: Typed) -> None:
    """Raise `NotationError` if words are left behind the position."""
    if typed.rest:
        raise NotationError(f"{shown(' '.join(typed.rest))} behind the position; expected nothing more")
