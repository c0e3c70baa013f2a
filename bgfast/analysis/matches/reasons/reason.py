"""Reasons for a choice, and their combination into a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MIN_CHANGE = 0.005
"""Minimum difference of a probability that is a reason."""


class Reason(NamedTuple):
    """Fact about the best choice, compared with the recorded choice."""

    text: str  # predicate without a subject: "wins 57.3% instead of 54.1%"
    favourable: bool = True  # False: the best choice is best in spite of it


def share(probability: float) -> str:
    """Format a probability in per cent."""
    return f"{probability:.1%}"


def change_of(words: str, best: float, chosen: float, *, more_is_better: bool = True) -> list[Reason]:
    """Return a reason if two probabilities differ by `MIN_CHANGE` or more."""
    if abs(best - chosen) < MIN_CHANGE:
        return []
    text = f"{words} {share(best)} instead of {share(chosen)}"
    return [Reason(text, (best > chosen) == more_is_better)]


def reason_line(reasons: Iterable[Reason], subject: str) -> str:
    """Return reasons as one line; those against the best choice come last. Empty without a reason."""
    reasons = list(reasons)
    pro = _listed([reason.text for reason in reasons if reason.favourable])
    contra = _listed([reason.text for reason in reasons if not reason.favourable])
    if pro and contra:
        return f"{subject} {pro}, although it {contra}."
    if pro:
        return f"{subject} {pro}."
    return f"{subject} is best although it {contra}." if contra else ""


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
