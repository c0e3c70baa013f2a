"""Error rates of players over several matches."""

from __future__ import annotations

from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.analysis.matches.rates import Rates, combined_rates


class PlayerTotals:
    """Rates of every player, by name, over complete matches. Memory does not grow with the matches added."""

    def __init__(self) -> None:
        self._rates: dict[str, Rates] = {}
        self._matches: dict[str, int] = {}

    def add(self, analysis: MatchStatistics) -> None:
        """Add the rates of both players if the match is complete."""
        if not analysis.is_complete:
            return
        for name, rates in zip(analysis.names, analysis.rates, strict=True):
            total = self._rates.get(name)
            self._rates[name] = rates if total is None else combined_rates((total, rates))
        for name in set(analysis.names):
            self._matches[name] = self._matches.get(name, 0) + 1

    @property
    def players(self) -> list[tuple[str, int, Rates]]:
        """Name, number of matches and rates of every player; lowest PR first."""
        rows = [(name, self._matches[name], rates) for name, rates in self._rates.items()]
        return sorted(rows, key=lambda row: (row[2].pr is None, row[2].pr or 0.0, row[0]))
