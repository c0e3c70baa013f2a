"""What an import costs: ``python import_cost.py`` starts its own interpreter 21 times with ``-X importtime``.

Prints for each statement the median of the times, how much of it is NumPy's, and the number of modules; what
the interpreter imports by itself does not count.
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


def imported(statement):
    """Return each module's own time, and with that of what it imports, in microseconds."""
    command = [sys.executable, "-X", "importtime", "-c", statement]
    lines = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr.splitlines()
    rows = [line.removeprefix("import time:").split("|") for line in lines[1:]]
    return {name.strip(): (int(own), int(together)) for own, together, name in rows}


def main():
    """Print a line for each statement."""
    start = imported("pass")
    for statement in STATEMENTS:
        runs = [imported(statement) for _ in range(RUNS)]
        times = [sum(own for name, (own, _) in run.items() if name not in start) for run in runs]
        numpy = statistics.median(run.get("numpy", (0, 0))[1] for run in runs)
        modules = len(runs[0].keys() - start.keys())
        print(
            f"{statement}: {statistics.median(times) / 1000:.1f} ms, of which NumPy {numpy / 1000:.1f} ms;"
            f" {modules} modules"
        )


if __name__ == "__main__":
    main()
