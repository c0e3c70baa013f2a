"""All positions with one or two checkers per side, and digests of their successors under each rule set.

``python -m tests.tools.exhaustive`` writes the digests of the reference to tests/data/exhaustive.json, one
per 4,000 positions, in a quarter of an hour. Tests compute the digests of the generator in seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations_with_replacement, islice, product
from pathlib import Path

import numpy as np

import bgfast
from bgfast import RuleSet, reference, successors
from tests.support.rule_cases import RULE_SETS

POSITION_COUNT = 106_552
PORTION_SIZE = 4000
DIGESTS = Path(__file__).parents[1] / "data" / "exhaustive.json"

Board = tuple[int, ...]


def boards() -> Iterator[Board]:
    """Yield every board with one or two checkers per side, including checkers on the bar."""
    sides = [side for n in (1, 2) for side in combinations_with_replacement(range(1, 26), n)]
    for own in sides:
        for opponent in sides:
            # The opponent's point q is the mover's 25 - q; the opponent's bar is index 0.
            opponent_points = [25 - point for point in opponent]
            if not set(own) & set(opponent_points):
                board = [0] * 26
                for point in own:
                    board[point] += 1
                for point in opponent_points:
                    board[point] -= 1
                yield tuple(board)


def portions() -> Iterator[list[Board]]:
    """Yield the boards in portions, one for each digest."""
    remaining = boards()
    while portion := list(islice(remaining, PORTION_SIZE)):
        yield portion


def digest(sizes: np.ndarray, rows: np.ndarray) -> str:
    """Return the digest of sets of boards: their sizes and set hashes (docs/SUITE.md)."""
    hashes = np.full(len(rows), 0xCBF29CE484222325, np.uint64)
    for column in np.ascontiguousarray(rows.T).view(np.uint8):
        hashes = (hashes ^ column) * np.uint64(0x100000001B3)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashes ^= hashes >> np.uint64(31)
    ends = np.cumsum(sizes, dtype=np.int64)
    sums = np.diff(np.concatenate([[np.uint64(0)], np.cumsum(hashes)])[[0, *ends]])
    return hashlib.sha256(ends.astype("<i8").tobytes() + sums.astype("<u8").tobytes()).hexdigest()[:16]


def generated_digest(portion: Sequence[Board], rules: RuleSet) -> str:
    plays = successors(np.array(portion, np.int8), "all", rules=rules)
    return digest(np.diff(plays.offsets), plays.boards)


def reference_digest(portion: Sequence[Board], rules: RuleSet) -> str:
    sets = [
        reference.legal_positions(board, *roll, rules=rules) for board, roll in product(portion, bgfast.ROLLS)
    ]
    rows = np.array([row for rows_of_set in sets for row in rows_of_set], np.int8).reshape(-1, 26)
    return digest(np.array(list(map(len, sets))), rows)


def reference_digests(rules: RuleSet) -> list[str]:
    """Return the reference's digests of all portions."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(partial(reference_digest, rules=rules), portions()))


if __name__ == "__main__":
    digests = {name: reference_digests(rules) for name, rules in RULE_SETS.items()}
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="ascii")
