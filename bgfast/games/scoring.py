"""Players, doubling cube, results of games, and match score."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from bgfast.batch.successors import results
from bgfast.common.validation import flag, validate_number, whole_number
from bgfast.errors import InvalidGameError, short_repr
from bgfast.position.formats import may_be_crawford
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

PLAYER_NAMES: tuple[Literal["X"], Literal["O"]] = ("X", "O")  # letters of the checkers on a text board
MAX_MATCH_LENGTH = 10**6
MAX_CUBE_VALUE = 2**30  # no game reaches this value, and sums of points stay within 64 bits
MAX_POINTS = 2**40  # maximum points of an award
LEVELS = ("single", "gammon", "backgammon")
Ending = Literal["bearoff", "drop", "resignation", "unexplained"]


def player_number(name: str, value: Any) -> int:
    """Return a player, 0 or 1; raise `InvalidGameError` for anything else."""
    player = whole_number(value)
    if player not in (0, 1):
        raise InvalidGameError(f"{name} is {short_repr(value)}; expected a player, 0 or 1")
    return player


@dataclass(frozen=True)
class Cube:
    """The doubling cube, immutable and hashable.

    Parameters
    ----------
    value : int
        Points of a single game: a power of two from 1 to 2**30.
    owner : {None, 0, 1}
        The player who may double next; None while the cube is centred and both may.

    Raises
    ------
    InvalidGameError
        If the value is not a power of two in this range, or the owner is not a player.

    Examples
    --------
    >>> from bgfast.games import Cube
    >>> Cube()
    Cube(value=1, owner=None)
    """

    value: int = 1
    owner: int | None = None

    def __post_init__(self) -> None:
        if (objection := cube_objection(self.value)) is not None:
            raise InvalidGameError(objection)
        object.__setattr__(self, "value", whole_number(self.value))
        if self.owner is not None:
            object.__setattr__(self, "owner", player_number("the cube's owner", self.owner))


def cube_objection(value: Any) -> str | None:
    """Return why a cube cannot show this value, or None if it can."""
    cube_value = whole_number(value)
    if cube_value is None or not 1 <= cube_value <= MAX_CUBE_VALUE or cube_value & (cube_value - 1):
        return f"the cube's value is {short_repr(value)}; expected a power of two from 1 to 2**30"
    return None


@dataclass(frozen=True)
class GameResult:
    """Result of a game.

    Attributes
    ----------
    winner : int
        The player who won, 0 or 1.
    points : int
        The points won: the cube's value times the level.
    level : int
        1 for a single game, 2 for a gammon, 3 for a backgammon. Always 1 after a drop, and under the Jacoby
        rule if no double was accepted. 0 for an award that is not 1, 2 or 3 times the cube.
    ending : {"bearoff", "drop", "resignation", "unexplained"}
        ``"unexplained"`` is an award: a record or an arbiter states the winner without a reason.

    See Also
    --------
    bgfast.results : Results of boards, without the cube.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(on_turn=0, dice=["31"])
    >>> game.double()
    >>> game.drop()
    >>> game.result
    GameResult(winner=0, points=1, level=1, ending='drop')
    """

    winner: int
    points: int
    level: int
    ending: Ending

    def __str__(self) -> str:
        level = f"{LEVELS[self.level - 1]}, " if self.level else ""
        return f"{self.points} point{'s' * (self.points > 1)} ({level}{self.ending})"


@dataclass(frozen=True)
class MatchScore:
    """Match score at the beginning of a game; the score determines the use of the cube.

    Parameters
    ----------
    length : int
        The points that win the match.
    score : (int, int)
        The points of players 0 and 1; both below the length.
    crawford : bool
        True for the Crawford game, which is played without the cube.

    Raises
    ------
    InvalidGameError
        If a number is out of range, or `crawford` is True although neither or both players need one point.

    See Also
    --------
    bgfast.cube.MatchEquityTable : Match-winning chances at a score.

    Examples
    --------
    >>> from bgfast.games import MatchScore
    >>> MatchScore(7, (6, 3), crawford=True).away
    (1, 4)
    """

    length: int
    score: tuple[int, int] = (0, 0)
    crawford: bool = False

    def __post_init__(self) -> None:
        length = match_length(self.length)
        score = score_pair(self.score)
        if max(score) >= length:
            text = f"a score of {score[0]}-{score[1]} in an unfinished match to {length}"
            raise InvalidGameError(f"{text}; expected less than {length} each")
        crawford = flag("crawford", self.crawford, InvalidGameError)
        if crawford and not may_be_crawford(score, length):
            text = f"a Crawford game at {score[0]}-{score[1]} in a match to {length}"
            raise InvalidGameError(f"{text}; expected a player who needs one point, and one who needs more")
        for name, value in (("length", length), ("score", score), ("crawford", crawford)):
            object.__setattr__(self, name, value)

    @property
    def away(self) -> tuple[int, int]:
        """Points that players 0 and 1 need: (int, int)."""
        return self.length - self.score[0], self.length - self.score[1]


def match_length(value: Any) -> int:
    """Return the length of a match; raise `InvalidGameError` unless it is 1 to a million."""
    return validate_number("the match length", value, MAX_MATCH_LENGTH, 1, InvalidGameError)


def score_pair(value: Any) -> tuple[int, int]:
    """Return a score as two whole numbers; raise `InvalidGameError` for anything else."""
    try:
        points = [whole_number(item) for item in islice(value, 3)]
    except TypeError:
        points = []
    if len(points) != 2 or any(item is None or item < 0 for item in points):
        raise InvalidGameError(f"score is {short_repr(value)}; expected two whole numbers, 0 or more")
    return points[0] or 0, points[1] or 0


def win_level(position: Position, rules: RuleSet) -> int:
    """Return the level (1, 2 or 3) of a win by bearing off; `position` is from the loser's side."""
    lost = results(position.to_array()[None], rules, position.checkers)
    return -int(lost[0])


def resign_level(value: Any) -> int:
    """Return the level of a resignation, 1, 2 or 3; raise `InvalidGameError` for anything else."""
    level = whole_number(value)
    if level not in (1, 2, 3):
        raise InvalidGameError(
            f"level is {short_repr(value)}; expected 1 (single), 2 (gammon) or 3 (backgammon)"
        )
    return level


def award_points(value: Any) -> int:
    """Return the points of an award; raise `InvalidGameError` unless they are 1 to `MAX_POINTS`."""
    return validate_number("points", value, MAX_POINTS, 1, InvalidGameError)
