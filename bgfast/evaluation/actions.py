"""Cube actions: proper actions, costs of other actions, and points at which the proper action changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.evaluation._cubeful import CubeStakes, live_points
from bgfast.evaluation.cubeful import Owner, cube_values, cubeful_values, stakes_with_owner
from bgfast.evaluation.efficiency import (
    ROUNDING_EXCESS,
    Efficiencies,
    Efficiency,
    Rows,
    as_efficiencies,
    as_rows,
)
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, stakes_of, validate_mwc

ANSWERS = np.array(["take", "drop", "beaver"])
"""Answers to a double."""
_DOUBLES = np.array(["No double", "Optional double", "Double", "Too good to double"])
_REDOUBLES = np.array(["No redouble", "Optional redouble", "Redouble", "Too good to redouble"])
_NO, _OPTIONAL, _YES, _TOO_GOOD = range(4)  # indices of `_DOUBLES` and `_REDOUBLES`
UNAVAILABLE = "Cube not available"
OPTIONAL_GAIN = 1e-6
"""Largest change of the equity for which doubling is optional."""


@dataclass(frozen=True, eq=False)
class CubeActions:
    """Values of the cube actions, proper actions, and costs of errors.

    Attributes and properties are floats, strings and bools for a single decision, and arrays of shape (n,)
    for many. All values are for the player who may double.

    Attributes
    ----------
    no_double : float, or ndarray of float64
        Value of rolling without a double.
    double_take, double_drop, double_beaver : float, or ndarray of float64
        Values of doubling, by the opponent's answer; NaN where the rules forbid the action.
    redouble : bool
        True if the player owns the cube.
    normalized : bool
        True if values are normalised equities (EMG), False if they are match-winning chances (MWC).

    See Also
    --------
    cube_points : Winning probabilities at which the proper action changes.

    Notes
    -----
    Immutable. A position is too good to double if playing on for the gammon wins more than cashing. Doubling
    is optional where it changes the value by at most a millionth; a double that is dropped is proper unless
    rolling is worth more.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position())
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
        names = [field.name for field in fields(self)]
        return all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=True) for name in names
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
        return _unwrap_scalar(np.fmin(np.fmin(self.double_take, self.double_drop), self.double_beaver))

    @property
    def best(self) -> Any:
        """Value of the proper action: float or ndarray."""
        return _unwrap_scalar(np.fmax(self.no_double, self.double))

    @property
    def doubles(self) -> Any:
        """True where doubling is proper or optional: bool or ndarray of bool."""
        return _unwrap_scalar(np.isin(self._verdict_index(), (_OPTIONAL, _YES)))

    @property
    def answers(self) -> Any:
        """Best answer to a double: ``"take"``, ``"drop"`` or ``"beaver"``, or an ndarray of these strings."""
        return _unwrap_scalar(ANSWERS[self._answer_index()])

    @property
    def words(self) -> Any:
        """Proper action: ``"No double, take"``, ``"Redouble, drop"``, ..., or an ndarray of such strings."""
        if not self.available:
            return _unwrap_scalar(np.full(np.shape(self.no_double), UNAVAILABLE))
        verdicts = (_REDOUBLES if self.redouble else _DOUBLES)[self._verdict_index()]
        return _unwrap_scalar(np.char.add(np.char.add(verdicts, ", "), ANSWERS[self._answer_index()]))

    @property
    def cost_no_double(self) -> Any:
        """Cost of not doubling: float or ndarray, like all costs; 0 where that is proper."""
        return _unwrap_scalar(np.subtract(self.best, self.no_double))

    @property
    def cost_double(self) -> Any:
        """Cost of doubling."""
        return _unwrap_scalar(np.subtract(self.best, self.double))

    @property
    def cost_take(self) -> Any:
        """Cost to the opponent of taking a double."""
        return _unwrap_scalar(np.subtract(self.double_take, self.double))

    @property
    def cost_drop(self) -> Any:
        """Cost to the opponent of dropping a double."""
        return _unwrap_scalar(np.subtract(self.double_drop, self.double))

    @property
    def cost_beaver(self) -> Any:
        """Cost to the opponent of beavering a double; NaN where the rules forbid it."""
        return _unwrap_scalar(np.subtract(self.double_beaver, self.double))

    def _answer_index(self) -> npt.NDArray[np.int64]:
        """Return indices into `ANSWERS`; ties are takes."""
        values = np.stack(np.broadcast_arrays(self.double_take, self.double_drop, self.double_beaver))
        return np.where(np.isnan(values), np.inf, values).argmin(axis=0)

    def _verdict_index(self) -> npt.NDArray[np.int64]:
        """Return indices into `_DOUBLES`."""
        gain = np.subtract(self.double, self.no_double)
        is_too_good = np.greater(self.no_double, self.double_drop)
        index = np.where(is_too_good, _TOO_GOOD, _NO)
        index = np.where(np.abs(gain) <= OPTIONAL_GAIN, _OPTIONAL, index)
        # A dropped double wins its points for certain: it is proper unless rolling on is worth more.
        is_cash = np.equal(self.double, self.double_drop) & np.greater_equal(gain, 0)
        return np.where(is_cash | np.greater(gain, OPTIONAL_GAIN), _YES, index)


def proper_actions(
    no_double: Any,
    double_take: Any,
    double_drop: Any,
    double_beaver: Any = np.nan,
    *,
    redouble: bool = False,
    normalized: bool = True,
) -> CubeActions:
    """Return the cube actions for values to the player who may double: floats or arrays of shape (n,).

    NaN stands for an action that the rules forbid.
    """
    values = np.broadcast_arrays(no_double, double_take, double_drop, double_beaver)
    no_double, take, drop, beaver = (_unwrap_scalar(np.array(value, np.float64)) for value in values)
    return CubeActions(no_double, take, drop, beaver, redouble, normalized)


def cube_actions(
    probabilities: npt.ArrayLike,
    decision: DecisionLike,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    mwc: bool = False,
) -> CubeActions:
    """Return the proper cube actions and the cost of every wrong one.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        Cubeless probabilities of the mover before the roll, as for `cubeful_equities`.
    decision
        As for `cubeful_equities`. If the mover has doubled already, this double is evaluated.
    efficiency, met, mwc
        As for `cubeful_equities`, with the same errors.

    Returns
    -------
    CubeActions
        With arrays, or floats for one row. Equities are normalised by the cube before the double. The doubler
        may drop a beaver, which loses the doubled cube.

    See Also
    --------
    bgfast.cube_decision : The same with an evaluator and a search.
    cubeful_equities : Equity with the cube as it is.
    cube_points : Winning probabilities at which the proper action changes.

    References
    ----------
    Rick Janowski, "Take-Points in Money Games", 1993.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:9:10")
    >>> rows = [[0.5, 0.1, 0, 0.1, 0], [0.7, 0.2, 0, 0.1, 0], [0.8, 0.2, 0, 0.05, 0]]
    >>> bgfast.cube.cube_actions(rows, match, efficiency=0.68).words.tolist()
    ['No redouble, take', 'Redouble, take', 'Redouble, drop']
    """
    decision = as_decision(decision)
    stakes = stakes_of(decision, met)
    in_mwc = validate_mwc(mwc, stakes.is_match)
    rows, is_single = as_rows(probabilities)
    values = cube_values(stakes, rows, as_efficiencies(efficiency, decision, len(rows)), ROUNDING_EXCESS)
    if not in_mwc:
        values = stakes.normalize(values)
    if is_single:
        values = values[:, 0]
    return proper_actions(*values, redouble=stakes.owner == 1, normalized=not in_mwc)


def exact_actions(
    stakes: CubeStakes, no_double: Numbers, double_take: Numbers, mwc: bool = False
) -> CubeActions:
    """Return the actions for exact values of shape (n,), in the unit of the stakes."""
    values = np.full((4, len(no_double)), np.nan)  # no double, take, drop, beaver
    values[0] = no_double
    if stakes.may_double:
        values[1], values[2] = double_take, stakes.double_drop
        if stakes.may_beaver:
            values[3] = np.maximum(2 * double_take, -2)  # the doubler may drop the beaver
    if not mwc:
        values = stakes.normalize(values)
    return proper_actions(*values, redouble=stakes.owner == 1, normalized=not mwc)


def _unwrap_scalar(values: Any) -> Any:
    """Return the array, or a Python scalar if it is zero-dimensional."""
    return values if np.ndim(values) else np.asarray(values).item()


# ---- points ----

Curve = Callable[[Numbers], Numbers]
"""Gain as a function of the winning probabilities."""
CURVE_PARTS = 4  # pieces between two breakpoints of a curve that a model's efficiency bends
MAX_STEPS = 60  # iterations to find a zero; a straight line needs one, a bent line about ten
_ROUNDING = 1e-12


class CubePoints(NamedTuple):
    """Winning probabilities of the mover at which the proper action changes; NaN if it never does.

    Floats for one row of probabilities, arrays of shape (n,) for many.

    Attributes
    ----------
    take : float, or ndarray of float64
        Take point: from here on the mover takes a double.
    double, cash : float, or ndarray of float64
        Doubling point: from here on the mover doubles, or redoubles with his own cube. Cash point: from here
        on the opponent drops.
    too_good : float, or ndarray of float64
        Too-good point, at least the cash point: from here on the mover plays on for the gammon instead of
        cashing. Where a doubled cube makes gammons worthless, playing on may be worth more than a drop even
        below the cash point; the mover then never doubles, and the two points are equal.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position())
    >>> points = bgfast.cube.cube_points([0.5, 0, 0, 0, 0], money, efficiency=0.0)
    >>> points.double, points.cash, points.too_good
    (0.5, 0.75, nan)
    """

    take: Any
    double: Any
    cash: Any
    too_good: Any


def cube_points(
    probabilities: npt.ArrayLike,
    decision: DecisionLike,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    owner: Owner | None = None,
) -> CubePoints:
    """Return the winning probabilities at which the proper cube action changes.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        As for `cubeful_equities`. Only the shares of gammons and backgammons among the games won, and among
        those lost, matter; ``[0.5, 0, 0, 0, 0]`` returns the points without gammons.
    decision, efficiency, met, owner
        As for `cubeful_equities`, with the same errors. A player who may not double has no doubling, cash and
        too-good points.

    See Also
    --------
    cube_actions : Values and costs of the actions.
    MatchEquityTable.take_point : Take point of a dead cube without gammons.

    References
    ----------
    Rick Janowski, "Take-Points in Money Games", 1993.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position())
    >>> no_gammons = [0.5, 0, 0, 0, 0]
    >>> [round(bgfast.cube.cube_points(no_gammons, money, efficiency=x).take, 3) for x in (0, 0.68, 1)]
    [0.25, 0.214, 0.2]
    """
    decision = as_decision(decision)
    stakes = stakes_with_owner(decision, met, owner)
    rows, is_single = as_rows(probabilities)
    x = as_efficiencies(efficiency, decision, len(rows))
    cubeful_values(stakes, rows, x, ROUNDING_EXCESS)  # refuses invalid probabilities
    points = CubePoints(*np.full((4, len(rows)), np.nan))
    opponent_stakes = stakes.flip()
    if opponent_stakes.may_double:
        after_take = opponent_stakes.after_double().flip()
        gain = _gain(after_take, rows, x, stakes.of_points(-1))
        points = points._replace(take=_first_crossing(gain, _breakpoints(rows, x, after_take)))
    if stakes.may_double:
        points = CubePoints(points.take, *_doubling_points(stakes, rows, x))
    return CubePoints(*(float(point[0]) for point in points)) if is_single else points


def _doubling_points(stakes: CubeStakes, rows: Rows, x: Efficiencies) -> tuple[Numbers, Numbers, Numbers]:
    """Return the doubling, cash and too-good points of a player who may double."""
    after_double = stakes.after_double()

    def double_gain(win: Numbers) -> Numbers:
        no_double, *answers = cube_values(stakes, _with_win(rows, win), x)
        gain: Numbers = np.fmin.reduce(answers) - no_double
        return gain

    breakpoints = _breakpoints(rows, x, stakes, after_double)
    cash = _first_crossing(_gain(after_double, rows, x, stakes.double_drop), breakpoints)
    # The doubling window may lie between two breakpoints, but it includes the cash point.
    window_points = np.hstack((breakpoints, np.nan_to_num(cash, nan=1.0)[:, None]))
    double = _first_crossing(double_gain, np.sort(window_points, axis=1))
    too_good = _first_crossing(_gain(stakes, rows, x, stakes.double_drop), breakpoints, strictly=True)
    # Below the cash point there is nothing to cash, even if playing on is worth more than a drop.
    return double, cash, np.maximum(too_good, cash)


def _gain(stakes: CubeStakes, rows: Rows, x: Efficiencies, value: float) -> Curve:
    """Return the curve of the cubeful value minus `value`."""

    def gain(win: Numbers) -> Numbers:
        return cubeful_values(stakes, _with_win(rows, win), x) - value

    return gain


def _breakpoints(rows: Rows, x: Efficiencies, *all_stakes: CubeStakes) -> Numbers:
    """Return the winning probabilities between which all values are linear, sorted, shape (n, k)."""
    ends = [np.zeros((len(rows), 1)), np.ones((len(rows), 1))]
    breakpoints = np.sort(np.hstack(ends + [live_points(stakes, rows) for stakes in all_stakes]), axis=1)
    if x.values is None:  # a model's efficiency changes with the winning probability, which bends the lines
        parts = np.linspace(breakpoints[:, :-1], breakpoints[:, 1:], CURVE_PARTS, endpoint=False, axis=2)
        breakpoints = np.hstack((parts.reshape(len(rows), -1), breakpoints[:, -1:]))
    return breakpoints


def _with_win(rows: Rows, win: Numbers) -> Numbers:
    """Return rows with other winning probabilities and the same shares of gammons and backgammons."""
    floats = rows.astype(np.float64)
    lose = 1 - floats[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        won_shares = np.nan_to_num(np.minimum(floats[:, 1:3] / floats[:, :1], 1), posinf=0)
        lost_shares = np.nan_to_num(np.minimum(floats[:, 3:] / lose, 1), posinf=0)
    return np.column_stack((win, won_shares * win[:, None], lost_shares * (1 - win)[:, None]))


def _first_crossing(curve: Curve, breakpoints: Numbers, strictly: bool = False) -> Numbers:
    """Return where a curve first reaches 0, or exceeds it if `strictly`; NaN if it never does.

    The curve must be nearly linear between breakpoints.
    """
    values = np.column_stack([curve(column) for column in breakpoints.T])
    is_reached = values > _ROUNDING if strictly else values >= -_ROUNDING
    index = is_reached.argmax(axis=1)
    rows = np.arange(len(breakpoints))
    before = np.maximum(index - 1, 0)
    start, end = breakpoints[rows, before], breakpoints[rows, index]
    low, high = values[rows, before], values[rows, index]
    crossing, was_below = start, None
    for _ in range(MAX_STEPS):
        rise = high - low
        fraction = np.where(rise > 0, -low / np.where(rise > 0, rise, 1), 0)
        crossing = start + np.clip(fraction, 0, 1) * (end - start)
        value = curve(crossing)
        if ((np.abs(value) <= _ROUNDING) | (start == end)).all():
            break
        # Regula falsi, Illinois variant: an end that is kept twice counts with half its value.
        is_below = value < 0
        weight = 1 if was_below is None else np.where(is_below == was_below, 0.5, 1)
        start, low = np.where(is_below, crossing, start), np.where(is_below, value, weight * low)
        end, high = np.where(is_below, end, crossing), np.where(is_below, weight * high, value)
        was_below = is_below
    return np.where(is_reached.any(axis=1), crossing, np.nan)
