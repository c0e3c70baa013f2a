"""Several matches: histories of players, moving averages, largest errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bgfast.analysis.matches.match_statistics import MIN_LISTED_ERROR
from bgfast.analysis.reports.match_collection import (
    AVERAGED_MATCHES,
    CollectedErrors,
    MatchCollection,
    PlayerHistory,
)
from bgfast.matches import MatchAnalysis
from tests.analysis.reports.conftest import analysed


@pytest.fixture(scope="module")
def collection(analyses: list[MatchAnalysis], unfinished: MatchAnalysis) -> MatchCollection:
    collection = MatchCollection(worst=5)
    for number, analysis in enumerate([*analyses, unfinished]):
        collection.add(analysis, f"{number}.mat")
    return collection


def pooled_pr(analyses: list[MatchAnalysis], player: int) -> float:
    """Return the PR over all decisions of several matches to one point."""
    counted = [
        row for analysis in analyses for row in analysis.rows() if row["player"] == player and row["counted"]
    ]
    return 1.5 * 500 * sum(row["error"] for row in counted) / len(counted)


def test_histories_are_by_date_and_of_complete_matches(
    collection: MatchCollection, analyses: list[MatchAnalysis]
) -> None:
    assert [match.is_complete for match in collection.matches] == [True] * 4 + [False]
    assert {player.name for player in collection.players} == {"Anna", "Bob <b>"}
    prs = [player.rates.pr for player in collection.players]
    assert prs == sorted(prs, key=lambda pr: pr or 0)
    anna = next(player for player in collection.players if player.name == "Anna")
    assert [match.source for match, _ in anna.matches] == ["1.mat", "3.mat", "0.mat", "2.mat"]
    assert anna.rates.pr == pytest.approx(pooled_pr(analyses, 0))
    assert anna.wins == sum(analysis.match.winner == 0 for analysis in analyses)
    assert anna.luck == pytest.approx(sum(analysis.luck[0] for analysis in analyses))
    errors = sum(part.error for part in anna.phases.values())
    assert errors == pytest.approx(sum(analysis.rates[0].error for analysis in analyses))


def test_the_moving_average_is_over_the_decisions_of_ten_matches(
    collection: MatchCollection, analyses: list[MatchAnalysis]
) -> None:
    anna = next(player for player in collection.players if player.name == "Anna")
    by_date = [analyses[number] for number in (1, 3, 0, 2)]
    assert anna.moving_pr == pytest.approx([pooled_pr(by_date[:stop], 0) for stop in range(1, 5)])
    long = PlayerHistory("Anna", anna.matches * 3)
    assert len(long.moving_pr) == 12 > AVERAGED_MATCHES
    assert long.moving_pr[11] == pytest.approx(pooled_pr((by_date * 3)[2:], 0))


def test_sides_and_dates() -> None:
    collection = MatchCollection(worst=0)
    for names in (("Anna", "Bob"), ("Bob", "Anna")):
        collection.add(analysed(3, names, "2026-01-02"), "a")
    anna = next(player for player in collection.players if player.name == "Anna")
    assert [side for _, side in anna.matches] == [0, 1]
    analysis = collection.matches.clear() or analysed(3)
    for date in ("2026", "2026-13-01", "2026-01", "spring 2026", "2026-1-2"):
        analysis.match.info = replace(analysis.match.info, date=date)
        collection.add(analysis, "a")
    assert {match.date for match in collection.matches} == {None}


def test_the_largest_errors_of_all_matches_are_kept(analyses: list[MatchAnalysis]) -> None:
    """In any order of the matches."""
    rows = [row for analysis in analyses for row in analysis.rows() if row["kind"] != "resignation"]
    all_errors = sorted((row["error"] for row in rows), reverse=True)
    for number, minimum in (
        (0, MIN_LISTED_ERROR),
        (1, MIN_LISTED_ERROR),
        (7, MIN_LISTED_ERROR),
        (None, 0.06),
    ):
        expected = [error for error in all_errors if error >= minimum][:number]
        assert len(expected) > 0 or number == 0
        for ordered in (analyses, analyses[::-1]):
            errors = CollectedErrors(number, minimum)
            for analysis in ordered:
                errors.add(analysis, "")
            assert [item.error for item in errors.items] == expected
