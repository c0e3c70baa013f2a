"""Alternatives to positions of games: positions after nearly equal plays."""

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
from bgfast.evaluation.evaluators.lookahead import has_rivals, within_filter
from bgfast.evaluation.evaluators.network_weights import BUCKETS

MAX_LOSS = 0.08  # points
MAX_PLAYS = 4  # for each decision
BATCH = 4096  # decisions


class Alternatives(NamedTuple):
    """Unfinished boards after nearly equal plays, next player's side, and rows of the boards before them."""

    boards: Boards
    rows: npt.NDArray[np.int64]


def alternatives(evaluator: Evaluator, boards: Boards, seed: int, max_boards: int) -> Alternatives:
    """Return the boards after the best plays of a random roll, where several are within `MAX_LOSS`.

    There are at most `MAX_PLAYS` for each board, best first. The evaluator must return probabilities.
    """
    dice = random_dice(len(boards), seed)
    batches, rows, count = [np.empty((0, 26), np.int8)], [np.empty(0, np.int64)], 0
    for first in range(0, len(boards), BATCH):
        if count >= max_boards:
            break
        batch = _batch_alternatives(evaluator, boards[first : first + BATCH], dice[first : first + BATCH])
        batches.append(batch.boards)
        rows.append(batch.rows + first)
        count += len(batch.rows)
    return Alternatives(np.concatenate(batches)[:max_boards], np.concatenate(rows)[:max_boards])


def _batch_alternatives(evaluator: Evaluator, boards: Boards, dice: Boards) -> Alternatives:
    plays = successors(boards, dice, flip=True)
    rows = np.flatnonzero(position_buckets(plays.boards) < BUCKETS)  # unfinished games
    equities = equities_of(np.asarray(evaluator(plays.boards[rows]), np.float64))
    order = np.lexsort((equities, plays.owners[rows]))
    rows, equities = rows[order], equities[order]
    rows = rows[within_filter(equities, plays.owners[rows], MAX_LOSS, MAX_PLAYS)]
    rows = rows[has_rivals(plays.owners[rows])]
    return Alternatives(plays.boards[rows], plays.owners[rows])
