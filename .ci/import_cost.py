"""Measure import statements: ``python import_cost.py``.

Prints the median time and the number of modules of each statement, over 21 runs with ``-X importtime``. The
modules that the interpreter imports at startup are not counted.
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
    """Return the time of each imported module in microseconds, without the modules that it imports."""
    command = [sys.executable, "-X", "importtime", "-c", statement]
    lines = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr.splitlines()
    rows = [line.removeprefix("import time:").split("|") for line in lines[1:]]
    return {name.strip(): int(time) for time, _, name in rows}


def main():
    """Print a line for each statement."""
    startup = module_times("pass")
    for statement in STATEMENTS:
        runs = [module_times(statement) for _ in range(RUNS)]
        times = [sum(time for name, time in run.items() if name not in startup) for run in runs]
        module_count = len(runs[0].keys() - startup.keys())
        print(f"{statement}: {statistics.median(times) / 1000:.1f} ms, {module_count} modules")


if __name__ == "__main__":
    main()
