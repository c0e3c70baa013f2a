"""Recount part of a finished ``bgfast perft --checkpoint`` by plain recursion.

``python -m benchmarks.tables.check_perft FILE --seed N`` takes a random first roll (or ``--roll 55``) and
counts the leaves below it for each play and second roll, without merging or caching positions and without
the counts in the file. It prints both counts; the exit status is 1 if they differ.
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

import numpy as np

import bgfast
from bgfast.batch._perft import leaves_of_roll
from bgfast.common.threads import parallel_map
from bgfast.common.validation import ROLLS, generator_switches, roll_weight

Roll = tuple[int, int]


def recount(
    board: np.ndarray, first_roll: Roll, depth: int, weighted: bool, threads: int, rules: bgfast.RuleSet
) -> int:
    """Return the leaves below a first roll, counted separately for each play and second roll."""
    switches = generator_switches(rules)
    children = bgfast.successors(board[None], first_roll, rules=rules, flip=True, passes="keep").boards
    tasks = [(child, roll) for child in children for roll in ROLLS]

    def count_leaves(task: tuple[np.ndarray, Roll]) -> int:
        child, roll = task
        weight = roll_weight(roll) if weighted else 1
        return weight * leaves_of_roll(switches, child, *roll, depth - 1, weighted, True)

    total, start_time = 0, time.monotonic()
    for index, leaves in enumerate(parallel_map(count_leaves, tasks, threads), 1):
        total += leaves
        if index % len(ROLLS) == 0:
            elapsed = timedelta(seconds=round(time.monotonic() - start_time))
            print(f"  {index // len(ROLLS)} of {len(children)} plays, {elapsed}", file=sys.stderr, flush=True)
    return total


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one first roll; return 0 if the two counts agree, else 1."""
    parser = argparse.ArgumentParser(prog="check_perft", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", type=Path, metavar="FILE")
    parser.add_argument(
        "--roll", choices=[f"{high}{low}" for high, low in ROLLS], metavar="ROLL", help="first roll, like 31"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random roll (0)")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    options = parser.parse_args(arguments)
    header, *parts = map(json.loads, options.checkpoint.read_text(encoding="utf-8").splitlines())
    job = header["job"]
    if len(parts) != job["parts"]:
        parser.error(f"{len(parts)} of {job['parts']} parts are counted; expected all of them")
    index = random.Random(options.seed).randrange(len(ROLLS))
    if options.roll is not None:
        index = ROLLS.index((int(options.roll[0]), int(options.roll[1])))
    roll = ROLLS[index]
    # The sum is complete only if no game ends before the depth at which the parts begin.
    part_sum = sum(part["leaves"][index] for part in parts)
    board = np.array(job["board"], np.int8)
    rules = bgfast.RuleSet(**job.get("rules", {}))
    play_sum = recount(board, roll, job["depth"], job["weighted"], options.threads, rules)
    print(f"{roll[0]}-{roll[1]}, depth {job['depth']}: {part_sum} by parts, {play_sum} by plays: ", end="")
    print("equal" if part_sum == play_sum else "DIFFERENT")
    return int(part_sum != play_sum)


if __name__ == "__main__":
    sys.exit(main())
