"""Files and pasted texts of positions: lists with one position a line, and decorated texts.

A text is a *list* if each line is a position, or if some line has a form that only people type: a name, 26
numbers, an ID followed by a roll, or, unless a board is drawn, a bare position ID. Every line of a list must
be a position. Any other text with an ID in a line is *decorated* (see `decorated_text`): its IDs are read,
and other text is ignored.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from bgfast.common.files import read_limited, reason
from bgfast.errors import BgfastError
from bgfast.position.position_text import form_of_words
from bgfast.position.text.decorated_text import stated_positions

Item = TypeVar("Item")
_DRAWN_BOARD = re.compile(r"\+(?:13-14-15|12-11-10|24-23-22|-?1--2--3)-")


def read_content(file: str | os.PathLike[str] | int, name: str) -> bytes:
    """Return the content of a file or pipe of positions; error messages call it `name`.

    Raises `BgfastError` if the file is unreadable, or has more than 64 MB.
    """
    try:
        return read_limited(file)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None


class PositionLine(NamedTuple):
    """Position in a text: the number of its line, from 1, and its words."""

    line: int
    words: list[str]


def position_lines(name: str, content: bytes) -> list[PositionLine]:
    """Return the positions of a list or a decorated text: UTF-8, or UTF-16 with a byte order mark.

    In a list ``#`` begins a comment, in a decorated text only at the beginning of a line.

    Raises `BgfastError` if a line of a list is not UTF-8, or there is no position.
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
