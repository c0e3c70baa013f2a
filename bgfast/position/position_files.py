"""Files and pasted texts of positions: lists with one position a line, and decorated texts that state some.

A text is a *list* if each of its lines gives a position, or if one of them does so as only people type it:
by name, as 26 numbers, as an ID with a roll behind it, or, where no board is drawn, as a bare position ID.
In a list each line has to be a position. Any other text in which a line holds an ID, see `decorated_text`,
is *decorated*: its IDs are read, and what stands around them is ignored.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from bgfast.common.files import read_limited
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError
from bgfast.position.position_text import form_of_words
from bgfast.position.text.decorated_text import stated_positions

__all__ = ["PositionLine", "holds_positions", "position_lines", "read_content", "read_lines"]

Item = TypeVar("Item")
_DRAWN_BOARD = re.compile(r"\+(?:13-14-15|12-11-10|24-23-22|-?1--2--3)-")


def read_content(file: str | os.PathLike[str] | int, name: str) -> bytes:
    """Return what a file or pipe of positions holds; `name` is what an error calls it.

    Raises
    ------
    BgfastError
        If it cannot be read, or has more than 64 MB.
    """
    try:
        return read_limited(file)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None


class PositionLine(NamedTuple):
    """A line that gives a position: its number, from 1, and the words of the position."""

    line: int
    words: list[str]


def position_lines(name: str, content: bytes) -> list[PositionLine]:
    r"""Return the lines of a list of positions, or the positions that a decorated text states.

    Parameters
    ----------
    name : str
        Of the file, for errors.
    content : bytes
        UTF-8, or UTF-16 with a byte order mark. In a list ``#`` begins a comment; in a decorated text a line
        that begins with it is one, and other bytes than UTF-8 do no harm.

    Raises
    ------
    BgfastError
        If a line of a list is no UTF-8, or there is no position.

    Examples
    --------
    >>> position_lines("mine.txt", b"start 31   # the opening\n\n")
    [PositionLine(line=1, words=['start', '31'])]
    >>> xgid = b"XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    >>> position_lines("mine.txt", b"Ann to play:\n" + xgid + b"\n| X   O |")[0].line
    2
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
    return [PositionLine(number, of_line) for number, of_line in enumerate(words, 1) if of_line]


def holds_positions(content: bytes) -> bool:
    """Return whether a text is a list of positions, maybe with mistakes, or states positions."""
    if b"\0" in content and not content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    try:
        texts, words = _as_text(_plain_lines("", content))
    except BgfastError:
        return False
    return any(form_of_words(of_line) for of_line in words if of_line) or bool(stated_positions(texts))


def _as_text(lines: list[bytes]) -> tuple[list[str], list[list[str]]]:
    """Return lines as text, and the words in front of their comments."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    return texts, [text.partition("#")[0].split() for text in texts]


def _plain_lines(name: str, content: bytes) -> list[bytes]:
    """Return the lines of a text, in UTF-8 where a byte order mark says what it is."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            content = content.decode("utf-16").encode("utf-8")
        except UnicodeError:
            raise BgfastError(f"{name}: a damaged text in UTF-16; expected UTF-8 or UTF-16 text") from None
    return content.removeprefix(BOM_UTF8).splitlines()


def _is_list(words: list[list[str]], texts: list[str]) -> bool:
    """Return whether lines, in words without comments and as they are, are a list of positions."""
    forms = {form_of_words(of_line) for of_line in words if of_line}
    if None not in forms or "typed" in forms:
        return True
    return "bare" in forms and not any(map(_DRAWN_BOARD.search, texts))


def read_lines(name: str, content: bytes, take: Callable[[int, list[str], list[Item]], None]) -> list[Item]:
    """Read a text of positions with a function for each of its `position_lines`.

    Parameters
    ----------
    name : str
        Of the file, for errors.
    content : bytes
    take : callable
        Given the number of a line, the words of its position, and the list of what was found before, to which
        it appends.

    Returns
    -------
    list
        What was found; never empty.

    Raises
    ------
    BgfastError
        If a position is malformed, with the number of its line in front, or there is none.

    Examples
    --------
    >>> read_lines("mine.txt", b"start 31", lambda line, words, found: found.append(words))
    [['start', '31']]
    """
    found: list[Item] = []
    for number, words in position_lines(name, content):
        try:
            take(number, words, found)
        except BgfastError as error:
            raise BgfastError(f"{name}, line {number}: {error}") from None
    return found
