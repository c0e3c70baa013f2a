"""Targets of positions: temporal differences, later errors, means of evaluators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import flipped_probabilities
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, answer
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_weights import Floats
from bgfast.learning.training._positions import add_later_errors

__all__ = ["Lesson", "distinct", "mean_probabilities", "temporal_differences", "with_later_errors"]

MAX_BATCH = 20_000  # positions an evaluator is called with


class Lesson(NamedTuple):
    """Positions and their target probabilities for the player on roll.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
    targets : ndarray of float32, shape (n, 5)
    """

    boards: Boards
    targets: Floats


def temporal_differences(
    player: Network, met: npt.NDArray[np.int8], points: npt.NDArray[np.int8], trace: float, threads: int
) -> Lesson:
    """Return the positions of games with targets by temporal differences.

    Parameters
    ----------
    player : Network
        Evaluates the next position.
    met : int8 array (plies, games, 26)
        The positions before each ply.
    points : int8 array (plies, games)
        Points won by that ply, 0 if the game continued.
    trace : float
        Lambda: the weight of the rest of the game relative to the next position.

    Returns
    -------
    Lesson
        Positions of unfinished games are left out.
    """
    plies, games = points.shape
    evaluations = player.evaluate(met.reshape(-1, met.shape[2]), threads=threads).reshape(plies, games, 5)
    targets = np.empty((plies, games, 5), np.float32)
    known = np.zeros((plies, games), np.bool_)
    later = np.zeros((games, 5), np.float32)
    ended = np.zeros(games, np.bool_)
    for ply in reversed(range(plies)):
        won = points[ply][:, None]
        over = won[:, 0] != 0
        result = np.concatenate((won > 0, won > 1, won > 2, won < -1, won < -2), axis=1).astype(np.float32)
        targets[ply] = np.where(over[:, None], result, _flipped(later))
        known[ply] = ended = ended | over
        later = np.float32(trace) * targets[ply] + np.float32(1 - trace) * evaluations[ply]
    return Lesson(met[known], targets[known])


def _flipped(probabilities: Floats) -> Floats:
    return flipped_probabilities(probabilities.astype(np.float64)).astype(np.float32)


def with_later_errors(
    lesson: Lesson,
    player: Evaluator,
    cut: npt.NDArray[np.bool_],
    beside: npt.NDArray[np.int64],
    trace: float,
) -> Lesson:
    """Return positions with 1-ply targets corrected by the errors of later positions in the same game.

    A network agrees with its own 1-ply value long before it is right: if all positions of a long game are
    overrated a little, no single ply shows it. Over the whole game it adds up.

    Parameters
    ----------
    lesson : Lesson
        Positions with `exact_targets`: games one after the other, then alternatives to their positions.
    player : evaluator
        Evaluator that made the targets.
    cut : ndarray of bool, shape (n,)
        True for a position of a game whose next one is of another game or follows a random play.
    beside : ndarray of int64, shape (m,)
        For each alternative the row of the position that was reached instead. The error of that position's
        evaluation is applied to the alternative, too.
    trace : float
        Lambda: the weight of a position relative to the one before it.

    Notes
    -----
    Source: Sutton, "Learning to predict by the methods of temporal differences" (1988). The luck of the dice,
    whose mean is 0, is subtracted: the evaluation of the next position less the 1-ply value of this one. The
    standard deviation is 0.15 points instead of the 1.2 of final results.
    """
    boards, ahead = lesson
    of_games = ahead[: len(cut)].copy()
    evaluations = np.empty_like(of_games)
    for first in range(0, len(of_games), MAX_BATCH):
        some = slice(first, min(first + MAX_BATCH, len(of_games)))
        evaluations[some] = player(boards[some])
    add_later_errors(of_games, evaluations, cut, trace)
    others = ahead[len(cut) :] + (of_games - ahead[: len(cut)])[beside]
    return Lesson(boards, np.concatenate((of_games, others)))


def mean_probabilities(evaluators: Sequence[Evaluator], boards: Boards) -> Floats:
    """Return the mean of the probabilities of several evaluators.

    Parameters
    ----------
    evaluators : sequence of evaluator
    boards : ndarray of int8, shape (n, 26)
        Unfinished games, mover's side.

    Returns
    -------
    ndarray of float32, shape (n, 5)

    Raises
    ------
    BgfastError
        If an evaluator returns equities instead of probabilities.
    """
    total = np.zeros((len(boards), 5))
    for evaluator in evaluators:
        probabilities = answer(evaluator, boards)
        if probabilities.ndim != 2:
            raise BgfastError(f"teacher {shown(evaluator)} returns equities; expected five probabilities")
        total += probabilities
    return (total / len(evaluators)).astype(np.float32)


def distinct(lesson: Lesson) -> Lesson:
    """Return the distinct positions in their order, each with the mean of its targets."""
    boards, targets = lesson
    rows = np.ascontiguousarray(boards).view(np.dtype((np.void, boards.shape[1]))).ravel()
    _, first, place, times = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    sums = [np.bincount(place, column, len(first)) for column in targets.T]
    means = (np.stack(sums, axis=1) / times[:, None]).astype(np.float32)
    order = np.argsort(first)
    return Lesson(np.ascontiguousarray(boards[first[order]]), means[order])
