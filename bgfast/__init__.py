"""Every legal backgammon play, exactly and fast.

`Position` holds a board, `Position.plays` lists the legal plays of a roll, `perft` counts the tree below a
position, and `reference` is the slow, readable generator that the fast one is proven against.
"""

from . import reference
from .actions import Action
from .bulk import Successors, count_successors, flip, pip_counts, results, successors
from .bulk_ids import from_gnubg_ids, gnubg_ids
from .doubling_cube import Cube
from .encoders import ONEHOT_INPUTS, TDGAMMON_INPUTS, encode_onehot, encode_tdgammon
from .enumeration import perft
from .errors import (
    BgfastError,
    IllegalActionError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidGameError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
)
from .gameplay import Game
from .gamestate import GameState, Moved
from .headers import get_include
from .matchplay import Match, MatchState
from .playouts import random_successors
from .position import Play, PlayList, Position
from .rolls import ROLL_WEIGHTS, ROLLS
from .rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet
from .sampling import random_positions
from .scoring import GameResult, MatchScore
from .selection import best_successors, expectation, sample_successors
from .stepping import Move, NextMoves

__version__ = "0.1.0"

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
    "MatchScore",
    "MatchState",
    "Move",
    "Moved",
    "NextMoves",
    "NotationError",
    "Play",
    "PlayList",
    "Position",
    "RuleSet",
    "Successors",
    "best_successors",
    "count_successors",
    "encode_onehot",
    "encode_tdgammon",
    "expectation",
    "flip",
    "from_gnubg_ids",
    "get_include",
    "gnubg_ids",
    "perft",
    "pip_counts",
    "random_positions",
    "random_successors",
    "reference",
    "results",
    "sample_successors",
    "successors",
]
