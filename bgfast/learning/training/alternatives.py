"""Alternatives to the positions of games: those after plays that are nearly as good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.random_dice import random_dice
from bgfast.batch.successors import successors
from bgfast.common.probabilities import equities_of
from bgfast.common.vocabulary import Boards
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.lookahead import in_company, near_best
from bgfast.evaluation.evaluators.network_weights import BUCKETS

__all__ = ["Alternatives", "alternatives"]

MAX_LOSS = 0.08  # points
MAX_PLAYS = 4  # of a decision
BATCH = 4096  # decisions


class Alternatives(NamedTuple):
    """Unfinished boards after nearly equal plays.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
        Next player's side.
    rows : ndarray of int64, shape (n,)
        Index of the board that each was reached from.
    """

    boards: Boards
    rows: npt.NDArray[np.int64]


def alternatives(player: Evaluator, boards: Boards, seed: int, most: int) -> Alternatives:
    """Return the boards after the best plays of one roll a board, if several are within 0.08 points.

    Parameters
    ----------
    player : evaluator
        Evaluates the plays; returns five probabilities.
    boards : ndarray of int8, shape (n, 26)
        Unfinished, mover's side; one roll of each is played.
    seed : int
        Seed of the rolls.
    most : int
        Maximum number of boards returned; input boards beyond that are not evaluated.

    Returns
    -------
    Alternatives
        At most four for each input board, the best first.
    """
    dice = random_dice(len(boards), seed)
    found, rows, count = [], [], 0
    for first in range(0, len(boards), BATCH):
        if count >= most:
            break
        own = _of_decisions(player, boards[first : first + BATCH], dice[first : first + BATCH])
        found.append(own.boards)
        rows.append(own.rows + first)
        count += len(own.rows)
    if not found:
        return Alternatives(np.empty((0, 26), np.int8), np.empty(0, np.int64))
    return Alternatives(np.concatenate(found)[:most], np.concatenate(rows)[:most])


def _of_decisions(player: Evaluator, boards: Boards, dice: Boards) -> Alternatives:
    plays = successors(boards, dice, flip=True)
    rows = np.flatnonzero(position_buckets(plays.boards) < BUCKETS)  # not where the game can end
    equities = equities_of(np.asarray(player(plays.boards[rows]), np.float64))
    order = np.lexsort((equities, plays.owners[rows]))
    rows, equities = rows[order], equities[order]
    rows = rows[near_best(equities, plays.owners[rows], MAX_LOSS, MAX_PLAYS)]
    rows = rows[in_company(plays.owners[rows])]
    return Alternatives(plays.boards[rows], plays.owners[rows])
