"""Games and matches: states, legal actions, transitions, history, dice."""

from bgfast.common import lazy_names

_SOURCES = {
    "Action": "bgfast.games.state",
    "Answer": "bgfast.games.answers",
    "Cube": "bgfast.games.scoring",
    "Finding": "bgfast.games.match_info",
    "Game": "bgfast.games.game",
    "GameResult": "bgfast.games.scoring",
    "GameState": "bgfast.games.state",
    "Match": "bgfast.games.match",
    "MatchInfo": "bgfast.games.match_info",
    "MatchScore": "bgfast.games.scoring",
    "MatchState": "bgfast.games.match",
    "Moved": "bgfast.games.state",
    "legal_answers": "bgfast.games.answers",
    "read_answer": "bgfast.games.answers",
}

# Modules are loaded on first use, since code that needs one, such as the cube code, often needs no other.
__getattr__, __dir__ = lazy_names(__name__, _SOURCES)
__all__ = sorted(_SOURCES)  # pyright: ignore[reportUnsupportedDunderAll]
