"""The journal of a rollout: its finished blocks of trials, from which it goes on where it stopped.

A record has the trials of a block (`first` to `last`, without `last`), `points` and `plies` by candidate,
`adjusted` (or null; null, too, for probabilities that the evaluator does not tell; with a cube the value of
each game behind them), and the `seconds` taken
in all and by evaluators. Blocks may be of any size; each begins where the one before ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.evaluators.evaluators import BuiltIn, Evaluator
from bgfast.analysis.rollouts.identity import (
    check_same_evaluators,
    identities,
    needs_boards,
    sample_boards,
)
from bgfast.analysis.rollouts.trials import MOST_PLIES, Block, Job
from bgfast.batch.successors import results
from bgfast.batch.validation import checked_boards
from bgfast.common.journal import Journal
from bgfast.common.probabilities import EQUITY, EVALUATION, PROBABILITIES, SLACK, Numbers, are_probabilities
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown

__all__ = ["RolloutCheckpoint"]

MOST_POINTS = 3


class RolloutCheckpoint:
    """The finished blocks of one rollout, in memory and on disk.

    Parameters
    ----------
    path : path
        Begun if it is not there or empty. No other run can use it until `close`.
    settings : mapping
        What is rolled out, as JSON can hold it.
    job : Job
        The same for those who play it: what blocks of it can be.
    ask : callable
        Calls a function, where the evaluators are, with the arguments behind it.

    Attributes
    ----------
    blocks : list of Block
        What it holds, in order.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, is no checkpoint of a rollout, or is that of another
        one; it stays as it is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        settings: Mapping[str, Any],
        job: Job,
        ask: Callable[..., Any] = lambda function, *given: function(*given),
    ) -> None:
        self.blocks: list[Block] = []
        self._job = job
        self._journal = Journal(path, "rollout", "checkpoint")
        try:
            self._begin(settings, ask)
            self._journal.read(self._take)
        except BaseException:
            self.close()
            raise

    def _begin(self, settings: Mapping[str, Any], ask: Callable[..., Any]) -> None:
        found = self._journal.job
        if found is not None:
            known = {name: found.get(name) for name in ("boards", "evaluators")}
            self._journal.begin({**settings, **known})
            boards = self._boards(found.get("boards"))
        else:
            boards = sample_boards(self._job) if needs_boards(self._job) else self._job.boards[:0]
        own = ask(identities, self._job, boards)
        if found is None:
            self._journal.begin({**settings, "boards": boards.tolist(), "evaluators": own})
        else:
            check_same_evaluators(self._journal.name, found.get("evaluators"), own)

    def _boards(self, given: Any) -> Boards:
        """Return the boards that evaluators were asked for when the file was begun."""
        try:
            boards = checked_boards(given or self._job.boards[:0], self._job.checkers)
            if results(boards, self._job.rules, self._job.checkers).any():
                raise BgfastError("a game is over")
        except (BgfastError, ValueError, TypeError) as error:
            raise BgfastError(f"{self._journal.name}: boards of its header: {error}; left as it is") from None
        return boards

    def close(self) -> None:
        """Let other runs use the file."""
        self._journal.close()

    @property
    def end(self) -> int:
        """How many trials of each candidate it holds."""
        return self.blocks[-1].last if self.blocks else 0

    def keep(self, block: Block) -> None:
        """Add the block that follows."""
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

    def _take(self, record: Mapping[str, Any]) -> None:
        first, last = record["first"], record["last"]
        if type(first) is not int or type(last) is not int or not self.end == first < last:
            raise BgfastError(f"trials {shown(first)} to {shown(last)}; expected those from {self.end} on")
        job, shape = self._job, (len(self._job.boards), last - first)
        longest = MOST_PLIES if job.truncate is None else job.truncate
        points = _numbers("points", record["points"], shape, -MOST_POINTS, MOST_POINTS)
        plies = _numbers("plies", record["plies"], shape, 1, longest)
        if not ((points != 0) | (plies == job.truncate)).all():
            raise BgfastError("points of a game are 0; expected that of truncated ones alone")
        adjusted = None
        if job.adjusts:
            adjusted = _adjusted(record["adjusted"], plies, job)
        elif record["adjusted"] is not None:
            raise BgfastError(
                "trials are adjusted; expected that where games are truncated, luck is judged or a cube used"
            )
        seconds, of_evaluators = (_seconds(record[name]) for name in ("seconds", "evaluator_seconds"))
        self.blocks.append(
            Block(
                first, last, points.astype(np.int8), plies.astype(np.int32), adjusted, seconds, of_evaluators
            )
        )


def _numbers(
    name: str, given: Any, shape: tuple[int, ...], least: int, most: int
) -> npt.NDArray[np.signedinteger[Any]]:
    found = np.array(given)
    if found.dtype.kind != "i" or found.shape != shape or not ((found >= least) & (found <= most)).all():
        raise BgfastError(f"{name} are not {shape[0]} times {shape[1]} whole numbers from {least} to {most}")
    return found


def _adjusted(given: Any, plies: npt.NDArray[Any], job: Job) -> Numbers:
    found = np.array(given)
    if found.dtype.kind == "O" and all(each is None or type(each) in (int, float) for each in found.flat):
        found = found.astype(np.float64)
    if found.dtype.kind not in "if" or found.shape != (*plies.shape, job.adjusted_numbers):
        raise BgfastError(
            f"adjusted are not {plies.shape[0]} times {plies.shape[1]} times {job.adjusted_numbers} numbers"
        )
    numbers = found.astype(np.float64)
    evaluations = numbers[..., :EVALUATION]
    equities, unknown = evaluations[..., EQUITY], np.isnan(evaluations[..., :PROBABILITIES])
    known = ~unknown.any(axis=-1)
    # Each ply may be lucky or not: by all probabilities, or by all points from one end to the other.
    lucky = plies if job.luck_evaluator is not None else np.zeros_like(plies)
    sound = are_probabilities(evaluations[..., :PROBABILITIES], (SLACK + lucky)[..., None])
    bounded = _is_bounded(job.luck_evaluator) & (known | _is_bounded(job.evaluator))
    limits = np.where(bounded, (MOST_POINTS + 2 * MOST_POINTS * lucky) * (1 + SLACK), np.inf)
    if (
        not (known | unknown.all(axis=-1)).all()
        or not (sound | unknown).all()
        or not (np.isfinite(equities) & (np.abs(equities) <= limits)).all()
        or not _are_values(numbers[..., EVALUATION:], lucky, job)
    ):
        raise BgfastError("adjusted are no probabilities and equities of such games")
    return numbers


def _are_values(values: Numbers, lucky: npt.NDArray[Any], job: Job) -> bool:
    """Whether games can be worth that much with the cube, if there is one."""
    if job.cube is None:
        return True
    # Chances to win a match, or points of a cube that has been doubled as often as it may be.
    worst, best = job.cube.bounds()
    gained = (best - worst) * (lucky + SLACK)[..., None]
    return bool(((values >= worst - gained) & (values <= best + gained)).all())


def _is_bounded(evaluator: Evaluator | None) -> bool:
    """Whether what it says of a position lies between the worst and the best end of a game for certain."""
    return evaluator is None or isinstance(evaluator, BuiltIn)


def _seconds(given: Any) -> float:
    if type(given) not in (int, float) or not 0 <= given < float("inf"):
        raise BgfastError(f"seconds are {shown(given)}; expected a number, 0 or more")
    return float(given)
