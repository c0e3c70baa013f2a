"""The doubling cube: actions, decisions, equities, take points, match equity tables and maps."""

from typing import TYPE_CHECKING

from bgfast.analysis.cube_decision import CubeDecision, CubeDecisions, cube_decision, cube_decisions
from bgfast.analysis.maps import RollMap, ScoreMap, roll_map, score_map
from bgfast.common import lazy_names
from bgfast.evaluation.actions import CubeActions, CubePoints, cube_actions, cube_points
from bgfast.evaluation.cubeful import cubeful_equities
from bgfast.evaluation.efficiency import cube_efficiencies
from bgfast.evaluation.match_equity import MatchEquityTable

__all__ = [
    "CubeActions",
    "CubeDecision",
    "CubeDecisions",
    "CubePoints",
    "MatchEquityTable",
    "RollMap",
    "ScoreMap",
    "cube_actions",
    "cube_decision",
    "cube_decisions",
    "cube_efficiencies",
    "cube_points",
    "cubeful_equities",
    "roll_map",
    "score_map",
]

if not TYPE_CHECKING:
    __getattr__, _ = lazy_names(__name__, {})
