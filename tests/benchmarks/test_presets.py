"""Costs of choices by the analysis of another program, computed by hand."""

from __future__ import annotations

import pytest

import bgfast
from benchmarks.peers.matches.presets import compared_decisions, performance
from bgfast import Match
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.records.formats.recorded_analysis import CandidatePlay, CubeEquities, DecisionAnalysis


@pytest.fixture(scope="module")
def analysis() -> MatchAnalysis:
    match = Match(3, dice=[(3, 1), (6, 5), (4, 3)])
    match.roll()
    match.play("13/9")
    match.roll()
    match.play("24/13")
    return bgfast.analyse_match(match, bgfast.Network.builtin_fast(), preset="quick")


def costs(analysis: MatchAnalysis, theirs: dict[int, DecisionAnalysis]) -> list[tuple[bool, float, float]]:
    analysis.match.recorded_analysis = theirs
    compared = compared_decisions(analysis.match, analysis.decisions)
    return [(decision.is_play, round(decision.cost, 3), round(decision.error, 3)) for decision in compared]


def test_plays(analysis: MatchAnalysis) -> None:
    equities = {"8/5 6/5": 0.16, "24/23 13/10": 0.02, "13/9": -0.05}
    plays = tuple(CandidatePlay(text, equity, None, "3-ply") for text, equity in equities.items())
    assert analysis.decisions[0].best.text == "8/5 6/5"
    assert costs(analysis, {1: DecisionAnalysis(plays)}) == [(True, 0, 0.21)]
    assert costs(analysis, {1: DecisionAnalysis(plays[1:])}) == [
        (True, 0.07, 0.07)
    ]  # not listed: as the last
    equal = tuple(candidate._replace(equity=0.1) for candidate in plays)
    assert costs(analysis, {1: DecisionAnalysis(equal)}) == []


@pytest.mark.parametrize(
    ("no_double", "take", "expected"),
    [
        (0.1, -0.05, [(False, 0.0, 0.0)]),
        (0.1, 0.3, [(False, 0.2, 0.2)]),
        (0.1, -0.2, []),  # obvious
        (0.1, 0.1005, []),  # equal
        (-0.95, -0.91, [(False, 0.04, 0.04)]),  # hopeless, but an error
        (-0.95, -0.96, []),
    ],
)
def test_not_doubling(
    no_double: float, take: float, expected: list[tuple[bool, float, float]], analysis: MatchAnalysis
) -> None:
    (double,) = (decision for decision in analysis.decisions if decision.recorded.kind == "double")
    assert (double.recorded.chosen, double.best.text) == ("no double", "no double")
    equities = CubeEquities(no_double, take, 1.0, None, "3-ply")
    theirs = {double.recorded.action + 1: DecisionAnalysis(cube=equities)}
    assert costs(analysis, theirs) == expected


def test_performance_is_five_hundred_times_the_mean() -> None:
    assert performance([0.01, 0.03]) == pytest.approx(10)
