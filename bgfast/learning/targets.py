"""Training targets: temporal differences, errors of later positions, means of evaluators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.random_positions import random_dice
from bgfast.batch.successors import successors
from bgfast.common.probabilities import equities_of, flip_probabilities
from bgfast.common.validation import Boards
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.evaluators import Evaluator, call_evaluator
from bgfast.evaluation.evaluators.lookahead import filter_mask, has_rivals
from bgfast.evaluation.evaluators.network import Network, equities_of_outputs
from bgfast.evaluation.evaluators.network_file import BUCKETS, Floats
from bgfast.learning._targets import add_later_errors

MAX_BATCH = 20_000  # positions per evaluator call
# Constants of `find_alternatives`:
MAX_LOSS = 0.08  # points
MAX_PLAYS = 4  # per decision
BATCH = 4096  # decisions


class Lesson(NamedTuple):
    """Positions, shape (n, 26), and their target probabilities for the player on roll, shape (n, 5)."""

    boards: Boards
    targets: Floats


def temporal_differences(
    network: Network, visited: npt.NDArray[np.int8], points: npt.NDArray[np.int8], trace: float, threads: int
) -> Lesson:
    """Return the positions of finished games with temporal-difference targets.

    `visited` has the shape (plies, games, 26) and `points` (plies, games), as `continue_games` returns them.
    `trace` is lambda: the weight of the rest of the game relative to the next position.
    """
    plies, games = points.shape
    rows = visited.reshape(-1, visited.shape[2])
    evaluations = network.evaluate(rows, threads=threads).reshape(plies, games, 5)
    targets = np.empty((plies, games, 5), np.float32)
    has_target = np.zeros((plies, games), np.bool_)
    next_returns = np.zeros((games, 5), np.float32)
    is_finished = np.zeros(games, np.bool_)
    for ply in reversed(range(plies)):
        score = points[ply][:, None]
        is_end = score != 0
        result = np.concatenate((score > 0, score > 1, score > 2, score < -1, score < -2), axis=1)
        targets[ply] = np.where(is_end, result, flip_probabilities(next_returns.astype(np.float64)))
        has_target[ply] = is_finished = is_finished | is_end[:, 0]
        next_returns = np.float32(trace) * targets[ply] + np.float32(1 - trace) * evaluations[ply]
    return Lesson(visited[has_target], targets[has_target])


def with_later_errors(
    lesson: Lesson,
    evaluator: Evaluator,
    cut: npt.NDArray[np.bool_],
    replaced_rows: npt.NDArray[np.int64],
    trace: float,
) -> Lesson:
    """Return positions with 1-ply targets corrected by the errors of later positions in the same game.

    A network agrees with its own 1-ply values long before it is right: a slight error in all positions of a
    long game is invisible in a single ply, but adds up over the game.

    `lesson` has n positions game by game, then m alternatives, with `one_ply_targets` of `evaluator`. `cut`
    (n,) is true if the next position belongs to another game or follows a random play. `replaced_rows` (m,)
    has the rows of the positions that the alternatives replace and whose corrections they share. `trace` is
    lambda: the weight of a position relative to the one before it.

    Source: Sutton (1988), see `Training`. The standard deviation of final results is 1.2 points, and
    0.15 points without luck (see `add_later_errors`).
    """
    boards, targets = lesson
    game_targets = targets[: len(cut)].copy()
    evaluations = np.empty_like(game_targets)
    for first in range(0, len(game_targets), MAX_BATCH):
        batch = slice(first, min(first + MAX_BATCH, len(game_targets)))
        evaluations[batch] = evaluator(boards[batch])
    add_later_errors(game_targets, evaluations, cut, trace)
    alternative_targets = targets[len(cut) :] + (game_targets - targets[: len(cut)])[replaced_rows]
    return Lesson(boards, np.concatenate((game_targets, alternative_targets)))


def mean_probabilities(evaluators: Sequence[Evaluator], boards: Boards) -> Floats:
    """Return the mean probabilities of several evaluators; raise `BgfastError` if one returns equities."""
    total = np.zeros((len(boards), 5))
    for evaluator in evaluators:
        probabilities = call_evaluator(evaluator, boards)
        if probabilities.ndim != 2:
            raise BgfastError(
                f"teacher {short_repr(evaluator)} returns equities; expected five probabilities"
            )
        total += probabilities
    return (total / len(evaluators)).astype(np.float32)


def squared_error(network: Network, lesson: Lesson, positions: int) -> float:
    """Return the mean squared equity error of a network in the first `positions` rows of a lesson."""
    boards, targets = lesson.boards[:positions], lesson.targets[:positions]
    errors = equities_of_outputs(network.evaluate(boards)) - equities_of_outputs(targets)
    return float(np.mean(np.square(errors), dtype=np.float64))


def merge_positions(lesson: Lesson) -> Lesson:
    """Merge equal positions and average their targets; order by first occurrence."""
    boards, targets = lesson
    rows = np.ascontiguousarray(boards).view(np.dtype((np.void, boards.shape[1]))).ravel()
    _, first, inverse, counts = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    sums = [np.bincount(inverse, column, len(first)) for column in targets.T]
    means = (np.stack(sums, axis=1) / counts[:, None]).astype(np.float32)
    order = np.argsort(first)
    return Lesson(np.ascontiguousarray(boards[first[order]]), means[order])


class Alternatives(NamedTuple):
    """Unfinished boards after close plays, next player's side, and the row of the board before each play."""

    boards: Boards
    rows: npt.NDArray[np.int64]


def find_alternatives(evaluator: Evaluator, boards: Boards, seed: int, max_boards: int) -> Alternatives:
    """Return the boards after plays within `MAX_LOSS` of the best, for random rolls with several such plays.

    Each decision gives at most `MAX_PLAYS` boards, best first. The evaluator must return probabilities.
    """
    dice = random_dice(len(boards), seed)
    batches, count = [Alternatives(np.empty((0, 26), np.int8), np.empty(0, np.int64))], 0
    for first in range(0, len(boards), BATCH):
        if count >= max_boards:
            break
        plays = successors(boards[first : first + BATCH], dice[first : first + BATCH], flip=True)
        rows = np.flatnonzero(position_buckets(plays.boards) < BUCKETS)  # unfinished games
        equities = equities_of(np.asarray(evaluator(plays.boards[rows]), np.float64))
        order = np.lexsort((equities, plays.owners[rows]))
        rows, equities = rows[order], equities[order]
        rows = rows[filter_mask(equities, plays.owners[rows], MAX_LOSS, MAX_PLAYS)]
        rows = rows[has_rivals(plays.owners[rows])]
        batches.append(Alternatives(plays.boards[rows], plays.owners[rows] + first))
        count += len(rows)
    return Alternatives(*(np.concatenate(arrays)[:max_boards] for arrays in zip(*batches, strict=True)))
