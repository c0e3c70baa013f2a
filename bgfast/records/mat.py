r"""Matches as Jellyfish's text, .mat or .txt, both ways.

Source: files that GNU Backgammon 1.07 exports, and those that eXtreme Gammon and servers are known to write.

    file   = { match };  match = { ";" comment } head { game }
    head   = NUMBER "point match" | "Money session"
    game   = "Game" NUMBER  NAME ":" SCORE  NAME ":" SCORE  { line }
    line   = [ NUMBER ")" ] [ cell ] [ cell ]
    cell   = DICE ":" play | "Doubles => " CUBE | "Takes" | "Drops" | "Beavers" | "Raccoons" | "Resigns" ...
           | "Wins" POINTS "points" [ "and the match" ]

The left cell is player 0's, the right one player 1's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from bgfast.errors import RecordError
from bgfast.games.match_info import MatchInfo
from bgfast.games.scoring import LEVELS, LONGEST_MATCH
from bgfast.records._mat import plain_cells
from bgfast.records.record import Event, EventKind, Place, RecordedGame, RecordHead, clean, dated

__all__ = ["looks_like_mat", "read_mat", "write_mat"]

RIGHT = 33  # the column in which the right cell begins, where no head of a game says it
WIDTH = 28  # of a left cell that is written
LONGEST_LINE = 2000
TAB = 8
CLOSE = 2  # blanks between a roll and a word that belongs to it
MOST_POINTS = 10**12

_HEAD = re.compile(
    r"(?P<length>[0-9]{1,9})[- ]?points? match\b|(?:money|unlimited)\s*(?:game|session|match)", re.I
)
_GAME = re.compile(r"Game\s+(?P<number>[0-9]{1,9})\b\s*(?P<crawford>\(?Crawford.*)?$", re.I)
_NAMES = [  # a name may look like another one with its score: only if nothing else will do, one blank divides
    re.compile(rf"\s*(.*?)\s*:\s*([0-9]{{1,9}})\s{blanks}\s*(.*?)\s*:\s*([0-9]{{1,9}})\s*$")
    for blanks in ("{2,}", "")
]
_NUMBERED = re.compile(r"\s*([0-9]{1,5})\s*\)")
_TAG = re.compile(r"\[\s*([A-Za-z][A-Za-z0-9 ]*?)\s+\"(.*)\"\s*\]\s*$")
_CELL = re.compile(
    r"(?P<dice>[1-6]\s?-?\s?[1-6])\s*:"
    r"|\b(?P<double>Doubles?|Redoubles?)\b(?:\s*(?:=>|to)?\s*(?P<cube>[0-9]{1,10}))?"
    r"|\b(?P<beaver>Beavers?)\b(?:\s*(?:=>|to)?\s*(?P<cube2>[0-9]{1,10}))?"
    r"|\b(?P<raccoon>Rac+oons?)\b(?:\s*(?:=>|to)?\s*(?P<cube3>[0-9]{1,10}))?"
    r"|\b(?P<take>Takes?|Accepts?)\b"
    r"|\b(?P<drop>Drops?|Pass(?:es)?|Rejects?|Refuses?)\b"
    r"|\b(?P<resign>Resigns?)\b(?:\s+an?)?(?:\s+(?P<level>single|gammon|backgammon)(?:\s+game)?)?"
    r"|\b(?P<wins>Wins?)\b\s*(?:(?P<points>[0-9]{1,12})\s*points?)?(?P<match>\s*(?:and|&)\s*the\s*match)?",
    re.I,
)
_NO_PLAY = re.compile(
    r"\(?\s*(?:cannot|can't|can not)\s+move\s*\)?|\(?\s*no\s+(?:legal\s+)?(?:play|move)s?\s*\)?"
    r"|pass|danc(?:es?|ed|ing)|fans?|forfeits?|-+|\?+",
    re.I,
)
_ILLEGAL = re.compile(
    r"\(?\s*illegal\s+(?:play|move)\s*\??\s*:?\s*\(?(?P<play>[^()]*(?:\([0-9]\)[^()]*)*)\)?\s*", re.I
)
_UNKNOWN = re.compile(r"\?+")
_PLAYERS = {"player 1": 0, "player 2": 1}
_TEXTS = {
    "event": "event",
    "round": "round",
    "eventdate": "date",
    "site": "site",
    "variation": "variant",
    "transcriber": "annotator",
}
_SWITCHES = {"crawford": "crawford", "jacoby": "jacoby", "beaver": "beavers", "beavers": "beavers"}
_ON_OFF = {
    "on": True,
    "yes": True,
    "true": True,
    "1": True,
    "off": False,
    "no": False,
    "false": False,
    "0": False,
}


def looks_like_mat(text: str) -> bool:
    """Return whether the beginning of a file is one of Jellyfish's text."""
    return any(_HEAD.match(line.strip()) or _GAME.match(line.strip()) for line in text.splitlines())


def read_mat(lines: Iterable[str]) -> Iterator[RecordHead | RecordedGame]:
    r"""Give the heads and games of a file as they come; each head begins a match.

    Raises
    ------
    RecordError
        If a line is none of the grammar's; the games before it were given.

    Examples
    --------
    >>> text = " 3 point match\n Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5      64: 24/14\n"
    >>> head, game = read_mat(text.splitlines())
    >>> head.length, game.players, [event.text for event in game.events]
    (3, ('Anna', 'Bob'), ['8/5 6/5', '24/14'])
    """
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        if reader.events is None or not plain_cells(line, number, reader.right, reader.events):
            yield from reader.take(number, line)
    yield from reader.end()


class _Reader:
    """The head and the game that are being read."""

    def __init__(self) -> None:
        self.head: RecordHead | None = None
        self.given = False  # whether the head was handed out
        self.game: RecordedGame | None = None
        self.named = False  # whether the names of its players were met
        self.comments: list[Event] = []  # above the first game
        self.events: list[Event] | None = None  # of the game whose cells are being read
        self.right = RIGHT
        self.columns: list[int] | None = None  # of a line with tabs: where each letter stands in the file

    def take(self, number: int, raw: str) -> Iterator[RecordHead | RecordedGame]:
        """Take a line; give what it completes."""
        if len(raw) > LONGEST_LINE:
            raise RecordError(
                f"a line of {len(raw)} characters; expected at most {LONGEST_LINE}", Place(number, 1)
            )
        line = raw.rstrip()
        self.columns = None
        if "\t" in line:
            self.columns = _columns(line)
            line = line.expandtabs(TAB)
        text = line.strip()
        if not text:
            return
        place = self._place(number, len(line) - len(line.lstrip()))
        if self.game is not None and not self.named and (names := _names_of(line)):
            self._names(names)  # whatever they look like
        elif text.startswith((";", "#", "%")):
            if self.game is not None and self.named and _TAG.match(text.lstrip("; ")):
                yield from self._finish()
            self._comment(text, place)
        elif found := _HEAD.match(text):
            if self.game is not None:
                yield from self._finish()
            length = int(found["length"] or 0)
            if length > LONGEST_MATCH:
                raise RecordError(f"a match to {length} points; expected at most {LONGEST_MATCH}", place)
            head = self.head if self.head is not None and not self.given else RecordHead(place)
            head.length = length or None
            head.place = place
            self.head, self.given = head, False
        elif found := _GAME.match(text):
            yield from self._finish_game()
            self.game = RecordedGame(int(found["number"]), place)
            self.game.crawford = True if found["crawford"] else None
            self.named, self.right = False, RIGHT
        elif self.game is None:
            raise RecordError(
                f"{clean(text)!r:.60}; expected a head such as ' 7 point match' or ' Game 1'", place
            )
        elif not self.named:
            expected = "expected the players with their scores, as ' Anna : 0      Bob : 0'"
            raise RecordError(f"{clean(line)!r:.60}; {expected}", place)
        else:
            self._cells(line, number)

    def end(self) -> Iterator[RecordHead | RecordedGame]:
        """Give what the end of the file completes."""
        yield from self._finish()

    def _finish(self) -> Iterator[RecordHead | RecordedGame]:
        yield from self._finish_game()
        if self.head is not None and not self.given:
            self.given = True
            yield self.head
        if self.given:
            self.head, self.given = None, False

    def _finish_game(self) -> Iterator[RecordHead | RecordedGame]:
        game = self.game
        if game is None:
            return
        if self.head is None:  # a game alone, without a head: money play
            self.head = RecordHead(game.place)
        if not self.given:
            self.head.named(game.players)
            self.given = True
            game.events[:0] = self.comments
            self.comments = []
            yield self.head
        self.game = self.events = None
        yield game

    def _comment(self, text: str, place: Place) -> None:
        content = text.lstrip(";#% ").rstrip()
        tag = _TAG.match(content)
        if tag and self.game is None:
            if self.head is None:
                self.head = RecordHead(place)
            self._tag(tag[1].lower(), tag[2], place)
        elif content:
            event = Event("comment", None, place, text=content)
            (self.comments if self.game is None else self.game.events).append(event)

    def _tag(self, name: str, value: str, place: Place) -> None:
        head = self.head
        assert head is not None
        if name in _PLAYERS:
            players = list(head.info.players)
            players[_PLAYERS[name]] = value
            head.named((players[0], players[1]))
        elif name in _TEXTS:
            head.said(_TEXTS[name], value)
        elif name in _SWITCHES:
            switch = _ON_OFF.get(value.strip().lower())
            if switch is None:
                raise RecordError(f"{name} is {clean(value)!r:.60}; expected On or Off", place)
            setattr(head, _SWITCHES[name], switch)
        elif name == "cubelimit":
            limit = int(value) if re.fullmatch("[0-9]{1,10}", value) else -1
            if limit < 0 or limit & (limit - 1):
                raise RecordError(f"the cube limit is {clean(value)!r:.60}; expected a power of two", place)
            head.cube_limit = limit if limit < 1024 else 0  # 1024 is what stands there without one

    def _place(self, number: int, at: int) -> Place:
        """Return where a letter of the line stands in the file."""
        return Place(number, at + 1 if self.columns is None else self.columns[at])

    def _names(self, found: re.Match[str]) -> None:
        assert self.game is not None
        self.game.players = found[1], found[3]
        self.game.score = int(found[2]), int(found[4])
        self.named = True
        self.events = self.game.events
        self.right = max(found.start(3), 16)

    def _cells(self, line: str, number: int) -> None:
        numbered = _NUMBERED.match(line)
        begin = numbered.end() if numbered else 0
        found = _cells_of(line, begin)
        if line[begin : found[0].start() if found else len(line)].strip():
            return self._unread(line, number, begin)
        events = [self._event(line, number, cell, found, place) for place, cell in enumerate(found)]
        if len(found) > 2 and not (len(found) == 3 and events[-1].kind == "wins"):
            place = self._place(number, found[2].start())
            raise RecordError(
                f"{clean(line[found[2].start() :])!r:.60} behind two cells; expected the end of the line",
                place,
            )
        assert self.game is not None
        self.game.events += events
        return None

    def _unread(self, line: str, number: int, begin: int) -> None:
        text = line[begin:].strip()
        if _UNKNOWN.fullmatch(text):
            return  # a turn that nobody has written down
        raise RecordError(
            f"{clean(text)!r:.60}; expected a roll as '31: 8/5 6/5', Doubles, Takes, Drops or Wins",
            self._place(number, line.index(text, begin)),
        )

    def _event(
        self, line: str, number: int, cell: re.Match[str], cells: list[re.Match[str]], index: int
    ) -> Event:
        """Return what a cell says."""
        end = cells[index + 1].start() if index + 1 < len(cells) else len(line)
        rest = line[cell.end() : end].strip()
        place = self._place(number, cell.start())
        player = self._player(cell, cells, index)
        if cell["dice"]:
            first, second = re.findall("[1-6]", cell["dice"])
            flagged = False
            if _NO_PLAY.fullmatch(rest):
                rest = ""
            elif illegal := _ILLEGAL.fullmatch(rest):
                rest, flagged = illegal["play"].strip(), True
            return Event("turn", player, place, (int(first), int(second)), rest, flagged=flagged)
        if rest.strip(" .!()"):
            raise RecordError(
                f"{clean(rest)!r:.60}; expected the end of the line or the other player's cell",
                self._place(number, line.index(rest, cell.end())),
            )
        if cell["wins"]:
            points = int(cell["points"] or 0)
            return Event("wins", player, place, value=points, flagged=bool(cell["match"]))
        kinds: tuple[EventKind, ...] = ("double", "beaver", "raccoon", "take", "drop", "resign")
        kind: EventKind = next(each for each in kinds if cell[each])
        value = int(cell["cube"] or cell["cube2"] or cell["cube3"] or 0)
        if kind == "resign":
            value = LEVELS.index((cell["level"] or "single").lower()) + 1
        return Event(kind, player, place, value=value)

    def _player(self, cell: re.Match[str], cells: list[re.Match[str]], index: int) -> int:
        """Return whose cell it is: of two the left and the right one, alone by its column."""
        two = [each for each in cells if not each["wins"]] or cells
        if not cell["wins"] and len(two) == 2:
            return index
        return int(5 * (cell.start() + 1) > 3 * self.right)


def _names_of(line: str) -> re.Match[str] | None:
    """Return the names and scores of a line; None if it has none."""
    return next(filter(None, (pattern.match(line) for pattern in _NAMES)), None)


def _columns(line: str) -> list[int]:
    """Return the column of each letter of a line once its tabs are blanks, and of its end."""
    columns: list[int] = []
    for column, letter in enumerate(line, 1):
        columns += [column] * (TAB - len(columns) % TAB if letter == "\t" else 1)
    return [*columns, len(line) + 1]


def _cells_of(line: str, begin: int) -> list[re.Match[str]]:
    """Return the cells of a line; right behind a roll "Pass" is no drop, but what became of it."""
    found: list[re.Match[str]] = []
    for cell in _CELL.finditer(line, begin):
        passes = cell["drop"] is not None and cell["drop"].lower().startswith("pass")
        behind = found and found[-1]["dice"] and not line[found[-1].end() : cell.start()].strip()
        if not (passes and behind and cell.start() - found[-1].end() <= CLOSE):
            found.append(cell)
    return found


# ---------------------------------------------------------------- writing


def write_mat(head: RecordHead, games: Iterable[RecordedGame]) -> Iterator[str]:
    """Give the text of a match, part by part; each is whole lines.

    Examples
    --------
    >>> from bgfast.records.record import Place
    >>> print("".join(write_mat(RecordHead(Place(1, 1), 7), [])))
     7 point match
    <BLANKLINE>
    """
    info = head.info
    yield "".join(f'; [{name} "{_value(value)}"]\n' for name, value in _tags(head, info))
    yield f"{chr(10) if any(_tags(head, info)) else ''} {head.length or 0} point match\n"
    for game in games:
        yield f"\n{''.join(_game_lines(game))}"


def _value(text: str) -> str:
    return clean(text).replace('"', "'")


def _tags(head: RecordHead, info: MatchInfo) -> list[tuple[str, str]]:
    on_off = {True: "On", False: "Off"}
    tags: list[tuple[str, Any]] = [
        ("Event", info.event),
        ("Round", info.round),
        ("Site", info.site),
        ("EventDate", dated(info.date, between=".")),
        ("Variation", info.variant),
        ("Transcriber", info.annotator),
    ]
    if head.length is not None and head.crawford is False:
        tags.append(("Crawford", "Off"))
    if head.length is None:
        tags += [("Jacoby", on_off[bool(head.jacoby)]), ("Beaver", on_off[bool(head.beavers)])]
    if head.cube_limit:
        tags.append(("CubeLimit", str(head.cube_limit)))
    return [(name, value) for name, value in tags if _value(value)]


def _name(name: str, default: str) -> str:
    return " ".join(clean(name).split()) or default


def _game_lines(game: RecordedGame) -> Iterator[str]:
    score = game.score or (0, 0)
    left = f" {_name(game.players[0], 'X')} : {score[0]}"
    yield f" Game {game.number}\n{left:{WIDTH + 4}} {_name(game.players[1], 'O')} : {score[1]}\n"
    cells: list[str | None] = [None, None]
    number = 0

    def line() -> str:
        nonlocal number
        if cells == [None, None]:
            return ""
        number += 1
        text = f"{number:3}) {cells[0] or '':{WIDTH}}"
        text += f" {cells[1]}" if cells[1] is not None else ""
        cells[:] = [None, None]
        return text.rstrip() + "\n"

    for event in game.events:
        if event.kind == "comment":
            yield line()
            yield f"; {comment}\n" if (comment := _comment(event.text)) else ""
        elif event.kind == "wins":
            points = f"{event.value} point{'' if event.value == 1 else 's'}"
            wins = f"Wins {points}{' and the match' if event.flagged else ''}"
            if event.player and cells[0] is not None and cells[1] is None:
                cells[1] = wins  # on a line of its own GNU Backgammon would take it for that of another game
                yield line()
            else:
                yield line()
                yield f"{'':{WIDTH + 6 if event.player else 6}}{wins}\n"
        elif (text := _text(event)) is not None:
            player = event.player or 0
            if cells[player] is not None or cells[1] is not None:
                yield line()
            cells[player] = text
            if player:
                yield line()
    yield line()


def _comment(text: str) -> str:
    return clean(text).lstrip(";#% ")


def _text(event: Event) -> str | None:
    """Return a cell; None for what the format has no word for."""
    if event.kind == "turn":
        first, second = event.dice or (0, 0)
        play = event.text
        if event.flagged:
            play = f"Illegal play ({play})" if play else "Illegal play"
        return f"{first}{second}: {play}".rstrip()
    if event.kind in ("double", "beaver", "raccoon"):
        return f" {event.kind.capitalize()}s => {event.value}"
    return {"take": " Takes", "drop": " Drops"}.get(event.kind)
