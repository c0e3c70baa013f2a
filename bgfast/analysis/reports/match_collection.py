"""Collections of analysed matches: results, player histories and largest errors."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

from bgfast.analysis.matches.error_details import ErrorDetails, error_details, largest_errors
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.match_report import RATES, REPORT_WIDTH, match_state, rate, shown_names
from bgfast.analysis.matches.match_statistics import (
    MIN_LISTED_ERROR,
    ErrorKind,
    MatchStatistics,
    Rates,
    combined_rates,
    error_kind,
)
from bgfast.analysis.matches.recorded_decisions import PHASES, MatchPhase, phase_of
from bgfast.errors import BgfastError, one_line, shown
from bgfast.records.replay import unread_games


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
        is_pair = isinstance(item, tuple) and len(item) == 2
        if not is_pair or not isinstance(item[0], str) or not isinstance(item[1], MatchAnalysis):
            raise BgfastError(f"an analysis is {shown(item)}; expected a pair: a name and a MatchAnalysis")
        yield item


class CollectedErrors:
    """The largest errors (EMG) of the matches added so far, at most `number` or all; no resignations."""

    def __init__(self, number: int | None = None, minimum: float = MIN_LISTED_ERROR) -> None:
        self._number = number
        self._minimum = minimum
        self.items: list[CollectedError] = []  # largest first; equal ones in the order of adding

    def add(self, analysis: MatchStatistics, source: str, page: str = "") -> None:
        """Add the errors of a match that are among the largest; `source` and `page` describe the match."""
        number = len(analysis.decisions) if self._number is None else self._number
        for decision in largest_errors(analysis, number):
            is_full = len(self.items) == self._number
            if decision.error < self._minimum or (is_full and decision.error <= self.items[-1].error):
                break
            # Report data are slow to compute: only errors among the largest so far get them.
            details = error_details(decision, analysis)
            kind, phase, date = error_kind(decision), phase_of(decision.recorded), analysis.match.info.date
            item = CollectedError(decision.error, details, kind, phase, source, page, date)
            insort(self.items, item, key=lambda item: -item.error)
            if is_full:
                self.items.pop()


# ---- matches and players ----


AVERAGED_MATCHES = 10
"""Number of matches of a moving average."""


@dataclass(frozen=True)
class CollectedMatch:
    """Statistics of a match of a collection. Pairs are those of players 0 and 1."""

    source: str  # name of the match, such as its file
    page: str  # address relative to the index page; empty without one
    names: tuple[str, str]
    date: date | None  # None if the record has no complete date
    length: int | None  # None for money games
    score: tuple[int, int]
    winner: int | None
    is_complete: bool  # counts for rankings; see `MatchStatistics.is_complete`
    unread_games: int
    rates: tuple[Rates, Rates]
    phases: Mapping[MatchPhase, tuple[Rates, Rates]]
    luck: tuple[float, float]  # in points at the value of the cube (EMG)


@dataclass(frozen=True)
class PlayerHistory:
    """Complete matches of one player, by date; those without a date come last."""

    name: str
    matches: tuple[tuple[CollectedMatch, int], ...]  # with the number of the player in each, 0 or 1

    @property
    def match_count(self) -> int:
        """Number of matches; a match in which both players have the name counts once."""
        return len({id(match) for match, _ in self.matches})

    @cached_property
    def rates(self) -> Rates:
        """Rates over all matches."""
        return combined_rates([match.rates[player] for match, player in self.matches])

    @property
    def phases(self) -> Mapping[MatchPhase, Rates]:
        """Rates over all matches by phase of the game."""
        return {
            phase: combined_rates([match.phases[phase][player] for match, player in self.matches])
            for phase in PHASES
        }

    @property
    def luck(self) -> float:
        """Luck over all matches (EMG)."""
        return sum(match.luck[player] for match, player in self.matches)

    @property
    def wins(self) -> int:
        """Number of matches won; money games have no winner."""
        return sum(match.winner == player for match, player in self.matches)

    @property
    def moving_pr(self) -> list[float | None]:
        """PR over each match and up to nine before it: by all their decisions, not the mean of the PRs."""
        rates = [match.rates[player] for match, player in self.matches]
        stops = range(1, len(rates) + 1)
        return [combined_rates(rates[max(0, stop - AVERAGED_MATCHES) : stop]).pr for stop in stops]


class MatchCollection:
    """Several analysed matches: their numbers and the largest errors, up to `worst`, not the analyses."""

    def __init__(self, worst: int) -> None:
        self.matches: list[CollectedMatch] = []
        self.unread: list[tuple[str, str]] = []  # names of files that could not be read, and the errors
        self.errors = CollectedErrors(worst)

    def add(self, analysis: MatchStatistics, source: str, page: str = "") -> None:
        """Add a match by its name and the address of its page."""
        match = analysis.match
        day, unread = _whole_date(match.info.date), len(unread_games(match))
        state = match.length, match.score, match.winner, analysis.is_complete, unread
        fields = *state, analysis.rates, analysis.phases, analysis.luck
        self.matches.append(CollectedMatch(source, page, analysis.names, day, *fields))
        self.errors.add(analysis, source, page)

    @property
    def players(self) -> list[PlayerHistory]:
        """Players with a complete match; lowest PR first, then by name."""
        matches: dict[str, list[tuple[CollectedMatch, int]]] = {}
        for match in by_date(self.matches):
            if match.is_complete:
                for player, name in enumerate(match.names):
                    matches.setdefault(name, []).append((match, player))
        players = [PlayerHistory(name, tuple(played)) for name, played in matches.items()]
        return sorted(players, key=lambda player: _rank(player.rates, player.name))


def _rank(rates: Rates, name: str) -> tuple[bool, float, str]:
    """Return the key that sorts players: lowest PR first, then by name; those without PR last."""
    return rates.pr is None, rates.pr or 0.0, name


def by_date(matches: Sequence[CollectedMatch]) -> list[CollectedMatch]:
    """Return matches sorted by date; those without a date come last, in their order."""
    return sorted(matches, key=lambda match: (match.date is None, match.date or date.min))


def _whole_date(text: str) -> date | None:
    """Parse a date; None unless it has year, month and day."""
    try:
        return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else None
    except ValueError:
        return None


# ---- totals in a terminal ----


TOTALS = ("PR", "checker", "cube", "error")
"""Rates of a table of players, which has no room for all of them."""
MAX_NAME_WIDTH = 18
MIN_NAME_WIDTH = 8


class PlayerTotals:
    """Rates of every player, by name, over complete matches. Memory does not grow with the matches added."""

    def __init__(self) -> None:
        self._totals: dict[str, tuple[int, Rates]] = {}

    def add(self, analysis: MatchStatistics) -> None:
        """Add the rates of both players if the match is complete."""
        for name in dict.fromkeys(analysis.names) if analysis.is_complete else ():
            own = [
                rates for owner, rates in zip(analysis.names, analysis.rates, strict=True) if owner == name
            ]
            matches, total = self._totals.get(name, (0, None))
            self._totals[name] = matches + 1, combined_rates(own if total is None else [total, *own])

    @property
    def players(self) -> list[tuple[str, int, Rates]]:
        """Name, number of matches and rates of every player; lowest PR first."""
        rows = [(name, matches, rates) for name, (matches, rates) in self._totals.items()]
        return sorted(rows, key=lambda row: _rank(row[2], row[0]))


def match_line(analysis: MatchStatistics, file: str) -> str:
    """Return a match as one line: file, length, score, and the PR of both players."""
    prs = [RATES["PR"](rates).text() for rates in analysis.rates]
    players = ", ".join(f"{one_line(name)} {pr}" for name, pr in zip(analysis.names, prs, strict=True))
    excluded = "" if analysis.is_complete else ", not in the totals"
    return f"{one_line(file)}: {match_state(analysis)}{excluded}: PR {players}"


def totals_text(totals: PlayerTotals, *, cut_names: bool = True) -> str:
    """Return a table of the rates of all players over all complete matches, lowest PR first."""
    players = totals.players
    if not players:
        return "No match is complete: no totals."
    rows = [["matches", *TOTALS]]
    for _, matches, rates in players:
        rows.append([str(matches), RATES["PR"](rates).text(), *(rate(name, rates) for name in TOTALS[1:])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    max_name_width = min(MAX_NAME_WIDTH, max(MIN_NAME_WIDTH, REPORT_WIDTH - sum(widths) - len(widths)))
    names = ["player", *shown_names([name for name, _, _ in players], max_name_width, cut_names)]
    name_width = max(map(len, names))
    lines = (
        [name.ljust(name_width), *map(str.rjust, row, widths)] for name, row in zip(names, rows, strict=True)
    )
    return "\n".join(map(" ".join, lines))
