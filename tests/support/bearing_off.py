"""Bearing off by recursion, slowly and straight from the rules: what the databases are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from bgfast import reference
from bgfast.common.rolls import ROLLS, roll_weight

Side = tuple[int, ...]
"""Checkers on points 1 to 6."""

EMPTY: Side = (0,) * 6


def all_sides(most: int) -> list[Side]:
    """Every side of at most so many checkers, the empty one included."""
    return [
        tuple(points.count(point) for point in range(1, 7))
        for points in combinations_with_replacement(range(7), most)
    ]


def board_of(own: Side, other: Side = (1, 0, 0, 0, 0, 0)) -> tuple[int, ...]:
    """A board with the mover's side and the opponent's, each from its own point 1 on."""
    return (0, *own, *[0] * 12, *(-number for number in reversed(other)), 0)


@cache
def plays_of(side: Side) -> tuple[tuple[int, tuple[Side, ...]], ...]:
    """The weight of each roll, and the sides that its plays lead to."""
    return tuple(
        (
            roll_weight(roll),
            tuple({board[1:7] for board in reference.legal_positions(board_of(side), *roll)}),
        )
        for roll in ROLLS
    )


Distribution = tuple[Fraction, ...]


def mean(rolls: Iterable[Fraction]) -> Fraction:
    return sum((number * chance for number, chance in enumerate(rolls)), Fraction(0))


@cache
def rolls_needed(side: Side, first_only: bool = False) -> Distribution:
    """The distribution of rolls until all checkers are off, or the next one: by the plays of least mean."""
    if side == EMPTY:
        return (Fraction(1),)

    def after(play: Side) -> Distribution:
        return rolls_needed(EMPTY if first_only and sum(play) < sum(side) else play, first_only)

    total: list[Fraction] = [Fraction(0)] * 40
    for weight, plays in plays_of(side):
        best = min((after(play) for play in plays), key=mean)
        for number, chance in enumerate(best):
            total[number + 1] += Fraction(weight, 36) * chance
    while not total[-1]:
        total.pop()
    return tuple(total)


@cache
def winning_chance(own: Side, other: Side) -> float:
    """The probability that the side on roll is off first, both playing to win."""
    if other == EMPTY:
        return 0.0
    worst: Callable[[tuple[Side, ...]], float] = lambda plays: min(  # noqa: E731
        winning_chance(other, play) for play in plays
    )
    return 1 - sum(weight * worst(plays) for weight, plays in plays_of(own)) / 36


# ---------------------------------------------------------------- with a cube


class Game(NamedTuple):
    """What a game is played for, seen from the player on roll; `away` is None in money play."""

    away: tuple[int, int] | None = None  # points that this player and the opponent need to win the match
    cube: int = 1
    owner: int = 0  # 1 this player, 0 nobody, -1 the opponent
    crawford: bool = False

    def ended(self, points: int) -> float:
        """What a game is worth that ends with so many points for this player, negative ones if it is lost."""
        if self.away is None:
            return points
        own, other = self.away
        return match_equity(own - max(points, 0), other - max(-points, 0))

    def other_way_round(self, value: float) -> float:
        """What the game is worth to the opponent."""
        return -value if self.away is None else 1 - value

    def flipped(self) -> Game:
        return self._replace(away=self.away and self.away[::-1], owner=-self.owner)

    def may_double(self) -> bool:
        """No Crawford game, and no double by whose score plus the cube's value reaches the length."""
        return self.owner >= 0 and not self.crawford and (self.away is None or self.cube < self.away[0])


def match_equity(own: int, other: int) -> float:
    """Some match equity table: the chances of who needs so many points, the opponent so many others."""
    if own <= 0:
        return 1.0
    return 0.0 if other <= 0 else other**1.2 / (own**1.2 + other**1.2)


@cache
def before_the_roll(own: Side, other: Side, game: Game) -> float:
    """What a turn is worth at its beginning: the cube may be turned if its rules allow it."""
    if other == EMPTY:
        return game.ended(-game.cube)
    rolled = cube_left(own, other, game)
    return max(rolled, min(doubled(own, other, game))) if game.may_double() else rolled


@cache
def cube_left(own: Side, other: Side, game: Game) -> float:
    """What it is worth to roll and play as is best, the cube as it is."""
    if other == EMPTY:
        return game.ended(-game.cube)
    return (
        sum(
            weight * max(game.other_way_round(before_the_roll(other, play, game.flipped())) for play in plays)
            for weight, plays in plays_of(own)
        )
        / 36
    )


def doubled(own: Side, other: Side, game: Game) -> tuple[float, float]:
    """What a double is worth if taken, and if passed: "refusing loses the stake before the offer"."""
    return cube_left(own, other, game._replace(cube=2 * game.cube, owner=-1)), game.ended(game.cube)
