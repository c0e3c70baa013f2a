"""Analysis of recorded matches: errors, luck, rates and reports."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Match, Position
from bgfast.analysis.branches import as_search
from bgfast.analysis.matches.analysed import ERROR_KINDS, roll_text
from bgfast.analysis.matches.decision_analyser import DecisionAnalyser
from bgfast.analysis.matches.error_details import largest_errors
from bgfast.analysis.matches.match_analysis import MatchAnalyser, MatchAnalysis
from bgfast.analysis.matches.match_statistics import combine_rates, rating_word
from bgfast.analysis.matches.recorded_decisions import RecordedRoll, phase_of
from bgfast.analysis.reports.match_collection import MatchCollection, match_line, totals_text
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games import MatchInfo
from tests.support.bearing_off import LONG_SHOT, TOSSUP, bearoff_of
from tests.support.matches import best_or_worst_play, match_with_plays, play_on
from tests.support.site_records import HIDDEN_PLAY

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())


def analyse(match: Match, ply: int = 0, **options: object) -> MatchAnalysis:
    return bgfast.analyse_match(match, FAST, ply=ply, **options)


@pytest.fixture(scope="module")
def full_analysis() -> MatchAnalysis:
    """Analysis of a match in which player 0 makes the best plays and player 1 the worst."""
    match = Match(3, dice=11, info=MatchInfo(players=("Anna <script>", "Bob\x1b[2J & co")))
    return analyse(play_on(match, play=best_or_worst_play, interval=11))


def test_a_partial_analysis_can_be_continued(full_analysis: MatchAnalysis) -> None:
    analyser = MatchAnalyser(full_analysis.match, FAST, 0, None, "bgfast", 1)
    fractions = analyser.analyse()
    total = len(full_analysis.decisions) + len(full_analysis.rolls)
    assert [next(fractions) for _ in range(40)] == pytest.approx([count / total for count in range(1, 41)])
    result = analyser.result()
    count = len(result.decisions)
    assert count + len(result.rolls) == 40
    assert result.decisions == full_analysis.decisions[:count]
    assert result.rolls == full_analysis.rolls[: 40 - count]
    assert result.settings["analysed"] == f"the first {count} of {len(full_analysis.decisions)} decisions"
    assert result.luck_adjusted_result is None
    for report in (str(result), result.to_html(0), result.to_json(), result.to_sgf()):
        assert report
    rollout_analysis = analyser.rollout(trials=36).result()
    assert rollout_analysis.is_rolled_out
    assert rollout_analysis.luck_adjusted_result is None  # the analysis is still incomplete
    assert [*analyser.analyse()][-1] == 1
    assert analyser.result().to_dict() == full_analysis.to_dict()


# ---- errors ----


def best_action(match: Match, search: bgfast.evaluators.Lookahead) -> str:
    """Return the best action according to a search: a play's text or the name of a `Match` method."""
    if match.phase == "to_play":
        return str(search.best_plays(match.decision)[0].play) if len(match.plays()) else "pass_turn"
    if match.phase not in ("to_roll", "doubled"):
        return "roll" if match.phase == "opening" else "next_game"
    cube = bgfast.cube_decision(match.decision, search)
    if match.phase == "doubled":
        return "drop" if cube.equities.answers == "drop" else "take"
    return "double" if cube.why_not is None and cube.equities.doubles else "roll"


def test_choices_of_the_analysing_evaluator_are_not_errors() -> None:
    for ply, action_count in ((0, 150), (2, 30)):
        match, search = Match(3, dice=5), as_search(FAST, ply, 0)
        while match.winner is None and len(match.history) < action_count:
            action = best_action(match, search)
            match.play(action) if "/" in action else getattr(match, action)()
        analysis = analyse(match, ply)
        assert len(analysis.decisions) > action_count / 3
        assert max(decision.error for decision in analysis.decisions) < 1e-9
        assert [rates.pr for rates in analysis.rates] == pytest.approx([0, 0], abs=1e-6)


def test_the_error_of_a_play_is_its_equity_loss() -> None:
    decision = Decision(position=Position.start(), dice=(3, 1), match_length=5)
    match = Match.from_decision(decision)
    match.play("13/9")
    (analysed,) = analyse(match).decisions
    plays = as_search(FAST, 0, 0).best_plays(decision)
    recorded_play = next(candidate for candidate in plays if str(candidate.play) == "13/9")
    assert analysed.error == pytest.approx(plays[0].equity - recorded_play.equity, abs=1e-12)
    assert analysed.error_mwc == pytest.approx(plays[0].mwc - recorded_play.mwc, abs=1e-12)
    assert (analysed.rank, analysed.legal) == (1 + plays.index(recorded_play), len(plays))
    assert (analysed.best.text, analysed.chosen.text) == (str(plays[0].play), "13/9")
    # The recorded play is searched as deeply as the best play.
    match = Match.from_decision(Decision(position=Position.start(), dice=(3, 1)))
    match.play("24/23 24/21")
    (analysed,) = analyse(match, ply=1).decisions
    assert analysed.chosen.ply == analysed.best.ply == 1
    expected = as_search(FAST, 1, 1).evaluation(Decision(position=match.position, turn=-1)).equity
    assert analysed.chosen.equity == pytest.approx(-expected, abs=1e-12)


def test_obvious_decisions_are_not_searched() -> None:
    start = Decision(position=Position.start(), dice=(3, 1))
    reply = Position.from_gnubg_id("4HPwATCwZ/ABMA")  # the position after 8/5 6/5
    cash = bearoff_of([2, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2])  # a sure win: double and drop are correct
    for decision, action, plies in (
        (start, "8/5 6/5", {0}),  # no other play is inside the filter of match analysis
        # The lead of 0.140 is outside the filter of match analysis (0.12), inside the default one (0.16).
        (replace(start, position=reply, dice=(6, 6)), "24/18(2) 13/7(2)", {0}),
        (start, "24/23 13/10", {0, 1}),  # an error is searched as deeply as the best play
        (Decision(position=Position.start(), dice=(6, 2)), "24/18 13/11", {1}),  # no play leads clearly
        (Decision(position=cash.flip()), "roll", {0}),
        (Decision(position=cash), "roll", {1}),
        (Decision(position=TOSSUP), "resign", {0, 1}),
    ):
        match = Match.from_decision(decision, dice=[(3, 1)])
        match.play(action) if "/" in action else getattr(match, action)()
        analysed = analyse(match, ply=1).decisions[0]
        assert {choice.ply for choice in analysed.choices} == plies, action
        assert analysed.choices[0].ply == max(plies) or analysed.recorded.kind == "resignation"


def test_the_spread_covers_static_and_searched_plays(full_analysis: MatchAnalysis) -> None:
    analyser = DecisionAnalyser(as_search(FAST, 1, 1), MatchEquityTable.builtin(), "bgfast")
    plays = [decision for decision in full_analysis.decisions if decision.recorded.kind == "play"]
    # The sample is small and includes the ends of games.
    sample = [play for play in plays if play.recorded.move < 6 or play.legal < 4]
    assert len({static_play.recorded.game for static_play in sample}) > 1
    for static_play in sample:
        searched_play = analyser.analyse(static_play.recorded)
        equities = [choice.equity for choice in searched_play.choices if choice.ply == searched_play.best.ply]
        min_spread = max(static_play.spread, max(equities) - min(equities))
        assert searched_play.spread >= min_spread - 1e-12
        assert len(equities) > 4 or searched_play.spread == pytest.approx(min_spread, abs=1e-12)
        assert searched_play.legal == static_play.legal
        assert searched_play.best.ply == searched_play.chosen.ply
        assert not searched_play.forced or searched_play.best.ply == 0
    assert any(static_play.forced for static_play in sample)


def erratic_evaluator(boards: np.ndarray) -> np.ndarray:
    """Return winning chances with which a search and a static evaluation prefer different plays."""
    wins = np.sin(boards.astype(float) @ np.arange(26) ** 2) ** 2
    return np.column_stack([wins, *[0 * wins] * 4])


def test_the_best_play_has_the_full_search_depth() -> None:
    match = Match.from_decision(Decision(position=Position.start(), dice=(3, 1)))
    match.play("24/23 13/10")
    search = bgfast.evaluators.Lookahead(erratic_evaluator, ply=1, candidates=1, threshold=9.0)
    (analysed,) = bgfast.analyse_match(match, search).decisions
    assert [choice.ply for choice in analysed.choices] == [1, 1, 0, 0, 0]
    assert analysed.best.equity < analysed.choices[2].equity
    assert [choice.text for choice in analysed.choices].index(analysed.chosen.text) + 1 == analysed.rank < 3


def test_one_of_two_legal_plays_is_not_forced() -> None:
    match = Match.from_decision(Decision(position=LONG_SHOT, dice=(2, 1)))
    match.play("6/3")
    analysis = analyse(match)
    assert (analysis.decisions[0].legal, analysis.rates[0].unforced_plays) == (2, 1)


PLAY_ON_EQUITY = 2 * (2 * 19 / 36 - 1)
"""Equity of `TOSSUP`, in which 19 of 36 rolls win: the mover doubles and the opponent takes."""


def test_the_error_of_a_resignation_is_the_equity_loss() -> None:
    match = Match.from_decision(Decision(position=TOSSUP))
    match.resign(1)
    match.refuse_resignation()
    resignation, refusal = analyse(match).decisions
    assert resignation.error == pytest.approx(1 + PLAY_ON_EQUITY, abs=1e-6)
    assert (resignation.best.text, resignation.rank) == ("play on", 2)
    assert refusal.error == pytest.approx(resignation.error, abs=1e-9)
    assert (refusal.best.text, refusal.recorded.player) == ("accept", 1)
    match = Match.from_decision(Decision(position=TOSSUP))
    match.resign(1, by=1)  # player 1 is not on roll
    (resignation,) = analyse(match).decisions
    assert resignation.chosen.equity == -1
    assert resignation.best.equity == pytest.approx(-PLAY_ON_EQUITY, abs=1e-6)


def test_resignations_affect_rates_only_if_counted() -> None:
    match = Match.from_decision(Decision(position=TOSSUP))
    match.resign(1)
    match.accept_resignation()
    error = 1 + PLAY_ON_EQUITY
    analysis = analyse(match)
    rates, _ = analysis.rates
    assert rates.errors["resignation"] == pytest.approx(error, abs=1e-6)
    assert rates.error == 0
    assert (rates.pr, rates.gnubg_error_rate, rates.snowie_error_rate) == (None, None, None)
    assert sum(rates.marks.values()) == 0
    assert analysis.worst(10) == ()
    (line,) = [line for line in analysis.to_text().splitlines() if line.startswith("resign")]
    assert line.split() == ["resigned,", "uncounted", f"{error:.3f}", "0.000"]
    assert "not counted: resignation" in analysis.to_html()

    counted_analysis = analyse(match, count_resignations=True)
    rates, opponent_rates = counted_analysis.rates
    assert rates.pr == pytest.approx(500 * error, abs=1e-3)
    assert rates.gnubg_error_rate == rates.snowie_error_rate == pytest.approx(1000 * error, abs=1e-3)
    assert rates.marks["very bad"] == 1
    assert (opponent_rates.resignations, opponent_rates.pr) == (1, 0)  # accepting was correct
    assert [decision.recorded.chosen for decision in counted_analysis.worst(10)] == ["resign"]
    assert largest_errors(counted_analysis, 10) == []
    assert 'class="error"' not in counted_analysis.to_html()
    total_rates = combine_rates((counted_analysis.rates[0], counted_analysis.rates[1]))
    assert total_rates.pr == pytest.approx(250 * error, abs=1e-3)


def test_an_unexplained_end_is_not_an_error() -> None:
    game = " 3 point match\n\n Game 1\n Anna : 0                        Bob : 0\n"
    turn = "  1) 31: 8/5 6/5                  64: 24/14\n      Wins 1 point\n"
    match = bgfast.records.read_match(game + turn)
    assert match.results[0].ending == "unexplained"
    analysis = analyse(match, count_resignations=True)
    assert {decision.recorded.kind for decision in analysis.decisions} == {"play", "double"}
    assert [rates.resignations for rates in analysis.rates] == [0, 0]


# ---- luck ----


def test_luck_is_the_gain_over_the_mean_roll() -> None:
    match = Match.from_decision(Decision(position=TOSSUP, dice=(6, 5), max_cube=1))
    match.play(match.plays()[0])
    assert analyse(match).luck == (0, 0)  # the dice are part of the starting decision
    match = Match.from_decision(Decision(position=TOSSUP, max_cube=1), dice=[(6, 5)])
    match.roll()
    assert analyse(match).luck == pytest.approx((1 - PLAY_ON_EQUITY / 2, 0), abs=1e-9)


def test_the_mean_equity_before_an_opening_roll_is_zero() -> None:
    total = 0.0
    for dice in [roll for roll in product(range(1, 7), repeat=2) if roll[0] != roll[1]]:
        match = Match(5, dice=[dice])
        match.roll()
        total += sum(analyse(match).luck)
    # Before the roll both players have equal chances, so the starter's gain is luck.
    equities = as_search(FAST, 0, 0).roll_equities(Decision(position=Position.start(), match_length=5))
    gains = [equity for (high, low), equity in zip(bgfast.ROLLS, equities, strict=True) if high != low]
    assert total == pytest.approx(2 * sum(gains), abs=1e-9)


def test_reports_show_net_luck_and_extreme_rolls(full_analysis: MatchAnalysis) -> None:
    net_luck = full_analysis.net_luck
    assert net_luck == pytest.approx(full_analysis.luck_mwc[0] - full_analysis.luck_mwc[1])
    rolls = sorted(full_analysis.rolls, key=lambda roll: roll.luck_mwc)
    assert full_analysis.luckiest_rolls(3) == tuple(rolls[:-4:-1])
    assert full_analysis.luckiest_rolls(-3) == tuple(rolls[:3])
    assert all(roll.luck_mwc < 0 for roll in full_analysis.luckiest_rolls(-(10**6)))
    text, page = full_analysis.to_text(), full_analysis.to_html()
    name = ("Anna <script>", "Bob?[2J & co")[net_luck < 0]
    adjusted_result = full_analysis.luck_adjusted_result
    chance = 1 - adjusted_result if net_luck < 0 else adjusted_result
    assert (
        f"\n{name} was {abs(net_luck):.1%} luckier; without luck the match is {chance:.1%} for {name}" in text
    )
    assert "mean of all 21 rolls." in text
    line = text.partition("Luckiest rolls:\n")[2].splitlines()[0]
    assert line.startswith(f"+{rolls[-1].luck:.3f} ({rolls[-1].luck_mwc:+.2%}): game ")
    assert "<h2>Luck</h2>" in page
    assert f">−{-rolls[0].luck_mwc:.2%}</td>" in page
    assert "Anna &lt;script&gt;: " in page


def test_luck_in_money_play_is_scaled_by_the_cube() -> None:
    """A lucky roll that wins at once at cube 4 gains four times as many points as at cube 1."""
    decision = Decision(position=TOSSUP, cube=4, cube_owner=-1, max_cube=4)
    match = Match.from_decision(decision, dice=[(6, 5)])
    match.roll()
    match.play(match.plays()[0])
    analysis = analyse(match)
    assert analysis.net_luck == pytest.approx(4 * analysis.luck[0])
    assert (
        f"X was luckier by {analysis.net_luck:.3f} points, cube included; without luck X has "
        in analysis.to_text()
    )
    assert "Unluckiest" not in analysis.to_text()
    assert analysis.luck_adjusted_result == pytest.approx(4 - analysis.net_luck)


# ---- rates, tables, reports ----


def test_rates_agree_with_the_csv_rows(full_analysis: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(full_analysis.to_csv())))
    for player in (0, 1):
        player_rows = [row for row in rows if row["player"] == str(player)]
        total = sum(float(row["error"]) for row in player_rows)
        unforced_rows = [row for row in player_rows if row["kind"] == "play" and row["forced"] == "False"]
        close_rows = [row for row in player_rows if row["kind"] in ("double", "take")]
        for row in [row for row in close_rows if row["chosen"] == "no double"]:
            if float(row["equity_of_no_double"]) - float(row["equity_of_double"]) >= 0.16:
                close_rows.remove(row)
        counted_rows = [row for row in player_rows if row["counted"] == "True"]
        counted_error = sum(float(row["error"]) for row in counted_rows)
        rates = full_analysis.rates[player]
        assert rates.error == pytest.approx(total)
        assert rates.gnubg_error_rate == pytest.approx(1000 * total / (len(unforced_rows) + len(close_rows)))
        assert rates.snowie_error_rate == pytest.approx(1000 * total / len(full_analysis.rolls))
        assert rates.pr == pytest.approx(500 * counted_error / len(counted_rows))
        assert {row["counted"] for row in unforced_rows if row["all_equal"] == "False"} == {"True"}
        assert rates.marks["very bad"] == sum(float(row["error"]) >= 0.12 for row in player_rows)
        for mark, limit in (("error", 0.03), ("blunder", 0.12)):
            assert rates.number_of(mark) == sum(float(row["error"]) >= limit for row in player_rows)
    assert full_analysis.rates[1].pr > full_analysis.rates[0].pr
    luck, result = full_analysis.luck_mwc, float(full_analysis.match.winner == 0)
    assert full_analysis.luck_adjusted_result == pytest.approx(result - luck[0] + luck[1])
    for player in (0, 1):
        error = sum(game.rates[player].error for game in full_analysis.games)
        assert error == pytest.approx(full_analysis.rates[player].error)
    assert [game.number for game in full_analysis.games] == list(range(1, len(full_analysis.games) + 1))
    assert full_analysis.games[-1].result == full_analysis.match.results[-1]


def test_ratings_agree_with_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "MATCH_ANALYSIS.md").read_text(encoding="utf-8")
    limit_row, _, rating_row = page[page.index("| PR below |") :].splitlines()[:3]
    limits, ratings = ([cell.strip() for cell in line.split("|")[2:-1]] for line in (limit_row, rating_row))
    for limit, rating, next_rating in zip(limits, ratings, ratings[1:], strict=False):
        assert (rating_word(float(limit) - 0.01), rating_word(float(limit))) == (rating, next_rating)
    assert rating_word(100.0) == ratings[-1] == "Beginner"


def test_phases_add_up_to_the_match(full_analysis: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(full_analysis.to_csv())))
    text, page = full_analysis.to_text(), full_analysis.to_html()
    content = json.loads(full_analysis.to_json())
    for phase, phase_rates in full_analysis.phases.items():
        for player, rates in enumerate(phase_rates):
            player_rows = [row for row in rows if row["phase"] == phase and row["player"] == str(player)]
            assert rates.error == pytest.approx(sum(float(row["error"]) for row in player_rows))
            assert rates.plays == sum(row["kind"] == "play" for row in player_rows)
            assert content["phases"][phase][player]["error"] == rates.error
        errors = [f"{rates.error:.3f}" for rates in phase_rates]
        assert f"in the {phase} {' '.join(errors)}" in " ".join(text.split())
        cells = "".join(f'<td class="c{column}">{error}</td>' for column, error in enumerate(errors, 2))
        assert f"in the {phase}</td>{cells}" in page
    assert sum(rates[0].turns for rates in full_analysis.phases.values()) == len(full_analysis.rolls)
    assert sum(rates[0].plays > 0 for rates in full_analysis.phases.values()) > 1  # several phases occur


def test_tables_show_the_luck_of_every_played_roll(full_analysis: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(full_analysis.to_csv())))
    page = full_analysis.to_html()
    plays = [decision for decision in full_analysis.decisions if decision.recorded.kind == "play"]
    assert len({id(full_analysis.roll_of(decision)) for decision in plays}) == len(plays)
    for row, decision in zip(rows, full_analysis.decisions, strict=True):
        roll = full_analysis.roll_of(decision)
        if decision.recorded.kind != "play":
            assert (roll, row["luck"], row["luck_mwc"]) == (None, "", "")
            continue
        assert roll.recorded.decision == decision.recorded.decision
        assert (float(row["luck"]), float(row["luck_mwc"])) == (roll.luck, roll.luck_mwc)
        dice, luck = roll_text(decision.recorded.decision.dice), f"{roll.luck:+.3f}".replace("-", "−")
        cells = f'<td class="c3">{dice}</td><td class="c4">{luck}</td><td class="c5">'
        assert f"{cells}{decision.recorded.chosen}<" in page
    content = full_analysis.to_dict()
    for item in (*content["decisions"], *content["rolls"]):
        assert item["name"] == full_analysis.names[item["player"]]


def test_the_move_list_shows_signed_losses_and_marks(full_analysis: MatchAnalysis) -> None:
    page = full_analysis.to_html()
    marks = set()
    for decision in full_analysis.worst(20):
        mark = "blunder" if decision.error >= 0.12 else "error" if decision.error >= 0.03 else ""
        assert f">{f'−{decision.error:.3f} {mark}'.strip()}</" in page
        marks.add(mark)
    assert {"blunder", "error"} <= marks


def test_the_chart_shows_the_luckiest_and_unluckiest_rolls(full_analysis: MatchAnalysis) -> None:
    titles = re.findall('<path class="luck .*?<title>(.*?)</title>', full_analysis.to_html())
    assert len(titles) == 12  # each of the two charts has six
    rolls = [*full_analysis.luckiest_rolls(3), *full_analysis.luckiest_rolls(-3)]
    for title, roll in zip(titles[:6], rolls, strict=True):
        assert title.strip().startswith(f"{roll.luck:+.3f} ({roll.luck_mwc:+.2%}): game ")
        assert title.endswith(f": {roll_text(roll.recorded.roll)}")


def test_moves_are_assigned_to_phases() -> None:
    race, bearoff = bearoff_of([0, 0, 0, 0, 0, 0, 2], [2]), bearoff_of([0, 0, 0, 0, 0, 2], [2])
    for position, move, phase in (
        (Position.start(), 3, "opening"),
        (Position.start(), 4, "middle game"),
        (race, 1, "race"),
        (bearoff, 1, "bear-off"),
    ):
        assert phase_of(RecordedRoll(0, 1, move, 0, Decision(position=position, dice=(3, 1)))) == phase


def test_errors_have_mwc_only_in_matches(full_analysis: MatchAnalysis) -> None:
    for rates in (full_analysis.rates[0], combine_rates((full_analysis.rates[0], full_analysis.rates[0]))):
        assert set(rates.errors_mwc) == set(ERROR_KINDS)
    money_rates = analyse(Match.from_decision(Decision(position=TOSSUP))).rates
    assert not money_rates[0].errors_mwc
    assert not combine_rates(money_rates).errors_mwc


def test_the_report_has_rates_and_luck_of_every_game(full_analysis: MatchAnalysis) -> None:
    lines = iter(full_analysis.to_text().splitlines())
    assert any(line.split() == ["PR", "GNU", "Snowie", "luck"] for line in lines)
    for game in full_analysis.games:
        assert next(lines).startswith(f"game {game.number}, {game.score[0]}-{game.score[1]}: ")
        for rates, luck in zip(game.rates, game.luck, strict=True):
            values = [rates.pr, rates.gnubg_error_rate, rates.snowie_error_rate]
            cells = ["-" if value is None else f"{value:.2f}" for value in values]
            assert next(lines).split()[-4:] == [*cells, f"{luck:+.3f}"]


def test_summary_and_games_fit_into_fifty_columns(full_analysis: MatchAnalysis) -> None:
    match = copy.copy(full_analysis.match)
    match.info = MatchInfo(players=("Somebody with a name that is long", "B" * 40))
    decisions = [replace(item, error_se=0.1) for item in full_analysis.decisions]
    for analysis in (full_analysis, MatchAnalysis(match, decisions, full_analysis.rolls, {}, rolled_out={})):
        _, summary, games, *_ = analysis.to_text(0).split("\n\n")
        lines = [*summary.splitlines(), *games.splitlines()]
        assert max(len(line) for line in lines if not line.startswith("game ")) <= 50
    assert "Somebody with…" in summary
    assert " ± " in games


def test_reports_escape_names_and_have_links_and_boards(full_analysis: MatchAnalysis) -> None:
    page = full_analysis.to_html(3)
    assert page.count("<script") == 2  # the playback data and its script
    icon, *links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert icon.startswith("data:image/svg+xml,")
    assert {link for link in links if "#game-" not in link} == {f"#error-{number}" for number in (1, 2, 3)}
    assert "<h1>Anna &lt;script&gt; – Bob" in page
    assert page.count('<article class="error"') == 3
    for game in full_analysis.games:
        for rates in game.rates:
            assert f">{rates.snowie_error_rate:.2f}</td>" in page.split(f"Game {game.number} at ")[1]
    for picture in page.split("<svg xmlns")[-3:]:  # boards use the colours of the page
        assert picture.index('fill="none"') < picture.index('fill="var(--frame)"') < picture.index("</svg>")
    text = full_analysis.to_text(3)
    assert "\x1b" not in text + match_line(full_analysis, "a\nb.mat")
    assert len(text.split("Largest errors:\n")[1].splitlines()) == 3


def test_totals_combine_several_matches(full_analysis: MatchAnalysis) -> None:
    totals = MatchCollection(worst=0)
    totals.add(full_analysis, "a")
    totals.add(full_analysis, "b")
    names = [player.name for player in totals.players]
    assert names == list(full_analysis.names)  # the lowest PR comes first
    rates = totals.players[0].rates
    assert totals.players[0].match_count == 2
    assert rates.pr == pytest.approx(full_analysis.rates[0].pr)
    assert rates.error == pytest.approx(2 * full_analysis.rates[0].error)
    lines = totals_text(totals).splitlines()
    assert len(lines) == 3
    assert len(set(map(len, lines))) == 1
    assert len(lines[0]) <= 50
    assert lines[1].split()[-5:-2] == ["2", f"{rates.pr:.2f}", f"{rates.checker_pr:.2f}"]


def test_unfinished_matches_have_rates_but_no_winner() -> None:
    match = match_with_plays("13/9", length=7)
    match.roll()
    analysis = analyse(match)
    assert analysis.rates[0].error > 0
    assert analysis.luck_adjusted_result is None
    assert json.loads(analysis.to_json())["games"][0]["winner"] is None
    empty_analysis = analyse(Match(3))
    assert (empty_analysis.to_csv(), empty_analysis.rates[0].pr) == ("", None)
    assert "0-0, not finished" in str(empty_analysis)


def test_outputs_omit_moves_on_an_unknown_board() -> None:
    text = HIDDEN_PLAY.replace(" 3 point", " 1 point")
    analysis = analyse(bgfast.records.read_match(text))
    prefix_analysis = analyse(bgfast.records.read_match(text.partition(" ????")[0]))
    assert analysis.rates == prefix_analysis.rates
    assert [roll.recorded.move for roll in analysis.rolls] == [1, 1, 2, 2, 3]
    assert {row["move"] for row in analysis.rows()} == {1, 2}
    assert (analysis.match.winner, analysis.luck_adjusted_result, analysis.is_complete) == (1, None, False)
    assert "score 0-1, board unknown in 1 game (" in analysis.to_text()
    assert "\n  board unknown from move 3\n" in analysis.to_text()
    page = analysis.to_html()
    assert "; board unknown from move 3." in page
    assert "Match to 1, board unknown in 1 game." in page
    assert analysis.to_dict()["games"][0]["unknown_moves"] == [[3, None]]
    assert prefix_analysis.to_dict()["games"][0]["unknown_moves"] == []
    assert analysis.worst(99) == prefix_analysis.worst(99)
    lines = analysis.to_sgf().splitlines()
    unknown_index = next(index for index, line in enumerate(lines) if "UNKNOWN[]" in line)
    assert "LU[" in lines[unknown_index]
    assert not any("LU[" in line or "A[" in line for line in lines[unknown_index + 1 :])


@pytest.mark.parametrize("progress", [[].append, int, lambda fraction: None])
def test_progress_may_be_any_callable(progress: Callable[[float], None]) -> None:
    assert bgfast.analyse_match(bgfast.Match(3), progress=progress).whole
