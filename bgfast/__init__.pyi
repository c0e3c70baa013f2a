from bgfast import cube as cube
from bgfast import environments as environments
from bgfast import errors as errors
from bgfast import evaluators as evaluators
from bgfast import games as games
from bgfast import matches as matches
from bgfast import records as records
from bgfast import reference as reference
from bgfast import rollouts as rollouts
from bgfast import training as training
from bgfast.analysis.analyse import analyse
from bgfast.analysis.cube_decision import cube_decision
from bgfast.analysis.matches.match_analysis import analyse_match
from bgfast.analysis.rollouts.rollout import rollout
from bgfast.batch.encoders import ONEHOT_INPUTS, TDGAMMON_INPUTS, encode_onehot, encode_tdgammon
from bgfast.batch.ids import Decisions, from_gnubg_ids, from_xgids, gnubg_ids
from bgfast.batch.perft import perft
from bgfast.batch.play_texts import play_texts
from bgfast.batch.random_positions import random_dice, random_positions, random_successors
from bgfast.batch.selection import best_rows, mean_over_rolls, sample_rows
from bgfast.batch.successors import Successors, count_successors, flip, pip_counts, results, successors
from bgfast.common import __version__ as __version__
from bgfast.common import get_include
from bgfast.common.validation import ROLL_WEIGHTS, ROLLS
from bgfast.errors import BgfastError, IllegalPlayError, InvalidDiceError, InvalidPositionError, NotationError
from bgfast.evaluation.evaluators.network import Network
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.position.decision import Decision, svg
from bgfast.position.next_moves import Move, NextMoves, PlaySoFar
from bgfast.position.objects import Play, PlayList, Position
from bgfast.position.picture import Svg
from bgfast.records.match_files import load_match
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet

__all__ = [
    "EXACT", "FIVE_STACK", "ONEHOT_INPUTS", "REAR_FIRST", "ROLLS", "ROLL_WEIGHTS", "STANDARD",
    "TDGAMMON_INPUTS", "BgfastError", "Decision", "Decisions", "Game", "IllegalPlayError",
    "InvalidDiceError", "InvalidPositionError", "Match", "Move", "Network", "NextMoves", "NotationError",
    "Play", "PlayList", "PlaySoFar", "Position", "RuleSet", "Successors", "Svg", "analyse",
    "analyse_match", "best_rows", "count_successors", "cube_decision", "encode_onehot", "encode_tdgammon",
    "flip", "from_gnubg_ids", "from_xgids", "get_include", "gnubg_ids", "load_match", "mean_over_rolls",
    "perft", "pip_counts", "play_texts", "random_dice", "random_positions", "random_successors", "results",
    "rollout", "sample_rows", "successors", "svg",
]  # fmt: skip

def __dir__() -> list[str]: ...
