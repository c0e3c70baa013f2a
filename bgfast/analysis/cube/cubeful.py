"""Cubeful equities of many probabilities: what they are worth with the cube and the score of a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._cubeful import fill_values
from bgfast.analysis.cube._efficiency import HeldLines
from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.efficiency import Efficiency, given_efficiency
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.rows import ANY_EXCESS, ROUNDED, Rows, check_rows, given_rows
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.common.probabilities import Numbers
from bgfast.common.validation import whole_number
from bgfast.errors import BgfastError, shown
from bgfast.position.decision import Decision

__all__ = ["Owner", "cubeful_equities", "cubeful_values", "owned_stakes"]

Owner = Literal[1, 0, -1]
_NOTHING = np.empty(0)


def cubeful_equities(
    probabilities: npt.ArrayLike,
    decision: Decision,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    owner: Owner | None = None,
    mwc: bool = False,
) -> Any:
    """Return what probabilities are worth with the cube and the score of a decision.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        Of the mover: to win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to lose
        a backgammon. No more gammons than games are won, and so on, but for what rounding to three digits
        makes of that. float32 and float64 arrays are read where they are.
    decision : Decision
        Cube, score and rules. Its position matters for a model of efficiency alone, its dice do not.
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
        How efficient the cube is: 0 as if nobody turned it any more, 1 as if everybody did at the best
        moment. A name is that of a model, asked for the decision's position, ``"bgfast"`` unless said
        otherwise; `cube_efficiencies` asks it for boards.
    met : MatchEquityTable, optional
        The one that comes with bgfast unless said otherwise.
    owner : {1, 0, -1}, optional
        Of the cube, instead of the decision's: the mover, nobody, the opponent.
    mwc : bool
        Return chances to win the match.

    Returns
    -------
    ndarray of float64, shape (n,), or float
        Normalised equities (EMG): in money play points in units of the cube as it is; in a match 1 stands for
        winning that many points, and -1 for losing them. With `mwc` the mover's chance to win the match.

    Raises
    ------
    BgfastError
        If these are no probabilities; if `mwc` is asked for in money play; if another argument is none of the
        above.

    Notes
    -----
    The model is that of Rick Janowski, for matches level by level of the cube; docs/CUBE.md has its
    formulas, and what it leaves out. An offer of the decision is not answered: the value is that before it.
    Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> rows = [[0.5, 0, 0, 0, 0], [0.75, 0, 0, 0, 0]]
    >>> bgfast.cubeful_equities(rows, money, efficiency=1, owner=1)
    array([0.25 , 0.875])
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:1:0:5:10")
    >>> bgfast.cubeful_equities(rows, match, efficiency=0.68, mwc=True).round(3)
    array([0.705, 0.782])
    """
    stakes = owned_stakes(decision, met, owner)
    rows, single = given_rows(probabilities)
    if mwc and not stakes.is_match:
        raise BgfastError("mwc in money play; expected a decision of a match")
    x = given_efficiency(efficiency, decision, len(rows)).known(stakes, rows)
    values = cubeful_values(stakes, rows, x, ROUNDED, normalized=not mwc)
    return float(values[0]) if single else values


def owned_stakes(decision: Decision, met: MatchEquityTable | None, owner: Any = None) -> HeldStakes:
    """Return the stakes of a decision, perhaps with another owner of its cube.

    Raises
    ------
    BgfastError
        If an argument is none.
    """
    if owner is None or not isinstance(decision, Decision):
        return stakes_of(decision, met)
    if whole_number(owner) not in (1, 0, -1):
        raise BgfastError(f"owner is {shown(owner)}; expected 1 (the mover), 0 or -1")
    return stakes_of(replace(decision, cube_owner=owner), met)


def cubeful_values(
    stakes: HeldStakes,
    rows: Rows,
    efficiency: Numbers | HeldLines,
    excess: float = ANY_EXCESS,
    *,
    normalized: bool = False,
) -> Numbers:
    """Return the cubeful values of rows from `given_rows`: chances to win the match, or points; or equities.

    By `excess` gammons may be more than games, and backgammons more than gammons: evaluators may say so, and
    they are taken for as many.

    Raises
    ------
    BgfastError
        If there is something else than probabilities; the message names the row.
    """
    out = np.empty(len(rows))
    lines, numbers = (efficiency, _NOTHING) if isinstance(efficiency, HeldLines) else (None, efficiency)
    done = fill_values(stakes, rows, numbers, lines, excess, normalized, out)
    if done < len(rows):
        check_rows(rows, excess, done)
    return out
