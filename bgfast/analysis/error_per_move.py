"""How much a player gives away with a play, by the judgement of a stronger one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.evaluators import Evaluator, Policy
from bgfast.analysis.judged_positions import JudgedPositions, read_judged
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position
from bgfast.rules import STANDARD

__all__ = ["ErrorPerMove", "Mean", "Mistake", "error_per_move"]

MILLI = 1000


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
            f"{self.millipoints:.2f} ± {1.96 * self.standard_error:.2f} millipoints a move, "
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


class ErrorPerMove(NamedTuple):
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


def error_per_move(
    evaluator: Evaluator, positions: JudgedPositions | None = None, *, worst: int = 0
) -> ErrorPerMove:
    """Let an evaluator choose a play in each position, and add up what others have judged that to cost.

    Parameters
    ----------
    evaluator : evaluator
        Which plays the play that it likes best.
    positions : JudgedPositions, optional
        Those that come with bgfast if there are none.
    worst : int
        How many mistakes are wanted.

    Returns
    -------
    ErrorPerMove

    Raises
    ------
    BgfastError
        If the evaluator is none.

    Examples
    --------
    >>> from bgfast.evaluators import PipCount, Pubeval
    >>> error_per_move(Pubeval()).millipoints < error_per_move(PipCount()).millipoints
    True
    """
    if not callable(evaluator):
        raise BgfastError(f"player is {shown(evaluator)}; expected an evaluator: a callable on boards")
    judged = read_judged() if positions is None else positions
    number = len(judged.boards)
    zeros = np.zeros(number, np.int64)
    rows = Policy(evaluator, STANDARD).rows(judged.boards, judged.plays, np.arange(number), zeros)
    losses = judged.losses[rows] * MILLI
    contact = np.array([Position.from_array(board).phase == "contact" for board in judged.boards])
    found = losses.argsort(kind="stable")[::-1][:worst]
    return ErrorPerMove(
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
