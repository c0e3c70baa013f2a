"""What a decision's game is played for: match equities, or points, for every value of the cube."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._stakes import MOST_LEVELS, HeldStakes
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.errors import BgfastError, shown
from bgfast.games.state import UNLIMITED
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.position.text.xgid_text import Context

__all__ = ["stakes_of"]

_POINTS = np.array([1, 2, 3])
_FIELDS = (
    "turn", "cube", "cube_owner", "score", "match_length", "crawford", "jacoby", "beaver", "max_cube",
)  # fmt: skip
"""Of a decision: what its stakes depend on."""
_values_of = attrgetter(*_FIELDS)


def stakes_of(decision: Decision, met: MatchEquityTable | None = None) -> HeldStakes:
    """Return what the game of a decision is played for, from the mover's side, before an offer is answered.

    Match equities are looked up here, once, for all values that the cube can come to. Those of the last some
    hundred scores are kept.

    Parameters
    ----------
    decision : Decision
        Its position and dice do not matter.
    met : MatchEquityTable, optional
        The one that comes with bgfast unless said otherwise.

    Returns
    -------
    HeldStakes
        Values are chances to win the match, or in money play points in units of the cube as it is.

    Raises
    ------
    BgfastError
        If these are no decision and no table, or the table has no such score.

    Notes
    -----
    A `max_cube` of 1024 stands for no limit, unless the cube has come to it.

    Examples
    --------
    >>> import bgfast
    >>> money = stakes_of(bgfast.Decision(position=bgfast.Position.start()))
    >>> money.value([0.8, 0, 0, 0, 0], 1.0), money.dead_value([0.5, 0, 0, 0, 0])
    (1.0, 0.0)
    """
    if not isinstance(decision, Decision):
        raise BgfastError(f"decision is {shown(decision)}; expected a Decision")
    return _stakes(Context(**dict(zip(_FIELDS, _values_of(decision), strict=True))), checked_table(met))


def checked_table(met: Any) -> MatchEquityTable:
    """Return a match equity table, or the one that comes with bgfast instead of None.

    Raises
    ------
    BgfastError
        If it is none.
    """
    if met is None:
        return MatchEquityTable.builtin()
    if not isinstance(met, MatchEquityTable):
        raise BgfastError(f"met is {shown(met)}; expected a MatchEquityTable")
    return met


@lru_cache(512)
def _stakes(context: Context, met: MatchEquityTable) -> HeldStakes:
    decision = Decision(position=Position.start(), **vars(context))
    return _match_stakes(decision, met) if decision.match_length else _money_stakes(decision)


def _doublings(decision: Decision) -> int:
    """How often the cube can be turned before it comes to its limit."""
    return (decision.max_cube // decision.cube).bit_length() - 1


def _money_stakes(decision: Decision) -> HeldStakes:
    doublings = _doublings(decision)
    endless = doublings > 0 and (decision.max_cube == UNLIMITED or doublings >= MOST_LEVELS)
    levels = _levels(2 if endless else doublings + 1, lambda cube: (cube * _POINTS, -cube * _POINTS))
    if decision.jacoby and decision.cube_owner == 0:
        levels[0] = levels[0, :, :1]  # gammons count once nobody has the cube in the middle
    return HeldStakes(levels, 0.0, endless, decision.cube_owner, (0, 0), decision.beaver)


def _match_stakes(decision: Decision, met: MatchEquityTable) -> HeldStakes:
    # The cube is dead as soon as its value covers what both players need.
    needs, opponent_needs = (-(-(decision.match_length - won) // decision.cube) for won in decision.score)
    turns = (max(needs, opponent_needs) - 1).bit_length()
    if decision.crawford:
        turns = 0
    elif decision.max_cube != UNLIMITED:
        turns = min(turns, _doublings(decision))
    points = decision.cube * _POINTS

    def worth(cube: int) -> tuple[Any, Any]:
        return met.after(decision, cube * points), met.after(decision, -cube * points)

    return HeldStakes(
        _levels(turns + 1, worth), 1.0, False, decision.cube_owner, (needs, opponent_needs), False
    )


def _levels(count: int, worth: Any) -> npt.NDArray[np.float64]:
    return np.array([worth(2**turned) for turned in range(count)], np.float64)
