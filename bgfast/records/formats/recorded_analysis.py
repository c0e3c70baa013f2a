"""Analysis in match files: candidate plays, cube equities and luck."""

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
    "probabilities_objection",
]

Probabilities = tuple[float, float, float, float, float]
"""Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon."""
MAX_EQUITY = 100.0
"""Maximum equity (EMG); larger numbers are damage."""
PROBABILITY_TOLERANCE = 0.001
"""Rounding error of recorded probabilities."""


def are_equities(*numbers: float) -> bool:
    """Return whether numbers can be equities.

    Examples
    --------
    >>> are_equities(1.0, -2.9), are_equities(float("nan")), are_equities(1e30)
    (True, False, False)
    """
    return all(abs(number) <= MAX_EQUITY for number in numbers)


def probabilities_objection(numbers: Sequence[float]) -> str | None:
    """Return why numbers cannot be the probabilities of an evaluation, up to rounding, or None if they can.

    Examples
    --------
    >>> probabilities_objection((0.5, 0.1, 0, 0.1, 0))
    >>> probabilities_objection((0.5, 0.1, 0.2, 0.1, 0))
    'an evaluation has the probabilities 0.5, 0.1, 0.2, 0.1, 0; expected 0 to 1 in order'
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = numbers
    rising = (0.0, win_backgammon, win_gammon, win, 1 - lose_gammon, 1 - lose_backgammon, 1.0)
    lose_rising = (lose_backgammon, lose_gammon, 1 - win)
    pairs = (pair for row in (rising, lose_rising) for pair in pairwise(row))
    if all(low <= high + PROBABILITY_TOLERANCE for low, high in pairs):
        return None
    texts = ", ".join(f"{probability:g}" for probability in numbers)
    return f"an evaluation has the probabilities {texts}; expected 0 to 1 in order"


class CandidatePlay(NamedTuple):
    """Candidate play with its equity.

    Attributes
    ----------
    text : str
        Notation from the mover's side; empty if no checker can move.
    equity : float
        Cubeful equity normalised to the cube (EMG), from the mover's side.
    probabilities : tuple of float or None
        `Probabilities` from the mover's side; None if not recorded.
    level : str
        Level of the evaluation in the program's words: ``"3-ply"``, ``"XG Roller++"``, ``"opening book"``,
        ``"rollout 1296 trials"``; empty if not recorded. eXtreme Gammon and BGBlitz call a static evaluation
        1-ply, GNU Backgammon 0-ply.
    """

    text: str
    equity: float
    probabilities: Probabilities | None
    level: str


class CubeEquities(NamedTuple):
    """Equities of the cube actions.

    They are from the side of the player who may double, even for the answer: the opponent takes if
    `double_take` is at most `double_drop`. They are normalised to the cube before the double (EMG), so that a
    drop costs 1.

    Attributes
    ----------
    no_double, double_take, double_drop : float
    probabilities : tuple of float or None
        `Probabilities` without a double; None if not recorded.
    level : str
        As in `CandidatePlay`.
    """

    no_double: float
    double_take: float
    double_drop: float
    probabilities: Probabilities | None
    level: str


class CubeChances(NamedTuple):
    """Match-winning chances of the cube actions, from files without equities.

    They are from the side of the player who may double, even for the answer. The match equity table of the
    file is unknown; GNU Backgammon's default is that of bgfast.

    Attributes
    ----------
    no_double, double_take : float
    probabilities : tuple of float or None
        As in `CubeEquities`.
    level : str
        As in `CandidatePlay`.
    """

    no_double: float
    double_take: float
    probabilities: Probabilities | None
    level: str


@dataclass(frozen=True)
class DecisionAnalysis:
    """Recorded analysis of an event.

    Attributes
    ----------
    plays : tuple of CandidatePlay
        Ranked plays of a roll in the order of the file: by equity, except for plays at different levels.
        Empty for cube actions and for rolls without analysis.
    played : int or None
        Index in `plays` of the recorded play; None if it is not ranked.
    cube : CubeEquities, CubeChances or None
        Equities of a double and its answer, or of not doubling before a roll; match-winning chances from SGF.
        None if not recorded, for example if the player could not double.
    luck : float or None
        Luck of a roll: equity with the best play minus the equity before the roll (EMG), from the mover's
        side.

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
