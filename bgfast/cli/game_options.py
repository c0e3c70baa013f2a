"""What is typed for `bgfast game` and `bgfast play`: the seed, the rules, and how much is to be played."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

import numpy as np

from bgfast.cli.options import read_seed
from bgfast.errors import BgfastError, InvalidGameError, shown
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.rules import RuleSet

__all__ = ["Typed", "add_options", "read_options"]

UNITS = {"match": "points", "games": "games"}


class Typed(NamedTuple):
    """A new game, match or session, the seed of its dice, what it is in words, and the games of a session."""

    table: Game | Match
    seed: int
    title: str
    games: int | None = None

    @property
    def over(self) -> bool:
        """Whether all that was asked for has been played."""
        if isinstance(self.table, Match):
            return self.table.winner is not None or len(self.table.results) == self.games
        return self.table.result is not None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of a command."""
    parser.add_argument("--seed", metavar="N", help="of the dice; the same game for the same seed")
    parser.add_argument(
        "--rules", default="standard", metavar="NAME", help="standard, exact, rear_first or five_stack"
    )
    parser.add_argument("--match", metavar="N", help="a match to N points instead of one game")
    parser.add_argument("--games", metavar="N", help="a session of N money games instead of one game")


def read_options(arguments: argparse.Namespace, command: str) -> Typed:
    """Return what is to be played; `command` is the name of what was typed, for messages.

    Raises
    ------
    BgfastError
        If an option cannot be read, or there is more than options.
    """
    if arguments.words:
        raise BgfastError(f"{shown(' '.join(arguments.words))} behind {command}; expected options only")
    rules = RuleSet.named(arguments.rules)
    seed = _seed(arguments.seed)
    title = f"rules {arguments.rules}, seed {seed}"
    length, games = _number("match", arguments.match), _number("games", arguments.games)
    if length is not None and games is not None:
        raise InvalidGameError("--match and --games; expected one of them")
    if length is not None:
        return Typed(Match(length, rules, dice=seed), seed, f"match to {length}, {title}")
    if games is None:
        return Typed(Game(rules, dice=seed), seed, title)
    if games == 0:
        raise InvalidGameError("--games is 0; expected at least one game")
    return Typed(Match(None, rules, dice=seed), seed, f"{games} money games, {title}", games)


def _number(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        raise InvalidGameError(f"--{option} is {shown(text)}; expected a whole number of {UNITS[option]}")
    return int(text)


def _seed(text: str | None) -> int:
    if text is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    return read_seed(text)
