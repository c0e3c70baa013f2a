"""`bgfast game`: a game between two players of a level, or random ones, as a score sheet."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from bgfast.cli.options import add_common
from bgfast.cli.parser import Parser
from bgfast.cli.players import LEVELS_HELP, named_opponent
from bgfast.cli.sessions import add_game_options, new_session, save_if_wanted
from bgfast.common.terminal import folded
from bgfast.games.match import Match
from bgfast.games.random_player import act_at_random


def add_options(parser: Parser) -> None:
    """Add the options of ``bgfast game``."""
    parser.describe(
        "", "Without --seed a seed is chosen, and shown.", example="bgfast game --match 5 --seed 7"
    )
    add_common(parser, "--json")
    add_game_options(parser)
    parser.option(
        "--level", "LEVEL", f"{LEVELS_HELP}: level of both players, as in bgfast play (random actions)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Play a game, a match or a session to its end and print it."""
    session = new_session(arguments)
    game = session.game
    choices = np.random.default_rng([session.seed, 1])  # independent of the dice
    player = None if arguments.level is None else named_opponent(arguments.level, game.rules)
    while not session.over:
        if player is None:
            act_at_random(game, choices)
        else:
            player.act(game)
    save_if_wanted(arguments, game)
    if arguments.json:
        print(game.to_json(), end="")
        return
    title = session.title if arguments.level is None else f"{session.title}, {arguments.level}"
    lines = [title, "", game.score_sheet()]
    if isinstance(game, Match):
        lines += ["", f"final score: X {game.score[0]}, O {game.score[1]}"]
    print(folded("\n".join(lines), sys.stdout))
