"""Cube actions: the proper action, its wording, and the cost of every other action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.cubeful import cubeful_values
from bgfast.evaluation.efficiency import Efficiencies, Efficiency, as_efficiencies
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.rows import ANY_EXCESS, ROUNDING_EXCESS, Rows, as_rows
from bgfast.evaluation.stakes import checked_mwc, stakes_of
from bgfast.position.decision import Decision

ANSWERS = np.array(["take", "drop", "beaver"])
"""Answers to a double."""
_DOUBLES = np.array(["No double", "Optional double", "Double", "Too good to double"])
_REDOUBLES = np.array(["No redouble", "Optional redouble", "Redouble", "Too good to redouble"])
_NO, _OPTIONAL, _YES, _TOO_GOOD = range(4)  # indices of `_DOUBLES` and `_REDOUBLES`
_VALUES = ("no_double", "double_take", "double_drop", "double_beaver")
UNAVAILABLE = "Cube not available"
SAME = 1e-6
"""Doubling is optional where it changes the equity by no more than this."""


@dataclass(frozen=True, eq=False)
class CubeActions:
    """Values of doubling and of its answers, and the proper actions.

    Attributes and properties are floats, strings and bools for a single decision, and arrays of shape (n,)
    for many. All values are those of the player who may double.

    Attributes
    ----------
    no_double : float, or ndarray of float64
        Value of rolling without a double.
    double_take, double_drop, double_beaver : float, or ndarray of float64
        Values of doubling, by the opponent's answer; NaN where the rules forbid it.
    redouble : bool
        True if the player owns the cube.
    normalized : bool
        True if values are normalised equities (EMG), False if they are match-winning chances (MWC).

    Notes
    -----
    Immutable. A position is too good to double if playing on for the gammon wins more than cashing. Doubling
    is optional where it changes the value by at most a millionth; a double that is dropped is proper unless
    rolling is worth more.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> actions = bgfast.cube.cube_actions([0.75, 0.2, 0.01, 0.05, 0], money, efficiency=0.68)
    >>> actions.words
    'Double, drop'
    >>> round(actions.cost_no_double, 3), round(actions.cost_take, 3), actions.cost_drop
    (0.1, 0.15, 0.0)
    """

    no_double: Any
    double_take: Any
    double_drop: Any
    double_beaver: Any
    redouble: bool
    normalized: bool

    def __eq__(self, other: object) -> bool:
        """Return whether all values are the same; NaN equals NaN."""
        if not isinstance(other, CubeActions):
            return NotImplemented
        same_kind = (self.redouble, self.normalized) == (other.redouble, other.normalized)
        return same_kind and all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=True) for name in _VALUES
        )

    def __hash__(self) -> int:
        return hash((self.no_double, self.redouble, self.normalized))

    @property
    def available(self) -> bool:
        """True if the rules allow a double."""
        return not np.isnan(self.double_drop).any()

    @property
    def double(self) -> Any:
        """Value of doubling against the best answer: float or ndarray; NaN where the rules forbid it."""
        return _plain(np.fmin(np.fmin(self.double_take, self.double_drop), self.double_beaver))

    @property
    def best(self) -> Any:
        """Value of the proper action: float or ndarray."""
        return _plain(np.fmax(self.no_double, self.double))

    @property
    def doubles(self) -> Any:
        """True where doubling is proper or optional: bool or ndarray of bool."""
        return _plain(np.isin(self._verdict_index(), (_OPTIONAL, _YES)))

    @property
    def answers(self) -> Any:
        """Best answer to a double: ``"take"``, ``"drop"`` or ``"beaver"``, or an ndarray of these strings."""
        return _plain(ANSWERS[self._answer_index()])

    @property
    def words(self) -> Any:
        """Proper action: ``"No double, take"``, ``"Redouble, drop"``, ..., or an ndarray of such strings."""
        if not self.available:
            return _plain(np.full(np.shape(self.no_double), UNAVAILABLE))
        verdicts = (_REDOUBLES if self.redouble else _DOUBLES)[self._verdict_index()]
        return _plain(np.char.add(np.char.add(verdicts, ", "), ANSWERS[self._answer_index()]))

    @property
    def cost_no_double(self) -> Any:
        """Cost of not doubling: float or ndarray, as all costs; 0 where it is proper."""
        return _plain(np.subtract(self.best, self.no_double))

    @property
    def cost_double(self) -> Any:
        """Cost of doubling."""
        return _plain(np.subtract(self.best, self.double))

    @property
    def cost_take(self) -> Any:
        """Cost to the opponent of taking a double."""
        return _plain(np.subtract(self.double_take, self.double))

    @property
    def cost_drop(self) -> Any:
        """Cost to the opponent of dropping a double."""
        return _plain(np.subtract(self.double_drop, self.double))

    @property
    def cost_beaver(self) -> Any:
        """Cost to the opponent of beavering a double; NaN where the rules forbid it."""
        return _plain(np.subtract(self.double_beaver, self.double))

    def _answer_index(self) -> npt.NDArray[np.int64]:
        """Return indices into `ANSWERS`; ties are takes."""
        values = np.stack(np.broadcast_arrays(self.double_take, self.double_drop, self.double_beaver))
        index: npt.NDArray[np.int64] = np.where(np.isnan(values), np.inf, values).argmin(axis=0)
        return index

    def _verdict_index(self) -> npt.NDArray[np.int64]:
        """Return indices into `_DOUBLES`."""
        gain = np.subtract(self.double, self.no_double)
        is_too_good = np.greater(self.no_double, self.double_drop)
        index = np.where(is_too_good, _TOO_GOOD, _NO)
        index = np.where(np.abs(gain) <= SAME, _OPTIONAL, index)
        # A dropped double wins its points for certain: it is proper unless rolling on is worth more.
        is_cash = np.equal(self.double, self.double_drop) & np.greater_equal(gain, 0)
        return np.where(is_cash | np.greater(gain, SAME), _YES, index)


def proper_actions(
    no_double: Any,
    double_take: Any,
    double_drop: Any,
    double_beaver: Any = np.nan,
    *,
    redouble: bool = False,
    normalized: bool = True,
) -> CubeActions:
    """Return the cube actions for values of the player who may double: floats or arrays of shape (n,).

    NaN stands for an action that the rules forbid.
    """
    values = np.broadcast_arrays(no_double, double_take, double_drop, double_beaver)
    floats = [_plain(np.array(value, np.float64)) for value in values]
    return CubeActions(floats[0], floats[1], floats[2], floats[3], redouble, normalized)


def cube_actions(
    probabilities: npt.ArrayLike,
    decision: Decision,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    mwc: bool = False,
) -> CubeActions:
    """Return the proper cube actions and the costs of the others.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        Cubeless probabilities of the mover before the roll, as for `cubeful_equities`.
    decision : Decision
        Cube, score and rules. If the mover has doubled already, the actions are those of that double.
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
    met : MatchEquityTable, optional
    mwc : bool
        As for `cubeful_equities`.

    Returns
    -------
    CubeActions
        With arrays, or floats for one row. Equities are normalised by the cube before the double.

    Raises
    ------
    BgfastError
        As for `cubeful_equities`.

    Notes
    -----
    The doubler may drop a beaver, which loses the doubled cube.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:9:10")
    >>> rows = [[0.5, 0.1, 0, 0.1, 0], [0.7, 0.2, 0, 0.1, 0], [0.8, 0.2, 0, 0.05, 0]]
    >>> bgfast.cube.cube_actions(rows, match, efficiency=0.68).words.tolist()
    ['No redouble, take', 'Redouble, take', 'Redouble, drop']
    """
    stakes = stakes_of(decision, met)
    in_mwc = checked_mwc(mwc, stakes.is_match)
    rows, single = as_rows(probabilities)
    values = cube_values(stakes, rows, as_efficiencies(efficiency, decision, len(rows)), ROUNDING_EXCESS)
    if not in_mwc:
        values = tuple(stakes.normalized(value) for value in values)
    if single:
        values = tuple(value[0] for value in values)
    return proper_actions(*values, redouble=stakes.owner == 1, normalized=not in_mwc)


def cube_values(
    stakes: CubeStakes, rows: Rows, efficiency: Efficiencies, excess: float = ANY_EXCESS
) -> tuple[Numbers, ...]:
    """Return the values (MWC or points) of no double, take, drop and beaver, (n,); NaN where forbidden."""
    no_double = cubeful_values(stakes, rows, efficiency.at(stakes, rows), excess)
    forbidden = np.full(len(rows), np.nan)
    if not stakes.may_double:
        return no_double, forbidden, forbidden, forbidden
    doubled = stakes.doubled()
    x = efficiency.at(doubled, rows)
    double_take = cubeful_values(doubled, rows, x)
    double_drop = np.full(len(rows), stakes.double_drop)
    if not stakes.may_beaver:
        return no_double, double_take, double_drop, forbidden
    beavered = cubeful_values(doubled.doubled(), rows, x)
    return no_double, double_take, double_drop, np.maximum(beavered, doubled.of_points(-1))


def _plain(values: Any) -> Any:
    """Return an array unchanged, and an array without dimensions as a Python scalar."""
    return values if np.ndim(values) else np.asarray(values).item()
