"""Recorded matches analysed: what decisions cost, whose errors they are, luck, rates, reports."""

from __future__ import annotations

import copy
import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Decision, Match, MatchInfo, Position
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.decisions.best_plays import best_plays
from bgfast.analysis.decisions.players import player_of
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.judging.judge import DecisionAnalyser
from bgfast.analysis.matches.judging.match_judgement import AnalysisSettings, MatchAnalyser
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.phases import phase_of
from bgfast.analysis.matches.players import PlayerTotals
from bgfast.analysis.matches.rates import ERROR_KINDS, combined_rates
from bgfast.analysis.matches.recorded_decisions import RecordedRoll
from bgfast.analysis.matches.text_report import match_line, totals_text

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())


def bearing_off(own: list[int], opponent: list[int]) -> Position:
    """Return a position by the numbers of checkers on points 1 to 6 of both sides."""
    board = [0, *own] + [0] * (25 - len(own))
    for point, number in enumerate(opponent, 1):
        board[25 - point] = -number
    return Position.from_array(board)


def analysed(match: Match, ply: int = 0, **options: object) -> MatchAnalysis:
    return bgfast.analyse_match(match, FAST, ply=ply, **options)


def one(match: Match, kind: str) -> AnalysedDecision:
    (found,) = [each for each in analysed(match).decisions if each.recorded.kind == kind]
    return found


@pytest.fixture(scope="module")
def played() -> MatchAnalysis:
    """A match between two who play what looks best, and one of them badly."""
    match = Match(3, dice=11, info=MatchInfo(players=("Anna <script>", "Bob\x1b[2J & co")))
    player = player_of(FAST, 0, 0)
    while match.winner is None:
        if match.result is not None:
            match.next_game()
        elif match.phase == "opening":
            match.roll()
        elif match.phase == "doubled":
            match.take() if match.to_act else match.drop()
        elif match.phase == "to_roll":
            turn = len(match.history)
            match.double() if "double" in match.legal_actions() and turn % 11 == 0 else match.roll()
        elif not len(match.plays()):
            match.pass_turn()
        else:
            ranked = player.best_plays(match.decision)
            match.play(ranked[-1 if match.on_turn else 0].play)
    return analysed(match)


def test_what_is_judged_so_far_and_the_rest_later(played: MatchAnalysis) -> None:
    analyser = MatchAnalyser(played.match, AnalysisSettings(FAST, 0, None, "bgfast", 1))
    shares = analyser.analyse()
    total = len(played.decisions) + len(played.rolls)
    assert [next(shares) for _ in range(40)] == pytest.approx([done / total for done in range(1, 41)])
    so_far = analyser.result()
    assert so_far.decisions == played.decisions[: len(so_far.decisions)]
    assert so_far.rolls == played.rolls[: len(so_far.rolls)]
    assert len(so_far.decisions) + len(so_far.rolls) == 40
    assert (
        so_far.settings["judged"] == f"the first {len(so_far.decisions)} of {len(played.decisions)} decisions"
    )
    assert so_far.luck_adjusted_result is None
    assert played.luck_adjusted_result is not None
    for report in (str(so_far), so_far.to_html(), so_far.to_json(), so_far.to_sgf()):
        assert report
    assert [*analyser.analyse()][-1] == 1
    assert analyser.result().to_dict() == played.to_dict()


# ---- what a decision costs ----


@pytest.mark.parametrize(("ply", "actions"), [(0, 150), (2, 40)])
def test_who_plays_as_the_analysis_does_makes_no_error(ply: int, actions: int) -> None:
    match, player = Match(3, dice=5), player_of(FAST, ply, 0)
    while match.winner is None and len(match.history) < actions:
        if match.result is not None:
            match.next_game()
        elif match.phase == "opening":
            match.roll()
        elif match.phase in ("to_roll", "doubled"):
            found = bgfast.cube_decision(match.decision, player)
            if match.phase == "doubled":
                match.drop() if found.equities.answers == "pass" else match.take()
            elif found.why_not is None and found.equities.doubles:
                match.double()
            else:
                match.roll()
        elif not len(match.plays()):
            match.pass_turn()
        else:
            match.play(best_plays(player, match.decision, None, "bgfast")[0].play)
    found = analysed(match, ply)
    assert len(found.decisions) > actions / 3
    assert max(each.error for each in found.decisions) < 1e-9
    assert [each.pr for each in found.rates] == pytest.approx([0, 0], abs=1e-6)


def test_a_play_costs_what_the_best_one_is_worth_more() -> None:
    decision = Decision(position=Position.start(), dice=(3, 1), match_length=5)
    match = Match.from_decision(decision)
    match.play("13/9")
    found = one(match, "play")
    ranked = player_of(FAST, 0, 0).best_plays(decision)
    made = next(each for each in ranked if str(each.play) == "13/9")
    assert found.error == pytest.approx(ranked[0].equity - made.equity, abs=1e-12)
    assert found.error_mwc == pytest.approx(ranked[0].mwc - made.mwc, abs=1e-12)
    assert (found.rank, found.legal) == (1 + ranked.index(made), len(ranked))
    assert found.best.text == str(ranked[0].play)
    assert found.chosen.text == "13/9"


def test_what_was_played_is_looked_at_as_far_as_the_best() -> None:
    match = Match.from_decision(Decision(position=Position.start(), dice=(3, 1)))
    match.play("24/23 24/21")
    (found,) = analysed(match, ply=1).decisions
    assert found.chosen.ply == found.best.ply == 1
    after = match.position
    expected = player_of(FAST, 1, 1).evaluation(Decision(position=after, turn=-1)).equity
    assert found.chosen.equity == pytest.approx(-expected, abs=1e-12)


def test_what_stands_at_sight_is_not_looked_at_further() -> None:
    start = Decision(position=Position.start(), dice=(3, 1))
    reply = Position.from_gnubg_id("4HPwATCwZ/ABMA")  # after 8/5 6/5
    far = bearing_off([2, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2])  # won with any roll: doubled, passed
    for decision, action, plies in [
        (start, "8/5 6/5", {0}),  # by far the best
        (
            replace(start, position=reply, dice=(6, 6)),
            "24/18(2) 13/7(2)",
            {0},
        ),  # by 0.140: other filters would look on
        (start, "24/23 13/10", {0, 1}),  # a mistake: it and the best are looked at
        (Decision(position=Position.start(), dice=(6, 2)), "24/18 13/11", {1}),  # others come near
        (Decision(position=far.flip()), "roll", {0}),
        (Decision(position=far), "roll", {1}),
        (Decision(position=CLOSE), "resign", {0, 1}),
    ]:
        match = Match.from_decision(decision, dice=[(3, 1)])
        if action == "roll":
            match.roll()
        elif action == "resign":
            match.resign(1)
        else:
            match.play(action)
        found = analysed(match, ply=1).decisions[0]
        assert {each.ply for each in found.choices} == plies, action
        assert found.choices[0].ply == max(plies) or found.recorded.kind == "resignation"


def test_the_spread_is_that_at_sight(played: MatchAnalysis) -> None:
    analyser = DecisionAnalyser(player_of(FAST, 1, 1), MatchEquityTable.builtin(), "bgfast")
    plays = [each for each in played.decisions if each.recorded.kind == "play"]
    chosen = [each for each in plays if each.recorded.move < 6 or each.legal < 4]  # also the ends of games
    assert len({each.recorded.game for each in chosen}) > 1
    for each in chosen:
        again = analyser.analyse(each.recorded)
        assert isinstance(again, AnalysedDecision)
        assert again.spread == pytest.approx(each.spread, abs=1e-12)
        assert again.legal == each.legal
        assert again.best.ply == again.chosen.ply
        assert not again.forced or again.best.ply == 0
    assert any(each.forced for each in chosen)


def contrary(boards: np.ndarray) -> np.ndarray:
    """Say anything: looking ahead everybody finds something better than at sight."""
    chances = np.sin(boards.astype(float) @ np.arange(26) ** 2) ** 2
    return np.column_stack([chances, *[0 * chances] * 4])


def test_the_best_is_one_that_was_looked_at_furthest() -> None:
    match = Match.from_decision(Decision(position=Position.start(), dice=(3, 1)))
    match.play("24/23 13/10")
    player = bgfast.evaluators.Lookahead(contrary, ply=1, candidates=1, threshold=9.0)
    (found,) = bgfast.analyse_match(match, player).decisions
    assert [each.ply for each in found.choices] == [1, 1, 0, 0, 0]
    assert found.best.equity < found.choices[2].equity
    assert [each.text for each in found.choices].index(found.chosen.text) + 1 == found.rank < 3


def test_with_two_plays_there_is_something_to_decide() -> None:
    match = Match.from_decision(Decision(position=FEW, dice=(2, 1)))
    match.play("6/3")
    found = analysed(match)
    assert (found.decisions[0].legal, found.rates[0].unforced_plays) == (2, 1)


# One checker on each side's ace point: who rolls has won.
WON = bearing_off([1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
# Checkers on 5 and 2 leave 17 of 36 rolls that do not bear both off; the opponent is off with the next roll.
CLOSE = bearing_off([0, 1, 0, 0, 1, 0], [2, 0, 0, 0, 0, 0])
WINS = 19 / 36
FEW = bearing_off([0, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 0])  # 4 of 36: 6-6, 5-5, 4-4, 3-3
FEW_WIN = 4 / 36


@pytest.mark.parametrize(
    ("position", "actions", "error", "kind"),
    [
        (CLOSE, ["roll"], 2 * (2 * WINS - 1) - (2 * WINS - 1), "missed double"),
        (CLOSE, ["double", "take"], 0.0, None),
        (CLOSE, ["double", "drop"], 1 - 2 * (2 * WINS - 1), "wrong pass"),
        (FEW, ["double", "take"], 2 * (1 - 2 * FEW_WIN) - (1 - 2 * FEW_WIN), "wrong double"),
        (WON, ["double", "take"], 1.0, "wrong take"),
        (WON, ["double", "drop"], 0.0, None),
    ],
)
def test_each_error_of_the_cube_by_its_exact_cost(
    position: Position, actions: list[str], error: float, kind: str | None
) -> None:
    match = Match.from_decision(Decision(position=position), dice=[(3, 1)])
    for action in actions:
        getattr(match, action)()
    found = analysed(match)
    wrong = {name: value for each in found.rates for name, value in each.errors.items() if value > 1e-9}
    assert wrong == ({} if kind is None else {kind: pytest.approx(error, abs=1e-6)})
    loser = {"missed double": 0, "wrong double": 0, "wrong take": 1, "wrong pass": 1}.get(kind or "")
    assert loser is None or found.rates[loser].error > 0


def test_a_resignation_costs_what_playing_on_is_worth_more() -> None:
    match = Match.from_decision(Decision(position=CLOSE))
    match.resign(1)
    match.refuse_resignation()
    resigned, refused = analysed(match).decisions
    # The mover doubles, the opponent takes: 2 (2 WINS - 1).
    assert resigned.error == pytest.approx(1 + 2 * (2 * WINS - 1), abs=1e-6)
    assert (resigned.best.text, resigned.rank) == ("play on", 2)
    assert refused.error == pytest.approx(resigned.error, abs=1e-9)
    assert (refused.best.text, refused.recorded.player) == ("accept", 1)


def test_who_is_not_on_roll_may_resign_too() -> None:
    match = Match.from_decision(Decision(position=CLOSE))
    match.resign(1, by=1)
    (resigned,) = analysed(match).decisions
    assert resigned.chosen.equity == -1
    assert resigned.best.equity == pytest.approx(-2 * (2 * WINS - 1), abs=1e-6)


# ---- luck ----


def test_luck_is_what_a_roll_brings_beyond_the_mean() -> None:
    match = Match.from_decision(Decision(position=CLOSE, dice=(6, 5), max_cube=1))
    match.play(match.plays()[0])
    assert analysed(match).luck == (0, 0)  # the dice of the decision were rolled before
    match = Match.from_decision(Decision(position=CLOSE, max_cube=1), dice=[(6, 5)])
    match.roll()
    assert analysed(match).luck == pytest.approx((1 - (2 * WINS - 1), 0), abs=1e-9)


def test_of_an_opening_neither_player_expects_anything() -> None:
    total = 0.0
    for high, low in bgfast.ROLLS:
        for dice in ((high, low), (low, high)):
            if high != low:
                match = Match(5, dice=[dice])
                match.roll()
                first, second = analysed(match).luck
                total += first + second
    # Of both players as much is expected: what the mean roll without doubles brings whoever begins is luck.
    sight = player_of(FAST, 0, 0).roll_equities(Decision(position=Position.start(), match_length=5))
    brought = [equity for (high, low), equity in zip(bgfast.ROLLS, sight, strict=True) if high != low]
    assert total == pytest.approx(2 * sum(brought), abs=1e-9)


def test_the_result_without_luck(played: MatchAnalysis) -> None:
    luck = played.luck_mwc
    assert luck is not None
    won = float(played.match.winner == 0)
    assert played.luck_adjusted_result == pytest.approx(won - luck[0] + luck[1])


# ---- rates, tables, reports ----


def test_rates_recomputed_from_the_table(played: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(played.to_csv())))
    for player in (0, 1):
        mine = [row for row in rows if row["player"] == str(player)]
        total = sum(float(row["error"]) for row in mine)
        unforced = [row for row in mine if row["kind"] == "play" and row["forced"] == "False"]
        doubles = [row for row in mine if row["kind"] in ("double", "take")]
        close = [
            row
            for row in doubles
            if row["chosen"] != "no double"
            or float(row["equity_of_no_double"]) - float(row["equity_of_double"]) < 0.16
        ]
        counted = [
            row
            for row in doubles
            if row["chosen"] != "no double"
            or (
                float(row["equity_of_no_double"]) > 0
                and float(row["equity_of_no_double"]) - float(row["equity_of_double"]) < 0.2
            )
        ]
        found = played.rates[player]
        assert found.error == pytest.approx(total)
        assert found.gnubg_error_rate == pytest.approx(1000 * total / (len(unforced) + len(close)))
        assert found.snowie_error_rate == pytest.approx(1000 * total / len(played.rolls))
        plays = [row for row in unforced if row["all_equal"] == "False"]
        assert found.pr == pytest.approx(500 * total / (len(plays) + len(counted)))
        assert found.marks["very bad"] == sum(float(row["error"]) >= 0.12 for row in mine)
    assert played.rates[1].pr > played.rates[0].pr


def test_a_match_to_one_point_counts_half_as_much_more() -> None:
    match = Match(1, dice=[(3, 1)])
    match.roll()
    match.play("13/9")
    (found, _) = analysed(match).rates
    assert found.pr == pytest.approx(1.5 * 500 * found.error)


def test_phases_add_up_to_the_match(played: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(played.to_csv())))
    text, page, content = played.to_text(), played.to_html(), json.loads(played.to_json())
    for phase, both in played.phases.items():
        for player, found in enumerate(both):
            mine = [row for row in rows if row["phase"] == phase and row["player"] == str(player)]
            assert found.error == pytest.approx(sum(float(row["error"]) for row in mine))
            assert found.plays == sum(row["kind"] == "play" for row in mine)
            assert content["phases"][phase][player]["error"] == found.error
        numbers = [f"{found.error:.3f}" for found in both]
        assert f"in the {phase} {' '.join(numbers)}" in " ".join(text.split())
        assert f"in the {phase}</td><td>{'</td><td>'.join(numbers)}</td>" in page
    assert sum(both[0].turns for both in played.phases.values()) == len(played.rolls)
    assert sum(both[0].plays > 0 for both in played.phases.values()) > 1  # there are several


def test_luck_stands_beside_the_play_of_its_roll(played: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(played.to_csv())))
    page = played.to_html()
    plays = [each for each in played.decisions if each.recorded.kind == "play"]
    assert len({id(played.roll_of(each)) for each in plays}) == len(plays)
    for row, each in zip(rows, played.decisions, strict=True):
        roll = played.roll_of(each)
        if each.recorded.kind != "play":
            assert (roll, row["luck"], row["luck_mwc"]) == (None, "", "")
            continue
        assert roll is not None
        assert roll.recorded.decision == each.recorded.decision
        assert (float(row["luck"]), float(row["luck_mwc"])) == (roll.luck, roll.luck_mwc)
        dice = "{}-{}".format(*each.recorded.decision.dice)
        assert f"<td>{dice}</td><td>{roll.luck:+.3f}</td><td>{each.recorded.chosen}</td>" in page


@pytest.mark.parametrize(
    ("board", "move", "phase"),
    [
        (Position.start(), 3, "opening"),
        (Position.start(), 4, "middle game"),
        (bearing_off([0, 0, 0, 0, 0, 0, 2], [2]), 1, "race"),
        (bearing_off([0, 0, 0, 0, 0, 2], [2]), 1, "bear-off"),
    ],
)
def test_phases(board: Position, move: int, phase: str) -> None:
    decision = Decision(position=board, dice=(3, 1))
    assert phase_of(RecordedRoll(0, 1, move, 0, decision)) == phase


def test_every_kind_of_error_has_its_chances_in_a_match_and_none_in_money(played: MatchAnalysis) -> None:
    for found in (played.rates[0], combined_rates((played.rates[0], played.rates[0]))):
        assert set(found.errors_mwc) == set(ERROR_KINDS)
    money = analysed(Match.from_decision(Decision(position=CLOSE))).rates
    assert not money[0].errors_mwc
    assert not combined_rates(money).errors_mwc


def test_games_add_up_to_the_match(played: MatchAnalysis) -> None:
    for player in (0, 1):
        assert sum(game.rates[player].error for game in played.games) == pytest.approx(
            played.rates[player].error
        )
    assert [game.number for game in played.games] == list(range(1, len(played.games) + 1))
    assert played.games[-1].result == played.match.results[-1]


def test_games_have_their_chief_numbers_in_the_report(played: MatchAnalysis) -> None:
    lines = played.to_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.split() == ["PR", "GNU", "Snowie", "luck"])
    for game in played.games:
        assert lines[at + 1].startswith(f"game {game.number}, {game.score[0]}-{game.score[1]}: ")
        for player, found in enumerate(game.rates):
            rates = [found.pr, found.gnubg_error_rate, found.snowie_error_rate]
            shown = ["-" if rate is None else f"{rate:.2f}" for rate in rates]
            assert lines[at + 2 + player].split()[-4:] == [*shown, f"{game.luck[player]:+.3f}"]
        at += 3


def test_summary_and_games_fit_into_fifty_columns(played: MatchAnalysis) -> None:
    match = copy.copy(played.match)
    match.info = MatchInfo(players=("Somebody with a name that is long", "B" * 40))
    decisions = [replace(each, error_se=0.1) for each in played.decisions]
    for each in (played, MatchAnalysis(match, decisions, played.rolls, {}, rolled_out={})):
        _, summary, games, *_ = each.to_text(0).split("\n\n")
        lines = [*summary.splitlines(), *games.splitlines()]
        assert max(len(line) for line in lines if not line.startswith("game ")) <= 50
    assert "Somebody with…" in summary
    assert " ± " in games


def test_any_number_of_threads_finds_the_same(played: MatchAnalysis) -> None:
    assert analysed(played.match, threads=3).to_json() == played.to_json()


def test_names_are_text_wherever_they_stand(played: MatchAnalysis) -> None:
    page = played.to_html(3)
    seen = _Seen()
    seen.feed(page)
    assert "script" not in seen.tags
    assert seen.links == []
    assert "Anna <script> - Bob" in " ".join(seen.text)
    assert page.count('class="decision"') == 3
    for game in played.games:  # the rates of each game, not only those of the match
        for each in game.rates:
            assert f"<td>{each.snowie_error_rate:.2f}</td>" in page.split(f"Game {game.number} at ")[1]
    for picture in page.split("<svg xmlns")[-3:]:  # boards have the page's paper and ink, light or dark
        assert picture.index('fill="none"') < picture.index("currentColor") < picture.index("</svg>")
    text = played.to_text(3)
    assert "\x1b" not in text + match_line(played, "a\nb.mat")
    assert len(text.split("Largest errors:\n")[1].splitlines()) == 3


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_totals_of_several_matches(played: MatchAnalysis) -> None:
    totals = PlayerTotals()
    totals.add(played)
    totals.add(played)
    names = [name for name, _, _ in totals.players]
    assert names == list(played.names)  # who gives away less stands first
    _, matches, found = totals.players[0]
    assert matches == 2
    assert found.pr == pytest.approx(played.rates[0].pr)
    assert found.error == pytest.approx(2 * played.rates[0].error)
    lines = totals_text(totals).splitlines()
    assert len(lines) == 3
    assert len({len(line) for line in lines}) == 1
    assert len(lines[0]) <= 50
    assert lines[1].split()[-6:-3] == ["2", f"{found.pr:.2f}", f"{found.gnubg_error_rate:.2f}"]


def test_an_unfinished_match_has_its_rates_so_far() -> None:
    match = Match(7, dice=[(3, 1), (6, 4)])
    match.roll()
    match.play("13/9")
    match.roll()
    found = analysed(match)
    assert found.rates[0].error > 0
    assert found.luck_adjusted_result is None
    assert "not finished" in str(found)
    assert json.loads(found.to_json())["games"][0]["winner"] is None


def test_what_is_no_match_or_no_evaluator_of_probabilities_is_refused() -> None:
    with pytest.raises(BgfastError, match="expected a Match"):
        bgfast.analyse_match("match.mat")  # type: ignore[arg-type]
    match = Match(3, dice=[(3, 1), (6, 5)])
    match.roll()
    match.play("8/5 6/5")
    match.roll()
    for ply in (0, 1, 2):
        with pytest.raises(BgfastError, match="expected an evaluator of five probabilities"):
            bgfast.analyse_match(match, bgfast.evaluators.PipCount(), ply=ply)


def test_a_match_without_a_decision_is_a_report_and_a_table_of_nothing() -> None:
    found = bgfast.analyse_match(Match(3), ply=0)
    assert (found.to_csv(), found.rates[0].pr) == ("", None)
    assert "0-0, not finished" in str(found)
