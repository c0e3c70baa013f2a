"""What players did in several matches, by their names."""

from __future__ import annotations

from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.analysis.matches.rates import Rates, together
from bgfast.records.replay import unread_games

__all__ = ["PlayerTotals"]


class PlayerTotals:
    """The rates of each player over matches that are added one by one: what is kept does not grow with them.

    Examples
    --------
    >>> import bgfast
    >>> totals = PlayerTotals()
    >>> totals.add(bgfast.analyse_match(bgfast.Match(3), ply=0))
    >>> [(name, matches) for name, matches, _ in totals.players]
    [('O', 1), ('X', 1)]
    """

    def __init__(self) -> None:
        self._rates: dict[str, Rates] = {}
        self._matches: dict[str, int] = {}

    def add(self, analysis: MatchStatistics) -> None:
        """Add what both players did in a match, unless not all of its games could be read."""
        if unread_games(analysis.match):
            return
        for name, found in zip(analysis.names, analysis.rates, strict=True):
            before = self._rates.get(name)
            self._rates[name] = found if before is None else together((before, found))
            self._matches[name] = self._matches.get(name, 0) + 1

    @property
    def players(self) -> list[tuple[str, int, Rates]]:
        """Of each player name, number of matches, and rates; who gives away least stands first."""
        found = [(name, self._matches[name], rates) for name, rates in self._rates.items()]
        return sorted(found, key=lambda each: (each[2].pr is None, each[2].pr or 0.0, each[0]))
