"""Adapter of the slow reference implementation."""

from __future__ import annotations

from bgfast import reference
from bgfast.common.version import __version__
from bgfast.common.vocabulary import Board
from bgfast.engines.protocol import ANY_RULES, Capabilities, Case, InProcessEngine


class Adapter(InProcessEngine):
    """`reference.legal_positions`, for any number of checkers."""

    name = "reference"
    version = __version__
    capabilities = Capabilities(rules=(ANY_RULES,), checkers=tuple(range(1, 16)))

    def successors(self, case: Case) -> list[Board]:
        return sorted(reference.legal_positions(case.board, *case.roll, rules=case.rules))
