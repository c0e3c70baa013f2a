"""Untrusted evaluators, which overwrite, store or reuse arrays or return invalid results."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Decision, Position, rollout
from bgfast.cube import CubeActions
from bgfast.evaluation.evaluators import evaluators as evaluators_module
from bgfast.evaluation.evaluators.evaluators import TimedEvaluator
from bgfast.evaluators import Chain, Lookahead, PipCount
from bgfast.learning.contest import contest
from bgfast.learning.error_per_play import error_per_play
from bgfast.rollouts import RolloutResult

START = Position.start()
RACE = Position.from_array([0, 2, 2, 2] + [0] * 18 + [-2, -2, -2, 0])
BOARDS = bgfast.random_positions(400, 3, phase="contact")
BOARDS = BOARDS[np.abs(BOARDS).sum(axis=1) == 30][:100]  # all results are possible
PIP_COUNT = PipCount()


def evaluate_pip_counts(boards: np.ndarray) -> np.ndarray:
    return PIP_COUNT(boards)


def overwrite_boards(boards: np.ndarray) -> np.ndarray:
    """Return equities and overwrite the boards, as a feature encoder may."""
    equities = PIP_COUNT(boards)
    boards[:, [0, 25]] = 0
    boards[::2] = -3
    return equities


class StoringEvaluator:
    """Evaluator that stores its arguments and copies of their bytes."""

    def __init__(self) -> None:
        self.arguments: list[tuple[np.ndarray, bytes]] = []

    def covers(self, boards: np.ndarray) -> np.ndarray:
        self.arguments.append((boards, boards.tobytes()))
        return boards[:, 25] == 0

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        self.arguments.append((boards, boards.tobytes()))
        return PIP_COUNT(boards)


class ReusingEvaluator:
    """Evaluator that reuses one result array."""

    def __init__(self, columns: int = 0) -> None:
        self._buffer = np.zeros((100_000, columns) if columns else 100_000)

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        equities = PIP_COUNT(boards)
        results = self._buffer[: len(boards)]
        if results.ndim == 2:
            results[:, 0] = (1 + equities) / 2
        else:
            results[:] = equities
        return results


def make_chain(evaluator: Callable[[np.ndarray], Any]) -> Chain:
    """Return a chain whose first link evaluates boards on which the mover has no checker on the bar."""

    class Link:
        def covers(self, boards: np.ndarray) -> np.ndarray:
            covered: np.ndarray = boards[:, 25] == 0
            if evaluator is overwrite_boards:
                boards[:] = 1
            return covered

        def __call__(self, boards: np.ndarray) -> Any:
            return evaluator(boards)

    return Chain(Link(), evaluator)


USES: dict[str, Callable[[Any], Any]] = {
    "rollout": lambda e: rollout(START, evaluator=e, trials=36, truncate=3).estimates,
    "luck": lambda e: rollout(START, evaluator=e, trials=36, truncate=2, variance_reduction=True).estimates,
    "rules": lambda e: rollout(RACE, evaluator=e, trials=36, rules="exact").estimates,
    "contest": lambda e: contest(e, PIP_COUNT, games=4, seed=1),
    "lookahead": lambda e: [(play.play, play.equity) for play in Lookahead(e).best_plays(START, (3, 1))],
    "equities": lambda e: Lookahead(e, ply=1)(BOARDS[:3].copy()).tolist(),
    "errors": lambda e: error_per_play(e).overall.millipoints,
    "chain": lambda e: make_chain(e)(BOARDS.copy()).tolist(),
    "chain rollout": lambda e: rollout(START, evaluator=make_chain(e), trials=36, truncate=3).estimates,
}


@pytest.mark.parametrize("use", USES)
def test_overwritten_boards_do_not_change_results(use: str) -> None:
    assert USES[use](overwrite_boards) == USES[use](evaluate_pip_counts)


def test_boards_of_the_caller_are_unchanged() -> None:
    boards = BOARDS.copy()
    Chain(overwrite_boards)(boards)
    Lookahead(overwrite_boards, ply=0)(boards)
    TimedEvaluator(overwrite_boards).evaluations(boards, np.zeros(len(boards), np.int8))
    assert np.array_equal(boards, BOARDS)


@pytest.mark.parametrize("use", ["luck", "contest", "equities", "chain rollout"])
def test_stored_boards_are_not_reused(use: str) -> None:
    evaluator = StoringEvaluator()
    USES[use](Chain(evaluator, evaluate_pip_counts))
    assert evaluator.arguments
    assert all(boards.tobytes() == copy for boards, copy in evaluator.arguments)


@pytest.mark.parametrize("columns", [0, 5])
def test_reused_result_arrays_do_not_change_results(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluators_module, "MAX_BOARDS", 32)
    game_results = np.zeros(len(BOARDS), np.int8)
    equities = TimedEvaluator(ReusingEvaluator(columns)).equities(BOARDS, game_results)
    assert equities == pytest.approx(PIP_COUNT(BOARDS))
    # A later call must not change earlier results.
    timed_evaluator = TimedEvaluator(ReusingEvaluator(columns))
    first_results = timed_evaluator.evaluations(BOARDS[:50], game_results[:50])
    expected = first_results.copy()
    timed_evaluator.evaluations(BOARDS[50:], game_results[50:])
    assert np.array_equal(first_results, expected, equal_nan=True)


class UnreadableArray:
    """Object that fails to convert to an array."""

    def __array__(self, *args: Any, **options: Any) -> np.ndarray:
        raise RuntimeError("call detach() first")


@pytest.mark.parametrize(
    ("make_result", "message"),
    [
        (lambda n: np.zeros(n, complex), "values of dtype complex128; expected numbers"),
        (
            lambda n: np.ma.masked_array(np.zeros(n), np.arange(n) == 1),
            "values with masked numbers; expected",
        ),
        (lambda n: ["0.5"] * n, "values of dtype <U3; expected numbers"),
        (lambda n: [b"1"] * n, "values of dtype |S1; expected numbers"),
        (lambda n: np.zeros(n, "m8[s]"), "values of dtype timedelta64[s]; expected numbers"),
        (lambda n: [True] * n, "values of dtype bool; expected numbers"),
        (lambda n: np.zeros(n, "f4,f4"), "expected numbers"),
        (lambda n: [10**400] * n, "a whole number of 1329 bits>; expected numbers"),
        (lambda n: 10**400, "shape ()"),
        (lambda n: np.full(n, "1e4000", np.longdouble), "inf for board 0; expected finite numbers"),
        (lambda n: np.full(n, -1e101), "-1e+101 for board 0; expected finite numbers, at most 1e+100"),
        (lambda n: [Fraction(1, 3)] * (n - 1) + ["0"], "'0'; expected numbers"),
        (lambda n: [None] * n, "None; expected numbers"),
        (lambda n: [[0.0], [0.0, 0.0]] * n, "values of list cannot be read"),
        (lambda n: iter([0.0] * n), "shape ()"),
        (lambda n: UnreadableArray(), "values of UnreadableArray cannot be read: call detach() first"),
        (lambda n: np.broadcast_to(np.zeros(1), 10**15), "shape (1000000000000000,)"),
    ],
)
def test_invalid_results_are_refused(make_result: Callable[[int], Any], message: str) -> None:
    def evaluator(boards: np.ndarray) -> Any:
        boards[:] = 99
        return make_result(len(boards))

    subject = f"evaluator {evaluators_module.short_repr(evaluator)}, called with"
    first_id = bgfast.gnubg_ids(BOARDS[:1])[0]
    with pytest.raises(BgfastError, match=re.escape(message)) as caught:
        TimedEvaluator(evaluator).equities(BOARDS, np.zeros(len(BOARDS), np.int8))
    assert str(caught.value).startswith(f"{subject} 100 boards, the first {first_id}, returned ")
    with pytest.raises(BgfastError, match=re.escape(message)):
        rollout(START, evaluator=evaluator, cubeless=True)
    with pytest.raises(BgfastError, match=re.escape(message)):
        Chain(evaluator)(BOARDS)


def test_largest_equities_are_accepted() -> None:
    result = rollout(START, evaluator=lambda boards: 1e100 * (-1.0) ** boards[:, 6], trials=36, truncate=2)
    assert 0 < result.equity_se < 1e100
    assert RolloutResult.from_json(result.to_json()) == result


def test_errors_name_the_board() -> None:
    def evaluator(boards: np.ndarray) -> np.ndarray:
        return np.where(np.arange(len(boards)) == 7, np.nan, 0.0)

    with pytest.raises(BgfastError) as caught:
        TimedEvaluator(evaluator).evaluations(BOARDS, np.zeros(len(BOARDS), np.int8))
    phrase = f"100 boards, number 7 {bgfast.gnubg_ids(BOARDS)[7]}, returned "
    assert phrase in str(caught.value)
    with pytest.raises(BgfastError, match=rf"called with {bgfast.gnubg_ids(BOARDS)[7]}, returned"):
        TimedEvaluator(lambda boards: [np.inf]).evaluations(BOARDS[7:8], np.zeros(1, np.int8))


def test_results_may_have_any_numeric_type() -> None:
    for dtype in (np.float16, np.float32, np.longdouble, np.int8, np.uint64):
        assert Chain(lambda boards: np.ones(len(boards), dtype))(BOARDS).dtype == np.float64  # noqa: B023
    assert Chain(lambda boards: [Fraction(1, 2)] * len(boards))(BOARDS).tolist() == [0.5] * 100
    unmasked = np.ma.masked_array(np.ones(100), False)
    assert Chain(lambda boards: unmasked)(BOARDS).tolist() == [1.0] * 100


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_iteration_raised_by_an_evaluator_is_an_error(threads: int) -> None:
    results = iter([np.zeros(3)])

    def evaluator(boards: np.ndarray) -> Any:
        next(results)
        return next(results)

    with pytest.raises(BgfastError, match=r"evaluator .*, called with .* raised StopIteration") as caught:
        rollout(START, evaluator=evaluator, trials=2000, threads=threads)
    assert isinstance(caught.value.__cause__, StopIteration)


@pytest.mark.parametrize(
    ("make_mask", "message"),
    [
        (lambda n: np.zeros(n), "values of dtype float64; expected bools, shape (100,)"),
        (lambda n: ["no"] * n, "values of dtype <U2; expected bools"),
        (lambda n: np.ones(n + 1, bool), "shape (101,); expected bools, shape (100,)"),
        (lambda n: True, "shape (); expected bools, shape (100,)"),
        (lambda n: np.ma.masked_array(np.ones(n, bool), np.arange(n) == 1), "values with masked numbers"),
        (lambda n: next(iter([])), "raised StopIteration; expected bools"),
    ],
)
def test_invalid_results_of_covers_are_refused(make_mask: Callable[[int], Any], message: str) -> None:
    class Link:
        def covers(self, boards: np.ndarray) -> Any:
            boards[:] = 99  # the error names the caller's board
            return make_mask(len(boards))

        def __call__(self, boards: np.ndarray) -> np.ndarray:
            return np.zeros(len(boards))

    with pytest.raises(BgfastError, match=re.escape(message)):
        Chain(Link(), evaluate_pip_counts)(BOARDS)


class InconsistentEvaluator:
    """Evaluator whose results are not of the declared type, or change type after the first call."""

    def __init__(self, returns_probabilities: bool | None) -> None:
        self.returns_probabilities = returns_probabilities
        self.calls = 0

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        self.calls += 1
        declared = self.returns_probabilities
        returns_equities = self.calls == 1 if declared is None else declared
        return np.zeros(len(boards)) if returns_equities else np.zeros((len(boards), 5))


@pytest.mark.parametrize("declared", [True, False, None])
def test_results_of_an_undeclared_type_are_refused(declared: bool | None) -> None:
    actual, expected = ("equities", "probabilities") if declared else ("probabilities", "equities")
    for call in (
        lambda evaluator: Lookahead(evaluator, ply=1).best_plays(Decision(position=START, dice=(3, 1))),
        lambda evaluator: Lookahead(evaluator, ply=1).equities(BOARDS),
        lambda evaluator: rollout(START, evaluator=evaluator, truncate=3, cubeless=True),
    ):
        with pytest.raises(BgfastError, match=f" returned {actual}; expected {expected}, as it has declared"):
            call(InconsistentEvaluator(declared))


def test_repeated_links_evaluate_the_remaining_boards() -> None:
    class HalfLink:
        def covers(self, boards: np.ndarray) -> np.ndarray:
            return np.arange(len(boards)) % 2 == 0

        def __call__(self, boards: np.ndarray) -> np.ndarray:
            return np.full(len(boards), len(boards) / 100)

    link = HalfLink()
    assert set(Chain(link, link, link)(BOARDS)) == {0.5, 0.25}


def actions_of(n: int, **replacements: Any) -> CubeActions:
    """Return valid cube actions of n boards with some fields replaced."""
    fields = dict.fromkeys(("no_double", "double_take", "double_beaver"), np.zeros(n))
    return CubeActions(
        **{**fields, "double_drop": np.ones(n), "redouble": False, "normalized": True, **replacements}
    )


@pytest.mark.parametrize(
    ("make_result", "message"),
    [
        (lambda n: actions_of(n, no_double=np.full(n, np.nan)), "[nan, 0.0, 1.0, 0.0] for board 0"),
        (lambda n: actions_of(n, double_take=np.full(n, np.nan)), "[0.0, nan, 1.0, 0.0] for board 0"),
        (lambda n: actions_of(n, double_drop=np.full(n, np.inf)), "[0.0, 0.0, inf, 0.0] for board 0"),
        (lambda n: actions_of(n, double_beaver=np.full(n, 1e200)), "1e+200] for board 0"),
        (lambda n: actions_of(n + 1), "; expected arrays of shape ("),
        (lambda n: actions_of(n, no_double=0.5), "; expected arrays of shape ("),
        (lambda n: actions_of(n, no_double=["a"] * n), "no_double of cube_actions of dtype <U1"),
        (lambda n: np.zeros((4, n)), "expected CubeActions"),
        (lambda n: next(iter([])), "raised StopIteration; expected exact values"),
    ],
)
def test_invalid_cube_actions_are_refused(make_result: Callable[[int], Any], message: str) -> None:
    class Tables(TablesEvaluator):
        def cube_actions(self, boards: np.ndarray, decision: Decision, **options: Any) -> Any:
            boards[:] = 99
            return make_result(len(boards))

    evaluator: Any = Tables()
    for analyse in (bgfast.cube_decision, Lookahead(evaluator, ply=0).best_plays):
        decision = Decision(position=START, dice=None if analyse is bgfast.cube_decision else (3, 1))
        arguments = (decision, evaluator) if decision.dice is None else (decision,)
        with pytest.raises(BgfastError, match=re.escape(message)):
            analyse(*arguments)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (0.5, "exact_tables of evaluator <tests"),
        (object(), "expected None, or tables with a method cube_actions"),
        (
            type("Tables", (), {"cube_actions": print, "match_equity_table": "own"})(),
            "met is 'own'; expected a",
        ),
    ],
)
def test_invalid_exact_tables_are_refused(tables: Any, message: str) -> None:
    evaluator: Any = TablesEvaluator(tables)
    with pytest.raises(BgfastError, match=re.escape(message)):
        bgfast.cube_decision(Decision(position=START), evaluator)
    with pytest.raises(BgfastError, match=re.escape(message)):
        rollout(START, evaluator=evaluator, trials=36, truncate=1)


class TablesEvaluator:
    """Evaluator that returns exact tables, by default itself."""

    def __init__(self, tables: Any = None) -> None:
        self._tables = self if tables is None else tables

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return np.tile([0.5, 0, 0, 0, 0], (len(boards), 1))

    def exact_tables(self, decision: Decision, positions: list[Position]) -> Any:
        return self._tables
