"""Every position with one or two checkers a side, every ordered roll: ``python -m tests.tools.exhaustive``.

No sampling: 106,552 positions and 36 rolls each, generator against reference. Takes minutes.
With ``--rules NAME`` the results of the 21 rolls under another rule set.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np

import bgfast
from bgfast import STANDARD, RuleSet, reference, successors
from tests.support.comparison import problems
from tests.support.rule_cases import RULE_SETS

POSITIONS = 106_552
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
CHUNK = 500

Board = tuple[int, ...]


def boards() -> Iterator[Board]:
    """Yield every board on which each side has one or two checkers, the bars included."""
    sides = [side for n in (1, 2) for side in combinations_with_replacement(range(1, 26), n)]
    for own in sides:
        for opponent in sides:
            # The opponent's own point q is the mover's 25 - q; his bar is index 0.
            seen = [25 - point for point in opponent]
            if not set(own) & set(seen):
                board = [0] * 26
                for point in own:
                    board[point] += 1
                for point in seen:
                    board[point] -= 1
                yield tuple(board)


def compared(chunk: Sequence[Board]) -> tuple[int, list[str]]:
    """Compare everything on all ordered rolls; return the number of cases and the failures."""
    failures = []
    cases = 0
    for board in chunk:
        for roll in ROLLS:
            # Looks at both orders of the dice; the reference takes them in either order by its definition.
            cases += 1 if roll[0] == roll[1] else 2
            failures += [f"{board} {roll}: {wrong}" for wrong in problems(board, roll)]
    return cases, failures


def results_compared(chunk: Sequence[Board], rules: RuleSet) -> tuple[int, list[str]]:
    """Compare the results on the 21 rolls, which is all that can be afforded for many rule sets."""
    found = successors(np.array(chunk, np.int8), "all", rules=rules)
    segments = np.split(found.boards, found.offsets[1:-1])
    failures = []
    for (board, roll), rows in zip(product(chunk, bgfast.ROLLS), segments, strict=True):
        results = list(map(tuple, rows.tolist()))
        expected = reference.legal_positions(board, *roll, rules=rules)
        if len(results) != len(expected) or set(results) != expected:
            failures.append(f"{board} {roll} {rules}: {len(results)} results, expected {len(expected)}")
    return len(segments), failures


def chunks() -> Iterator[list[Board]]:
    """Yield the boards in portions for one task each."""
    portion: list[Board] = []
    for board in boards():
        portion.append(board)
        if len(portion) == CHUNK:
            yield portion
            portion = []
    yield portion


def run(jobs: int, rules: RuleSet = STANDARD) -> tuple[int, list[str]]:
    """Compare everything, the results alone under other rules; return how many cases, and the failures."""
    cases = 0
    failures: list[str] = []
    task = compared if rules == STANDARD else partial(results_compared, rules=rules)
    with ProcessPoolExecutor(jobs) as pool:
        for done, wrong in pool.map(task, chunks()):
            cases += done
            failures += wrong
    return cases, failures


def main() -> int:
    """Run everything and return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.exhaustive", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--rules", choices=RULE_SETS, default="standard")
    asked = parser.parse_args()
    started = time.monotonic()
    cases, failures = run(asked.jobs, RULE_SETS[asked.rules])
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    print(f"{cases} cases compared in {time.monotonic() - started:.0f} s: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
