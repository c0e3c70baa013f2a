"""Searches that evaluate decisions, and branch values of cube decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bgfast.common.probabilities import equities_of
from bgfast.common.threads import parallel_map
from bgfast.common.validation import CHECKERS, Boards, whole_number
from bgfast.errors import BgfastError, InvalidDiceError, short_repr
from bgfast.evaluation._cubeful import CubeStakes
from bgfast.evaluation.actions import CubeActions
from bgfast.evaluation.cubeful import EXACT, FORMULA, RACE_RECURSION, cube_values, cubeful_values
from bgfast.evaluation.efficiency import Efficiencies, Rows
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, evaluator_name
from bgfast.evaluation.evaluators.exact_tables import exact_tables, race_actions, table_for
from bgfast.evaluation.evaluators.lookahead import THRESHOLDS, Lookahead
from bgfast.evaluation.evaluators.names import EVALUATORS, evaluator_of
from bgfast.evaluation.evaluators.ranked_plays import Evaluation
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import stakes_of
from bgfast.games.scoring import MAX_CUBE_VALUE
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike


def roll_argument(dice: Any) -> Any:
    """Return `dice`; raise `InvalidDiceError` if an evaluator was passed instead."""
    if callable(dice) or (isinstance(dice, str) and dice in EVALUATORS):
        raise InvalidDiceError(
            f"dice are {short_repr(dice)}; expected a roll as (3, 1) or '31', or evaluator=..."
        )
    return dice


def as_search(
    evaluator: EvaluatorLike | None,
    ply: int | None,
    default_ply: int,
    rules: RuleSetLike = STANDARD,
    thresholds: Sequence[float] = THRESHOLDS,
    candidates: Sequence[int] | None = None,
) -> Lookahead:
    """Return a `Lookahead` unchanged, or any other evaluator wrapped in one.

    `evaluator` is as for `evaluator_of`. The default depth is `default_ply`, but 0 for an evaluator whose
    `is_exact` is true. `thresholds` and `candidates` are the search filter by ply; a search of n plies uses
    the first n thresholds. Raises `BgfastError` for a `Lookahead` with `ply`, and for an invalid
    argument.
    """
    evaluator = evaluator_of(evaluator)
    if isinstance(evaluator, Lookahead):
        if ply is not None:
            raise BgfastError(
                f"ply is {ply!r}; expected none with a Lookahead, which searches {evaluator.ply} plies"
            )
        return evaluator
    if ply is None:
        ply = 0 if getattr(evaluator, "is_exact", False) else default_ply
    depth: Any = ply
    # An invalid depth keeps all thresholds here; `Lookahead` then rejects the depth.
    return Lookahead(
        evaluator, ply=depth, candidates=candidates, threshold=thresholds[: whole_number(depth)], rules=rules
    )


def no_probabilities(search: Lookahead) -> BgfastError:
    """Return the error for an evaluator without probabilities."""
    name = evaluator_name(search.evaluator)
    return BgfastError(f"{name} returns only equities; expected five probabilities for the cube")


def boards_of(positions: Sequence[Position]) -> Boards:
    """Return the boards of positions, shape (n, 26)."""
    return np.stack([position.to_array() for position in positions])


# ---- branches: no double, double/take, double/drop, double/beaver ----


_CUBE_TURNS = {None: 1, "double": 1, "beaver": 2, "raccoon": 3}
"""Number of cube turns if the offer (for None, a double) is accepted."""


class Values(NamedTuple):
    """Branch values for the player who turns the cube: match winning chances, or points in money play.

    That player is the mover, or the opponent if a beaver is on offer: then `no_double` is the value without
    the beaver, and `double_beaver` the value of a raccoon. Branches that the rules forbid have the value NaN.
    """

    no_double: float
    double_take: float
    double_drop: float
    double_beaver: float


class Branches(NamedTuple):
    """Branch values of a decision, and its cubeless evaluation."""

    met: MatchEquityTable
    stakes: CubeStakes
    values: Values
    probabilities: tuple[float, ...]
    cubeless_equity: float
    method: str = FORMULA  # one of `METHODS`


def evaluate_branches(
    search: Lookahead,
    decisions: Sequence[Decision],
    met: MatchEquityTable | None,
    efficiency: str,
    threads: int,
    races: bool,
) -> list[Branches]:
    """Evaluate the branches of decisions in unfinished games, in the order of `decisions`.

    At 0 plies the formula computes all values from the five probabilities. A
    deeper search evaluates each branch separately with its own cube. Exact tables of the evaluator that
    cover a position with its cube replace formula and search; with `races`, other bear-offs use a race
    recursion. Without `met`, `table_for` chooses each decision's table. Raises `BgfastError` if the evaluator
    returns only equities.
    """
    evaluator = _BranchEvaluator(search, met, efficiency)
    if search.ply == 0 and all(decision.position.checkers == CHECKERS for decision in decisions):
        results = evaluator.evaluate_static(decisions)
    else:
        results = list(parallel_map(evaluator.evaluate_search, decisions, threads))
    return [
        evaluator.replace_values(decision, result, races)
        for decision, result in zip(decisions, results, strict=True)
    ]


class _BranchEvaluator(NamedTuple):
    search: Lookahead
    met: MatchEquityTable | None
    efficiency: str

    def _table(self, decision: Decision) -> MatchEquityTable:
        return table_for(self.search.evaluator, decision, self.met, self.search.rules)

    def evaluate_static(self, decisions: Sequence[Decision]) -> list[Branches]:
        positions = [decision.position for decision in decisions]
        distinct_positions = list(dict.fromkeys(positions))  # a score map repeats one position
        boards = boards_of(distinct_positions)
        probabilities = self.search(boards)
        if probabilities.ndim == 1:
            raise no_probabilities(self.search)
        equities = equities_of(probabilities).tolist()
        indices = {position: index for index, position in enumerate(distinct_positions)}
        results = []
        for decision in decisions:
            index = indices[decision.position]
            met = self._table(decision)
            stakes = stakes_of(decision, met)
            x = Efficiencies.of_model(self.efficiency, boards[index : index + 1])
            row = probabilities[index : index + 1]
            values = Values(*(float(value[0]) for value in cube_values(stakes, row, x)))
            if _CUBE_TURNS[decision.offer] > 1:

                def value_of(stakes: CubeStakes, factor: int, x: Efficiencies = x, row: Rows = row) -> float:
                    return float(cubeful_values(stakes, row, x)[0])

                values = _after_turns(decision, stakes, value_of)
            mover_probabilities = tuple(probabilities[index].tolist())
            results.append(Branches(met, stakes, values, mover_probabilities, equities[index]))
        return results

    def evaluate_search(self, decision: Decision) -> Branches:
        root = replace(decision, offer=None)
        met = self._table(decision)
        stakes = stakes_of(root, met)
        no_double = self._evaluation(root, met)
        if no_double.probabilities is None:
            raise no_probabilities(self.search)
        values = Values(stakes.denormalize(no_double.equity), np.nan, np.nan, np.nan)
        if _CUBE_TURNS[decision.offer] > 1:

            def value_of(stakes: CubeStakes, factor: int) -> float:
                return float(stakes.denormalize(self._after_doubling(root, met, factor).equity))

            values = _after_turns(decision, stakes, value_of)
        elif stakes.may_double:
            doubled_stakes = stakes.after_double()
            double_take = doubled_stakes.denormalize(self._after_doubling(root, met, 2).equity)
            if stakes.may_double_freely:  # doubling costs nothing, even if the two searches differ
                values = values._replace(no_double=min(values.no_double, double_take))
            double_beaver = np.nan
            if stakes.may_beaver:  # the doubler may drop a beaver
                beaver = doubled_stakes.after_double().denormalize(self._after_doubling(root, met, 4).equity)
                double_beaver = max(beaver, doubled_stakes.of_points(-1))
            values = Values(values.no_double, double_take, stakes.double_drop, double_beaver)
        return Branches(met, stakes, values, no_double.probabilities, no_double.cubeless_equity)

    def replace_values(self, decision: Decision, result: Branches, races: bool) -> Branches:
        """Replace the values of branches that exact tables or a race recursion cover."""
        evaluator, rules, met = self.search.evaluator, self.search.rules, result.met
        tables = exact_tables(evaluator, decision, [decision.position], met, rules)
        if tables is not None:
            board = decision.position.to_array()[None]
            actions = tables.cube_actions(board, decision, met=met, mwc=result.stakes.is_match)
            return _with_actions(decision, result, actions, EXACT)
        race = race_actions(evaluator, decision, met, rules) if races else None
        return result if race is None else _with_actions(decision, result, race, RACE_RECURSION)

    def _after_doubling(self, root: Decision, met: MatchEquityTable, factor: int) -> Evaluation:
        """Evaluate the position with the cube multiplied by `factor` and owned by the opponent."""
        cube = factor * root.cube
        limit = root.max_cube if cube <= root.max_cube else MAX_CUBE_VALUE  # this value means no limit
        return self._evaluation(replace(root, cube=cube, cube_owner=-1, max_cube=limit), met)

    def _evaluation(self, decision: Decision, met: MatchEquityTable) -> Evaluation:
        return self.search.evaluation(decision, met=met, efficiency=self.efficiency)


def _with_actions(decision: Decision, result: Branches, actions: CubeActions, method: str) -> Branches:
    """Return branches with the values of `actions`, whose arrays have shape (1,)."""
    if _CUBE_TURNS[decision.offer] > 1:
        double_take = float(actions.double_take[0])
        values = _after_turns(decision, result.stakes, lambda _, factor: factor / 2 * double_take)
    else:
        branch_values = actions.no_double, actions.double_take, actions.double_drop, actions.double_beaver
        values = Values(*(float(value[0]) for value in branch_values))
    return result._replace(values=values, method=method)


def _after_turns(
    decision: Decision, stakes: CubeStakes, value_of: Callable[[CubeStakes, int], float]
) -> Values:
    """Return the values of an offered beaver or raccoon, for the player who made the offer.

    `stakes` apply before the double. `value_of` takes the stakes after some cube turns and the factor
    by which the turns multiplied the cube; it returns the mover's value if the opponent owns that cube.
    """
    turns = _CUBE_TURNS[decision.offer]
    levels = [stakes]
    while len(levels) <= turns + 1 and (levels[-1].single_games is None or len(levels[-1].single_games) > 1):
        levels.append(levels[-1].after_double())
    # The mover doubles and raccoons, the opponent beavers; a drop loses the cube value before the last turn.
    sign = 1 if turns % 2 else -1
    no_turn, take = (value_of(levels[count], 2**count) for count in (turns - 1, turns))
    drop = sign * levels[turns - 1].of_points(sign)
    raccoon = np.nan
    if decision.offer == "beaver" and len(levels) > turns + 1:  # the beaverer may drop the raccoon
        raccoon = -min(value_of(levels[turns + 1], 2 ** (turns + 1)), levels[turns].of_points(1))
    return Values(sign * no_turn, sign * take, drop, raccoon)
