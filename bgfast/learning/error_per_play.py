"""Error per play: the average loss of a player's choices in contested decisions."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.ids import gnubg_ids
from bgfast.common.pace import Pace
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.validation import Roll
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, Policy, Rows, segments
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.learning.contested_decisions import FAMILIES, ContestedDecisions, Family, read_decisions
from bgfast.position.objects import Position
from bgfast.rules import STANDARD

MILLI = 1000
FIRST_BATCH = 8  # decisions, before the player's speed is known
MAX_BATCH = 4096


class MeanLoss(NamedTuple):
    """Mean loss of several decisions, or mean difference between two players' losses, in millipoints.

    `standard_error` treats these decisions as a sample of all decisions of their type. It comes from
    the spread of the measured losses, so it includes the error of the rollouts. `rollout_error` is the
    standard error due to the rollouts alone, in these decisions; estimated losses count as exact.
    """

    decisions: int
    millipoints: float  # nan without decisions
    standard_error: float  # nan for fewer than two decisions
    rollout_error: float
    agreed: float  # fraction of decisions with the best play; for a difference, with the same play

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `millipoints`."""
        half = NORMAL_95 * self.standard_error
        return self.millipoints - half, self.millipoints + half


class Mistake(NamedTuple):
    """Decision in which the player did not choose the best play."""

    position: Position
    roll: Roll
    family: Family
    played: str
    best: str
    millipoints: float
    standard_error: float  # nan if the loss is an estimate at 1 ply


class ErrorPerPlay(NamedTuple):
    """Result of `error_per_play`."""

    overall: MeanLoss
    families: Mapping[Family, MeanLoss]  # only families with decisions
    judges_differ: MeanLoss  # decisions on which the two judges differ; the other means include them
    mistakes: tuple[Mistake, ...]  # the largest mistakes, in descending order
    losses: tuple[float, ...]  # millipoints lost in each decision


class ErrorDifference(NamedTuple):
    """Paired difference of two players in the same decisions: loss of the first minus loss of the second."""

    overall: MeanLoss
    families: Mapping[Family, MeanLoss]
    judges_differ: MeanLoss


def error_per_play(
    policy: EvaluatorLike, contested: ContestedDecisions | None = None, *, worst: int = 0
) -> ErrorPerPlay:
    """Return the average loss of a player's choices, by default in bgfast's own decisions.

    The player makes the play that it evaluates as best. `worst` is the maximum number of mistakes to list.

    See Also
    --------
    bgfast.learning.contest : Points per game against another player.
    """
    run = RunningErrors(policy, contested)
    deque(run.play(), 0)
    return run.result(worst)


def error_difference(first: RunningErrors, second: RunningErrors) -> ErrorDifference:
    """Return the difference between two players in the decisions that both have made."""
    if first.contested.decisions != second.contested.decisions:
        raise BgfastError("the players have different decisions; expected the same")
    count = min(first.done, second.done)
    rows, other_rows = first.rows()[:count], second.rows()[:count]
    contested = first.contested
    is_same = rows == other_rows
    errors = np.hypot(*(np.nan_to_num(contested.loss_errors[plays]) for plays in (rows, other_rows)))
    values = (contested.losses[rows] - contested.losses[other_rows]) * MILLI
    return ErrorDifference(*_means(contested, values, np.where(is_same, 0, errors), is_same))


class RunningErrors:
    """Computation of `error_per_play` whose intermediate result can be read."""

    def __init__(self, policy: EvaluatorLike, contested: ContestedDecisions | None = None) -> None:
        self.contested = read_decisions() if contested is None else contested
        self._policy = Policy(evaluator_of(policy, "player"), STANDARD)
        self._rows: list[Rows] = []

    @property
    def done(self) -> int:
        """Number of decisions made."""
        return sum(map(len, self._rows))

    def rows(self) -> Rows:
        """Return the row in `contested.plays` of the play chosen in each decision so far."""
        return np.concatenate([np.empty(0, np.int64), *self._rows])

    def play(self) -> Iterator[float]:
        """Make the remaining decisions; yield the completed fraction about four times a second."""
        contested, pace = self.contested, Pace(FIRST_BATCH, MAX_BATCH)
        done, count = self.done, len(self.contested.boards)
        for portion in pace.portions(count - done):
            part = slice(done + portion.start, done + portion.stop)
            first_row, plays = segments(contested.plays, part)
            games = np.arange(part.start, part.stop)
            plies = np.zeros(len(games), np.int64)
            dice = np.array([decision.roll for decision in contested.decisions[part]], np.int8)
            rows = self._policy.rows(contested.boards[part], plays, games, plies, dice)
            self._rows.append(first_row + rows)
            yield part.stop / count

    def result(self, worst: int = 0) -> ErrorPerPlay:
        """Return the result of the decisions made so far."""
        contested, rows = self.contested, self.rows()
        losses = contested.losses[rows] * MILLI
        means = _means(contested, losses, np.nan_to_num(contested.loss_errors[rows]), losses == 0)
        order = losses.argsort(kind="stable")[::-1][:worst]
        mistakes = []
        for index in order[losses[order] != 0].tolist():
            decision, row = contested.decisions[index], int(rows[index])
            position = Position.from_array(contested.boards[index])
            names = {play.position.gnubg_id: str(play) for play in position.plays(decision.roll)}
            played = names[str(gnubg_ids(contested.plays.boards[row : row + 1])[0])]
            best = names[decision.candidates[0].position_id]
            loss, loss_error = float(losses[index]), float(contested.loss_errors[row]) * MILLI
            mistakes.append(Mistake(position, decision.roll, decision.family, played, best, loss, loss_error))
        return ErrorPerPlay(*means, tuple(mistakes), tuple(losses.tolist()))


def _means(
    contested: ContestedDecisions,
    values: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    is_agreed: npt.NDArray[np.bool_],
) -> tuple[MeanLoss, Mapping[Family, MeanLoss], MeanLoss]:
    """Return the means overall, by family, and where the judges differ; `errors` are in points."""
    decisions = contested.decisions[: len(values)]

    def mean(rows: npt.NDArray[np.bool_]) -> MeanLoss:
        count, selected = int(rows.sum()), values[rows]
        if not count:
            return MeanLoss(0, math.nan, math.nan, math.nan, math.nan)
        standard_error = float(selected.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
        rollout_error = float(np.sqrt(np.square(errors[rows]).sum())) / count * MILLI
        agreement = float(is_agreed[rows].mean())
        return MeanLoss(count, float(selected.mean()), standard_error, rollout_error, agreement)

    families = np.array([decision.family for decision in decisions], object)
    judges_differ = np.array([decision.judges == "judges-differ" for decision in decisions], bool)
    by_family: dict[Family, MeanLoss] = {
        family: mean(families == family) for family in FAMILIES if (families == family).any()
    }
    return mean(np.ones(len(decisions), bool)), by_family, mean(judges_differ)
