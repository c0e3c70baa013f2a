"""Write the speed tables in the documentation from the JSON of `benchmarks.peers.compare`.

``python -m benchmarks.tables.speed_table FILE`` writes the short table into the README, the long table and
the ratios into docs/PERFORMANCE.md; ``--check`` reports stale tables. The short table lists engines
with rates in successors; the long table lists all engines.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.report import rate, ratio, table
from benchmarks.peers.workloads import BATCH, COPY, COUNT, MOVES, NAMES, NEW_ARRAYS
from benchmarks.tables.generated_block import ROOT, Block, UnusableError, add_options, update

PROGRAM = "speed_table"
SHORT_BLOCK = Block(PROGRAM, "speed table", "README.md")
LONG_BLOCK = Block(PROGRAM, "long speed table", "docs/PERFORMANCE.md")
RATIOS_BLOCK = Block(PROGRAM, "table of ratios", "docs/PERFORMANCE.md")
SHORT_HEAD = ("called from Python", "wrong cases", "contact, per second", "fresh stream, per second")
LONG_HEAD = ("engine", "call", "wrong cases", "calls/s", "contact", "race", "fresh stream")
RATIOS_HEAD = ("ratio", "best", "median")
DEFAULT_FILE = ROOT / "benchmarks" / "data" / "comparison.json"
NOT_MEASURED = "not measured"

Result = dict[str, Any]


def speed_texts(result: Result) -> dict[Block, str]:
    """Return the tables of all blocks.

    Parameters
    ----------
    result : dict
        JSON of `benchmarks.peers.compare`.

    Returns
    -------
    dict
        Markdown by block.

    Raises
    ------
    UnusableError
        If the result comes from a short run, which is too inaccurate to publish.
    """
    if result["quick"]:
        raise UnusableError("the result comes from a short run (--quick); expected a full run")
    writers = {SHORT_BLOCK: short_table, LONG_BLOCK: long_table, RATIOS_BLOCK: ratios_table}
    return {block: writer(result) for block, writer in writers.items()}


def short_table(result: Result) -> str:
    """Return the table of engines with rates in successors, and the conditions of the measurement."""
    machine = result["machine"]
    settings = result["settings"]
    rows = [_short_row(result, "bgfast", machine["bgfast"], "`bgfast.successors`", BATCH)]
    for engine in result["engines"]:
        if engine["unit"] == "successors":
            label = "`Position.plays`" if engine["name"] == "bgfast" else ""
            rows.append(_short_row(result, engine["name"], engine["version"], label, engine["called"]))
    note = (
        f"*Contact*: {settings['timed']:,} positions with all 21 rolls each; *fresh stream*: positions of"
        f" random games, one random roll each. {machine['cpu']}, {machine['python']}, bgfast on one thread;"
        f" best of {settings['repetitions']} repetitions."
    )
    return f"{table(SHORT_HEAD, rows)}\n\n{note}"


def long_table(result: Result) -> str:
    """Return the table with a row for each call, its legend, and the machine."""
    machine = result["machine"]
    settings = result["settings"]
    legend = (
        f"Rates are per second, the best of {settings['repetitions']} alternating repetitions."
        f" *Contact* and *race*: {settings['timed']:,} and {settings['timed_race']:,} positions with all 21"
        " rolls each; *fresh stream*: positions of random games, one random roll each"
        f" ({settings['stream']:,} in the batch calls, the first {settings['stream_for_engines']:,} of them"
        " in single calls). A wrong case is a position with a roll whose set of results differs from"
        " `bgfast.reference`; engines that are slow or need whole games were compared on fewer cases."
    )
    environment = (
        f"{machine['cpu']}, {machine['usable cores']} cores, load {machine['load']} before the run;"
        f" {machine['system']}; bgfast {machine['bgfast']} ({machine['build']}),"
        f" built with {machine['compiler']} and Cython {machine['cython']}; {machine['python']},"
        f" numpy {machine['numpy']}."
    )
    return f"{table(LONG_HEAD, list(_long_rows(result)))}\n\n{legend}\n\n{environment}"


def ratios_table(result: Result) -> str:
    """Return the table of ratios of best and of median times."""
    rows = [(entry["what"], ratio(entry["best"]), ratio(entry["median"])) for entry in result["ratios"]]
    return table(RATIOS_HEAD, rows)


def _short_row(result: Result, name: str, version: str, label: str, call: str) -> tuple[str, ...]:
    engine = f"{name} {version}, {label}" if label else f"{name} {version}"
    contact, stream = (_find(result, workload, name, call) for workload in (NAMES.contact, NAMES.stream))
    return (engine, _wrong_cases_cell(result, name), _units_cell(contact), _units_cell(stream))


def _long_rows(result: Result) -> Iterator[tuple[str, ...]]:
    version = result["machine"]["bgfast"]
    for call in (BATCH, NEW_ARRAYS, MOVES, COUNT):
        yield _long_row(result, "bgfast", version, call, "one for all")
    for engine in result["engines"]:
        yield _long_row(result, engine["name"], engine["version"], engine["called"], None)
    yield _long_row(result, "numpy", result["machine"]["numpy"], COPY, "one for all")
    for engine in result["missing"]:
        yield (engine["name"], "not installed", *[NOT_MEASURED] * (len(LONG_HEAD) - 2))


def _long_row(result: Result, name: str, version: str, call: str, calls: str | None) -> tuple[str, ...]:
    contact, race, stream = (
        _find(result, workload, name, call) for workload in (NAMES.contact, NAMES.race, NAMES.stream)
    )
    if calls is None:
        calls = rate(contact["calls_per_second"]) if contact else NOT_MEASURED
    return (
        f"{name} {version}",
        call,
        _wrong_cases_cell(result, name),
        calls,
        _units_cell(contact),
        _units_cell(race),
        _units_cell(stream),
    )


def _find(result: Result, workload: str, name: str, call: str) -> Result | None:
    for entry in result["speed"]:
        if (entry["workload"], entry["engine"], entry["what"]) == (workload, name, call):
            return dict(entry)
    return None


def _units_cell(entry: Result | None) -> str:
    return f"{rate(entry['units_per_second'])} {entry['unit']}" if entry else NOT_MEASURED


def _wrong_cases_cell(result: Result, name: str) -> str:
    entries = [entry for entry in result["correctness"] if entry["engine"] == name]
    if not entries:
        return "–"
    cases = sum(entry["cases"] for entry in entries)
    return f"{sum(entry['disagreements'] for entry in entries):,} of {cases:,}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the tables.

    Returns
    -------
    int
        0; 1 if `--check` finds a page out of date; 2 after an error.
    """
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "json",
        type=Path,
        nargs="?",
        default=DEFAULT_FILE,
        metavar="FILE",
        help="result of benchmarks.peers.compare",
    )
    add_options(parser)
    options = parser.parse_args(arguments)
    return update(
        options,
        PROGRAM,
        lambda: speed_texts(json.loads(options.json.read_text(encoding="utf-8"))),
        [options.json],
    )


if __name__ == "__main__":
    sys.exit(main())
