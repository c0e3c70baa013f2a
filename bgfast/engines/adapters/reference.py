"""The slow reference, asked like any other engine."""

from __future__ import annotations

from bgfast import reference
from bgfast.common.version import __version__
from bgfast.engines.protocol import ANY_RULES, Board, Capabilities, Case, Inside


class Adapter(Inside):
    """`reference.legal_positions`; it does not care how many checkers there are."""

    name = "reference"
    version = __version__
    capabilities = Capabilities(rules=(ANY_RULES,), checkers=tuple(range(1, 16)))

    def successors(self, case: Case) -> list[Board]:
        return sorted(reference.legal_positions(case.board, *case.roll, rules=case.rules))
