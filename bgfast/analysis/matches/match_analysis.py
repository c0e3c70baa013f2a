"""Analysis of a match: statistics and reports."""

from __future__ import annotations

from bgfast.analysis.matches.html_report import html_report
from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.analysis.matches.page.decision_html import roll_text
from bgfast.analysis.matches.rates import MARKS, error_mark
from bgfast.analysis.matches.sgf_report import sgf_report
from bgfast.analysis.matches.text_report import boards_text, text_report
from bgfast.common.html_table import html_table

WORST = 10
"""Default maximum number of decisions that a report lists, largest errors first."""

NOTEBOOK_ERRORS = 5
"""Number of errors in the HTML for notebooks."""


class MatchAnalysis(MatchStatistics):
    """Result of `bgfast.analyse_match`: decisions, rolls, rates and luck; a table with a row per decision.

    Attributes
    ----------
    match : Match
    decisions : tuple of AnalysedDecision
        In the order of play, with the `recorded` decision, its `choices`, best first, the `rank` of the
        recorded choice, its `error` and `error_mwc`.
    rolls : tuple of AnalysedRoll
        In the order of play, with `luck` and `luck_mwc`.
    settings : mapping
        Settings of the analysis: evaluator, plies, match equity table, and so on.
    met : MatchEquityTable or None
        None for the built-in table.
    rolled_out : mapping or None
        Options of the rollouts of contested decisions: trials, truncate, seed; None without rollouts.
    whole : bool
        True if the analysis covers the whole match.
    count_resignations : bool
        True if rates, marks and the largest errors include resignations and the answers to them.

    Notes
    -----
    Do not modify; safe to share between threads. ``str(analysis)`` is the report for a terminal.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1), (6, 5)])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> analysis = bgfast.analyse_match(match, ply=0)
    >>> analysis.rates[0].unforced_plays, analysis.rates[0].marks["very bad"]
    (1, 1)
    >>> analysis.to_csv().splitlines()[0][:39]
    'game,move,player,name,kind,phase,xgid,r'
    """

    def to_text(self, worst: int = WORST) -> str:
        """Return the report for a terminal: rates, games, and the `worst` largest errors.

        Control characters in recorded names are replaced.
        """
        return text_report(self, worst)

    def to_boards(self, worst: int = WORST) -> str:
        """Return the `worst` largest errors as printed boards with candidates and reasons.

        Resignations are excluded. Control characters in recorded names are replaced.
        """
        return boards_text(self, worst)

    def to_html(self, worst: int = WORST) -> str:
        """Return the report as a self-contained HTML page, without scripts or external resources.

        Recorded names and comments are escaped.
        """
        return html_report(self, worst)

    def to_sgf(self) -> str:
        """Return the match as SGF with its analysis in GNU Backgammon's properties.

        Resignations, which have no such property, are excluded, and so are rates, which GNU Backgammon
        computes from the errors.

        Raises
        ------
        BgfastError
            If SGF cannot hold how the games begin: by lot, or all from a position without a name.
        """
        return sgf_report(self)

    def __str__(self) -> str:
        """Return the report for a terminal."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return rates and the largest errors, for notebooks."""
        return _notebook_html(self)


def _notebook_html(analysis: MatchStatistics) -> str:
    """Return the rates of both players and the largest errors of a match."""
    rows = [
        [
            name,
            "-" if rates.pr is None else f"{rates.pr:.2f}",
            f"{rates.error:.3f}",
            *(str(rates.marks[mark]) for mark in MARKS),
            f"{luck:+.3f}",
        ]
        for name, rates, luck in zip(analysis.names, analysis.rates, analysis.luck, strict=True)
    ]
    worst = [
        [
            str(decision.recorded.game),
            str(decision.recorded.move),
            analysis.names[decision.recorded.player],
            roll_text(decision.recorded.decision.dice),
            decision.recorded.chosen,
            decision.best.text,
            f"{decision.error:.3f}",
            error_mark(decision.error) or "",
        ]
        for decision in analysis.worst(NOTEBOOK_ERRORS)
    ]
    rates_table = html_table(["player", "PR", "errors (EMG)", *MARKS, "luck (EMG)"], rows)
    if not worst:
        return rates_table
    headings = ["game", "move", "player", "roll", "chosen", "best", "error", ""]
    return rates_table + html_table(headings, worst, "to_html() is the whole report", names=6)
