"""Errors of recorded choices from rollouts, without the bias of the best of several noisy estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bgfast.analysis.matches.counting import DROP_EQUITY
from bgfast.analysis.matches.recorded_decisions import DecisionKind

__all__ = ["NO_DOUBLE", "action_equities", "rollout_error"]

NO_DOUBLE = "no double"
BEAVER_DROP_EQUITY = -2.0
"""Equity of a doubler who drops a beaver (EMG)."""


def rollout_error(kind: DecisionKind, chosen: str, halves: Sequence[Mapping[str, float]]) -> float:
    """Return the error of a recorded choice from the equities of two halves of the trials.

    The best choice of each half is compared with the recorded one by the other half, which played other
    games; the result is the mean of both. Hence chance that made a choice look best does not count as an
    error. The error is below 0 where the choice of one half is worse than the recorded one by the other.

    Parameters
    ----------
    kind : {"play", "double", "take"}
    chosen : str
        As in `RecordedDecision`.
    halves : pair of mappings of str to float
        Equities of plays, or those of `action_equities`.

    Examples
    --------
    >>> halves = {"8/5 6/5": 0.17, "13/9": 0.02}, {"8/5 6/5": 0.13, "13/9": 0.01}
    >>> round(rollout_error("play", "13/9", halves), 3), rollout_error("play", "8/5 6/5", halves)
    (0.135, 0.0)
    """
    first, second = halves
    return (_error(kind, chosen, first, second) + _error(kind, chosen, second, first)) / 2


def action_equities(equities: Mapping[str, float], *, beavers: bool) -> dict[str, float]:
    """Return the doubler's equities of the cube actions from those of the branches that were rolled out."""
    no_double, take = (
        next(equity for name, equity in equities.items() if name.startswith("no ") == is_no_double)
        for is_no_double in (True, False)
    )
    actions = {NO_DOUBLE: no_double, "take": take, "drop": DROP_EQUITY}
    return actions | {"beaver": max(2 * take, BEAVER_DROP_EQUITY)} if beavers else actions


def _error(
    kind: DecisionKind, chosen: str, selection: Mapping[str, float], measure: Mapping[str, float]
) -> float:
    """Return the error of the recorded choice by `measure` against the best choice by `selection`."""
    if kind == "play":
        return measure[max(selection, key=selection.__getitem__)] - measure[chosen]
    answers = [action for action in selection if action != NO_DOUBLE]
    answer = min(answers, key=selection.__getitem__)
    if kind == "take":
        return measure[chosen] - measure[answer]
    best = max((NO_DOUBLE, answer), key=selection.__getitem__)
    return measure[best] - measure[NO_DOUBLE if chosen == NO_DOUBLE else answer]
