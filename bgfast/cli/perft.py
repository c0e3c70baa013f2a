"""``bgfast perft``: number of positions after a number of plies."""

from __future__ import annotations

import argparse
import re
import time
from typing import Any

from bgfast.batch.perft import leaves_by_roll, total_leaves
from bgfast.cli.options import parse_position
from bgfast.cli.parser import print_result
from bgfast.cli.progress import Progress
from bgfast.cli.streams import complain
from bgfast.common.validation import ROLLS, roll_weight
from bgfast.errors import BgfastError, short_repr

HELP = """
usage: [POSITION] DEPTH

DEPTH: 0 to 9 plays. A pass is one child; a finished game is one leaf.

--json --checkers --rules --quiet
--weighted         sum over the 36 ordered rolls, not the 21
--threads
--checkpoint FILE  store finished parts in FILE and resume (DEPTH 4 or more)

example: bgfast perft start 3 --threads 2
"""
SUGGESTIONS = dict.fromkeys(("--depth", "--ply", "--plies"), ("the depth after the position, as in start 2",))
SUGGESTIONS |= {"--per-roll": ("nothing: the counts of each roll are printed",)}


def run(arguments: argparse.Namespace) -> None:
    """Print the leaf count of each first roll as soon as it is known, and then the total."""
    text = parse_position(arguments)
    depth_text, weighted = " ".join(text.rest), arguments.weighted
    if not re.fullmatch(r"[0-9]", depth_text, re.ASCII):
        problem = f"the depth is {short_repr(depth_text)}" if depth_text else "no depth given"
        raise BgfastError(f"{problem}; expected a whole number from 0 to 9")
    depth = int(depth_text)
    started = time.perf_counter()
    rows: list[dict[str, Any]] = []
    with Progress(f"perft {depth}", quiet=arguments.quiet) as progress:
        leaf_counts = leaves_by_roll(
            text.position,
            depth,
            weighted=weighted,
            rules=arguments.rules,
            threads=arguments.threads,
            progress=progress,
            checkpoint=arguments.checkpoint,
        )
        try:
            for roll, leaves in leaf_counts:
                weight = roll_weight(roll) if weighted else 1
                rows.append({"roll": roll, "weight": weight, "leaves": leaves})
                if not arguments.json:
                    progress.clear()
                    factor = f"  x {weight}" if weighted else ""
                    print(f"{roll[0]}-{roll[1]}  {leaves:20}{factor}", flush=True)
        except KeyboardInterrupt:
            if (file := arguments.checkpoint) is not None:
                complain(f"bgfast: finished parts are in {file}; the same command resumes")
            else:
                complain(f"bgfast: no total yet: {len(rows)} of {len(ROLLS)} first rolls are counted")
            raise
    total = total_leaves([(row["roll"], row["leaves"]) for row in rows], weighted=weighted)
    seconds = time.perf_counter() - started
    job = {"position": text.position.gnubg_id, "depth": depth, "weighted": weighted, "rules": arguments.rules}
    times = {"seconds": seconds, "nodes_per_second": total / seconds}
    timing = f"{seconds:.3f} s, {total / seconds:,.0f} nodes/s"
    print_result(arguments, {**job, "rolls": rows, "total": total, **times}, f"total{total:20}", timing)
