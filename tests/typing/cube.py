"""What type checkers say of the cube and of analysed matches, see `tests.typing.positions`; nothing runs."""

from __future__ import annotations

from typing_extensions import assert_type

import bgfast
from bgfast import (
    CubeDecision,
    CubeDecisions,
    CubePoints,
    Decision,
    MatchAnalysis,
    MatchEquityTable,
    Position,
    RollMap,
    ScoreMap,
)

decision = Decision(position=Position.start())


def decisions() -> None:
    assert_type(bgfast.cube_decision(decision, ply=0), CubeDecision)
    assert_type(bgfast.cube_decisions([decision]), CubeDecisions)
    assert_type(bgfast.score_map(decision), ScoreMap)
    assert_type(bgfast.roll_map(decision), RollMap)
    bgfast.cube_decision(3)  # type: ignore[arg-type]


def equities() -> None:
    assert_type(MatchEquityTable.builtin(), MatchEquityTable)
    assert_type(bgfast.cube_points([0.5, 0, 0, 0, 0], decision), CubePoints)
    bgfast.cube_efficiencies([Position.start()], "bgfast")


def matches() -> None:
    assert_type(bgfast.analyse_match(bgfast.Match(3), ply=0, threads=2), MatchAnalysis)
    bgfast.analyse_match("match.mat")  # type: ignore[arg-type]
