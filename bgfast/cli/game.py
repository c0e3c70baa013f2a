"""`bgfast game`: two players who do something legal at random, as a score sheet."""

from __future__ import annotations

import argparse

import numpy as np

from bgfast.cli.game_options import read_options
from bgfast.formats.score_sheet import sheet_text
from bgfast.games.match import Match
from bgfast.games.random_player import act_at_random

__all__ = ["run_game"]


def run_game(arguments: argparse.Namespace) -> None:
    """Play a game, a match or a session to its end and print it.

    Raises
    ------
    BgfastError
        If an option cannot be read, before anything is printed.
    """
    typed = read_options(arguments, "game")
    table = typed.table
    choices = np.random.default_rng([typed.seed, 1])  # another stream than that of the dice
    while not typed.over:
        act_at_random(table, choices)
    if arguments.json:
        print(table.to_json(), end="")
        return
    print(f"{typed.title}\n\n{sheet_text(table)}")
    if isinstance(table, Match):
        print(f"\nfinal score: X {table.score[0]}, O {table.score[1]}")
