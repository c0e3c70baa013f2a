"""Error rates of a player; definitions: docs/MATCH_ANALYSIS.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.counting import is_counted

Mark = Literal["doubtful", "bad", "very bad"]
MARKS: Mapping[Mark, float] = MappingProxyType({"very bad": 0.12, "bad": 0.06, "doubtful": 0.03})
"""Minimum error of every mark (EMG), largest first: the thresholds of GNU Backgammon."""

RATING_WORDS: Mapping[str, float] = MappingProxyType(
    {
        "World Champion": 2.5,
        "World Class": 5.0,
        "Expert": 7.5,
        "Advanced": 12.5,
        "Intermediate": 17.5,
        "Casual Player": 22.5,
    }
)
"""Upper limits of PR by the words of eXtreme Gammon's scale, not included."""
LAST_RATING_WORD = "Beginner"

ErrorKind = Literal["play", "missed double", "wrong double", "wrong take", "wrong drop", "resignation"]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
_KIND_BY_CHOICE: Mapping[str, ErrorKind] = MappingProxyType(
    {
        "no double": "missed double",
        "double": "wrong double",
        "take": "wrong take",
        "beaver": "wrong take",
        "drop": "wrong drop",
        "resign": "resignation",
        "accept": "resignation",
        "refuse": "resignation",
    }
)

CLOSE_CUBE_MARGIN = 0.16
"""Not doubling is a close decision if a double would cost less than this (EMG), as in GNU Backgammon."""
ONE_POINT_WEIGHT = 1.5
"""Weight of errors for PR in a match to one point, as in eXtreme Gammon."""


def error_mark(error: float) -> Mark | None:
    """Return the mark of an error, or None."""
    return next((mark for mark, minimum in MARKS.items() if error >= minimum), None)


def rating_word(pr: float) -> str:
    """Return the word of eXtreme Gammon's scale for a PR, from "World Champion" to "Beginner"."""
    return next((word for word, limit in RATING_WORDS.items() if pr < limit), LAST_RATING_WORD)


def error_kind(decision: AnalysedDecision) -> ErrorKind:
    """Return the kind of error that a wrong choice in this decision would be."""
    return "play" if decision.recorded.kind == "play" else _KIND_BY_CHOICE[decision.recorded.chosen]


@dataclass(frozen=True)
class Rates:
    """Errors and error rates of a player, in points at the value of the cube (EMG) unless noted."""

    plays: int  # turns with a legal play
    unforced_plays: int  # turns with more than one legal play
    counted_plays: int  # plays that count for PR
    cube_decisions: int  # turns in which a double was legal, and answers to doubles
    close_cube_decisions: int  # doubles, answers, and turns in which a double would have cost less than 0.16
    counted_cube_decisions: int  # doubles, answers, and turns without a double that count for PR
    resignations: int  # offers and answers
    errors: Mapping[ErrorKind, float]  # sums by kind in `ERROR_KINDS`, those of resignations included
    errors_mwc: Mapping[ErrorKind, float]  # the same in match winning chance; empty in money play
    marks: Mapping[Mark, int]  # numbers of decisions; resignations only if counted
    turns: int  # rolls of both players, forced plays and passes included
    pr_error: float  # of the decisions that count for PR, 1.5 times in a match to one point
    error_variance: float = 0.0  # squared standard error of `error`; 0 without rollouts
    pr_error_variance: float = 0.0  # squared standard error of `pr_error`
    counts_resignations: bool = False  # True: `error` and the rates include them, in the denominators, too

    @property
    def error(self) -> float:
        """Sum of the errors; without resignations unless they are counted."""
        total = sum(self.errors.values())
        return total if self.counts_resignations else total - self.errors["resignation"]

    @property
    def _counted_resignations(self) -> int:
        return self.resignations if self.counts_resignations else 0

    @property
    def pr_decisions(self) -> int:
        """Number of decisions that count for PR."""
        return self.counted_plays + self.counted_cube_decisions + self._counted_resignations

    @property
    def _gnubg_decisions(self) -> int:
        return self.unforced_plays + self.close_cube_decisions + self._counted_resignations

    @property
    def _snowie_turns(self) -> int:
        return self.turns + self._counted_resignations

    @property
    def error_se(self) -> float:
        """Standard error of `error`; only decisions that were rolled out contribute."""
        return math.sqrt(self.error_variance)

    @property
    def pr_se(self) -> float | None:
        """Standard error of `pr`."""
        return _ratio(500 * math.sqrt(self.pr_error_variance), self.pr_decisions)

    @property
    def gnubg_error_rate_se(self) -> float | None:
        """Standard error of `gnubg_error_rate`."""
        return _ratio(1000 * self.error_se, self._gnubg_decisions)

    @property
    def snowie_error_rate_se(self) -> float | None:
        """Standard error of `snowie_error_rate`."""
        return _ratio(1000 * self.error_se, self._snowie_turns)

    @property
    def pr(self) -> float | None:
        """Performance rating of eXtreme Gammon: 500 times the mean error of the decisions that count.

        In a match to one point errors count 1.5 times. None if no decision counts.
        """
        return _ratio(500 * self.pr_error, self.pr_decisions)

    @property
    def gnubg_error_rate(self) -> float | None:
        """Error rate of GNU Backgammon: 1,000 times the error per unforced play and close cube decision."""
        return _ratio(1000 * self.error, self._gnubg_decisions)

    @property
    def snowie_error_rate(self) -> float | None:
        """Error rate of Snowie: 1,000 times the error per turn of both players."""
        return _ratio(1000 * self.error, self._snowie_turns)


def _ratio(total: float, count: int) -> float | None:
    return total / count if count else None


def pr_of(errors: Sequence[float], *, one_point: bool = False) -> float | None:
    """Return the PR from the errors of the decisions that count; None without decisions."""
    weight = ONE_POINT_WEIGHT if one_point else 1
    return _ratio(500 * weight * sum(errors), len(errors))


def compute_rates(
    decisions: Iterable[AnalysedDecision],
    turns: int,
    *,
    one_point: bool = False,
    count_resignations: bool = False,
) -> Rates:
    """Return the rates of one player; `turns` are the rolls of both, forced plays and passes included."""
    decisions = list(decisions)
    plays = [decision for decision in decisions if decision.recorded.kind == "play"]
    cube_decisions = [decision for decision in decisions if decision.recorded.kind in ("double", "take")]
    errors: dict[ErrorKind, float] = dict.fromkeys(ERROR_KINDS, 0.0)
    in_match = any(decision.error_mwc is not None for decision in decisions)
    errors_mwc: dict[ErrorKind, float] = dict.fromkeys(ERROR_KINDS, 0.0) if in_match else {}
    counted = [item for item in decisions if count_resignations or item.recorded.kind != "resignation"]
    for decision in decisions:
        kind = error_kind(decision)
        errors[kind] += decision.error
        if decision.error_mwc is not None:
            errors_mwc[kind] += decision.error_mwc
    counts = Counter(error_mark(decision.error) for decision in counted)
    weight = ONE_POINT_WEIGHT if one_point else 1
    pr_decisions = [item for item in counted if item.recorded.kind == "resignation" or is_counted(item)]
    return Rates(
        plays=len(plays),
        unforced_plays=sum(not play.forced for play in plays),
        counted_plays=sum(map(is_counted, plays)),
        cube_decisions=len(cube_decisions),
        close_cube_decisions=sum(map(is_close, cube_decisions)),
        counted_cube_decisions=sum(map(is_counted, cube_decisions)),
        resignations=sum(decision.recorded.kind == "resignation" for decision in decisions),
        errors=errors,
        errors_mwc=errors_mwc,
        marks={mark: counts[mark] for mark in MARKS},
        turns=turns,
        pr_error=sum(decision.error for decision in pr_decisions) * weight,
        error_variance=sum(decision.error_se**2 for decision in counted),
        pr_error_variance=sum(decision.error_se**2 for decision in pr_decisions) * weight**2,
        counts_resignations=count_resignations,
    )


_SUMS = (
    "plays unforced_plays counted_plays cube_decisions close_cube_decisions counted_cube_decisions "
    "resignations turns pr_error error_variance pr_error_variance"
).split()


def combined_rates(parts: Sequence[Rates]) -> Rates:
    """Return the rates of one player over several games or matches."""
    sums: dict[str, Any] = {name: sum(getattr(part, name) for part in parts) for name in _SUMS}
    return Rates(
        **sums,
        errors={kind: sum(part.errors[kind] for part in parts) for kind in ERROR_KINDS},
        errors_mwc={
            kind: sum(part.errors_mwc.get(kind, 0.0) for part in parts)
            for kind in ERROR_KINDS
            if any(part.errors_mwc for part in parts)
        },
        marks={mark: sum(part.marks[mark] for part in parts) for mark in MARKS},
        counts_resignations=any(part.counts_resignations for part in parts),
    )


def is_close(decision: AnalysedDecision) -> bool:
    """Return whether GNU Backgammon's error rate counts a cube decision."""
    return decision.recorded.chosen != "no double" or decision.cost_of_doubling < CLOSE_CUBE_MARGIN
