"""How much a player gives away with a play, by the judgement of a stronger one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.evaluators.evaluators import Evaluator, Policy, Rows, segments
from bgfast.analysis.strength.judged_positions import JudgedPositions, read_judged
from bgfast.common.pace import Pace
from bgfast.common.validation import checked_progress
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position
from bgfast.rules import STANDARD

__all__ = ["ErrorPerPlay", "Mean", "Mistake", "RunningErrors", "error_per_play"]

MILLI = 1000
FIRST_AT_ONCE = 8  # positions, while nothing is known of the player's speed
AT_ONCE = 4096


class Mean(NamedTuple):
    """What the decisions of one kind came to.

    Attributes
    ----------
    decisions : int
    millipoints : float
        Given away with a decision, on average; NaN without decisions.
    standard_error : float
        Of that.
    agreed : float
        The share of decisions in which nothing was given away.
    """

    decisions: int
    millipoints: float
    standard_error: float
    agreed: float

    def __str__(self) -> str:
        """Return the result in one line."""
        return (
            f"{self.millipoints:.2f} ± {1.96 * self.standard_error:.2f} millipoints a play, "
            f"{self.agreed:.1%} agreed, {self.decisions:,} decisions"
        )


class Mistake(NamedTuple):
    """A decision in which something was given away.

    Attributes
    ----------
    position : Position
    roll : (int, int)
    played, best : str
    millipoints : float
        What was given away.
    """

    position: Position
    roll: tuple[int, int]
    played: str
    best: str
    millipoints: float


class ErrorPerPlay(NamedTuple):
    """How much a player gives away.

    Attributes
    ----------
    judge : str
        By whose judgement.
    overall, contact, race : Mean
    mistakes : tuple of Mistake
        The worst ones, the worst first.
    """

    judge: str
    overall: Mean
    contact: Mean
    race: Mean
    mistakes: tuple[Mistake, ...]

    @property
    def millipoints(self) -> float:
        """What is given away with a decision, on average."""
        return self.overall.millipoints

    def __str__(self) -> str:
        """Return the result in one line."""
        return (
            f"{self.overall} (contact {self.contact.millipoints:.2f}, race {self.race.millipoints:.2f}), "
            f"judged by {self.judge}"
        )


def error_per_play(
    policy: Evaluator,
    positions: JudgedPositions | None = None,
    *,
    worst: int = 0,
    progress: Callable[[float], object] | None = None,
) -> ErrorPerPlay:
    """Let a policy choose a play in each position, and add up what others have judged that to cost.

    Parameters
    ----------
    policy : evaluator
        Which plays the play that it likes best.
    positions : JudgedPositions, optional
        Those that come with bgfast if there are none.
    worst : int
        How many mistakes are wanted.
    progress : callable, optional
        Given the share of the positions that is done.

    Returns
    -------
    ErrorPerPlay

    Raises
    ------
    BgfastError
        If the policy is no evaluator.

    Examples
    --------
    >>> from bgfast.evaluators import PipCount, Pubeval
    >>> error_per_play(Pubeval()).millipoints < error_per_play(PipCount()).millipoints
    True
    """
    tell = checked_progress(progress)
    run = RunningErrors(policy, positions)
    for share in run.play():
        tell(share)
    return run.result(worst)


class RunningErrors:
    """The same, to be looked at while it runs; its parameters are those of `error_per_play`."""

    def __init__(self, policy: Evaluator, positions: JudgedPositions | None = None) -> None:
        if not callable(policy):
            raise BgfastError(f"player is {shown(policy)}; expected an evaluator: a callable on boards")
        self.judged = read_judged() if positions is None else positions
        self._policy = Policy(policy, STANDARD)
        self._rows: list[Rows] = []  # chosen in the positions so far

    @property
    def done(self) -> int:
        """In how many positions a play is chosen."""
        return sum(map(len, self._rows))

    def play(self) -> Iterator[float]:
        """Let the player choose; every quarter of a second or so yield the share that is done."""
        judged, pace = self.judged, Pace(FIRST_AT_ONCE, AT_ONCE)
        begin, number = self.done, len(self.judged.boards)
        for portion in pace.portions(number - begin):
            part = slice(begin + portion.start, begin + portion.stop)
            row, plays = segments(judged.plays, part)
            zeros = np.zeros(part.stop - part.start, np.int64)
            numbers = np.arange(part.start, part.stop)
            self._rows.append(row + self._policy.rows(judged.boards[part], plays, numbers, zeros))
            yield part.stop / number

    def result(self, worst: int = 0) -> ErrorPerPlay:
        """Return what the decisions so far have come to."""
        judged, rows = self.judged, np.concatenate([np.empty(0, np.int64), *self._rows])
        losses = judged.losses[rows] * MILLI
        phases = [Position.from_array(board).phase for board in judged.boards[: len(rows)]]
        contact = np.array([phase == "contact" for phase in phases], bool)
        found = losses.argsort(kind="stable")[::-1][:worst]
        return ErrorPerPlay(
            judged.judge,
            _mean(losses),
            _mean(losses[contact]),
            _mean(losses[~contact]),
            tuple(_mistake(judged, int(at), int(rows[at])) for at in found if losses[at]),
        )


def _mean(losses: npt.NDArray[np.float64]) -> Mean:
    number = len(losses)
    error = float(losses.std(ddof=1)) / math.sqrt(number) if number > 1 else math.nan
    if not number:
        return Mean(0, math.nan, math.nan, math.nan)
    return Mean(number, float(losses.mean()), error, float((losses == 0).mean()))


def _mistake(judged: JudgedPositions, at: int, row: int) -> Mistake:
    position = Position.from_array(judged.boards[at])
    roll = int(judged.dice[at, 0]), int(judged.dice[at, 1])
    begin, end = judged.plays.offsets[at : at + 2]
    best = int(judged.losses[begin:end].argmin())
    plays = position.plays(roll)  # in the order of the successors
    return Mistake(
        position, roll, plays[row - int(begin)].text, plays[best].text, float(judged.losses[row] * MILLI)
    )
