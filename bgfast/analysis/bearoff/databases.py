"""Bear-off databases: built, written to files with a checksum, and read from there."""

from __future__ import annotations

import os
import struct
import time
import warnings
import zlib
from collections.abc import Callable
from itertools import pairwise
from math import comb, prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.bearoff import _bearoff
from bgfast.analysis.bearoff.cube_states import CUBELESS, MONEY, CubeStates
from bgfast.common.files import check_plain, replacing
from bgfast.common.resumable import reason
from bgfast.common.vocabulary import CHECKERS, HOME

__all__ = [
    "DatabaseKind",
    "OpenDatabase",
    "one_sided",
    "open_database",
    "say_in_memory",
    "two_sided",
    "two_sided_tables",
    "with_cube",
]

MAGIC = b"bgfastBO"
VERSION = 1
HEADER = struct.Struct("<8s4I2QI20x")
"""Magic, version, kind, points, checkers; entries, bytes behind the header; the CRC-32 of these."""
ONE_SIDED, TWO_SIDED, WITH_CUBE = 1, 2, 3
PLAYS_ROOM = 256  # a side; see `_bearoff.list_plays`
STEPS = 32  # in which the two-sided one is built, with Ctrl-C seen and progress told after each

Array = npt.NDArray[np.float64]
Progress = Callable[[float], None]

_said_of: set[str] = set()


class DatabaseKind(NamedTuple):
    """A kind of database: the name of its file, its header, the shapes of its arrays, what builds them."""

    name: str
    kind: int
    checkers: int
    shapes: tuple[tuple[int, int], ...]
    build: Callable[[Progress], tuple[Array, ...]]

    def header(self, checksum: int) -> bytes:
        """Return the first bytes of its file."""
        return HEADER.pack(
            MAGIC, VERSION, self.kind, HOME, self.checkers, self.entries, self.size - HEADER.size, checksum
        )

    @property
    def entries(self) -> int:
        """How many positions it knows."""
        return self.shapes[0][0] * (1 if self.kind == ONE_SIDED else self.shapes[0][0])

    @property
    def size(self) -> int:
        """The bytes of its file."""
        return HEADER.size + 8 * sum(prod(shape) for shape in self.shapes)


class OpenDatabase(NamedTuple):
    """Arrays ready for use, read-only; `path` is None if they are in memory alone, `seconds` what it took."""

    arrays: tuple[Array, ...]
    path: Path | None
    built: bool
    seconds: float


class _DamagedError(Exception):
    """A file that is no sound database of its kind; the text says why."""


# ---------------------------------------------------------------- building


def number_of_sides(checkers: int) -> int:
    """Return how many sides of at most so many checkers on six points there are."""
    return comb(checkers + HOME, HOME)


def one_sided() -> DatabaseKind:
    """Return the distributions of rolls of all 54,264 sides, until all are off and until the next one is."""
    sides = number_of_sides(CHECKERS)
    columns = (_bearoff.ROLLS_COLUMNS, _bearoff.FIRST_COLUMNS)

    def build(tell: Progress) -> tuple[Array, ...]:
        arrays = tuple(np.empty((sides, width)) for width in columns)
        mean = np.empty(sides)
        bests = np.empty((sides, 6, 4), np.int32)
        for at, array in enumerate(arrays):
            for checkers in range(CHECKERS + 1):
                _bearoff.fill_one_sided(checkers, at == 1, array, mean, bests)
                tell((at + number_of_sides(checkers) / sides) / 2)
        return arrays

    shapes = tuple((sides, width) for width in columns)
    return DatabaseKind(f"bearoff-{VERSION}-one-sided.bin", ONE_SIDED, CHECKERS, shapes, build)


def two_sided(checkers: int) -> DatabaseKind:
    """Return the winning probabilities where both sides have at most so many checkers."""
    sides = number_of_sides(checkers)

    def build(tell: Progress) -> tuple[Array, ...]:
        equities, _ = two_sided_tables(listed_plays(checkers), CUBELESS, tell)
        return (equities[0],)

    name = f"bearoff-{VERSION}-two-sided-{checkers}.bin"
    return DatabaseKind(name, TWO_SIDED, checkers, ((sides, sides),), build)


def with_cube(checkers: int) -> DatabaseKind:
    """Return the equities in money play where both sides have at most so many checkers.

    The cube is unavailable; owned, and not turned now; centred, and not turned now.
    """
    sides = number_of_sides(checkers)

    def build(tell: Progress) -> tuple[Array, ...]:
        equities, no_doubles = two_sided_tables(listed_plays(checkers), MONEY, tell)
        return equities[0].copy(), *no_doubles

    name = f"bearoff-{VERSION}-cube-{checkers}.bin"
    return DatabaseKind(name, WITH_CUBE, checkers, ((sides, sides),) * 3, build)


class ListedPlays(NamedTuple):
    """Where each side gets with each roll, as `_bearoff.list_plays` says it: arrays of int32 and int16."""

    begins: npt.NDArray[np.int32]
    plays: npt.NDArray[np.int16]


def listed_plays(checkers: int) -> ListedPlays:
    """Return the plays of all sides of at most so many checkers."""
    sides = number_of_sides(checkers)
    listed = ListedPlays(np.empty((sides, 22), np.int32), np.empty(sides * PLAYS_ROOM, np.int16))
    _bearoff.list_plays(checkers, np.empty((sides, _bearoff.MOVES_NUMBERS), np.int32), *listed)
    return listed


def two_sided_tables(listed: ListedPlays, states: CubeStates, tell: Progress) -> tuple[Array, Array]:
    """Return tables of all sides listed, for each state of the cube.

    Returns
    -------
    ndarray of float64, shape (states, sides, sides)
        Index state, side that waits, side on roll: at the beginning of a turn.
    ndarray of float64, shape (k, sides, sides)
        The same without a double in that turn, for the states that ask for it.
    """
    sides = len(listed.begins)
    equities = np.empty((len(states.turns), sides, sides))
    no_doubles = np.empty((states.not_doubled, sides, sides))
    memory = np.empty((2 + len(states.turns), sides))
    bounds = [sides * step // STEPS for step in range(STEPS + 1)]
    for first, last in pairwise(bounds):
        _bearoff.fill_two_sided(
            first,
            last,
            *listed,
            states.total,
            states.turns,
            states.worth,
            equities,
            no_doubles,
            memory,
        )
        tell(1 - (1 - last / sides) ** 2)
    return equities, no_doubles


# ---------------------------------------------------------------- files


def open_database(
    kind: DatabaseKind, folder: Path | None, tell: Progress, *, quiet: bool = False, stacklevel: int = 3
) -> OpenDatabase:
    """Read the arrays of a file; build and write them if it is missing or damaged.

    Without a folder, or where it cannot be written, they stay in memory. That, and damage, is said by a
    warning.

    Parameters
    ----------
    kind : DatabaseKind
    folder : path or None
    tell : callable
        Called with the fraction of the building that is done.
    quiet : bool
        Whether there are no warnings.
    stacklevel : int
        Whose line they name, as in `warnings.warn`.

    Returns
    -------
    OpenDatabase
    """
    started = time.perf_counter()
    path = None if folder is None else folder / kind.name
    arrays: tuple[Array, ...] | None = None
    kept = None
    if path is not None:
        try:
            arrays, kept = _sound_arrays(path, kind), path
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            pass  # where it cannot be written either, that is said below
        except (_DamagedError, OSError) as error:
            if not quiet:
                warnings.warn(f"{path}: {reason(error)}; it is built again", stacklevel=stacklevel)
    built = arrays is None
    if arrays is None:
        arrays = kind.build(tell)
        if path is not None:
            try:
                _write(path, kind, arrays)
                kept = path
            except OSError as error:
                if not quiet:
                    say_in_memory(str(folder), error, stacklevel=stacklevel + 1)
    for array in arrays:
        array.flags.writeable = False
    return OpenDatabase(arrays, kept, built, time.perf_counter() - started)


def say_in_memory(where: str, error: OSError, stacklevel: int) -> None:
    """Warn that databases cannot be kept in a folder, once in a process."""
    if where not in _said_of:
        _said_of.add(where)
        warnings.warn(
            f"{where}: {reason(error)}; bear-off databases are kept in memory", stacklevel=stacklevel
        )


def _write(path: Path, kind: DatabaseKind, arrays: tuple[Array, ...]) -> None:
    check_plain(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    contents = [array.astype("<f8", copy=False) for array in arrays]
    checksum = 0
    for content in contents:
        checksum = zlib.crc32(content.data, checksum)
    with replacing(path) as file:
        file.write(kind.header(checksum))
        for content in contents:
            file.write(content.data)


def _sound_arrays(path: Path, kind: DatabaseKind) -> tuple[Array, ...]:
    """Read a file whose header, length and checksum are right; raise `_DamagedError` if one is not.

    It is not mapped: a process ends that looks at a mapped page which somebody has cut off the file.
    """
    check_plain(path)
    with open(path, "rb") as file:
        found = file.read(HEADER.size)
        length = os.fstat(file.fileno()).st_size
        checksum = -1  # of a file cut short, whose length is wrong, too
        if len(found) == HEADER.size:
            magic, version, *described, checksum = HEADER.unpack(found)
            if magic != MAGIC:
                raise _DamagedError("it is no bear-off database")
            if version != VERSION:
                raise _DamagedError(f"it has version {version} of the format, expected {VERSION}")
            expected = HEADER.unpack(kind.header(checksum))[2:-1]
            if tuple(described) != expected:
                raise _DamagedError(f"its header says {described}, expected {list(expected)}")
        if length != kind.size:
            raise _DamagedError(f"it has {length:,} bytes, expected {kind.size:,}")
        arrays = tuple(np.empty(shape, "<f8") for shape in kind.shapes)
        actual = 0
        for array in arrays:
            if file.readinto(array.data) != array.nbytes:
                raise _DamagedError("its end was cut off while it was read")
            actual = zlib.crc32(array.data, actual)
    if actual != checksum:
        raise _DamagedError(f"its checksum is {actual:08x}, expected {checksum:08x}")
    return tuple(np.asarray(array, np.float64) for array in arrays)  # copies in the other byte order
