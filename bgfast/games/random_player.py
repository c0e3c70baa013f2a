"""Player of random legal actions, for tests and demonstrations."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast.games.game import Game
from bgfast.games.match import Match

__all__ = ["act_at_random"]

# The player never resigns, nor repeats a roll.
DOUBLE_PROBABILITY = 1 / 50
TAKE_PROBABILITY = 3 / 4
BEAVER_PROBABILITY = 1 / 10


def act_at_random(game: Game | Match, choices: np.random.Generator, *, cube: bool = True) -> None:
    """Carry out a random legal action; all legal plays are equally likely.

    Parameters
    ----------
    game : Game or Match
        Not over, with dice of its own.
    choices : numpy.random.Generator
        Source of the choices; the dice are the game's own.
    cube : bool
        False to never double.

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
