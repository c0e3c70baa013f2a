"""Player of random legal actions, for tests and demonstrations."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast.games.game import Game
from bgfast.games.match import Match

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
