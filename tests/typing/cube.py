"""Static types of the cube and match analyses; type checkers read this file, which is never run."""

from __future__ import annotations

from pathlib import Path

from typing_extensions import assert_type

import bgfast
from bgfast import Decision, Position
from bgfast.cube import CubeDecision, CubeDecisions, CubePoints, MatchEquityTable, RollMap, ScoreMap
from bgfast.evaluators import RankedPlays
from bgfast.matches import MatchAnalysis

decision = Decision(position=Position.start())


def decisions() -> None:
    assert_type(bgfast.cube_decision(decision, ply=0), CubeDecision)
    assert_type(bgfast.cube.cube_decisions([decision]), CubeDecisions)
    assert_type(bgfast.cube.score_map(decision), ScoreMap)
    assert_type(bgfast.cube.roll_map(decision), RollMap)
    bgfast.cube_decision(3)  # type: ignore[arg-type]
    assert isinstance(bgfast.analyse(decision, ply=0), CubeDecision)
    assert_type(bgfast.analyse("start", "31"), RankedPlays)
    assert_type(bgfast.analyse(bgfast.Match(3)), MatchAnalysis)
    assert_type(bgfast.analyse(Path("match.mat"), threads=2), MatchAnalysis)
    bgfast.analyse(3)  # type: ignore[call-overload]
    bgfast.analyse(Path("match.mat"), "31")  # type: ignore[call-overload]


def equities() -> None:
    assert_type(MatchEquityTable.builtin(), MatchEquityTable)
    assert_type(bgfast.cube.cube_points([0.5, 0, 0, 0, 0], decision), CubePoints)
    bgfast.cube.cube_efficiencies([Position.start()], "bgfast")


def matches() -> None:
    assert_type(bgfast.analyse_match(bgfast.Match(3), ply=0, threads=2), MatchAnalysis)
    bgfast.analyse_match("match.mat")
