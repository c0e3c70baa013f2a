"""The analysis of a match: its statistics, and reports of them."""

from __future__ import annotations

from bgfast.analysis.matches.html_report import html_report
from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.analysis.matches.sgf_report import sgf_report
from bgfast.analysis.matches.text_report import text_report

__all__ = ["WORST", "MatchAnalysis"]

WORST = 10
"""Decisions that a report shows unless it is said otherwise."""


class MatchAnalysis(MatchStatistics):
    """What `bgfast.analyse_match` has found: decisions, rolls, rates, luck; a table of the decisions.

    Attributes
    ----------
    match : Match
    decisions : tuple of AnalysedDecision
        In the order of play: what was `recorded`, the `choices`, best first, `error` and `error_mwc`, the
        `rank` of what was chosen.
    rolls : tuple of AnalysedRoll
        In the order of play, each with its `luck` and `luck_mwc`.
    settings : mapping
        How it was analysed: evaluator, plies, match equity table, and so on.

    Notes
    -----
    Not to be changed; safe to share between threads. ``str(analysis)`` is the report for a terminal.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1), (6, 5)])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> found = bgfast.analyse_match(match, ply=0)
    >>> found.rates[0].unforced_plays, found.rates[0].marks["very bad"]
    (1, 1)
    >>> found.to_csv().splitlines()[0][:39]
    'game,move,player,name,kind,phase,xgid,r'
    """

    def to_text(self, worst: int = WORST) -> str:
        """Return the report for a terminal: rates, games, and the decisions that cost most.

        Names of the record stand in it without control characters.
        """
        return text_report(self, worst)

    def to_html(self, worst: int = WORST) -> str:
        """Return the report as one HTML page, which needs nothing else: no network, no scripts.

        Names and comments of the record are text in it, whatever they hold.
        """
        return html_report(self, worst)

    def to_sgf(self) -> str:
        """Return the match as SGF with what was found, in the properties that GNU Backgammon has for it.

        What it has none for is left out: resignations, and of `rates` all that it counts itself.

        Raises
        ------
        BgfastError
            If SGF has no room for how the match began: in the middle of a game, or in a position of its own.
        """
        return sgf_report(self)

    def __str__(self) -> str:
        """Return the report for a terminal."""
        return self.to_text()
