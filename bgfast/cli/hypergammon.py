"""``bgfast hypergammon``: solve the game with three checkers per side, and check the file of its tables."""

from __future__ import annotations

import argparse
import os
import time
from math import inf, log

from bgfast.cli.parser import print_result
from bgfast.cli.progress import Progress
from bgfast.cli.streams import explain_interrupt
from bgfast.errors import BgfastError
from bgfast.evaluation.hypergammon.solver import TOLERANCE, SolveProgress, solve_tables
from bgfast.evaluation.hypergammon.tables import Header, check_table, read_header

ACTIONS = ("solve", "check")
MAX_FIRST_CHANGE = 3.0  # maximum change of a value in the first sweep

HELP = """
usage: solve|check FILE

solve computes the exact values of hypergammon and writes them to FILE; it needs 6.5 GB of memory. After
Ctrl-C the same command resumes. check compares the tables of FILE with their checksums.

--json --quiet --threads

example: bgfast hypergammon solve hypergammon.bghyper --threads 2
"""


def run(arguments: argparse.Namespace) -> None:
    """Solve the game or check a file, and print its tables."""
    action, *files = arguments.operands or ("",)
    if action not in ACTIONS or len(files) != 1:
        operands = " ".join(arguments.operands) or "nothing"
        problem = f"{operands} after hypergammon (bgfast analyse hypergammon 31 analyses a position)"
        raise BgfastError(f"{problem}; expected solve FILE or check FILE")
    file = files[0]
    started = time.monotonic()
    if action == "solve":
        header = _solve(file, arguments)
    else:
        header = read_header(file)
        for index in range(len(header.tables)):
            check_table(file, header, index)
    size, seconds = os.stat(file).st_size, time.monotonic() - started
    lines = [f"{file}: {header.positions:,} positions, {size / 1e6:,.0f} MB, {seconds:,.1f} s"]
    for entry in header.tables:
        residual = "not finished" if entry.residual is None else f"residual {entry.residual:.1e}"
        lines.append(f"{entry.name}: {entry.columns} columns, {entry.sweeps} sweeps, {residual}")
    tables = [entry._asdict() for entry in header.tables]
    content = {"file": file, "bytes": size, **header._asdict(), "tables": tables}
    print_result(arguments, content, *lines)


def _solve(file: str, arguments: argparse.Namespace) -> Header:
    notice = explain_interrupt(f"the same command resumes {file}")
    with notice, Progress("hypergammon", quiet=arguments.quiet) as progress:

        def show(state: SolveProgress) -> None:
            sweep = f"sweep {state.sweeps}, largest change {state.change:.1e}"
            fraction = (state.finished + _fraction(state.change)) / state.tables
            progress(fraction, lambda: f", {state.table}: {sweep if state.sweeps else 'plays'}")

        return solve_tables(file, threads=arguments.threads, progress=show)


def _fraction(change: float) -> float:
    """Return the completed fraction of a table, assuming that changes shrink geometrically."""
    if change == inf:
        return 0
    done = log(MAX_FIRST_CHANGE / max(change, TOLERANCE / 2)) / log(MAX_FIRST_CHANGE / (TOLERANCE / 2))
    return min(max(done, 0), 1)
