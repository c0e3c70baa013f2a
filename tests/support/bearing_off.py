"""Bearing off by recursion, slowly and straight from the rules: what the databases are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

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
