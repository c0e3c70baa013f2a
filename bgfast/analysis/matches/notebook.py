"""HTML of an analysed match for notebooks."""

from __future__ import annotations

from bgfast.analysis.matches.decision_html import roll_text
from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.analysis.matches.rates import MARKS, error_mark
from bgfast.common.html_table import html_table

__all__ = ["analysis_html"]

LISTED = 5
"""Largest errors in the HTML of a match."""


def analysis_html(analysis: MatchStatistics) -> str:
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
        for decision in analysis.worst(LISTED)
    ]
    rates_table = html_table(["player", "PR", "errors (EMG)", *MARKS, "luck (EMG)"], rows)
    if not worst:
        return rates_table
    headings = ["game", "move", "player", "roll", "chosen", "best", "error", ""]
    return rates_table + html_table(headings, worst, "to_html() is the whole report", names=6)
