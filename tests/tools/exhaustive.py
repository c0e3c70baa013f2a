"""Comparison of generator and reference in all positions with one or two checkers a side.

``python -m tests.tools.exhaustive`` compares 106,552 positions with all 36 ordered rolls, in minutes;
``--rules NAME`` compares the results of the 21 rolls under another rule set.

Digests of the reference's results, one for 4,000 positions, let tests compare the generator in seconds;
``--write`` writes those of all rule sets.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations_with_replacement, islice, product
from pathlib import Path

import numpy as np

import bgfast
from bgfast import STANDARD, RuleSet, reference, successors
from tests.support.comparison import problems
from tests.support.rule_cases import RULE_SETS

POSITIONS = 106_552
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
CHUNK = 500
PORTION = 4000
DIGESTS = Path(__file__).parents[1] / "data" / "exhaustive.json"

Board = tuple[int, ...]


def boards() -> Iterator[Board]:
    """Yield every board on which each side has one or two checkers, the bars included."""
    sides = [side for n in (1, 2) for side in combinations_with_replacement(range(1, 26), n)]
    for own in sides:
        for opponent in sides:
            # The opponent's point q is the mover's 25 - q; the opponent's bar is index 0.
            opponent_points = [25 - point for point in opponent]
            if not set(own) & set(opponent_points):
                board = [0] * 26
                for point in own:
                    board[point] += 1
                for point in opponent_points:
                    board[point] -= 1
                yield tuple(board)


def compare_all(chunk: Sequence[Board]) -> tuple[int, list[str]]:
    """Compare everything on all ordered rolls; return the number of cases and the failures."""
    failures = []
    cases = 0
    for board in chunk:
        for roll in ROLLS:
            # Both orders of the dice; the reference does not depend on the order.
            cases += 1 if roll[0] == roll[1] else 2
            failures += [f"{board} {roll}: {wrong}" for wrong in problems(board, roll)]
    return cases, failures


def compare_results(chunk: Sequence[Board], rules: RuleSet) -> tuple[int, list[str]]:
    """Compare the results of the 21 rolls."""
    plays = successors(np.array(chunk, np.int8), "all", rules=rules)
    segments = np.split(plays.boards, plays.offsets[1:-1])
    failures = []
    for (board, roll), rows in zip(product(chunk, bgfast.ROLLS), segments, strict=True):
        results = list(map(tuple, rows.tolist()))
        expected = reference.legal_positions(board, *roll, rules=rules)
        if len(results) != len(expected) or set(results) != expected:
            failures.append(f"{board} {roll} {rules}: {len(results)} results, expected {len(expected)}")
    return len(segments), failures


def chunks(size: int = CHUNK) -> Iterator[list[Board]]:
    """Yield the boards in portions."""
    everything = boards()
    while portion := list(islice(everything, size)):
        yield portion


def digest(sizes: np.ndarray, rows: np.ndarray) -> str:
    """Return the digest of sets of boards: their sizes and set hashes (docs/SUITE.md)."""
    value = np.full(len(rows), 0xCBF29CE484222325, np.uint64)
    for column in np.ascontiguousarray(rows.T).view(np.uint8):
        value = (value ^ column) * np.uint64(0x100000001B3)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    ends = np.cumsum(sizes, dtype=np.int64)
    sums = np.diff(np.concatenate([[np.uint64(0)], np.cumsum(value)])[[0, *ends]])
    return hashlib.sha256(ends.astype("<i8").tobytes() + sums.astype("<u8").tobytes()).hexdigest()[:16]


def generated_digest(portion: Sequence[Board], rules: RuleSet) -> str:
    """Return the digest of the generator's boards."""
    plays = successors(np.array(portion, np.int8), "all", rules=rules)
    return digest(np.diff(plays.offsets), plays.boards)


def reference_digest(portion: Sequence[Board], rules: RuleSet) -> str:
    """Return the digest of the reference's boards."""
    sets = [
        reference.legal_positions(board, *roll, rules=rules) for board, roll in product(portion, bgfast.ROLLS)
    ]
    rows = np.array([row for rows_of_set in sets for row in rows_of_set], np.int8).reshape(-1, 26)
    return digest(np.array(list(map(len, sets))), rows)


def write_digests(jobs: int) -> None:
    """Write the digests of all rule sets; takes a quarter of an hour."""
    with ProcessPoolExecutor(jobs) as pool:
        digests = {
            name: list(pool.map(partial(reference_digest, rules=rules), chunks(PORTION)))
            for name, rules in RULE_SETS.items()
        }
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="ascii")


def run(jobs: int, rules: RuleSet = STANDARD) -> tuple[int, list[str]]:
    """Compare all positions; return the number of cases and the failures."""
    cases = 0
    failures: list[str] = []
    task = compare_all if rules == STANDARD else partial(compare_results, rules=rules)
    with ProcessPoolExecutor(jobs) as pool:
        for done, wrong in pool.map(task, chunks()):
            cases += done
            failures += wrong
    return cases, failures


def main() -> int:
    """Run the comparison; return 1 after failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.exhaustive", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--rules", choices=RULE_SETS, default="standard")
    parser.add_argument("--write", action="store_true", help="write the digests of all rule sets")
    options = parser.parse_args()
    if options.write:
        write_digests(options.jobs)
        return 0
    started = time.monotonic()
    cases, failures = run(options.jobs, RULE_SETS[options.rules])
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    print(f"{cases} cases compared in {time.monotonic() - started:.0f} s: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
