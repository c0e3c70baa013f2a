"""Largest errors of several matches."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from typing import Any, NamedTuple

from bgfast.analysis.matches.error_list import error_details, largest_errors
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.match_statistics import MIN_LISTED_ERROR, MatchStatistics
from bgfast.analysis.matches.page.error_card import ErrorDetails
from bgfast.analysis.matches.rates import ErrorKind, error_kind
from bgfast.analysis.matches.recorded_decisions import MatchPhase, phase_of
from bgfast.errors import BgfastError, shown


class CollectedError(NamedTuple):
    """Error of a match."""

    error: float  # equity loss (EMG)
    details: ErrorDetails
    kind: ErrorKind
    phase: MatchPhase
    source: str  # name of the match, such as its file
    page: str  # address of the page of the match; empty without one
    date: str  # as recorded; may be empty


def named_analyses(analyses: Any) -> Iterator[tuple[str, MatchAnalysis]]:
    """Yield pairs of a match's name and its analysis; raise `BgfastError` at anything else."""
    for item in analyses:
        if not (
            isinstance(item, tuple)
            and len(item) == 2
            and isinstance(item[0], str)
            and isinstance(item[1], MatchAnalysis)
        ):
            raise BgfastError(f"an analysis is {shown(item)}; expected a pair: a name and a MatchAnalysis")
        yield item


class CollectedErrors:
    """The largest errors of the matches added so far; no resignations.

    `number` is their maximum number, None for all; `minimum` the smallest error (EMG).
    """

    def __init__(self, number: int | None = None, minimum: float = MIN_LISTED_ERROR) -> None:
        self._number = number
        self._minimum = minimum
        self._items: list[CollectedError] = []

    @property
    def items(self) -> tuple[CollectedError, ...]:
        """Errors, largest first; equal ones in the order of adding."""
        return tuple(self._items)

    def add(self, analysis: MatchStatistics, source: str, page: str = "") -> None:
        """Add the errors of a match that are among the largest; `source` and `page` describe the match."""
        number = len(analysis.decisions) if self._number is None else self._number
        for decision in largest_errors(analysis, number):
            is_full = self._number is not None and len(self._items) >= self._number
            if decision.error < self._minimum or (is_full and decision.error <= self._items[-1].error):
                break
            # Report data are slow to compute: only errors among the largest so far get them.
            item = CollectedError(
                decision.error,
                error_details(decision, analysis),
                error_kind(decision),
                phase_of(decision.recorded),
                source,
                page,
                analysis.match.info.date,
            )
            insort(self._items, item, key=lambda item: -item.error)
            if self._number is not None:
                del self._items[self._number :]
