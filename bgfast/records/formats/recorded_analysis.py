"""Analysis in match files: candidate plays, cube equities and luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from bgfast.errors import BgfastError

Probabilities = tuple[float, float, float, float, float]
"""Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon."""
MAX_EQUITY = 100.0
"""Maximum equity (EMG); larger numbers are damage."""
PROBABILITY_TOLERANCE = 0.001
"""Rounding error of recorded probabilities."""


def are_equities(*numbers: float) -> bool:
    """Return whether numbers can be equities; nan cannot."""
    return all(abs(number) <= MAX_EQUITY for number in numbers)


def checked_equity(number: float) -> float:
    """Return a number as an equity; raise `BgfastError` if it cannot be one."""
    if not are_equities(number):
        raise BgfastError(f"an equity is {number:g}; expected a number")
    return number


def checked_probabilities(numbers: Sequence[float], report: Callable[[str], object]) -> Probabilities | None:
    """Return five numbers as probabilities; report them and return None if they contradict each other.

    Examples
    --------
    >>> checked_probabilities((0.5, 0.1, 0, 0.1, 0), print)
    (0.5, 0.1, 0, 0.1, 0)
    >>> checked_probabilities((0.5, 0.1, 0.2, 0.1, 0), print)
    an evaluation has the probabilities 0.5, 0.1, 0.2, 0.1, 0; expected 0 to 1 in order
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = numbers
    rising = (0.0, win_backgammon, win_gammon, win, 1 - lose_gammon, 1 - lose_backgammon, 1.0)
    lose_rising = (lose_backgammon, lose_gammon, 1 - win)
    pairs = (pair for row in (rising, lose_rising) for pair in pairwise(row))
    if all(low <= high + PROBABILITY_TOLERANCE for low, high in pairs):
        return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon
    texts = ", ".join(f"{probability:g}" for probability in numbers)
    report(f"an evaluation has the probabilities {texts}; expected 0 to 1 in order")
    return None


class CandidatePlay(NamedTuple):
    """Candidate play with its equity, from the mover's side.

    The level of the evaluation is in the program's words: ``"3-ply"``, ``"XG Roller++"``, ``"opening book"``,
    ``"rollout 1296 trials"``; empty if not recorded. eXtreme Gammon and BGBlitz call a static evaluation
    1-ply, GNU Backgammon 0-ply.
    """

    text: str  # notation; empty if no checker can move
    equity: float  # cubeful, normalised to the cube (EMG)
    probabilities: Probabilities | None  # None if not recorded
    level: str


class CubeEquities(NamedTuple):
    """Equities of the cube actions.

    They are from the side of the player who may double, even for the answer: the opponent takes if
    `double_take` is at most `double_drop`. They are normalised to the cube before the double (EMG), so that a
    drop costs 1.
    """

    no_double: float
    double_take: float
    double_drop: float
    probabilities: Probabilities | None  # without a double; None if not recorded
    level: str  # as in `CandidatePlay`


class CubeChances(NamedTuple):
    """Match-winning chances of the cube actions, from files without equities.

    They are from the side of the player who may double, even for the answer. The match equity table of the
    file is unknown; GNU Backgammon's default is that of bgfast.
    """

    no_double: float
    double_take: float
    probabilities: Probabilities | None  # as in `CubeEquities`
    level: str  # as in `CandidatePlay`


@dataclass(frozen=True)
class DecisionAnalysis:
    """Recorded analysis of an event.

    The plays of a roll are in the order of the file: by equity, except for plays at different levels. The
    equities of the cube are those of a double and its answer, or of not doubling before a roll. Luck is the
    equity with the best play minus the equity before the roll (EMG), from the mover's side.
    """

    plays: tuple[CandidatePlay, ...] = ()
    played: int | None = None  # index in `plays` of the recorded play; None if it is not ranked
    cube: CubeEquities | CubeChances | None = None  # None if not recorded, or the player could not double
    luck: float | None = None
