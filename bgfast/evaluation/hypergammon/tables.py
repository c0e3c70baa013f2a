"""Tables of solved games, the states of the cube in their columns, and the files that store them."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.files import FileLock, check_regular_file, reason
from bgfast.common.probabilities import PROBABILITIES
from bgfast.common.validation import real_number, validate_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex

Array = npt.NDArray[np.float64]

NONE = -1
MAX_NEED = 3
"""Largest number of points that a player needs."""
CENTRED = 0


class CubeColumns(NamedTuple):
    """States of the cube for `_hypergammon.sweep_cube`, which describes the arrays."""

    names: tuple[str, ...]
    total: float  # sum of the values of both players
    transitions: npt.NDArray[np.int32]  # (n, 2)
    points: Array  # (n, 5)

    @property
    def is_match(self) -> bool:
        """True if values are match-winning chances, False if they are points."""
        return self.total == 1

    def begin_turn(self, no_double: Array) -> Array:
        """Return the values at the beginning of a turn from values without a double, shape (n, states)."""
        values, double_state = no_double.copy(), self.transitions[:, 1]
        can_double = double_state != NONE
        factor, cash = self.points[can_double, :2].T
        double = np.minimum(factor * no_double[:, double_state[can_double]], cash)
        values[:, can_double] = np.maximum(values[:, can_double], double)
        return values


MONEY = CubeColumns(
    ("unavailable", "owned", "centred", "centred, Jacoby"),
    0,
    np.array([(1, NONE), (0, 0), (2, 0), (3, 0)], np.int32),
    # Until the cube is turned under the Jacoby rule, gammons and backgammons count as single games.
    np.array([(2, 1, -1, -2, -3)] * 3 + [(2, 1, -1, -1, -1)], np.float64),
)
"""Unlimited cube in money play, in points per unit of the cube: a doubled cube only doubles the values."""


class ScoreState(NamedTuple):
    """Score and cube of the player on roll."""

    need: int  # points to win the match
    opponent_need: int
    crawford: bool = False  # True in the Crawford game
    cube: int = 1
    owner: int = CENTRED  # 1: the player on roll; 0: nobody; -1: the opponent

    def canonical(self) -> ScoreState:
        """Return the equivalent state: double match point if this game decides the match."""
        return LAST_GAME if self.cube >= max(self.need, self.opponent_need) else self

    def after_play(self) -> ScoreState:
        """Return the state of the opponent, who is on roll after a play."""
        return ScoreState(self.opponent_need, self.need, self.crawford, self.cube, -self.owner)

    def after_double(self) -> ScoreState | None:
        """Return the state after double and take; None if doubling is forbidden or useless."""
        if self.crawford or self.owner == -1 or self.cube >= self.need:
            return None
        return ScoreState(self.need, self.opponent_need, False, 2 * self.cube, -1).canonical()

    def next_game(self, points: int) -> ScoreState | None:
        """Return the state after a game of `points`, negative if lost; None if the match is over."""
        need, opponent_need = self.need - max(points, 0), self.opponent_need + min(points, 0)
        if need <= 0 or opponent_need <= 0:
            return None
        # The Crawford game is the first in which a player needs a single point.
        crawford = min(need, opponent_need) == 1 < min(self.need, self.opponent_need)
        return ScoreState(need, opponent_need, crawford).canonical()


LAST_GAME = ScoreState(1, 1)


def _states() -> tuple[ScoreState, ...]:
    """Return all states that a match can reach; states after a double come first."""
    needs = range(1, MAX_NEED + 1)
    starts = [ScoreState(*scores) for scores in product(needs, needs)]
    starts += [start._replace(crawford=True) for start in starts if 1 == min(start[:2]) < max(start[:2])]
    states, pending = set[ScoreState](), [start.canonical() for start in starts]
    while pending:
        state = pending.pop()
        if state not in states:
            states.add(state)
            pending += filter(None, (state.after_play().canonical(), state.after_double()))
    return tuple(sorted(states, key=lambda state: (state != LAST_GAME, -state.cube, state.owner, state)))


SCORE_STATES = _states()
"""All states, in the order of the columns."""


def match_columns() -> CubeColumns:
    """Return the columns of all states, in match-winning chances; `update_match_columns` completes them."""
    columns = {state: column for column, state in enumerate(SCORE_STATES)}
    transitions = [
        (columns[state.after_play().canonical()], NONE if double is None else columns[double])
        for state, double in ((state, state.after_double()) for state in SCORE_STATES)
    ]
    names = tuple(
        f"{state.need}-away, {state.opponent_need}-away"
        + (", Crawford" if state.crawford else "")
        + ("" if state.owner == CENTRED else f", cube {state.cube}, owner {state.owner:+d}")
        for state in SCORE_STATES
    )
    result = CubeColumns(names, 1, np.array(transitions, np.int32), np.ones((len(names), 5)))
    update_match_columns(result, np.full(len(names), 0.5))
    return result


def match_equity(state: ScoreState | None, points: int, opening: Array) -> float:
    """Return the match-winning chance at the start of a game; `state` is None if the match is over.

    `points` were won in the previous game, negative if lost. `opening` (states,) has, for states with a
    centred cube, the chance of the player who makes the opening play.
    """
    if state is None:
        return float(points > 0)
    chance = opening[SCORE_STATES.index(state)]
    opponent_chance = opening[SCORE_STATES.index(state.after_play().canonical())]
    return float(chance + 1 - opponent_chance) / 2


def update_match_columns(columns: CubeColumns, opening: Array) -> None:
    """Set the values of finished games from the games that follow; parameters as for `match_equity`."""

    def value(state: ScoreState, points: int) -> float:
        return match_equity(state.next_game(points), points, opening)

    for column, state in enumerate(SCORE_STATES):
        columns.points[column] = 1, *(value(state, points * state.cube) for points in (1, -1, -2, -3))


# ---- files ----

MAGIC = b"bgfastHG"
VERSION = 1
HEADER_BYTES = 4096
PREFIX = struct.Struct("<8s3I")
"""Magic, version, and length and CRC-32 of the JSON text that follows; then zeros up to HEADER_BYTES."""
RULES = "standard"
MAX_CHECKERS = 3
CUBELESS, MONEY_TABLE, MATCH_TABLE = "cubeless", "money", "match"
COLUMNS = {CUBELESS: PROBABILITIES, MONEY_TABLE: len(MONEY.names), MATCH_TABLE: len(SCORE_STATES)}
MAX_COLUMNS = 1000  # maximum columns of a table not in COLUMNS
CHECKSUM_BYTES = 1 << 24  # bytes per step; Ctrl-C takes effect between two steps


class TableEntry(NamedTuple):
    """Entry for a table in the header."""

    name: str
    columns: int  # values per position
    sweeps: int  # sweeps that computed the table
    residual: float | None  # largest change of any value in one more sweep; None for an unfinished table
    checksum: int  # CRC-32 of the table's bytes


class Header(NamedTuple):
    """Contents of a file: positions with 1 to `checkers` checkers per side, and the tables in file order."""

    checkers: int
    positions: int
    tables: tuple[TableEntry, ...]

    def offset(self, index: int) -> int:
        """Return the offset of a table in the file, in bytes; ``len(tables)`` gives the end of the file."""
        return HEADER_BYTES + 8 * self.positions * sum(entry.columns for entry in self.tables[:index])

    def pack(self) -> bytes:
        """Return the bytes of the header."""
        content = {
            "rules": RULES,
            "checkers": self.checkers,
            "positions": self.positions,
            "tables": [entry._asdict() for entry in self.tables],
        }
        text = json.dumps(content).encode()
        packed = PREFIX.pack(MAGIC, VERSION, len(text), zlib.crc32(text)) + text
        return packed.ljust(HEADER_BYTES, b"\0")


def is_tables_file(path: str) -> bool:
    """Return whether a file can be read and begins like a file of tables."""
    try:
        check_regular_file(path)
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_header(path: str) -> Header:
    """Read the header of a file and check the file's length against it."""
    with _errors_with_name(path):
        check_regular_file(path)
        with open(path, "rb") as file:
            return _read_header(file)


def table_at(path: str, header: Header, index: int) -> Array:
    """Map a table into memory, read-only, shape (positions, columns)."""
    shape = header.positions, header.tables[index].columns
    with _errors_with_name(path):
        table: Array = np.memmap(path, "<f8", "r", header.offset(index), shape)
    return table


@contextmanager
def _errors_with_name(path: str) -> Iterator[None]:
    """Raise errors as `BgfastError` with the file's name."""
    try:
        yield
    except (OSError, ValueError) as error:
        text = str(error) if isinstance(error, BgfastError) else reason(error)
        raise BgfastError(f"{path}: {text}") from None


def _read_header(file: BinaryIO) -> Header:
    file.seek(0)
    packed = file.read(HEADER_BYTES)
    if packed[: len(MAGIC)] != MAGIC:
        raise BgfastError("it is not a file of hypergammon tables")
    if len(packed) < HEADER_BYTES:
        raise BgfastError(f"its header has {len(packed):,} bytes; expected {HEADER_BYTES:,}")
    _, version, length, checksum = PREFIX.unpack_from(packed)
    if version != VERSION:
        raise BgfastError(f"it has version {version} of the format; expected {VERSION}")
    text = packed[PREFIX.size : PREFIX.size + length]
    if zlib.crc32(text) != checksum:
        raise BgfastError(f"the checksum of its header is {zlib.crc32(text):08x}; expected {checksum:08x}")
    header = _parse_header(text)
    size, expected = os.fstat(file.fileno()).st_size, header.offset(len(header.tables))
    if size < expected:  # an interrupted run may have left extra bytes
        raise BgfastError(f"it has {size:,} bytes; expected {expected:,}")
    return header


def _parse_header(text: bytes) -> Header:
    """Return the contents of a header; raise `BgfastError` if they are invalid."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("tables"), list):
        raise BgfastError("its header cannot be read; expected JSON with rules, checkers and tables")
    if content.get("rules") != RULES:
        raise BgfastError(f"its rules are {short_repr(content.get('rules'))}; expected {RULES}")
    checkers = validate_number("the number of its checkers", content.get("checkers"), MAX_CHECKERS, 1)
    size = PositionIndex(checkers).size
    positions = validate_number("the number of its positions", content.get("positions"), size, size)
    return Header(checkers, positions, tuple(map(_parse_entry, content["tables"])))


def _parse_entry(entry: Any) -> TableEntry:
    fields = entry if isinstance(entry, dict) and entry.keys() == set(TableEntry._fields) else {}
    name, residual = fields.get("name"), fields.get("residual")
    if not isinstance(name, str) or not (residual is None or real_number(residual) is not None):
        raise BgfastError(f"it has the table {short_repr(entry)}; expected {', '.join(TableEntry._fields)}")
    columns, sweeps, checksum = (
        validate_number(f"{field} of its table {short_repr(name)}", fields[field], maximum, minimum)
        for field, maximum, minimum in (
            ("columns", COLUMNS.get(name, MAX_COLUMNS), COLUMNS.get(name, 1)),
            ("sweeps", None, 0),
            ("checksum", 2**32 - 1, 0),
        )
    )
    return TableEntry(name, columns, sweeps, residual, checksum)


class TablesFile:
    """File of tables, open for writing and locked; see `open_tables`."""

    def __init__(self, path: str, file: BinaryIO, header: Header) -> None:
        self._path = path
        self._file = file
        self.header = header

    def begin(self) -> None:
        """Read the header, or write it to an empty file."""
        if os.fstat(self._file.fileno()).st_size == 0:
            self._write_header(self.header)
            return
        expected, self.header = self.header, _read_header(self._file)
        if self.header[:2] != expected[:2]:
            raise BgfastError(
                f"it has {self.header.checkers} checkers per side and {self.header.positions:,} positions; "
                f"expected {expected.checkers} and {expected.positions:,}"
            )

    def append(self, name: str, table: Array, sweeps: int, residual: float | None) -> None:
        """Append a table, replacing an unfinished one.

        The header is written last, so after a failure the file has its former tables and some extra bytes.
        """
        finished = tuple(entry for entry in self.header.tables if entry.residual is not None)
        entry = TableEntry(name, table.shape[1], sweeps, residual, 0)
        header = self.header._replace(tables=(*finished, entry))
        with _errors_with_name(self._path):
            if len(finished) < len(self.header.tables):
                self._write_header(self.header._replace(tables=finished))
            self._file.truncate(header.offset(len(finished)))
            self._file.seek(header.offset(len(finished)))
            content = np.ascontiguousarray(table, "<f8").data.cast("B")
            self._file.write(content)
            entry = entry._replace(checksum=_checksum(content))
            self._write_header(header._replace(tables=(*finished, entry)))

    def _write_header(self, header: Header) -> None:
        self._sync()
        self._file.seek(0)
        self._file.write(header.pack())
        self._sync()
        self.header = header

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def is_finished(self, name: str) -> bool:
        """Return whether the file has a finished table of this name."""
        return any(entry.name == name and entry.residual is not None for entry in self.header.tables)

    def read_unfinished(self, name: str) -> tuple[Array | None, int]:
        """Return an unfinished table and the number of its sweeps; None and 0 if there is none."""
        index = len(self.header.tables) - 1
        if index < 0 or self.header.tables[index].name != name:
            return None, 0
        check_table(self._path, self.header, index)
        return np.array(table_at(self._path, self.header, index)), self.header.tables[index].sweeps


def check_table(path: str, header: Header, index: int) -> None:
    """Raise `BgfastError` if the bytes of a table do not match its checksum."""
    entry = header.tables[index]
    checksum = _checksum(table_at(path, header, index).reshape(-1).view(np.uint8).data)
    if checksum != entry.checksum:
        raise BgfastError(
            f"{path}: the checksum of the table {entry.name!r} is {checksum:08x}; "
            f"expected {entry.checksum:08x}"
        )


def _checksum(content: memoryview) -> int:
    checksum = 0
    for offset in range(0, len(content), CHECKSUM_BYTES):
        checksum = zlib.crc32(content[offset : offset + CHECKSUM_BYTES], checksum)
    return checksum


@contextmanager
def open_tables(path: str, checkers: int, positions: int) -> Iterator[TablesFile]:
    """Open a file of tables for writing, creating it if needed; hold a lock until the block ends."""
    with _errors_with_name(path):
        lock = FileLock.on(path)
    try:
        with open(path, "r+b") as file:
            tables = TablesFile(path, file, Header(checkers, positions, ()))
            with _errors_with_name(path):
                tables.begin()
            yield tables
    finally:
        lock.release()
