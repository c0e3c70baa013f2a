"""Checkpoints of rollouts: journals of finished blocks of trials, from which a rollout resumes.

A record has the trials of a block (`first` up to but not including `last`), `points`, `plies` and `adjusted`
by candidate, and the `seconds` and `evaluator_seconds` taken. `adjusted` is null if games count their points;
probabilities are null if the evaluator returns equities; with a cube the value of a game follows its
evaluation. Blocks may have any size; a block begins where the previous one ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts.identity import check_same_evaluators, identities, needs_sample, sample_boards
from bgfast.analysis.rollouts.trials import MAX_PLIES, Block, Job
from bgfast.batch.successors import results
from bgfast.batch.validation import checked_boards
from bgfast.common.journal import Journal
from bgfast.common.probabilities import EQUITY, EVALUATION, PROBABILITIES, SLACK, Numbers, are_probabilities
from bgfast.common.validation import MAX_STORED, stored_number
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, NativeEvaluator

MAX_POINTS = 3


class RolloutCheckpoint:
    """Finished blocks of one rollout, in memory and on disk; `blocks` has them in order.

    The file is created if missing or empty, and locked until `close`. `settings` are compared with those of
    the file, records are validated against `job`. `call` calls a function in the process that has the
    evaluators. Raises `BgfastError` if the file is in use, invalid or of another rollout; it is left
    unchanged.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        settings: Mapping[str, Any],
        job: Job,
        call: Callable[..., Any] = lambda function, *arguments: function(*arguments),
    ) -> None:
        self.blocks: list[Block] = []
        self._job = job
        self._journal = Journal(path, "rollout", "checkpoint")
        try:
            self._begin(settings, call)
            self._journal.read(self._read_record)
        except BaseException:
            self.close()
            raise

    def _begin(self, settings: Mapping[str, Any], call: Callable[..., Any]) -> None:
        header = self._journal.job
        if header is not None:
            recorded = {name: header.get(name) for name in ("boards", "evaluators")}
            self._journal.begin({**settings, **recorded})
            boards = self._boards(header.get("boards"))
        else:
            boards = sample_boards(self._job) if needs_sample(self._job) else self._job.boards[:0]
        current = call(identities, self._job, boards)
        if header is None:
            self._journal.begin({**settings, "boards": boards.tolist(), "evaluators": current})
        else:
            check_same_evaluators(self._journal.name, header.get("evaluators"), current)

    def _boards(self, recorded: Any) -> Boards:
        """Return the sample boards that the header records."""
        try:
            boards = checked_boards(recorded or self._job.boards[:0], self._job.checkers)
            if results(boards, self._job.rules, self._job.checkers).any():
                raise BgfastError("a game is over")
        except (BgfastError, ValueError, TypeError) as error:
            raise BgfastError(f"{self._journal.name}: boards of its header: {error}; left as it is") from None
        return boards

    def close(self) -> None:
        """Unlock and close the file."""
        self._journal.close()

    @property
    def end(self) -> int:
        """Number of stored trials per candidate."""
        return self.blocks[-1].last if self.blocks else 0

    def append(self, block: Block) -> None:
        """Append the next block."""
        adjusted: npt.NDArray[Any] | None = block.adjusted
        if adjusted is not None and (unknown := np.isnan(adjusted)).any():
            adjusted = adjusted.astype(object)
            adjusted[unknown] = None
        self._journal.append(
            {
                "first": block.first,
                "last": block.last,
                "points": block.points.tolist(),
                "plies": block.plies.tolist(),
                "adjusted": None if adjusted is None else adjusted.tolist(),
                "seconds": round(block.seconds, 3),
                "evaluator_seconds": round(block.evaluator_seconds, 3),
            }
        )
        self.blocks.append(block)

    def _read_record(self, record: Mapping[str, Any]) -> None:
        first, last = record["first"], record["last"]
        if type(first) is not int or type(last) is not int or not self.end == first < last:
            raise BgfastError(f"trials {shown(first)} to {shown(last)}; expected those from {self.end} on")
        job, shape = self._job, (len(self._job.boards), last - first)
        max_plies = MAX_PLIES if job.truncate is None else job.truncate
        points = _numbers("points", record["points"], shape, -MAX_POINTS, MAX_POINTS)
        plies = _numbers("plies", record["plies"], shape, 1, max_plies)
        if not ((points != 0) | (plies == job.truncate)).all():
            raise BgfastError("points of a game are 0; expected 0 for truncated games alone")
        adjusted = None
        if job.adjusts:
            adjusted = _adjusted(record["adjusted"], plies, job)
        elif record["adjusted"] is not None:
            raise BgfastError(
                "trials are adjusted; expected null without truncation, variance reduction and cube"
            )
        seconds, of_evaluators = (_seconds(record[name]) for name in ("seconds", "evaluator_seconds"))
        self.blocks.append(
            Block(
                first, last, points.astype(np.int8), plies.astype(np.int32), adjusted, seconds, of_evaluators
            )
        )


def _numbers(
    name: str, values: Any, shape: tuple[int, ...], minimum: int, maximum: int
) -> npt.NDArray[np.signedinteger[Any]]:
    numbers = np.array(values)
    if (
        numbers.dtype.kind != "i"
        or numbers.shape != shape
        or not ((numbers >= minimum) & (numbers <= maximum)).all()
    ):
        raise BgfastError(
            f"{name} are not {shape[0]} times {shape[1]} whole numbers from {minimum} to {maximum}"
        )
    return numbers


def _adjusted(values: Any, plies: npt.NDArray[Any], job: Job) -> Numbers:
    array = np.array(values)
    if array.dtype.kind == "O" and all(value is None or type(value) in (int, float) for value in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind not in "if" or array.shape != (*plies.shape, job.adjusted_numbers):
        raise BgfastError(
            f"adjusted are not {plies.shape[0]} times {plies.shape[1]} times {job.adjusted_numbers} numbers"
        )
    numbers = array.astype(np.float64)
    evaluations = numbers[..., :EVALUATION]
    equities, missing = evaluations[..., EQUITY], np.isnan(evaluations[..., :PROBABILITIES])
    has_probabilities = ~missing.any(axis=-1)
    # The luck of a ply is at most 1 in a probability, and the range of the points in an equity.
    lucky_plies = plies if job.luck_evaluator is not None else np.zeros_like(plies)
    valid = are_probabilities(evaluations[..., :PROBABILITIES], (SLACK + lucky_plies)[..., None])
    bounded = _is_bounded(job.luck_evaluator) & (has_probabilities | _is_bounded(job.evaluator))
    limits = np.where(bounded, (MAX_POINTS + 2 * MAX_POINTS * lucky_plies) * (1 + SLACK), MAX_STORED)
    if (
        not (has_probabilities | missing.all(axis=-1)).all()
        or not (valid | missing).all()
        or not (np.isfinite(equities) & (np.abs(equities) <= limits)).all()
        or not _are_valid_values(numbers[..., EVALUATION:], lucky_plies, job)
    ):
        raise BgfastError("adjusted are no probabilities and equities of these games")
    return numbers


def _are_valid_values(values: Numbers, lucky_plies: npt.NDArray[Any], job: Job) -> bool:
    """Return whether values of games with the cube are within their bounds."""
    if job.cube is None:
        return True
    # Match winning chances, or points at the maximum number of doubles.
    minimum, maximum = job.cube.bounds()
    max_luck = (maximum - minimum) * (lucky_plies + SLACK)[..., None]
    return bool(((values >= minimum - max_luck) & (values <= maximum + max_luck)).all())


def _is_bounded(evaluator: Evaluator | None) -> bool:
    """Return whether evaluations are guaranteed to lie between the worst and the best result of a game."""
    return evaluator is None or isinstance(evaluator, NativeEvaluator)


def _seconds(value: Any) -> float:
    seconds = stored_number(value)
    if seconds is None or seconds < 0:
        raise BgfastError(f"seconds are {shown(value)}; expected a number, 0 or more")
    return seconds
