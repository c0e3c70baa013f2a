from bgfast.games.finding import Finding
from bgfast.games.game import Game
from bgfast.games.match import Match, MatchState
from bgfast.games.match_info import MatchInfo
from bgfast.games.scoring import Cube, GameResult, MatchScore
from bgfast.games.state import Action, GameState, Moved

__all__ = [
    "Action",
    "Cube",
    "Finding",
    "Game",
    "GameResult",
    "GameState",
    "Match",
    "MatchInfo",
    "MatchScore",
    "MatchState",
    "Moved",
]
