"""Cells of Jellyfish's text: a roll with its play, or an action, in the words of many programs."""

from __future__ import annotations

import re
from typing import NamedTuple

from bgfast.common.vocabulary import flipped
from bgfast.games.scoring import LEVELS
from bgfast.games.unchecked_plays import UNKNOWN_PLAY
from bgfast.records.formats.record import Event, EventKind, Place, Setup

MAX_GAP = 2
"""Maximum blanks between a roll and a word that belongs to it."""
MAX_CELL = 300
"""Maximum characters between two words in which moves are looked for."""

# Quantifiers over blanks are bounded: a long gap must not be tried in every division.
_POINTS = r"(?P<{}>[0-9]{{1,12}})\s{{0,9}}p(?:oin)?ts?\b\.?"
_CUBE = r"(?:\s{{0,9}}(?:[=-]{{1,3}}>|to)?\s{{0,9}}(?P<{}>[0-9]{{1,10}}))?"
_LEVEL = r"(?P<{}>single|normal|gammon|backgammon)\b"
_SECOND_NUMBER = re.compile(r"\s[0-9]{1,5}\s?\)\s{0,9}$")
_PLAYED = re.compile("pass|forfeit", re.I)
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
_MOVE_BEGINS = re.compile(
    r"[0-9bo][0-9*()barof]*/|(?:[0-9]{1,2}|bar|off)\s?[-/\\*]|[-/\\*]\s?(?:[0-9]|bar|off)|[0-9]{1,2}$", re.I
)  # one that cannot be read, or its rest
_REMARK = re.compile(
    r"(?<=[0-9fr*)?!])\s{0,2}(?:\([^()a-z]{0,200}[a-z][^()]{0,200}\)|\{[^{}]{0,400}\}|\[[^][]{0,400}\])", re.I
)
_DUMP = re.compile(
    r"illegal\s{1,9}(?:play|move)\s?\((?:[0-9]{1,9};){5}(?P<names>[^\n]{1,100}?);(?:-?[0-9]{1,9};){5}"
    r"(?P<board>(?:-?[0-9]{1,2};){26})[0-9];[0-9];?\s?\)",
    re.I,
)
"""GNU Backgammon's illegal play, with the board after it from the side of the first name."""
_ILLEGAL = re.compile(r"\(?\s?illegal\s{1,9}(?:play|move)\s?\??\s?:?(?P<play>.*)", re.I)


class Cell(NamedTuple):
    """Cell of a line."""

    match: re.Match[str]  # first word
    slot: int  # index in the row, from 0; a result has the index of the previous cell
    rest: str  # text after the first word
    is_in_second_row: bool  # True if the line has a second row number before the cell


def find_cells(line: str, begin: int) -> list[Cell]:
    """Return the cells of a line.

    A roll without a colon begins a cell only after a gap. Directly after a roll, "Pass" or "Forfeits" is its
    play, and a resignation belongs to the same player. "Pass" directly after moves belongs to them. A remark
    in brackets has no cells.
    """
    words: list[re.Match[str]] = []
    searched = line[:begin] + _REMARK.sub(lambda remark: "#" * len(remark[0]), line[begin:])
    if ";" in line:  # the names in a dump are not words
        searched = _DUMP.sub(lambda dump: "x" * len(dump[0]), searched)
    for word in _CELL.finditer(searched, begin):
        end = words[-1].end() if words else begin
        gap = line[max(end, word.start() - MAX_CELL) : word.start()]
        is_behind_roll = bool(words) and _is_behind_roll(words[-1], gap)
        if word["bare"] and (is_behind_roll or (gap.strip() and gap[-2:] != "  ")):
            continue
        is_passing = word[0].lower() == "pass" and bool(words) and _is_behind_moves(words[-1], gap)
        if not (is_passing or (is_behind_roll and _PLAYED.match(word[0]))):
            words.append(word)
    cells: list[Cell] = []
    slot, is_in_second_row = -1, False
    for place, word in enumerate(words):
        gap = line[words[place - 1].end() if place else begin : word.start()]
        if place and (row := _SECOND_NUMBER.search(gap)):
            slot, is_in_second_row = -1, True
            cells[-1] = cells[-1]._replace(rest=gap[: row.start()].strip())
        is_loss = word["resign"] or word["forfeit"]
        if not (word["wins"] or (is_loss and place and _is_behind_roll(words[place - 1], gap))):
            slot += 1
        end = words[place + 1].start() if place + 1 < len(words) else len(line)
        cells.append(Cell(word, max(slot, 0), line[word.end() : end].strip(), is_in_second_row))
    return cells


def _is_behind_roll(word: re.Match[str], gap: str) -> bool:
    """Return whether the previous word is a roll that a word after this gap belongs to."""
    return bool(word["dice"]) and not gap.strip() and len(gap) <= MAX_GAP


def _is_behind_moves(word: re.Match[str], gap: str) -> bool:
    """Return whether the previous word is a roll, and this gap its moves."""
    return bool(word["dice"] and _MOVES.match(gap.strip())) and bool(gap[-MAX_GAP - 1 :].strip())


def split_play(text: str) -> tuple[str, str]:
    """Return the play at the beginning of a text, and the remark after it; an unreadable move is not one."""
    moves = _MOVES.match(text)
    remark = text[moves.end() :].lstrip() if moves else ""
    if moves is None or not remark.strip("? ") or _MOVE_BEGINS.match(remark):
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
        play, is_illegal, setup = "", True, Setup(flipped(board) if is_swapped else board)
    elif illegal := _ILLEGAL.fullmatch(play):
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
        level, is_match = cell["worth"], bool(cell["match"])
        return Event("wins", player, place, None, "", _level(level), is_match, points=_number(cell["points"]))
    kinds: tuple[EventKind, ...] = ("double", "beaver", "raccoon", "take", "drop", "resign", "forfeit")
    kind: EventKind = next(kind for kind in kinds if cell[kind])
    value = (
        _level(cell["level"]) if kind == "resign" else _number(cell["cube"] or cell["cube2"] or cell["cube3"])
    )
    is_match = (cell["whole"] or "").lower() == "match"
    points = _number(cell["lost"] or cell["forfeited"])
    return Event(kind, player, place, None, "", value, is_match, points=points)


def _level(word: str | None) -> int:
    return LEVELS.index(word.lower().replace("normal", LEVELS[0])) + 1 if word else 0


def _number(digits: str | None) -> int:
    return int(digits) if digits else 0
