"""Generate `benchmarks/data/counts.json`: ``python -m benchmarks.speed.make_counts`` (takes seconds).

The file has the numbers of successors according to `bgfast.reference`, which shares no code with the measured
functions. Benchmarks check their totals against these counts.
"""

from __future__ import annotations

import json
import sys

from benchmarks.positions import read_samples
from benchmarks.speed.cases import COUNTS_FILE, POSITIONS_PER_SET, SET_NAMES
from bgfast import ROLLS, reference
from bgfast.common.files import write_atomically


def counts(set_name: str, count: int = POSITIONS_PER_SET) -> list[list[int]]:
    """Return the numbers of successors of a set's first positions, with each of `ROLLS`."""
    return [
        [len(reference.legal_positions(sample.board, *roll)) for roll in ROLLS]
        for sample in read_samples(set_name, count)
    ]


def main() -> int:
    """Write the file, one position per line."""
    parts = []
    for set_name in SET_NAMES:
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in counts(set_name))
        parts.append(f'"{set_name}": [\n{rows}\n]')
        print(f"{set_name}: {POSITIONS_PER_SET} positions", file=sys.stderr)
    write_atomically(COUNTS_FILE, ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
