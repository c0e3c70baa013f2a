"""Compare two builds by executed instructions: ``instructions.py TREE TREE -- COMMAND ... SITE``.

COMMAND starts Python under an emulator whose plugin prints the number of executed instructions; SITE is the
folder of Python's packages. Instructions of the startup are subtracted.
"""

import os
import re
import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import bgfast
boards = bgfast.random_positions(300, 5, phase="contact")
large_batch = np.tile(boards, (20, 1))  # for short calls, which variations of the startup would hide
out = np.empty((200_000, 26), np.int8)
network = bgfast.Network.random(128, seed=1)  # the same in both trees
dice = np.random.default_rng(1).integers(1, 7, (300, 2)).astype(np.int8)
calls = {
    "successors": lambda: bgfast.successors(boards, "all", out=out),
    "successors with moves": lambda: bgfast.successors(boards, "all", moves=True),
    "count_successors": lambda: bgfast.count_successors(large_batch, "all"),
    "encode_tdgammon": lambda: bgfast.encode_tdgammon(large_batch),
    "Network.evaluate": lambda: network.evaluate(large_batch),
    "Network.best_successors": lambda: network.best_successors(boards, dice),
}
call = calls[sys.argv[1]]
for _ in range(int(sys.argv[2])):
    call()
if sys.argv[2] == "0":
    print(*calls, sep=",")
"""


def run(tree, command, site, name, runs):
    """Return the output and the number of instructions of a process that repeats a call."""
    environment = dict(os.environ, PYTHONPATH=f"{tree}:{site}", PYTHONHASHSEED="0", OPENBLAS_NUM_THREADS="1")
    completed = subprocess.run(
        [*command, "-c", PROGRAM, name, str(runs)], env=environment, capture_output=True, text=True, cwd=tree
    )
    match = re.search(r"^instructions (\d+)$", completed.stderr, re.MULTILINE)
    if not match:
        raise SystemExit(completed.stderr)
    return completed.stdout, int(match[1])


def main(arguments):
    """Print a line for each call; return 1 if the first build needs more instructions for any."""
    trees, command, site = arguments[:2], arguments[3:-1], arguments[-1]
    names = run(trees[0], command, site, "successors", 0)[0].strip().split(",")
    is_slower = False
    for name in names:
        counts = []
        for tree in trees:
            one_run, all_runs = (run(tree, command, site, name, runs)[1] for runs in (1, 41))
            counts.append((all_runs - one_run) // 40)
        print(f"{name}: {counts[0]:,} instead of {counts[1]:,} instructions, {counts[0] / counts[1]:.2f}")
        is_slower |= counts[0] > counts[1]
    return int(is_slower)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
