"""Cube points: the winning probabilities of take, double, cash and too good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.evaluation._cubeful import fill_live_points
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.actions import cube_values
from bgfast.evaluation.cubeful import Owner, cubeful_values, stakes_with_owner
from bgfast.evaluation.efficiency import Efficiencies, Efficiency, as_efficiencies
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.rows import ROUNDING_EXCESS, Rows, as_rows
from bgfast.position.decision import Decision

Curve = Callable[[Numbers], Numbers]
CURVE_PARTS = 4  # between two breakpoints, where a model bends the line
MAX_STEPS = 60  # to a zero; a straight line needs a single step, a bent one about ten
_ROUNDING = 1e-12


class CubePoints(NamedTuple):
    """Winning probabilities of the mover at which the proper action changes; NaN where it does not.

    Floats for one row of probabilities, arrays of shape (n,) for many.

    Attributes
    ----------
    take : float, or ndarray of float64
        Take point: from here on the mover takes a double.
    double : float, or ndarray of float64
        Doubling point: from here on the mover doubles, or redoubles with his own cube.
    cash : float, or ndarray of float64
        Cash point: from here on the opponent drops.
    too_good : float, or ndarray of float64
        Too-good point, the cash point at least: from here on the mover plays on for the gammon instead of
        cashing. Where a doubled cube makes gammons worthless he may be better off than after a drop before
        the opponent drops; then he never doubles, and the two points are equal.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
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
    decision: Decision,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    owner: Owner | None = None,
) -> CubePoints:
    """Return the winning probabilities from which the cube is turned, taken and dropped.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        As for `cubeful_equities`. Only the shares of gammons and backgammons among the games won, and among
        those lost, matter; ``[0.5, 0, 0, 0, 0]`` returns the points without gammons.
    decision : Decision
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
        0 returns the points of a dead cube, 1 those of a live cube.
    met : MatchEquityTable, optional
    owner : {1, 0, -1}, optional
        As for `cubeful_equities`. A player who may not double has no doubling, cash and too-good points.

    Returns
    -------
    CubePoints

    Raises
    ------
    BgfastError
        As for `cubeful_equities`.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> no_gammons = [0.5, 0, 0, 0, 0]
    >>> [round(bgfast.cube.cube_points(no_gammons, money, efficiency=x).take, 3) for x in (0, 0.68, 1)]
    [0.25, 0.214, 0.2]
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:1:0:5:10")
    >>> points = bgfast.cube.cube_points([0.5, 0.13, 0, 0.13, 0], match, efficiency=0.68)
    >>> [round(point, 3) for point in points[:3]]
    [0.364, 0.763, 0.789]
    """
    stakes = stakes_with_owner(decision, met, owner)
    rows, single = as_rows(probabilities)
    x = as_efficiencies(efficiency, decision, len(rows))
    cubeful_values(stakes, rows, x.at(stakes, rows), ROUNDING_EXCESS)  # refuses invalid probabilities
    points = CubePoints(_take_point(stakes, rows, x), *_doubling_points(stakes, rows, x))
    return CubePoints(*(float(point[0]) for point in points)) if single else points


def _take_point(stakes: CubeStakes, rows: Rows, x: Efficiencies) -> Numbers:
    opponent_stakes = stakes.flipped()
    if not opponent_stakes.may_double:
        return np.full(len(rows), np.nan)
    taken = opponent_stakes.doubled().flipped()

    def take_gain(win: Numbers) -> Numbers:
        return _values(taken, _with_win(rows, win), x) - stakes.of_points(-1)

    return _first_crossing(take_gain, _breakpoints(rows, x, taken))


def _doubling_points(stakes: CubeStakes, rows: Rows, x: Efficiencies) -> tuple[Numbers, Numbers, Numbers]:
    if not stakes.may_double:
        none = np.full(len(rows), np.nan)
        return none, none, none
    doubled = stakes.doubled()

    def drop_gain(win: Numbers) -> Numbers:
        return _values(doubled, _with_win(rows, win), x) - stakes.double_drop

    def double_gain(win: Numbers) -> Numbers:
        no_double, *answers = cube_values(stakes, _with_win(rows, win), x)
        gain: Numbers = np.fmin.reduce(answers) - no_double
        return gain

    def play_on_gain(win: Numbers) -> Numbers:
        return _values(stakes, _with_win(rows, win), x) - stakes.double_drop

    breakpoints = _breakpoints(rows, x, stakes, doubled)
    cash = _first_crossing(drop_gain, breakpoints)
    # The doubling window may lie between two breakpoints, but it includes the cash point.
    with_cash = np.hstack((breakpoints, np.nan_to_num(cash, nan=1.0)[:, None]))
    double = _first_crossing(double_gain, np.sort(with_cash, axis=1))
    too_good = _first_crossing(play_on_gain, breakpoints, strictly=True)
    # Below the cash point there is nothing to cash, even if playing on is worth more than a drop.
    return double, cash, np.maximum(too_good, cash)


def _values(stakes: CubeStakes, rows: Rows, x: Efficiencies) -> Numbers:
    return cubeful_values(stakes, rows, x.at(stakes, rows))


def _breakpoints(rows: Rows, x: Efficiencies, *games: CubeStakes) -> Numbers:
    """Return the winning probabilities between which the values of the games are linear, sorted, (n, k)."""
    ends = [np.zeros((len(rows), 1)), np.ones((len(rows), 1))]
    for game in games:
        live_points = np.empty((len(rows), 2))
        fill_live_points(game, rows, live_points)
        ends.append(live_points)
    breakpoints = np.sort(np.hstack(ends), axis=1)
    if x.numbers is None:  # a model's efficiency changes with the winning probability, which bends the lines
        parts = np.linspace(breakpoints[:, :-1], breakpoints[:, 1:], CURVE_PARTS, endpoint=False, axis=2)
        breakpoints = np.hstack((parts.reshape(len(rows), -1), breakpoints[:, -1:]))
    return breakpoints


def _with_win(rows: Rows, win: Numbers) -> Numbers:
    """Return rows with other winning probabilities and the same shares of gammons and backgammons."""
    numbers = rows.astype(np.float64)
    lose = 1 - numbers[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        won_shares = np.nan_to_num(np.minimum(numbers[:, 1:3] / numbers[:, :1], 1), posinf=0)
        lost_shares = np.nan_to_num(np.minimum(numbers[:, 3:] / lose, 1), posinf=0)
    return np.column_stack((win, won_shares * win[:, None], lost_shares * (1 - win)[:, None]))


def _first_crossing(curve: Curve, breakpoints: Numbers, strictly: bool = False) -> Numbers:
    """Return where a curve, nearly linear between breakpoints, reaches or `strictly` exceeds 0; else NaN."""
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
        # Regula falsi as in Illinois: where a bend keeps one end twice, half its value counts.
        is_below = value < 0
        kept = 1 if was_below is None else np.where(is_below == was_below, 0.5, 1)
        start, low = np.where(is_below, crossing, start), np.where(is_below, value, kept * low)
        end, high = np.where(is_below, end, crossing), np.where(is_below, kept * high, value)
        was_below = is_below
    return np.where(is_reached.any(axis=1), crossing, np.nan)
