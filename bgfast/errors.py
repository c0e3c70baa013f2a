"""The exceptions of bgfast: one class per cause, all of them a `ValueError`."""

__all__ = [
    "BgfastError",
    "IllegalPlayError",
    "InvalidDiceError",
    "InvalidPositionError",
    "InvalidRulesError",
    "NotationError",
]


class BgfastError(ValueError):
    """Base class of every error that bgfast raises on bad input."""


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
