"""Adapter of bgfast itself."""

from __future__ import annotations

from bgfast.common.version import __version__
from bgfast.common.vocabulary import Board
from bgfast.engines.protocol import ANY_RULES, Capabilities, Case, InProcessEngine
from bgfast.position.objects import Position


def legal_successors(case: Case) -> list[Board]:
    """Return the legal successors, from the mover's side, in the generator's order; empty for a pass."""
    position = Position.from_array(case.board, checkers=case.checkers)
    return list(map(tuple, position.plays(case.roll, case.rules).boards.tolist()))


class Adapter(InProcessEngine):
    """`Position.plays`."""

    name = "bgfast"
    version = __version__
    capabilities = Capabilities(rules=(ANY_RULES,), checkers=tuple(range(1, 16)))

    def successors(self, case: Case) -> list[Board]:
        return legal_successors(case)
