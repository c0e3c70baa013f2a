"""What positions of games are worth by what came after them."""

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

__all__ = ["Lesson", "mean_probabilities", "temporal_differences", "unlike", "with_later_errors"]

ASKED_AT_ONCE = 20_000  # positions


class Lesson(NamedTuple):
    """Positions, and what they are worth for the player on roll.

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
    """Return the positions of games with what they are worth by what came after.

    Parameters
    ----------
    player : Network
        Who says what the next position is worth.
    met : int8 array (plies, games, 26)
        The positions before each ply.
    points : int8 array (plies, games)
        What that ply has won, 0 if the game went on.
    trace : float
        Lambda: how much the later course of the game counts, not the next position alone.

    Returns
    -------
    Lesson
        Without the positions of games whose end is not known.
    """
    plies, games = points.shape
    said = player.evaluate(met.reshape(-1, met.shape[2]), threads=threads).reshape(plies, games, 5)
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
        later = np.float32(trace) * targets[ply] + np.float32(1 - trace) * said[ply]
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
    """Return positions with what they are worth a ply later, and how wrong those behind them were judged.

    A network agrees with itself a ply later long before it is right: where all positions of a long game are
    judged a little too high, no ply tells. Over the whole game it adds up.

    Parameters
    ----------
    lesson : Lesson
        With `exact_targets`; games stand one behind the other, then what stands beside their positions.
    player : evaluator
        Whose they are.
    cut : ndarray of bool, shape (n,)
        Of the positions of games: whether the next one is of another game, or came of a play by lot.
    beside : ndarray of int64, shape (m,)
        For each of the others the position of a game instead of which it might have come. What is wrong
        with how that one was judged is taken to be wrong with this one, too.
    trace : float
        Lambda: by how much less a position counts than the one before it.

    Notes
    -----
    Source: Sutton, "Learning to predict by the methods of temporal differences" (1988). What is left out is
    the luck of the dice, whose mean is 0: what the next position is judged, less what this one is worth a ply
    later. That leaves a standard deviation of 0.15 points, where the ends of games have one of 1.2.
    """
    boards, ahead = lesson
    of_games = ahead[: len(cut)].copy()
    said = np.empty_like(of_games)
    for first in range(0, len(of_games), ASKED_AT_ONCE):
        some = slice(first, min(first + ASKED_AT_ONCE, len(of_games)))
        said[some] = player(boards[some])
    add_later_errors(of_games, said, cut, trace)
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


def unlike(lesson: Lesson) -> Lesson:
    """Return each position once, in their order, with the mean of what it is worth."""
    boards, targets = lesson
    rows = np.ascontiguousarray(boards).view(np.dtype((np.void, boards.shape[1]))).ravel()
    _, first, place, times = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    sums = [np.bincount(place, column, len(first)) for column in targets.T]
    means = (np.stack(sums, axis=1) / times[:, None]).astype(np.float32)
    order = np.argsort(first)
    return Lesson(np.ascontiguousarray(boards[first[order]]), means[order])
