"""Reference results for bear-offs, computed by slow recursion; databases are compared with them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from bgfast import Position, reference
from bgfast.common.validation import ROLLS, roll_weight
from bgfast.evaluation.bearoff._bearoff import side_number

Side = tuple[int, ...]
"""Numbers of checkers on points 1 to 6."""

EMPTY: Side = (0,) * 6


def all_sides(max_checkers: int) -> list[Side]:
    """Return all sides with at most `max_checkers` checkers, including the empty side."""
    return [
        tuple(points.count(point) for point in range(1, 7))
        for points in combinations_with_replacement(range(7), max_checkers)
    ]


def board_of(mover: Side, opponent: Side = (1, 0, 0, 0, 0, 0)) -> tuple[int, ...]:
    """Return the board with these sides of the mover and the opponent."""
    return (0, *mover, *[0] * 12, *(-count for count in reversed(opponent)), 0)


def number_of_side(side: Side) -> int:
    return side_number(np.array(board_of(side), np.int8))


@cache
def plays_of(side: Side) -> tuple[tuple[int, tuple[Side, ...]], ...]:
    """Return the weight of each roll and the sides after its plays."""
    return tuple(
        (roll_weight(roll), tuple({board[1:7] for board in reference.legal_positions(board_of(side), *roll)}))
        for roll in ROLLS
    )


Distribution = tuple[Fraction, ...]


def mean(distribution: Iterable[Fraction]) -> Fraction:
    return sum((rolls * chance for rolls, chance in enumerate(distribution)), Fraction(0))


@cache
def rolls_needed(side: Side, first_only: bool = False) -> Distribution:
    """Return the distribution of the number of rolls to bear off all checkers, or one if `first_only`."""
    if side == EMPTY:
        return (Fraction(1),)

    def distribution_after(play: Side) -> Distribution:
        return rolls_needed(EMPTY if first_only and sum(play) < sum(side) else play, first_only)

    total: list[Fraction] = [Fraction(0)] * 40
    for weight, plays in plays_of(side):
        best_distribution = min((distribution_after(play) for play in plays), key=mean)
        for rolls, chance in enumerate(best_distribution):
            total[rolls + 1] += Fraction(weight, 36) * chance
    while not total[-1]:
        total.pop()
    return tuple(total)


@cache
def winning_chance(mover: Side, opponent: Side) -> float:
    if opponent == EMPTY:
        return 0.0
    total = sum(
        weight * min(winning_chance(opponent, play) for play in plays) for weight, plays in plays_of(mover)
    )
    return 1 - total / 36


class Game(NamedTuple):
    """Score and cube for the player on roll."""

    away: tuple[int, int] | None = None  # points away of the player and the opponent; None in money play
    cube: int = 1
    owner: int = 0  # 1 the player, 0 nobody, -1 the opponent
    crawford: bool = False

    def equity_after(self, points: int) -> float:
        """Return the equity after a game that wins `points`, a negative number if the player loses."""
        if self.away is None:
            return points
        player_away, opponent_away = self.away
        return match_equity(player_away - max(points, 0), opponent_away - max(-points, 0))

    def flip(self, equity: float) -> float:
        return -equity if self.away is None else 1 - equity

    def flip_sides(self) -> Game:
        return self._replace(away=self.away and self.away[::-1], owner=-self.owner)

    def may_double(self) -> bool:
        """Return whether the player may double; a cube that already suffices for the match is dead."""
        return self.owner >= 0 and not self.crawford and (self.away is None or self.cube < self.away[0])


def match_equity(player_away: int, opponent_away: int) -> float:
    """Return a match-winning chance from an invented formula."""
    if player_away <= 0:
        return 1.0
    return 0.0 if opponent_away <= 0 else opponent_away**1.2 / (player_away**1.2 + opponent_away**1.2)


@cache
def turn_equity(mover: Side, opponent: Side, game: Game) -> float:
    if opponent == EMPTY:
        return game.equity_after(-game.cube)
    equity = no_double(mover, opponent, game)
    return max(equity, min(double_equities(mover, opponent, game))) if game.may_double() else equity


@cache
def no_double(mover: Side, opponent: Side, game: Game) -> float:
    """Return the equity if the player does not double."""
    if opponent == EMPTY:
        return game.equity_after(-game.cube)
    return (
        sum(
            weight * max(game.flip(turn_equity(opponent, play, game.flip_sides())) for play in plays)
            for weight, plays in plays_of(mover)
        )
        / 36
    )


def double_equities(mover: Side, opponent: Side, game: Game) -> tuple[float, float]:
    """Return the equities of double/take and double/drop."""
    equity = no_double(mover, opponent, game._replace(cube=2 * game.cube, owner=-1))
    return equity, game.equity_after(game.cube)


def bearoff_of(mover: list[int], opponent: list[int]) -> Position:
    """Return the position with these numbers of checkers on points 1, 2, ... of each side."""
    board = [0, *mover] + [0] * (25 - len(mover))
    for point, count in enumerate(opponent, 1):
        board[25 - point] = -count
    return Position.from_array(board)


TOSSUP = bearoff_of([0, 1, 0, 0, 1], [2])  # 19 of 36 rolls win; the other 17 lose
LONG_SHOT = bearoff_of([0, 0, 0, 0, 0, 2], [2])  # 6-6, 5-5, 4-4 and 3-3 win
SURE_WIN = bearoff_of([1], [1])
