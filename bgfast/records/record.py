"""Recorded matches in any format: heads, games, and events with their places.

Readers of the formats create them, and `replay` turns them into matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import date
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

from bgfast.common.validation import OFF, flip_board
from bgfast.errors import BgfastError, InvalidRulesError, RecordError, one_line, short_repr
from bgfast.games.match_info import MatchInfo, Severity
from bgfast.games.scoring import MAX_MATCH_LENGTH
from bgfast.games.turns import MAX_MOVES
from bgfast.position.explain import apply_hops
from bgfast.position.formats import UNLIMITED_CUBE
from bgfast.position.turn import Hop, hops_text
from bgfast.records.recorded_analysis import DecisionAnalysis
from bgfast.rules import RuleSet

EventKind = (
    Literal["tie", "turn", "double", "take", "drop", "beaver", "raccoon", "resign", "forfeit", "accept"]
    | Literal["refuse", "wins", "position", "comment", "notice"]
)
UNEXPLAINED = "unexplained"  # text of a "wins" event to write if the game does not explain the win
_RATED_NAME = re.compile(
    r"(?P<name>.*[^\s,])(?:\s*\([0-9]{3,4}(?:[.,][0-9]+)?\)|(?:\s+|,\s*)[0-9]{4}(?:[.,][0-9]+)?)", re.ASCII
)
"""Name of a player and a rating, such as "Anna (1543.2)", "Anna 1543" or "Anna,1543"."""
CENTRE = 2  # owner of a cube in the centre, where 0 and 1 are the players
_DATE = re.compile(r"\s*([0-9]{4})([-./])([0-9]{1,2})\2([0-9]{1,2})\s*", re.ASCII)


class Place(NamedTuple):
    """Line and column in a file, both from 1."""

    line: int
    column: int


class Setup(NamedTuple):
    """Position and cube that a record states."""

    board: tuple[int, ...] | None = None  # from the side of player 0; empty if unreadable, None if unchanged
    cube: int = 0  # value; 0 if unchanged
    owner: int | None = None  # player or `CENTRE`; None if unchanged


class Event(NamedTuple):
    """Entry of a record.

    ``"turn"`` is a roll with its play, ``"forfeit"`` a loss by the clock or by leaving, ``"wins"`` the
    recorded result of a game, ``"position"`` a position from which the game continues, ``"notice"`` an oddity
    reported by the reader.
    """

    kind: EventKind
    player: int | None  # the acting player, or the winner; None if not recorded
    place: Place
    dice: tuple[int, int] | None = None  # None if the game ended before the dice were thrown
    text: str = ""  # play in notation, comment, or message of a notice
    value: int = 0  # value of the turned cube, or level of a resignation or a win; 0 if not recorded
    flagged: bool = False  # True if the record calls the play illegal, or says that a win ends the match
    moves: tuple[tuple[int, int], ...] = ()  # moves of a play to write, die by die
    action: int = -1  # index in `Match.history` of an action to write
    points: int = 0  # points won, or lost by a resignation or a forfeit; 0 if not recorded
    severity: Severity = "error"  # severity of a notice
    setup: Setup | None = None  # position set up, or reached by a turn whose moves are not recorded


def notice(place: Place, message: str, severity: Severity = "error") -> Event:
    """Return a notice about the record, inside or outside a game."""
    return Event("notice", None, place, text=message, severity=severity)


_rule_set = lru_cache(64)(RuleSet)  # shared by the games of a session


@dataclass
class RecordHead:
    """Statements of a record about the whole match; a field is None if not recorded."""

    place: Place
    length: int | None = None  # None for a session of money games
    crawford: bool | None = None
    jacoby: bool | None = None
    beavers: bool | None = None
    cube_limit: int = 0  # 0 for no limit, 1 for no cube
    rules: RuleSet | None = None  # rules in a record written by bgfast; they take precedence
    info: MatchInfo = field(default_factory=MatchInfo)
    notices: list[Event] = field(default_factory=list)

    @property
    def stated_rules(self) -> RuleSet:
        """Rules according to the statements that other programs also write."""
        limit = self.cube_limit if self.cube_limit < UNLIMITED_CUBE else 0
        if self.length is not None:
            return _rule_set(cube_limit=limit)
        # A record that does not mention the beaver rule may still contain a beaver.
        return _rule_set(jacoby=bool(self.jacoby), beavers=self.beavers is not False, cube_limit=limit)

    @property
    def rule_settings(self) -> list[str]:
        """Switches such as "stack_max=5"; empty if `stated_rules` suffice."""
        if self.rules is None or self.rules == self.stated_rules:
            return []
        values = ((item.name, getattr(self.rules, item.name), item.default) for item in fields(RuleSet))
        return [f"{name}={value}".lower() for name, value, default in values if value != default]

    def set_rules(self, settings: Iterable[str], place: Place) -> None:
        """Set the rules from `rule_settings`; invalid settings become a warning."""
        names = [item.name for item in fields(RuleSet)]
        switches: dict[str, Any] = {}
        try:
            for setting in settings:
                name, _, value = setting.partition("=")
                if name not in names or name == "opening":
                    raise InvalidRulesError(f"{short_repr(setting)}; expected a switch of the rules")
                is_number = re.fullmatch("[0-9]{1,99}", value) is not None
                switches[name] = int(value) if is_number else {"true": True, "false": False}.get(value, value)
            self.rules = RuleSet(**switches)
        except InvalidRulesError as error:
            self.notices.append(notice(place, str(error), "warning"))

    def set_length(self, length: int, place: Place) -> None:
        """Set the length of a match, 0 for money games; a length that is too large counts as money."""
        if length > MAX_MATCH_LENGTH:
            expected = f"expected at most {MAX_MATCH_LENGTH}; it counts as money"
            self.notices.append(notice(place, f"a match to {length} points; {expected}"))
            length = 0
        self.length = length or None

    def set_info(self, name: str, text: str) -> None:
        """Set a text of `info`; dates are converted to one format."""
        change: dict[str, Any] = {name: iso_date(text) if name == "date" else text}
        self.info = replace(self.info, **change)

    def set_players(self, players: tuple[str, str]) -> None:
        """Set the names of the players, unless both are empty; drop the ratings if both names have one."""
        if any(players):
            unrated_names = [match["name"] for name in players if (match := _RATED_NAME.fullmatch(name))]
            first, second = unrated_names if len(set(unrated_names)) == 2 else players
            self.info = replace(self.info, players=(first, second))


@dataclass
class RecordedGame:
    """Game of a record: its heading, events and analysis."""

    number: int  # from 1
    place: Place
    score: tuple[int, int] | None = None  # before the game; None if not recorded
    players: tuple[str, str] = ("", "")
    events: list[Event] = field(default_factory=list)
    crawford: bool | None = None  # None if not recorded
    analysis: dict[int, DecisionAnalysis] = field(default_factory=dict)  # analysis by index of the event
    damaged: list[tuple[Place, str]] = field(default_factory=list)  # place and reason of each omitted part


MAX_NOTICES = 100_000  # maximum number of unreadable entries; the rest of the file is not read
MAX_PIECE = 2_000_000  # maximum bytes of a line before it is split into pieces


def number_lines(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield number, first column and text of each line, or of each piece of a very long line."""
    line_number, column, shortest_piece = 1, 1, MAX_PIECE // 4
    for line in lines:
        yield line_number, column, line
        if len(line) < shortest_piece or line.endswith("\n"):
            line_number += 1
            column = 1
        else:
            column += len(line)


def iso_date(text: str, separator: str = "-") -> str:
    """Return a year-first date in the form of ISO 8601 and SGF; other texts are unchanged."""
    match = _DATE.fullmatch(text)
    with suppress(ValueError):
        if match is not None:
            return date(*(int(match[group]) for group in (1, 3, 4))).isoformat().replace("-", separator)
    return text


def decode(content: bytes) -> str:
    """Decode Windows-1252, or Latin-1 if a byte is undefined in Windows-1252."""
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def clean(text: str) -> str:
    """Return an untrusted text as one line without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def moves_between(before: Sequence[int], after: Sequence[int]) -> list[Hop]:
    """Return moves, perhaps illegal or backwards, between two boards; empty if more than four are needed.

    Boards have 26 numbers from the mover's side.
    """
    starts: list[int] = []
    ends: list[int] = []
    for point in range(25, 0, -1):
        change = max(after[point], 0) - max(before[point], 0)
        (starts if change < 0 else ends).extend([point] * abs(change))
    ends += [OFF] * (len(starts) - len(ends))
    return list(zip(starts, ends, strict=True)) if len(starts) == len(ends) <= MAX_MOVES else []


# ---------------------------------------------------------------- events of binary files

MAX_AUTOMATIC_DOUBLES = 10
Part = TypeVar("Part")


class EventReader:
    """Base class of readers for binary files; adds checked events to the current game."""

    _errors: tuple[type[Exception], ...] = (BgfastError,)  # errors that a damaged analysis raises

    def __init__(self) -> None:
        self.place = Place(1, 1)  # place of the current entry
        self.game: RecordedGame | None = None
        self.board: tuple[int, ...] = ()  # from the side of player 0

    def add(
        self, kind: EventKind, player: int | None, analysis: DecisionAnalysis | None = None, **fields: Any
    ) -> None:
        """Add an event with its analysis."""
        assert self.game is not None
        if analysis is not None and analysis != DecisionAnalysis():
            self.game.analysis[len(self.game.events)] = analysis
        self.game.events.append(Event(kind, player, self.place, **fields))

    def add_ties(self, count: int) -> None:
        """Add opening ties that doubled the cube."""
        if not 0 <= count <= MAX_AUTOMATIC_DOUBLES:
            raise self.error(f"{count} automatic doubles", f"0 to {MAX_AUTOMATIC_DOUBLES}")
        for _ in range(count):
            self.add("tie", None)

    def add_turn(
        self,
        player: int,
        dice: tuple[int, int],
        moves: Sequence[Hop],
        after: tuple[int, ...],
        *,
        is_illegal: bool,
        analysis: DecisionAnalysis,
    ) -> None:
        """Add a play from the current board; `after` is from the side of the player."""
        before = self.board if player == 0 else flip_board(self.board)
        self.board = after if player == 0 else flip_board(after)
        setup = None if apply_hops(before, moves) == after else Setup(self.board)
        text = hops_text(moves, ())
        self.add("turn", player, analysis, dice=dice, text=text, flagged=is_illegal, setup=setup)

    def add_resignation(self, loser: int, level: int) -> None:
        """Add an accepted resignation; a `level` other than 1 to 3 counts as unknown."""
        self.add("resign", loser, value=level if 1 <= level <= 3 else 0)
        self.add("accept", 1 - loser)

    def validate_points(self, points: int) -> int:
        """Return the points of a win; raise `RecordError` if they are out of range."""
        if not 0 <= points <= MAX_MATCH_LENGTH:
            raise self.error(f"{points} points are won", f"0 to {MAX_MATCH_LENGTH}")
        return points

    def validate_length(self, length: int, *money_lengths: int) -> int | None:
        """Return the length of a match; None if it is one of the values that mean money play."""
        if length in money_lengths:
            return None
        if not 1 <= length <= MAX_MATCH_LENGTH:
            raise self.error(f"the match length is {length}", f"a whole number from 1 to {MAX_MATCH_LENGTH}")
        return int(length)

    def validate_dice(self, first: int, second: int) -> tuple[int, int]:
        """Return two dice; raise `RecordError` if they are invalid."""
        if not (1 <= first <= 6 and 1 <= second <= 6):
            raise self.error(f"the dice are {first} and {second}", "1 to 6")
        return first, second

    def try_read(self, read: Callable[[], Part]) -> Part | None:
        """Return a part of the analysis; None if it is damaged, which does not affect the game."""
        try:
            return read()
        except self._errors as error:
            name = "" if isinstance(error, BgfastError) else f"{type(error).__name__}: "
            self.add_damage(f"{name}{error}")
            return None

    def add_damage(self, problem: str) -> None:
        """Report a part of the analysis that is left out."""
        assert self.game is not None
        self.game.damaged.append((self.place, one_line(problem)))

    def error(self, problem: str, expected: str) -> RecordError:
        """Return an error at the current place."""
        return RecordError(f"{problem}; expected {expected}", self.place)
