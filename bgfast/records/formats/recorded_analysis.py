"""Analysis that a match file itself carries: candidate plays, cube equities and luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

__all__ = [
    "CandidatePlay",
    "CubeChances",
    "CubeEquities",
    "DecisionAnalysis",
    "Probabilities",
    "are_equities",
    "are_probabilities",
]

Probabilities = tuple[float, float, float, float, float]
"""Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon."""
MAX_EQUITY = 100.0
"""Larger numbers in place of an equity (EMG) are damage."""
PROBABILITY_TOLERANCE = 0.001
"""Rounding of the programs that write probabilities."""


def are_equities(*numbers: float) -> bool:
    """Return whether numbers can be equities.

    Examples
    --------
    >>> are_equities(1.0, -2.9), are_equities(float("nan")), are_equities(1e30)
    (True, False, False)
    """
    return all(abs(number) <= MAX_EQUITY for number in numbers)


def are_probabilities(numbers: Sequence[float]) -> bool:
    """Return whether numbers can be the probabilities of an evaluation, up to rounding.

    Examples
    --------
    >>> are_probabilities((0.5, 0.1, 0, 0.1, 0)), are_probabilities((0.5, 0.1, 0.2, 0.1, 0))
    (True, False)
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = numbers
    rising = (0.0, win_backgammon, win_gammon, win, 1 - lose_gammon, 1 - lose_backgammon, 1.0)
    lose_rising = (lose_backgammon, lose_gammon, 1 - win)
    return all(
        low <= high + PROBABILITY_TOLERANCE for row in (rising, lose_rising) for low, high in pairwise(row)
    )


class CandidatePlay(NamedTuple):
    """A play with the equity that the file gives it.

    Attributes
    ----------
    text : str
        In notation, from the side of the player who plays; empty if no checker can move.
    equity : float
        Cubeful, normalised to the cube (EMG), from the side of the player who plays.
    probabilities : tuple of float or None
        As of `Probabilities`, from the same side; None where the file has none.
    level : str
        How the play was evaluated, in the program's words: ``"3-ply"``, ``"XG Roller++"``,
        ``"opening book"``, ``"rollout 1296 trials"``; empty where the file does not say. eXtreme Gammon and
        BGBlitz call a static evaluation 1-ply, GNU Backgammon 0-ply.
    """

    text: str
    equity: float
    probabilities: Probabilities | None
    level: str


class CubeEquities(NamedTuple):
    """Equities of the actions with the cube.

    All of them are from the side of the player who doubles or could have doubled, at the answer, too: the
    other player takes if `double_take` is at most `double_drop`. They are normalised to the cube before the
    double (EMG), so that a pass costs 1.

    Attributes
    ----------
    no_double, double_take, double_drop : float
    probabilities : tuple of float or None
        As of `Probabilities`, without a double; None where the file has none.
    level : str
        As of `CandidatePlay`.
    """

    no_double: float
    double_take: float
    double_drop: float
    probabilities: Probabilities | None
    level: str


class CubeChances(NamedTuple):
    """Match-winning chances of the actions with the cube, from a file that has no equities.

    All of them are from the side of the player who doubles or could have doubled, at the answer, too. The
    match equity table that the file was made with is unknown; GNU Backgammon's default is that of bgfast.

    Attributes
    ----------
    no_double, double_take : float
    probabilities : tuple of float or None
        As of `CubeEquities`.
    level : str
        As of `CandidatePlay`.
    """

    no_double: float
    double_take: float
    probabilities: Probabilities | None
    level: str


@dataclass(frozen=True)
class DecisionAnalysis:
    """Analysis of one event of a recorded game, as the file holds it.

    Attributes
    ----------
    plays : tuple of CandidatePlay
        The plays of a roll that the file ranks, in its order, which is by equity but for plays that were
        evaluated at different levels. Empty for actions with the cube and for rolls that were not analysed.
    played : int or None
        Index in `plays` of the play that was made; None if it is not among them.
    cube : CubeEquities, CubeChances or None
        Of a double and its answer: their equities. Of a roll: those of not doubling before it. None where the
        file has none, as where the player could not double. Match-winning chances come from SGF.
    luck : float or None
        Of a roll: equity with the best play, less the equity before the roll (EMG), of the player who rolls.

    Examples
    --------
    >>> analysis = DecisionAnalysis((CandidatePlay("8/5 6/5", 0.16, None, "3-ply"),), played=0, luck=0.12)
    >>> analysis.plays[0].level, analysis.cube
    ('3-ply', None)
    """

    plays: tuple[CandidatePlay, ...] = ()
    played: int | None = None
    cube: CubeEquities | CubeChances | None = None
    luck: float | None = None
