from bgfast.games.answers import Answer, legal_answers, read_answer
from bgfast.games.game import Game
from bgfast.games.match import Match, MatchState
from bgfast.games.match_info import Finding, MatchInfo
from bgfast.games.scoring import Cube, GameResult, MatchScore
from bgfast.games.state import Action, GameState, Moved

__all__ = [
    "Action",
    "Answer",
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
    "legal_answers",
    "read_answer",
]
