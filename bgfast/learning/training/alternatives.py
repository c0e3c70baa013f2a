"""Positions that games do not come to, and that have to be told apart: those after plays nearly as good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.random_dice import random_dice
from bgfast.batch.successors import successors
from bgfast.common.probabilities import equities_of
from bgfast.common.vocabulary import Boards
from bgfast.evaluation.evaluators._network import position_parts
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.lookahead import in_company, near_best
from bgfast.evaluation.evaluators.network_weights import PARTS

__all__ = ["Alternatives", "alternatives"]

NEAR = 0.08  # points: what is worse was no question
OF_A_DECISION = 4  # the best among them
AT_ONCE = 4096  # decisions


class Alternatives(NamedTuple):
    """Unfinished boards that nearly equal plays lead to.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
        Next player's side.
    rows : ndarray of int64, shape (n,)
        The board that each was reached from.
    """

    boards: Boards
    rows: npt.NDArray[np.int64]


def alternatives(player: Evaluator, boards: Boards, seed: int, most: int) -> Alternatives:
    """Return what plays of one roll a board lead to, where several are within 0.08 points of the best.

    Parameters
    ----------
    player : evaluator
        Who says what they are worth: five probabilities.
    boards : ndarray of int8, shape (n, 26)
        Unfinished, mover's side; in each one roll is played.
    seed : int
        Of the rolls.
    most : int
        How many are returned at most; boards behind are not looked at then.

    Returns
    -------
    Alternatives
        At most four of a board, the best first.
    """
    dice = random_dice(len(boards), seed)
    found, rows, count = [], [], 0
    for first in range(0, len(boards), AT_ONCE):
        if count >= most:
            break
        own = _of_decisions(player, boards[first : first + AT_ONCE], dice[first : first + AT_ONCE])
        found.append(own.boards)
        rows.append(own.rows + first)
        count += len(own.rows)
    if not found:
        return Alternatives(np.empty((0, 26), np.int8), np.empty(0, np.int64))
    return Alternatives(np.concatenate(found)[:most], np.concatenate(rows)[:most])


def _of_decisions(player: Evaluator, boards: Boards, dice: Boards) -> Alternatives:
    plays = successors(boards, dice, flip=True)
    rows = np.flatnonzero(position_parts(plays.boards) < PARTS)  # who can end a game has no question
    equities = equities_of(np.asarray(player(plays.boards[rows]), np.float64))
    order = np.lexsort((equities, plays.owners[rows]))
    rows, equities = rows[order], equities[order]
    rows = rows[near_best(equities, plays.owners[rows], NEAR, OF_A_DECISION)]
    rows = rows[in_company(plays.owners[rows])]
    return Alternatives(plays.boards[rows], plays.owners[rows])
