"""Slow, independent implementation of cubeful equities: piecewise linear curves, inverted by bisection.

Rick Janowski, *Take-Points in Money Games* (1993): a dead cube gives the cubeless equity and a live cube a
piecewise linear curve; the efficiency x interpolates between the two. The corners follow from three
rules, in money play and in matches: a player who may double gets at least the value of a drop; the opponent
drops unless a take, with the cube at twice the value, has more equity; a chance of 0 or 1 decides the game.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import bgfast

OWNERS = ("centred", "owned", "unavailable")
LEVELS = 60
"""Number of cube levels of a money game without a limit; more levels change no equity."""

Curve = Callable[[float], float]
Corners = list[tuple[float, float]]


class Shape(NamedTuple):
    """Shares of single games, gammons and backgammons among wins and among losses."""

    wins: tuple[float, float, float]
    losses: tuple[float, float, float]


def shape_of(probabilities: Sequence[float]) -> Shape:
    """Return the shares; wins or losses of probability 0 count as single games."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = map(float, probabilities)
    return Shape(_shares(win, gammon, backgammon), _shares(1 - win, lose_gammon, lose_backgammon))


def _shares(total: float, gammons: float, backgammons: float) -> tuple[float, float, float]:
    if total <= 0:
        return 1.0, 0.0, 0.0
    return ((total - gammons) / total, (gammons - backgammons) / total, backgammons / total)


@dataclass(frozen=True)
class Money:
    """Money game; equities are points at cube 1. `limit` is the maximum cube, 0 for none."""

    jacoby: bool = False
    beavers: bool = False
    limit: int = 0

    def equity_after(self, points: int) -> float:
        """Return the equity after the player on roll wins `points`, or loses them if negative."""
        return float(points)

    def may_turn(self, cube: int) -> bool:
        """Return whether a cube of this value can be turned."""
        return 2 * cube <= self.limit if self.limit else cube < 2**LEVELS

    def win_ends_match(self, cube: int) -> bool:
        """Return whether a win with this cube ends the match; a double is then useless."""
        return False


@dataclass(frozen=True, eq=False)
class Tables:
    """Match equities up to the Crawford game, and the trailer's equities after it."""

    pre_crawford: list[list[float]] = field(repr=False)
    post_crawford: list[float] = field(repr=False)


@dataclass(frozen=True)
class Match:
    """Game of a match; `away` has the points that the player on roll and the opponent need. Equities are MWC.

    `crawford` is "before", "now" or "after".
    """

    tables: Tables
    away: tuple[int, int]
    crawford: str = "before"
    limit: int = 0

    def equity_after(self, points: int) -> float:
        """Return the equity after the player on roll wins `points`, or loses them if negative."""
        away = self.away[0] - max(points, 0)
        away_opponent = self.away[1] - max(-points, 0)
        if away <= 0:
            return 1.0
        if away_opponent <= 0:
            return 0.0
        if self.crawford == "before":
            return self.tables.pre_crawford[away - 1][away_opponent - 1]
        post_crawford = self.tables.post_crawford
        return post_crawford[away - 1] if away_opponent == 1 else 1 - post_crawford[away_opponent - 1]

    def may_turn(self, cube: int) -> bool:
        """Return whether this cube can be turned; a cube that decides the match for both players is dead."""
        if self.crawford == "now" or (self.limit and 2 * cube > self.limit):
            return False
        return cube < max(self.away)

    def win_ends_match(self, cube: int) -> bool:
        """Return whether a win with this cube ends the match; a double is then useless."""
        return cube >= self.away[0]


Game = Money | Match


class Points(NamedTuple):
    """Take point and cash point of a live cube, as winning chances."""

    take: float
    cash: float


def mean_equity(game: Game, cube: int, shares: tuple[float, float, float], sign: int) -> float:
    """Return the mean equity of all wins (`sign` 1) or of all losses (`sign` -1)."""
    equities = [game.equity_after(sign * cube * points) for points in (1, 2, 3)]
    return sum(share * equity for share, equity in zip(shares, equities, strict=True))


def dead_equity(game: Game, shape: Shape, cube: int, p: float) -> float:
    return p * mean_equity(game, cube, shape.wins, 1) + (1 - p) * mean_equity(game, cube, shape.losses, -1)


def interpolate(corners: Corners, p: float) -> float:
    """Return the value of a piecewise linear curve at `p`."""
    for (left, low), (right, high) in itertools.pairwise(corners):
        if p <= right:
            return high if left == right else low + (high - low) * (p - left) / (right - left)
    raise AssertionError(f"{p} is beyond the last corner")


def solve(curve: Curve, target: float) -> float:
    """Return the smallest winning chance at which a rising curve reaches `target`; 1 if it never does."""
    if curve(0.0) >= target:
        return 0.0
    below, above = 0.0, 1.0
    while below < (middle := (below + above) / 2) < above:
        if curve(middle) >= target:
            above = middle
        else:
            below = middle
    return above


@lru_cache(10_000)
def live_points(game: Game, shape: Shape, cube: int) -> Points:
    return Points(
        take=solve(lambda p: live_equity(game, shape, 2 * cube, "owned", p), game.equity_after(-cube)),
        cash=solve(lambda p: live_equity(game, shape, 2 * cube, "unavailable", p), game.equity_after(cube)),
    )


def live_equity(game: Game, shape: Shape, cube: int, owner: str, p: float) -> float:
    if not game.may_turn(cube):
        return dead_equity(game, shape, cube, p)
    take, cash = live_points(game, shape, cube)
    corners = [(0.0, mean_equity(game, cube, shape.losses, -1))]
    if owner != "owned":
        corners += [(take, game.equity_after(-cube))]
    if owner != "unavailable":
        corners += [(cash, game.equity_after(cube))]
    corners += [(1.0, mean_equity(game, cube, shape.wins, 1))]
    return interpolate(corners, p)


def gammonless_equity(game: Game, shape: Shape, cube: int, x: float, p: float) -> float:
    """Return the equity of a centred cube under the Jacoby rule, without gammons."""
    if not game.may_turn(cube):
        return (2 * p - 1) * cube
    take, cash = live_points(game, shape, cube)
    live_value = interpolate([(0.0, -1.0), (take, -1.0), (cash, 1.0), (1.0, 1.0)], p)
    return ((1 - x) * (2 * p - 1) + x * live_value) * cube


def equity_at(game: Game, shape: Shape, p: float, cube: int, owner: str, x: float) -> float:
    """Return the equity at winning chance `p`, in points or MWC."""
    assert owner in OWNERS
    if isinstance(game, Money) and game.jacoby and owner == "centred":
        return gammonless_equity(game, shape, cube, x, p)
    return (1 - x) * dead_equity(game, shape, cube, p) + x * live_equity(game, shape, cube, owner, p)


def equity(
    game: Game, probabilities: Sequence[float], cube: int = 1, owner: str = "centred", x: float = 0.0
) -> float:
    """Return the equity in points, proportional to the cube, or in MWC."""
    return equity_at(game, shape_of(probabilities), float(probabilities[0]), cube, owner, x)


class Decision(NamedTuple):
    """Equities of the cube actions for the player on roll, in points or MWC, and the proper action."""

    no_double: float
    double_take: float
    double_drop: float
    double_beaver: float | None
    action: str
    optimal: float

    def costs(self) -> tuple[float, float, float, float]:
        """Return the errors of not doubling, doubling, taking and dropping."""
        double = min(self.double_drop, self.take_value)
        return (
            max(0.0, double - self.no_double),
            max(0.0, self.no_double - double),
            max(0.0, self.take_value - self.double_drop),
            max(0.0, self.double_drop - self.take_value),
        )

    @property
    def take_value(self) -> float:
        """Equity of a double that is taken or beavered."""
        return self.double_take if self.double_beaver is None else min(self.double_take, self.double_beaver)


def decide(
    game: Game,
    probabilities: Sequence[float],
    cube: int = 1,
    owner: str = "centred",
    x: float | tuple[float, float] = 0.0,
) -> Decision:
    """Return the cube decision; `x` is the efficiency before and after the double."""
    efficiency, efficiency_after = x if isinstance(x, tuple) else (x, x)
    shape, p = shape_of(probabilities), float(probabilities[0])
    no_double = equity(game, probabilities, cube, owner, efficiency)
    double_take = equity_at(game, shape, p, 2 * cube, "unavailable", efficiency_after)
    beaver = None  # the doubler may drop a beaver, which costs two cubes
    if isinstance(game, Money) and game.beavers and (not game.limit or 4 * cube <= game.limit):
        beaver = max(equity_at(game, shape, p, 4 * cube, "unavailable", efficiency_after), -2 * cube)
    drop = game.equity_after(cube)
    decision = Decision(no_double, double_take, drop, beaver, "", no_double)
    if owner == "unavailable" or not game.may_turn(cube) or game.win_ends_match(cube):
        return decision._replace(action="no cube")
    double = min(decision.take_value, drop)
    answer = "take" if decision.take_value < drop else "drop"
    if answer == "take" and beaver is not None and beaver < double_take:
        answer = "beaver"
    verb = "redouble" if owner == "owned" else "double"
    if no_double == double:
        action = f"optional {verb}, {answer}"
    elif no_double < double:
        action = f"{verb}, {answer}"
    else:
        action = f"too good to {verb}, {answer}" if no_double > drop else f"no {verb}, {answer}"
    return decision._replace(action=action, optimal=max(no_double, double))


def decisive_points(
    game: Game, probabilities: Sequence[float], cube: int, owner: str, x: float
) -> dict[str, float]:
    """Return the winning chances at which a decision changes, with constant gammon rates."""
    shape = shape_of(probabilities)

    def curve(value: int, cube_owner: str) -> Curve:
        return lambda p: equity_at(game, shape, p, value, cube_owner, x)

    no_double, double_take = curve(cube, owner), curve(2 * cube, "unavailable")
    return {
        "take": solve(curve(2 * cube, "owned"), game.equity_after(-cube)),
        "double": solve(lambda p: double_take(p) - no_double(p), 0.0),
        "cash": solve(double_take, game.equity_after(cube)),
        "too good": solve(no_double, game.equity_after(cube)),
    }


def emg(game: Match, mwc: float, cube: int) -> float:
    """Return the EMG equity of an MWC: -1 for losing the cube's value, +1 for winning it."""
    loss, win = game.equity_after(-cube), game.equity_after(cube)
    return 2 * (mwc - loss) / (win - loss) - 1


TABLE_FILE = Path(bgfast.__file__).parent / "evaluation" / "met_kazaross_xg2.json"
_CONTENT = json.loads(TABLE_FILE.read_text(encoding="utf-8"))
KAZAROSS = Tables(_CONTENT["pre_crawford"], _CONTENT["post_crawford"])
