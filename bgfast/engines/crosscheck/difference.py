"""Comparison of an engine's list of successors with the legal ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import Board


class Difference(NamedTuple):
    """Difference between a list of successors and the legal ones; distinct, sorted, from the mover's side."""

    missing: tuple[Board, ...]
    illegal: tuple[Board, ...]
    repeated: tuple[Board, ...]

    @property
    def is_empty(self) -> bool:
        """True if the two lists agree."""
        return not (self.missing or self.illegal or self.repeated)


def difference(listed: Sequence[Board], legal: Sequence[Board], *, distinct: bool) -> Difference:
    """Compare an engine's list with the legal one; `distinct` is true if it promises no repetitions."""
    counts = Counter(listed)
    legal_boards = set(legal)
    return Difference(
        missing=tuple(sorted(legal_boards - counts.keys())),
        illegal=tuple(sorted(counts.keys() - legal_boards)),
        repeated=tuple(sorted(board for board, n in counts.items() if n > 1)) if distinct else (),
    )
