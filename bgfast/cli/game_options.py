"""The options of `bgfast game` and `bgfast play`: the seed, the rules, and how much is to be played."""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from bgfast.cli.options import add_rules, seed, whole
from bgfast.cli.parser import Parser
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.scoring import LONGEST_MATCH
from bgfast.rules import RuleSet

__all__ = ["Session", "add_game_options", "new_session"]

MOST_GAMES = 10**9


class Session(NamedTuple):
    """A new game, match or series of money games, the seed of its dice, and what it is in words."""

    game: Game | Match
    seed: int
    title: str
    games: int | None = None

    @property
    def over(self) -> bool:
        """Whether all that was asked for has been played."""
        if isinstance(self.game, Match):
            return self.game.winner is not None or len(self.game.state.ended) == self.games
        return self.game.result is not None


def add_game_options(parser: Parser) -> None:
    """Add the options of both commands."""
    parser.add_argument("--seed", type=seed, metavar="N", help="of the dice; the same game for the same seed")
    add_rules(parser)
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--match", type=whole(1, LONGEST_MATCH), metavar="N", help="a match to N points instead of one game"
    )
    length.add_argument(
        "--games", type=whole(1, MOST_GAMES), metavar="N", help="N money games instead of one game"
    )


def new_session(arguments: argparse.Namespace) -> Session:
    """Return what is to be played.

    Raises
    ------
    InvalidRulesError
        If no rule set has that name.
    """
    rules = RuleSet.named(arguments.rules)
    dice = arguments.seed
    if dice is None:
        dice = int(np.random.SeedSequence().generate_state(1)[0])
    title = f"rules {arguments.rules}, seed {dice}"
    if arguments.match is not None:
        return Session(Match(arguments.match, rules, dice=dice), dice, f"match to {arguments.match}, {title}")
    if arguments.games is None:
        return Session(Game(rules, dice=dice), dice, title)
    return Session(
        Match(None, rules, dice=dice), dice, f"{arguments.games} money games, {title}", arguments.games
    )
