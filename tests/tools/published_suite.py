"""Write the published suite from its sources: ``python -m tests.tools.published_suite FILE``.

The sources are tests/data/rule_positions.txt and tricky_positions.json, the seed and `PERFT_POSITIONS`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bgfast import Position, perft
from bgfast.conformance.suite.suite_building import PUBLISHED_SEED, random_cases
from bgfast.conformance.suite.suite_file import PerftLine, Suite, suite_bytes
from tests.support.rule_cases import RULE_SETS, suite_cases

PERFT_POSITIONS = {
    "start": "4HPwATDgc/ABMA",
    "nackgammon": "4Dl4ADbgOXgANg",
    "contact": "v3sAAAhmdzMAAQ",
    "race": "v90EAIC3BgAAAA",
    "bearoff": "33sAADC2bQAAAA",
}


def perft_lines() -> Iterator[PerftLine]:
    for rules, rule_set in RULE_SETS.items():
        for name, position in ((name, Position(text)) for name, text in PERFT_POSITIONS.items()):
            for depth in range(1, 4 if rules == "standard" else 3):
                over_21, over_36 = (
                    perft(position, depth, rules=rule_set, weighted=weighted) for weighted in (False, True)
                )
                line_name = f"perft-{name}-{rules}-{depth}"
                yield PerftLine(line_name, "perft", rules, tuple(position), depth, (over_21, over_36))


def published_suite() -> Suite:
    cases = *suite_cases(), *random_cases(PUBLISHED_SEED, RULE_SETS, lambda fraction: None)
    return Suite(PUBLISHED_SEED, RULE_SETS, cases, tuple(perft_lines()))


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(suite_bytes(published_suite()))
