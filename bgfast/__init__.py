"""Every legal backgammon play, exactly and fast.

`Position` holds a board, `Position.plays` lists the legal plays of a roll, `perft` counts the tree below a
position, and `reference` is the slow, readable generator that the fast one is proven against.
"""

from . import reference
from .enumeration import ROLLS, perft
from .errors import (
    BgfastError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
)
from .position import Play, PlayList, Position
from .rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet
from .stepping import Move, NextMoves

__version__ = "0.1.0"

__all__ = [
    "EXACT",
    "FIVE_STACK",
    "REAR_FIRST",
    "ROLLS",
    "STANDARD",
    "BgfastError",
    "IllegalPlayError",
    "InvalidDiceError",
    "InvalidPositionError",
    "InvalidRulesError",
    "Move",
    "NextMoves",
    "NotationError",
    "Play",
    "PlayList",
    "Position",
    "RuleSet",
    "perft",
    "reference",
]
