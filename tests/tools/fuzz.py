"""Fuzz the generator against the reference: ``python -m tests.tools.fuzz --cases N --seed S``.

A case is a position with an ordered roll. Positions come from `tests.support.positions`; each is tested
with all 36 ordered rolls. With ``--rules`` the rules are random. Failures are printed and appended to a
file, which the test suite replays.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from bgfast import STANDARD, RuleSet, reference
from bgfast.common.validation import GENERATOR_SWITCHES
from tests.support.comparison import problems
from tests.support.positions import ORDERED_ROLLS, random_board
from tests.support.rule_cases import random_rules

KEPT_CASES = Path(__file__).parents[1] / "data" / "kept_cases.jsonl"
CHUNK_SIZE = 20  # positions per task


def compare_chunk(seed: int, chunk: int, any_rules: bool = False) -> tuple[int, list[dict[str, Any]]]:
    """Compare a chunk of positions; return the number of cases and the failures."""
    rng = random.Random(f"{seed}/{chunk}")
    failures = []
    cases = 0
    for _ in range(CHUNK_SIZE):
        board = random_board(rng)
        rules = random_rules(rng) if any_rules else STANDARD
        # The tests of the reference assert that it ignores the order of the dice.
        expected = {
            roll: reference.legal_positions(board, *roll, rules=rules)
            for roll in ORDERED_ROLLS
            if roll[0] >= roll[1]
        }
        for roll in ORDERED_ROLLS:
            cases += 1
            errors = problems(board, roll, expected[max(roll), min(roll)], rules)
            if errors:
                failures.append({"board": board, "roll": roll, "rules": switches(rules), "errors": errors})
    return cases, failures


def switches(rules: RuleSet) -> dict[str, Any]:
    """Return the switches that affect plays, as JSON values."""
    return {name: getattr(rules, name) for name in GENERATOR_SWITCHES}


def run(
    cases: int, seed: int, jobs: int, any_rules: bool = False
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Compare at least `cases` cases; yield the number of cases and the failures of each chunk."""
    chunks = -(-cases // (CHUNK_SIZE * len(ORDERED_ROLLS)))
    if jobs == 1:
        yield from (compare_chunk(seed, chunk, any_rules) for chunk in range(chunks))
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(compare_chunk, [seed] * chunks, range(chunks), [any_rules] * chunks, chunksize=4)


def store_failures(failures: Sequence[dict[str, Any]], path: Path) -> None:
    with path.open("a", encoding="ascii") as file:
        for failure in failures:
            case = {name: failure[name] for name in ("board", "roll", "rules")}
            file.write(json.dumps(case) + "\n")


def kept_cases(path: Path = KEPT_CASES) -> list[tuple[tuple[int, ...], tuple[int, int], RuleSet]]:
    """Return the board, roll and rules of every stored case."""
    if not path.exists():
        return []
    cases = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    return [
        (tuple(case["board"]), (case["roll"][0], case["roll"][1]), RuleSet(**case["rules"])) for case in cases
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the fuzzer; return 1 if there are failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="number of (position, ordered roll) cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--rules", action="store_true", help="use random rules instead of the standard rules")
    parser.add_argument("--keep", type=Path, default=KEPT_CASES, help="file to which failures are appended")
    arguments = parser.parse_args(argv)
    case_count = failure_count = 0
    for cases, failures in run(arguments.cases, arguments.seed, arguments.jobs, arguments.rules):
        case_count += cases
        failure_count += len(failures)
        store_failures(failures, arguments.keep)
        for failure in failures:
            print(f"FAILED {failure}", flush=True)
    print(f"{case_count} cases compared, seed {arguments.seed}: {failure_count} failed")
    return 1 if failure_count else 0


if __name__ == "__main__":
    sys.exit(main())
