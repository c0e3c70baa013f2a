"""Error rates of a player, from what each decision cost; definitions: docs/MATCH_ANALYSIS.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from bgfast.analysis.matches.analysed import AnalysedDecision

__all__ = ["ERROR_KINDS", "MARKS", "ErrorKind", "Mark", "Rates", "error_kind", "marked", "rates", "together"]

Mark = Literal["doubtful", "bad", "very bad"]
MARKS: Mapping[Mark, float] = MappingProxyType({"very bad": 0.12, "bad": 0.06, "doubtful": 0.03})
"""From which error on a decision is marked: the thresholds of GNU Backgammon, greatest first."""

ErrorKind = Literal["play", "missed double", "wrong double", "wrong take", "wrong pass", "resignation"]
ERROR_KINDS: tuple[ErrorKind, ...] = (
    "play",
    "missed double",
    "wrong double",
    "wrong take",
    "wrong pass",
    "resignation",
)
_BY_CHOICE: Mapping[str, ErrorKind] = MappingProxyType(
    {
        "no double": "missed double",
        "double": "wrong double",
        "take": "wrong take",
        "beaver": "wrong take",
        "pass": "wrong pass",
        "resign": "resignation",
        "accept": "resignation",
        "refuse": "resignation",
    }
)

CLOSE = 0.16
"""A double that would cost less is a close decision: GNU Backgammon."""
COUNTED = 0.2
"""A double that would cost less is a decision that counts: eXtreme Gammon."""
ONE_POINT = 1.5
"""How much more an error counts in a match to one point: eXtreme Gammon."""


def marked(error: float) -> Mark | None:
    """Return how an error is marked, None if it is not.

    Examples
    --------
    >>> marked(0.061), marked(0.029)
    ('bad', None)
    """
    return next((mark for mark, least in MARKS.items() if error >= least), None)


def error_kind(decision: AnalysedDecision) -> ErrorKind:
    """Return what an error in this decision is called, whether or not there is one."""
    return "play" if decision.recorded.kind == "play" else _BY_CHOICE[decision.recorded.chosen]


@dataclass(frozen=True)
class Rates:
    """What a player's decisions cost, in points at the value of the cube (EMG) unless it is said.

    Attributes
    ----------
    plays : int
        Turns in which there was a legal play.
    unforced_plays : int
        Those with more than one legal play.
    counted_plays : int
        Those of them whose plays are not all worth the same, to 0.001.
    cube_decisions : int
        Turns in which a double was legal, and answers to doubles.
    close_cube_decisions : int
        Doubles, answers, and turns without a double in which one would have cost less than 0.16.
    counted_cube_decisions : int
        Doubles, answers, and turns without a double in which not to double was worth more than nothing and a
        double would have cost less than 0.2.
    errors : mapping
        The sum of errors of each of `ERROR_KINDS`.
    errors_mwc : mapping
        The same in chances to win the match; empty in money play.
    marks : mapping
        How many decisions have each of `MARKS`.
    turns : int
        The plays of both players, forced ones and passes included.
    pr_error : float
        The sum of errors, half as much more of a match to one point.
    error_variance, pr_error_variance : float
        The squares of the standard errors of both sums: 0 where nothing was rolled out.
    """

    plays: int
    unforced_plays: int
    counted_plays: int
    cube_decisions: int
    close_cube_decisions: int
    counted_cube_decisions: int
    errors: Mapping[ErrorKind, float]
    errors_mwc: Mapping[ErrorKind, float]
    marks: Mapping[Mark, int]
    turns: int
    pr_error: float
    error_variance: float = 0.0
    pr_error_variance: float = 0.0

    @property
    def error(self) -> float:
        """The sum of all errors."""
        return sum(self.errors.values())

    @property
    def error_se(self) -> float:
        """The standard error of `error`: that of decisions that were rolled out."""
        return math.sqrt(self.error_variance)

    @property
    def pr_se(self) -> float | None:
        """The standard error of `pr`."""
        counted = self.counted_plays + self.counted_cube_decisions
        return _over(500 * math.sqrt(self.pr_error_variance), counted)

    @property
    def gnubg_error_rate_se(self) -> float | None:
        """The standard error of `gnubg_error_rate`."""
        return _over(1000 * self.error_se, self.unforced_plays + self.close_cube_decisions)

    @property
    def snowie_error_rate_se(self) -> float | None:
        """The standard error of `snowie_error_rate`."""
        return _over(1000 * self.error_se, self.turns)

    @property
    def pr(self) -> float | None:
        """The performance rating of eXtreme Gammon: 500 times the mean error of a decision that counts.

        Half as much more in a match to one point. None without such a decision.
        """
        return _over(500 * self.pr_error, self.counted_plays + self.counted_cube_decisions)

    @property
    def gnubg_error_rate(self) -> float | None:
        """GNU Backgammon's: 1,000 times the mean error of unforced plays and close cube decisions."""
        return _over(1000 * self.error, self.unforced_plays + self.close_cube_decisions)

    @property
    def snowie_error_rate(self) -> float | None:
        """Snowie's: 1,000 times the error over the turns of both players."""
        return _over(1000 * self.error, self.turns)


def _over(total: float, number: int) -> float | None:
    return total / number if number else None


def rates(decisions: Iterable[AnalysedDecision], turns: int, *, one_point: bool = False) -> Rates:
    """Return the rates of one player.

    Parameters
    ----------
    decisions : iterable of AnalysedDecision
        Those of the player.
    turns : int
        The turns of both players in which dice were played, passes included.
    one_point : bool
        Whether this is a match to one point.
    """
    found = list(decisions)
    plays = [each for each in found if each.recorded.kind == "play"]
    cube = [each for each in found if each.recorded.kind in ("double", "take")]
    errors: dict[ErrorKind, float] = dict.fromkeys(ERROR_KINDS, 0.0)
    in_match = any(each.error_mwc is not None for each in found)
    errors_mwc: dict[ErrorKind, float] = dict.fromkeys(ERROR_KINDS, 0.0) if in_match else {}
    marks: dict[Mark, int] = dict.fromkeys(MARKS, 0)
    for each in found:
        kind = error_kind(each)
        errors[kind] += each.error
        if each.error_mwc is not None:
            errors_mwc[kind] += each.error_mwc
        mark = marked(each.error)
        if mark is not None:
            marks[mark] += 1
    weight = ONE_POINT if one_point else 1
    variance = sum(each.error_se**2 for each in found)
    return Rates(
        plays=len(plays),
        unforced_plays=sum(not each.forced for each in plays),
        counted_plays=sum(not each.forced and not each.all_equal for each in plays),
        cube_decisions=len(cube),
        close_cube_decisions=sum(map(is_close, cube)),
        counted_cube_decisions=sum(map(is_counted, cube)),
        errors=errors,
        errors_mwc=errors_mwc,
        marks=marks,
        turns=turns,
        pr_error=sum(errors.values()) * weight,
        error_variance=variance,
        pr_error_variance=variance * weight**2,
    )


def together(given: Sequence[Rates]) -> Rates:
    """Return the rates of all that one player did in several games or matches."""
    return Rates(
        plays=sum(each.plays for each in given),
        unforced_plays=sum(each.unforced_plays for each in given),
        counted_plays=sum(each.counted_plays for each in given),
        cube_decisions=sum(each.cube_decisions for each in given),
        close_cube_decisions=sum(each.close_cube_decisions for each in given),
        counted_cube_decisions=sum(each.counted_cube_decisions for each in given),
        errors={kind: sum(each.errors[kind] for each in given) for kind in ERROR_KINDS},
        errors_mwc={
            kind: sum(each.errors_mwc.get(kind, 0.0) for each in given)
            for kind in ERROR_KINDS
            if any(each.errors_mwc for each in given)
        },
        marks={mark: sum(each.marks[mark] for each in given) for mark in MARKS},
        turns=sum(each.turns for each in given),
        pr_error=sum(each.pr_error for each in given),
        error_variance=sum(each.error_variance for each in given),
        pr_error_variance=sum(each.pr_error_variance for each in given),
    )


def is_close(decision: AnalysedDecision) -> bool:
    """Return whether GNU Backgammon counts a decision about the cube."""
    if decision.recorded.chosen != "no double":
        return True
    return decision.cost_of_doubling < CLOSE


def is_counted(decision: AnalysedDecision) -> bool:
    """Return whether eXtreme Gammon counts a decision about the cube."""
    if decision.recorded.chosen != "no double":
        return True
    return decision.no_double > 0 and decision.cost_of_doubling < COUNTED
