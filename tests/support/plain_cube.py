"""Cubeful equities, written slowly from the theory: curves as lists of corners, turned round by bisection.

Rick Janowski, *Take-Points in Money Games* (1993): a cube of no use ("dead") gives the cubeless equity, one
of perfect use ("live") a curve that is straight between corners, and a real one is between them by its
efficiency x. Everything here follows from three sentences, in money as in matches: who may double can have
what a pass gives; the point where the other one may pass is where taking, and owning twice the cube, is worth
the same to him; at both ends of the curve everything is won or lost. Nothing is solved by a formula, and all
numbers are of one position.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "Decision",
    "Game",
    "Match",
    "Money",
    "Points",
    "Tables",
    "at",
    "decide",
    "decisive_points",
    "emg",
    "equity",
    "live_points",
    "shape",
]

OWNERS = ("centred", "owned", "unavailable")
LEVELS = 60
"""Cubes that a money game without a limit goes on for here; what lies beyond changes nothing any more."""

Curve = Callable[[float], float]
Corners = list[tuple[float, float]]


class Shape(NamedTuple):
    """How games end: parts of the wins that are worth 1, 2 and 3 points, and of the losses."""

    wins: tuple[float, float, float]
    losses: tuple[float, float, float]


def shape(probabilities: Sequence[float]) -> Shape:
    """The parts, from cumulative probabilities; who never wins would win single games."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = map(float, probabilities)
    return Shape(_parts(win, gammon, backgammon), _parts(1 - win, lose_gammon, lose_backgammon))


def _parts(all_of_them: float, gammons: float, backgammons: float) -> tuple[float, float, float]:
    if all_of_them <= 0:
        return 1.0, 0.0, 0.0
    return (
        (all_of_them - gammons) / all_of_them,
        (gammons - backgammons) / all_of_them,
        backgammons / all_of_them,
    )


@dataclass(frozen=True)
class Money:
    """A money game; equities are points at cube 1. `limit` is the greatest cube, 0 for none."""

    jacoby: bool = False
    beavers: bool = False
    limit: int = 0

    def worth(self, points: int) -> float:
        """What the player on roll has from winning so many points, or from losing them."""
        return float(points)

    def may_turn(self, cube: int) -> bool:
        """Whether anyone might double a cube of this value."""
        return 2 * cube <= self.limit if self.limit else cube < 2**LEVELS

    def covers(self, cube: int) -> bool:
        """Whether the player on roll, who then must not double, has won all with a game of this cube."""
        return False


@dataclass(frozen=True, eq=False)
class Tables:
    """Match equities until the Crawford game has been played, and of who is behind afterwards."""

    before: list[list[float]] = field(repr=False)
    after: list[float] = field(repr=False)


@dataclass(frozen=True)
class Match:
    """A game of a match: points that the player on roll and the other one need; equities are MWC.

    `crawford` is "before", "now" or "after".
    """

    tables: Tables
    away: tuple[int, int]
    crawford: str = "before"
    limit: int = 0

    def worth(self, points: int) -> float:
        """What the player on roll has from winning so many points, or from losing them."""
        mine, theirs = self.away[0] - max(points, 0), self.away[1] - max(-points, 0)
        if mine <= 0:
            return 1.0
        if theirs <= 0:
            return 0.0
        if self.crawford == "before":
            return self.tables.before[mine - 1][theirs - 1]
        return self.tables.after[mine - 1] if theirs == 1 else 1 - self.tables.after[theirs - 1]

    def may_turn(self, cube: int) -> bool:
        """Whether anyone might double a cube of this value: it is dead once it covers what both need."""
        if self.crawford == "now" or (self.limit and 2 * cube > self.limit):
            return False
        return cube < max(self.away)

    def covers(self, cube: int) -> bool:
        """Whether the player on roll, who then must not double, has won all with a game of this cube."""
        return cube >= self.away[0]


Game = Money | Match


class Points(NamedTuple):
    """Chances to win."""

    take: float
    cash: float


def mean(game: Game, cube: int, parts: tuple[float, float, float], sign: int) -> float:
    """What all won games are worth together, or all lost ones."""
    return sum(part * game.worth(sign * cube * points) for part, points in zip(parts, (1, 2, 3), strict=True))


def dead(game: Game, form: Shape, cube: int, p: float) -> float:
    """What the game is worth if the cube is not turned any more."""
    return p * mean(game, cube, form.wins, 1) + (1 - p) * mean(game, cube, form.losses, -1)


def height(corners: Corners, p: float) -> float:
    """A curve that is straight between its corners, at one place."""
    for (left, low), (right, high) in itertools.pairwise(corners):
        if p <= right:
            return high if left == right else low + (high - low) * (p - left) / (right - left)
    raise AssertionError(f"{p} is beyond the last corner")


def where(curve: Curve, target: float) -> float:
    """The least chance to win at which a rising curve has reached a height; 1 if it never does."""
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
def live_points(game: Game, form: Shape, cube: int) -> Points:
    """Where a double of this cube is just taken, and where it is just passed, if the cube is alive."""
    return Points(
        take=where(lambda p: live(game, form, 2 * cube, "owned", p), game.worth(-cube)),
        cash=where(lambda p: live(game, form, 2 * cube, "unavailable", p), game.worth(cube)),
    )


def live(game: Game, form: Shape, cube: int, owner: str, p: float) -> float:
    """What the game is worth to the player on roll with a live cube."""
    if not game.may_turn(cube):
        return dead(game, form, cube, p)
    take, cash = live_points(game, form, cube)
    corners = [(0.0, mean(game, cube, form.losses, -1))]
    if owner != "owned":
        corners += [(take, game.worth(-cube))]
    if owner != "unavailable":
        corners += [(cash, game.worth(cube))]
    corners += [(1.0, mean(game, cube, form.wins, 1))]
    return height(corners, p)


def gammonless(game: Game, form: Shape, cube: int, x: float, p: float) -> float:
    """A cube that nobody has turned yet under Jacoby's rule: nothing is better than a pass."""
    if not game.may_turn(cube):
        return (2 * p - 1) * cube
    take, cash = live_points(game, form, cube)
    alive = height([(0.0, -1.0), (take, -1.0), (cash, 1.0), (1.0, 1.0)], p)
    return ((1 - x) * (2 * p - 1) + x * alive) * cube


def at(game: Game, form: Shape, p: float, cube: int, owner: str, x: float) -> float:
    """What a chance to win is worth when games end like that, in points or MWC."""
    assert owner in OWNERS
    if isinstance(game, Money) and game.jacoby and owner == "centred":
        return gammonless(game, form, cube, x, p)
    return (1 - x) * dead(game, form, cube, p) + x * live(game, form, cube, owner, p)


def equity(
    game: Game, probabilities: Sequence[float], cube: int = 1, owner: str = "centred", x: float = 0.0
) -> float:
    """Points at the cube's own value (twice as many with twice the cube), or MWC.

    A game without end that begins at a great cube is the same game begun at 1.
    """
    return at(game, shape(probabilities), float(probabilities[0]), cube, owner, x)


class Decision(NamedTuple):
    """What doubling is worth to the player on roll, in points or MWC, and what is right."""

    no_double: float
    double_take: float
    double_drop: float
    double_beaver: float | None
    action: str
    optimal: float

    def costs(self) -> tuple[float, float, float, float]:
        """What is lost by: not doubling, doubling, taking, passing."""
        right = min(self.double_drop, self.taken())
        return (
            max(0.0, right - self.no_double),
            max(0.0, self.no_double - right),
            max(0.0, self.taken() - self.double_drop),
            max(0.0, self.double_drop - self.taken()),
        )

    def taken(self) -> float:
        """What a double is worth that is not passed."""
        return self.double_take if self.double_beaver is None else min(self.double_take, self.double_beaver)


def decide(
    game: Game,
    probabilities: Sequence[float],
    cube: int = 1,
    owner: str = "centred",
    x: float | tuple[float, float] = 0.0,
) -> Decision:
    """Whether to double and to take; `x` is the efficiency, before and after the double."""
    before, after = x if isinstance(x, tuple) else (x, x)
    form, p = shape(probabilities), float(probabilities[0])
    not_doubled = equity(game, probabilities, cube, owner, before)
    taken = at(game, form, p, 2 * cube, "unavailable", after)
    beaver = None
    if isinstance(game, Money) and game.beavers and (not game.limit or 4 * cube <= game.limit):
        beaver = max(at(game, form, p, 4 * cube, "unavailable", after), -2 * cube)  # taken, or given up
    passed = game.worth(cube)
    nobody = Decision(not_doubled, taken, passed, beaver, "", not_doubled)
    if owner == "unavailable" or not game.may_turn(cube) or game.covers(cube):
        return nobody._replace(action="no cube")
    doubled = min(nobody.taken(), passed)
    answer = "take" if nobody.taken() < passed else "drop"
    if answer == "take" and beaver is not None and beaver < taken:
        answer = "beaver"
    again = "redouble" if owner == "owned" else "double"
    if not_doubled == doubled:
        action = f"optional {again}, {answer}"
    elif not_doubled < doubled:
        action = f"{again}, {answer}"
    else:
        action = f"too good to {again}, {answer}" if not_doubled > passed else f"no {again}, {answer}"
    return nobody._replace(action=action, optimal=max(not_doubled, doubled))


def decisive_points(
    game: Game, probabilities: Sequence[float], cube: int, owner: str, x: float
) -> dict[str, float]:
    """Chances to win at which a decision changes, with as many gammons in a hundred wins and losses."""
    form = shape(probabilities)

    def curve(value: int, whose: str) -> Curve:
        return lambda p: at(game, form, p, value, whose, x)

    before, after = curve(cube, owner), curve(2 * cube, "unavailable")
    return {
        "take": where(curve(2 * cube, "owned"), game.worth(-cube)),
        "double": where(lambda p: after(p) - before(p), 0.0),
        "cash": where(after, game.worth(cube)),
        "too good": where(before, game.worth(cube)),
    }


def emg(game: Match, mwc: float, cube: int) -> float:
    """Normalised to money: losing the cube's value is -1, winning it +1."""
    lost, won = game.worth(-cube), game.worth(cube)
    return 2 * (mwc - lost) / (won - lost) - 1
