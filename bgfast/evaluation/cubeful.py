"""Cubeful equities from cubeless probabilities, for the cube and score of a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.common.validation import whole_number
from bgfast.errors import BgfastError, shown
from bgfast.evaluation._cubeful import fill_values
from bgfast.evaluation._efficiency import BoardEfficiency
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.efficiency import Efficiency, as_efficiencies
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.rows import ANY_EXCESS, ROUNDING_EXCESS, Rows, as_rows, check_rows
from bgfast.evaluation.stakes import checked_mwc, stakes_of
from bgfast.position.decision import Decision

Owner = Literal[1, 0, -1]


def cubeful_equities(
    probabilities: npt.ArrayLike,
    decision: Decision,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    owner: Owner | None = None,
    mwc: bool = False,
) -> Any:
    """Return the cubeful equities of probabilities at the cube and score of a decision.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        Cubeless probabilities of the mover: win, win a gammon or more, win a backgammon, lose a gammon or
        more, lose a backgammon. Gammons may not exceed games, nor backgammons gammons, except by rounding to
        three digits. float32 and float64 arrays are read in place.
    decision : Decision
        Cube, score and rules. Efficiency models also use its position; the dice are ignored.
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
        Cube efficiency from 0, a dead cube, to 1, a fully live cube; or the name of a model, which is
        evaluated for the decision's position. The default is ``"bgfast"``. For other boards see
        `cube_efficiencies`.
    met : MatchEquityTable, optional
        By default the table of bgfast.
    owner : {1, 0, -1}, optional
        Owner of the cube instead of the decision's: the mover, nobody, the opponent.
    mwc : bool
        Return match-winning chances.

    Returns
    -------
    ndarray of float64, shape (n,), or float
        Normalised equities (EMG): in money play, points per unit of the present cube; in a match, 1 is the
        value of winning and -1 of losing as many points as the cube shows. With `mwc`, the mover's
        match-winning chance.

    Raises
    ------
    BgfastError
        If `probabilities` is invalid; if `mwc` is true in money play; if another argument is invalid.

    Notes
    -----
    The model is Rick Janowski's, extended to matches level by level of the cube; docs/CUBE.md has its
    formulas and limits. If the decision has a pending double, the value is that before the double.
    Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> rows = [[0.5, 0, 0, 0, 0], [0.75, 0, 0, 0, 0]]
    >>> bgfast.cube.cubeful_equities(rows, money, efficiency=1, owner=1)
    array([0.25 , 0.875])
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:1:0:5:10")
    >>> bgfast.cube.cubeful_equities(rows, match, efficiency=0.68, mwc=True).round(3)
    array([0.705, 0.782])
    """
    stakes = stakes_with_owner(decision, met, owner)
    rows, single = as_rows(probabilities)
    in_mwc = checked_mwc(mwc, stakes.is_match)
    numbers, model, boards = as_efficiencies(efficiency, decision, len(rows))
    # The lines of a model on a single board are faster than its numbers.
    x = BoardEfficiency(boards[0], model, stakes) if numbers is None else numbers
    values = cubeful_values(stakes, rows, x, ROUNDING_EXCESS, normalized=not in_mwc)
    return float(values[0]) if single else values


def stakes_with_owner(decision: Decision, met: MatchEquityTable | None, owner: Any = None) -> CubeStakes:
    """Return the stakes of a decision, with another owner of the cube unless `owner` is None."""
    if owner is None or not isinstance(decision, Decision):
        return stakes_of(decision, met)
    if whole_number(owner) not in (1, 0, -1):
        raise BgfastError(f"owner is {shown(owner)}; expected 1 (the mover), 0 or -1")
    return stakes_of(replace(decision, cube_owner=owner), met)


def cubeful_values(
    stakes: CubeStakes,
    rows: Rows,
    efficiency: Numbers | BoardEfficiency,
    excess: float = ANY_EXCESS,
    *,
    normalized: bool = False,
) -> Numbers:
    """Return the cubeful values of rows from `as_rows`: match-winning chances or points, or equities (EMG).

    Gammons may exceed games, and backgammons gammons, by `excess`; they are then counted as equal.
    """
    out = np.empty(len(rows))
    numbers, lines = (None, efficiency) if isinstance(efficiency, BoardEfficiency) else (efficiency, None)
    valid_rows = fill_values(stakes, rows, numbers, lines, excess, normalized, out)
    if valid_rows < len(rows):
        check_rows(rows, excess, valid_rows)
    return out
