"""Count perft leaves and write the table to docs/SUITE.md.

``python -m benchmarks.tables.perft_table --count`` counts five positions to depth 4 (a few minutes) into
benchmarks/data/perft.json. Without ``--count`` the table is written from that file and from the checkpoint of
``bgfast perft start 5``; ``--check`` compares the page with these files.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bgfast
from benchmarks.peers.report import table
from benchmarks.tables.generated_block import ROOT, Block, add_options, update
from bgfast import Position
from bgfast.common.files import write_atomically

PROGRAM = "perft_table"
BLOCK = Block(PROGRAM, "perft table", "docs/SUITE.md")
POSITIONS = {
    "4HPwATDgc/ABMA": "start",
    "4Dl4ADbgOXgANg": "nackgammon",
    "v3sAAAhmdzMAAQ": "contact",
    "v90EAIC3BgAAAA": "race",
    "33sAADC2bQAAAA": "bear-off against ace point",
}
DEPTHS = (1, 2, 3, 4)
DATA = ROOT / "benchmarks" / "data" / "perft.json"
CHECKPOINT = ROOT / "benchmarks" / "data" / "perft_start_5.jsonl"
HEAD = ("position", "depth", "21 rolls", "36 rolls (doubles once, others twice)")


def count(threads: int) -> dict[str, Any]:
    """Count every row of the table, over 21 and over 36 rolls."""
    rows = []
    for gnubg_id in POSITIONS:
        position = Position.from_gnubg_id(gnubg_id)
        for depth in DEPTHS:
            leaves = bgfast.perft(position, depth, threads=threads)
            weighted_leaves = bgfast.perft(position, depth, weighted=True, threads=threads)
            rows.append(
                {"position": gnubg_id, "depth": depth, "21 rolls": leaves, "36 rolls": weighted_leaves}
            )
            print(f"{POSITIONS[gnubg_id]}, depth {depth}: {leaves:,} {weighted_leaves:,}", file=sys.stderr)
    return {"bgfast": bgfast.__version__, "rows": rows}


def perft_table(counts: dict[str, Any], checkpoint: list[dict[str, Any]]) -> str:
    return table(HEAD, list(_rows(counts, checkpoint)))


def checkpoint_leaves(checkpoint: list[dict[str, Any]]) -> int:
    """Return the leaf count of a finished checkpoint, assuming that no game ends before the parts begin.

    Raises
    ------
    ValueError
        If parts are missing.
    """
    header, *parts = checkpoint
    if len(parts) != header["job"]["parts"]:
        raise ValueError(f"{len(parts)} of {header['job']['parts']} parts are counted; expected all of them")
    return sum(sum(part["leaves"]) for part in parts)


def _rows(counts: dict[str, Any], checkpoint: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in counts["rows"]:
        name = POSITIONS[row["position"]]
        label = f"{name} `{row['position']}`" if row["depth"] == DEPTHS[0] else ""
        yield (label, str(row["depth"]), f"{row['21 rolls']:,}", f"{row['36 rolls']:,}")
        if name == "start" and row["depth"] == DEPTHS[-1]:
            leaves = f"{checkpoint_leaves(checkpoint):,}"
            yield ("", str(checkpoint[0]["job"]["depth"]), leaves, "not counted")


def main(arguments: Sequence[str] | None = None) -> int:
    """Count on request, then write or check the table; return the exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", action="store_true", help=f"count again and write {DATA.name}")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    add_options(parser)
    options = parser.parse_args(arguments)
    if options.count:
        write_atomically(DATA, (json.dumps(count(options.threads), indent=1) + "\n").encode("utf-8"))
    return update(
        options,
        PROGRAM,
        lambda: {BLOCK: perft_table(_read(DATA), _read_lines(CHECKPOINT))},
        [DATA, CHECKPOINT],
    )


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8")))


def _read_lines(file: Path) -> list[dict[str, Any]]:
    return [dict(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
