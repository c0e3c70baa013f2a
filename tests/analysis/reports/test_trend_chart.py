"""Chart of PR over time."""

from __future__ import annotations

import itertools
import re
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest

from bgfast.analysis.reports.collection_report import date_ticks, has_trend, trend_svg
from bgfast.analysis.reports.match_collection import MatchCollection, PlayerHistory
from bgfast.matches import MatchAnalysis
from tests.analysis.reports.conftest import analyse


def history(analyses: list[MatchAnalysis], name: str = "Anna") -> PlayerHistory:
    collection = MatchCollection(worst=0)
    for index, analysis in enumerate(analyses):
        collection.add(analysis, f"{index}.mat", f"pages/{index}.html")
    return next(player for player in collection.players if player.name == name)


def test_matches_are_points_at_their_dates(analyses: list[MatchAnalysis]) -> None:
    dated_analyses = [analyses[index] for index in (0, 1, 3)]
    player = history(dated_analyses)
    picture = ElementTree.fromstring(trend_svg(player, (960, 300), "wide"))
    circles = picture.findall(".//circle")
    assert [link.get("href") for link in picture.findall("a")] == [
        f"pages/{index}.html" for index in (1, 2, 0)
    ]
    x = [float(circle.get("cx", "")) for circle in circles]
    days = [date(2026, 1, 5), date(2026, 2, 10), date(2026, 3, 1)]
    fraction = (days[1] - days[0]) / (days[2] - days[0])
    assert (x[1] - x[0]) / (x[2] - x[0]) == pytest.approx(fraction, abs=0.001)
    prs = [match.rates[0].pr or 0 for match, _ in player.matches[:3]]
    y = [float(circle.get("cy", "")) for circle in circles]
    assert sorted(range(3), key=y.__getitem__) == sorted(range(3), key=lambda index: -prs[index])
    texts = [text.text for text in picture.findall("text")]
    assert {"PR", "date", "0"} <= set(texts)
    assert circles[0][0].text == f"2026-01-05, against Bob <b>: PR {prs[0]:.2f}"


def test_matches_of_one_day_are_numbered() -> None:
    player = history([analyse(seed, date="2026-01-05") for seed in (3, 4, 5)])
    picture = ElementTree.fromstring(trend_svg(player, (360, 270), "narrow"))
    texts = [text.text for text in picture.findall("text")]
    assert len(picture.findall(".//circle")) == 3
    assert [text for text in texts if text in ("1", "2", "3", "match")][-1] == "match"
    assert "date" not in texts


def test_with_an_undated_match_all_matches_are_numbered(analyses: list[MatchAnalysis]) -> None:
    """Matches with dates come first; no match is left out."""
    player = history(analyses)
    picture = ElementTree.fromstring(trend_svg(player, (360, 270), "narrow"))
    assert [link.get("href") for link in picture.findall("a")] == [
        f"pages/{index}.html" for index in (1, 3, 0, 2)
    ]
    assert "match" in [text.text for text in picture.findall("text")]


def test_one_match_is_not_a_trend(analyses: list[MatchAnalysis]) -> None:
    assert not has_trend(history(analyses[:1]))
    assert has_trend(history(analyses))


def test_ticks_are_round_and_few() -> None:
    spans = [1, 3, 8, 20, 45, 100, 400, 1000, 5000, 40_000, 700_000]
    for days, max_ticks in itertools.product(spans, (2, 4, 9)):
        first = date(1, 1, 3) if days > 100_000 else date(1890, 11, 27)
        last = first + timedelta(days)
        ticks = date_ticks(first, last, max_ticks)
        assert (2 if days >= 3 and max_ticks > 2 else 0) <= len(ticks) <= max_ticks
        assert all(first <= day <= last for day, _ in ticks)
        steps = {(next_day - day).days for (day, _), (next_day, _) in itertools.pairwise(ticks)}
        assert not steps or max(steps) - min(steps) <= max(3, min(steps) // 20)  # months differ in length
        for day, label in ticks:
            assert re.fullmatch(r"\d{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2} \d+|\d+", label)
            assert str(day.day if label[0].isdigit() and " " in label else day.year) in label
