"""Protocol of evaluators, validated calls, and policies; see `bgfast.evaluators`.

Attributes say what an evaluator can do. All are optional:

* ``returns_probabilities``, a bool: True if results are five probabilities. Default: set by the first call.
* ``is_exact``, a bool: True if values are exact and need no search. Default: False.
* ``name``, a str in results and checkpoints. Default: the name of the type or function.
* ``covers(boards)``, ``exact_tables(decision, positions)``, ``race_actions(decision)``: methods for the
  boards that it evaluates and the decisions that it solves. Default: all boards, no decisions.
* ``_only_orders``, a bool: True if values order plays and are not points. Default: False.
* ``_native``, the `NativeEvaluator` that the core calls instead. Default: None; Python is called.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.selection import best_rows
from bgfast.batch.successors import (
    WIN_SCHEMES,
    BoardsLike,
    Successors,
    boards_array,
    results,
    unbatch,
    validate_boards,
)
from bgfast.common.foreign_names import names_missing
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
from bgfast.common.text import clean_line
from bgfast.common.validation import CHECKERS, Boards, generator_switches, number_array, real_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators._evaluators import NativeEvaluator, PipCount, Pubeval, Random, bound_values
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.rules import STANDARD, RuleSet

__all__ = ["NativeEvaluator", "PipCount", "Pubeval", "Random"]  # from the core

Evaluator = Callable[[Boards], npt.ArrayLike]
EvaluatorLike = Evaluator | str | os.PathLike[str]
"""Evaluator, or its name or file, as `bgfast.evaluators` describes."""
Rows = npt.NDArray[np.int64]

MAX_BOARDS = 32_768  # per call; so many boards take about 25 MB as network inputs
FIRST_BOARDS, FIRST_DECISIONS = 256, 8  # in the first call under a time limit, while the speed is unknown

GameRules = tuple[int, int, bool]
"""Win scheme, checkers of a side, and True for plays of `standard`, as in the core's struct of this name."""
STANDARD_GAME: GameRules = (WIN_SCHEMES[STANDARD.win_scheme], CHECKERS, True)
MAX_VALUE = 1e100  # small enough to sum squares over any number of trials


@names_missing
class Chain:
    """Evaluator that calls, for each board, the first of several evaluators that covers it.

    Parameters
    ----------
    *evaluators : evaluator, name or file
        All but the last have a method ``covers(boards)`` that returns a bool array (n,): True for the boards
        that this evaluator covers. All return equities, or all return probabilities.

    See Also
    --------
    WithBearoff : Network with bear-off databases.

    Notes
    -----
    Thread-safe if its evaluators are.

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
    >>> chain(bgfast.Position())
    0.1
    """

    def __init__(self, *evaluators: EvaluatorLike) -> None:
        if not evaluators:
            raise BgfastError("a chain has no evaluators; expected one or more")
        self.evaluators: Sequence[Any] = tuple(
            evaluator_of(evaluator, f"evaluator {index}") for index, evaluator in enumerate(evaluators)
        )
        for index, evaluator in enumerate(self.evaluators[:-1]):
            if not callable(getattr(evaluator, "covers", None)):
                raise BgfastError(
                    f"evaluator {index} of a chain has no method covers; expected one in all but the last"
                )

    def __call__(self, boards: BoardsLike) -> Numbers:
        """Return equities (n,) or probabilities (n, 5) of boards; a number or (5,) for one board."""
        rows = boards_array(boards)
        values: Numbers = unbatch(boards, _bound_values(self, self._values(rows, *STANDARD_GAME), rows))
        return values

    def _values(self, rows: Boards, scheme: int, checkers: int, standard_plays: bool) -> Numbers:
        game = scheme, checkers, standard_plays
        values: Numbers | None = None
        remaining = np.arange(len(rows))
        for index, evaluator in enumerate(self.evaluators, 1):
            covered = np.ones(len(remaining), bool)
            if index < len(self.evaluators) and len(remaining):
                covered = _coverage(evaluator, rows[remaining])
            if not covered.any():
                continue
            covered_values = call_evaluator(evaluator, rows[remaining[covered]], game)
            if values is None:
                values = np.empty((len(rows), *covered_values.shape[1:]))
            if values.shape[1:] != covered_values.shape[1:]:
                raise BgfastError(
                    f"the evaluators of a chain return shapes (n, {short_repr(values.shape[1:])}) and "
                    f"(n, {short_repr(covered_values.shape[1:])}); expected the same shape"
                )
            values[remaining[covered]] = covered_values
            remaining = remaining[~covered]
        return np.empty(0) if values is None else values

    @property
    def _only_orders(self) -> bool:
        return not all(map(returns_points, self.evaluators))

    def __repr__(self) -> str:
        return f"Chain({', '.join(map(repr, self.evaluators))})"


@names_missing
class ForeignEvaluator(ABC):
    """Evaluator of another program, with results bounded by the rules."""

    @abstractmethod
    def _evaluate(self, boards: Boards) -> npt.ArrayLike:
        """Return the program's result for valid boards (n, 26)."""

    def __call__(self, boards: BoardsLike) -> Numbers:
        """Return the probabilities (n, 5) or equities (n,) of boards, (5,) or a number for one board."""
        rows = validate_boards(boards, CHECKERS)
        values = _bound_values(self, call_evaluator(self._evaluate, rows), rows)
        result: Numbers = unbatch(boards, values)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PolicyEvaluator(ABC):
    """Evaluator that chooses plays by its own policy, without evaluating all successors."""

    rules: RuleSet  # rules of the generated plays

    @abstractmethod
    def __call__(self, boards: Boards) -> npt.ArrayLike:
        """Evaluate boards."""

    @abstractmethod
    def _choose_rows(self, plays: Successors, checkers: int) -> Rows:
        """Return the chosen row of each segment, -1 if empty; boards are from the next player's side."""


class RollPolicy(ABC):
    """Policy that chooses a play for a position and a roll, without an evaluation."""

    @abstractmethod
    def choices(self, boards: Boards, dice: Boards, plays: Successors) -> Rows:
        """Return the chosen row of each segment of `plays` (next player's side); no segment is empty."""

    def __call__(self, boards: Boards) -> npt.ArrayLike:
        raise BgfastError(f"{evaluator_name(self)} chooses plays only; expected an evaluator of positions")


class TimedEvaluator:
    """Evaluator whose calls are timed; boards may be finished games.

    `limit` is checked before each call. With a time limit, batches are sized to take about a quarter
    of a second. `rules` bound the results.
    """

    def __init__(self, evaluator: Evaluator, limit: Limit | None = None, rules: RuleSet = STANDARD) -> None:
        self.evaluator = evaluator
        self._rules = rules
        self.seconds = 0.0  # spent in the evaluator
        self._limit = Limit() if limit is None else limit
        self._pace = Pace(FIRST_BOARDS, MAX_BOARDS, clock=self._limit.clock)
        # True if the evaluator returns probabilities; None before the first call unless declared.
        declaration = getattr(evaluator, "returns_probabilities", None)
        self.probabilities: bool | None = declaration if isinstance(declaration, bool) else None

    def equities(self, boards: Boards, result: Boards, checkers: int = CHECKERS) -> Numbers:
        """Return equities for the player on roll; for finished games, `result`."""
        values = self._values(boards, result, checkers)
        return values[:, EQUITY] if values.ndim == 2 else values

    def evaluations(self, boards: Boards, result: Boards, checkers: int = CHECKERS) -> Numbers:
        """Return the five probabilities, NaN if the evaluator has none, and the equity, (n, 6)."""
        values = self._values(boards, result, checkers)
        if values.ndim == 2:
            return values
        if returns_points(self.evaluator):
            bound_values(values, boards, *game_rules(self._rules, checkers))
        return evaluations_of_equities(values)

    def _values(self, boards: Boards, result: Boards, checkers: int) -> Numbers:
        game = game_rules(self._rules, checkers)
        is_over = result != 0
        unfinished_values = self._unfinished_values(boards[~is_over], game)
        evaluations = evaluations_of_points(result[is_over])
        values = np.empty((len(boards), *unfinished_values.shape[1:]))
        values[~is_over] = unfinished_values
        values[is_over] = evaluations if values.ndim == 2 else evaluations[:, EQUITY]
        return values

    def _unfinished_values(self, boards: Boards, game: GameRules) -> Numbers:
        count, values = len(boards), []
        if not count:
            return np.empty((0, EVALUATION) if self.probabilities else 0)
        fixed_batches = (slice(first, first + MAX_BOARDS) for first in range(0, count, MAX_BOARDS))
        for batch in self._pace.portions(count) if self._limit.timed else fixed_batches:
            self._limit.check()
            values.append(self._call(boards[batch], game))
        return values[0] if len(values) == 1 else np.concatenate(values)

    def _call(self, boards: Boards, game: GameRules) -> Numbers:
        started = time.perf_counter()
        values = call_evaluator(self.evaluator, boards, game)
        self.seconds += time.perf_counter() - started
        names = ("equities", "probabilities")
        if self.probabilities is not None and self.probabilities != (values.ndim == 2):
            expected = f"{names[self.probabilities]}, as it has declared or returned before"
            raise _refusal(self.evaluator, boards, names[values.ndim == 2], expected)
        self.probabilities = values.ndim == 2
        return evaluations_of_probabilities(values) if values.ndim == 2 else values


class Policy:
    """Policy that chooses the successor with the lowest equity for the next player."""

    def __init__(
        self,
        evaluator: Evaluator,
        rules: RuleSet,
        checkers: int = CHECKERS,
        seed: int = 0,
        limit: Limit | None = None,
    ) -> None:
        check_rules(evaluator, rules)
        self.timed = TimedEvaluator(under_rules(evaluator, rules), limit, rules)
        self._limit = Limit() if limit is None else limit
        self._pace = Pace(FIRST_DECISIONS, MAX_BOARDS, clock=self._limit.clock)
        self._rules = rules
        self._checkers = checkers
        self._seed = seed

    @property
    def game(self) -> GameRules:
        """Game rules in the form that the core takes."""
        return game_rules(self._rules, self._checkers)

    def rows(
        self,
        boards: Boards,
        plays: Successors,
        trials: Rows | None = None,
        plies: Rows | None = None,
        dice: Boards | None = None,
    ) -> Rows:
        """Return the chosen row of each segment of `plays` (next player's side); no segment is empty.

        With the seed, `trials` and `plies` (0 by default) determine the random numbers of a random policy.
        Only a `RollPolicy` needs the dice.
        """
        if trials is None or plies is None:
            trials = plies = np.zeros(len(boards), np.int64)
        evaluator = self.timed.evaluator
        if dice is not None and isinstance(evaluator, RollPolicy):
            return evaluator.choices(boards, dice, plays)
        if not self._limit.timed:
            return self._rows(boards, plays, trials, plies)
        rows = np.empty(len(boards), np.int64)
        for batch in self._pace.portions(len(boards)):
            self._limit.check()
            begin, batch_plays = segments(plays, batch)
            rows[batch] = begin + self._rows(boards[batch], batch_plays, trials[batch], plies[batch])
        return rows

    def _rows(self, boards: Boards, plays: Successors, trials: Rows, plies: Rows) -> Rows:
        evaluator = self.timed.evaluator
        if (native := native_of(evaluator)) is not None:
            return native._choices(boards, plays.boards, plays.offsets, *self.game, self._seed, trials, plies)
        return self.best(plays)

    def best(self, plays: Successors) -> Rows:
        """Return the row that a Python evaluator chooses in each segment; -1 for an empty segment."""
        evaluator = self.timed.evaluator
        if isinstance(evaluator, PolicyEvaluator):
            started = time.perf_counter()
            rows = evaluator._choose_rows(plays, self._checkers)
            self.timed.seconds += time.perf_counter() - started
            return rows
        result = results(plays.boards, self._rules, self._checkers)
        equities = self.timed.equities(plays.boards, result, self._checkers)
        return best_rows(equities, plays.offsets, best="min")


def segments(plays: Successors, batch: slice) -> tuple[int, Successors]:
    """Return the first row and the successors of a slice of segments."""
    begin, end = plays.offsets[[batch.start, batch.stop]].tolist()
    offsets = plays.offsets[batch.start : batch.stop + 1] - begin
    return begin, Successors(plays.boards[begin:end], offsets, None)


def check_rules(evaluator: Any, rules: RuleSet) -> None:
    """Raise `BgfastError` if an evaluator searches under rules with other plays or points."""
    if not isinstance(evaluator, PolicyEvaluator):
        return
    has_same_points = evaluator.rules.win_scheme == rules.win_scheme
    if not has_same_points or generator_switches(evaluator.rules) != generator_switches(rules):
        raise BgfastError(
            f"the evaluator searches under {evaluator.rules}, games are played under {rules}; "
            "expected the same rules"
        )


def under_rules(evaluator: Any, rules: RuleSet) -> Any:
    """Return the evaluator without the databases that do not apply under these rules."""
    if type(evaluator) is Chain:
        return Chain(*(under_rules(item, rules) for item in evaluator.evaluators))
    is_native = native_of(evaluator) is evaluator is not None
    return evaluator.adapt_to_rules(generator_switches(rules)) if is_native else evaluator


def returns_points(evaluator: Any) -> bool:
    """Return whether an evaluator's values are points; values of `Pubeval` only order plays."""
    return getattr(evaluator, "_only_orders", False) is not True


def native_of(evaluator: Any) -> NativeEvaluator | None:
    """Return the native evaluator that the core calls instead; None if Python is called."""
    native = getattr(evaluator, "_native", None)
    return native if isinstance(native, NativeEvaluator) else None


def evaluator_name(evaluator: Any) -> str:
    """Return a printable name: the evaluator's `name`, or the name of its type or function."""
    if native_of(evaluator) is evaluator:
        return repr(evaluator)
    name = getattr(evaluator, "name", None) or getattr(evaluator, "__qualname__", None)
    return clean_line(name if isinstance(name, str) else type(evaluator).__qualname__)


def game_rules(rules: RuleSet, checkers: int) -> GameRules:
    """Return the core's game rules for a rule set and the checkers of a side."""
    return WIN_SCHEMES[rules.win_scheme], checkers, generator_switches(rules) is None


def call_evaluator(evaluator: Any, boards: Boards, game: GameRules = STANDARD_GAME) -> Numbers:
    """Return the result of an evaluator: equities (n,), or probabilities (n, 5) bounded by the rules.

    Equities are not bounded, since their order ranks plays. Raises `BgfastError` if the result is invalid.
    """
    delegate = evaluator if type(evaluator) is Chain else native_of(evaluator)
    if delegate is not None:
        return delegate._values(boards, *game)
    method: Any = evaluator
    if type(evaluator).__call__ is ForeignEvaluator.__call__:
        method = method._evaluate  # `__call__` would bound the result under `standard`
    values = _validate_values(_call(evaluator, method, boards, "numbers"), boards, evaluator)
    if values.ndim == 2 and not getattr(evaluator, "_has_tables", False):
        bound_values(values, boards, *game)
    return values


def _bound_values(evaluator: Any, values: Numbers, boards: Boards) -> Numbers:
    """Return an evaluator's values; equities in points are first bounded under `standard`, in place."""
    if values.ndim == 1 and returns_points(evaluator):
        bound_values(values, boards, *STANDARD_GAME)
    return values


def _call(evaluator: Any, method: Callable[[Boards], Any], boards: Boards, expected: str) -> Any:
    """Call untrusted evaluator code with a copy of the boards, which the evaluator may keep or change."""
    try:
        return method(boards.copy())
    except StopIteration as error:  # it would end the caller's loop
        raise BgfastError(
            f"{_call_text(evaluator, boards)} raised StopIteration; expected {expected}"
        ) from error


def _coverage(evaluator: Any, boards: Boards) -> npt.NDArray[np.bool_]:
    """Return the checked result of an evaluator's `covers`."""
    result = _call(evaluator, evaluator.covers, boards, "bools")
    expected = f"bools, shape ({len(boards)},)"
    array = _result_array(result, boards, evaluator, expected, "b")
    if array.shape != (len(boards),):
        raise _refusal(evaluator, boards, f"shape {short_repr(array.shape)}", expected)
    return array.copy()


def _result_array(result: Any, boards: Boards, evaluator: Any, expected: str, kinds: str) -> npt.NDArray[Any]:
    try:
        return number_array(result, "values", BgfastError, expected, kinds)
    except BgfastError as error:
        raise BgfastError(f"{_call_text(evaluator, boards)} returned {error}") from error.__cause__


def _validate_values(result: Any, boards: Boards, evaluator: Any) -> Numbers:
    """Return a copy of a result, since its memory may be reused; raise `BgfastError` if it is invalid."""
    count = len(boards)
    array = _result_array(result, boards, evaluator, "numbers", "iufO")
    if array.shape not in ((count,), (count, PROBABILITIES)):
        expected = f"({count},) equities or ({count}, 5) probabilities"
        raise _refusal(evaluator, boards, f"shape {short_repr(array.shape)} for {count} boards", expected)
    if array.dtype == object:
        invalid = [value for value in array.flat if real_number(value) is None]
        if invalid:
            raise _refusal(evaluator, boards, short_repr(invalid[0]), "numbers")
    with np.errstate(over="ignore"):
        values = np.array(array, np.float64, order="C")
    checks = [(np.abs(values) <= MAX_VALUE, f"finite numbers, at most {MAX_VALUE:g} in size")]
    if values.ndim == 2:
        checks.append((are_probabilities(values), "probabilities"))
    for is_valid, expected in checks:
        if not is_valid.all():
            row = int(np.argmin(is_valid.reshape(count, -1).all(axis=1)))
            returned = f"{short_repr(values[row].tolist())} for board {row}"
            raise _refusal(evaluator, boards, returned, expected, row)
    return values


def _refusal(evaluator: Any, boards: Boards, returned: str, expected: str, row: int = 0) -> BgfastError:
    return BgfastError(f"{_call_text(evaluator, boards, row)} returned {returned}; expected {expected}")


def _call_text(evaluator: Any, boards: Boards, row: int = 0) -> str:
    """Return the subject of an error message: the evaluator and a board of the call."""
    position = "the first" if row == 0 else f"number {row}"
    size_text = "" if len(boards) == 1 else f"{len(boards):,} boards, {position} "
    from bgfast.batch.ids import gnubg_ids  # needed only for errors

    return f"evaluator {short_repr(evaluator)}, called with {size_text}{gnubg_ids(boards[row : row + 1])[0]},"


class EqualBySettings:
    """Base class of evaluators that are equal if their class and settings are.

    In the list of bases it must come before a compiled class, whose `__eq__` would otherwise be used.
    """

    __slots__ = ()

    @abstractmethod
    def _settings(self) -> tuple[Any, ...]:
        """Return the settings as a hashable value."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EqualBySettings):
            return NotImplemented
        return type(self) is type(other) and self._settings() == other._settings()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._settings())
