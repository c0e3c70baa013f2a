"""What a recorded match is made of, whatever its format: heads, games, and in them events with their places.

Reading is text to events here; `replay` plays them through `games`, which alone knows the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal, NamedTuple

from bgfast.errors import one_line
from bgfast.games.match_info import MatchInfo

__all__ = ["Event", "EventKind", "Place", "RecordHead", "RecordedGame", "clean", "dated"]

EventKind = Literal[
    "tie",
    "turn",
    "double",
    "take",
    "drop",
    "beaver",
    "raccoon",
    "resign",
    "accept",
    "refuse",
    "wins",
    "comment",
]
_DATE = re.compile(r"\s*([0-9]{4})([-./])([0-9]{1,2})\2([0-9]{1,2})\s*", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Place(NamedTuple):
    """Where something stands in a file: line and column, both from 1."""

    line: int
    column: int


class Event(NamedTuple):
    """One thing that a record says was done.

    Attributes
    ----------
    kind : str
        ``"turn"`` is a roll with its play; ``"wins"`` the end of a game as the record tells it.
    player : int or None
        Who did it, or who wins; None where the record does not say.
    place : Place
    dice : (int, int) or None
    text : str
        A play in notation, empty for the pass; a comment.
    value : int
        What the cube was turned to, the level of a resignation, or the points won; 0 where it is not said.
    flagged : bool
        Whether the record itself calls the play illegal; of a win, whether it says that it ends the match.
    moves : tuple of (int, int)
        Of a play that is to be written: its checkers die by die.
    action : int
        Of what is to be written: the number of the action in `Match.history`; -1 where there is none.
    """

    kind: EventKind
    player: int | None
    place: Place
    dice: tuple[int, int] | None = None
    text: str = ""
    value: int = 0
    flagged: bool = False
    moves: tuple[tuple[int, int], ...] = ()
    action: int = -1


@dataclass
class RecordHead:
    """What stands above the games of a match.

    Attributes
    ----------
    place : Place
    length : int or None
        None is a session of money games.
    crawford, jacoby, beavers : bool or None
        None where the record does not say.
    cube_limit : int
    info : MatchInfo
    """

    place: Place
    length: int | None = None
    crawford: bool | None = None
    jacoby: bool | None = None
    beavers: bool | None = None
    cube_limit: int = 0
    info: MatchInfo = field(default_factory=MatchInfo)

    def said(self, name: str, text: str) -> None:
        """Take a text of `MatchInfo`; a date is the same whatever the format."""
        change: dict[str, Any] = {name: dated(text) if name == "date" else text}
        self.info = replace(self.info, **change)

    def named(self, players: tuple[str, str]) -> None:
        """Take the names of the players from the head of a game."""
        if any(players):
            self.info = replace(self.info, players=players)


@dataclass
class RecordedGame:
    """A game as a record tells it.

    Attributes
    ----------
    number : int
        As the record counts, from 1.
    place : Place
    score : (int, int) or None
        Before it; None where the record does not say.
    players : (str, str)
    events : list of Event
    crawford : bool or None
        Whether this is the Crawford game; None where the record does not say.
    """

    number: int
    place: Place
    score: tuple[int, int] | None = None
    players: tuple[str, str] = ("", "")
    events: list[Event] = field(default_factory=list)
    crawford: bool | None = None


def dated(text: str, between: str = "-") -> str:
    """Return a whole date, year first, as ISO 8601 and SGF have it; anything else as it was written.

    Examples
    --------
    >>> dated("2026.11.23"), dated("2026/1/2"), dated("2026.13.01"), dated("spring 2026")
    ('2026-11-23', '2026-01-02', '2026.13.01', 'spring 2026')
    >>> dated("2026-11-23", between=".")
    '2026.11.23'
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return text
    try:
        day = date(*(int(found[group]) for group in (1, 3, 4)))
    except ValueError:
        return text
    return day.isoformat().replace("-", between)


def clean(text: str) -> str:
    r"""Return a text of strangers as one line without control characters.

    Examples
    --------
    >>> clean("Anna\x1b[31m\n Lee")
    'Anna?[31m Lee'
    """
    return one_line(_CONTROL.sub("?", " ".join(text.split())))
