r"""Reader of eXtreme Gammon's binary files, .xg, with the program's own analysis.

Source: the description that eXtreme Gammon's makers publish as "XG file format", with the offsets in the
records. gvformat 3.1 is not used since it orders players by name, reads a beaver as a drop, and loses plays
without analysis, names of analysis levels, trials of rollouts, comments, automatic doubles, and levels
of resignations.

A file consists of 2560-byte records: match header, game header, cube, roll with its play,
game footer, match footer. The line of a `Place` is the number of such a record, from 1, and its column is 1.

The records are in a container, with rollouts and comments:

    file    = header thumbnail archive;  header = "RGMH" ... (8232 bytes, the size of the thumbnail at 20)
    archive = { member } index tail
    member  = zlib stream, or stored;    index  = zlib stream of entries of 532 bytes
    tail    = CRC, number of members, version, size and offset of the index, flag of a compressed index

Members are named temp.xg (records), temp.xgr (rollouts), temp.xgc (comments, RTF, one per line) and temp.xgi.
Some programs write the stream of temp.xg alone, without index and tail; such a file has no rollouts and no
comments.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from bgfast.common.validation import BAR, flip_board, start_board
from bgfast.errors import RecordError
from bgfast.position.explain import apply_hops
from bgfast.position.turn import hops_text
from bgfast.records.record import (
    CENTRE,
    Event,
    EventReader,
    Place,
    RecordedGame,
    RecordHead,
    Setup,
    decode,
    moves_between,
)
from bgfast.records.recorded_analysis import (
    CandidatePlay,
    CubeEquities,
    DecisionAnalysis,
    Probabilities,
    are_equities,
    validate_probabilities,
)

MAGIC = b"RGMH"
MAX_EXPANDED = 64 << 20
"""Maximum total bytes of an archive's members: about 26,000 rolls and cube decisions."""
MAX_COMMENTS = 2 << 20  # maximum bytes of all comments, including RTF markup
_HEADER_SIZE = 8232
_ENTRY_SIZE = 532
_MAX_MEMBERS = 16
_THUMBNAIL_SIZE = struct.Struct("<I")
_TAIL = struct.Struct("<IiiiiB15x")
_ENTRY = struct.Struct("<256p256xiiIIB3x")
_RECORDS, _ROLLOUTS, _COMMENTS = b"temp.xg", b"temp.xgr", b"temp.xgc"


class XgMembers(NamedTuple):
    """Members of an archive."""

    records: bytes
    rollouts: bytes = b""
    comments: tuple[str, ...] = ()  # as in the file; see `comment_text`
    is_truncated: bool = False  # True if the file ends within the records
    damaged: tuple[str, ...] = ()  # reasons why rollouts or comments are unreadable


def read_archive(content: bytes) -> XgMembers:
    """Unpack a file; raise `RecordError` if its records are damaged, or it expands beyond `MAX_EXPANDED`."""
    if len(content) < _HEADER_SIZE:
        expected = f"a header of {_HEADER_SIZE}"
        raise RecordError(f"the eXtreme Gammon file has {len(content)} bytes; expected {expected}")
    archive_start = _HEADER_SIZE + _THUMBNAIL_SIZE.unpack_from(content, 20)[0]
    archive = memoryview(content)[archive_start:]
    entries = _read_index(archive)
    if entries is None:
        records, is_truncated = _expand(archive, MAX_EXPANDED)
        return XgMembers(records, is_truncated=is_truncated)
    members: dict[bytes, bytes] = {}
    limits = {_RECORDS: MAX_EXPANDED, _ROLLOUTS: MAX_EXPANDED, _COMMENTS: MAX_COMMENTS}
    remaining = MAX_EXPANDED
    damaged: list[str] = []
    for name, start, size, is_stored in entries:
        if name not in limits or name in members:
            continue
        try:
            members[name] = _member(archive[start : start + size], is_stored, min(remaining, limits[name]))
        except RecordError as error:
            problem = f"{name.decode()} in the archive: {error}"
            if name == _RECORDS:
                raise RecordError(problem) from None
            damaged.append(problem)
            continue
        remaining -= len(members[name])
    comments = decode(members.get(_COMMENTS, b"")).split("\r\n")
    return XgMembers(
        members.get(_RECORDS, b""), members.get(_ROLLOUTS, b""), tuple(comments), damaged=tuple(damaged)
    )


def _read_index(archive: memoryview) -> list[tuple[bytes, int, int, bool]] | None:
    """Return name, start, size and `is_stored` of each member; None without an index."""
    if len(archive) < _TAIL.size:
        return None
    _, count, version, size, start, is_compressed = _TAIL.unpack(archive[-_TAIL.size :])
    end = len(archive) - _TAIL.size
    if version != 1 or not 1 <= count <= _MAX_MEMBERS or start < 0 or size < 0 or start + size != end:
        return None
    index: bytes | memoryview = archive[start:end]
    if is_compressed:
        index, _ = _expand(archive[start:end], _MAX_MEMBERS * _ENTRY_SIZE)
    if len(index) != count * _ENTRY_SIZE:
        expected = f"{count} times {_ENTRY_SIZE}"
        raise RecordError(f"the archive's index has {len(index)} bytes; expected {expected}")
    entries = []
    for entry_start in range(0, len(index), _ENTRY_SIZE):
        name, _, packed_size, offset, _, is_stored = _ENTRY.unpack_from(index, entry_start)
        if packed_size < 0 or offset + packed_size > start:
            text = f"a file in the archive has {packed_size} bytes at {offset}"
            raise RecordError(f"{text}; expected them before {start}")
        entries.append((name.lower(), offset, packed_size, bool(is_stored)))
    return entries


def _member(packed: memoryview, is_stored: bool, limit: int) -> bytes:
    if is_stored:
        _check_size(len(packed), limit)
        return bytes(packed)
    expanded, is_truncated = _expand(packed, limit)
    if is_truncated:
        raise RecordError("it is truncated; expected a complete zlib stream")
    return expanded


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise RecordError(f"it expands to more than {limit:,} bytes; expected at most that")


def _expand(packed: memoryview, limit: int) -> tuple[bytes, bool]:
    """Decompress a zlib stream to at most `limit` bytes; return the data, and True if it is truncated."""
    stream = zlib.decompressobj()
    try:
        expanded = stream.decompress(packed, limit + 1)
    except zlib.error:
        raise RecordError("the compressed data is damaged; expected a zlib stream") from None
    _check_size(len(expanded), limit)
    return expanded, not stream.eof


# ---------------------------------------------------------------- comments

MAX_COMMENT = 100_000  # maximum characters of a comment
_RTF_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}]+)", re.S
)
_RTF_HIDDEN = frozenset("fonttbl colortbl stylesheet info pict generator listtable".split())
_RTF_BREAKS = {"par": "\n", "line": "\n", "tab": "\t"}


def rtf_text(rtf: str) -> str:
    """Return the plain text of RTF; other text is unchanged."""
    if not rtf.lstrip().startswith("{\\rtf"):
        return rtf.strip()
    parts: list[str] = []
    hidden_depth = depth = skip_count = 0
    for control, parameter, byte, symbol, brace, text in _RTF_TOKEN.findall(rtf):
        if brace:
            depth += 1 if brace == "{" else -1
            if depth < hidden_depth:
                hidden_depth = 0
            continue
        if hidden_depth:
            continue
        if control in _RTF_HIDDEN or symbol == "*":
            hidden_depth = depth
        elif control == "u" and parameter:
            code = int(parameter) & 0xFFFF
            parts.append("?" if 0xD800 <= code < 0xE000 else chr(code))
            skip_count = 1  # skip the replacement character for programs without Unicode
        elif control in _RTF_BREAKS:
            parts.append(_RTF_BREAKS[control])
        elif not control:
            piece = bytes([int(byte, 16)]).decode("cp1252", "replace") if byte else symbol or text
            piece = piece.replace("\r", "").replace("\n", "")
            parts.append(piece[skip_count:])
            skip_count = max(0, skip_count - len(piece))
    return "".join(parts).strip()


def comment_text(line: str) -> str:
    """Return the plain text of a comment line."""
    return rtf_text(line[:MAX_COMMENT].replace("\x01\x02", "\r\n"))


# ---------------------------------------------------------------- records

VARIANTS = ("", "nackgammon", "hypergammon", "longgammon")
"""Variant names by number; OGXM uses the same numbers."""

_RECORD_SIZE = 2560
_ROLLOUT_SIZE = 2184
_HEAD, _GAME, _CUBE, _ROLL, _GAME_FOOT, _MATCH_FOOT = range(6)
_MONEY = 99999  # match length of money play
_NOT_ANALYSED = -999.0  # the file has -1000 for a missing number
_UNLIMITED = 10  # exponent of the maximum cube that means no limit
_UNICODE_SINCE = 24  # first version of the records with Unicode
_MAX_GAME = 5000  # maximum records of a game
_MAX_CANDIDATES = 32
_ILLEGAL = 2
_RESIGNED, _SETTLED = 100, 1000  # codes of endings; 100 to 999 are resignations
_LEVELS = {12: "3-ply red", 100: "rollout", 998: "opening book", 999: "opening book"} | {
    1000 + index: name for index, name in enumerate(("XG Roller", "XG Roller+", "XG Roller++"))
}
_ROLLOUT_LEVEL = 100
_MAX_PLIES_LEVEL = 11


def read_xg(content: bytes) -> Iterator[RecordHead | RecordedGame]:
    """Yield the head and the games of a file up to the first damage, which raises `RecordError`."""
    members = read_archive(content)
    if len(members.records) < _RECORD_SIZE or members.records[8] != _HEAD:
        raise RecordError("no match in the eXtreme Gammon file; expected a match header")
    yield from _Reader(members).items()


class _Reader(EventReader):
    def __init__(self, members: XgMembers) -> None:
        super().__init__()
        self.members = members
        self.record = memoryview(members.records)[:_RECORD_SIZE]
        self.head: RecordHead | None = None
        self.variant = ""
        self.comments: list[Event] = []  # comments before the first game
        self.cube: tuple[int, CubeEquities] | None = None  # player who did not double, and equities
        self.automatic_doubles = 0
        self.texts = list(members.comments)  # a comment is added only at the first record with its number
        self.setup: Setup | None = None  # recorded start of a game, until its first action
        self.last_comment = -1  # number of the comment after the game

    def items(self) -> Iterator[RecordHead | RecordedGame]:
        """Yield heads and games; yield a game that damage cuts off before raising `RecordError`."""
        try:
            yield from self._items()
        except RecordError:
            yield from self._end_game()
            raise

    def _items(self) -> Iterator[RecordHead | RecordedGame]:
        records = memoryview(self.members.records)
        readers = {_CUBE: self._read_cube, _ROLL: self._read_roll, _GAME_FOOT: self._read_game_foot}
        for index in range(len(records) // _RECORD_SIZE):
            self.record = records[index * _RECORD_SIZE : (index + 1) * _RECORD_SIZE]
            self.place = Place(index + 1, 1)
            record_type = self.record[8]
            if record_type in (_HEAD, _GAME):
                yield from self._end_game()
                if record_type == _HEAD:
                    yield self._read_head()
                else:
                    self._read_game()
            elif record_type in readers:
                if self.game is None:
                    raise self.error(f"a record of type {record_type}", "a game header before it")
                if index + 2 - self.game.place.line > _MAX_GAME:
                    raise self.error(f"a game of more than {_MAX_GAME:,} records", "at most that")
                readers[record_type]()
        if self.members.is_truncated or len(records) % _RECORD_SIZE:
            raise self.error("the file is truncated after this record", "a complete file")
        yield from self._end_game()

    # ------------------------------------------------------------ headers and footers

    def _read_head(self) -> RecordHead:
        length, variation = self._values("2i", 92)
        length = self.validate_length(length, 0, _MONEY)
        if not 0 <= variation < len(VARIANTS):
            raise self.error(f"the variant is {variation}", f"0 to {len(VARIANTS) - 1}")
        self.variant = VARIANTS[variation]
        head = RecordHead(self.place, length)
        head.crawford, head.jacoby, head.beavers = (bool(switch) for switch in self.record[100:103])
        exponent = self._int(612)
        head.cube_limit = 1 << exponent if 0 < exponent < _UNLIMITED else 0
        head.set_players((self._text(880, 9), self._text(1138, 50)))
        head.set_info("event", self._text(622, 136))
        head.set_info("site", self._text(1396, 283))
        head.set_info("round", self._text(1654, 417))
        head.set_info("date", self._date(128))
        head.set_info("variant", self.variant)
        self.head = head
        self.comments = []
        self._add_comment(self._int(576), self.comments)
        return head

    def _read_game(self) -> None:
        if self.head is None:
            raise self.error("a game header", "a match header before it")
        start, _ = start_board(self.variant or "start")
        self.board = self._values("26b", 21)
        self.setup = Setup(self.board) if self.board != start else None
        score = self._values("2i", 12)
        self.game = RecordedGame(
            self._int(48), self.place, score, self.head.info.players, self.comments, bool(self.record[20])
        )
        self.comments = []
        self.cube = None
        self._add_comment(self._int(56), self.game.events)
        self.automatic_doubles = self._int(64)
        self.add_ties(self.automatic_doubles)
        self.last_comment = self._int(60)
        self.game.damaged += [(self.place, problem) for problem in self.members.damaged]
        self.members = self.members._replace(damaged=())

    def _read_game_foot(self) -> None:
        assert self.game is not None
        winner, points, ending = self._values("3i", 24)
        if winner not in (1, -1):
            return
        self.validate_points(points)
        player = self._player(winner)
        if _RESIGNED <= ending < _SETTLED:
            self.add_resignation(1 - player, ending % _RESIGNED)
        length = self.head.length if self.head is not None else None
        score = self._values("2i", 12)
        wins_match = length is not None and score[player] >= length
        self.add("wins", player, flagged=wins_match, points=points)
        self._add_comment(self.last_comment, self.game.events)

    def _end_game(self) -> Iterator[RecordedGame]:
        if self.game is not None:
            yield self.game
        self.game = None

    # ------------------------------------------------------------ the cube

    def _read_cube(self) -> None:
        assert self.game is not None
        actor, doubled, answer, beaver_answer, raccoon_answer, cube = self._values("6i", 12)
        equities = self.try_read(self._cube_equities)
        self.cube = None
        if self.setup is not None and actor in (1, -1) and -20 <= cube <= 20:
            owner = CENTRE if not cube else self._player(actor if cube > 0 else -actor)
            self.setup = Setup(self.board, 1 << abs(cube) if cube else 0, owner)
        if doubled != 1:
            if equities is not None:
                player = self.try_read(lambda: self._player(actor))
                self.cube = None if player is None else (player, equities)
            return
        doubler = self._player(actor)
        self._add_position(doubler, self.board)
        if not -20 <= cube <= 20:
            raise self.error(f"the cube is 2**{abs(cube)}", "at most 2**20")
        value = 2 << (abs(cube) + self.automatic_doubles)
        analysis = None if equities is None else DecisionAnalysis(cube=equities)
        self.add("double", doubler, analysis, value=value)
        self._add_comment(self._int(292), self.game.events)
        if answer == 2:
            self.add("beaver", 1 - doubler, analysis, value=2 * value)
            if beaver_answer == 2:
                self.add("raccoon", doubler, value=4 * value)
                self._add_answer(raccoon_answer, 1 - doubler)
            else:
                self._add_answer(beaver_answer, doubler)
        else:
            self._add_answer(answer, 1 - doubler, analysis)

    def _add_answer(self, answer: int, player: int, analysis: DecisionAnalysis | None = None) -> None:
        if answer in (0, 1):
            self.add("take" if answer else "drop", player, analysis)

    def _cube_equities(self) -> CubeEquities | None:
        equities = self._values("3f", 152)
        if not any(equities):
            return None
        if not are_equities(*equities):
            text = ", ".join(f"{equity:g}" for equity in equities)
            raise self.error(f"a cube decision has the equities {text}", "numbers")
        level = self._level(self._int(92), self._int(224))
        no_double, double_take, double_drop = equities
        return CubeEquities(no_double, double_take, double_drop, self._probabilities(124), level)

    # ------------------------------------------------------------ rolls

    def _read_roll(self) -> None:
        assert self.game is not None
        player = self._player(self._int(64))
        dice = self.validate_dice(*self._values("2i", 100))
        before = self._values("26b", 9)
        self._add_position(player, before)
        if player == 1:
            before = flip_board(before)
        after = self._values("26b", 35)  # from the side of the player who rolls
        moves = self._moves(self._values("8i", 68))
        if apply_hops(before, moves) != after:
            # The moves of an illegal play are incomplete.
            moves = moves_between(before, after) or moves
        plays = self.try_read(self._candidates) or ()
        boards = (self._values("26b", 192 + 26 * index) for index in range(len(plays)))
        played = next((index for index, board in enumerate(boards) if board == after), None)
        cube = self.cube[1] if self.cube is not None and self.cube[0] == player else None
        self.cube = None
        analysis = DecisionAnalysis(plays, played, cube, self.try_read(self._luck))
        is_illegal = self._int(2480) == _ILLEGAL
        self.add_turn(player, dice, moves, after, is_illegal=is_illegal, analysis=analysis)
        self._add_comment(self._int(2524), self.game.events)

    def _add_position(self, player: int, board: tuple[int, ...]) -> None:
        """Add the position before an action if the game begins there or its actions do not lead there."""
        if self.setup is not None or board != self.board:
            self.add("position", player, setup=self.setup or Setup(board))
        self.setup, self.board = None, board

    def _luck(self) -> float | None:
        (luck,) = self._values("d", 2320)
        if luck <= _NOT_ANALYSED:
            return None
        if not are_equities(luck):
            raise self.error(f"the luck of a roll is {luck:g}", "a number")
        return float(luck)

    def _candidates(self) -> tuple[CandidatePlay, ...]:
        count = self._int(120)
        if not 0 <= count <= _MAX_CANDIDATES:
            raise self.error(f"{count} plays are ranked", f"0 to {_MAX_CANDIDATES}")
        return tuple(self._candidate(index) for index in range(count))

    def _candidate(self, index: int) -> CandidatePlay:
        moves = self._moves(self._values("8b", 1024 + 8 * index))
        (level,) = self._values("h", 1280 + 4 * index)
        equity = self._values("7f", 1408 + 28 * index)[6]
        if not are_equities(equity):
            raise self.error(f"a play has the equity {equity:g}", "a number")
        rollout = self._int(2344 + 4 * index)
        return CandidatePlay(
            hops_text(moves, ()), equity, self._probabilities(1408 + 28 * index), self._level(level, rollout)
        )

    def _moves(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Return moves; the file counts points from 0, the bar is 24, and off the board is -1."""
        moves = []
        for start, end in zip(points[::2], points[1::2], strict=True):
            if start < 0 or start == end:
                break
            if start >= BAR or end + 1 >= BAR:
                raise self.error(f"a checker moves from {start + 1} to {end + 1}", "points on the board")
            moves.append((start + 1, max(end, -1) + 1))
        return moves

    # ------------------------------------------------------------ parts of records

    def _player(self, code: int) -> int:
        if code not in (1, -1):
            raise self.error(f"the player is {code}", "1 or -1")
        return 0 if code == 1 else 1

    def _probabilities(self, offset: int) -> Probabilities | None:
        """Return the probabilities of an evaluation; the file orders them from worst to best result."""
        lose_backgammon, lose_gammon, lose, win, win_gammon, win_backgammon = self._values("6f", offset)
        values = win, win_gammon, win_backgammon, lose_gammon, lose_backgammon
        return validate_probabilities(values, self.add_damage) if any((lose, *values)) else None

    def _level(self, code: int, rollout: int) -> str:
        if code == _ROLLOUT_LEVEL and 0 <= rollout < len(self.members.rollouts) // _ROLLOUT_SIZE:
            (trials,) = struct.unpack_from("<i", self.members.rollouts, rollout * _ROLLOUT_SIZE + 84)
            if trials > 0:
                return f"rollout {trials} trials"
            self.add_damage(f"a rollout has {trials} trials; expected at least one")
        if 0 <= code <= _MAX_PLIES_LEVEL:
            return f"{code + 1}-ply"
        return _LEVELS.get(code, f"level {code}")

    def _int(self, offset: int) -> int:
        return int(self._values("i", offset)[0])

    def _values(self, format: str, offset: int) -> tuple[Any, ...]:
        """Return numbers of the record, in a format of `struct`."""
        return struct.unpack_from(f"<{format}", self.record, offset)

    def _text(self, offset: int, old_offset: int) -> str:
        """Return a text in UTF-16, or in Windows-1252 in files of old versions."""
        if self._int(552) >= _UNICODE_SINCE:
            text = bytes(self.record[offset : offset + 258]).decode("utf-16-le", "replace").partition("\0")[0]
            if text:
                return text
        length = self.record[old_offset]
        return decode(bytes(self.record[old_offset + 1 : old_offset + 1 + length])).partition("\0")[0]

    def _date(self, offset: int) -> str:
        """Return a date that is stored as days since 1899-12-30."""
        (days,) = self._values("d", offset)
        return (date(1899, 12, 30) + timedelta(int(days))).isoformat() if 0 < days < 2_000_000 else ""

    def _add_comment(self, index: int, events: list[Event]) -> None:
        if 0 <= index < len(self.texts):
            line, self.texts[index] = self.texts[index], ""
            if text := comment_text(line):
                events.append(Event("comment", None, self.place, text=text))
