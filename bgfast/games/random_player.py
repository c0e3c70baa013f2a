"""Player of random legal actions, for tests and demonstrations."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast.games.game import Game
from bgfast.games.match import Match

__all__ = ["act_at_random"]

# How often it doubles and takes where it may; it never resigns, and never has a roll repeated.
DOUBLES = 1 / 50
TAKES = 3 / 4
BEAVERS = 1 / 10


def act_at_random(game: Game | Match, choices: np.random.Generator, *, cube: bool = True) -> None:
    """Do one of the legal actions; every legal play is as likely as the others.

    Parameters
    ----------
    game : Game or Match
        Not over, with dice of its own.
    choices : numpy.random.Generator
        Decides what is done; the dice are the game's.
    cube : bool
        Whether doubles are offered at all.

    Examples
    --------
    >>> import numpy as np
    >>> from bgfast import Game
    >>> game, choices = Game(dice=7), np.random.default_rng(7)
    >>> while game.result is None:
    ...     act_at_random(game, choices)
    >>> game.legal_actions()
    ()
    """
    legal = game.legal_actions()
    if "play" in legal:
        plays = game.plays()
        game.play(plays[int(choices.integers(len(plays)))])
    elif "take" in legal:
        _answer(game, legal, choices)
    elif "double" in legal and cube and choices.random() < DOUBLES:
        game.double()
    else:
        only = next(name for name in ("draw_lot", "roll", "pass_turn", "next_game") if name in legal)
        does: Any = getattr(game, only)
        does()


def _answer(game: Game | Match, legal: tuple[str, ...], choices: np.random.Generator) -> None:
    if "beaver" in legal and choices.random() < BEAVERS:
        game.beaver()
    elif choices.random() < TAKES:
        game.take()
    else:
        game.drop()
