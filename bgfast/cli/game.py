"""`bgfast game`: two players who do something legal at random, as a score sheet."""

from __future__ import annotations

import argparse

import numpy as np

from bgfast.cli.game_options import add_game_options, new_session
from bgfast.cli.options import add_json
from bgfast.cli.parser import Parser
from bgfast.games.match import Match
from bgfast.games.random_player import act_at_random

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast game``."""
    parser.describe(
        "", "Without --seed a seed is chosen, and shown.", example="bgfast game --match 5 --seed 7"
    )
    add_json(parser)
    add_game_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play a game, a match or a session to its end and print it."""
    session = new_session(arguments)
    game = session.game
    choices = np.random.default_rng([session.seed, 1])  # another stream than that of the dice
    while not session.over:
        act_at_random(game, choices)
    if arguments.json:
        print(game.to_json(), end="")
        return
    print(f"{session.title}\n\n{game.score_sheet()}")
    if isinstance(game, Match):
        print(f"\nfinal score: X {game.score[0]}, O {game.score[1]}")
