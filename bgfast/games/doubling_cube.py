"""The doubling cube: its value and who owns it."""

from __future__ import annotations

from dataclasses import dataclass

from bgfast.common.validation import whole_number
from bgfast.errors import InvalidGameError, shown
from bgfast.games.players import player_number

__all__ = ["Cube"]


@dataclass(frozen=True)
class Cube:
    """The doubling cube, immutable and hashable.

    Parameters
    ----------
    value : int
        What a game counts once: a power of two. There is no greatest value.
    owner : {None, 0, 1}
        The player who alone may double next; None while the cube is centred and both may.

    Raises
    ------
    InvalidGameError
        If the value is no power of two, or the owner no player.

    Examples
    --------
    >>> from bgfast import Cube
    >>> Cube()
    Cube(value=1, owner=None)
    >>> Cube(3)
    Traceback (most recent call last):
        ...
    bgfast.errors.InvalidGameError: the cube's value is 3; expected a power of two
    """

    value: int = 1
    owner: int | None = None

    def __post_init__(self) -> None:
        number = whole_number(self.value)
        if number is None or number < 1 or number & (number - 1):
            raise InvalidGameError(f"the cube's value is {shown(self.value)}; expected a power of two")
        object.__setattr__(self, "value", number)
        if self.owner is not None:
            object.__setattr__(self, "owner", player_number("the cube's owner", self.owner))
