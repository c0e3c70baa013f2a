"""Comparison of executed instructions of two builds: ``instructions.py TREE TREE -- COMMAND ... SITE``.

The command starts Python under an emulator whose plugin prints the number of executed instructions; SITE has
its packages. The instructions of the start are subtracted. Fails if the first build needs more.
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
many = np.tile(boards, (20, 1))  # for short calls, which the varying cost of a start would hide
out = np.empty((200_000, 26), np.int8)
network = bgfast.Network.random(128, seed=1)  # the same in both trees
dice = np.random.default_rng(1).integers(1, 7, (300, 2)).astype(np.int8)
calls = {
    "successors": lambda: bgfast.successors(boards, "all", out=out),
    "with moves": lambda: bgfast.successors(boards, "all", moves=True),
    "counting": lambda: bgfast.count_successors(many, "all"),
    "encode_tdgammon": lambda: bgfast.encode_tdgammon(many),
    "Network.evaluate": lambda: network.evaluate(many),
    "Network.best_successors": lambda: network.best_successors(boards, dice),
}
call = calls[sys.argv[1]]
for _ in range(int(sys.argv[2])):
    call()
if sys.argv[2] == "0":
    print(*calls, sep=",")
"""


def run(tree, command, site, name, times):
    """Return the output and the number of instructions."""
    environment = dict(os.environ, PYTHONPATH=f"{tree}:{site}", PYTHONHASHSEED="0", OPENBLAS_NUM_THREADS="1")
    completed = subprocess.run(
        [*command, "-c", PROGRAM, name, str(times)], env=environment, capture_output=True, text=True, cwd=tree
    )
    match = re.search(r"^instructions (\d+)$", completed.stderr, re.MULTILINE)
    if not match:
        raise SystemExit(completed.stderr)
    return completed.stdout, int(match[1])


def main(arguments):
    """Print a line for each call; return 1 if the first build needs more instructions for one."""
    trees, command = arguments[:2], arguments[3:-1]
    names = run(trees[0], command, arguments[-1], "counting", 0)[0].strip().split(",")
    is_slower = False
    for name in names:
        counts = []
        for tree in trees:
            few, many = (run(tree, command, arguments[-1], name, times)[1] for times in (1, 41))
            counts.append((many - few) // 40)
        print(f"{name}: {counts[0]:,} instead of {counts[1]:,} instructions, {counts[0] / counts[1]:.2f}")
        is_slower |= counts[0] > counts[1]
    return int(is_slower)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
