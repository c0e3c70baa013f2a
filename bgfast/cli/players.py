"""Players by name: evaluators, levels, and UBGI engines."""

from __future__ import annotations

from typing import Any

from bgfast.cli.evaluator_names import named_evaluator
from bgfast.engines.ubgi.players import PREFIX, UbgiOpponent, UbgiPlayer, ubgi_command
from bgfast.learning.strength.opponents import OPPONENTS, Opponent, opponent
from bgfast.rules import STANDARD, RuleSet

__all__ = ["LEVELS_HELP", "PLAYERS_HELP", "named_opponent", "named_player"]

UBGI_HELP = f"{PREFIX}COMMAND, the command line of a UBGI engine"
PLAYERS_HELP = f"the file of a network, MODULE:NAME of a callable, or {UBGI_HELP}"
LEVELS_HELP = f"{', '.join(OPPONENTS)}, or {UBGI_HELP}"


def named_player(name: str) -> Any:
    """Return a player of contests and error per play: a UBGI engine or an evaluator.

    Raises
    ------
    BgfastError
        If the name is unknown, or the engine cannot be started.
    """
    return UbgiPlayer(ubgi_command(name)) if name.startswith(PREFIX) else named_evaluator(name)


def named_opponent(name: str, rules: RuleSet = STANDARD) -> Opponent:
    """Return an opponent in games: a UBGI engine or a level.

    Raises
    ------
    BgfastError
        As `named_player`.
    """
    return UbgiOpponent(ubgi_command(name), rules) if name.startswith(PREFIX) else opponent(name, rules)
