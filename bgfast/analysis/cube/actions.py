"""Cube actions: from what each answer is worth to the proper action, its words, and what the others cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.cubeful import cubeful_values
from bgfast.analysis.cube.efficiency import Efficiencies, Efficiency, given_efficiency
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.rows import ANY_EXCESS, ROUNDED, Rows, given_rows
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.common.probabilities import Numbers
from bgfast.errors import BgfastError
from bgfast.position.decision import Decision

__all__ = ["ANSWERS", "SAME", "CubeActions", "cube_actions", "cube_values", "proper_actions"]

ANSWERS = np.array(["take", "pass", "beaver"])
"""The best that the doubled player can do."""
_DOUBLES = np.array(["No double", "Optional double", "Double", "Too good to double"])
_REDOUBLES = np.array(["No redouble", "Optional redouble", "Redouble", "Too good to redouble"])
_NO, _OPTIONAL, _YES, _TOO_GOOD = range(4)
UNAVAILABLE = "Cube not available"
SAME = 1e-6
"""Equities that are no further apart are the same: doubling is optional then."""


@dataclass(frozen=True)
class CubeActions:
    """What doubling and its answers are worth, and which of them are proper.

    One decision has floats, texts and bools where many have arrays of shape (n,). All is seen by the player
    who may double: points or chances that the other saves are less here.

    Attributes
    ----------
    no_double : float, or ndarray of float64
        The value of rolling.
    double_take, double_pass, double_beaver : float, or ndarray of float64
        The value of doubling by what the opponent answers; NaN where that is against the rules.
    redouble : bool
        Whether the player owns the cube.
    normalized : bool
        Whether values are normalised equities (EMG); otherwise chances to win the match.

    Notes
    -----
    Immutable. Words are those that players know; "too good" is who wins more by playing on for the gammon
    than by cashing. Doubling is optional where it makes no difference, to a millionth.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> actions = bgfast.cube_actions([0.75, 0.2, 0.01, 0.05, 0], money, efficiency=0.68)
    >>> actions.words
    'Double, pass'
    >>> round(actions.cost_no_double, 3), round(actions.cost_take, 3), actions.cost_pass
    (0.1, 0.15, 0.0)
    """

    no_double: Any
    double_take: Any
    double_pass: Any
    double_beaver: Any
    redouble: bool
    normalized: bool

    @property
    def available(self) -> bool:
        """Whether the rules allow a double: the cube is there, alive, and it is no Crawford game."""
        return not np.isnan(self.double_pass).any()

    @property
    def double(self) -> Any:
        """The value of doubling, the answer being the best: float or ndarray; NaN if it is not allowed."""
        return _plain(np.fmin(np.fmin(self.double_take, self.double_pass), self.double_beaver))

    @property
    def best(self) -> Any:
        """The value of the proper action: float or ndarray."""
        return _plain(np.fmax(self.no_double, self.double))

    @property
    def doubles(self) -> Any:
        """Whether doubling is proper, or optional: bool or ndarray of bool."""
        return _plain(np.isin(self._verdict(), (_OPTIONAL, _YES)))

    @property
    def answers(self) -> Any:
        """What answers a double best: ``"take"``, ``"pass"`` or ``"beaver"``, or an ndarray of such texts."""
        return _plain(ANSWERS[self._answer()])

    @property
    def words(self) -> Any:
        """The proper action: ``"No double, take"``, ``"Redouble, pass"`` ..., or an ndarray of such texts."""
        if not self.available:
            return _plain(np.full(np.shape(self.no_double), UNAVAILABLE))
        verdicts = (_REDOUBLES if self.redouble else _DOUBLES)[self._verdict()]
        return _plain(np.char.add(np.char.add(verdicts, ", "), ANSWERS[self._answer()]))

    @property
    def cost_no_double(self) -> Any:
        """What rolling costs, 0 where it is proper: float or ndarray, as all costs."""
        return _plain(np.subtract(self.best, self.no_double))

    @property
    def cost_double(self) -> Any:
        """What doubling costs."""
        return _plain(np.subtract(self.best, self.double))

    @property
    def cost_take(self) -> Any:
        """What the opponent loses by taking a double."""
        return _plain(np.subtract(self.double_take, self.double))

    @property
    def cost_pass(self) -> Any:
        """What the opponent loses by passing a double."""
        return _plain(np.subtract(self.double_pass, self.double))

    @property
    def cost_beaver(self) -> Any:
        """What the opponent loses by beavering a double; NaN where that is against the rules."""
        return _plain(np.subtract(self.double_beaver, self.double))

    def _answer(self) -> npt.NDArray[np.int64]:
        """Of each the place in ANSWERS; a tie is taken."""
        values = np.stack(np.broadcast_arrays(self.double_take, self.double_pass, self.double_beaver))
        found: npt.NDArray[np.int64] = np.where(np.isnan(values), np.inf, values).argmin(axis=0)
        return found

    def _verdict(self) -> npt.NDArray[np.int64]:
        """Of each the place in _DOUBLES."""
        gain = np.subtract(self.double, self.no_double)
        too_good = np.greater(self.no_double, self.double_pass)
        found = np.where(too_good, _TOO_GOOD, _NO)
        found = np.where(gain > SAME, _YES, found)
        return np.where(np.abs(gain) <= SAME, _OPTIONAL, found)


def proper_actions(
    no_double: Any,
    double_take: Any,
    double_pass: Any,
    double_beaver: Any = np.nan,
    *,
    redouble: bool = False,
    normalized: bool = True,
) -> CubeActions:
    """Return what follows from values that anything has found: a formula, an exact table or a rollout.

    Parameters
    ----------
    no_double, double_take, double_pass, double_beaver : float, or array of shape (n,)
        Seen by the player who may double; NaN for what the rules forbid.
    redouble, normalized : bool
        See `CubeActions`.
    """
    values = np.broadcast_arrays(no_double, double_take, double_pass, double_beaver)
    rolled, taken, passed, beavered = (_plain(np.array(value, np.float64)) for value in values)
    return CubeActions(rolled, taken, passed, beavered, redouble, normalized)


def cube_actions(
    probabilities: npt.ArrayLike,
    decision: Decision,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    mwc: bool = False,
) -> CubeActions:
    """Return what to do with the cube: double or not, take or pass, and what each mistake costs.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        Of the mover, before the roll, as for `cubeful_equities`.
    decision : Decision
        Cube, score and rules. If the mover has doubled already, it is about that double.
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
    met : MatchEquityTable, optional
    mwc : bool
        As for `cubeful_equities`.

    Returns
    -------
    CubeActions
        Of arrays, or of floats for one row; in equities normalised by the cube before the double.

    Raises
    ------
    BgfastError
        As `cubeful_equities`.

    Notes
    -----
    A beaver may be given up like a double; it is worth no less to the doubler than losing the doubled cube.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:9:10")
    >>> rows = [[0.5, 0.1, 0, 0.1, 0], [0.7, 0.2, 0, 0.1, 0], [0.8, 0.2, 0, 0.05, 0]]
    >>> bgfast.cube_actions(rows, match, efficiency=0.68).words.tolist()
    ['No redouble, take', 'Redouble, take', 'Redouble, pass']
    """
    stakes = stakes_of(decision, met)
    rows, single = given_rows(probabilities)
    values = cube_values(stakes, rows, given_efficiency(efficiency, decision, len(rows)), ROUNDED)
    if not mwc:
        values = tuple(stakes.normalized(value) for value in values)
    elif not stakes.is_match:
        raise BgfastError("mwc in money play; expected a decision of a match")
    if single:
        values = tuple(value[0] for value in values)
    return proper_actions(*values, redouble=stakes.owner == 1, normalized=not mwc)


def cube_values(
    stakes: HeldStakes, rows: Rows, efficiency: Efficiencies, excess: float = ANY_EXCESS
) -> tuple[Numbers, ...]:
    """Return the values of no double, double and take, pass, beaver; NaN for what the rules forbid.

    Each has shape (n,): chances to win the match, or points. `excess` is that of `cubeful_values`.
    """
    no_double = cubeful_values(stakes, rows, efficiency.at(stakes, rows), excess)
    nothing = np.full(len(rows), np.nan)
    if not stakes.may_double:
        return no_double, nothing, nothing, nothing
    doubled = stakes.doubled()
    x = efficiency.at(doubled, rows)
    double_take = cubeful_values(doubled, rows, x)
    double_pass = np.full(len(rows), stakes.double_pass)
    if not stakes.may_beaver:
        return no_double, double_take, double_pass, nothing
    beavered = cubeful_values(doubled.doubled(), rows, x)
    return no_double, double_take, double_pass, np.maximum(beavered, doubled.of_points(-1))


def _plain(values: Any) -> Any:
    """Return an array, or the number or text of one without dimensions."""
    return values if np.ndim(values) else np.asarray(values).item()
