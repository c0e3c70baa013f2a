"""Recorded matches in files: which format one has, and the matches and games in it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO, Literal, Protocol

from bgfast.common.files import checked_path, replacing
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, NotationError, RecordError, shown
from bgfast.games.match import Match
from bgfast.records.mat import looks_like_mat, read_mat, write_mat
from bgfast.records.record import Place, RecordedGame, RecordHead
from bgfast.records.replay import Report, games_of, head_of, replay_games, replay_match
from bgfast.records.sgf import looks_like_sgf, read_sgf, write_sgf

__all__ = [
    "Format",
    "format_of",
    "holds_matches",
    "load_games",
    "load_match",
    "load_matches",
    "match_text",
    "only_match",
    "opened",
    "read_match",
    "read_matches",
    "recorded",
    "save_match",
]

Format = Literal["mat", "sgf"]


class Bytes(Protocol):
    """An open file, or what counts how much of one was read."""

    def read(self, size: int = -1, /) -> bytes:
        """Return so many bytes, or all that are left."""
        ...


BEGINNING = 4096  # characters by which the format is recognised
BLOCK = 1 << 16  # bytes that are read at a time
_XG = (b"RGMH", b"XGMH")  # with which eXtreme Gammon's binary files begin
_ENDINGS: dict[str, Format] = {".mat": "mat", ".txt": "mat", ".sgf": "sgf"}


def load_match(path: str | os.PathLike[str]) -> Match:
    """Return the match that a file holds: Jellyfish's text (.mat, .txt) or SGF, told apart by what is in it.

    Parameters
    ----------
    path : path

    Returns
    -------
    Match
        Taken to where the record ends; its `info` has names, event, date and comments.

    Raises
    ------
    RecordError
        If something in it cannot be read or was not possible; the message has file, line and column, and
        `match` the games before, or what was played of the first.
    BgfastError
        If the file cannot be read, or holds several matches, which `load_matches` gives.

    Notes
    -----
    A play that the record itself calls illegal stands as it was made, and so does a double with a dead cube.
    The encoding is UTF-8, with or without a byte order mark, UTF-16 with one, or else Latin-1.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "match.mat")
    >>> bgfast.Match(5).save(path)
    >>> bgfast.load_match(path).length
    5
    """
    name = checked_path(path, "the path of a match")
    with opened(name, shown(name)) as file:
        return only_match(file)


def read_match(text: str) -> Match:
    r"""Return the match that a text holds, as `load_match` does of a file.

    Examples
    --------
    >>> import bgfast
    >>> text = " 3 point match\n\n Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5      64: 24/14\n"
    >>> match = bgfast.read_match(text)
    >>> match.info.players, match.on_turn
    (('Anna', 'Bob'), 0)
    """
    if not isinstance(text, str):
        raise NotationError(f"a match of type {type(text).__name__:.60}; expected a str")
    return _only(_matches(io.StringIO(text.removeprefix("\ufeff"), newline=None)))


def load_matches(path: str | os.PathLike[str]) -> Iterator[Match]:
    """Give the matches of a file one after the other.

    Parameters, errors
        As `load_match`; errors come when the match is reached that has them.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "match.mat")
    >>> bgfast.Match(5).save(path)
    >>> [match.length for match in bgfast.load_matches(path)]
    [5]
    """
    name = checked_path(path, "the path of matches")
    with opened(name, shown(name)) as file:
        yield from _matches(_lines(file))


def load_games(path: str | os.PathLike[str]) -> Iterator[Match]:
    """Give the games of a file, each as a match of its own that begins at its score.

    Never more than one game is in memory, however large the collection is.

    Parameters, errors
        As `load_match`; errors come when the game is reached that has them.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "match.mat")
    >>> bgfast.Match(5, score=(3, 4)).save(path)
    >>> [game.score for game in bgfast.load_games(path)]
    [(3, 4)]
    """
    name = checked_path(path, "the path of games")
    with opened(name, shown(name)) as file:
        yield from (match for _, match in recorded(file))


@contextmanager
def opened(file: str | int, name: str) -> Iterator[BinaryIO]:
    """Open a file, or a descriptor, which stays open; `name` is what errors of its matches call it.

    Raises
    ------
    BgfastError
        If it cannot be opened, or as what is done with it, with the name in front.
    """
    try:
        content = open(file, "rb", closefd=isinstance(file, str))  # noqa: SIM115 - errors of opening alone
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    with content, _named(name):
        yield content


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Put a name in front of errors."""
    try:
        yield
    except RecordError as error:
        where = f"{name}, line {error.line}, column {error.column}"
        raise RecordError(f"{where}: {error}", Place(error.line, error.column), error.match) from None
    except BgfastError as error:
        raise BgfastError(f"{name}: {error}") from None


def read_matches(file: Bytes, name: str) -> Iterator[Match]:
    """Give the matches of an open file, as `load_matches` does; `name` is what errors call it."""
    with _named(name):
        yield from _matches(_lines(file))


def holds_matches(file: Bytes) -> bool:
    """Return whether a file begins as one with recorded matches does, readable or not."""
    beginning = _beginning(_lines(file))
    return looks_like_sgf("".join(beginning)) or looks_like_mat("".join(beginning))


def only_match(file: Bytes) -> Match:
    """Return the one match of an open file, as `load_match` does."""
    return _only(_matches(_lines(file)))


def recorded(file: Bytes, report: Report | None = None) -> Iterator[tuple[int, Match]]:
    """Give each game of an open file, with the number of its match; `report` as of `replay_games`.

    Raises
    ------
    RecordError
        If something cannot be read, or, without `report`, was not possible.
    """
    for number, (head, games) in enumerate(_grouped(_lines(file)), 1):
        for match in replay_games(head, games, report):
            yield number, match


def _matches(lines: Iterator[str]) -> Iterator[Match]:
    for head, games in _grouped(lines):
        found: list[RecordedGame] = []
        try:
            for game in games:
                found.append(game)
        except RecordError as error:
            kept = replay_match(head, found) if found else None
            raise RecordError(str(error), Place(error.line, error.column), kept) from None
        yield replay_match(head, found)


def _grouped(lines: Iterator[str]) -> Iterator[tuple[RecordHead, Iterator[RecordedGame]]]:
    """Give each head with its games; those are taken before the next head."""
    items = _items(lines)
    waiting: list[RecordHead] = [item for item in [next(items, None)] if isinstance(item, RecordHead)]

    def games() -> Iterator[RecordedGame]:
        for item in items:
            if isinstance(item, RecordHead):
                waiting.append(item)
                return
            yield item

    if not waiting:
        raise RecordError("no match in it; expected one as .mat, .txt or SGF", Place(1, 1))
    while waiting:
        head, rest = waiting.pop(), games()
        yield head, rest
        for _ in rest:
            pass


def _items(lines: Iterator[str]) -> Iterator[RecordHead | RecordedGame]:
    """Give heads and games of whichever format it is."""
    first = _beginning(lines)
    beginning = "".join(first)
    everything = chain(first, lines)
    if looks_like_sgf(beginning):
        return read_sgf(everything)
    if looks_like_mat(beginning):
        return read_mat(everything)
    raise RecordError("no match in it; expected one as .mat, .txt or SGF", Place(1, 1))


def _beginning(lines: Iterator[str]) -> list[str]:
    """Take the lines by which the format is recognised."""
    first: list[str] = []
    length = 0
    for line in lines:
        first.append(line)
        length += len(line)
        if length > BEGINNING:
            break
    return first


def _only(matches: Iterator[Match]) -> Match:
    match = next(matches)
    if next(matches, None) is not None:
        raise BgfastError("several matches in it; expected one: load_matches gives each")
    return match


def _read(file: Bytes, size: int = -1) -> bytes:
    try:
        return file.read(size)
    except OSError as error:
        raise BgfastError(reason(error)) from None


def _lines(file: Bytes) -> Iterator[str]:
    """Give the lines of a file as text."""
    beginning = _read(file, 4)
    if beginning[:4] in _XG:
        raise BgfastError(
            "a binary file of eXtreme Gammon, which is not read; expected text: there, File, Export, Text"
        )
    if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
        content = beginning + _read(file)
        yield from io.StringIO(content.decode("utf-16", "replace"), newline=None)
        return
    for block in _blocks(beginning.removeprefix(b"\xef\xbb\xbf"), file):
        # A lone carriage return ends a line of a Mac of old.
        whole = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block
        try:
            yield from io.StringIO(whole.decode("utf-8"))
        except UnicodeDecodeError:
            yield from map(_decoded, io.BytesIO(whole))


def _blocks(beginning: bytes, file: Bytes) -> Iterator[bytes]:
    """Give a file piece by piece, each of whole lines."""
    parts = [beginning]
    while piece := _read(file, BLOCK):
        lines, end, rest = piece.rpartition(b"\n")
        if end:
            yield b"".join([*parts, lines, end])
            parts = []
        parts.append(rest)
    yield b"".join(parts)


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


# ---------------------------------------------------------------- writing


def match_text(match: Match, format: Format) -> str:
    """Return a match as the text of a format."""
    return "".join(_written(match, format))


def format_of(path: str | os.PathLike[str], format: Format | None = None, *, force: bool = False) -> Format:
    """Return the format in which a match is to be written to a file.

    Raises
    ------
    BgfastError
        If the ending says none, or the file is there already and is not to be replaced.
    """
    name = checked_path(path, "the path of a match")
    found = format or _ENDINGS.get(os.path.splitext(name)[1].lower())
    if found not in ("mat", "sgf"):
        raise BgfastError(f"{shown(name)}: no format has this ending; expected .mat, .txt or .sgf")
    if not force and os.path.lexists(name):
        raise BgfastError(f"{shown(name)}: it is there already; expected a new name, or force")
    return found


def save_match(match: Match, path: str | os.PathLike[str], format: Format | None, force: bool) -> None:
    """Write a match to a file, whole or not at all."""
    found, name = format_of(path, format, force=force), os.fspath(path)
    try:
        with replacing(name) as file:
            for part in _written(match, found):
                file.write(part.encode("utf-8", "replace"))
    except OSError as error:
        raise BgfastError(f"{shown(name)}: {reason(error)}") from None


def _written(match: Match, format: Format) -> Iterator[str]:
    write = {"mat": write_mat, "sgf": write_sgf}[format]
    return write(head_of(match), games_of(match))
