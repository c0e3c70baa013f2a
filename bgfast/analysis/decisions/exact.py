"""Decisions that exact tables or a race recursion of an evaluator cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.evaluation.cube.actions import CubeActions
from bgfast.evaluation.cube.conditions import EXACT, FORMULA
from bgfast.evaluation.cube.match_equity import MatchEquityTable
from bgfast.evaluation.cube.stakes import checked_table
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet


class ExactTables(Protocol):
    """Tables with exact cubeful values; those that belong to one match equity table have it as attribute."""

    def cube_actions(
        self, boards: Boards, decision: Decision, *, met: MatchEquityTable | None, mwc: bool = False
    ) -> CubeActions:
        """Return the exact cube actions of a decision in positions."""
        ...


def exact_tables(
    evaluator: Evaluator,
    decision: Decision,
    positions: Sequence[Position],
    met: MatchEquityTable | None,
    rules: RuleSet = STANDARD,
) -> ExactTables | None:
    """Return the tables of an evaluator if they cover all positions with the cube of a decision, else None.

    An evaluator with tables has a method ``exact_tables(decision, positions)``. `positions` are unfinished
    positions of one game; that of the decision is ignored. Tables with an attribute `match_equity_table` are
    exact in matches with that table only.
    Tables are for the plays and points of `STANDARD` and cover nothing under other rules.
    """
    tables = _tables(evaluator, decision, positions, rules)
    own = getattr(tables, "match_equity_table", None)
    return None if decision.match_length and own is not None and own is not met else tables


def race_actions(
    evaluator: Any, decision: Decision, met: MatchEquityTable, rules: RuleSet
) -> CubeActions | None:
    """Return the cube actions of a race by recursion; None for an evaluator or a decision without."""
    if not hasattr(evaluator, "race_actions") or not _is_standard(rules):
        return None
    mwc = decision.match_length > 0
    return cast("CubeActions | None", evaluator.race_actions(decision, met=met, mwc=mwc))


def table_for(
    evaluator: Evaluator, decision: Decision, met: MatchEquityTable | None, rules: RuleSet = STANDARD
) -> MatchEquityTable:
    """Return the match equity table for a decision: `met`, validated.

    The default is the table of the evaluator's exact tables if they cover the decision and have one, else
    the built-in table.
    """
    own = None if met is not None else _tables(evaluator, decision, [decision.position], rules)
    return checked_table(getattr(own, "match_equity_table", met))


def conditions_for(
    evaluator: Evaluator,
    decision: Decision,
    positions: Sequence[Position],
    met: MatchEquityTable | None,
    rules: RuleSet = STANDARD,
) -> tuple[MatchEquityTable, str]:
    """Return the match equity table of a decision, and the method: exact tables or the formula."""
    table = table_for(evaluator, decision, met, rules)
    is_exact = exact_tables(evaluator, decision, positions, table, rules) is not None
    return table, EXACT if is_exact else FORMULA


def _tables(
    evaluator: Any, decision: Decision, positions: Sequence[Position], rules: RuleSet
) -> ExactTables | None:
    if not positions or not hasattr(evaluator, "exact_tables") or not _is_standard(rules):
        return None
    return cast("ExactTables | None", evaluator.exact_tables(decision, positions))


def _is_standard(rules: RuleSet) -> bool:
    """Return whether plays and points are those of `STANDARD`."""
    return generated_switches(rules) is None and rules.win_scheme == STANDARD.win_scheme
