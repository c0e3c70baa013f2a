from bgfast import environments as environments
from bgfast import evaluators as evaluators
from bgfast import reference as reference
from bgfast.analysis.decisions.cube_decision import CubeDecision, CubeDecisions, cube_decision, cube_decisions
from bgfast.analysis.decisions.roll_map import RollMap, roll_map
from bgfast.analysis.decisions.score_map import ScoreMap, score_map
from bgfast.analysis.matches.judging.analyse_match import analyse_match
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.rollouts.result import Estimate, RolloutResult
from bgfast.analysis.rollouts.rollout import rollout
from bgfast.batch.encoders import ONEHOT_INPUTS, TDGAMMON_INPUTS, encode_onehot, encode_tdgammon
from bgfast.batch.perft.perft import perft
from bgfast.batch.play_texts import play_texts
from bgfast.batch.position_ids import from_gnubg_ids, gnubg_ids
from bgfast.batch.random_dice import random_dice
from bgfast.batch.random_positions import random_positions
from bgfast.batch.random_successors import random_successors
from bgfast.batch.selection import best_rows, mean_over_rolls, sample_rows
from bgfast.batch.successors import Successors, count_successors, flip, pip_counts, results, successors
from bgfast.batch.xgids import Decisions, from_xgids
from bgfast.common.headers import get_include
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.version import __version__ as __version__
from bgfast.errors import (
    BgfastError,
    IllegalActionError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidGameError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
    RecordError,
    RolloutError,
)
from bgfast.evaluation.cube.actions import CubeActions, cube_actions
from bgfast.evaluation.cube.cubeful import cubeful_equities
from bgfast.evaluation.cube.efficiency import cube_efficiencies
from bgfast.evaluation.cube.match_equity import MatchEquityTable
from bgfast.evaluation.cube.points import CubePoints, cube_points
from bgfast.evaluation.evaluators.network import Network
from bgfast.games.finding import Finding as Finding
from bgfast.games.game import Game
from bgfast.games.match import Match, MatchState
from bgfast.games.match_info import MatchInfo
from bgfast.games.scoring import Cube, GameResult, MatchScore
from bgfast.games.state import Action, GameState, Moved
from bgfast.games.svg import svg
from bgfast.position.board_svg import Svg
from bgfast.position.decision import Decision
from bgfast.position.next_moves import Move, NextMoves, PlaySoFar
from bgfast.position.objects import Play, PlayList, Position
from bgfast.records.match_files import load_games, load_match, load_matches, read_match
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet

__all__ = [
    "EXACT",
    "FIVE_STACK",
    "ONEHOT_INPUTS",
    "REAR_FIRST",
    "ROLLS",
    "ROLL_WEIGHTS",
    "STANDARD",
    "TDGAMMON_INPUTS",
    "Action",
    "BgfastError",
    "Cube",
    "CubeActions",
    "CubeDecision",
    "CubeDecisions",
    "CubePoints",
    "Decision",
    "Decisions",
    "Estimate",
    "Finding",
    "Game",
    "GameResult",
    "GameState",
    "IllegalActionError",
    "IllegalPlayError",
    "InvalidDiceError",
    "InvalidGameError",
    "InvalidPositionError",
    "InvalidRulesError",
    "Match",
    "MatchAnalysis",
    "MatchEquityTable",
    "MatchInfo",
    "MatchScore",
    "MatchState",
    "Move",
    "Moved",
    "Network",
    "NextMoves",
    "NotationError",
    "Play",
    "PlayList",
    "PlaySoFar",
    "Position",
    "RecordError",
    "RollMap",
    "RolloutError",
    "RolloutResult",
    "RuleSet",
    "ScoreMap",
    "Successors",
    "Svg",
    "analyse_match",
    "best_rows",
    "count_successors",
    "cube_actions",
    "cube_decision",
    "cube_decisions",
    "cube_efficiencies",
    "cube_points",
    "cubeful_equities",
    "encode_onehot",
    "encode_tdgammon",
    "flip",
    "from_gnubg_ids",
    "from_xgids",
    "get_include",
    "gnubg_ids",
    "load_games",
    "load_match",
    "load_matches",
    "mean_over_rolls",
    "perft",
    "pip_counts",
    "play_texts",
    "random_dice",
    "random_positions",
    "random_successors",
    "read_match",
    "results",
    "roll_map",
    "rollout",
    "sample_rows",
    "score_map",
    "successors",
    "svg",
]

def __dir__() -> list[str]: ...
