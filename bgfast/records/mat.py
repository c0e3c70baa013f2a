r"""Reader of Jellyfish's text format (.mat, .txt) in the dialects of programs and sites.

Source: files exported by GNU Backgammon 1.07, eXtreme Gammon and servers.

    file   = { match };  match = { ";" comment } head { game }
    head   = NUMBER "point match" | "Money session"
    game   = "Game" NUMBER  NAME ":" SCORE  NAME ":" SCORE  { line }
    line   = [ NUMBER ")" ] [ cell ] [ cell ]
    cell   = DICE ":" play | "Doubles => " CUBE | "Takes" | "Drops" | "Beavers" | "Raccoons" | "Resigns" ...
           | "Wins" POINTS "points" [ "and the match" ]

The left cell belongs to player 0, the right cell to player 1. docs/RECORDS.md lists the recognised words.
Reading continues after an unreadable entry, which becomes a notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bgfast.common.validation import flip_board
from bgfast.errors import BgfastError
from bgfast.games.match_info import Severity
from bgfast.games.scoring import LEVELS, MAX_CUBE_VALUE
from bgfast.games.turns import UNKNOWN_PLAY
from bgfast.position.objects import Position
from bgfast.records._mat import read_plain_line
from bgfast.records.record import (
    CENTRE,
    MAX_NOTICES,
    Event,
    EventKind,
    Place,
    RecordedGame,
    RecordHead,
    Setup,
    clean,
    notice,
    number_lines,
)

MAX_GAP = 2  # maximum number of blanks between a roll and a word that belongs to it
MAX_CELL = 300  # maximum number of characters searched for moves between two words

# Quantifiers over blanks are bounded; otherwise a pattern would try every way to split a long gap.
_POINTS = r"(?P<{}>[0-9]{{1,12}})\s{{0,9}}p(?:oin)?ts?\b\.?"
_CUBE = r"(?:\s{{0,9}}(?:[=-]{{1,3}}>|to)?\s{{0,9}}(?P<{}>[0-9]{{1,10}}))?"
_LEVEL = r"(?P<{}>single|normal|gammon|backgammon)\b"
_SECOND_ROW_NUMBER = re.compile(r"\s[0-9]{1,5}\s?\)\s{0,9}$")
_PLAY_WORD = re.compile("pass|forfeit", re.I)
_CELL = re.compile(
    r"(?P<dice>[1-6]\s?-?\s?[1-6])\s{0,3}:"
    r"|\b(?P<unthrown>00)\s{0,3}:"
    r"|(?<![0-9/*(.-])(?P<bare>[1-6]-?[1-6])(?=\s{1,9}(?:[0-9]{1,2}|bar)\s?/)"
    r"|\b(?P<double>(?:Re)?doubles?)\b"
    + _CUBE.format("cube")
    + r"|\b(?P<beaver>Beavers?)\b"
    + _CUBE.format("cube2")
    + r'(?:\s{0,9}"[0-9]{1,9}")?'
    + r"|\b(?P<raccoon>Rac{1,2}oons?)\b"
    + _CUBE.format("cube3")
    + r"|\b(?P<take>Takes?|Accepts?)\b"
    r"|\b(?P<drop>Drops?|Pass(?:es)?|Rejects?|Refuses?|Declines?)\b"
    r"|\b(?P<forfeit>(?:Loses?|Lost)\s{1,9}on\s{1,9}time|Forfeit(?:s|ed)?|Timed?\s{0,3}out|Times\s{1,3}out"
    r"|Disconnect(?:s|ed)?|Quits?)\b(?:\s{1,9}(?:the\s{1,9})?(?:game|match)\b)?"
    r"(?:\s{1,9}" + _POINTS.format("forfeited") + ")?"
    r"|\b(?P<resign>Resign(?:s|ed)?|Conced(?:es?|ed)|(?:Gives?|Gave)\s{1,3}up|Loss(?:es)?|Loses?|Lost)\b"
    r"(?:\s{1,9}an?\b)?(?:\s{1,9}" + _LEVEL.format("level") + r")?(?:\s{1,9}(?:the\s{1,9})?"
    r"(?P<whole>game|match)\b)?(?:\s{1,9}" + _POINTS.format("lost") + ")?"
    r"|\b(?P<wins>W[io]ns?)\b(?:\s{1,9}(?:the\s{1,9})?game\b)?(?:\s{1,9}an?\b)?(?:\s{1,9}"
    + _LEVEL.format("worth")
    + r")?(?:\s{1,9}"
    + _POINTS.format("points")
    + ")?"
    r"(?:\s{1,9}(?:(?:with|by)\s{1,9})?\(?(?:an?\s{1,9})?(?:single|gammon|backgammon)\b\)?)?"
    r"(?P<match>\s{1,9}(?:(?:and|&)\s{1,9})?(?:wins?\s{1,9})?(?:the\s{1,9})?match\b)?",
    re.I,
)
_PASS = re.compile(
    r"\(?\s?(?:cannot|can't|can not)\s{1,9}move\s?\)?|\(?\s?no\s{1,9}(?:legal\s{1,9})?(?:play|move)s?\s?\)?"
    r"|pass|danc(?:es?|ed|ing)|fans?|forfeits?",
    re.I,
)
_POINT = r"(?:[0-9]{1,2}|bar|off)\*?"
_MOVES = re.compile(
    rf"(?:(?:{_POINT}(?:\s?[-/\u2013\u2014]\s?{_POINT})+(?:\s?\([1-4]\)\*?)?|F[1-6](?:\([1-4]\))?)"
    r"(?![0-9a-z/\\*)]|\([0-9/*()barof]*(?:[\s,;]|$))[\s,;]{0,9})+(?:pass\b)?",
    re.I,
)
_MOVE_START = re.compile(
    r"[0-9bo][0-9*()barof]*/|(?:[0-9]{1,2}|bar|off)\s?[-/\\*]|[-/\\*]\s?(?:[0-9]|bar|off)|[0-9]{1,2}$", re.I
)  # the start of an unreadable move, or the rest of a move
_REMARK = re.compile(
    r"(?<=[0-9fr*)?!])\s{0,2}(?:\([^()a-z]{0,200}[a-z][^()]{0,200}\)|\{[^{}]{0,400}\}|\[[^][]{0,400}\])", re.I
)
_DUMP = re.compile(
    r"illegal\s{1,9}(?:play|move)\s?\((?:[0-9]{1,9};){5}(?P<names>[^\n]{1,100}?);(?:-?[0-9]{1,9};){5}"
    r"(?P<board>(?:-?[0-9]{1,2};){26})[0-9];[0-9];?\s?\)",
    re.I,
)
"""GNU Backgammon's illegal play, with the board after it from the side of the player named first."""
_ILLEGAL_PLAY = re.compile(r"\(?\s?illegal\s{1,9}(?:play|move)\s?\??\s?:?(?P<play>.*)", re.I)


class Cell(NamedTuple):
    """Part of a line that begins with a roll, an action or a result."""

    match: re.Match[str]  # first word
    slot: int  # index in the row, from 0; a result has the index of the previous cell
    rest: str  # text after the first word
    is_in_second_row: bool  # True if the line has a second row number before the cell


def find_cells(line: str, start: int) -> list[Cell]:
    """Return the cells of a line.

    A roll without a colon begins a cell only after a gap. Directly after a roll, "Pass" or "Forfeits" is its
    play, and a resignation belongs to the same player. "Pass" directly after moves belongs to them. A remark
    in brackets has no cells.
    """
    tokens: list[re.Match[str]] = []
    searched_text = line[:start] + _REMARK.sub(lambda remark: "#" * len(remark[0]), line[start:])
    if ";" in line:  # the names in a dump must not match as words
        searched_text = _DUMP.sub(lambda dump: "x" * len(dump[0]), searched_text)
    for token in _CELL.finditer(searched_text, start):
        end = tokens[-1].end() if tokens else start
        gap = line[max(end, token.start() - MAX_CELL) : token.start()]
        follows_roll = bool(tokens) and _follows_roll(tokens[-1], gap)
        if token["bare"] and (follows_roll or (gap.strip() and gap[-2:] != "  ")):
            continue
        is_passing = token[0].lower() == "pass" and bool(tokens) and _follows_moves(tokens[-1], gap)
        if not (is_passing or (follows_roll and _PLAY_WORD.match(token[0]))):
            tokens.append(token)
    cells: list[Cell] = []
    slot, is_in_second_row = -1, False
    for index, token in enumerate(tokens):
        gap = line[tokens[index - 1].end() if index else start : token.start()]
        if index and (row := _SECOND_ROW_NUMBER.search(gap)):
            slot, is_in_second_row = -1, True
            cells[-1] = cells[-1]._replace(rest=gap[: row.start()].strip())
        is_loss = token["resign"] or token["forfeit"]
        if not (token["wins"] or (is_loss and index and _follows_roll(tokens[index - 1], gap))):
            slot += 1
        end = tokens[index + 1].start() if index + 1 < len(tokens) else len(line)
        cells.append(Cell(token, max(slot, 0), line[token.end() : end].strip(), is_in_second_row))
    return cells


def _follows_roll(token: re.Match[str], gap: str) -> bool:
    """Return whether `token` is a roll to which the word after the gap belongs."""
    return bool(token["dice"]) and not gap.strip() and len(gap) <= MAX_GAP


def _follows_moves(token: re.Match[str], gap: str) -> bool:
    return bool(token["dice"] and _MOVES.match(gap.strip())) and bool(gap[-MAX_GAP - 1 :].strip())


def split_play(text: str) -> tuple[str, str]:
    """Split a text into its play and the remark after it; an unreadable move is not a remark."""
    moves = _MOVES.match(text)
    remark = text[moves.end() :].lstrip() if moves else ""
    if moves is None or not remark.strip("? ") or _MOVE_START.match(remark):
        return text, ""
    return moves[0].rstrip(" ,;"), remark


def turn_event(
    cell: re.Match[str], play: str, player: int | None, place: Place, players: tuple[str, str]
) -> Event:
    """Return the event of a roll with its play; `players` are the names in the heading of the game."""
    if cell["unthrown"]:
        return Event("turn", player, place, None, UNKNOWN_PLAY)
    first, second = re.findall("[1-6]", cell["dice"] or cell["bare"])
    is_illegal, setup = False, None
    if dump := _DUMP.fullmatch(play):
        board = tuple(map(int, dump["board"].split(";")[:-1]))
        is_swapped = dump["names"] == ";".join(reversed(players)) != ";".join(players)
        play, is_illegal, setup = "", True, Setup(flip_board(board) if is_swapped else board)
    elif illegal := _ILLEGAL_PLAY.fullmatch(play):
        play, is_illegal = illegal["play"].strip(), True
        if play.startswith("(") and play.endswith(")"):
            play = play[1:-1].strip()
        elif play.endswith(")") and "(" not in play:
            play = play[:-1].strip()
        if not play:
            play, is_illegal = UNKNOWN_PLAY, False
    elif play.endswith("?"):
        play = f"{play.rstrip('? ')} {UNKNOWN_PLAY}".lstrip()
    elif _PASS.fullmatch(play):
        play = "pass"
    elif not play.strip("- "):
        play = ""
    return Event("turn", player, place, (int(first), int(second)), play, flagged=is_illegal, setup=setup)


def action_event(cell: re.Match[str], player: int | None, place: Place) -> Event:
    """Return the event of a cell without a roll."""
    if cell["wins"]:
        level, is_match, points = _level(cell["worth"]), bool(cell["match"]), int(cell["points"] or 0)
        return Event("wins", player, place, None, "", level, is_match, points=points)
    kinds: tuple[EventKind, ...] = ("double", "beaver", "raccoon", "take", "drop", "resign", "forfeit")
    kind: EventKind = next(kind for kind in kinds if cell[kind])
    cube = int(cell["cube"] or cell["cube2"] or cell["cube3"] or 0)
    value = _level(cell["level"]) if kind == "resign" else cube
    is_match = (cell["whole"] or "").lower() == "match"
    points = int(cell["lost"] or cell["forfeited"] or 0)
    return Event(kind, player, place, None, "", value, is_match, points=points)


def _level(name: str | None) -> int:
    return LEVELS.index(name.lower().replace("normal", LEVELS[0])) + 1 if name else 0


# ---------------------------------------------------------------- lines

RIGHT_COLUMN = 33  # first column of the right cell unless the heading of the game shows another
MIN_RIGHT_COLUMN = 16
MAX_LINE = 1_000_000  # maximum characters of a line
TAB = 8
AUTOMATIC_DOUBLES = "Automatic doubles: "
"""Comment that states automatic doubles, written by bgfast at the beginning of a game."""
CRAWFORD_GAME = "Crawford game: no", "Crawford game: yes"
"""Comments that bgfast writes at the beginning of a game if the score implies the opposite."""
ROLL_TO_PLAY = "Roll to play: "
"""Comment that bgfast writes after a position whose roll is already thrown."""

# Quantifiers over blanks are bounded; otherwise a pattern would try every way to split a long gap.
_HEAD = re.compile(
    r"(?P<length>[0-9]{1,9})[- ]?(?:points?|pts?\.?)\s{0,9}match\b|match\s{1,9}to\s{1,9}(?P<to>[0-9]{1,9})\b"
    r"|(?:money|unlimited)\s{0,9}(?:game|session|match)",
    re.I,
)
_GAME = re.compile(
    r"Game\s{1,9}(?:#|no\.?\s?|number\s)?(?P<number>[0-9]{1,9})\b[.:]?\s{0,9}(?P<crawford>\(?Crawford.*)?$",
    re.I,
)
_SCORE = re.compile(r":[ \t]*([0-9]{1,9})(?![0-9])")
_ROW = re.compile(r"[0-9]{1,5}\s*\)\s*[1-6]\s?-?\s?[1-6](?:\s{0,3}:|\s{1,9}(?:[0-9]{1,2}|bar)\s?/)", re.I)
_POSITION = re.compile(r"Set Pos\s{0,9}=\s{0,9}(?P<board>[^\s/]{1,99})(?:/(?P<cube>-?[0-9]{1,2}))?$", re.I)
_ROW_NUMBER = re.compile(r"\s*([0-9]{1,5})\s*\)")
_MISSPELT_HEAD = re.compile(r"[0-9]+\s.{0,30}\bmatch\b", re.I)
_IMPOSSIBLE_DICE = re.compile(r"[0-9]\s?-?\s?[0-9]\s{0,3}:")
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
_ON_OFF = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_UNUSED_TAGS = frozenset(
    "match id,player 1 elo,player 2 elo,player 1 country,player 2 country,eventtime,unrated,country,clock,"
    "clocktype,comment".split(",")
)
"""Tags of programs and sites without information about the rules."""


def find_mat(text: str) -> int:
    """Return the index of the first heading of a game or numbered row with a roll, or -1."""
    start = 0
    for raw_line in text.splitlines(keepends=True):
        line = raw_line.strip()
        if _GAME.match(line) or _ROW.match(line):
            return start
        start += len(raw_line)
    return -1


def read_mat(lines: Iterable[str]) -> Iterator[RecordHead | RecordedGame]:
    """Yield the heads and games of a file in order; each head begins a match."""
    reader = _Reader()
    for line_number, column, line in number_lines(lines):
        if column > 1:
            continue  # the rest of an overlong line
        events, right_column = reader.events, reader.right_column
        if events is None or not read_plain_line(line, line_number, right_column, events):
            yield from reader.read_line(line_number, line)
        if reader.notice_count > MAX_NOTICES:
            text = f"more than {MAX_NOTICES} lines cannot be read; the rest of the file is not read"
            reader.add_notice(Place(line_number, 1), text)
            break
    yield from reader.finish_match()


class _Reader:
    def __init__(self) -> None:
        self.head: RecordHead | None = None
        self.is_head_yielded = False
        self.game: RecordedGame | None = None
        self.has_names = False
        self.has_games = False  # True after the first heading, or a row without a heading
        self.pending: list[Event] = []  # comments and notices above a game
        self.events: list[Event] | None = None  # events of the current game
        self.right_column = RIGHT_COLUMN
        self.notice_count = 0
        self.columns: list[int] | None = None  # file column of each character of a line with tabs
        self.raw_line = ""  # the line with unexpanded tabs

    def read_line(self, line_number: int, raw_line: str) -> Iterator[RecordHead | RecordedGame]:
        if len(raw_line) > MAX_LINE:
            text = f"a line of more than {MAX_LINE} characters; it is not read"
            self.add_notice(Place(line_number, 1), text)
            return
        line = raw_line.rstrip()
        self.columns = None
        if "\t" in line:
            self.columns = _columns(line)
            self.raw_line, line = line, line.expandtabs(TAB)
        text = line.strip()
        if not text:
            return
        place = self.place(line_number, len(line) - len(line.lstrip()))
        if self.game is not None and not self.has_names and (names := _read_names(line)):
            self.set_names(*names)  # names may look like a comment or a heading
        elif text.startswith((";", "#", "%")):
            if self.has_names and read_tag(text.lstrip("; ")) is not None:
                yield from self.finish_match()
            self.add_comment(text, place)
        elif head := _HEAD.match(text):
            if self.game is not None:
                yield from self.finish_match()
            self.begin_match(int(head["length"] or head["to"] or 0), place)
        elif heading := _GAME.match(text):
            yield from self.finish_game()
            self.begin_game(int(heading["number"]), place, True if heading["crawford"] else None)
        elif self.game is None and self.head is not None and (names := _read_names(line)):
            self.begin_game(1, place)
            self.set_names(*names)
        elif self.game is None and (self.has_games or not _ROW.match(text)):
            expected = "expected a head such as ' 7 point match' or ' Game 1'"
            severity: Severity = "warning" if _MISSPELT_HEAD.match(text) else "note"
            self.add_notice(place, f"{clean(text)!r:.60}; {expected}", severity)
        else:
            if self.game is None:
                self.begin_game(1, place)
            if not self.has_names:
                assert self.game is not None
                expected = "expected the players with their scores, such as ' Anna : 0      Bob : 0'"
                self.add_notice(place, f"{clean(line)!r:.60}; {expected}", "warning")
                self.has_names, self.events = True, self.game.events
            self.add_cells(line, line_number)

    # ---------------------------------------------------------------- heads and headings

    def begin_match(self, length: int, place: Place) -> None:
        head = self.head if self.head is not None and not self.is_head_yielded else RecordHead(place)
        head.set_length(length, place)
        head.place = place
        self.head, self.is_head_yielded = head, False

    def begin_game(self, game_number: int, place: Place, crawford: bool | None = None) -> None:
        self.has_games = True
        self.game = RecordedGame(game_number, place, crawford=crawford)
        self.game.events, self.pending = self.pending, []
        self.has_names, self.right_column = False, RIGHT_COLUMN

    def set_names(self, players: tuple[str, str], score: tuple[int, int], column: int) -> None:
        assert self.game is not None
        self.game.players, self.game.score = players, score
        self.has_names = True
        self.events = self.game.events
        # After a long left name, the right name begins further right than the right cells.
        self.right_column = min(max(column, MIN_RIGHT_COLUMN), RIGHT_COLUMN)

    def finish_match(self) -> Iterator[RecordHead | RecordedGame]:
        yield from self.finish_game()
        if self.head is not None and not self.is_head_yielded:
            self.head.notices += [event for event in self.pending if event.kind == "notice"]
            self.pending = []
            self.is_head_yielded = True
            yield self.head
        if self.is_head_yielded:
            self.head, self.is_head_yielded = None, False

    def finish_game(self) -> Iterator[RecordHead | RecordedGame]:
        """Yield the current game, preceded by the head if the game is the first."""
        game = self.game
        if game is None:
            return
        if self.head is None:  # a game without a head is money play
            self.head = RecordHead(game.place)
        if not self.is_head_yielded:
            self.head.set_players(game.players)
            self.is_head_yielded = True
            yield self.head
        self.game = self.events = None
        self.has_names = False
        yield game

    # ---------------------------------------------------------------- comments and tags

    def add_notice(self, place: Place, message: str, severity: Severity = "error") -> None:
        self.notice_count += 1
        (self.pending if self.game is None else self.game.events).append(notice(place, message, severity))

    def add_comment(self, text: str, place: Place) -> None:
        content = text.lstrip(";#% ").rstrip()
        game, events = self.game, self.pending if self.game is None else self.game.events
        if game is None:
            if (tag := read_tag(content)) is not None:
                self.head = RecordHead(place) if self.head is None else self.head
                self.apply_tag(self.head, tag[0].lower(), tag[1], place)
                return
        elif all(event.kind in ("comment", "notice") for event in events):  # before the first action
            if ties := read_automatic_doubles(content):
                events += [Event("tie", None, place, (1, 1))] * ties
                return
            if content in CRAWFORD_GAME:
                game.crawford = content == CRAWFORD_GAME[True]
                return
        if game is not None and (setup := read_position(content)):
            events.append(Event("position", None, place, setup=setup))
        elif game is not None and (roll := read_roll(content)) and events and events[-1].kind == "position":
            events[-1] = events[-1]._replace(dice=roll)
        elif content:
            events.append(Event("comment", None, place, text=content))

    def apply_tag(self, head: RecordHead, name: str, value: str, place: Place) -> None:
        if name in _PLAYERS:
            players = list(head.info.players)
            players[_PLAYERS[name]] = value
            head.set_players((players[0], players[1]))
        elif name in _TEXTS:
            head.set_info(_TEXTS[name], value)
        elif name in _SWITCHES:
            setting = value.strip().lower()
            switch = bool(int(setting)) if re.fullmatch("[0-9]{1,3}", setting) else _ON_OFF.get(setting)
            if switch is None:
                text = f"{name} is {clean(value)!r:.60}; expected On or Off"
                head.notices.append(notice(place, text, "warning"))
            else:
                setattr(head, _SWITCHES[name], switch)
        elif name == "cubelimit":
            limit = int(value) if re.fullmatch("[0-9]{1,10}", value) else -1
            if limit < 0 or limit & (limit - 1):
                text = f"the cube limit is {clean(value)!r:.60}; expected a power of two"
                head.notices.append(notice(place, text, "warning"))
            else:
                head.cube_limit = limit
        elif name == "rules":
            head.set_rules(value.split(), place)
        elif name not in _UNUSED_TAGS:
            text = f"unknown tag {clean(name)!r:.60}; it is not used"
            head.notices.append(notice(place, text, "note"))

    def place(self, line_number: int, index: int) -> Place:
        return Place(line_number, index + 1 if self.columns is None else self.columns[index])

    # ---------------------------------------------------------------- cells

    def add_cells(self, line: str, line_number: int) -> None:
        assert self.game is not None
        row_number = _ROW_NUMBER.match(line)
        start = row_number.end() if row_number else 0
        cells = find_cells(line, start)
        prefix = line[start : cells[0].match.start() if cells else len(line)].strip()
        if prefix.strip("?"):
            expected = "a roll like '31: 8/5 6/5', Doubles, Takes, Drops or Wins"
            place = self.place(line_number, line.index(prefix, start))
            self.add_notice(place, f"{clean(prefix)!r:.60}; expected {_dice_or(expected, prefix)}")
        for cell in cells:
            match = cell.match
            if cell.slot > 1 and not match["wins"]:
                text = f"{clean(line[match.start() :])!r:.60} after two cells; expected the end of the line"
                self.add_notice(self.place(line_number, match.start()), text)
                break
            player = self.cell_player(cell, cells, start, row_number is not None)
            place = self.place(line_number, match.start())
            play, rest = "", cell.rest
            if match["dice"] or match["bare"] or match["unthrown"]:
                play, rest = split_play(rest)
                self.game.events.append(turn_event(match, play, player, place, self.game.players))
            else:
                self.game.events.append(action_event(match, player, place))
            if rest.strip(" .!()?"):
                index = line.index(rest, match.end() + len(play))
                is_remark = bool(play) and bool(line[index - MAX_GAP - 1 : index].strip())
                expected = _dice_or("the end of the line or the other player's cell", rest)
                text = "a remark, which is not read" if is_remark else f"expected {expected}"
                place = self.place(line_number, index)
                self.add_notice(place, f"{clean(rest)!r:.60}; {text}", "note" if is_remark else "error")

    def cell_player(self, cell: Cell, cells: list[Cell], start: int, is_numbered: bool) -> int | None:
        """Return the player of a cell, by its slot or, for a single cell, by its column.

        None if a single cell may belong to either player: it follows one tab, or is a loss on its own line.
        """
        match = cell.match
        if not match["wins"] and (cell.is_in_second_row or max(other.slot for other in cells) == 1):
            return cell.slot
        if (match["resign"] or match["forfeit"]) and not is_numbered:
            return None
        if self.columns is None:
            return int(5 * (match.start() + 1) > 3 * self.right_column)
        tabs = self.raw_line[self.columns[start] - 1 : self.columns[match.start()] - 1].count("\t")
        return None if tabs == 1 and not match["wins"] else int(tabs > 1)


def _dice_or(expected: str, text: str) -> str:
    """Return what was expected in place of an unread text: dice if it begins like a roll."""
    return "dice from 1 to 6" if _IMPOSSIBLE_DICE.match(text) else expected


def _read_names(line: str) -> tuple[tuple[str, str], tuple[int, int], int] | None:
    """Return names, scores and the column of the right name of a heading; None for another line.

    Names may contain text that looks like a score. The left name ends at the first score that two blanks
    follow, or else at the first score.
    """
    scores = list(_SCORE.finditer(line))
    if len(scores) < 2 or line[scores[-1].end() :].strip():
        return None
    last_score = scores.pop()
    first_score = next((score for score in scores if line[score.end() : score.end() + 2] == "  "), scores[0])
    right_text = line[first_score.end() : last_score.start()]
    if not right_text[:1].isspace():
        return None
    column = first_score.end() + len(right_text) - len(right_text.lstrip())
    players = line[: first_score.start()].strip(), right_text.strip()
    return players, (int(first_score[1]), int(last_score[1])), column


def read_tag(text: str) -> tuple[str, str] | None:
    """Return the name and the value of a tag such as ``[Event "Club"]``; None for other text."""
    name, quote, value = text[1:-1].partition('"')
    value, end = value.rstrip()[:-1], value.rstrip()[-1:]
    name = name.strip()
    is_tag = text[:1] == "[" and text[-1:] == "]" and quote and end == '"'
    if not is_tag or not name[:1].isalpha() or not name.replace(" ", "").isalnum() or not name.isascii():
        return None
    return name, value


def read_automatic_doubles(comment: str) -> int:
    """Return the number of automatic doubles in a bgfast comment; 0 for other comments."""
    count = comment.removeprefix(AUTOMATIC_DOUBLES)
    return int(count) if count != comment and re.fullmatch("[0-9]{1,2}", count) else 0


def read_roll(comment: str) -> tuple[int, int] | None:
    """Return the roll to play in a bgfast comment; None for other comments."""
    dice = comment.removeprefix(ROLL_TO_PLAY)
    return (int(dice[0]), int(dice[1])) if dice != comment and re.fullmatch("[1-6]{2}", dice) else None


def read_position(comment: str) -> Setup | None:
    """Return the position and the cube of a ``Set Pos=`` comment; None for other comments.

    The board is the first part of an XGID, with the left player as X. After the slash, n is a cube of 2**n
    that the right player owns, -n a cube of the left player, and 0 a cube in the centre.
    """
    match = _POSITION.match(comment)
    if match is None:
        return None
    try:
        board = Position.from_xgid(f"{match['board']}:0:0:1:00:0:0:0:0:10").to_array().tolist()
    except BgfastError:
        board = []
    power = int(match["cube"] or 0)
    if not power:
        return Setup(tuple(board), owner=None if match["cube"] is None else CENTRE)
    return Setup(tuple(board), min(1 << abs(power), MAX_CUBE_VALUE), int(power > 0))


def _columns(line: str) -> list[int]:
    """Return the unexpanded column of each character, and of the end, of a line with expanded tabs."""
    columns: list[int] = []
    for column, letter in enumerate(line, 1):
        columns += [column] * (TAB - len(columns) % TAB if letter == "\t" else 1)
    return [*columns, len(line) + 1]
