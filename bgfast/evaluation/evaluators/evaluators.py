"""Evaluators, described in `bgfast.evaluators`, and calls of evaluators by rollouts."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.position_ids import gnubg_ids
from bgfast.batch.selection import best_rows
from bgfast.batch.successors import WIN_SCHEMES, Successors, results
from bgfast.common.clean_text import clean_line
from bgfast.common.pace import Limit, Pace
from bgfast.common.probabilities import (
    EQUITY,
    EVALUATION,
    PROBABILITIES,
    Numbers,
    are_probabilities,
    evaluations_of_equities,
    evaluations_of_points,
    evaluations_of_probabilities,
)
from bgfast.common.validation import board_rows, generated_switches, number_array, real_number
from bgfast.common.vocabulary import CHECKERS, Boards
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators._evaluators import NativeEvaluator, PipCount, Pubeval, Random
from bgfast.rules import RuleSet

__all__ = [
    "Chain",
    "Evaluator",
    "NativeEvaluator",
    "PipCount",
    "Player",
    "Policy",
    "Pubeval",
    "Random",
    "RollPlayer",
    "TimedEvaluator",
    "answer",
    "check_rules",
    "evaluator_name",
    "segments",
    "tells_points",
    "under_rules",
]

Evaluator = Callable[[Boards], npt.ArrayLike]
Rows = npt.NDArray[np.int64]

AT_ONCE = 32_768
"""Boards of one call: their inputs for a network take some 25 MB."""

FIRST_BOARDS = 256
"""Boards of the first call under a time limit, while the speed is unknown."""

FIRST_DECISIONS = 8

MAX_VALUE = 1e100  # its square can be summed over any number of trials


class Chain:
    """The first evaluator that applies to a board.

    Parameters
    ----------
    *evaluators : evaluator
        Each but the last has a method ``covers(boards)`` that returns for which of the boards it can be
        asked, a bool array (n,). All return equities, or all return probabilities.

    Notes
    -----
    Safe to call from several threads if its evaluators are.

    Examples
    --------
    >>> import numpy as np
    >>> import bgfast
    >>> class Even:
    ...     def covers(self, boards):
    ...         pips = bgfast.pip_counts(boards)
    ...         return pips[:, 0] == pips[:, 1]
    ...     def __call__(self, boards):
    ...         return np.full(len(boards), 0.1)
    >>> chain = bgfast.evaluators.Chain(Even(), bgfast.evaluators.PipCount())
    >>> chain(np.array([bgfast.Position.start().to_array()]))
    array([0.1])
    """

    def __init__(self, *evaluators: Evaluator) -> None:
        if not evaluators:
            raise BgfastError("a chain of no evaluators; expected one or more")
        for at, evaluator in enumerate(evaluators):
            if not callable(evaluator):
                raise BgfastError(f"evaluator {at} is {shown(evaluator)}; expected a callable")
            if at < len(evaluators) - 1 and not callable(getattr(evaluator, "covers", None)):
                raise BgfastError(
                    f"evaluator {at} of a chain has no method covers; expected one in all but the last"
                )
        self.evaluators: Sequence[Any] = evaluators

    def __call__(self, boards: Boards) -> Numbers:
        """Return equities (n,) or probabilities (n, 5) of boards."""
        answers: Numbers | None = None
        rows = board_rows(boards)
        left = np.arange(len(rows))
        for at, evaluator in enumerate(self.evaluators):
            if not len(left):
                break
            last = at == len(self.evaluators) - 1
            covered = np.ones(len(left), bool) if last else _covered(evaluator, rows[left])
            if not covered.any():
                continue
            found = answer(evaluator, rows[left[covered]])
            if answers is None:
                answers = np.empty((len(rows), *found.shape[1:]))
            if answers.shape[1:] != found.shape[1:]:
                raise BgfastError(
                    f"the evaluators of a chain return shapes (n, {shown(answers.shape[1:])}) and "
                    f"(n, {shown(found.shape[1:])}); expected one and the same"
                )
            answers[left[covered]] = found
            left = left[~covered]
        return np.empty(0) if answers is None else answers

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"Chain({', '.join(map(repr, self.evaluators))})"


class Player(ABC):
    """Evaluator with a policy of its own, which does not evaluate all successors.

    Attributes
    ----------
    rules : RuleSet
        Those of the games that it chooses plays in.
    """

    rules: RuleSet

    @abstractmethod
    def __call__(self, boards: Boards) -> npt.ArrayLike:
        """Evaluate boards."""

    @abstractmethod
    def chosen(self, found: Successors, checkers: int) -> Rows:
        """Return the row chosen in each segment, whose boards are the next player's; -1 for an empty one."""


class RollPlayer(ABC):
    """A player that chooses a play from the position and its roll, and evaluates nothing."""

    @abstractmethod
    def choices(self, boards: Boards, dice: Boards, found: Successors) -> Rows:
        """Return the row chosen in each segment, none of which is empty.

        Parameters
        ----------
        boards : ndarray of int8, shape (n, 26)
            The positions before the plays.
        dice : ndarray of int8, shape (n, 2)
        found : Successors
            Their successors, the next player on roll.
        """

    def __call__(self, boards: Boards) -> npt.ArrayLike:
        """Raise `BgfastError`."""
        raise BgfastError(f"{evaluator_name(self)} chooses plays only; expected an evaluator of positions")


class TimedEvaluator:
    """Calls of an evaluator for boards that may be finished, with a clock.

    Parameters
    ----------
    evaluator : evaluator
    limit : Limit, optional
        Looked at before each call. If the time is limited, there are as many boards in a call as take about a
        quarter of a second.

    Attributes
    ----------
    seconds : float
        How long the evaluator has taken so far.
    """

    def __init__(self, evaluator: Evaluator, limit: Limit | None = None) -> None:
        self.evaluator = evaluator
        self.seconds = 0.0
        self._limit = Limit() if limit is None else limit
        self._pace = Pace(FIRST_BOARDS, AT_ONCE, clock=self._limit.clock)
        # True if it returns them; None before the first call of an evaluator that does not declare it.
        declared = getattr(evaluator, "returns_probabilities", None)
        self.probabilities: bool | None = declared if isinstance(declared, bool) else None

    def equities(self, boards: Boards, result: Boards) -> Numbers:
        """Return equities of boards for the player on roll; results of finished games are exact."""
        found = self._asked(boards, result)
        return found[:, EQUITY] if found.ndim == 2 else found

    def evaluations(self, boards: Boards, result: Boards) -> Numbers:
        """Return the five probabilities, NaN if the evaluator has none, and the equity, (n, 6)."""
        found = self._asked(boards, result)
        return found if found.ndim == 2 else evaluations_of_equities(found)

    def _asked(self, boards: Boards, result: Boards) -> Numbers:
        finished = result != 0
        if not finished.any():
            return self._unfinished(boards)
        found = self._unfinished(boards[~finished])
        known = evaluations_of_points(result[finished])
        answers = np.empty((len(boards), *found.shape[1:]))
        answers[~finished] = found
        answers[finished] = known if found.ndim == 2 else known[:, EQUITY]
        return answers

    def _unfinished(self, boards: Boards) -> Numbers:
        if not len(boards):
            return np.empty((0, EVALUATION) if self.probabilities else 0)
        parts = [self._call(boards[part]) for part in self._portions(len(boards))]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _portions(self, number: int) -> Iterator[slice]:
        fixed = (slice(at, min(at + AT_ONCE, number)) for at in range(0, number, AT_ONCE))
        for part in self._pace.portions(number) if self._limit.timed else fixed:
            self._limit.check()
            yield part

    def _call(self, boards: Boards) -> Numbers:
        began = time.perf_counter()
        found = answer(self.evaluator, boards)
        self.seconds += time.perf_counter() - began
        self.probabilities = found.ndim == 2
        return evaluations_of_probabilities(found) if found.ndim == 2 else found


class Policy:
    """Policy that chooses the successor with the lowest equity for the next player.

    With a `limit` it is asked as a `TimedEvaluator` is.

    Attributes
    ----------
    timed : TimedEvaluator
    """

    def __init__(
        self,
        evaluator: Evaluator,
        rules: RuleSet,
        checkers: int = CHECKERS,
        seed: int = 0,
        limit: Limit | None = None,
    ) -> None:
        check_rules(evaluator, rules)
        self.timed = TimedEvaluator(under_rules(evaluator, rules), limit)
        self._limit = Limit() if limit is None else limit
        self._pace = Pace(FIRST_DECISIONS, AT_ONCE, clock=self._limit.clock)
        self._rules = rules
        self._checkers = checkers
        self._seed = seed

    def rows(
        self, boards: Boards, found: Successors, trials: Rows, plies: Rows, dice: Boards | None = None
    ) -> Rows:
        """Return the row chosen in each segment, none of which is empty.

        Parameters
        ----------
        boards : ndarray of int8, shape (n, 26)
            The positions before the plays.
        found : Successors
            Theirs, the next player on roll.
        trials, plies : ndarray of int64, shape (n,)
            What decides for a player that draws lots, beside the seed.
        dice : ndarray of int8, shape (n, 2), optional
            The rolls, which only a `RollPlayer` needs.
        """
        evaluator = self.timed.evaluator
        if dice is not None and isinstance(evaluator, RollPlayer):
            return evaluator.choices(boards, dice, found)
        if not self._limit.timed:
            return self._rows(boards, found, trials, plies)
        rows = np.empty(len(boards), np.int64)
        for part in self._pace.portions(len(boards)):
            self._limit.check()
            begin, some = segments(found, part)
            rows[part] = begin + self._rows(boards[part], some, trials[part], plies[part])
        return rows

    def _rows(self, boards: Boards, found: Successors, trials: Rows, plies: Rows) -> Rows:
        evaluator = self.timed.evaluator
        if isinstance(evaluator, NativeEvaluator):
            scheme = WIN_SCHEMES[self._rules.win_scheme]
            return evaluator.choices(
                boards, found.boards, found.offsets, scheme, self._checkers, self._seed, trials, plies
            )
        return self.best(found)

    def best(self, found: Successors) -> Rows:
        """Return the chosen rows for an evaluator outside the core; -1 for an empty segment."""
        evaluator = self.timed.evaluator
        if isinstance(evaluator, Player):
            began = time.perf_counter()
            rows = evaluator.chosen(found, self._checkers)
            self.timed.seconds += time.perf_counter() - began
            return rows
        result = results(found.boards, self._rules, self._checkers)
        return best_rows(self.timed.equities(found.boards, result), found.offsets, best="min")


def segments(found: Successors, part: slice) -> tuple[int, Successors]:
    """Return some segments and their first row in `found`."""
    begin, end = found.offsets[[part.start, part.stop]].tolist()
    return begin, Successors(found.boards[begin:end], found.offsets[part.start : part.stop + 1] - begin, None)


def check_rules(evaluator: Any, rules: RuleSet) -> None:
    """Raise `BgfastError` if an evaluator searches by rules with other plays or points than these."""
    if not isinstance(evaluator, Player):
        return
    own = evaluator.rules
    if (own.win_scheme, generated_switches(own)) != (rules.win_scheme, generated_switches(rules)):
        raise BgfastError(f"an evaluator searches by {own}, in games of {rules}; expected the same rules")


def under_rules(evaluator: Any, rules: RuleSet) -> Any:
    """Return the evaluator for these rules, without parts that are wrong under them."""
    if type(evaluator) is Chain:
        return Chain(*(under_rules(each, rules) for each in evaluator.evaluators))
    return evaluator.under(generated_switches(rules)) if isinstance(evaluator, NativeEvaluator) else evaluator


def tells_points(evaluator: Any) -> bool:
    """Return whether values are points; those of `Pubeval` at 0 plies only order plays.

    Examples
    --------
    >>> tells_points(PipCount()), tells_points(Pubeval())
    (True, False)
    """
    if isinstance(evaluator, Player):
        return tells_points(getattr(evaluator, "evaluator", None))
    if isinstance(evaluator, Chain):
        return all(map(tells_points, evaluator.evaluators))
    return not isinstance(evaluator, Pubeval)


def evaluator_name(evaluator: Any) -> str:
    """Return the name of an evaluator: its `name` if it has one, else that of its type or function.

    A line that can be printed.
    """
    if isinstance(evaluator, NativeEvaluator):
        return repr(evaluator)
    name = getattr(evaluator, "name", None) or getattr(evaluator, "__qualname__", None)
    return clean_line(name if isinstance(name, str) else type(evaluator).__qualname__)


def answer(evaluator: Evaluator, boards: Boards) -> Numbers:
    """Return the result of an evaluator for boards, (n,) or (n, 5).

    Evaluators are untrusted code. They get a copy of the boards, which they may keep or change, and their
    results are copied before use, since the memory may be reused.

    Raises
    ------
    BgfastError
        If it returns anything but finite equities or probabilities, or raises StopIteration, which would end
        the caller's loop. Other exceptions are passed on.
    """
    own = boards.copy()
    try:
        found = evaluator(own)
    except StopIteration as error:
        raise BgfastError(f"{_asked(evaluator, boards)} raised StopIteration; expected numbers") from error
    return _checked_values(found, boards, evaluator)


def _covered(evaluator: Any, boards: Boards) -> npt.NDArray[np.bool_]:
    """Return which boards an evaluator applies to, (n,)."""
    try:
        found = evaluator.covers(boards.copy())
    except StopIteration as error:
        raise BgfastError(f"{_asked(evaluator, boards)} raised StopIteration; expected bools") from error
    expected = f"bools, shape ({len(boards)},)"
    array = _read(found, boards, evaluator, expected, "b")
    if array.shape != (len(boards),):
        raise BgfastError(
            f"{_asked(evaluator, boards)} returned shape {shown(array.shape)}; expected {expected}"
        )
    return array.copy()


def _read(found: Any, boards: Boards, evaluator: Any, expected: str, kinds: str) -> npt.NDArray[Any]:
    try:
        return number_array(found, "values", BgfastError, expected, kinds)
    except BgfastError as error:
        raise BgfastError(f"{_asked(evaluator, boards)} returned {error}") from error.__cause__


def _checked_values(found: Any, boards: Boards, evaluator: Any) -> Numbers:
    number = len(boards)
    array = _read(found, boards, evaluator, "numbers", "iufO")
    if array.shape not in ((number,), (number, PROBABILITIES)):
        raise BgfastError(
            f"{_asked(evaluator, boards)} returned shape {shown(array.shape)} for {number} boards; expected "
            f"({number},) equities or ({number}, 5) probabilities"
        )
    if array.dtype == object:
        wrong = [value for value in array.flat if real_number(value) is None]
        if wrong:
            raise BgfastError(f"{_asked(evaluator, boards)} returned {shown(wrong[0])}; expected numbers")
    with np.errstate(over="ignore"):
        values = np.array(array, np.float64)
    bounded = np.abs(values) <= MAX_VALUE
    if not bounded.all():
        row = int(np.argmin(bounded.reshape(number, -1).all(axis=1)))
        raise BgfastError(
            f"{_asked(evaluator, boards, row)} returned {shown(values[row].tolist())} for board {row}; "
            f"expected finite numbers, at most {MAX_VALUE:g} in size"
        )
    if values.ndim == 2 and not (sound := are_probabilities(values)).all():
        row = int(np.argmin(sound.all(axis=1)))
        raise BgfastError(
            f"{_asked(evaluator, boards, row)} returned {shown(values[row].tolist())} for board {row}; "
            "expected probabilities"
        )
    return values


def _asked(evaluator: Any, boards: Boards, row: int = 0) -> str:
    """Return the evaluator and its boards for a message; of several boards the first."""
    which = "the first" if row == 0 else f"number {row}"
    others = "" if len(boards) == 1 else f"{len(boards):,} boards, {which} "
    return f"evaluator {shown(evaluator)}, asked about {others}{gnubg_ids(boards[row : row + 1])[0]},"
