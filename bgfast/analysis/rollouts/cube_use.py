"""Use of the cube in the games of a rollout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._cube_states import MAX_DOUBLES, CubeStates
from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import BgfastError
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.conditions import cubeful_fields
from bgfast.evaluation.efficiency import efficiency_model
from bgfast.evaluation.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import checked_table, stakes_of
from bgfast.position.decision import Decision

MAX_POINTS = 3  # of a game without a cube

Branch = Literal["play", "position", "no double", "double, take"]
"""Kind of candidate: a play, after which the opponent is on roll and may double; a position, in which the
player on roll may double; or a position in which that player has decided about the cube."""


@dataclass(frozen=True)
class CubeUse:
    """Settings for games with the cube; picklable if the evaluator is.

    The evaluator, which must return probabilities, evaluates positions before each roll whose player may
    double. In money play the exact cube tables of its bear-off databases, if any, take precedence.
    """

    decision: Decision  # from the side of the player whose decision it is
    evaluator: Evaluator
    branches: tuple[Branch, ...]  # by board of the job
    efficiency: str
    met: MatchEquityTable | None  # None: the table of bgfast
    checkers: int = CHECKERS  # of a side at the start of a game

    def stakes(self) -> CubeStakes:
        """Return the stakes of the player whose decision it is."""
        return stakes_of(self.decision, self.met)

    def states(self) -> CubeStates:
        """Return the reachable cube states: 0 is the decision's, 1 the same with the opponent on roll."""
        tables = None
        if isinstance(self.evaluator, WithBearoff) and not self.decision.match_length:
            tables = self.evaluator.bearoff.cube_database.arrays
        return CubeStates(self.stakes(), efficiency_model(self.efficiency), tables, self.checkers)

    def starts(self, states: CubeStates) -> npt.NDArray[np.int32]:
        """Return the initial cube state of each board."""
        states_by_branch = {"play": 1, "position": 0, "no double": 0, "double, take": states.doubled(0)}
        return np.array([states_by_branch[branch] for branch in self.branches], np.int32)

    def has_decided(self) -> npt.NDArray[np.uint8]:
        """Return 1 for boards whose player may not double before the first roll any more, else 0."""
        return np.array([branch == "no double" for branch in self.branches], np.uint8)

    def bounds(self) -> tuple[float, float]:
        """Return the minimum and the maximum value of a game."""
        maximum = float(MAX_POINTS * 2**MAX_DOUBLES)
        return (0.0, 1.0) if self.decision.match_length else (-maximum, maximum)

    def settings(self) -> dict[str, Any]:
        """Return the settings as JSON-compatible data."""
        return {
            **cubeful_fields(self.decision, checked_table(self.met).name, self.efficiency),
            "most_doubles": MAX_DOUBLES,
            "cube_actions": "evaluator",  # those of earlier versions were the policy's
            "branches": list(self.branches),
        }


def cube_evaluator(evaluator: Evaluator) -> Evaluator:
    """Return the evaluator of cube decisions: the evaluator itself, or the static evaluator of a search."""
    return evaluator.evaluator if isinstance(evaluator, Lookahead) else evaluator


def no_probabilities(evaluator: Any) -> BgfastError:
    """Return the error for an evaluator without probabilities, which cubeful equities need."""
    return BgfastError(
        f"{evaluator_name(evaluator)} returns equities, and the cube needs the five probabilities; expected "
        "an evaluator that returns them, or cubeless=True"
    )
