"""Families of positions: types of games such as openings, back games and races."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from bgfast.batch.successors import flip
from bgfast.common.vocabulary import BAR, CHECKERS
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position

Family = Literal[
    "opening",
    "contact",
    "blitz and bar",
    "priming",
    "holding",
    "back game",
    "containment",
    "long race",
    "bear-off with contact",
    "bear-off",
]
FAMILIES: tuple[Family, ...] = get_args(Family)

MAX_OPENING_MOVED = 3
"""Maximum number of checkers of a player that have left the points of the starting position in an opening."""
MIN_BACK_GAME_DEFICIT = 30
"""Minimum deficit in pips of a player with two anchors in a back game."""
MAX_CONTAINED = 2
"""Maximum number of contained checkers."""
MIN_BLITZ_POINTS = 3
"""Minimum number of home points against a checker on the bar in a blitz."""
LONG_PRIME = 5
SHORT_PRIME = 4
"""Consecutive points of a prime; a short prime on both sides is a priming game, too."""

HOME = range(1, 7)
OPPONENT_HOME = range(19, 25)
HOLDING_POINTS = range(18, 23)
"""Anchors of a holding game: the opponent's bar point and 5, 4 and 3 points."""
_START = Position.start().to_array().tolist()

Points = Sequence[int]
"""Board from the side of a player, as `Position.to_array` returns it."""


def family_of(position: Position) -> Family:
    """Return the family of a position before the mover's play.

    `InvalidPositionError` is raised if the game is over, or the players do not have 15 checkers.

    It is the first family that applies, where "a player" is either of the two and points are numbered from
    his side:

    ``"bear-off"``, ``"long race"``
        There is no contact; the mover has all his checkers at home, or not.
    ``"opening"``
        At most three checkers of each player have left the points of the starting position.
    ``"bear-off with contact"``
        A player has all his checkers at home, and the opponent has one behind them.
    ``"containment"``
        A player has one or two checkers away from home, one of them on the bar or in the opponent's home
        board and none of them in an anchor, and all others at home or borne off.
    ``"back game"``
        A player has two anchors or more in the opponent's home board and trails by 30 pips or more.
    ``"priming"``
        A player has five consecutive points with an opposing checker behind them; or both have four.
    ``"blitz and bar"``
        A player has a checker on the bar, and the opponent three points or more in his home board.
    ``"holding"``
        A player has one anchor, on the opponent's bar point or on his 5, 4 or 3 point, and the opponent has
        no checker on the bar or in the player's home board.
    ``"contact"``
        All other positions.

    Examples
    --------
    >>> import bgfast
    >>> from bgfast.learning.strength.families import family_of
    >>> family_of(bgfast.Position.start())
    'opening'
    >>> family_of(bgfast.Position.from_gnubg_id("2+4OAADs5wcAAA"))
    'bear-off'
    """
    if position.checkers != CHECKERS:
        raise InvalidPositionError(
            f"{position.checkers} checkers a side have no family; expected a position of {CHECKERS}"
        )
    phase = position.phase
    if phase == "over":
        raise InvalidPositionError("the game is over; expected a position with a play to choose")
    board = position.to_array()
    mover, opponent = board.tolist(), flip(board[None])[0].tolist()
    if phase != "contact":
        return "bear-off" if _number_away(mover) == 0 else "long race"
    sides = ((mover, opponent), (opponent, mover))
    if all(_number_moved(side) <= MAX_OPENING_MOVED for side, _ in sides):
        return "opening"
    if any(_number_away(side) == 0 for side, _ in sides):
        return "bear-off with contact"
    if any(_is_contained(side) for side, _ in sides):
        return "containment"
    if any(_is_back_game(side, other) for side, other in sides):
        return "back game"
    if any(_traps(side, LONG_PRIME) for side, _ in sides) or all(
        _traps(side, SHORT_PRIME) for side, _ in sides
    ):
        return "priming"
    if any(side[BAR] > 0 and _number_of_points(other, HOME) >= MIN_BLITZ_POINTS for side, other in sides):
        return "blitz and bar"
    if any(_is_holding(side) for side, _ in sides):
        return "holding"
    return "contact"


def _number_moved(points: Points) -> int:
    """Return the number of checkers that have left their points of the starting position."""
    return sum(
        max(start - max(count, 0), 0) for start, count in zip(_START, points, strict=True) if start > 0
    )


def _number_away(points: Points) -> int:
    """Return the number of checkers outside the home board."""
    return sum(max(count, 0) for count in points[HOME.stop :])


def _number_of_points(points: Points, region: range) -> int:
    """Return the number of made points in a region."""
    return sum(points[point] >= 2 for point in region)


def _is_contained(points: Points) -> bool:
    """Return whether the last one or two checkers are back, without an anchor."""
    back = (*OPPONENT_HOME, BAR)
    return (
        _number_away(points) <= MAX_CONTAINED
        and any(points[point] > 0 for point in back)
        and _number_of_points(points, OPPONENT_HOME) == 0
    )


def _is_back_game(points: Points, other: Points) -> bool:
    return (
        _number_of_points(points, OPPONENT_HOME) >= 2
        and _pips(points) - _pips(other) >= MIN_BACK_GAME_DEFICIT
    )


def _pips(points: Points) -> int:
    return sum(point * max(count, 0) for point, count in enumerate(points))


def _traps(points: Points, length: int) -> bool:
    """Return whether an opposing checker is behind a prime of `length` points."""
    rearmost = next(point for point, count in enumerate(points) if count < 0)
    run = 0
    for point in range(rearmost + 1, BAR):
        run = run + 1 if points[point] >= 2 else 0
        if run == length:
            return True
    return False


def _is_holding(points: Points) -> bool:
    """Return whether a player has one advanced anchor, and no opposing checker at home or on the bar."""
    return (
        _number_of_points(points, OPPONENT_HOME) + (points[18] >= 2) == 1
        and _number_of_points(points, HOLDING_POINTS) == 1
        and all(points[point] >= 0 for point in range(HOME.stop))
    )
