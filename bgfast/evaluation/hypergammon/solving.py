"""Solution of a game with few checkers a side into a file, table by table; a run can be resumed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.files import checked_path
from bgfast.common.probabilities import PROBABILITIES, evaluations_of_probabilities
from bgfast.common.validation import thread_count
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex
from bgfast.evaluation.hypergammon.cube_columns import MONEY, CubeColumns, match_columns
from bgfast.evaluation.hypergammon.solver import (
    PlayLists,
    Sweep,
    cube_sweep,
    cubeless_sweep,
    list_plays,
    match_sweep,
    no_double_values,
    solve,
)
from bgfast.evaluation.hypergammon.tables_file import (
    CUBELESS,
    MATCH_TABLE,
    MONEY_TABLE,
    Header,
    TablesFile,
    open_tables,
)

CHECKERS = 3

Array = npt.NDArray[np.float64]


class SolveProgress(NamedTuple):
    """Progress of a run: the table in work, and the largest change of a value in the last sweep."""

    table: str
    number: int  # of this table, from 0
    tables: int
    sweeps: int  # so far; 0 while plays are listed
    change: float


def solve_tables(
    path: str | os.PathLike[str],
    *,
    checkers: int = CHECKERS,
    threads: int = 1,
    progress: Callable[[SolveProgress], None] | None = None,
) -> Header:
    """Solve the game into a file; resume if the file is that of an interrupted run.

    A finished table is appended at once; after Ctrl-C the table in work is appended unfinished. `progress` is
    called before and after every sweep. With three checkers a side it takes 6.5 GB of memory. The result is
    the same for any number of threads.
    """
    text = checked_path(path, "path")
    threads = thread_count(threads)
    positions = PositionIndex(checkers).size
    stages = [
        _Stage(CUBELESS, cubeless_sweep(), None),
        _Stage(MONEY_TABLE, cube_sweep(MONEY), MONEY),
        _Stage(MATCH_TABLE, match_sweep(match := match_columns()), match),
    ]
    lists: PlayLists | None = None
    with open_tables(text, checkers, positions) as file:
        for number, stage in enumerate(stages):
            if file.is_finished(stage.name):
                continue

            def report(sweeps: int, change: float, name: str = stage.name, number: int = number) -> None:
                if progress is not None:
                    progress(SolveProgress(name, number, len(stages), sweeps, change))

            report(0, np.inf)
            if lists is None:
                lists = list_plays(checkers, threads)
            _solve_table(file, stage, lists, threads, report)
        return file.header


class _Stage(NamedTuple):
    """Table to be solved; `columns` is None without a cube."""

    name: str
    sweep: Sweep
    columns: CubeColumns | None


def _solve_table(
    file: TablesFile,
    stage: _Stage,
    lists: PlayLists,
    threads: int,
    progress: Callable[[int, float], None],
) -> None:
    """Solve one table and append it; after Ctrl-C append the values so far."""
    name, sweep, columns = stage
    values, before = _start_values(file, name, columns, lists)
    sweeps = before

    def count(new_sweeps: int, change: float) -> None:
        nonlocal sweeps
        sweeps = before + new_sweeps
        progress(sweeps, change)

    try:
        residual = solve(lists, sweep, values, threads, count)
    except KeyboardInterrupt:
        if sweeps > before:
            # The equity follows from the probabilities.
            file.append(name, values[:, :PROBABILITIES] if columns is None else values, sweeps, None)
        raise
    table = (
        values[:, :PROBABILITIES] if columns is None else no_double_values(lists, columns, values, threads)
    )
    file.append(name, table, sweeps, residual)


def _start_values(
    file: TablesFile, name: str, columns: CubeColumns | None, lists: PlayLists
) -> tuple[Array, int]:
    """Return the values of an unfinished table and its sweeps, or values to begin with."""
    table, sweeps = file.unfinished(name)
    if columns is None:
        if table is None:
            table = np.zeros((lists.positions.size, PROBABILITIES))
            table[:, 0] = 0.5
        return evaluations_of_probabilities(table), sweeps
    if table is None:
        table = np.full((lists.positions.size, len(columns.names)), columns.total / 2)
    return table, sweeps
