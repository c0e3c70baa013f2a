"""The points where the cube is turned: take, double, cash and too good, as chances to win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._cubeful import fill_live_points
from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.actions import cube_values
from bgfast.analysis.cube.cubeful import Owner, cubeful_values, owned_stakes
from bgfast.analysis.cube.efficiency import Efficiencies, Efficiency, given_efficiency
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.rows import ROUNDED, Rows, given_rows
from bgfast.common.probabilities import Numbers
from bgfast.position.decision import Decision

__all__ = ["CubePoints", "cube_points"]

Curve = Callable[[Numbers], Numbers]


class CubePoints(NamedTuple):
    """Chances of the mover to win at which the right action changes; NaN where none does.

    Floats for one row of probabilities, arrays of shape (n,) for many.

    Attributes
    ----------
    take : float, or ndarray of float64
        From here on the mover takes, should the opponent double.
    double : float, or ndarray of float64
        From here on the mover doubles, or redoubles if the cube is his.
    cash : float, or ndarray of float64
        From here on the opponent passes.
    too_good : float, or ndarray of float64
        From here on the mover plays on for the gammon instead of cashing.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> points = bgfast.cube_points([0.5, 0, 0, 0, 0], money, efficiency=0.0)
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
    """Return at which chances to win the cube is turned, taken and passed.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        As for `cubeful_equities`. What counts is how many of the games that are won are gammons and
        backgammons, and of those that are lost; ``[0.5, 0, 0, 0, 0]`` asks for points without gammons.
    decision : Decision
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
        0 is for points with a dead cube, 1 with a live one.
    met : MatchEquityTable, optional
    owner : {1, 0, -1}, optional
        As for `cubeful_equities`. Whoever may not double has no points of doubling.

    Returns
    -------
    CubePoints

    Raises
    ------
    BgfastError
        As `cubeful_equities`.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position.start())
    >>> no_gammons = [0.5, 0, 0, 0, 0]
    >>> [round(bgfast.cube_points(no_gammons, money, efficiency=x).take, 3) for x in (0, 0.68, 1)]
    [0.25, 0.214, 0.2]
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:1:0:5:10")
    >>> points = bgfast.cube_points([0.5, 0.13, 0, 0.13, 0], match, efficiency=0.68)
    >>> [round(point, 3) for point in points[:3]]
    [0.364, 0.763, 0.789]
    """
    stakes = owned_stakes(decision, met, owner)
    rows, single = given_rows(probabilities)
    x = given_efficiency(efficiency, decision, len(rows))
    cubeful_values(stakes, rows, x.at(stakes, rows), ROUNDED)  # refuses what are no probabilities
    found = CubePoints(_take(stakes, rows, x), *_doubling(stakes, rows, x))
    return CubePoints(*(float(point[0]) for point in found)) if single else found


def _take(stakes: HeldStakes, rows: Rows, x: Efficiencies) -> Numbers:
    other = stakes.flipped()
    if not other.may_double:
        return np.full(len(rows), np.nan)
    taken = other.doubled().flipped()

    def gain(win: Numbers) -> Numbers:
        """Of a take over a pass."""
        return _values(taken, _at(rows, win), x) - stakes.of_points(-1)

    return _first_rise(gain, _joints(rows, x, taken))


def _doubling(stakes: HeldStakes, rows: Rows, x: Efficiencies) -> tuple[Numbers, Numbers, Numbers]:
    if not stakes.may_double:
        nothing = np.full(len(rows), np.nan)
        return nothing, nothing, nothing
    doubled = stakes.doubled()

    def saved(win: Numbers) -> Numbers:
        """What the opponent saves by passing."""
        return _values(doubled, _at(rows, win), x) - stakes.double_pass

    def gain(win: Numbers) -> Numbers:
        """Of doubling over rolling."""
        no_double, *doubles = cube_values(stakes, _at(rows, win), x)
        found: Numbers = np.fmin.reduce(doubles) - no_double
        return found

    def over(win: Numbers) -> Numbers:
        """What playing on brings beyond cashing."""
        return _values(stakes, _at(rows, win), x) - stakes.double_pass

    joints = _joints(rows, x, stakes, doubled)
    cash = _first_rise(saved, joints)
    # The window for doubling may lie between two joints, but it ends behind the cash point.
    bends = np.hstack((joints, np.nan_to_num(cash, nan=1.0)[:, None]))
    double = _first_rise(gain, np.sort(bends, axis=1))
    too_good = _first_rise(over, joints, strictly=True)
    return double, cash, too_good


def _values(stakes: HeldStakes, rows: Rows, x: Efficiencies) -> Numbers:
    return cubeful_values(stakes, rows, x.at(stakes, rows))


def _joints(rows: Rows, x: Efficiencies, *games: HeldStakes) -> Numbers:
    """Return where the lines of these games begin and end, in order, (n, k)."""
    found = [np.zeros((len(rows), 1)), np.ones((len(rows), 1))]
    for game in games:
        points = np.empty((len(rows), 2))
        fill_live_points(game, rows, points)
        found.append(points)
    joints = np.sort(np.hstack(found), axis=1)
    if x.numbers is None:  # a model's efficiency changes along a line, which bends it
        parts = np.linspace(joints[:, :-1], joints[:, 1:], PARTS, endpoint=False, axis=2)
        joints = np.hstack((parts.reshape(len(rows), -1), joints[:, -1:]))
    return joints


def _at(rows: Rows, win: Numbers) -> Numbers:
    """Return rows with other chances to win, and the same share of gammons in what is won and lost."""
    given = rows.astype(np.float64)
    lose = 1 - given[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        won = np.nan_to_num(np.minimum(given[:, 1:3] / given[:, :1], 1), posinf=0)
        lost = np.nan_to_num(np.minimum(given[:, 3:] / lose, 1), posinf=0)
    return np.column_stack((win, won * win[:, None], lost * (1 - win)[:, None]))


def _first_rise(curve: Curve, joints: Numbers, strictly: bool = False) -> Numbers:
    """Return where a curve, straight or nearly so between joints, first comes to 0 from below; else NaN.

    With `strictly` it has to go on beyond 0.
    """
    values = np.column_stack([curve(column) for column in joints.T])
    reached = values > _ROUNDING if strictly else values >= -_ROUNDING
    place = reached.argmax(axis=1)
    rows = np.arange(len(joints))
    before = np.maximum(place - 1, 0)
    start, end = joints[rows, before], joints[rows, place]
    low, high = values[rows, before], values[rows, place]
    found = start
    for _ in range(STEPS):
        rise = high - low
        part = np.where(rise > 0, -low / np.where(rise > 0, rise, 1), 0)
        found = start + np.clip(part, 0, 1) * (end - start)
        value = curve(found)
        if (np.abs(value) <= _ROUNDING).all():
            break
        short = value < 0
        start, low = np.where(short, found, start), np.where(short, value, low)
        end, high = np.where(short, end, found), np.where(short, high, value)
    return np.where(reached.any(axis=1), found, np.nan)


PARTS = 4  # of a line that bends
STEPS = 12  # to where a curve is 0: a straight one is there with the first
_ROUNDING = 1e-12
