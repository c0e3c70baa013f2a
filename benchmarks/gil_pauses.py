"""Longest pauses of a second thread while a match is analysed: ``python -m benchmarks.gil_pauses MATCH...``.

The main thread wakes up as often as it can. The processor time between two of its steps is an upper bound of
the time for which the analysis holds the GIL. Measure on an idle machine, where the thread need not wait for
a core.
"""

from __future__ import annotations

import argparse
import threading
import time

import bgfast

STEP_SECONDS = 0.0002


def longest_pauses(match: bgfast.Match, count: int = 3) -> list[float]:
    """Return the longest pauses during the analysis of a match, in seconds, longest first."""
    worker = threading.Thread(target=bgfast.analyse_match, args=(match,))
    pauses = []
    worker.start()
    previous = time.process_time()
    while worker.is_alive():
        time.sleep(STEP_SECONDS)
        now = time.process_time()
        pauses.append(now - previous)
        previous = now
    worker.join()
    return sorted(pauses, reverse=True)[:count]


def main() -> None:
    """Print the longest pauses of each match, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("matches", nargs="+", metavar="MATCH", help="recorded matches")
    for name in parser.parse_args().matches:
        pauses = longest_pauses(bgfast.load_match(name))
        print(name, *(f"{1000 * pause:.1f}" for pause in pauses), "ms")


if __name__ == "__main__":
    main()
