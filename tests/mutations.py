"""Break the generator on purpose and see the tests fail: ``python -m tests.mutations``.

Each mutation is one change of the generator's source. In a copy of the project the generator is built with
it, and the quick tests must fail; a mutation that they let pass is a hole in the tests. Takes minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
GENERATOR = Path("bgfast/core/kernel.pxi")
COPIED = ["bgfast", "tests", "setup.py", "pyproject.toml", "README.md", "LICENSE"]
TESTS = ["tests/test_generator.py", "tests/test_perft.py", "tests/test_bulk.py"]
TIME_LIMIT = 300  # seconds; a mutation that never ends is found, too


class Mutation(NamedTuple):
    """A change of the generator: every place of `old` becomes `new`."""

    name: str
    old: str
    new: str


MUTATIONS = [
    Mutation(
        "drop the higher-die rule: the lower die may be played instead",
        "sources = _sources(root.own.one, dice.landings_a, a)\n    if sources:",
        "sources = _sources(root.own.one, dice.landings_a, a)\n"
        "    if sources and not _sources(root.own.one, dice.landings_b, b):",
    ),
    Mutation(
        "drop the higher-die rule at the bar",
        "    if by_a:\n        return _emit_one(sink, n, row_a",
        "    if by_a and not by_b:\n        return _emit_one(sink, n, row_a",
    ),
    Mutation(
        "list one-die plays beside those that use both",
        "        n = _bearing_off(sink, n, root, &dice)\n    if n:\n        return n\n",
        "        n = _bearing_off(sink, n, root, &dice)\n",
    ),
    Mutation(
        "prune before the dice filter: a play with both dice that ends like one with a single die is lost",
        "            if off == target and not hits & source:\n",
        "            if off == target and source in (_bearing(own, dice.a), _bearing(own, dice.b)):\n"
        "                continue\n"
        "            if off == target and not hits & source:\n",
    ),
    Mutation(
        "lose all plays where only one number can be played",
        "    if n:\n        return n\n    # Not both numbers",
        "    if n or True:\n        return n\n    # Not both numbers",
    ),
    Mutation(
        "forget a hit in a run",
        "row = bg_add(root.row, sink.tables.hit[p - dice.a])",
        "row = root.row",
    ),
    Mutation(
        "do not tell a run that hits from one that does not",
        "cdef uint32_t hitting_b = by_b & dice.hits_b",
        "cdef uint32_t hitting_b = by_b & dice.hits_b & ~quiet",
    ),
    Mutation(
        "hit the same blot twice with two dice",
        "dice.hits_b & ~((source >> dice.a) << dice.b)",
        "dice.hits_b",
    ),
    Mutation("hit the same blot twice with doubles", "hits & ~source", "hits"),
    Mutation(
        "hit the same blot twice when entering",
        "dice.hits_b & ~((BAR_BIT >> dice.a) << dice.b)",
        "dice.hits_b",
    ),
    Mutation(
        "allow bear-off past a rear checker",
        "        return own & (landings | exact)\n",
        "        return own & (landings | exact | ((exact << 1) - 1))\n",
    ),
    Mutation(
        "allow bear-off past a rear checker with the second die",
        "if own == 0 or own & ~((exact << 1) - 1):",
        "if own == 0:",
    ),
    Mutation("take point 7 for home", "OUTSIDE = 0x03FFFF80", "OUTSIDE = 0x03FFFF00"),
    Mutation(
        "cap the list at 1,024",
        "    cdef int left = total\n",
        "    cdef int left = total\n    if n + total > 1024:\n        return n\n",
    ),
    Mutation(
        "land on points that two hold", "blocked = ~bg_greater(row, -2)", "blocked = ~bg_greater(row, -3)"
    ),
    Mutation("never hit anything", "root.blots = opponent", "root.blots = 0 & opponent"),
    Mutation(
        "move on with one checker still on the bar",
        "if root.own.two & BAR_BIT:",
        "if root.own.three & BAR_BIT:",
    ),
    Mutation("enter at most one checker with doubles", "BAR_BIT and slot < 4", "BAR_BIT and slot < 1"),
    Mutation(
        "do not fall back when no play uses all four dice",
        "while n == 0 and moves > 0:",
        "while n == 0 and moves == 4 - slot and moves > 0:",
    ),
    Mutation(
        "lose the play that only enters",
        "    if n == 0 and slot:   # nothing but the entries\n",
        "    if n == 0 and slot > 4:\n",
    ),
    Mutation("list a checker's run-off twice", "elif run_off & source:", "elif run_off & source & 0:"),
    Mutation(
        "take a run-off that hits for one that does not",
        "if off == target and not hits & source:",
        "if off == target:",
    ),
    Mutation(
        "list a run over an own point as a pair, too",
        "(source >> dice.a) | (source << dice.b)",
        "(source >> dice.a)",
    ),
    Mutation("move one checker twice", "| (source & ~root.own.two))", ")"),
    Mutation("forget that both can go off", "    if outside == 0:\n", "    if outside == 0 and n:\n"),
    Mutation(
        "bear off before the last checker is home",
        "            if (first >> die) & OUTSIDE:\n                continue\n",
        "",
    ),
    Mutation(
        "count two dice wrongly",
        "            - bg_popcount(first & (second >> dice.b))\n",
        "",
    ),
    Mutation(
        "count doubles wrongly",
        "(sources >> roll.die) & ~own.one & roll.landings)",
        "(sources >> roll.die) & roll.landings)",
    ),
    Mutation(
        "count doubles in closed form when a bear-off is near",
        "if outside & (outside - 1) or own.two & OUTSIDE:",
        "if outside:",
    ),
    Mutation(
        "forget the third checker of a point",
        "after.two = (own.two & (~source | own.three)) | (target & own.one)",
        "after.two = (own.two & ~source) | (target & own.one)",
    ),
    Mutation(
        "forget the fourth checker of a point",
        "after.three = (own.three & (~source | own.four)) | (target & own.two)",
        "after.three = (own.three & ~source) | (target & own.two)",
    ),
    Mutation("give the wrong stop of a run", "if (quiet_a >> p) & 1 else", "if True else"),
    Mutation(
        "give flipped rows in the mover's tables",
        "&FROM_NEXT if flip else &FROM_MOVER",
        "&FROM_MOVER if flip else &FROM_MOVER",
    ),
    Mutation(
        "store rows of a batch behind its room",
        "    if room < SLACK_ROWS + (MAX_SUCCESSORS if die1 == die2 else MAX_SUCCESSORS_TWO_DICE):\n",
        "    if room < 1:\n",
    ),
    Mutation(
        "write more rows than there is room for",
        "    if n > room:\n        return -1\n",
        "    if n > room:\n        n = room\n",
    ),
    Mutation(
        "keep a row of a finished game",
        "    if n == 0 and batch.keep_passes and not root.over:\n",
        "    if n == 0 and batch.keep_passes:\n",
    ),
    Mutation(
        "list plays of a finished game", "root.over = root.own.one == 0 or opponent == 0", "root.over = False"
    ),
]


def build(copy: Path) -> None:
    """Build the extensions of the copy in place."""
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=copy, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"the build failed:\n{done.stdout}{done.stderr}")


def verdict(copy: Path) -> str | None:
    """Run the quick tests in the copy; return what failed first, or None if nothing did."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *TESTS],
            cwd=copy,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            env={
                **os.environ,
                "PYTHONPATH": str(copy),
                "PYTHONDONTWRITEBYTECODE": "1",
                "BGFAST_CPU": "portable",
            },
        )
    except subprocess.TimeoutExpired:
        return f"no end within {TIME_LIMIT} s"
    if done.returncode == 0:
        return None
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    if not failed and done.returncode > 0:
        sys.exit(f"the tests did not run:\n{done.stdout}{done.stderr}")
    return failed[0].removeprefix("FAILED ") if failed else f"crashed with status {done.returncode}"


def main() -> int:
    """Try every mutation; return 1 if the tests let one pass."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="only mutations whose name has these words"
    )
    only = parser.parse_args().only
    source = (ROOT / GENERATOR).read_text(encoding="utf-8")
    chosen = [mutation for mutation in MUTATIONS if only in mutation.name]
    survived = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            path = ROOT / name
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, copy / name)
        # One build of the generator is enough, and half the time.
        setup = (copy / "setup.py").read_text(encoding="utf-8")
        (copy / "setup.py").write_text(setup.replace('    "bgfast.core.x86_v3",\n', ""), encoding="utf-8")
        build(copy)
        unbroken = verdict(copy)
        if unbroken:
            sys.exit(f"the tests fail without any mutation: {unbroken}")
        for mutation in chosen:
            if mutation.old not in source:
                sys.exit(
                    f"{mutation.name}: {mutation.old!r} is not in {GENERATOR}; the list follows the code"
                )
            (copy / GENERATOR).write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
            build(copy)
            failed = verdict(copy)
            print(f"{'caught  ' if failed else 'SURVIVED'}  {mutation.name}  [{failed}]", flush=True)
            if not failed:
                survived.append(mutation.name)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} mutations caught")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
