"""Decisions that count for PR, with cases for every branch that are computed by hand."""

from __future__ import annotations

import pytest

from bgfast import Decision, Match, Position
from bgfast.analysis.matches.analysed import ERROR_KINDS, AnalysedDecision, Choice, is_counted, play_counts
from bgfast.analysis.matches.match_statistics import combine_rates, compute_rates
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, extract_decisions

START = Decision(position=Position.start())


def analysed_decision(
    kind: str, chosen: str, equities: dict[str, float], take: float | None = None
) -> AnalysedDecision:
    """Return a decision of player 0 with choices sorted by equity; `take` is the equity after a take."""
    recorded = RecordedDecision(0, 1, 1, 0, kind, START, chosen)
    choices = [
        Choice(text, equity, None, 2) for text, equity in sorted(equities.items(), key=lambda item: -item[1])
    ]
    rank = 1 + [choice.text for choice in choices].index(chosen)
    spread = choices[0].equity - choices[-1].equity
    after_take = None if take is None else Choice("take", take, None, 2)
    return AnalysedDecision(recorded, tuple(choices), rank, len(choices), spread, taken=after_take)


def turn(no_double: float, take: float, chosen: str = "no double") -> AnalysedDecision:
    return analysed_decision("double", chosen, {"no double": no_double, "double": min(take, 1.0)}, take=take)


def answer(chosen: str, **equities: float) -> AnalysedDecision:
    return analysed_decision("take", chosen, {"drop": -1.0, **equities})


def test_a_turn_without_a_double_counts_if_close_or_wrong() -> None:
    for no_double, double_take, should_count, error in (
        (0.3, 0.15, True, 0.0),  # a double would cost 0.15
        (0.3, 0.05, False, 0.0),  # a double would cost 0.25
        (-0.1, -0.2, True, 0.0),  # a double would cost 0.1
        (0.5, 0.8, True, 0.3),  # a double would gain 0.3
        (0.5, 0.5005, False, 0.0005),  # the equities differ by less than 0.001
        (0.5, 0.5012, True, 0.0012),  # an error of 0.001 or more counts
        (0.8, 1.4, True, 0.2),  # a double would win 1 point
        (1.15, 1.4, True, 0.0),  # a double would cost 0.15, since the opponent drops
        (1.25, 1.6, False, 0.0),  # a double would cost 0.25, since the opponent drops
        (1.1, 0.85, False, 0.0),  # a double would cost 0.25, since the opponent takes
        (-0.95, -0.98, False, 0.0),  # the position is hopeless with and without a double
        (-0.95, -0.88, True, 0.07),  # a missed double counts in a nearly lost position
        (-0.95, -0.92, True, 0.03),  # a missed double counts even in a hopeless position
        (-0.89, -0.98, True, 0.0),  # the position is not hopeless without a double
    ):
        analysed = turn(no_double, double_take)
        assert analysed.error == pytest.approx(error)
        assert is_counted(analysed) is should_count
        assert compute_rates([analysed], 1).pr == (pytest.approx(500 * error) if should_count else None)


def test_a_double_always_counts() -> None:
    assert is_counted(turn(0.3, -0.4, "double"))
    decision = turn(1.25, 1.6, "double")
    assert (decision.error, is_counted(decision)) == (0.25, True)
    assert is_counted(turn(0.5, 0.5, "double"))


def test_an_answer_counts_unless_take_and_drop_are_equal() -> None:
    assert not is_counted(answer("take", take=-0.9995))
    assert not is_counted(answer("drop", take=-1.0005))
    assert is_counted(answer("drop", take=-0.998))
    missed_beaver = answer("take", take=0.2, beaver=0.4)
    assert (missed_beaver.error, is_counted(missed_beaver)) == (pytest.approx(0.2), True)


def test_a_play_counts_if_the_best_ten_differ() -> None:
    assert not is_counted(analysed_decision("play", "a", {"a": 0.0}))
    assert not is_counted(analysed_decision("play", "a", {"a": 0.1, "b": 0.09995}))
    assert is_counted(analysed_decision("play", "a", {"a": 0.1, "b": 0.0998}))
    assert not play_counts([0.1] * 10 + [-1.0], 11)  # the eleventh play does not matter
    assert play_counts([0.1] * 9 + [-1.0], 10)


def test_errors_that_do_not_count_are_not_in_pr() -> None:
    rates = compute_rates([turn(0.5, 0.5005), turn(0.5, 0.8)], 2)
    assert rates.counted_cube_decisions == 1
    assert rates.pr == pytest.approx(500 * 0.3)
    assert rates.error == pytest.approx(0.3005)


def test_checker_plays_and_cube_actions_have_separate_prs() -> None:
    wrong_play = analysed_decision("play", "b", {"a": 0.1, "b": 0.0})
    best_play = analysed_decision("play", "a", {"a": 0.1, "b": 0.0})
    decisions = [wrong_play, best_play, turn(0.5, 0.8), turn(1.25, 1.6, "double"), answer("drop", take=-0.8)]
    rates = compute_rates(decisions, 2)
    assert rates.checker_pr == pytest.approx(500 * 0.1 / 2)
    assert rates.cube_pr == pytest.approx(500 * (0.3 + 0.25 + 0.2) / 3)
    prs = [rates.pr_by_kind(kind)[0] for kind in ERROR_KINDS]
    expected = [25, 150, 125, None, 100, None]
    assert prs == [pr if pr is None else pytest.approx(pr) for pr in expected]
    assert combine_rates([rates, rates]).cube_pr == pytest.approx(rates.cube_pr)
    assert combine_rates([rates, rates]).pr == pytest.approx(500 * 0.85 / 5)
    one_point_rates = compute_rates(decisions, 2, one_point=True)
    assert one_point_rates.checker_pr == pytest.approx(1.5 * 25)
    assert compute_rates([wrong_play], 1).cube_pr is None


def test_turns_without_a_legal_double_are_not_decisions() -> None:
    for fields in (
        {"cube": 2, "max_cube": 2},
        {"cube": 2, "cube_owner": -1},
        {"cube": 2, "match_length": 3, "score": (1, 1)},
        {"match_length": 3, "score": (2, 0), "crawford": True},
    ):
        match = Match.from_decision(Decision(position=Position.start(), **fields), dice=[(3, 1)])
        match.roll()
        assert not any(isinstance(record, RecordedDecision) for record in extract_decisions(match))
