"""Exceptions of bgfast, and the display of invalid values in their messages."""

from __future__ import annotations

import reprlib
import sys
import warnings
from errno import ENOENT
from types import FrameType
from typing import Any

__all__ = [
    "UNBUILT", "BgfastError", "IllegalActionError", "IllegalPlayError", "InvalidDiceError",
    "InvalidGameError", "InvalidIndexError", "InvalidPositionError", "InvalidRulesError", "MissingFileError",
    "NotationError", "RecordError", "RolloutError", "WrongCountError", "is_unbuilt", "one_line",
    "quote_ascii", "short_repr", "too_many_checkers", "warn_user",
]  # fmt: skip

MAX_REPR = 60  # characters of an invalid value in a message
MAX_ID = 40  # characters of an invalid ID in a message
MAX_LINE = 500  # characters of another program's output in a message


class BgfastError(ValueError):
    """Base class of errors about invalid input."""


class MissingFileError(FileNotFoundError, BgfastError):
    """Missing file or folder; also a `FileNotFoundError`, which `open` raises."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = ENOENT


class RecordError(BgfastError):
    """File without a readable recorded game, or, with `strict`, an error in a record.

    Attributes
    ----------
    line, column : int
        Place of the error, counted from 1.
    """

    def __init__(self, message: str, place: tuple[int, int] = (1, 1)) -> None:
        super().__init__(message)
        self.line, self.column = place

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], (self.line, self.column))


class RolloutError(BgfastError):
    """Rollout without a result: its executor failed, or its time limit was too short.

    Attributes
    ----------
    result : RolloutResult or None
        Result of the trials completed before the error; None if there are none.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class InvalidPositionError(BgfastError):
    """Impossible board, or a finished position where plays are required."""


class InvalidDiceError(BgfastError):
    """Roll that is not two dice of 1 to 6."""


class InvalidRulesError(BgfastError):
    """Unknown rule set, invalid value of a switch, or switches that contradict each other."""


class NotationError(BgfastError):
    """Text that cannot be read, or that is ambiguous."""


class IllegalPlayError(BgfastError):
    """Play that violates the rules; the message names the rule."""


class IllegalActionError(BgfastError):
    """Action that is not legal at this point of a game; the message names the rule."""


class InvalidGameError(BgfastError):
    """Invalid cube, score, player or match, or a saved game that cannot be restored."""


class InvalidIndexError(BgfastError, IndexError):
    """Index out of range; also an `IndexError`, as the sequence protocol requires."""


class WrongCountError(Exception):
    """Invalid measurement: the timed work returned a wrong count."""


class _Repr(reprlib.Repr):
    """`repr` of limited length that never builds a long text."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MAX_REPR

    def repr_int(self, x: int, level: int) -> str:
        """Return the digits of a number, or its size if it is long: Python limits the number of digits."""
        return repr(x) if x.bit_length() <= 64 else f"<a whole number of {x.bit_length()} bits>"

    def repr_bytes(self, x: bytes, level: int) -> str:
        """Return the `repr` of the first bytes."""
        return repr(x[: self.maxother])


def short_repr(value: object) -> str:
    """Return a short `repr` of any value for a message."""
    text = _Repr().repr(value)
    return text if len(text) <= MAX_REPR else text[: MAX_REPR - 3] + "..."


def one_line(value: object) -> str:
    r"""Return text of another program as a printable line of limited length.

    Examples
    --------
    >>> one_line("Traceback:\n  no such point \x1b[31m")
    'Traceback: no such point ?[31m'
    """
    text = " ".join(str(value).split())
    shortened = text if len(text) <= MAX_LINE else text[: MAX_LINE - 3] + "..."
    return "".join(char if char.isprintable() else "?" for char in shortened)


def quote_ascii(text: str) -> str:
    """Return a user's text quoted for a message, in ASCII."""
    quoted = ascii(text[: MAX_ID + 1])
    return quoted if len(quoted) <= MAX_ID + 2 else quoted[:MAX_ID] + "..."


def is_unbuilt(error: BaseException) -> bool:
    """Return whether an import failed because the extension modules of bgfast are not built."""
    return isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("bgfast.")


UNBUILT = (
    "bgfast is imported from a clone in which it is not built; in the clone run pip install -e . "
    "--config-settings editable_mode=compat, or, after pip install ., run Python from another folder"
)


def too_many_checkers(side: str, count: int, maximum: int) -> str:
    """Return the message for a side with too many checkers."""
    return f"{side} has {count} checkers; expected at most {maximum}"


def warn_user(message: str) -> None:
    """Warn at the line of the user's code that called bgfast."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "bgfast":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
