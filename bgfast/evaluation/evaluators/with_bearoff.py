"""Network with bear-off databases: the evaluator `builtin`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import BoardsLike, checkers_of
from bgfast.common.foreign_names import names_missing
from bgfast.common.validation import CHECKERS
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.actions import CubeActions
from bgfast.evaluation.bearoff.bearoff import Bearoff, default_bearoff
from bgfast.evaluation.evaluators._with_bearoff import CoreWithBearoff
from bgfast.evaluation.evaluators.evaluators import EqualBySettings
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import as_decision, stakes_of
from bgfast.position.decision import Decision
from bgfast.position.objects import Position


@final
@names_missing
class WithBearoff(EqualBySettings, CoreWithBearoff):
    """Network with bear-off databases for the positions they cover.

    When both sides bear off, results equal `Bearoff.probabilities` bit for bit; otherwise they are the
    network's probabilities. Rollouts and `Lookahead` run in the core and do not search exact positions.

    Plays are ranked by these values with one exception: in a race, a successor with a checker outside the
    home board is excluded if another successor has all checkers at home, since networks are too inaccurate
    there to be compared with the databases.

    Parameters
    ----------
    network : Network, name or file, optional
        Default: ``Network.builtin()``; the name ``"builtin"`` selects the network of that evaluator.
    bearoff : Bearoff, optional
        Default: the databases with six checkers per side in the default folder. If they are missing, they are
        computed in a tenth of a second and stored if the folder can be written.

    Raises
    ------
    BgfastError
        If an argument has the wrong type.

    See Also
    --------
    Chain : Chain of other evaluators, each for the boards it covers.

    Notes
    -----
    Under rules whose plays differ from `standard`, only the network is used. With fewer than 15 checkers per
    side, rollouts and searches count gammons as `Bearoff.probabilities` does; calls with boards assume 15.

    Immutable, picklable, thread-safe. A pickle with the default databases uses the databases of the machine
    that loads it.

    Examples
    --------
    >>> import bgfast
    >>> evaluator = bgfast.evaluators.WithBearoff()
    >>> six = [0, 6] + [0] * 22 + [-6, 0]
    >>> evaluator(six).round(4)
    array([0.7878, 0.    , 0.    , 0.    , 0.    ])
    >>> position = bgfast.Position("mQAAoBAAAAAAAA")
    >>> best = bgfast.evaluators.Lookahead(evaluator).best_plays(position, "21")[0]
    >>> str(best.play), round(best.equity, 4)
    ('2/off 1/off', 0.6613)
    """

    def __init__(
        self, network: Network | str | os.PathLike[str] | None = None, bearoff: Bearoff | None = None
    ) -> None:
        evaluator: Any = evaluator_of("network" if network is None else network, "network")
        network = evaluator.network if isinstance(evaluator, WithBearoff) else evaluator
        if not isinstance(network, Network):
            raise BgfastError(f"network is {short_repr(network)}; expected a Network")
        if bearoff is not None and not isinstance(bearoff, Bearoff):
            raise BgfastError(f"bearoff is {short_repr(bearoff)}; expected a Bearoff")
        databases = default_bearoff() if bearoff is None else bearoff
        one_sided, two_sided = databases.databases
        super().__init__(network, *one_sided.arrays, *two_sided.arrays)
        self._network, self._bearoff, self._bearoff_argument = network, databases, bearoff

    def __init_subclass__(cls) -> None:
        # The core reads network and databases, so an override would take effect in some places only.
        raise TypeError("WithBearoff cannot be subclassed; expected a function that calls one")

    @property
    def network(self) -> Network:
        """Network for positions outside the databases."""
        return self._network

    @property
    def bearoff(self) -> Bearoff:
        """Bear-off databases."""
        return self._bearoff

    def __call__(self, boards: BoardsLike) -> npt.NDArray[np.float64]:
        """Return the float64 probabilities of boards for the player on roll, as `Network.evaluate` does."""
        return super().__call__(boards)

    def exact_tables(self, decision: Decision, positions: Sequence[Position]) -> Bearoff | None:
        """Return the databases if they cover all positions with the cube of a decision, else None.

        `positions` are unfinished positions of the same game; the decision's own position is ignored.
        """
        if not _is_supported(as_decision(decision)) or checkers_of(positions) != CHECKERS:
            return None
        return self._bearoff if self._bearoff.covers_exactly(positions).all() else None

    def race_actions(
        self, decision: Decision, *, met: MatchEquityTable | None = None, mwc: bool = False
    ) -> CubeActions | None:
        """Return the result of `Bearoff.race_actions`; None if the databases do not support the decision."""
        decision = as_decision(decision)
        if not _is_supported(decision) or decision.position.checkers != CHECKERS:
            return None
        return self._bearoff.race_actions(decision, met=met, mwc=mwc)

    def __repr__(self) -> str:
        # Fingerprint in rollout checkpoints, without the folder of the databases.
        return f"WithBearoff({self._network!r}, {self._bearoff.checkers} checkers)"

    def _settings(self) -> tuple[Any, ...]:
        return self._network, self._bearoff.checkers

    def __reduce__(self) -> tuple[Any, ...]:
        return WithBearoff, (self._network, self._bearoff_argument)


def _is_supported(decision: Decision) -> bool:
    """Return whether the databases support a decision; they ignore beavers under a maximum cube."""
    return not stakes_of(decision).may_beaver_below_limit
