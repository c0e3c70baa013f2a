"""Families of positions as defined in docs/CONTESTED_DECISIONS.md."""

from __future__ import annotations

from collections.abc import Sequence

from bgfast.common.validation import BAR, CHECKERS
from bgfast.errors import InvalidPositionError
from bgfast.learning.contested_decisions import Family
from bgfast.position.objects import Position

MAX_MOVED_CHECKERS = 3
"""Maximum number of checkers that a player has moved off the starting points in an opening."""
MIN_BACK_GAME_DEFICIT = 30
"""Minimum pip deficit of the player with two anchors in a back game."""
MAX_OUTSIDE_CHECKERS = 2
"""Maximum number of checkers outside the home board in a containment game."""
MIN_BLITZ_POINTS = 3
"""Minimum number of home points against a checker on the bar in a blitz."""
LONG_PRIME = 5
SHORT_PRIME = 4
"""Lengths of primes: a priming game has one long prime, or a short prime on each side."""

HOME = range(1, 7)
OPPONENT_HOME = range(19, 25)
HOLDING_POINTS = range(18, 23)
"""Anchors of a holding game: the opponent's bar point and 6, 5, 4 and 3 points."""
_START = Position.start().to_array().tolist()

Points = Sequence[int]
"""Board from a player's side, as `Position.to_array` returns it."""


def family_of(position: Position) -> Family:
    """Return the first family that applies to a position before the mover's play.

    `InvalidPositionError` is raised if the game is over or the players do not have 15 checkers each.

    Examples
    --------
    >>> import bgfast
    >>> from benchmarks.families import family_of
    >>> family_of(bgfast.Position.start())
    'opening'
    """
    if position.checkers != CHECKERS:
        raise InvalidPositionError(
            f"positions with {position.checkers} checkers per side have no family; expected {CHECKERS}"
        )
    if position.phase == "over":
        raise InvalidPositionError("the game is over; expected a position with a play to choose")
    mover, opponent = position.to_array().tolist(), position.flip().to_array().tolist()
    if position.phase != "contact":
        return "bear-off" if _count_outside(mover) == 0 else "long race"
    sides = ((mover, opponent), (opponent, mover))
    if all(_count_moved(side) <= MAX_MOVED_CHECKERS for side, _ in sides):
        return "opening"
    if any(_count_outside(side) == 0 for side, _ in sides):
        return "bear-off with contact"
    if any(_is_contained(side) for side, _ in sides):
        return "containment"
    if any(_is_back_game(side, other) for side, other in sides):
        return "back game"
    prime_lengths = [_longest_prime(side) for side, _ in sides]
    if max(prime_lengths) >= LONG_PRIME or min(prime_lengths) >= SHORT_PRIME:
        return "priming"
    if any(side[BAR] > 0 and _count_points(other, HOME) >= MIN_BLITZ_POINTS for side, other in sides):
        return "blitz and bar"
    if any(_is_holding(side) for side, _ in sides):
        return "holding"
    return "contact"


def _count_moved(points: Points) -> int:
    """Return the number of checkers that have left their points of the starting position."""
    return sum(max(start - max(n, 0), 0) for start, n in zip(_START, points, strict=True) if start > 0)


def _count_outside(points: Points) -> int:
    """Return the number of checkers outside the home board."""
    return sum(max(count, 0) for count in points[HOME.stop :])


def _count_points(points: Points, region: range) -> int:
    """Return the number of made points in a region."""
    return sum(points[point] >= 2 for point in region)


def _is_contained(points: Points) -> bool:
    """Return whether a player has at most two checkers outside, one of them far back, and no anchor."""
    back_points = (*OPPONENT_HOME, BAR)
    return (
        _count_outside(points) <= MAX_OUTSIDE_CHECKERS
        and any(points[point] > 0 for point in back_points)
        and _count_points(points, OPPONENT_HOME) == 0
    )


def _is_back_game(points: Points, opponent_points: Points) -> bool:
    pips, opponent_pips = (
        sum(point * max(n, 0) for point, n in enumerate(side)) for side in (points, opponent_points)
    )
    return _count_points(points, OPPONENT_HOME) >= 2 and pips - opponent_pips >= MIN_BACK_GAME_DEFICIT


def _longest_prime(points: Points) -> int:
    """Return the length of the longest prime that an opposing checker has yet to pass."""
    rearmost = next(point for point, count in enumerate(points) if count < 0)
    length = longest = 0
    for point in range(rearmost + 1, BAR):
        length = length + 1 if points[point] >= 2 else 0
        longest = max(longest, length)
    return longest


def _is_holding(points: Points) -> bool:
    """Return whether a player has one holding anchor and no opposing checker at home or on the bar."""
    return (
        _count_points(points, OPPONENT_HOME) + (points[18] >= 2) == 1
        and _count_points(points, HOLDING_POINTS) == 1
        and all(points[point] >= 0 for point in range(HOME.stop))
    )
