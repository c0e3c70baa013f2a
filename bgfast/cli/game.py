"""`bgfast game`: a game between two players of a level, or random ones, as a score sheet."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from bgfast.cli.options import add_common
from bgfast.cli.parser import Parser
from bgfast.cli.players import LEVELS_HELP, named_opponent
from bgfast.cli.sessions import add_game_options, new_session, save_if_wanted
from bgfast.common.terminal import folded
from bgfast.games.game import Game
from bgfast.games.match import Match


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


# The player never resigns, nor repeats a roll.
DOUBLE_PROBABILITY = 1 / 50
TAKE_PROBABILITY = 3 / 4
BEAVER_PROBABILITY = 1 / 10


def act_at_random(game: Game | Match, choices: np.random.Generator, *, cube: bool = True) -> None:
    """Carry out a random legal action of an unfinished game with its own dice; never double without `cube`.

    All legal plays are equally likely.
    """
    legal = game.legal_actions()
    if "play" in legal:
        plays = game.plays()
        game.play(plays[int(choices.integers(len(plays)))])
    elif "take" in legal:
        _answer_double(game, legal, choices)
    elif "double" in legal and cube and choices.random() < DOUBLE_PROBABILITY:
        game.double()
    else:
        name = next(name for name in ("draw_lot", "roll", "pass_turn", "next_game") if name in legal)
        action: Any = getattr(game, name)
        action()


def _answer_double(game: Game | Match, legal: tuple[str, ...], choices: np.random.Generator) -> None:
    if "beaver" in legal and choices.random() < BEAVER_PROBABILITY:
        game.beaver()
    elif choices.random() < TAKE_PROBABILITY:
        game.take()
    else:
        game.drop()
