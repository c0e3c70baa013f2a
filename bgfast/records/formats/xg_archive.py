r"""Container of eXtreme Gammon's files, with the records, rollouts and comments of a match.

Source: the description that eXtreme Gammon's makers publish as "XG file format" and ZLibArchive.

    file    = header thumbnail archive;  header = "RGMH" ... (8232 bytes, the size of the thumbnail at 20)
    archive = { member } index tail
    member  = zlib stream, or stored;    index  = zlib stream of entries of 532 bytes
    tail    = CRC, number of members, version, size of the index, where it begins, whether it is compressed

Members are named temp.xg (records), temp.xgr (rollouts), temp.xgc (comments, RTF, one a line) and temp.xgi.
Some programs write the stream of temp.xg alone, without index and tail; such a file has no rollouts and no
comments.
"""

from __future__ import annotations

import re
import struct
import zlib
from typing import NamedTuple

from bgfast.errors import RecordError
from bgfast.records.formats.record import Place, decoded

MAGIC = b"RGMH"
MAX_EXPANDED = 64 << 20
"""Maximum total bytes of an archive's members: some 26,000 rolls and cube decisions."""
MAX_COMMENTS = 2 << 20
"""Maximum bytes of all comments, with the marks of RTF."""
CHUNK = 1 << 16
_HEADER_SIZE = 8232
_ENTRY_SIZE = 532
_MAX_MEMBERS = 16
_THUMBNAIL_SIZE = struct.Struct("<I")
_TAIL = struct.Struct("<IiiiiB15x")
_ENTRY = struct.Struct("<256p256xiiIIB3x")
_RECORDS, _ROLLOUTS, _COMMENTS = b"temp.xg", b"temp.xgr", b"temp.xgc"
_START = Place(1, 1)


class XgMembers(NamedTuple):
    """Members of an archive."""

    records: bytes
    rollouts: bytes = b""
    comments: tuple[str, ...] = ()  # as in the file; see `comment_text`
    truncated: bool = False  # True if the file ends within the records; complete records are valid
    damaged: tuple[str, ...] = ()  # reasons why rollouts or comments are unreadable


def read_archive(content: bytes) -> XgMembers:
    """Unpack a file; raise `RecordError` if its records are damaged, or it expands beyond `MAX_EXPANDED`."""
    if len(content) < _HEADER_SIZE:
        raise RecordError(
            f"the file of eXtreme Gammon has {len(content)} bytes; expected a header of {_HEADER_SIZE}",
            _START,
        )
    begin = _HEADER_SIZE + _THUMBNAIL_SIZE.unpack_from(content, 20)[0]
    archive = memoryview(content)[begin:]
    entries = _read_index(archive)
    if entries is None:
        records, truncated = _expand(archive, MAX_EXPANDED)
        return XgMembers(records, truncated=truncated)
    members: dict[bytes, bytes] = {}
    limits = {_RECORDS: MAX_EXPANDED, _ROLLOUTS: MAX_EXPANDED, _COMMENTS: MAX_COMMENTS}
    left = MAX_EXPANDED
    damaged: list[str] = []
    for name, start, size, is_stored in entries:
        if name not in limits or name in members:
            continue
        try:
            members[name] = _member(archive[start : start + size], is_stored, min(left, limits[name]))
        except RecordError as error:
            problem = f"{name.decode()} in the archive: {error}"
            if name == _RECORDS:
                raise RecordError(problem, _START) from None
            damaged.append(problem)
            continue
        left -= len(members[name])
    comments = decoded(members.get(_COMMENTS, b"")).split("\r\n")
    return XgMembers(
        members.get(_RECORDS, b""),
        members.get(_ROLLOUTS, b""),
        tuple(comments),
        damaged=tuple(damaged),
    )


def _read_index(archive: memoryview) -> list[tuple[bytes, int, int, bool]] | None:
    """Return name, start, size and a flag for stored data of each member; None without an index."""
    if len(archive) < _TAIL.size:
        return None
    _, number, version, size, start, is_compressed = _TAIL.unpack(archive[-_TAIL.size :])
    end = len(archive) - _TAIL.size
    if version != 1 or not 1 <= number <= _MAX_MEMBERS or start < 0 or size < 0 or start + size != end:
        return None
    index: bytes | memoryview = archive[start:end]
    if is_compressed:
        index, _ = _expand(archive[start:end], _MAX_MEMBERS * _ENTRY_SIZE)
    if len(index) != number * _ENTRY_SIZE:
        raise RecordError(
            f"the archive's index has {len(index)} bytes; expected {number} times {_ENTRY_SIZE}", _START
        )
    entries = []
    for at in range(0, len(index), _ENTRY_SIZE):
        name, _, packed_size, offset, _, is_stored = _ENTRY.unpack_from(index, at)
        if packed_size < 0 or offset + packed_size > start:
            raise RecordError(
                f"a file in the archive has {packed_size} bytes at {offset}; expected them before {start}",
                _START,
            )
        entries.append((name.lower(), offset, packed_size, bool(is_stored)))
    return entries


def _member(packed: memoryview, is_stored: bool, limit: int) -> bytes:
    """Return the content of a member of at most `limit` bytes."""
    if is_stored:
        _check_size(len(packed), limit)
        return bytes(packed)
    expanded, is_truncated = _expand(packed, limit)
    if is_truncated:
        raise RecordError("it is cut off; expected all of it", _START)
    return expanded


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise RecordError(f"it expands to more than {limit:,} bytes; expected at most that", _START)


def _expand(packed: memoryview, limit: int) -> tuple[bytes, bool]:
    """Decompress a zlib stream to at most `limit` bytes; return the data, and True if it is truncated."""
    stream = zlib.decompressobj()
    expanded = bytearray()
    for at in range(0, len(packed), CHUNK):
        try:
            expanded += stream.decompress(packed[at : at + CHUNK], limit + 1 - len(expanded))
        except zlib.error:
            raise RecordError("the compressed data is damaged; expected a zlib stream", _START) from None
        _check_size(len(expanded), limit)
        if stream.eof:
            return bytes(expanded), False
    return bytes(expanded), True


# ---------------------------------------------------------------- comments

MAX_COMMENT = 100_000
"""Maximum characters of a comment."""
_RTF_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}]+)", re.S
)
_RTF_HIDDEN = frozenset("fonttbl colortbl stylesheet info pict generator listtable".split())
_RTF_BREAKS = {"par": "\n", "line": "\n", "tab": "\t"}


def rtf_text(rtf: str) -> str:
    r"""Return the plain text of RTF; other text is unchanged.

    Examples
    --------
    >>> rtf_text(r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Too \b loose\b0\par caf\'e9 \u8594?}")
    'Too loose\ncafé →'
    """
    if not rtf.lstrip().startswith("{\\rtf"):
        return rtf.strip()
    parts: list[str] = []
    hidden_depth = depth = to_skip = 0
    for word, number, byte, symbol, brace, text in _RTF_TOKEN.findall(rtf):
        if brace:
            depth += 1 if brace == "{" else -1
            if depth < hidden_depth:
                hidden_depth = 0
            continue
        if hidden_depth:
            continue
        if word in _RTF_HIDDEN or symbol == "*":
            hidden_depth = depth
        elif word == "u" and number:
            code = int(number) & 0xFFFF
            parts.append("?" if 0xD800 <= code < 0xE000 else chr(code))
            to_skip = 1  # replacement character of programs without Unicode
        elif word in _RTF_BREAKS:
            parts.append(_RTF_BREAKS[word])
        elif not word:
            shown = bytes([int(byte, 16)]).decode("cp1252", "replace") if byte else symbol or text
            shown = shown.replace("\r", "").replace("\n", "")
            parts.append(shown[to_skip:])
            to_skip = max(0, to_skip - len(shown))
    return "".join(parts).strip()


def comment_text(line: str) -> str:
    """Return the plain text of a line of comments."""
    return rtf_text(line[:MAX_COMMENT].replace("\x01\x02", "\r\n"))
