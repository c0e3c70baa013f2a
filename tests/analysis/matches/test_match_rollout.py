"""Rollouts of the contested decisions of a match: selection, interim analyses, and results."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Decision, Match, Position
from bgfast.analysis.matches import match_rollout
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.match_rollout import (
    MAX_ERROR_SE,
    NORMAL_99,
    MatchRollout,
    action_equities,
    rollout_error,
    select_decisions,
)
from bgfast.analysis.matches.match_statistics import combine_rates
from bgfast.analysis.reports.match_collection import MatchCollection, match_line, totals_text
from bgfast.common.probabilities import NORMAL_95
from bgfast.evaluation.match_equity import MatchEquityTable
from tests.support.journals import rewrite

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
INTERIM, TRIALS = 36, 144
QUICK_OPTIONS = {"trials": TRIALS, "truncate": 3}


def analyse(match: Match) -> MatchAnalysis:
    return bgfast.analyse_match(match, FAST, ply=0)


def make_rollout(match: Match, **options: object) -> MatchRollout:
    met = MatchEquityTable.builtin()
    return MatchRollout(analyse(match), FAST, met=met, efficiency="bgfast", **{**QUICK_OPTIONS, **options})


def roll_out(match: Match, **options: object) -> MatchAnalysis:
    rollout = make_rollout(match, **options)
    list(rollout.play())
    return rollout.result()


@pytest.fixture(autouse=True, scope="module")
def early_interim_analysis() -> Iterator[None]:
    """Schedule the interim analysis early to keep tests quick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_rollout, "INTERIM_TRIALS", (INTERIM,))
        yield


@pytest.fixture(scope="module")
def match() -> Match:
    """A match of a few turns with some wrong plays and a double that is taken."""
    match, player = Match(5, dice=79), bgfast.evaluators.Lookahead(FAST, ply=0)
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
def rollout_analysis(match: Match) -> MatchAnalysis:
    return roll_out(match)


# ---- selection ----


def test_doubles_that_may_be_beavered_are_not_rolled_out() -> None:
    for limit, expected_count in ((64, 0), (2, 1)):
        session = Match(None, rules=bgfast.RuleSet(beavers=True, cube_limit=limit), dice=[(3, 1), (6, 5)])
        session.roll()
        session.play("8/5 6/5")
        session.double()
        session.take()
        session.roll()
        decisions = analyse(session).decisions
        indices = [index for item in select_decisions(decisions) for index in item.indices]
        assert [decisions[index].recorded.kind for index in indices].count("double") == expected_count


def test_close_and_wrong_decisions_are_contested(match: Match) -> None:
    analysis = analyse(match)
    selection = select_decisions(analysis.decisions)
    is_contested = []
    for decision in analysis.decisions:
        lead = decision.best.equity - decision.choices[1].equity if len(decision.choices) > 1 else 1.0
        is_close = lead <= 0.08 if decision.recorded.kind == "play" else lead < 0.16
        is_contested.append(is_close or decision.error >= 0.03)
    kinds = [decision.recorded.kind for decision in analysis.decisions]
    for index in [index for index, kind in enumerate(kinds) if kind == "take"]:
        # A double and its answer share a rollout.
        is_contested[index - 1 : index + 1] = [any(is_contested[index - 1 : index + 1])] * 2
        assert [item.indices for item in selection if index in item.indices] == [(index - 1, index)]
    indices = {index for item in selection for index in item.indices}
    assert [index in indices for index in range(len(is_contested))] == is_contested
    assert 0 < len(indices) < len(analysis.decisions)
    errors = [max(analysis.decisions[index].error for index in item.indices) for item in selection]
    assert errors == sorted(errors, reverse=True)
    for item in selection:
        decision = analysis.decisions[item.indices[0]]
        best = decision.best
        close_plays = [choice.text for choice in decision.choices if best.equity - choice.equity <= 0.08]
        wrong_plays = [decision.chosen.text] if decision.error > 0.08 else []
        assert list(item.plays) == (close_plays + wrong_plays if decision.recorded.kind == "play" else [])
        assert len(item.plays) <= 5


def test_a_double_and_its_answer_are_rolled_out_together(match: Match) -> None:
    decisions = analyse(match).decisions
    pair = tuple(index for index, item in enumerate(decisions) if item.recorded.chosen in ("double", "take"))
    assert len(pair) == 2
    for obvious_index in pair:
        changed_decisions = list(decisions)
        for index in pair:
            chosen, margin = decisions[index].chosen, 0.5 if index == obvious_index else 0.01
            other_choices = [choice for choice in decisions[index].choices if choice is not chosen]
            worse_choices = (choice._replace(equity=chosen.equity - margin) for choice in other_choices)
            changed_decisions[index] = dataclasses.replace(decisions[index], choices=(chosen, *worse_choices))
        assert pair in [item.indices for item in select_decisions(changed_decisions)]


def test_exact_bear_offs_are_not_rolled_out() -> None:
    bearoff = Position.from_array([0, 1, 0, 1, 0, 1] + [0] * 18 + [-3, 0])
    match = Match.from_decision(Decision(position=bearoff, dice=(2, 1)))
    match.play("5/2")
    assert len(select_decisions(analyse(match).decisions)) == 1
    assert make_rollout(match).count == 0
    assert roll_out(match).decisions == analyse(match).decisions


# ---- results ----


def expected_result(analysed: AnalysedDecision, trials: int) -> bgfast.rollouts.RolloutResult:
    decision = dataclasses.replace(analysed.recorded.decision, offer=None)
    subject: object = decision
    if decision.dice is not None:
        legal_plays = decision.position.plays(decision.dice)
        subject = [legal_plays[choice.text] for choice in analysed.choices if choice.trials == trials]
    options = {"truncate": 3, "variance_reduction": True, "context": decision}
    return bgfast.rollout(subject, evaluator=FAST, trials=trials, **options)


def test_equities_and_errors_equal_rollouts_with_the_same_dice(rollout_analysis: MatchAnalysis) -> None:
    kinds = set()
    for analysed in rollout_analysis.decisions:
        if analysed.status == "not rolled out":
            continue
        kinds.add(analysed.recorded.kind)
        result = expected_result(analysed, analysed.best.trials)
        if analysed.recorded.kind == "play":
            estimates = {estimate.name: estimate for estimate in result.estimates}
            for choice in [item for item in analysed.choices if item.trials == analysed.best.trials]:
                for name in ("equity", "equity_se", "mwc", "interval"):
                    assert getattr(choice, name) == getattr(estimates[choice.text], name)
            if analysed.error:
                assert analysed.error == pytest.approx(-estimates[analysed.chosen.text].difference)
                assert analysed.error_se == estimates[analysed.chosen.text].difference_se
            continue
        verdict = result.cube
        equities = {choice.text: choice.equity for choice in analysed.choices}
        if analysed.recorded.kind == "double":
            double_equity = min(verdict.double_take, verdict.double_drop)
            assert equities == {"no double": verdict.no_double, "double": double_equity}
        else:
            assert equities == {"take": -verdict.double_take, "drop": -verdict.double_drop}
    assert kinds == {"play", "double", "take"}


def test_errors_come_from_two_halves_of_the_trials(rollout_analysis: MatchAnalysis, match: Match) -> None:
    rollout = make_rollout(match)
    list(rollout.play())
    for item, (_, half_equities) in zip(rollout._contested, rollout._results.values(), strict=True):
        for index in item.indices:
            analysed = rollout_analysis.decisions[index]
            kind, halves = analysed.recorded.kind, half_equities
            if kind != "play":
                halves = [action_equities(half, beavers=False) for half in half_equities]
            assert analysed.error == rollout_error(kind, analysed.recorded.chosen, halves)
            margin = analysed.best.equity - analysed.chosen.equity
            assert analysed.error <= margin + 1e-12
            if analysed.error_mwc is not None and margin:
                mwc_per_point = (analysed.best.mwc - analysed.chosen.mwc) / margin
                assert analysed.error_mwc == pytest.approx(analysed.error * mwc_per_point)


def test_double_and_drop_wins_a_point() -> None:
    board = [0, 0, 0, 0, 4, 3, 3] + [0] * 12 + [-9, -1] + [0] * 5
    match = Match.from_decision(Decision(position=Position.from_array(board)), dice=[(2, 1)])
    match.roll()
    (analysed,) = roll_out(match).decisions
    assert (analysed.best.text, analysed.best.equity, analysed.best.equity_se) == ("double", 1, 0)
    assert analysed.status == "settled"


def test_the_status_follows_from_the_interval(rollout_analysis: MatchAnalysis) -> None:
    for decision in rollout_analysis.decisions:
        half_width = NORMAL_95 * decision.error_se
        if decision.status == "settled":
            assert decision.error > half_width or decision.error == half_width == 0
        elif decision.status == "too close to call":
            assert decision.error <= half_width > 0
        else:
            assert (decision.error_se, decision.best.trials) == (0, 0)
    statuses = {decision.status for decision in rollout_analysis.decisions}
    assert statuses == {"settled", "too close to call", "not rolled out"}


def test_interim_analyses_settle_decisions_and_eliminate_candidates(rollout_analysis: MatchAnalysis) -> None:
    trial_counts = [{choice.trials for choice in item.choices} for item in rollout_analysis.decisions]
    assert set().union(*trial_counts) == {0, INTERIM, TRIALS}
    assert any(counts >= {INTERIM, TRIALS} for counts in trial_counts)
    for decision, counts in zip(rollout_analysis.decisions, trial_counts, strict=True):
        if counts >= {INTERIM, TRIALS}:
            assert decision.chosen.trials == decision.best.trials == TRIALS
        assert decision.best.trials == TRIALS or decision.status != "too close to call"


def test_only_precise_errors_end_rollouts(match: Match, rollout_analysis: MatchAnalysis) -> None:
    interim_decisions = roll_out(match, trials=INTERIM).decisions
    imprecise_count = 0
    for decision, interim_decision in zip(rollout_analysis.decisions, interim_decisions, strict=True):
        if decision.recorded.kind != "play" or not interim_decision.best.trials or interim_decision.rank == 1:
            continue
        lead = interim_decision.best.equity - interim_decision.chosen.equity
        is_settled = lead >= NORMAL_99 * interim_decision.error_se
        is_precise = interim_decision.error_se <= MAX_ERROR_SE
        assert (decision.chosen.trials == INTERIM) == (is_settled and is_precise), interim_decision
        imprecise_count += is_settled and not is_precise
    assert imprecise_count


def test_rates_have_standard_errors(rollout_analysis: MatchAnalysis) -> None:
    for player, rates in enumerate(rollout_analysis.rates):
        decisions = [item for item in rollout_analysis.decisions if item.recorded.player == player]
        assert rates.error_se == pytest.approx(sum(decision.error_se**2 for decision in decisions) ** 0.5)
        for standard_error, factor, count in (
            (rates.pr_se, 500, rates.counted_plays + rates.counted_cube_decisions),
            (rates.gnubg_error_rate_se, 1000, rates.unforced_plays + rates.close_cube_decisions),
            (rates.snowie_error_rate_se, 1000, rates.turns),
        ):
            assert standard_error == pytest.approx(factor * rates.error_se / count)
    assert max(rates.error_se for rates in rollout_analysis.rates) > 0
    totals = combine_rates(rollout_analysis.rates)
    assert totals.error_se**2 == pytest.approx(sum(rates.error_se**2 for rates in rollout_analysis.rates))
    assert totals.pr_se is not None


def test_reports_have_statuses_and_intervals(rollout_analysis: MatchAnalysis) -> None:
    worst = rollout_analysis.worst(1)[0]
    error = f"{worst.error:.3f} ± {NORMAL_95 * worst.error_se:.3f}"
    text, page = rollout_analysis.to_text(), rollout_analysis.to_html()
    assert error in text
    assert f", {worst.status}: game" in text
    for fragment in (f"Blunder −{error}", f"{worst.best.trials} trials", "too close to call"):
        assert fragment in page
    row = next(row for row in rollout_analysis.rows() if row["error"] == worst.error)
    assert (row["status"], row["error_se"], row["trials"]) == ("settled", worst.error_se, worst.best.trials)
    content = json.loads(rollout_analysis.to_json())
    assert content["summary"][0]["pr_se"] == rollout_analysis.rates[0].pr_se
    decision = next(decision for decision in content["decisions"] if decision["error"] == worst.error)
    assert decision["choices"][0]["interval"] == list(worst.best.interval)


def test_every_pr_has_an_interval(rollout_analysis: MatchAnalysis, monkeypatch: pytest.MonkeyPatch) -> None:
    """The patch makes the match complete, because totals leave out incomplete matches."""
    monkeypatch.setattr(MatchAnalysis, "is_complete", True)
    totals = MatchCollection(worst=0)
    totals.add(rollout_analysis, "a")
    _, games = rollout_analysis.to_text().split("\ngame ")
    page, line = rollout_analysis.to_html(), match_line(rollout_analysis, "match.mat")
    for rates_pair in zip(rollout_analysis.games[0].rates, rollout_analysis.rates, strict=True):
        game_pr, match_pr = (f"{rates.pr:.2f} ± {NORMAL_95 * rates.pr_se:.2f}" for rates in rates_pair)
        assert game_pr in games
        assert f"PR {game_pr}" in page
        assert match_pr in line
        assert match_pr in totals_text(totals)


def test_negligible_errors_are_not_listed(rollout_analysis: MatchAnalysis) -> None:
    first, best = rollout_analysis.decisions[0], rollout_analysis.decisions[0].best
    for error, expected_count in ((0.0006, 1), (0.0004, 0)):
        choices = (best, best._replace(text="another", equity=best.equity - error))
        recorded = dataclasses.replace(first.recorded, chosen="another")
        decision = dataclasses.replace(first, recorded=recorded, choices=choices, rank=2)
        assert len(MatchAnalysis(rollout_analysis.match, [decision], [], {}).worst(9)) == expected_count


# ---- reproducibility, checkpoints and options ----


def test_results_do_not_depend_on_threads_or_interruptions(
    match: Match, rollout_analysis: MatchAnalysis, tmp_path: Path
) -> None:
    path = tmp_path / "rollouts"
    first, second, third = (make_rollout(match) for _ in range(3))
    next(fraction for fraction in first.play(checkpoint=path) if first.done >= 2)
    assert 0 < first.done < first.count
    list(second.play(threads=2, checkpoint=path))
    assert second.resumed >= first.done
    assert second.result().to_json() == rollout_analysis.to_json()
    assert second.result().to_html() == rollout_analysis.to_html()
    size = path.stat().st_size
    assert list(third.play(checkpoint=path)) == []
    assert (third.done, path.stat().st_size) == (third.count, size)


def test_impossible_equities_in_a_checkpoint_are_refused(match: Match, tmp_path: Path) -> None:
    path, rollout = tmp_path / "rollouts", make_rollout(match)
    list(make_rollout(match).play(checkpoint=path))
    journal = path.read_bytes()
    for equity in (1e308, 10**400, float("nan"), float("inf"), None):
        for name in ("halves", "results"):

            def change(lines: list[Any], name: str = name, equity: object = equity) -> None:
                first = lines[1][name][0]
                values = first if name == "halves" else first["estimates"][0]
                values.update(dict.fromkeys(values if name == "halves" else ["equity"], equity))

            rewrite(path, change)
            with pytest.raises(BgfastError, match=f"^checkpoint {path}: record 1: .*; left as it is$"):
                list(rollout.play(checkpoint=path))
            path.write_bytes(journal)


def test_a_checkpoint_of_another_match_or_other_options_is_refused(match: Match, tmp_path: Path) -> None:
    path = tmp_path / "rollouts"
    next(make_rollout(match).play(checkpoint=path))
    other_match = Match.from_decision(Decision(position=Position.start(), dice=(3, 1)))
    other_match.play("24/23 13/10")
    for rollout, message in (
        (make_rollout(match, seed=1), "belongs to another match analysis: its seed is 0, here it is 1"),
        (make_rollout(match, trials=2 * TRIALS), r"trials is .*; expected the same match and options"),
        (make_rollout(other_match), "its decisions is"),
    ):
        with pytest.raises(BgfastError, match=message):
            next(rollout.play(checkpoint=path))


def test_the_time_limit_ends_rollouts(match: Match) -> None:
    analysis = bgfast.analyse_match(match, FAST, ply=0, rollout=True, time_limit=1e-6, **QUICK_OPTIONS)
    statuses = [decision.status for decision in analysis.decisions]
    assert statuses.count("not rolled out") >= len(statuses) - 1
    assert "decisions left" in analysis.settings["rollout"]
    assert make_rollout(match).result().decisions == analyse(match).decisions
