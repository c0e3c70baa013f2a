"""Cost of imports: ``python import_cost.py`` starts its interpreter 21 times with ``-X importtime``.

Prints the median time and the number of modules of each statement, without the interpreter's own imports.
"""

import statistics
import subprocess
import sys

STATEMENTS = [
    "import bgfast",
    "from bgfast import Position",
    "from bgfast import Network, rollout",
    "import numpy",
]
RUNS = 21


def module_times(statement):
    """Return each module's own time in microseconds."""
    command = [sys.executable, "-X", "importtime", "-c", statement]
    lines = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr.splitlines()
    rows = [line.removeprefix("import time:").split("|") for line in lines[1:]]
    return {name.strip(): int(own) for own, _, name in rows}


def main():
    """Print a line for each statement."""
    start = module_times("pass")
    for statement in STATEMENTS:
        runs = [module_times(statement) for _ in range(RUNS)]
        times = [sum(own for name, own in run.items() if name not in start) for run in runs]
        modules = len(runs[0].keys() - start.keys())
        print(f"{statement}: {statistics.median(times) / 1000:.1f} ms, {modules} modules")


if __name__ == "__main__":
    main()
