"""Exact tables and race recursions of evaluators, with validated results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bgfast.common.probabilities import SLACK
from bgfast.common.validation import Boards, generator_switches, number_array
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.actions import CubeActions, proper_actions
from bgfast.evaluation.evaluators.evaluators import MAX_VALUE, Evaluator
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import stakes_of, validate_table
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet


class ExactTables:
    """Exact tables of an evaluator; their methods are untrusted code."""

    def __init__(self, evaluator: Any, tables: Any) -> None:
        if not callable(getattr(tables, "cube_actions", None)):
            expected = "None, or tables with a method cube_actions"
            raise _refusal(evaluator, "exact_tables", short_repr(tables), expected)
        self.match_equity_table: MatchEquityTable | None = getattr(tables, "match_equity_table", None)
        if self.match_equity_table is not None:
            validate_table(self.match_equity_table)
        self._evaluator = evaluator
        self._tables = tables

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactTables) and self._tables is other._tables

    def __hash__(self) -> int:
        return id(self._tables)

    def cube_actions(
        self, boards: Boards, decision: Decision, *, met: MatchEquityTable | None, mwc: bool = False
    ) -> CubeActions:
        """Return the exact cube actions of a decision for each board, in arrays of shape (n,)."""
        result = _call(self._evaluator, self._tables.cube_actions, boards.copy(), decision, met=met, mwc=mwc)
        return _validate_actions(self._evaluator, "cube_actions", result, len(boards), decision, met, mwc)


def _validate_actions(
    evaluator: Any,
    method: str,
    result: Any,
    count: int,
    decision: Decision,
    met: MatchEquityTable | None,
    mwc: bool,
) -> CubeActions:
    """Return the cube actions of `count` boards; raise `BgfastError` if they are invalid.

    `no_double` is finite; the values of doubles are finite or all NaN.
    """
    if not isinstance(result, CubeActions):
        raise _refusal(evaluator, method, short_repr(result), "CubeActions")
    values = [
        number_array(getattr(result, name), f"{name} of {method}", BgfastError, "real numbers")
        for name in ("no_double", "double_take", "double_drop", "double_beaver")
    ]
    shapes = {value.shape for value in values}
    if shapes != {(count,)}:
        raise _refusal(evaluator, method, f"shapes {short_repr(shapes)}", f"arrays of shape ({count},)")
    lowest, highest = (-SLACK, 1 + SLACK) if mwc else (-MAX_VALUE, MAX_VALUE)
    array = np.array(values, np.float64)
    is_in_range, is_absent = (lowest <= array) & (array <= highest), np.isnan(array)
    is_valid_double = is_in_range[1] & is_in_range[2] & (is_in_range[3] | is_absent[3])
    is_valid = is_in_range[0] & (is_absent[1:].all(axis=0) | is_valid_double)
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        expected = (
            "the finite values of no double, take, drop and beaver, NaN where the rules forbid an action"
        )
        raise _refusal(evaluator, method, f"{array[:, row].tolist()} for board {row}", expected)
    owner = stakes_of(decision, met).owner
    return proper_actions(*array, redouble=owner == 1, normalized=not mwc)


def _refusal(evaluator: Any, method: str, returned: str, expected: str) -> BgfastError:
    return BgfastError(
        f"{method} of evaluator {short_repr(evaluator)} returned {returned}; expected {expected}"
    )


def _call(evaluator: Any, method: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return method(*arguments, **options)
    except StopIteration as error:  # it would end the caller's loop
        message = f"evaluator {short_repr(evaluator)} raised StopIteration; expected exact values"
        raise BgfastError(message) from error


def exact_tables(
    evaluator: Evaluator,
    decision: Decision,
    positions: Sequence[Position],
    met: MatchEquityTable | None,
    rules: RuleSet = STANDARD,
) -> ExactTables | None:
    """Return the tables of an evaluator if they cover all positions with the cube of a decision, else None.

    `positions` are unfinished positions of one game; the decision's own position is ignored. Tables with an
    attribute `match_equity_table` are exact in matches with that table only. Tables are for the plays and
    points of `STANDARD` and cover nothing under other rules.
    """
    tables = _tables(evaluator, decision, positions, rules)
    table = None if tables is None else tables.match_equity_table
    return None if decision.match_length and table is not None and table is not met else tables


def race_actions(
    evaluator: Any, decision: Decision, met: MatchEquityTable, rules: RuleSet
) -> CubeActions | None:
    """Return the cube actions of a race by recursion; None if the evaluator has no recursion for the race."""
    if not hasattr(evaluator, "race_actions") or not is_standard(rules):
        return None
    mwc = decision.match_length > 0
    result = _call(evaluator, evaluator.race_actions, decision, met=met, mwc=mwc)
    if result is None:
        return None
    return _validate_actions(evaluator, "race_actions", result, 1, decision, met, mwc)


def table_for(
    evaluator: Evaluator, decision: Decision, met: MatchEquityTable | None, rules: RuleSet = STANDARD
) -> MatchEquityTable:
    """Return the match equity table for a decision: `met`, validated.

    The default is the table of the evaluator's exact tables if they cover the decision and have one, else
    the built-in table.
    """
    tables = None if met is not None else _tables(evaluator, decision, [decision.position], rules)
    return validate_table(met if tables is None else tables.match_equity_table)


def _tables(
    evaluator: Any, decision: Decision, positions: Sequence[Position], rules: RuleSet
) -> ExactTables | None:
    if not positions or not hasattr(evaluator, "exact_tables") or not is_standard(rules):
        return None
    tables = _call(evaluator, evaluator.exact_tables, decision, positions)
    return None if tables is None else ExactTables(evaluator, tables)


def is_standard(rules: RuleSet) -> bool:
    """Return whether rules have the plays and points of `STANDARD`."""
    return generator_switches(rules) is None and rules.win_scheme == STANDARD.win_scheme
