"""Bear-off databases: construction, files with a checksum, and states of the cube.

A side is the checkers of one player on points 1 to 6; `_bearoff` numbers all sides.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from math import comb, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast.evaluation.bearoff._bearoff as _bearoff
from bgfast.common.files import check_regular_file, reason, replace_file
from bgfast.common.validation import CHECKERS, HOME, ROLLS, value_numbers
from bgfast.errors import BgfastError, warn_user

MAGIC = b"bgfastBO"
VERSION = 1
HEADER = struct.Struct("<8s4I2QI20x")
"""Magic, version, type code, points, checkers; entries, bytes after the header; CRC-32 of these bytes."""
ONE_SIDED, TWO_SIDED, WITH_CUBE = 1, 2, 3
PLAYS_PER_SIDE = 256  # capacity, above the mean number of plays; see `_bearoff.list_plays`
BUILD_STEPS = 32  # steps of a two-sided database; after each, Ctrl-C is handled and progress reported

Array = npt.NDArray[np.float64]
Progress = Callable[[float], None]

_warned_folders: set[str] = set()


class DatabaseSpec(NamedTuple):
    """Specification of a database: of single sides or, with states of a cube, of pairs of sides."""

    label: str
    type_code: int
    checkers: int  # maximum per side
    states: CubeStates | None = None

    @property
    def name(self) -> str:
        """Name of the file."""
        return f"bearoff-{VERSION}-{self.label}.bin"

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Shapes of the arrays."""
        sides = number_of_sides(self.checkers)
        if self.states is None:
            return tuple((sides, width) for width in _bearoff.COLUMNS)
        return ((sides, sides),) * (1 + self.states.no_double_count)

    def build(self, progress: Progress) -> tuple[Array, ...]:
        """Return the arrays: both one-sided tables, or values of the first state and no-double tables."""
        if self.states is None:
            arrays = tuple(np.empty(shape) for shape in self.shapes)
            _fill_one_sided(arrays[0], False, lambda done: progress(done / 2))
            _fill_one_sided(arrays[1], True, lambda done: progress((1 + done) / 2))
            return arrays
        equities, no_doubles = two_sided_tables(list_plays(self.checkers), self.states, progress)
        return equities[0].copy(), *no_doubles

    def header(self, checksum: int) -> bytes:
        """Return the header of a file."""
        rows, columns = self.shapes[0]
        entries = rows if self.states is None else rows * columns
        size = self.size - HEADER.size
        return HEADER.pack(MAGIC, VERSION, self.type_code, HOME, self.checkers, entries, size, checksum)

    @property
    def size(self) -> int:
        """Size of a file in bytes."""
        return HEADER.size + 8 * sum(prod(shape) for shape in self.shapes)


class OpenDatabase(NamedTuple):
    """Arrays of a database, read-only."""

    arrays: tuple[Array, ...]
    path: Path | None  # None if the arrays are in memory only
    built: bool  # False if they were read from the file
    seconds: float  # time to open it


class _DamagedError(Exception):
    """Damaged file, or another type of file; the message gives the reason."""


# ---- building ----


def number_of_sides(checkers: int) -> int:
    """Return the number of sides with at most `checkers` checkers on six points."""
    return comb(checkers + HOME, HOME)


def one_sided_spec() -> DatabaseSpec:
    """Return the specification of the one-sided database of all 54,264 sides.

    It has the distributions of the rolls to bear off all checkers and to bear off the first checker.
    """
    return DatabaseSpec("one-sided", ONE_SIDED, CHECKERS)


def _fill_one_sided(rolls: Array, first_only: bool, progress: Progress) -> npt.NDArray[np.int32]:
    """Fill the rows of all sides; return the side after each roll, shape (sides, 21)."""
    sides = len(rolls)
    mean, best_sides = np.empty(sides), np.empty((sides, 6, 4), np.int32)
    plays = np.empty((sides, len(ROLLS)), np.int32)
    for checkers in range(CHECKERS + 1):
        _bearoff.fill_one_sided(checkers, first_only, rolls, mean, plays, best_sides)
        progress(number_of_sides(checkers) / sides)
    return plays


@cache
def one_sided_plays() -> npt.NDArray[np.int32]:
    """Return the side after each roll, shape (54264, 21); the file of the database does not store it."""
    rolls = np.empty((number_of_sides(CHECKERS), _bearoff.COLUMNS[0]))
    plays = _fill_one_sided(rolls, False, lambda done: None)
    plays.flags.writeable = False
    return plays


def two_sided_spec(checkers: int) -> DatabaseSpec:
    """Return the specification of the two-sided database: winning probabilities, up to `checkers` a side."""
    return DatabaseSpec(f"two-sided-{checkers}", TWO_SIDED, checkers, CUBELESS)


def with_cube_spec(checkers: int) -> DatabaseSpec:
    """Return the specification of money equities before a double: cube unavailable, owned, centred."""
    return DatabaseSpec(f"cube-{checkers}", WITH_CUBE, checkers, MONEY)


class ListedPlays(NamedTuple):
    """Sides reachable from every side with every roll, as `_bearoff.list_plays` writes them."""

    begins: npt.NDArray[np.int32]
    plays: npt.NDArray[np.int16]


def list_plays(checkers: int) -> ListedPlays:
    """Return the plays of all sides with at most `checkers` checkers."""
    sides = number_of_sides(checkers)
    listing = ListedPlays(np.empty((sides, 22), np.int32), np.empty(sides * PLAYS_PER_SIDE, np.int16))
    _bearoff.list_plays(checkers, np.empty((sides, _bearoff.MOVES_NUMBERS), np.int32), *listing)
    return listing


def two_sided_tables(listing: ListedPlays, states: CubeStates, progress: Progress) -> tuple[Array, Array]:
    """Return values at the beginning of a turn, indexed by state, waiting side and side on roll.

    The second array has the values without a double in that turn, for the states that have such a table.
    """
    sides = len(listing.begins)
    equities = np.empty((len(states.transitions), sides, sides))
    no_doubles = np.empty((states.no_double_count, sides, sides))
    memory = np.empty((2 + len(states.transitions), sides))
    bounds = [sides * step // BUILD_STEPS for step in range(BUILD_STEPS + 1)]
    for first, last in pairwise(bounds):
        _bearoff.fill_two_sided(first, last, *listing, *states, equities, no_doubles, memory)
        progress(1 - (1 - last / sides) ** 2)
    return equities, no_doubles


# ---- files ----


def open_database(
    spec: DatabaseSpec, folder: Path | None, progress: Progress, *, quiet: bool = False
) -> OpenDatabase:
    """Read the arrays of a file; build and write them if it is missing or damaged.

    Without a writable folder, the arrays stay in memory. This and a damaged file cause a warning, unless
    `quiet`. `progress` is called with the completed fraction of the construction.
    """
    started = time.perf_counter()
    path = None if folder is None else folder / spec.name
    arrays = None
    if path is not None:
        try:
            arrays = _read(path, spec)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            pass  # an unwritable folder causes a warning below
        except (_DamagedError, OSError) as error:
            if not quiet:
                warn_user(f"{path}: {reason(error)}; rebuilding it")
    built = arrays is None
    if arrays is None:
        arrays = spec.build(progress)
        if path is not None:
            try:
                _write(path, spec, arrays)
            except OSError as error:
                path = None
                if not quiet:
                    warn_in_memory(str(folder), error)
    for array in arrays:
        array.flags.writeable = False
    return OpenDatabase(arrays, path, built, time.perf_counter() - started)


def warn_in_memory(folder: str, error: OSError) -> None:
    """Warn, once per process and folder, that databases cannot be stored there."""
    if folder not in _warned_folders:
        _warned_folders.add(folder)
        warn_user(f"{folder}: {reason(error)}; bear-off databases are kept in memory")


def _write(path: Path, spec: DatabaseSpec, arrays: tuple[Array, ...]) -> None:
    check_regular_file(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    contents = [array.astype("<f8", copy=False).data for array in arrays]
    checksum = 0
    for content in contents:
        checksum = zlib.crc32(content, checksum)
    with replace_file(path) as file:
        file.write(spec.header(checksum))
        file.writelines(contents)


def _read(path: Path, spec: DatabaseSpec) -> tuple[Array, ...]:
    """Read a file; raise `_DamagedError` if its header, length or checksum is wrong.

    The file is not memory-mapped: if another process truncates it, reading a mapped page kills this process.
    """
    check_regular_file(path)
    with open(path, "rb") as file:
        header = file.read(HEADER.size)
        length = os.fstat(file.fileno()).st_size
        checksum = -1  # a file too short for a header is refused by its length
        if len(header) == HEADER.size:
            magic, version, *fields, checksum = HEADER.unpack(header)
            if magic != MAGIC:
                raise _DamagedError("it is not a bear-off database")
            if version != VERSION:
                raise _DamagedError(f"it has version {version} of the format, expected {VERSION}")
            expected = HEADER.unpack(spec.header(checksum))[2:-1]
            if tuple(fields) != expected:
                raise _DamagedError(f"its header is {fields}, expected {list(expected)}")
        if length != spec.size:
            raise _DamagedError(f"it has {length:,} bytes, expected {spec.size:,}")
        arrays = tuple(np.empty(shape, "<f8") for shape in spec.shapes)
        actual_checksum = 0
        for array in arrays:
            if file.readinto(array.data) != array.nbytes:
                raise _DamagedError("it was truncated while being read")
            actual_checksum = zlib.crc32(array.data, actual_checksum)
    if actual_checksum != checksum:
        raise _DamagedError(f"its checksum is {actual_checksum:08x}, expected {checksum:08x}")
    return tuple(np.asarray(array, np.float64) for array in arrays)  # copies on big-endian machines


# ---- states of the cube ----

OWNED, CENTRED, UNAVAILABLE = OWNERS = (1, 0, -1)
"""Owner of the cube: the player on roll, nobody, the opponent."""
DOUBLING_OWNERS = (OWNED, CENTRED)
"""Owners with which the player on roll may double, in the order of the no-double tables."""
MAX_LEVELS = _bearoff.MAX_CUBE_STATES // 4
NONE = -1


class CubeStates(NamedTuple):
    """States of the cube for `_bearoff.fill_two_sided`; states after a double come before the others."""

    total: float  # sum of the values of both players
    # (n, 3): the state after a play, with the opponent on roll; the state after double and take, with the
    # same player on roll; the index of its no-double table. -1 stands for none.
    transitions: npt.NDArray[np.int32]
    # (n, 3): the value of one point of the state after a double; of a game won; of a game lost.
    values: npt.NDArray[np.float64]

    @property
    def no_double_count(self) -> int:
        """Number of no-double tables."""
        return int(self.transitions[:, 2].max()) + 1


def _states(total: float, transitions: list[Any], values: list[Any]) -> CubeStates:
    return CubeStates(total, np.array(transitions, np.int32), np.array(values, np.float64))


CUBELESS = _states(1, [(0, NONE, NONE)], [(1, 1, 0)])
"""Winning probabilities without a cube."""
MONEY = _states(0, [(1, NONE, NONE), (0, 0, 0), (2, 0, 1)], [(2, 1, -1)] * 3)
"""Points per unit of the cube: unavailable, owned, centred. A doubled cube only doubles the values."""


def states_at(stakes: npt.NDArray[np.float64]) -> tuple[CubeStates, int, int]:
    """Return the states of a cube with these stakes, and the indices of two of them.

    `stakes` come from `validate_stakes`. Values are negated in states with the opponent on roll. The two
    indices are of states in which the player on roll cannot double: at the first level and, after one
    double, at the second. They are the same if there is only one level.
    """
    last = len(stakes) - 1
    # Nobody can double at the last level, so its owner is irrelevant. Only the first level can be centred.
    owners = [OWNERS, *[(OWNED, UNAVAILABLE)] * (last - 1), (CENTRED,)] if last else [(CENTRED,)]
    levels = range(last, -1, -1)
    keys = [(level, owner, player) for level in levels for owner in owners[level][::-1] for player in (1, -1)]
    indices = {key: index for index, key in enumerate(keys)}

    def unavailable(level: int, player: int) -> int:
        return indices[level, UNAVAILABLE if level < last else CENTRED, player]

    transitions, values = [], []
    for level, owner, player in keys:
        after_play = indices[level, -owner, -player]
        can_double = level < last and owner != UNAVAILABLE
        doubled = unavailable(level + 1, player) if can_double else NONE
        has_table = can_double and level == 0 and player == 1
        transitions.append((after_play, doubled, DOUBLING_OWNERS.index(owner) if has_table else NONE))
        values.append((1, *(stakes[level] * player)[::player]))
    return _states(0, transitions, values), unavailable(0, 1), unavailable(min(1, last), 1)


def validate_stakes(stakes: Any) -> npt.NDArray[np.float64]:
    """Return stakes as a new float64 array (levels, 2): values of a game won and lost."""
    array = value_numbers("stakes", stakes).astype(np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or not 1 <= len(array) <= MAX_LEVELS:
        raise BgfastError(
            f"stakes has the shape {array.shape}; expected (n, 2), n from 1 to {MAX_LEVELS}: the values of a "
            "game won and lost with the cube as it is, doubled once, ..."
        )
    for level, (won, lost) in enumerate(array.tolist()):
        if not -np.inf < lost <= won < np.inf:
            raise BgfastError(
                f"stakes, row {level}: {won} for a game won and {lost} for a game lost; expected finite "
                "numbers, the first not less than the second"
            )
    return array
