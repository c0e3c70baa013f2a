"""Cubeful evaluations: equities at cube and score instead of cubeless ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bgfast.common.probabilities import EQUITY, PROBABILITIES, Numbers
from bgfast.common.vocabulary import Boards
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.actions import cube_values
from bgfast.evaluation.cubeful import cubeful_values
from bgfast.evaluation.efficiency import Efficiencies, efficiency_model
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import stakes_of
from bgfast.position.decision import Decision


class AtStakes(NamedTuple):
    """Stakes from the side of the player on roll; the core's `equity_at` for arrays."""

    stakes: CubeStakes
    model: int  # of the cube efficiency, an index into `EFFICIENCY_MODELS`

    @classmethod
    def of(cls, decision: Decision, met: MatchEquityTable | None, efficiency: str) -> AtStakes:
        """Return the stakes of a decision from the mover's side."""
        return cls(stakes_of(decision, met), efficiency_model(efficiency))

    def flipped(self) -> AtStakes:
        """Return the stakes from the other player's side."""
        return AtStakes(self.stakes.flipped(), self.model)

    def make_cubeful(self, evaluations: Numbers, boards: Boards) -> None:
        """Replace cubeless equities by cubeful ones (EMG); boards may be finished."""
        rows = np.ascontiguousarray(evaluations[:, :PROBABILITIES])
        efficiencies = Efficiencies(None, self.model, boards).at(self.stakes, rows)
        values = cubeful_values(self.stakes, rows, efficiencies)
        evaluations[:, EQUITY] = self.stakes.normalized(values)

    def let_double(self, evaluations: Numbers, boards: Boards) -> None:
        """Raise equities to those after a double of the player on roll, where it gains equity."""
        if not self.stakes.may_double:
            return
        rows = np.ascontiguousarray(evaluations[:, :PROBABILITIES])
        _, take, drop, beaver = cube_values(self.stakes, rows, Efficiencies(None, self.model, boards))
        doubled = self.stakes.normalized(np.fmin(np.fmin(take, drop), beaver))
        evaluations[:, EQUITY] = np.maximum(evaluations[:, EQUITY], doubled)

    def mwc(self, equities: Numbers) -> list[float] | list[None]:
        """Return the match-winning chances of equities (EMG); a list of None in money play."""
        if not self.stakes.is_match:
            return [None] * len(equities)
        mwc: list[float] = self.stakes.denormalized(equities).tolist()
        return mwc
