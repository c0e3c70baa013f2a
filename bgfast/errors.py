"""The exceptions of bgfast, one class per cause, `ValueError` for bad input; how bad values are shown."""

from __future__ import annotations

import reprlib
from typing import Any

__all__ = [
    "UNBUILT",
    "BgfastError",
    "IllegalActionError",
    "IllegalPlayError",
    "InvalidDiceError",
    "InvalidGameError",
    "InvalidIndexError",
    "InvalidPositionError",
    "InvalidRulesError",
    "NotationError",
    "RecordError",
    "RolloutError",
    "WrongCountError",
    "is_unbuilt",
    "one_line",
    "shown",
    "shown_ascii",
    "too_many_checkers",
]

MAX_SHOWN = 60  # characters of a bad value in a message
MAX_ID = 40  # characters of what should be an ID
MAX_LINE = 500  # characters of what another program says


class BgfastError(ValueError):
    """Base class of every error that bgfast raises on bad input."""


class RecordError(BgfastError):
    """A file without a recorded game that can be read, or an error in a record where they are raised.

    Attributes
    ----------
    line, column : int
        Where it is wrong, from 1.
    """

    def __init__(self, message: str, place: tuple[int, int] = (1, 1)) -> None:
        super().__init__(message)
        self.line, self.column = place

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], (self.line, self.column))


class RolloutError(BgfastError):
    """A rollout that has come to nothing: its executor has broken down, or its time was over too soon.

    Attributes
    ----------
    result : RolloutResult or None
        That of the trials before; None if there are none.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class InvalidPositionError(BgfastError):
    """A board that cannot stand, or a finished position asked for its plays."""


class InvalidDiceError(BgfastError):
    """A roll that is not two dice of 1 to 6."""


class InvalidRulesError(BgfastError):
    """An unknown rule set, an unknown value of a switch, or switches that contradict each other."""


class NotationError(BgfastError):
    """Text that cannot be read, or that fits several distinct results."""


class IllegalPlayError(BgfastError):
    """A readable play that the rules do not allow; the message says which rule."""


class IllegalActionError(BgfastError):
    """An action that a player may not take at this moment of a game; the message names the rule."""


class InvalidGameError(BgfastError):
    """A cube, a score, a player or a match that cannot be, or a saved game that cannot be restored."""


class InvalidIndexError(BgfastError, IndexError):
    """A place behind the end of a list of plays; an `IndexError`, too, as sequences promise."""


class WrongCountError(Exception):
    """A measurement worth nothing: what was timed did not produce what it has to."""


class _Repr(reprlib.Repr):
    """`repr` that stays short without building a long one first."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MAX_SHOWN

    def repr_int(self, x: int, level: int) -> str:
        """Show a number, or its size: Python refuses to write out very long ones."""
        return repr(x) if x.bit_length() <= 64 else f"<a whole number of {x.bit_length()} bits>"

    def repr_bytes(self, x: bytes, level: int) -> str:
        """Show the beginning of bytes."""
        return repr(x[: self.maxother])


def shown(value: object) -> str:
    """Return a short text of a bad value for a message, whatever it is."""
    text = _Repr().repr(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def one_line(value: object) -> str:
    r"""Return what another program says as one line that can be printed anywhere, and is not endless.

    Examples
    --------
    >>> one_line("Traceback:\n  no such point \x1b[31m")
    'Traceback: no such point ?[31m'
    """
    text = " ".join(str(value).split())
    shortened = text if len(text) <= MAX_LINE else text[: MAX_LINE - 3] + "..."
    return "".join(letter if letter.isprintable() else "?" for letter in shortened)


def shown_ascii(text: str) -> str:
    """Return a user's text quoted for a message, in ASCII whatever it holds: IDs are copied from anywhere."""
    quoted = ascii(text[: MAX_ID + 1])
    return quoted if len(quoted) <= MAX_ID + 2 else quoted[:MAX_ID] + "..."


def is_unbuilt(error: BaseException) -> bool:
    """Return whether an import has failed because the extension modules of bgfast are not built."""
    return isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("bgfast.")


UNBUILT = (
    "bgfast is imported from a clone in which it is not built; in the clone run pip install -e . "
    "--config-settings editable_mode=compat, or, after pip install ., run Python from another folder"
)


def too_many_checkers(side: str, number: int, most: int) -> str:
    """Return the sentence for a side with more checkers than there are."""
    return f"{side} has {number} checkers; expected at most {most}"
