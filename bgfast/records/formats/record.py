"""The parts of a recorded match, whatever its format: heads, games, and events with their places.

The readers of the formats make them; `replay` plays them through `games`, which alone knows the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal, NamedTuple

from bgfast.games.finding import Severity
from bgfast.games.match_info import MatchInfo
from bgfast.records.formats.recorded_analysis import DecisionAnalysis

__all__ = [
    "MAX_NOTICES",
    "MAX_PIECE",
    "UNEXPLAINED",
    "UNKNOWN_PLAY",
    "Event",
    "EventKind",
    "Notice",
    "Place",
    "RecordHead",
    "RecordedGame",
    "clean",
    "dated",
    "numbered",
]

EventKind = Literal[
    "tie",
    "turn",
    "double",
    "take",
    "drop",
    "beaver",
    "raccoon",
    "resign",
    "forfeit",
    "accept",
    "refuse",
    "wins",
    "comment",
    "notice",
    "stop",
]
UNEXPLAINED = "unexplained"
"""The text of a win that is to be written, where the game does not show why it has ended."""
UNKNOWN_PLAY = "?"
"""The text of a turn whose play the record marks as unknown, or its end, as in "24/18 ?"."""
_DATE = re.compile(r"\s*([0-9]{4})([-./])([0-9]{1,2})\2([0-9]{1,2})\s*", re.ASCII)


class Place(NamedTuple):
    """Line and column in a file, both from 1."""

    line: int
    column: int


class Event(NamedTuple):
    """An entry of a record.

    Attributes
    ----------
    kind : str
        ``"turn"`` is a roll with its play, ``"forfeit"`` a loss by the clock or by leaving, ``"wins"`` the
        end of a game as the record states it, ``"notice"`` an oddity that the reader reports, ``"stop"``
        the point from which the game cannot be followed.
    player : int or None
        The player who acts, or the winner; None where the record does not say.
    place : Place
    dice : (int, int) or None
        None of a turn that was not thrown before the game ended.
    text : str
        A play in notation, empty where none stands; a comment; the message of a notice.
    value : int
        Value of the turned cube, or level of a resignation or a win; 0 where it is not stated.
    flagged : bool
        Whether the record itself calls the play illegal; of a win, whether it says that it ends the match.
    moves : tuple of (int, int)
        Of a play that is to be written: its checkers die by die.
    action : int
        Of what is to be written: the number of the action in `Match.history`; -1 where there is none.
    points : int
        The points of a win, or those that a resignation or a forfeit loses; 0 where it is not said.
    severity : {"note", "warning", "error"}
        Of a notice.
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
    points: int = 0
    severity: Severity = "error"


class Notice(NamedTuple):
    """An oddity outside of games."""

    severity: Severity
    message: str
    place: Place


@dataclass
class RecordHead:
    """The statements of a record about a match, above its games.

    Attributes
    ----------
    place : Place
    length : int or None
        None is a session of money games.
    crawford, jacoby, beavers : bool or None
        None where the record does not say.
    cube_limit : int
        The greatest cube; 0 for no limit, 1 for no cube.
    info : MatchInfo
    notices : list of Notice
    """

    place: Place
    length: int | None = None
    crawford: bool | None = None
    jacoby: bool | None = None
    beavers: bool | None = None
    cube_limit: int = 0
    info: MatchInfo = field(default_factory=MatchInfo)
    notices: list[Notice] = field(default_factory=list)

    def set_info(self, name: str, text: str) -> None:
        """Set a text of `info`; a date is stored alike, whatever the format."""
        change: dict[str, Any] = {name: dated(text) if name == "date" else text}
        self.info = replace(self.info, **change)

    def set_players(self, players: tuple[str, str]) -> None:
        """Set the names of the players, unless there are none."""
        if any(players):
            self.info = replace(self.info, players=players)


@dataclass
class RecordedGame:
    """A game as a record states it.

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
    analysis : dict of int to DecisionAnalysis
        The analysis that the record holds, by the index of the event.
    damaged : list of (Place, str)
        Parts of this analysis that are damaged and left out, and why.
    """

    number: int
    place: Place
    score: tuple[int, int] | None = None
    players: tuple[str, str] = ("", "")
    events: list[Event] = field(default_factory=list)
    crawford: bool | None = None
    analysis: dict[int, DecisionAnalysis] = field(default_factory=dict)
    damaged: list[tuple[Place, str]] = field(default_factory=list)


MAX_NOTICES = 100_000
"""Unreadable entries after which a file is read no further."""
MAX_PIECE = 2_000_000
"""Bytes of a line that arrives in one piece."""


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield number, first column and text of each line; a line that arrives in pieces comes in pieces."""
    number, column, shortest_piece = 1, 1, MAX_PIECE // 4
    for line in lines:
        yield number, column, line
        if len(line) < shortest_piece or line.endswith("\n"):
            number += 1
            column = 1
        else:
            column += len(line)


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
    r"""Return an untrusted text as one line without control characters.

    Examples
    --------
    >>> clean("Anna\x1b[31m\n Lee")
    'Anna?[31m Lee'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
