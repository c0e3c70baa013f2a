"""The contested decisions of a match rolled out: which, until when, and what is said of them."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Decision, Match, Position
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.matches.analysed import NORMAL_95, AnalysedDecision
from bgfast.analysis.matches.judging import match_rollout
from bgfast.analysis.matches.judging.contested import contested_decisions
from bgfast.analysis.matches.judging.match_rollout import MatchRollout, fast_policy
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.players import PlayerTotals
from bgfast.analysis.matches.rates import Rates, combined_rates
from bgfast.analysis.matches.text_report import decision_line, match_line, totals_text

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
LOOK, TRIALS = 36, 144
QUICK = {"trials": TRIALS, "truncate": 3}


def analysed(match: Match) -> MatchAnalysis:
    return bgfast.analyse_match(match, FAST, ply=0)


def rollouts(match: Match, **options: object) -> MatchRollout:
    met = MatchEquityTable.builtin()
    return MatchRollout(analysed(match), FAST, met=met, efficiency="bgfast", **{**QUICK, **options})


def rolled_out(match: Match, **options: object) -> MatchAnalysis:
    run = rollouts(match, **options)
    for _ in run.play():
        pass
    return run.result()


@pytest.fixture(autouse=True, scope="module")
def early_look() -> Iterator[None]:
    """Let the first look come early: rollouts take the time of a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_rollout, "INTERIM_TRIALS", (LOOK,))
        yield


@pytest.fixture(scope="module")
def match() -> Match:
    """Some turns, in some of them another play than the best, and a double that is taken."""
    match, player = Match(5, dice=15), bgfast.evaluators.Lookahead(FAST, ply=0)
    match.roll()
    for turn, rank in enumerate((0, 30, 0, 0, 1, 4)):
        if match.phase == "to_roll":
            if turn == 2:
                match.double()
                match.take()
            match.roll()
        plays = player.best_plays(match.decision)
        match.play(plays[min(rank, len(plays) - 1)].play)
    return match


@pytest.fixture(scope="module")
def whole(match: Match) -> MatchAnalysis:
    return rolled_out(match)


# ---- what is contested ----


def test_doubles_that_may_be_beavered_below_a_limit_are_not_rolled_out() -> None:
    def doubled(limit: int) -> list[str]:
        session = Match(None, rules=bgfast.RuleSet(beavers=True, cube_limit=limit), dice=[(3, 1), (6, 5)])
        session.roll()
        session.play("8/5 6/5")
        session.double()  # far too early
        session.take()
        session.roll()
        decisions = analysed(session).decisions
        return [
            decisions[place].recorded.kind for one in contested_decisions(decisions) for place in one.indices
        ]

    assert doubled(64).count("double") == 0
    assert doubled(2).count("double") == 1


def test_what_is_near_or_wrong_is_contested(match: Match) -> None:
    found = analysed(match)
    places = {place for each in contested_decisions(found.decisions) for place in each.indices}
    for place, each in enumerate(found.decisions):
        best, *others = each.choices
        if each.recorded.kind == "play":
            near = bool(others) and best.equity - others[0].equity <= 0.08
        else:
            near = best.equity - others[0].equity < 0.16
        assert (place in places) == (near or each.error >= 0.03), each
    assert 0 < len(places) < len(found.decisions)


def test_candidates_are_those_near_and_the_one_that_was_made(match: Match) -> None:
    found = analysed(match)
    for each in contested_decisions(found.decisions):
        decision = found.decisions[each.indices[0]]
        if each.plays:
            near = [one.text for one in decision.choices if decision.best.equity - one.equity <= 0.08]
            wrong = [decision.chosen.text] if decision.error > 0.08 else []
            assert list(each.plays) == near + wrong
            assert len(each.plays) <= 5


def test_the_costliest_come_first_and_a_double_with_its_answer(match: Match) -> None:
    found = analysed(match)
    order = contested_decisions(found.decisions)
    costs = [max(found.decisions[place].error for place in each.indices) for each in order]
    assert costs == sorted(costs, reverse=True)
    kinds = [[found.decisions[place].recorded.kind for place in each.indices] for each in order]
    assert ["double", "take"] in kinds
    assert ["take"] not in kinds


@pytest.mark.parametrize("clear", ["double", "take"])
def test_what_is_clear_of_a_double_is_judged_with_the_rest(match: Match, clear: str) -> None:
    decisions = list(analysed(match).decisions)
    kinds = [each.recorded.kind for each in decisions]
    places = tuple(at for at, kind in enumerate(kinds) if decisions[at].recorded.chosen in ("double", "take"))
    for at in places:
        chosen = decisions[at].chosen
        far = 0.5 if kinds[at] == clear else 0.01
        others = (
            one._replace(equity=chosen.equity - far) for one in decisions[at].choices if one is not chosen
        )
        decisions[at] = dataclasses.replace(decisions[at], choices=(chosen, *others))
    assert len(places) == 2
    assert places in [each.indices for each in contested_decisions(decisions)]


def test_what_databases_know_is_not_rolled_out() -> None:
    home = Position.from_array([0, 1, 0, 1, 0, 1] + [0] * 18 + [-3, 0])
    match = Match.from_decision(Decision(position=home, dice=(2, 1)))
    match.play("5/2")
    assert len(contested_decisions(analysed(match).decisions)) == 1
    assert rollouts(match).number == 0
    assert rolled_out(match).decisions == analysed(match).decisions


# ---- what is said ----


def by_hand(each: AnalysedDecision, trials: int) -> bgfast.RolloutResult:
    decision = dataclasses.replace(each.recorded.decision, offer=None)
    given: object = decision
    if decision.dice is not None:
        legal = {str(play): play for play in decision.position.plays(decision.dice)}
        given = [legal[one.text] for one in each.choices if one.trials == trials]
    return bgfast.rollout(
        given,
        FAST,
        trials=trials,
        truncate=3,
        variance_reduction=True,
        context=decision,
    )


def test_equities_and_errors_are_those_of_rollouts_on_the_same_dice(whole: MatchAnalysis) -> None:
    kinds = set()
    for each in whole.decisions:
        if each.status == "not rolled out":
            continue
        kinds.add(each.recorded.kind)
        found = by_hand(each, each.best.trials)
        if each.recorded.kind == "play":
            estimates = {one.name: one for one in found.estimates}
            for choice in each.choices:
                if choice.trials == each.best.trials:
                    one = estimates[choice.text]
                    assert (choice.equity, choice.equity_se) == (one.equity, one.equity_se)
                    assert (choice.mwc, choice.interval) == (one.mwc, one.interval)
            if each.error:
                assert each.error == pytest.approx(-estimates[each.chosen.text].difference)
                assert each.error_se == estimates[each.chosen.text].difference_se
            continue
        verdict = found.cube
        assert verdict is not None
        values = {one.text: one.equity for one in each.choices}
        if each.recorded.kind == "double":
            best = min(verdict.double_take, verdict.double_pass)
            assert values == {"no double": verdict.no_double, "double": best}
        else:
            assert values == {"take": -verdict.double_take, "pass": -verdict.double_pass}
    assert kinds == {"play", "double", "take"}


def test_a_double_that_is_passed_brings_a_point() -> None:
    ahead = [0, 0, 0, 0, 4, 3, 3] + [0] * 12 + [-9, -1] + [0] * 5
    match = Match.from_decision(Decision(position=Position.from_array(ahead)), dice=[(2, 1)])
    match.roll()
    (found,) = rolled_out(match).decisions
    assert (found.best.text, found.best.equity, found.best.equity_se) == ("double", 1, 0)
    assert found.status == "settled"


def test_the_word_follows_from_the_interval(whole: MatchAnalysis) -> None:
    words = set()
    for each in whole.decisions:
        words.add(each.status)
        if each.status == "settled":
            assert each.error == 0 or each.error > NORMAL_95 * each.error_se
            assert each.error or not each.error_se
        elif each.status == "too close to call":
            assert each.error <= NORMAL_95 * each.error_se
            assert each.error_se > 0
        else:
            assert (each.error_se, each.best.trials) == (0, 0)
    assert words == {"settled", "too close to call", "not rolled out"}


def test_what_is_settled_early_ends_early_and_losers_are_left_out(whole: MatchAnalysis) -> None:
    trials = {one.trials for each in whole.decisions for one in each.choices}
    assert trials == {0, LOOK, TRIALS}
    both = [each for each in whole.decisions if {one.trials for one in each.choices} >= {LOOK, TRIALS}]
    assert both, "a candidate was left behind after the first look"
    for each in both:
        assert each.chosen.trials == each.best.trials == TRIALS
    close = [each for each in whole.decisions if each.status == "too close to call"]
    assert {each.best.trials for each in close} == {TRIALS}


def test_rates_have_the_errors_of_what_they_sum(whole: MatchAnalysis) -> None:
    for player in (0, 1):
        mine = [each for each in whole.decisions if each.recorded.player == player]
        found = whole.rates[player]
        variance = sum(each.error_se**2 for each in mine)
        assert found.error_se == pytest.approx(variance**0.5)
        counted = found.counted_plays + found.counted_cube_decisions
        assert found.pr_se == pytest.approx(500 * found.error_se / counted)
        unforced = found.unforced_plays + found.close_cube_decisions
        assert found.gnubg_error_rate_se == pytest.approx(1000 * found.error_se / unforced)
        assert found.snowie_error_rate_se == pytest.approx(1000 * found.error_se / found.turns)
    assert max(found.error_se for found in whole.rates) > 0
    both = combined_rates(whole.rates)
    assert both.error_se**2 == pytest.approx(sum(found.error_se**2 for found in whole.rates))
    assert both.pr_se is not None


def test_reports_show_words_and_intervals(whole: MatchAnalysis) -> None:
    worst = whole.worst(1)[0]
    half = f" ± {NORMAL_95 * worst.error_se:.3f}"
    assert f"{worst.error:.3f}{half}" in whole.to_text()
    assert f", {worst.status}: game" in whole.to_text()
    page = whole.to_html()
    assert f"error {worst.error:.3f}{half}" in page
    assert f"{worst.best.trials} trials" in page
    assert "too close to call" in page
    row = next(row for row in whole.rows() if row["error"] == worst.error)
    assert (row["status"], row["error_se"], row["trials"]) == ("settled", worst.error_se, worst.best.trials)
    content = json.loads(whole.to_json())
    assert content["summary"][0]["pr_se"] == whole.rates[0].pr_se
    told = next(each for each in content["decisions"] if each["error"] == worst.error)["choices"][0]
    assert told["interval"] == list(worst.best.interval)


def test_every_pr_has_its_interval(whole: MatchAnalysis) -> None:
    """That of a game, too, and those of one match of several, and of all of a player's."""

    def said(found: Rates) -> str:
        assert found.pr_se
        return f"{found.pr:.2f} ± {NORMAL_95 * found.pr_se:.2f}"

    totals = PlayerTotals()
    totals.add(whole)
    _, games = whole.to_text().split("\ngame ")
    for player in (0, 1):
        game = said(whole.games[0].rates[player])
        assert game in games
        assert f"PR {game}" in whole.to_html()
        assert said(whole.rates[player]) in match_line(whole, "match.mat")
        assert said(whole.rates[player]) in totals_text(totals)


def test_what_cost_nothing_is_not_among_the_worst(whole: MatchAnalysis) -> None:
    first = whole.decisions[0]

    def costing(error: float) -> int:
        best = first.best
        choices = (best, best._replace(text="another", equity=best.equity - error))
        recorded = dataclasses.replace(first.recorded, chosen="another")
        changed = dataclasses.replace(first, recorded=recorded, choices=choices, rank=2)
        return len(MatchAnalysis(whole.match, [changed], [], {}).worst(9))

    assert (costing(0.0006), costing(0.0004)) == (1, 0)


def test_what_is_not_marked_leaves_no_gap(whole: MatchAnalysis) -> None:
    """A decision, made wrong by next to nothing: rolled out, or not."""
    each = next(each for each in whole.decisions if each.error < 0.03)
    for status, words in (("settled", " settled"), ("not rolled out", "")):
        line = decision_line(dataclasses.replace(each, status=status), whole.names)
        assert re.fullmatch(rf" +[0-9.± ]+ \([0-9.]+%\){words}: game .+", line)


# ---- the same again ----


def test_any_threads_and_any_interruption_find_the_same(
    match: Match, whole: MatchAnalysis, tmp_path: Path
) -> None:
    path = tmp_path / "rollouts"
    run = rollouts(match)
    for _ in run.play(checkpoint=path):
        if run.done >= 2:
            break
    assert 0 < run.done < run.number
    again = rollouts(match)
    for _ in again.play(threads=2, checkpoint=path):
        pass
    assert again.resumed >= run.done
    assert again.result().to_json() == whole.to_json()
    assert again.result().to_html() == whole.to_html()
    size = path.stat().st_size
    done = rollouts(match)
    assert list(done.play(checkpoint=path)) == []
    assert (done.done, path.stat().st_size) == (done.number, size)


def test_a_checkpoint_is_of_one_match_and_its_settings(match: Match, tmp_path: Path) -> None:
    path = tmp_path / "rollouts"
    next(rollouts(match).play(checkpoint=path))
    with pytest.raises(BgfastError, match="that of another match analysis: its seed is 0, here it is 1"):
        next(rollouts(match, seed=1).play(checkpoint=path))
    with pytest.raises(
        BgfastError, match=r"trials is .*; expected the same match and options as in the first run"
    ):
        next(rollouts(match, trials=2 * TRIALS).play(checkpoint=path))
    other = Match.from_decision(Decision(position=Position.start(), dice=(3, 1)))
    other.play("24/23 13/10")
    with pytest.raises(BgfastError, match="its decisions is"):
        next(rollouts(other).play(checkpoint=path))


def test_when_the_time_is_over_the_rest_is_not_rolled_out(match: Match) -> None:
    found = bgfast.analyse_match(match, FAST, ply=0, rollout=True, time_limit=1e-6, **QUICK)
    words = [each.status for each in found.decisions]
    assert words.count("not rolled out") >= len(words) - 1
    assert "decisions left" in found.settings["rollout"]
    assert rollouts(match).result().decisions == analysed(match).decisions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 36}, "trials is 36; expected rollout=True with it"),
        ({"truncate": None}, "truncate is None; expected"),
        ({"seed": 1}, "seed is 1; expected"),
        ({"time_limit": 1.0}, "time_limit is 1.0; expected"),
        ({"checkpoint": "kept"}, "checkpoint is 'kept'; expected"),
    ],
)
def test_what_is_for_rollouts_is_refused_without_them(
    match: Match, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BgfastError, match=message):
        bgfast.analyse_match(match, FAST, ply=0, **options)


def test_who_plays_is_the_faster_network_that_goes_with_the_evaluator() -> None:
    strong, fast = bgfast.Network.builtin(), bgfast.Network.builtin_fast()
    assert fast_policy(bgfast.evaluators.WithBearoff(strong)) == bgfast.evaluators.WithBearoff(fast)
    assert fast_policy(strong) == fast
    assert fast_policy(FAST) is FAST
    assert fast_policy(fast) is fast
    pips = bgfast.evaluators.PipCount()
    assert fast_policy(pips) is pips


@pytest.mark.parametrize("options", [{"trials": 1}, {"truncate": 0}, {"seed": -1}])
def test_wrong_arguments_are_refused(match: Match, options: dict[str, int]) -> None:
    with pytest.raises(BgfastError, match=next(iter(options))):
        bgfast.analyse_match(match, FAST, ply=0, rollout=True, **options)
