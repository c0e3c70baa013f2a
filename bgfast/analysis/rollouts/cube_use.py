"""How the games of a rollout use the cube: what for, who decides, and what each game begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.efficiency import efficiency_model
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.played_for import played_for_names
from bgfast.analysis.cube.stakes import checked_table, stakes_of
from bgfast.analysis.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.analysis.evaluators.lookahead import Lookahead
from bgfast.analysis.evaluators.with_bearoff import WithBearoff
from bgfast.analysis.rollouts._cube_states import MOST_DOUBLES, CubeStates
from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import BgfastError
from bgfast.position.decision import Decision

__all__ = ["Branch", "CubeUse", "cube_evaluator", "no_probabilities"]

MOST_POINTS = 3  # of a game without a cube

Branch = Literal["play", "position", "no double", "double, take"]
"""What a candidate is: a play, after which the opponent is on roll and may double; a position, in which the
player on roll may; or a position where that player has decided."""


@dataclass(frozen=True)
class CubeUse:
    """How games use the cube; picklable if the evaluator is.

    Attributes
    ----------
    decision : Decision
        Cube, score and rules, from the side of the player whose decision it is.
    evaluator : evaluator
        Is asked for the probabilities of a position before each roll whose player may double. In money play
        the exact tables of its bear-off databases, if it has any, decide where they know the position.
    branches : tuple of Branch
        Of each board of the job.
    efficiency : str
        The model of the cube's efficiency.
    met : MatchEquityTable, optional
        The one that comes with bgfast unless said otherwise.
    checkers : int
        A side has at the beginning.
    """

    decision: Decision
    evaluator: Evaluator
    branches: tuple[Branch, ...]
    efficiency: str
    met: MatchEquityTable | None
    checkers: int = CHECKERS

    def stakes(self) -> HeldStakes:
        """Return what is played for, from the side of the player whose decision it is."""
        return stakes_of(self.decision, self.met)

    def states(self) -> CubeStates:
        """Return the states that the cube may come to: 0 the decision's, 1 with the opponent on roll."""
        tables = None
        if isinstance(self.evaluator, WithBearoff) and not self.decision.match_length:
            tables = self.evaluator.bearoff.cube_database.arrays
        return CubeStates(self.stakes(), efficiency_model(self.efficiency), tables, self.checkers)

    def starts(self, states: CubeStates) -> npt.NDArray[np.int32]:
        """Return the state that the games of each board begin with."""
        first = {"play": 1, "position": 0, "no double": 0, "double, take": states.doubled(0)}
        return np.array([first[branch] for branch in self.branches], np.int32)

    def waits(self) -> npt.NDArray[np.uint8]:
        """Return for each board whether it is too late to double before the first roll."""
        return np.array([branch == "no double" for branch in self.branches], np.uint8)

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value of a game."""
        most = float(MOST_POINTS * 2**MOST_DOUBLES)
        return (0.0, 1.0) if self.decision.match_length else (-most, most)

    def settings(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            **played_for_names(self.decision, checked_table(self.met).name, self.efficiency),
            "most_doubles": MOST_DOUBLES,
            "branches": list(self.branches),
        }


def cube_evaluator(policy: Evaluator) -> Evaluator:
    """Return whom a policy asks about the cube: the one that it looks ahead with, at 0 plies."""
    return policy.evaluator if isinstance(policy, Lookahead) else policy


def no_probabilities(evaluator: Any) -> BgfastError:
    """Return the error about an evaluator that says nothing of gammons, without which a cube has no value."""
    return BgfastError(
        f"{evaluator_name(evaluator)} returns equities, and the cube needs the five probabilities; expected "
        "an evaluator that returns them, or cubeless=True"
    )
