"""Error per play: the average loss of a player's choices in contested decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.position_ids import gnubg_ids
from bgfast.common.pace import Pace
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.validation import checked_progress
from bgfast.common.vocabulary import Roll
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, Policy, Rows, segments
from bgfast.learning.strength.contested_decisions import ContestedDecisions, read_decisions
from bgfast.learning.strength.families import FAMILIES, Family
from bgfast.position.objects import Position
from bgfast.rules import STANDARD

__all__ = [
    "ErrorDifference",
    "ErrorPerPlay",
    "MeanLoss",
    "Mistake",
    "RunningErrors",
    "error_difference",
    "error_per_play",
]

MILLI = 1000
FIRST_AT_ONCE = 8
"""Decisions of the first batch, while the player's speed is unknown."""
AT_ONCE = 4096


class MeanLoss(NamedTuple):
    """Mean loss, or mean difference of two losses, of some decisions.

    Attributes
    ----------
    decisions : int
    millipoints : float
        Mean loss of a decision; nan without decisions.
    standard_error : float
        Standard error of that mean as an estimate for all decisions of the kind; nan for fewer than two. It
        comes from the spread of the losses as they were measured, so it includes the error of the rollouts.
    rollout_error : float
        The part of it that comes from the rollouts alone: the standard error of the mean loss in just these
        decisions. Losses that are estimates do not count.
    agreed : float
        Share of the decisions with the best play; of a difference, with the same play.
    """

    decisions: int
    millipoints: float
    standard_error: float
    rollout_error: float
    agreed: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `millipoints`."""
        half = NORMAL_95 * self.standard_error
        return self.millipoints - half, self.millipoints + half


class Mistake(NamedTuple):
    """A decision in which the player did not choose the best play.

    Attributes
    ----------
    position : Position
    roll : (int, int)
    family : Family
    played, best : str
    millipoints : float
        Loss of the play that was chosen.
    standard_error : float
        Of that loss; nan if it is an estimate at 1 ply.
    """

    position: Position
    roll: Roll
    family: Family
    played: str
    best: str
    millipoints: float
    standard_error: float


class ErrorPerPlay(NamedTuple):
    """Error per play of a player.

    Attributes
    ----------
    overall : MeanLoss
    families : mapping of Family to MeanLoss
        Families without decisions are left out.
    judges_differ : MeanLoss
        Decisions on which the two judges differ; they count in all other means, too.
    mistakes : tuple of Mistake
        The costliest, largest first.
    losses : tuple of float
        Millipoints lost in each decision, in their order.
    """

    overall: MeanLoss
    families: Mapping[Family, MeanLoss]
    judges_differ: MeanLoss
    mistakes: tuple[Mistake, ...]
    losses: tuple[float, ...]

    @property
    def millipoints(self) -> float:
        """Mean loss of all decisions."""
        return self.overall.millipoints


class ErrorDifference(NamedTuple):
    """Paired difference of two players in the same decisions: the losses of the first minus the second's.

    Attributes
    ----------
    overall : MeanLoss
    families : mapping of Family to MeanLoss
    judges_differ : MeanLoss
    """

    overall: MeanLoss
    families: Mapping[Family, MeanLoss]
    judges_differ: MeanLoss


def error_per_play(
    policy: Evaluator,
    contested: ContestedDecisions | None = None,
    *,
    worst: int = 0,
    progress: Callable[[float], object] | None = None,
) -> ErrorPerPlay:
    """Return the average loss of a player's choices, overall and by family.

    Parameters
    ----------
    policy : evaluator
        Plays the play that it evaluates as best.
    contested : ContestedDecisions, optional
        Those that come with bgfast by default; `read_decisions` reads others.
    worst : int
        Number of mistakes to list.
    progress : callable, optional
        Called with the share of the decisions that is done.

    Returns
    -------
    ErrorPerPlay

    Raises
    ------
    BgfastError
        If the policy is not an evaluator.

    Examples
    --------
    >>> from bgfast.learning.strength.error_per_play import error_per_play
    >>> from bgfast.evaluators import PipCount, Pubeval
    >>> error_per_play(Pubeval()).millipoints < error_per_play(PipCount()).millipoints
    True
    """
    report = checked_progress(progress)
    run = RunningErrors(policy, contested)
    for share in run.play():
        report(share)
    return run.result(worst)


def error_difference(first: RunningErrors, second: RunningErrors) -> ErrorDifference:
    """Return the difference between two players, from the decisions that both have made.

    Raises
    ------
    BgfastError
        If they do not choose in the same decisions.

    Examples
    --------
    >>> from bgfast.learning.strength.error_per_play import RunningErrors, error_difference
    >>> from bgfast.evaluators import PipCount, Pubeval
    >>> runs = [RunningErrors(player) for player in (PipCount(), Pubeval())]
    >>> shares = [list(run.play()) for run in runs]
    >>> error_difference(*runs).overall.interval[0] > 0
    True
    """
    if first.contested.decisions != second.contested.decisions:
        raise BgfastError("the players have different decisions; expected the same")
    number = min(first.done, second.done)
    rows, other_rows = first.rows()[:number], second.rows()[:number]
    contested = first.contested
    same = rows == other_rows
    errors = np.hypot(_known(contested.loss_errors[rows]), _known(contested.loss_errors[other_rows]))
    values = (contested.losses[rows] - contested.losses[other_rows]) * MILLI
    return ErrorDifference(*_means(contested, values, np.where(same, 0, errors), same))


class RunningErrors:
    """The computation of `error_per_play`, step by step; its parameters are those of that function."""

    def __init__(self, policy: Evaluator, contested: ContestedDecisions | None = None) -> None:
        if not callable(policy):
            raise BgfastError(f"player is {shown(policy)}; expected an evaluator: a callable on boards")
        self.contested = read_decisions() if contested is None else contested
        self._policy = Policy(policy, STANDARD)
        self._rows: list[Rows] = []

    @property
    def done(self) -> int:
        """Number of decisions that are made."""
        return sum(map(len, self._rows))

    def rows(self) -> Rows:
        """Return the row of the play chosen in each decision so far, among the plays of all decisions."""
        return np.concatenate([np.empty(0, np.int64), *self._rows])

    def play(self) -> Iterator[float]:
        """Let the player choose; every quarter of a second or so yield the share that is done."""
        contested, pace = self.contested, Pace(FIRST_AT_ONCE, AT_ONCE)
        begin, number = self.done, len(self.contested.boards)
        for portion in pace.portions(number - begin):
            part = slice(begin + portion.start, begin + portion.stop)
            row, plays = segments(contested.plays, part)
            zeros = np.zeros(part.stop - part.start, np.int64)
            numbers = np.arange(part.start, part.stop)
            dice = np.array([decision.roll for decision in contested.decisions[part]], np.int8)
            chosen = self._policy.rows(contested.boards[part], plays, numbers, zeros, dice)
            self._rows.append(row + chosen)
            yield part.stop / number

    def result(self, worst: int = 0) -> ErrorPerPlay:
        """Return the result of the decisions made so far."""
        contested, rows = self.contested, self.rows()
        losses = contested.losses[rows] * MILLI
        means = _means(contested, losses, _known(contested.loss_errors[rows]), losses == 0)
        order = losses.argsort(kind="stable")[::-1][:worst]
        mistakes = tuple(
            _mistake(contested, index, int(rows[index])) for index in order.tolist() if losses[index]
        )
        return ErrorPerPlay(*means, mistakes, tuple(losses.tolist()))


def _known(errors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return standard errors with 0 for those of estimates."""
    return np.nan_to_num(errors)


def _means(
    contested: ContestedDecisions,
    values: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    agreed: npt.NDArray[np.bool_],
) -> tuple[MeanLoss, Mapping[Family, MeanLoss], MeanLoss]:
    """Return the means of the first decisions: overall, by family, and where the judges differ.

    Values are in millipoints, the standard errors of the rollouts in points.
    """
    made = contested.decisions[: len(values)]

    def mean(rows: npt.NDArray[np.bool_]) -> MeanLoss:
        return _mean(values[rows], errors[rows], agreed[rows])

    families = np.array([decision.family for decision in made], object)
    differ = np.array([decision.judges == "judges-differ" for decision in made], bool)
    by_family: dict[Family, MeanLoss] = {
        family: mean(families == family) for family in FAMILIES if (families == family).any()
    }
    return mean(np.ones(len(made), bool)), by_family, mean(differ)


def _mean(
    values: npt.NDArray[np.float64], errors: npt.NDArray[np.float64], agreed: npt.NDArray[np.bool_]
) -> MeanLoss:
    number = len(values)
    if not number:
        return MeanLoss(0, math.nan, math.nan, math.nan, math.nan)
    spread = float(values.std(ddof=1)) / math.sqrt(number) if number > 1 else math.nan
    rollouts = float(np.sqrt(np.square(errors).sum())) / number * MILLI
    return MeanLoss(number, float(values.mean()), spread, rollouts, float(agreed.mean()))


def _mistake(contested: ContestedDecisions, index: int, row: int) -> Mistake:
    decision = contested.decisions[index]
    position = Position.from_array(contested.boards[index])
    names = {play.position.gnubg_id: str(play) for play in position.plays(decision.roll)}
    played: Any = gnubg_ids(contested.plays.boards[row : row + 1])[0]
    return Mistake(
        position,
        decision.roll,
        decision.family,
        names[str(played)],
        names[decision.candidates[0].position_id],
        float(contested.losses[row]) * MILLI,
        float(contested.loss_errors[row]) * MILLI,
    )
