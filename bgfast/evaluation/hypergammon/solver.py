"""Value iteration over all positions with one to three checkers per side, in resumable runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast.evaluation.hypergammon._hypergammon as _hypergammon
from bgfast.batch.successors import successors
from bgfast.common.files import validate_path
from bgfast.common.probabilities import PROBABILITIES, evaluations_of_probabilities
from bgfast.common.threads import parallel_map
from bgfast.common.validation import BOARD_SIZE, ROLLS, thread_count
from bgfast.evaluation.hypergammon import tables
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex
from bgfast.evaluation.hypergammon.tables import CubeColumns, Header, TablesFile

TOLERANCE = 1e-9
"""Limit of a solution's residual, the largest change of any value in one more sweep."""
CHUNK = 8192  # positions per thread task
LAST_POINT = 24
MIN_SWEEPS = 4  # minimum sweeps between two extrapolations
MAX_RATIO_CHANGE = 0.1  # maximum relative difference between two ratios of successive changes

Array = npt.NDArray[np.float64]
Progress = Callable[[int, float], None]


class PlayLists(NamedTuple):
    """Positions in the order of a sweep, and the successors of all their plays; see `list_plays`.

    Positions without contact come first. Both parts consist of groups of equal total pip count;
    positions of a group do not depend on each other's new values.
    """

    positions: PositionIndex
    order: npt.NDArray[np.int32]
    bounds: list[int]  # bounds of the groups in `order`
    first_contact: int  # index of the first group with contact
    counts: npt.NDArray[np.uint8]
    begins: npt.NDArray[np.int64]
    successors: npt.NDArray[np.int32]

    def sweep_arguments(self, part: slice) -> tuple[npt.NDArray[Any], ...]:
        """Return the arrays that a sweep needs for a part of the order."""
        return self.order[part], self.counts[part], self.begins[part], self.successors


def _chunks(first: int, last: int) -> Iterator[slice]:
    """Yield the parts of the order from `first` to `last` - 1 for thread tasks."""
    for begin in range(first, last, CHUNK):
        yield slice(begin, min(begin + CHUNK, last))


def _run_in_chunks(work: Callable[[slice], None], size: int, threads: int) -> None:
    list(parallel_map(work, _chunks(0, size), threads))


def list_plays(checkers: int, threads: int = 1) -> PlayLists:
    """Return the lists of all plays; with three checkers per side they take 3.8 GB of RAM."""
    positions = PositionIndex(checkers)
    levels, keys = np.empty((2, positions.size), np.int32)
    contact = np.empty(positions.size, np.int8)
    positions.fill_levels(levels, keys, contact)
    order = np.lexsort((keys, levels, contact)).astype(np.int32)
    groups = (levels + contact.astype(np.int32) * (levels.max() + 1))[order]
    bounds = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), positions.size]
    counts = np.empty((positions.size, len(ROLLS)), np.uint8)
    begins = np.zeros(positions.size + 1, np.int64)
    race_count = positions.size - int(contact.sum())

    def count(part: slice) -> None:
        _hypergammon.count_plays(positions, order[part], counts[part])

    def fill(part: slice) -> None:
        _hypergammon.list_plays(positions, order[part], begins[part], successor_indices)

    _run_in_chunks(count, positions.size, threads)
    np.cumsum(counts.sum(axis=1, dtype=np.int64), out=begins[1:])
    successor_indices = np.empty(begins[-1], np.int32)
    _run_in_chunks(fill, positions.size, threads)
    return PlayLists(positions, order, bounds, bounds.index(race_count), counts, begins, successor_indices)


def _sweep(
    lists: PlayLists,
    cube: CubeColumns | None,
    part: slice,
    values: Array,
    out: Array,
    no_double: bool = False,
) -> float:
    """Write the new values of a part of the order, a row for each position; return the largest change."""
    if cube is None:
        return _hypergammon.sweep_cubeless(*lists.sweep_arguments(part), values, out)
    return _hypergammon.sweep_cube(*lists.sweep_arguments(part), *cube[1:], values, no_double, out)


def _update_finished_games(lists: PlayLists, cube: CubeColumns | None, values: Array) -> None:
    """Set the values of finished games, which in a match are the values of the next game."""
    if cube is not None and cube.is_match:
        tables.update_match_columns(cube, opening_values(lists.positions, cube, values.__getitem__))


def start_board(checkers: int) -> npt.NDArray[np.int8]:
    """Return the starting board, shape (1, 26): one checker on each side's points 24, 23, ..."""
    board = np.zeros((1, BOARD_SIZE), np.int8)
    for checker in range(checkers):
        board[0, [LAST_POINT - checker, 1 + checker]] = 1, -1
    return board


def opening_values(
    positions: PositionIndex, columns: CubeColumns, values_at: Callable[[npt.NDArray[np.int32]], Array]
) -> Array:
    """Return the values of the starting position for the player who makes the opening play, shape (states,).

    They are means over the 15 non-double rolls. `values_at` maps indices of positions to values at
    the beginning of a turn, shape (n, states).
    """
    rolls = np.array([roll for roll in ROLLS if roll[0] != roll[1]], np.int8)
    plays = successors(start_board(positions.checkers).repeat(len(rolls), axis=0), rolls, flip=True)
    equities = columns.total - values_at(positions.indices(plays.boards))
    best = np.maximum.reduceat(equities, plays.offsets[:-1])
    mean: Array = best.mean(axis=0)[columns.transitions[:, 0]]
    return mean


def no_double_values(lists: PlayLists, cube: CubeColumns, values: Array, threads: int = 1) -> Array:
    """Return the values of turns without a double, from the values at the beginning of turns."""
    result = np.empty_like(values)

    def update(part: slice) -> None:
        out = np.empty((part.stop - part.start, values.shape[1]))
        _sweep(lists, cube, part, values, out, no_double=True)
        result[lists.order[part]] = out

    _run_in_chunks(update, lists.positions.size, threads)
    return result


def solve(
    lists: PlayLists,
    cube: CubeColumns | None,
    values: Array,
    threads: int = 1,
    progress: Progress | None = None,
    tolerance: float = TOLERANCE,
) -> float:
    """Improve `values` (positions, columns) in place until none changes by `tolerance`; return the residual.

    Columns are the states of a cube or, without one, the five probabilities and the equity. `progress` is
    called after every sweep with the number of sweeps and the largest change. The result is the same for any
    number of threads, to the last bit.
    """
    previous_values = np.empty_like(values)
    changes: list[float] = []
    sweeps = 0
    while True:
        np.copyto(previous_values, values)
        # Without contact nothing is hit, so one sweep gives final values if finished games have final values.
        races_are_final = sweeps > 0 and (cube is None or not cube.is_match)
        change = _sweep_groups(lists, cube, values, lists.first_contact if races_are_final else 0, threads)
        sweeps += 1
        if progress is not None:
            progress(sweeps, change)
        if change < tolerance / 2:
            residual = find_residual(lists, cube, values, threads)
            if residual < tolerance:
                return residual
        changes.append(change)
        ratio = _steady_ratio(changes)
        if ratio is not None:
            # The error is dominated by one geometric series: add its remainder (Aitken's method).
            steps = np.subtract(values, previous_values, out=previous_values)
            steps *= ratio / (1 - ratio)
            values += steps
            changes.clear()


def _sweep_groups(
    lists: PlayLists, cube: CubeColumns | None, values: Array, first_group: int, threads: int
) -> float:
    """Replace the values of all groups from `first_group` on; return the largest change."""
    _update_finished_games(lists, cube, values)
    largest_change = 0.0
    for first, last in pairwise(lists.bounds[first_group:]):
        out = np.empty((last - first, values.shape[1]))

        def update(part: slice, first: int = first, out: Array = out) -> float:
            return _sweep(lists, cube, part, values, out[part.start - first : part.stop - first])

        largest_change = max(largest_change, *parallel_map(update, _chunks(first, last), threads))
        values[lists.order[first:last]] = out
    return largest_change


def _steady_ratio(changes: list[float]) -> float | None:
    """Return the ratio of successive changes; None if it is not yet steady."""
    if len(changes) < MIN_SWEEPS or not all(changes):
        return None
    previous_ratio, ratio = (changes[-k] / changes[-k - 1] for k in (2, 1))
    return ratio if ratio < 1 and abs(ratio - previous_ratio) < MAX_RATIO_CHANGE * ratio else None


def find_residual(lists: PlayLists, cube: CubeColumns | None, values: Array, threads: int = 1) -> float:
    """Return the largest change of any value in one more sweep from the current values."""
    _update_finished_games(lists, cube, values)

    def change(part: slice) -> float:
        return _sweep(lists, cube, part, values, np.empty((part.stop - part.start, values.shape[1])))

    return max(parallel_map(change, _chunks(0, lists.positions.size), threads))


# ---- tables in a file ----

CHECKERS = 3


class SolveProgress(NamedTuple):
    """Progress of a run: the current table, and the largest change of a value in the last sweep."""

    table: str
    finished: int  # number of tables before this one
    tables: int
    sweeps: int  # sweeps so far; 0 while plays are listed
    change: float


def solve_tables(
    path: str | os.PathLike[str],
    *,
    checkers: int = CHECKERS,
    threads: int = 1,
    progress: Callable[[SolveProgress], None] | None = None,
) -> Header:
    """Solve the game and write its tables to a file; resume an interrupted run if the file exists.

    A table is appended when it is solved or, unfinished, on Ctrl-C. `progress` is called at the start of a
    table and after every sweep. Three checkers per side take 6.5 GB of RAM. Results are the same for
    any number of threads.
    """
    path_text = validate_path(path, "path")
    threads = thread_count(threads)
    positions = PositionIndex(checkers).size
    cubes = {
        tables.CUBELESS: None,
        tables.MONEY_TABLE: tables.MONEY,
        tables.MATCH_TABLE: tables.match_columns(),
    }
    lists: PlayLists | None = None
    with tables.open_tables(path_text, checkers, positions) as file:
        for index, (name, cube) in enumerate(cubes.items()):
            if file.is_finished(name):
                continue

            def report(sweeps: int, change: float, name: str = name, index: int = index) -> None:
                if progress is not None:
                    progress(SolveProgress(name, index, len(cubes), sweeps, change))

            report(0, np.inf)
            if lists is None:
                lists = list_plays(checkers, threads)
            _solve_table(file, name, cube, lists, threads, report)
        return file.header


def _solve_table(
    file: TablesFile, name: str, cube: CubeColumns | None, lists: PlayLists, threads: int, progress: Progress
) -> None:
    """Solve one table and append it; after Ctrl-C, append the values so far."""
    values, sweeps_before = file.read_unfinished(name)
    if values is None:
        start = [0.5, 0, 0, 0, 0] if cube is None else [cube.total / 2] * len(cube.names)
        values = np.tile(np.array(start, np.float64), (lists.positions.size, 1))
    if cube is None:
        values = evaluations_of_probabilities(values)
    table = values[:, :PROBABILITIES] if cube is None else values  # the equity follows from the probabilities
    sweeps = sweeps_before

    def report(new_sweeps: int, change: float) -> None:
        nonlocal sweeps
        sweeps = sweeps_before + new_sweeps
        progress(sweeps, change)

    try:
        residual = solve(lists, cube, values, threads, report)
    except KeyboardInterrupt:
        if sweeps > sweeps_before:
            file.append(name, table, sweeps, None)
        raise
    if cube is not None:
        table = no_double_values(lists, cube, values, threads)
    file.append(name, table, sweeps, residual)
