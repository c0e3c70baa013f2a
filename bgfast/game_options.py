"""What is typed for `bgfast game` and `bgfast play`: the seed, the rules, the length of a match."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

import numpy as np

from .errors import BgfastError, InvalidGameError, shown
from .gameplay import Game
from .inputs import GREATEST_SEED
from .matchplay import Match
from .rules import RuleSet

__all__ = ["Typed", "add_options", "read_options"]


class Typed(NamedTuple):
    """A new game or match, the seed of its dice, and what it is in words."""

    table: Game | Match
    seed: int
    title: str


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of a command."""
    parser.add_argument("--seed", metavar="N", help="of the dice; the same game for the same seed")
    parser.add_argument(
        "--rules", default="standard", metavar="NAME", help="standard, exact, rear_first or five_stack"
    )
    parser.add_argument("--match", metavar="N", help="a match to N points instead of one game")


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
    if arguments.match is None:
        return Typed(Game(rules, dice=seed), seed, title)
    if not re.fullmatch(r"[0-9]{1,9}", arguments.match, re.ASCII):
        raise InvalidGameError(f"--match is {shown(arguments.match)}; expected a whole number of points")
    return Typed(Match(int(arguments.match), rules, dice=seed), seed, f"match to {arguments.match}, {title}")


def _seed(text: str | None) -> int:
    if text is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if not re.fullmatch(r"[0-9]{1,20}", text, re.ASCII) or int(text) > GREATEST_SEED:
        raise BgfastError(f"--seed is {shown(text)}; expected a whole number from 0 to {GREATEST_SEED}")
    return int(text)
