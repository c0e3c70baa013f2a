"""Collections of matches: player histories, moving averages and largest errors."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import bgfast
from bgfast.analysis.matches.analysed import roll_text
from bgfast.analysis.matches.match_statistics import MIN_LISTED_ERROR, player_key
from bgfast.analysis.reports.match_collection import (
    AVERAGED_MATCHES,
    CollectedErrors,
    MatchCollection,
    PlayerHistory,
    match_key,
    opening_plays,
    totals_text,
)
from bgfast.matches import MatchAnalysis
from tests.analysis.reports.conftest import EVALUATOR, analyse
from tests.support.matches import finished_match, match_with_plays, random_match


@pytest.fixture(scope="module")
def collection(analyses: list[MatchAnalysis], unfinished_analysis: MatchAnalysis) -> MatchCollection:
    collection = MatchCollection(worst=5)
    for index, analysis in enumerate([*analyses, unfinished_analysis]):
        collection.add(analysis, f"{index}.mat")
    return collection


def pooled_pr(analyses: list[MatchAnalysis], player: int) -> float:
    """Return the PR over all decisions of several one-point matches."""
    counted_rows = [
        row for analysis in analyses for row in analysis.rows() if row["player"] == player and row["counted"]
    ]
    return 1.5 * 500 * sum(row["error"] for row in counted_rows) / len(counted_rows)


def test_histories_are_sorted_by_date_and_exclude_incomplete_matches(
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
    errors = sum(rates.error for rates in anna.phases.values())
    assert errors == pytest.approx(sum(analysis.rates[0].error for analysis in analyses))


def test_luck_of_a_player_covers_all_matches(analyses: list[MatchAnalysis]) -> None:
    collection = MatchCollection(worst=0, player="Anna")
    swapped_analysis = analyse(7, ("Carl", "Anna"))
    money_analysis = bgfast.analyse_match(random_match(3, None), EVALUATOR, ply=0)
    money_analysis.match.info = bgfast.games.MatchInfo(players=("Anna", "Dora"))
    for analysis in (*analyses, swapped_analysis):
        collection.add(analysis, "a")
    assert collection.reader is not None
    luck = sum(analysis.net_luck for analysis in analyses) - swapped_analysis.net_luck
    wins = sum(analysis.match.winner == 0 for analysis in analyses) + (swapped_analysis.match.winner == 1)
    text = (
        f"Net luck: {luck / 5:+.1%} MWC per match: {wins} of 5 matches won, without luck {wins - luck:.1f}. "
    )
    assert collection.reader.luck_text.startswith(text)
    player_rolls = [roll for analysis in analyses for roll in analysis.rolls if roll.recorded.player == 0]
    player_rolls += [roll for roll in swapped_analysis.rolls if roll.recorded.player == 1]
    for sign in (1, -1):
        rolls = [roll for _, _, roll, _ in collection.reader.luckiest_rolls(sign)]
        assert rolls == sorted(player_rolls, key=lambda roll: -sign * (roll.luck_mwc or 0.0))[:3]
    collection.add(money_analysis, "money")
    text = f"; {money_analysis.net_luck:+.3f} points in money games, cube included. "
    assert text in collection.reader.luck_text
    assert [roll for _, _, roll, _ in collection.reader.luckiest_rolls(-1)] == rolls


def test_names_that_differ_in_case_blanks_and_underscores_are_one_player() -> None:
    spellings = ["Ann Lee", "ann_lee", "ANN  LEE", "AnnLee"]
    assert {player_key(name) for name in spellings} == {"annlee"}
    assert player_key("Jos\u00e9") == player_key("Jose\u0301")
    assert player_key("__") != player_key("_")
    assert player_key("Ann Lea") != player_key("Ann Lee")
    collection = MatchCollection(worst=3)
    for index, names in enumerate((("Ann Lee", "Bob"), ("Cleo", "ann_lee"), ("ann_lee", "Dan"))):
        collection.add(analyse(index, names), str(index))
    assert sorted((player.name, player.match_count) for player in collection.players) == [
        ("Bob", 1),
        ("Cleo", 1),
        ("Dan", 1),
        ("ann_lee", 3),
    ]
    assert collection.reader is not None
    assert collection.reader.name == "ann_lee"


def test_a_collection_may_be_limited_to_one_player() -> None:
    player = ["Ann Lee", "annl"]
    collection = MatchCollection(4, player)
    analyses = [analyse(3, ("Ann_Lee", "Bob")), analyse(4, ("Bob", "ANNL"))]
    for analysis in analyses:
        collection.add(analysis, "a")
    rows = [row for side, analysis in enumerate(analyses) for row in analysis.rows() if row["player"] == side]
    errors = sorted((row["error"] for row in rows if row["kind"] != "resignation"), reverse=True)
    assert [item.error for item in collection.errors.items] == errors[:4]
    reader = collection.reader
    assert reader is not None
    assert (reader.name, reader.match_count) == ("Ann_Lee", 2)
    assert reader.rates.error == pytest.approx(sum(errors))
    _, line = totals_text(collection).splitlines()
    assert line.split()[:3] == ["Ann_Lee", "2", f"{reader.rates.pr:.2f}"]
    (worst, *_) = analyses[1].worst(1, player)
    assert worst.recorded.player == 1


def test_openings_are_first_plays_and_replies_of_a_player() -> None:
    def analyse_opening(first: str, reply: str) -> MatchAnalysis:
        return bgfast.analyse_match(match_with_plays(first, reply, length=None), EVALUATOR, ply=0)

    collection = MatchCollection(worst=0)
    for first, reply in (("8/5 6/5", "24/13"), ("13/9", "24/13"), ("13/9", "24/18 13/8")):
        collection.add(analyse_opening(first, reply), first)
    histories = {player.name: player for player in collection.players}
    opening, *others = histories["X"].openings
    assert others == []
    assert (opening.first_play, opening.roll, [item.play for item in opening.plays]) == (
        "",
        "3-1",
        ["8/5 6/5", "13/9", "13/9"],
    )
    assert {item.best for item in opening.plays} == {"8/5 6/5"}
    assert opening.cost == pytest.approx(sum(item.error for item in opening.plays))
    assert opening.plays[0].error == 0 < opening.plays[1].error == opening.plays[2].error
    replies = [
        (item.first_play, item.roll, [reply.play for reply in item.plays]) for item in histories["O"].openings
    ]
    assert sorted(replies) == [
        ("31: 13/9", "6-5", ["24/13", "24/18 13/8"]),
        ("31: 8/5 6/5", "6-5", ["24/13"]),
    ]
    costs = [item.cost for item in histories["O"].openings]
    assert costs == sorted(costs, reverse=True)
    long_analysis = analyse(3, length=3)
    openings = [(item.first_play != "", item.roll) for item in opening_plays(long_analysis)]
    assert [is_reply for is_reply, _ in openings] == [False, True] * len(long_analysis.games)
    first_rolls = [roll.recorded.roll for roll in long_analysis.rolls if roll.recorded.opening]
    assert [text for is_reply, text in openings if not is_reply] == [roll_text(roll) for roll in first_rolls]


def test_the_moving_average_covers_the_decisions_of_ten_matches(
    collection: MatchCollection, analyses: list[MatchAnalysis]
) -> None:
    anna = next(player for player in collection.players if player.name == "Anna")
    sorted_analyses = [analyses[index] for index in (1, 3, 0, 2)]
    assert anna.moving_pr == pytest.approx([pooled_pr(sorted_analyses[:stop], 0) for stop in range(1, 5)])
    long_history = PlayerHistory("Anna", anna.matches * 3)
    assert len(long_history.moving_pr) == 12 > AVERAGED_MATCHES
    assert long_history.moving_pr[11] == pytest.approx(pooled_pr((sorted_analyses * 3)[2:], 0))


def test_histories_have_sides_and_only_valid_dates() -> None:
    collection = MatchCollection(worst=0)
    for names in (("Anna", "Bob"), ("Bob", "Anna")):
        collection.add(analyse(3, names, "2026-01-02"), "a")
    anna = next(player for player in collection.players if player.name == "Anna")
    assert [side for _, side in anna.matches] == [0, 1]
    collection.matches.clear()
    analysis = analyse(3)
    for date in ("2026", "2026-13-01", "2026-01", "spring 2026", "2026-1-2"):
        analysis.match.info = replace(analysis.match.info, date=date)
        collection.add(analysis, "a")
    assert {match.date for match in collection.matches} == {None}


def test_the_largest_errors_do_not_depend_on_the_order_of_matches(analyses: list[MatchAnalysis]) -> None:
    rows = [row for analysis in analyses for row in analysis.rows() if row["kind"] != "resignation"]
    all_errors = sorted((row["error"] for row in rows), reverse=True)
    for max_count, minimum in (
        (0, MIN_LISTED_ERROR),
        (1, MIN_LISTED_ERROR),
        (7, MIN_LISTED_ERROR),
        (None, 0.06),
    ):
        expected = [error for error in all_errors if error >= minimum][:max_count]
        assert len(expected) > 0 or max_count == 0
        for order in (analyses, analyses[::-1]):
            errors = CollectedErrors(max_count, minimum)
            for analysis in order:
                errors.add(analysis, "")
            assert [item.error for item in errors.items] == expected


def test_an_illegal_reply_is_not_an_opening() -> None:
    match = bgfast.Match(3, dice=[(3, 1), (6, 5), (2, 1)])
    for play, unchecked in (("8/5 6/5", False), ("24/22", True), ("13/11 6/5", False)):
        match.roll()
        match.play(play, unchecked=unchecked)
    analysis = bgfast.analyse_match(match, EVALUATOR, ply=0)
    assert [item.play for item in opening_plays(analysis)] == ["8/5 6/5"]


def test_records_of_the_same_match_have_equal_keys() -> None:
    match = finished_match(3, ("Ann Lee", "Bob"))
    exchanged_match: Any = SimpleNamespace(
        length=1,
        info=bgfast.games.MatchInfo(players=("bob", "ANN_LEE"), date="2026-01-02"),
        history=[
            action if action.player is None else replace(action, player=1 - action.player)
            for action in match.history
        ],
    )
    assert match_key(match) == match_key(exchanged_match)
    exchanged_match.info = match.info
    assert match_key(match) != match_key(exchanged_match)
    assert match_key(match) != match_key(finished_match(4, ("Ann Lee", "Bob")))
    assert match_key(match) != match_key(finished_match(3, ("Ann Lee", "Cleo")))
    assert match_key(bgfast.Match(3)) is None
