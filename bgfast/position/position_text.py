"""Positions and rolls as typed text, a name, an ID or 26 numbers with a roll; files and pasted texts of them.

A text is a *list* if each line is a position, or if some line has a form that only people type: a name, 26
numbers, an ID followed by a roll, or, unless a board is drawn, a bare position ID. Every line of a list must
be a position. Any other text with an ID in a line is *decorated* (see `position_ids`): its IDs are read, and
other text is ignored.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from bgfast.common.files import naming, read_limited
from bgfast.common.validation import BOARD_SIZE, CHECKERS, Roll
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, NotationError, shown
from bgfast.position.decision import Decision, roll_to_play
from bgfast.position.formats import looks_like_fibs_board, looks_like_ogid, looks_like_xgid, pasted_xgid
from bgfast.position.objects import Position
from bgfast.position.position_ids import (
    ID_LENGTH,
    bare_id,
    is_match_id,
    pasted_gnubg_id,
    stated_positions,
    without_apostrophe,
)

STARTS: Mapping[str, Callable[[], Position]] = {
    "start": Position.start,
    "nackgammon": Position.nackgammon,
    "longgammon": Position.longgammon,
    "hypergammon": Position.hypergammon,
}
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_ROLL_LIKE = re.compile(r"([0-9])(?:[- ]| ?, ?)?([0-9]) ?:?", re.ASCII)
_SIGN_OF_FIELDS = re.compile("[:=%]")  # every XGID and OGID has one
_DICE_LIKE = re.compile(r"[0-9.,:+-]*", re.ASCII)  # no position ID looks like this


class PositionText(NamedTuple):
    """Position, the words after it, and the context of its XGID or match ID."""

    position: Position
    rest: tuple[str, ...]
    context: Decision | None = None

    @property
    def dice(self) -> Roll | None:
        """The roll of the context."""
        return None if self.context is None else self.context.dice


def read_position(words: Sequence[str], checkers: int | None = None) -> PositionText:
    """Return the position at the beginning of the words, by default the starting position.

    `checkers` a side, 15 by default, are those of an ID or a board; named positions have their own number.
    Raises `InvalidPositionError` or `NotationError` if the words begin with neither a position nor a number.
    """
    if words and words[0].lower() in STARTS:
        return _named(words[0].lower(), checkers, words[1:])
    per_side = CHECKERS if checkers is None else checkers
    text = " ".join(words)
    pasted = pasted_gnubg_id(text)
    if pasted is not None:
        return _read_gnubg_id([":".join(filter(None, pasted[:2])), *pasted[2].split()], per_side)
    if _SIGN_OF_FIELDS.search(text):
        xgid = pasted_xgid(text)
        if xgid is not None:
            return _with_context(Decision.read(f"XGID={xgid[0]}", per_side), xgid[1].split())
        if looks_like_xgid(words[0]) or looks_like_ogid(words[0]):
            return _with_context(Decision.read(words[0], per_side), words[1:])
    numbers = " ".join(words).replace(",", " ").split()
    leading = next((i for i, word in enumerate(numbers) if not _WHOLE_NUMBER.fullmatch(word)), len(numbers))
    if leading >= BOARD_SIZE:
        for index, word in enumerate(numbers[:BOARD_SIZE]):
            if len(word) > 4:
                raise InvalidPositionError(f"index {index} is {shown(word)}; expected a number of checkers")
        board = [int(word) for word in numbers[:BOARD_SIZE]]
        return PositionText(Position.from_array(board, per_side), tuple(numbers[BOARD_SIZE:]))
    if leading > 3:
        raise InvalidPositionError(
            f"a board of {leading} numbers; expected {BOARD_SIZE}, then the rest of the command"
        )
    if words and not _DICE_LIKE.fullmatch(words[0]):
        return _read_gnubg_id(words, per_side)
    return _named("start", checkers, words)


def read_whole_text(text: str, checkers: int | None = None) -> PositionText:
    """Return the position that a text, such as a line of a file, begins with, and the words after it."""
    words = text.split()
    named = bool(words) and words[0].lower() in STARTS
    position = read_position(words, None if named else checkers)
    if not named and position.rest == tuple(words):  # read as a roll from the start
        raise InvalidPositionError(
            f"{shown(text)} is no position; expected {', '.join(STARTS)}, an XGID, a GNU position ID or "
            f"{BOARD_SIZE} whole numbers"
        )
    return position


def form_of_words(words: Sequence[str]) -> Literal["typed", "bare", "id"] | None:
    """Return the form of a position in words, valid or not; None if they are not a position.

    ``"typed"`` for forms that people type: a name, 26 numbers, the board line of FIBS, or an ID followed by a
    roll; ``"bare"`` for the 14 characters of a position ID; ``"id"`` for another ID, or the match ID of the
    previous line.
    """
    text = without_apostrophe(" ".join(words))
    if is_match_id(text):
        return "id"
    if looks_like_fibs_board(text):
        return "typed"
    if words[0].lower() in STARTS:
        return "typed" if len(words) == 1 or _ROLL_LIKE.fullmatch(" ".join(words[1:])) else None
    pasted = pasted_gnubg_id(text)
    id_and_rest = (pasted[0], pasted[2]) if pasted else pasted_xgid(text) or bare_id(text)
    if id_and_rest is not None:
        if id_and_rest[1]:
            return "typed" if _ROLL_LIKE.fullmatch(id_and_rest[1]) else None
        return "bare" if len(text) == ID_LENGTH else "id"
    numbers = text.replace(",", " ").split()
    is_board = len(numbers) >= BOARD_SIZE and all(map(_WHOLE_NUMBER.fullmatch, numbers[:BOARD_SIZE]))
    rest = " ".join(numbers[BOARD_SIZE:])
    return "typed" if is_board and (not rest or _ROLL_LIKE.fullmatch(rest)) else None


def _named(name: str, checkers: int | None, rest: Sequence[str]) -> PositionText:
    if checkers is not None:
        raise InvalidPositionError(
            f"checkers per side go with an ID or a board; {name} has its own number of them"
        )
    return PositionText(STARTS[name](), tuple(rest))


def _with_context(context: Decision, rest: Sequence[str]) -> PositionText:
    return PositionText(context.position, tuple(rest), context)


def _read_gnubg_id(words: Sequence[str], checkers: int) -> PositionText:
    text = without_apostrophe(words[0])
    if len(text) != ID_LENGTH and ":" not in text:
        raise NotationError(
            f"{shown(words[0])} is no position; expected {', '.join(STARTS)}, an XGID, a GNU position ID "
            f"(14 characters, with or without :MATCH_ID) or {BOARD_SIZE} whole numbers"
        )
    if ":" in text:
        return _with_context(Decision.read(text, checkers), words[1:])
    return PositionText(Position.from_gnubg_id(text, checkers), tuple(words[1:]))


def read_roll(text: PositionText) -> Roll:
    """Return the roll after a position, 31, 3-1, 3 1 or 31:, or that of the XGID."""
    words = " ".join(text.rest)
    if words and text.context is None:
        return typed_roll(words)
    return roll_to_play(text.context, typed_roll(words) if words else None)


def typed_roll(words: str) -> Roll:
    """Return the two digits of a roll, 31, 3-1, 3 1 or 31:, which need not be dice."""
    match = _ROLL_LIKE.fullmatch(words)
    if not match:
        raise InvalidDiceError(f"the roll is {shown(words)}; expected two dice like 31, 3-1 or 3 1")
    return int(match[1]), int(match[2])


# ---- files and pasted texts ----


Item = TypeVar("Item")
_DRAWN_BOARD = re.compile(r"\+(?:13-14-15|12-11-10|24-23-22|-?1--2--3)-")


def read_content(file: str | os.PathLike[str] | int, name: str) -> bytes:
    """Return the content of a file or pipe of positions; error messages call it `name`."""
    with naming(name):
        return read_limited(file)


class PositionLine(NamedTuple):
    """Position in a text: the number of its line, from 1, and its words."""

    line: int
    words: list[str]


def position_lines(name: str, content: bytes) -> list[PositionLine]:
    """Return the positions of a list or a decorated text.

    The text is UTF-8, or UTF-16 with a byte order mark. In a list ``#`` begins a comment, in a decorated text
    only at the beginning of a line.
    """
    lines = _plain_lines(name, content)
    texts, words = _as_text(lines)
    stated = [] if _is_list(words, texts) else stated_positions(texts)
    if stated:
        return [PositionLine(line, f"{text} {roll}".split()) for line, text, roll in stated]
    for number, line in enumerate(lines, 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            bad = line[error.start : error.start + 1]
            raise BgfastError(f"{name}, line {number}: the byte {bad!r}; expected UTF-8 text") from None
    if not any(words):
        raise BgfastError(f"{name}: no position in it")
    return [PositionLine(number, line_words) for number, line_words in enumerate(words, 1) if line_words]


def holds_positions(content: bytes) -> bool:
    """Return whether a text is a list of positions, even with mistakes, or a decorated text."""
    if b"\0" in content and not content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    try:
        texts, words = _as_text(_plain_lines("", content))
    except BgfastError:
        return False
    return any(form_of_words(line_words) for line_words in words if line_words) or bool(
        stated_positions(texts)
    )


def _as_text(lines: list[bytes]) -> tuple[list[str], list[list[str]]]:
    """Return lines as text, and their words without comments."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    return texts, [text.partition("#")[0].split() for text in texts]


def _plain_lines(name: str, content: bytes) -> list[bytes]:
    """Return the lines of a text in UTF-8; a byte order mark identifies UTF-16."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            content = content.decode("utf-16").encode("utf-8")
        except UnicodeError:
            raise BgfastError(f"{name}: a damaged text in UTF-16; expected UTF-8 or UTF-16 text") from None
    return content.removeprefix(BOM_UTF8).splitlines()


def _is_list(words: list[list[str]], texts: list[str]) -> bool:
    """Return whether lines are a list of positions: `words` without comments, `texts` complete."""
    forms = {form_of_words(line_words) for line_words in words if line_words}
    if None not in forms or "typed" in forms:
        return True
    return "bare" in forms and not any(map(_DRAWN_BOARD.search, texts))


def read_lines(name: str, content: bytes, read: Callable[[int, list[str], list[Item]], None]) -> list[Item]:
    """Read a text of positions: call `read` for each of its `position_lines`, and return the items.

    `read` receives the line number, the words, and the list of earlier items, to which it appends. Raises
    `BgfastError`, with the line number, if a position is malformed, or if there is no position.
    """
    items: list[Item] = []
    for number, words in position_lines(name, content):
        try:
            read(number, words, items)
        except BgfastError as error:
            raise BgfastError(f"{name}, line {number}: {error}") from None
    return items
