"""Decisions that count for PR: the definition `xg` of docs/MATCH_ANALYSIS.md, in points at the cube (EMG)."""

from __future__ import annotations

from collections.abc import Sequence

from bgfast.analysis.matches.analysed import EQUAL_SPREAD, RANKED_PLAYS, AnalysedDecision

DROP_EQUITY = 1.0
"""Equity of double and drop for the doubler (EMG)."""
TRIVIAL_ERROR = 0.001
"""Smallest error of a choice that always counts; also the difference below which two choices are equal."""
TRIVIAL_MARGIN = 0.2
"""Not doubling is trivial if doubling would cost more than this after a take, or after a drop."""
HOPELESS_EQUITY = -0.9
"""Not doubling is trivial if both branches are below this."""


def play_counts(equities: Sequence[float], legal: int) -> bool:
    """Return whether a play counts, from the equities of the plays, best first, and their legal number."""
    best_ten = equities[:RANKED_PLAYS]
    return legal > 1 and best_ten[0] - min(best_ten) >= EQUAL_SPREAD


def no_double_counts(no_double: float, double_take: float, double_drop: float = DROP_EQUITY) -> bool:
    """Return whether a turn without a double counts."""
    double = min(double_take, double_drop)
    if double - no_double >= TRIVIAL_ERROR:
        return True
    return not (
        abs(no_double - double) < TRIVIAL_ERROR
        or no_double - double_take > TRIVIAL_MARGIN
        or no_double - double_drop > TRIVIAL_MARGIN
        or max(no_double, double_take) < HOPELESS_EQUITY
    )


def answer_counts(double_take: float, double_drop: float = DROP_EQUITY) -> bool:
    """Return whether an answer to a double counts."""
    return abs(double_take - double_drop) >= TRIVIAL_ERROR


def is_counted(decision: AnalysedDecision) -> bool:
    """Return whether a play or cube decision counts for PR; False for resignations."""
    kind = decision.recorded.kind
    if kind == "play":
        return not (decision.forced or decision.all_equal)
    if kind == "take":
        return answer_counts(decision.equity_of("take"), decision.equity_of("drop"))
    if kind == "resignation":
        return False
    if decision.recorded.chosen == "double":
        return True
    assert decision.taken is not None
    return no_double_counts(decision.no_double, decision.taken.equity)
