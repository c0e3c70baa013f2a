"""Options of `bgfast game` and `bgfast play`: seed, rules and length."""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from bgfast.cli.options import add_common, seed, whole
from bgfast.cli.parser import Parser
from bgfast.errors import BgfastError
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.scoring import MAX_MATCH_LENGTH
from bgfast.records.match_events import record_head
from bgfast.records.match_files import format_of
from bgfast.rules import RuleSet

MAX_GAMES = 10**9


class Session(NamedTuple):
    """New game, match or series of money games, with its seed and its description."""

    game: Game | Match
    seed: int
    title: str
    games: int | None = None

    @property
    def over(self) -> bool:
        """True if all requested games have been played."""
        if isinstance(self.game, Match):
            return self.game.winner is not None or len(self.game.state.ended) == self.games
        return self.game.result is not None


def add_game_options(parser: Parser) -> None:
    """Add the options of both commands."""
    parser.option("--seed", "N", "seed of the dice; the same game for the same seed", seed)
    add_common(parser, "--rules")
    parser.option("--save", "FILE", "write the record to FILE at the end: .mat, .txt or .sgf")
    parser.flag("--force", "replace an existing FILE")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--match",
        type=whole(1, MAX_MATCH_LENGTH),
        metavar="N",
        help="a match to N points instead of one game",
    )
    length.add_argument(
        "--games", type=whole(1, MAX_GAMES), metavar="N", help="N money games instead of one game"
    )


def save_if_wanted(arguments: argparse.Namespace, game: Game | Match) -> None:
    """Write the record of the games to the file of ``--save``."""
    if arguments.save is None:
        return
    if not isinstance(game, Match):
        raise BgfastError("--save: a game that was saved without a match; expected a match or money games")
    game.save(arguments.save, force=arguments.force)


def new_session(arguments: argparse.Namespace) -> Session:
    """Return the new session, after a check that it can be saved to the file of ``--save``."""
    rules = RuleSet.named(arguments.rules)
    if arguments.save is not None:
        format_of(arguments.save, force=arguments.force)
        record_head(Match(arguments.match, rules))
    dice = arguments.seed
    if dice is None:
        dice = int(np.random.SeedSequence().generate_state(1)[0])
    title = f"rules {arguments.rules}, seed {dice}"
    if arguments.match is not None:
        return Session(Match(arguments.match, rules, dice=dice), dice, f"match to {arguments.match}, {title}")
    if arguments.games is None and arguments.save is not None:  # the formats hold matches
        return Session(Match(None, rules, dice=dice), dice, title, 1)
    if arguments.games is None:
        return Session(Game(rules, dice=dice), dice, title)
    return Session(
        Match(None, rules, dice=dice), dice, f"{arguments.games} money games, {title}", arguments.games
    )
