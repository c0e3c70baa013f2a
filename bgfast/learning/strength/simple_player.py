"""Rules of thumb for the weakest opponent of `bgfast play`: race, make points, hit, leave few blots."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import pip_counts
from bgfast.common.vocabulary import HOME
from bgfast.games.scoring import win_level
from bgfast.position.objects import Play, PlayList, Position
from bgfast.rules import STANDARD, RuleSet

# Values in pips of a checker borne off, a point held, and a blot that can be hit.
BORNE_OFF = 8
POINT = np.array([0, 2, 3, 4, 6, 7, 6, 5, 3, *[1] * 11, 3, 2, 2, 1, 1, 0])
BLOT = np.array([0, *range(1, 19), 8, 7, 6, 5, 4, 3, 0]) // 2 + 1

# Lead to double and deficit to take, relative to the own and the opponent's pip count.
DOUBLES_AHEAD = 0.10
TAKES_BEHIND = 0.13


def best_play(plays: PlayList) -> Play:
    """Return the play with the highest score; `plays` is not empty."""
    return plays[int(np.argmax(_score(plays.boards)))]


def _score(boards: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    pips = pip_counts(boards)
    inside = np.arange(26)
    opponent_rear = np.where(boards < 0, inside, 26).min(axis=1)
    exposed = (boards == 1) & (inside > opponent_rear[:, None])  # blots that a checker can hit
    score = (pips[:, 1] - pips[:, 0]).astype(np.float64)
    score += (boards >= 2) @ POINT - exposed @ BLOT
    score -= BORNE_OFF * np.maximum(boards, 0).sum(axis=1)
    return score


def is_pip_double(own: Any, opponent: Any) -> Any:
    """Return whether a player with pip count `own` doubles: bool or ndarray of bool."""
    return opponent - own > DOUBLES_AHEAD * own


def is_pip_take(doubler: Any, taker: Any) -> Any:
    """Return whether a player with pip count `taker` takes: bool or ndarray of bool."""
    return taker - doubler < TAKES_BEHIND * doubler


def accepts_resignation(position: Position, level: int, rules: RuleSet = STANDARD) -> bool:
    """Return whether the opponent accepts a resignation of the player on roll.

    A level below the result of a pure race is refused.

    Examples
    --------
    >>> from bgfast import Position
    >>> accepts_resignation(Position.start(), 1)
    True
    >>> nearly_home = Position.from_array([0] * 6 + [5] + [0] * 6 + [10] + [0] * 9 + [-2] + [0] * 2)
    >>> accepts_resignation(nearly_home, 1), accepts_resignation(nearly_home, 2)
    (False, True)
    """
    return level >= win_level(_after_race(position), rules)


def _after_race(position: Position) -> Position:
    """Return the remaining checkers of the side on roll after losing a pure race."""
    board = position.to_array().clip(0)
    pips = position.pip_counts[1]
    while board.sum() > 1:
        rear = int(board.nonzero()[0][-1])
        # A checker outside home moves pip by pip; at home it is borne off.
        cost = 1 if rear > HOME else rear
        if cost > pips:
            break
        pips -= cost
        board[rear] -= 1
        board[rear - cost] += rear > HOME
    return Position.from_array(board, position.checkers)
