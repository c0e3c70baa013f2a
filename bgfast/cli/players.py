"""Players by name: evaluators, levels, and UBGI engines."""

from __future__ import annotations

from typing import Any

from bgfast.cli.evaluator_names import named_evaluator
from bgfast.conformance.registry import UBGI, command_line
from bgfast.learning.opponents import OPPONENTS, Opponent, opponent
from bgfast.players.ubgi_players import UbgiOpponent, UbgiPlayer
from bgfast.rules import STANDARD, RuleSet

UBGI_HELP = f"{UBGI}COMMAND, the command line of a UBGI engine"
PLAYERS_HELP = f"the file of a network, MODULE:NAME of a callable, or {UBGI_HELP}"
LEVELS_HELP = f"{', '.join(OPPONENTS)}, or {UBGI_HELP}"


def named_player(name: str) -> Any:
    """Return a player of contests and error per play: a UBGI engine or an evaluator."""
    return UbgiPlayer(command_line(name, UBGI)) if name.startswith(UBGI) else named_evaluator(name)


def named_opponent(name: str, rules: RuleSet = STANDARD) -> Opponent:
    """Return an opponent in games: a UBGI engine or a level."""
    if name.startswith(UBGI):
        return UbgiOpponent(command_line(name, UBGI), rules)
    return opponent(name, rules)
