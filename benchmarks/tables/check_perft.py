"""Count a random part of a finished `bgfast perft --checkpoint` once more, split in another way.

``python -m benchmarks.tables.check_perft FILE --seed N`` takes one first roll at random (or ``--roll 55``)
and counts the leaves below it play by play and roll by roll, with the plain recursion: nothing is merged,
nothing remembered, and no part is the same as in the file. It prints both numbers; exit status 1 if they
differ.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.append(str(ROOT))

import numpy as np  # noqa: E402

import bgfast  # noqa: E402
from bgfast.batch.perft._perft import leaves_of_roll  # noqa: E402
from bgfast.common.rolls import ROLLS, roll_weight  # noqa: E402
from bgfast.common.threads import parallel_map  # noqa: E402
from bgfast.common.validation import generated_switches  # noqa: E402

Roll = tuple[int, int]


def recount(
    board: np.ndarray, first: Roll, depth: int, weighted: bool, threads: int, rules: bgfast.RuleSet
) -> int:
    """Return the leaves below a first roll, each of its plays and each second roll counted for itself."""
    switches = generated_switches(rules)
    children = bgfast.successors(board[None], first, rules=rules, flip=True, passes="keep").boards
    pieces = [(child, roll) for child in children for roll in ROLLS]

    def leaves(piece: tuple[np.ndarray, Roll]) -> int:
        child, roll = piece
        weight = roll_weight(roll) if weighted else 1
        return weight * leaves_of_roll(switches, child, *roll, depth - 1, weighted, True)

    total, started = 0, time.monotonic()
    for done, found in enumerate(parallel_map(leaves, pieces, threads), 1):
        total += found
        if done % len(ROLLS) == 0:
            taken = timedelta(seconds=round(time.monotonic() - started))
            print(f"  {done // len(ROLLS)} of {len(children)} plays, {taken}", file=sys.stderr, flush=True)
    return total


def main(words: Sequence[str] | None = None) -> int:
    """Check one first roll; return 0 if both numbers are the same, else 1."""
    parser = argparse.ArgumentParser(prog="check_perft", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", type=Path, metavar="FILE")
    parser.add_argument("--roll", choices=[f"{a}{b}" for a, b in ROLLS], metavar="ROLL", help="as 31")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="chooses the roll (0)")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    asked = parser.parse_args(words)
    header, *parts = map(json.loads, asked.checkpoint.read_text(encoding="utf-8").splitlines())
    job = header["job"]
    if len(parts) != job["parts"]:
        parser.error(f"{len(parts)} of {job['parts']} parts are counted; go on with them first")
    chosen = random.Random(asked.seed).randrange(len(ROLLS))
    if asked.roll is not None:
        chosen = ROLLS.index((int(asked.roll[0]), int(asked.roll[1])))
    first = ROLLS[chosen]
    # Games that end before the parts begin belong to none of them; so soon after the start there are none.
    kept = sum(part["leaves"][chosen] for part in parts)
    board = np.array(job["board"], np.int8)
    rules = bgfast.RuleSet(**job.get("rules", {}))
    again = recount(board, first, job["depth"], job["weighted"], asked.threads, rules)
    print(f"{first[0]}-{first[1]}, depth {job['depth']}: {kept} by parts, {again} by plays: ", end="")
    print("the same" if kept == again else "DIFFERENT")
    return int(kept != again)


if __name__ == "__main__":
    sys.exit(main())
