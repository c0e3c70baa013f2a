"""Files of recorded matches: recognition of the format, reading and writing."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, TypeAlias

from bgfast.common.files import naming, reason, validate_path
from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import flag
from bgfast.errors import BgfastError, NotationError, RecordError, one_line, short_repr
from bgfast.games.match import Match
from bgfast.games.match_info import SEVERITIES
from bgfast.records.gvformat_files import read_through_gvformat
from bgfast.records.mat import find_mat, read_mat
from bgfast.records.record import MAX_PIECE, Place, RecordedGame, RecordHead, decode, notice
from bgfast.records.replay import replay_games, replay_match
from bgfast.records.sgf import find_sgf, read_sgf
from bgfast.records.writers import game_records, record_head, warn_of_losses, write_mat, write_sgf
from bgfast.records.xg import MAGIC as XG_MAGIC
from bgfast.records.xg import read_xg

if TYPE_CHECKING:
    from zipfile import ZipFile

Format = Literal["mat", "sgf"]


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


MatchSource: TypeAlias = str | os.PathLike[str] | bytes | IO[bytes] | IO[str]
"""Path, content or open file of recorded matches."""


MAX_BEGINNING = 1 << 16  # number of characters, without tags and comments, that determine the format
BLOCK_SIZE = 1 << 16  # number of bytes read at a time
BINARY_BEGINNING = 512  # number of bytes that determine a binary format
MAX_BINARY = 64 << 20  # maximum size of a binary file in bytes; typical matches are far smaller
MAX_MEMBERS = 10_000  # maximum number of files in a zip
MAX_UNZIPPED = 1 << 30  # maximum total size of the files in a zip in bytes
_OGXM_MAGIC = b"OGXM"
_ZIP_MAGIC = b"PK\x03\x04"
_BGF = re.compile(rb'\{[^\n]{0,400}"format"\s*:\s*"BGF"')
_EXTENSIONS: dict[str, Format] = {".mat": "mat", ".txt": "mat", ".sgf": "sgf"}


@names_arguments
def load_match(path: MatchSource, *, strict: bool = False) -> Match:
    """Read the match in a file: .mat, .txt, SGF, .xg, .bgf, .ogxm or .gvab, recognised by its content.

    Parameters
    ----------
    path : path, bytes, or open file
    strict : bool
        Raise at the first error instead of continuing after it.

    Returns
    -------
    Match
        Match at the end of the record; its `info` has names, event, date and comments, and its `findings`
        list the oddities of the record.

    Raises
    ------
    RecordError
        If no game can be read, or, with `strict`, at the first error; the message has file, line and column.
    BgfastError
        If the file cannot be read, needs the extra `records`, or has several matches.

    See Also
    --------
    bgfast.records.load_matches : Yield the matches of a file that has several.
    bgfast.records.read_match : Parse text.
    bgfast.analyse_match : Analyse the match.

    Notes
    -----
    Illegal plays that are physically possible are kept as recorded, and so are doubles with a dead
    cube. docs/RECORDS.md describes the formats and the findings. The encoding is UTF-8, with or without a
    byte order mark, UTF-16 with one, or else Windows-1252.

    References
    ----------
    SGF: https://www.red-bean.com/sgf/backgammon.html. XG files: eXtreme Gammon, "XG file format".

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "match.mat")
    >>> bgfast.Match(5).save(path)
    >>> bgfast.load_match(path).length
    5
    """
    with open_source(path, "the path of a match") as (file, name):
        return _single_match(_matches(_items(file), name, strict))


def read_match(text: str, *, strict: bool = False) -> Match:
    r"""Read the match in a text, .mat or SGF.

    Parameters and errors are as for `load_match`.

    See Also
    --------
    bgfast.load_match : Read a file.

    Examples
    --------
    >>> import bgfast
    >>> text = " 3 point match\n\n Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5      64: 24/14\n"
    >>> match = bgfast.records.read_match(text)
    >>> match.info.players, match.on_turn
    (('Anna', 'Bob'), 0)
    """
    if not isinstance(text, str):
        raise NotationError(f"a match of type {type(text).__name__:.60}; expected a str")
    lines = io.StringIO(text.removeprefix("\ufeff"), newline=None)
    return _single_match(_matches(_text_items(lines), "", strict))


def load_matches(path: MatchSource, *, strict: bool = False) -> Iterator[Match]:
    """Yield the matches of a file.

    Parameters and errors are as for `load_match`; an error is raised when its match is reached.

    See Also
    --------
    bgfast.load_match : Read a file with one match.
    bgfast.records.load_games : Yield the games one by one, for large files.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "match.mat")
    >>> bgfast.Match(5).save(path)
    >>> [match.length for match in bgfast.records.load_matches(path)]
    [5]
    """
    with open_source(path, "the path of matches") as (file, name):
        yield from _matches(_items(file), name, strict)


def load_games(path: MatchSource, *, strict: bool = False) -> Iterator[Match]:
    """Yield the games of a file as separate matches that begin at their scores.

    At most two games are in memory. Parameters and errors are as for `load_match`; an error is raised when
    its game is reached.

    See Also
    --------
    bgfast.records.load_matches : Yield whole matches.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "match.mat")
    >>> bgfast.Match(5, score=(3, 4)).save(path)
    >>> [game.score for game in bgfast.records.load_games(path)]
    [(3, 4)]
    """
    with open_source(path, "the path of games") as (file, name):
        games = iterate_games(file, name, strict=strict)
        yield from _refuse_unread((match, is_read) for _, match, is_read in games)


@contextmanager
def open_source(value: Any, argument: str) -> Iterator[tuple[_Readable, str]]:
    """Open a `MatchSource`; yield it with its name in findings. Files that were open stay open."""
    file: Any = io.BytesIO(value) if isinstance(value, bytes) else value
    if isinstance(value, str) and "\n" in value:
        raise BgfastError(f"{argument} is text with lines; expected a path, or records.read_match(text)")
    if not hasattr(file, "read"):
        name = validate_path(value, argument, "a path, bytes or an open file")
        with open_binary(name, short_repr(name)) as file:
            yield file, name
        return
    name = file_name if isinstance(file_name := getattr(file, "name", None), str) else "<bytes>"
    if isinstance(file.read(0), str):
        file = io.BytesIO(file.read().encode("utf-8", "replace"))
    with name_errors(name):
        yield file, name


@contextmanager
def open_binary(file: str | int, name: str) -> Iterator[BinaryIO]:
    """Open a file, or a descriptor, which stays open; errors of the block are prefixed with `name`."""
    with naming(name):
        content = open(file, "rb", closefd=isinstance(file, str))  # noqa: SIM115 - `naming` covers only open
    with content, name_errors(name):
        yield content


@contextmanager
def name_errors(name: str) -> Iterator[None]:
    """Prefix the errors of the block with a name."""
    try:
        yield
    except RecordError as error:
        location = f"{name}, line {error.line}, column {error.column}"
        raise RecordError(f"{location}: {error}", (error.line, error.column)) from None
    except BgfastError as error:
        raise BgfastError(f"{name}: {error}") from None


def read_matches(file: _Readable, name: str) -> Iterator[Match]:
    """Yield the matches of an open file, named `name` in findings; see `load_matches`."""
    yield from _matches(_items(file), name, strict=False)


def zip_members(path: str) -> list[str]:
    """Return the names of the files in a zip; raise `BgfastError` if it exceeds the limits or is damaged."""
    with _open_zip(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MAX_MEMBERS:
        raise BgfastError(
            f"{short_repr(path)}: {len(members):,} files in it; expected at most {MAX_MEMBERS:,}"
        )
    size = sum(member.file_size for member in members)
    if size > MAX_UNZIPPED:
        raise BgfastError(f"{short_repr(path)}: {size:,} bytes in it; expected at most {MAX_UNZIPPED:,}")
    return [member.filename for member in members]


def zip_member(path: str, name: str) -> bytes:
    """Return the content of a file in a zip, decompressed in memory."""
    with _open_zip(path) as archive:
        member = archive.getinfo(name)
        if member.file_size > MAX_BINARY:
            raise BgfastError(f"a file of {member.file_size:,} bytes; expected at most {MAX_BINARY:,}")
        with archive.open(member) as file:
            # The size bounds the decompression, however much the member contains.
            return file.read(member.file_size)


@contextmanager
def _open_zip(path: str) -> Iterator[ZipFile]:
    import zlib
    from zipfile import BadZipFile, ZipFile  # slow to import

    with naming(short_repr(path)):
        size = os.stat(path).st_size
    if size > MAX_BINARY:  # bounds the zip's directory, which is read at once
        raise BgfastError(f"{short_repr(path)}: a zip of {size:,} bytes; expected at most {MAX_BINARY:,}")
    try:
        with ZipFile(path) as archive:
            yield archive
    except (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, BgfastError):
            raise
        raise BgfastError(
            f"{short_repr(path)}: a zip that cannot be read ({one_line(error)}); expected an undamaged zip"
        ) from None


def holds_matches(file: _Readable) -> bool:
    """Return whether a file begins like a file of recorded matches, readable or not."""
    head = _read(file, BINARY_BEGINNING)
    if head.startswith(_ZIP_MAGIC) or _binary_format(head) is not None:
        return True
    beginning = "".join(_beginning(_lines(head, file)))
    return _text_format(beginning) is not None


def only_match(file: _Readable, name: str = "") -> Match:
    """Return the only match of an open file, named `name` in its findings."""
    return _single_match(read_matches(file, name))


def iterate_games(file: _Readable, name: str, *, strict: bool = False) -> Iterator[tuple[int, Match, bool]]:
    """Yield the games of an open file: number of the match, game, and True if the game could be read."""
    for match_number, (head, games) in enumerate(_group(_items(file)), 1):
        for match, is_read in replay_games(head, games, file=name, strict=strict):
            yield match_number, match, is_read


def _matches(items: Iterator[RecordHead | RecordedGame], name: str, strict: bool) -> Iterator[Match]:
    results = (replay_match(head, list(games), file=name, strict=strict) for head, games in _group(items))
    return _refuse_unread(results)


def _refuse_unread(results: Iterator[tuple[Match, bool]]) -> Iterator[Match]:
    """Yield all matches or games if any could be read; raise `RecordError` if none could."""
    pending: list[Match] = []
    is_any_read = False
    for match, is_read in results:
        is_any_read = is_any_read or is_read
        pending.append(match)
        if is_any_read:
            yield from pending
            pending.clear()
    if pending:
        findings = [finding for match in pending for finding in match.findings]
        if not findings:
            raise RecordError("no game in it; expected a match in .mat, .txt, SGF, .xg, .bgf or .ogxm format")
        worst = max(findings, key=lambda finding: SEVERITIES.index(finding.severity))
        raise RecordError(f"{worst.context}{worst.message}", (worst.line, worst.column))


def _group(items: Iterator[RecordHead | RecordedGame]) -> Iterator[tuple[RecordHead, Iterator[RecordedGame]]]:
    """Yield each head with its games; games that the caller did not read are skipped."""
    heads: list[RecordHead] = [item for item in [next(items, None)] if isinstance(item, RecordHead)]

    def games() -> Iterator[RecordedGame]:
        for item in items:
            if isinstance(item, RecordHead):
                heads.append(item)
                return
            yield item

    while heads:
        head, rest = heads.pop(), games()
        yield head, rest
        for _ in rest:
            pass


def _single_match(matches: Iterator[Match]) -> Match:
    match = next(matches)
    if next(matches, None) is not None:
        raise BgfastError("several matches in it; expected one: load_matches yields them")
    return match


# ---------------------------------------------------------------- from bytes to heads and games


def _items(file: _Readable) -> Iterator[RecordHead | RecordedGame]:
    beginning = _read(file, BINARY_BEGINNING)
    if beginning.startswith(_ZIP_MAGIC):
        raise RecordError(
            "a zip; expected a file from it, or a path ending in .zip in `analyse_matches` or `bgfast report`"
        )
    if _binary_format(beginning) is not None:
        return _until_damage(read_binary(beginning + _read(file, MAX_BINARY + 1 - len(beginning))))
    return _text_items(_lines(beginning, file))


def read_binary(content: bytes) -> Iterator[RecordHead | RecordedGame]:
    """Yield the head and the games of a whole binary file, up to the first damage."""
    if len(content) > MAX_BINARY:
        raise RecordError(f"a binary file of {len(content):,} bytes; expected at most {MAX_BINARY:,}")
    format = _binary_format(content[:BINARY_BEGINNING])
    if format is None:
        raise RecordError("no match in it; expected one in .xg, .bgf, .ogxm or .gvab format")
    return read_xg(content) if format == "xg" else read_through_gvformat(content, format)


def _binary_format(beginning: bytes) -> Literal["xg", "ogxm", "bgf"] | None:
    """Return the binary format of the first bytes of a file; .gvab counts as .ogxm."""
    if beginning.startswith(XG_MAGIC):
        return "xg"
    if beginning.startswith(_OGXM_MAGIC):
        return "ogxm"
    return "bgf" if _BGF.match(beginning) else None


def _until_damage(items: Iterator[RecordHead | RecordedGame]) -> Iterator[RecordHead | RecordedGame]:
    """Yield heads and games; report damage as a notice in the last game, or raise it if there is no game."""
    last: RecordHead | RecordedGame | None = None
    try:
        for item in items:
            if last is not None:
                yield last
            last = item
    except RecordError as error:
        if not isinstance(last, RecordedGame):
            raise
        last.events.append(notice(Place(error.line, error.column), str(error)))
    if last is not None:
        yield last


def _text_items(lines: Iterator[str]) -> Iterator[RecordHead | RecordedGame]:
    beginning = _beginning(lines)
    text = "".join(beginning)
    lines = chain(beginning, lines)
    format = _text_format(text)
    if format is not None:
        return {"mat": read_mat, "sgf": read_sgf}[format](lines)
    raise RecordError("no match in it; expected one in .mat, .txt, SGF, .xg, .bgf or .ogxm format")


def _text_format(text: str) -> Format | None:
    mat, sgf = find_mat(text), find_sgf(text)
    if sgf >= 0 and not 0 <= mat < sgf:
        return "sgf"
    return "mat" if mat >= 0 else None


def _beginning(lines: Iterator[str]) -> list[str]:
    beginning: list[str] = []
    length = 0
    for line in lines:
        beginning.append(line)
        length += 0 if line.startswith(";") else len(line)
        if length > MAX_BEGINNING:
            break
    return beginning


def _read(file: _Readable, size: int) -> bytes:
    try:
        return file.read(size)
    except OSError as error:
        raise BgfastError(reason(error)) from None


def _lines(beginning: bytes, file: _Readable) -> Iterator[str]:
    """Yield the lines of a file as text; very long lines are yielded in pieces without an end of line."""
    rest = iter(lambda: _read(file, BLOCK_SIZE), b"")
    pieces: Iterator[bytes] = chain([beginning.removeprefix(codecs.BOM_UTF8)], rest)
    if beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        pieces = (decoder.decode(piece).encode() for piece in pieces)
    for block in _blocks(pieces):
        # Old Macintosh files end a line with a lone carriage return.
        normalized = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block
        try:
            yield from io.StringIO(normalized.decode("utf-8"))
        except UnicodeDecodeError:
            yield from map(_decode_line, io.BytesIO(normalized))


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a file in blocks of whole lines, or of pieces of a very long line."""
    parts: list[bytes] = []
    size = 0
    for piece in pieces:
        lines, end, rest = piece.rpartition(b"\n")
        if end:
            yield b"".join([*parts, lines, end])
            parts, size = [], 0
        parts.append(rest)
        size += len(rest)
        if size >= MAX_PIECE:
            block = b"".join(parts)
            # Cut after a separator, so that words and escapes stay whole.
            cut = max(block.rfind(byte, len(block) - BLOCK_SIZE) for byte in (b" ", b";", b")", b"]")) + 1
            cut = cut or len(block)
            yield block[:cut]
            parts, size = [block[cut:]], len(block) - cut
    yield b"".join(parts)


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return decode(line)


# ---------------------------------------------------------------- writing


def match_text(match: Match, format: Format) -> str:
    """Return the text of a match in a format."""
    head = record_head(match)
    warn_of_losses(match, stacklevel=3)
    return "".join({"mat": write_mat, "sgf": write_sgf}[format](head, game_records(match)))


def format_of(path: str | os.PathLike[str], format: Format | None = None, *, force: bool = False) -> Format:
    """Return a file's format for writing, by default from its extension; `force` allows an existing file."""
    name = validate_path(path, "the path of a match")
    if format is None:
        format = _EXTENSIONS.get(os.path.splitext(name)[1].lower())
    if not isinstance(format, str) or format not in ("mat", "sgf"):
        raise BgfastError(f"{short_repr(name)}: no format has this extension; expected .mat, .txt or .sgf")
    if not flag("force", force) and os.path.lexists(name):
        raise BgfastError(f"{short_repr(name)} exists already; expected a new name, or force")
    return format
