"""Write the README's speed table from the JSON of `benchmarks.peers.compare`; its numbers are never typed.

``python -m benchmarks.tables.speed_table FILE`` writes it; ``--check`` tells whether the README has it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.append(str(ROOT))

from benchmarks.peers.report import rate, table  # noqa: E402
from benchmarks.peers.workloads import BATCH, MOVES, NAMES  # noqa: E402
from benchmarks.tables.generated_block import Block, UnusableError  # noqa: E402

BLOCK = Block("speed_table", "speed table")
HEAD = ("engine", "call", "wrong cases", "calls/s", "contact", "fresh stream")
DEFAULT = ROOT / "benchmarks" / "data" / "comparison.json"


def speed_table(result: dict[str, Any]) -> str:
    """Return the table and what it was measured on.

    Parameters
    ----------
    result : dict
        What `benchmarks.peers.compare` wrote.

    Returns
    -------
    str
        Markdown.

    Raises
    ------
    UnusableError
        If it comes from a short run, whose numbers are for nobody else.
    """
    if result["quick"]:
        raise UnusableError("these numbers are of a short run (--quick)")
    about = result["machine"]
    settings = result["settings"]
    rows = list(_rows(result))
    said = (
        f"Per second, best of {settings['repetitions']} repetitions, in turn. *Contact*:"
        f" {settings['timed']:,} positions with all 21 rolls each; *fresh stream*: positions of random games,"
        " one random roll each. A wrong case is a position with a roll whose set of results is not that of"
        " `bgfast.reference`; engines that are slow or need whole games were compared on fewer."
    )
    made_on = (
        f"{about['cpu']}, {about['usable cores']} cores; {about['system']}; bgfast {about['bgfast']}"
        f" ({about['build']}), built with {about['compiler']} and Cython {about['cython']};"
        f" {about['python']}, numpy {about['numpy']}."
    )
    return f"{table(HEAD, rows)}\n\n{said}\n\n{made_on}"


def _rows(result: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for what in (BATCH, MOVES):
        yield _row(result, "bgfast", result["machine"]["bgfast"], what, single=False)
    for engine in result["engines"]:
        yield _row(result, engine["name"], engine["version"], engine["called"], single=True)
    for engine in result["missing"]:
        yield (engine["name"], "not installed", *["not measured"] * (len(HEAD) - 2))


def _row(result: dict[str, Any], name: str, version: str, what: str, single: bool) -> tuple[str, ...]:
    contact = _find(result, NAMES.contact, name, what)
    stream = _find(result, NAMES.stream, name, what)
    calls = "one for all" if not single else rate(contact["calls_per_second"]) if contact else "not measured"
    return (f"{name} {version}", what, _wrong(result, name), calls, _units(contact), _units(stream))


def _find(result: dict[str, Any], workload: str, name: str, what: str) -> dict[str, Any] | None:
    for entry in result["speed"]:
        if (entry["workload"], entry["engine"], entry["what"]) == (workload, name, what):
            return dict(entry)
    return None


def _units(entry: dict[str, Any] | None) -> str:
    return f"{rate(entry['units_per_second'])} {entry['unit']}" if entry else "not measured"


def _wrong(result: dict[str, Any], name: str) -> str:
    entries = [entry for entry in result["correctness"] if entry["engine"] == name]
    cases = sum(entry["cases"] for entry in entries)
    return f"{sum(entry['disagreements'] for entry in entries):,} of {cases:,}"


def main(words: Sequence[str] | None = None) -> int:
    """Write or check the table.

    Returns
    -------
    int
        0; 1 if `--check` finds another table; 2 if there is nothing to make it from.
    """
    parser = argparse.ArgumentParser(prog="speed_table", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "json", type=Path, nargs="?", default=DEFAULT, metavar="FILE", help="of benchmarks.peers.compare"
    )
    BLOCK.add_options(parser)
    asked = parser.parse_args(words)
    return BLOCK.update(
        asked, lambda: speed_table(json.loads(asked.json.read_text(encoding="utf-8"))), [asked.json]
    )


if __name__ == "__main__":
    sys.exit(main())
