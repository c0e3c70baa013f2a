"""Differences of equities from those of a file, computed by hand."""

from __future__ import annotations

import pytest

import bgfast
from benchmarks.peers.matches.recorded_bias import points_of, recorded_equities
from bgfast import Match
from bgfast.records.formats.recorded_analysis import CandidatePlay, CubeEquities, DecisionAnalysis

EVEN = (0.5, 0.0, 0.0, 0.0, 0.0)


def test_differences_are_those_of_the_player_who_decides() -> None:
    match = Match(3, dice=[(3, 1), (6, 5)])
    match.roll()
    match.play("8/5 6/5")
    match.roll()
    match.play("24/13")
    deep, shallow = CandidatePlay("8/5 6/5", 0.25, EVEN, "3-ply"), CandidatePlay("13/9", 0.5, EVEN, "2-ply")
    cube = CubeEquities(-0.5, -1.0, 1.0, EVEN, "XG Roller+")
    match.recorded_analysis = {
        1: DecisionAnalysis((deep, shallow)),
        3: DecisionAnalysis((CandidatePlay("24/13", 0.1, None, "4-ply"),), cube=cube),
    }
    play, no_double = recorded_equities(match)
    assert (play.is_play, len(play.equities), play.plies) == (True, 1, 3)
    assert (no_double.is_play, no_double.plies) == (False, 99)
    after = bgfast.cube_decision(play.equities[0].decision, ply=1)
    assert play.differences(1) == pytest.approx(
        (-after.equities.best - 0.25, -points_of(after.probabilities)), abs=1e-12
    )
    assert play.differences(1)[1] > 0.1  # 8/5 6/5 is the best opening play
    before = bgfast.cube_decision(no_double.equities[0].decision, ply=0)
    assert no_double.differences(0) == pytest.approx(
        (before.equities.no_double + 0.5, points_of(before.probabilities)), abs=1e-12
    )
