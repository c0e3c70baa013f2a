"""What an engine listed, beside what is legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bgfast.engines.adapters.bgfast import legal_successors
from bgfast.engines.protocol import Board

__all__ = ["Difference", "difference", "legal_successors"]


class Difference(NamedTuple):
    """How a list of successors differs from the legal ones; boards from the mover's side, each once, sorted.

    Attributes
    ----------
    missing : tuple of Board
        Legal, but not listed.
    illegal : tuple of Board
        Listed, but not legal.
    repeated : tuple of Board
        Listed more than once by an engine that promises not to.
    """

    missing: tuple[Board, ...]
    illegal: tuple[Board, ...]
    repeated: tuple[Board, ...]

    @property
    def none(self) -> bool:
        """Whether the two agree."""
        return not (self.missing or self.illegal or self.repeated)


def difference(listed: Sequence[Board], legal: Sequence[Board], *, distinct: bool) -> Difference:
    """Compare what an engine lists with what is legal; `distinct`: whether it promises no repetitions."""
    times = Counter(listed)
    known = set(legal)
    return Difference(
        missing=tuple(sorted(known - times.keys())),
        illegal=tuple(sorted(times.keys() - known)),
        repeated=tuple(sorted(board for board, n in times.items() if n > 1)) if distinct else (),
    )
