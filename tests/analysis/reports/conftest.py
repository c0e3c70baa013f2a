"""Analyses of short matches."""

from __future__ import annotations

import pytest

import bgfast
from bgfast.matches import MatchAnalysis
from tests.support.matches import finished_match, match_with_plays

EVALUATOR = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())


def analyse(
    seed: int, players: tuple[str, str] = ("Anna", "Bob <b>"), date: str = "", length: int = 1
) -> MatchAnalysis:
    """Return the analysis of a finished match."""
    return bgfast.analyse_match(finished_match(seed, players, date, length), EVALUATOR, ply=0)


@pytest.fixture(scope="session")
def analyses() -> list[MatchAnalysis]:
    """Analyses of four finished matches; three have dates, which are not in order."""
    dates = ("2026-03-01", "2026-01-05", "", "2026-02-10")
    return [analyse(seed, date=date) for seed, date in enumerate(dates, 3)]


@pytest.fixture(scope="session")
def unfinished_analysis() -> MatchAnalysis:
    match = match_with_plays("13/9", info=bgfast.games.MatchInfo(players=("Anna", "Carl")))
    return bgfast.analyse_match(match, EVALUATOR, ply=0)
