"""What follows a double and no double: the values of each branch, at sight or looking ahead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bgfast.analysis.bearoff.bearoff import Bearoff
from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.actions import cube_values
from bgfast.analysis.cube.cubeful import cubeful_values
from bgfast.analysis.cube.efficiency import Efficiencies
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.rows import Rows
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.decisions.players import boards_of, no_probabilities
from bgfast.analysis.evaluators.lookahead import Evaluation, Lookahead
from bgfast.analysis.evaluators.with_bearoff import WithBearoff
from bgfast.common.probabilities import equities_of
from bgfast.common.threads import each
from bgfast.common.vocabulary import CHECKERS
from bgfast.games.scoring import GREATEST_CUBE
from bgfast.position.decision import Decision

__all__ = ["Branches", "Values", "branches"]


_TURNS = {None: 1, "double": 1, "beaver": 2, "raccoon": 3}
"""How often the cube has been turned when its last turn is answered, by what is on offer."""


class Values(NamedTuple):
    """What who turns the cube has after each thing that may be done: chances to win the match, or points.

    That is the mover, but of a beaver on offer the opponent: `no_double` is then not to beaver,
    `double_beaver` a raccoon. NaN for what the rules forbid.
    """

    no_double: float
    double_take: float
    double_pass: float
    double_beaver: float


class Branches(NamedTuple):
    """The branches of a decision, and the cubeless evaluation before it."""

    stakes: HeldStakes
    values: Values
    probabilities: tuple[float, ...]
    cubeless_equity: float


def branches(
    player: Lookahead,
    decisions: Sequence[Decision],
    met: MatchEquityTable,
    efficiency: str,
    threads: int,
) -> list[Branches]:
    """Return the branches of decisions whose game is not over, in their order.

    At 0 plies the formula makes all values of the five probabilities, which come from one batch. Looking
    ahead each branch is a search of its own, with the cube as it is there: its value is the mean of the
    cubeful values of the positions that it ends at, and in turns to come who is on roll doubles where that
    brings more. Where an evaluator has bear-off databases that know the position with its cube, values are
    exact at any ply.

    Raises
    ------
    BgfastError
        If the evaluator tells equities alone.
    """
    look = _Look(player, met, efficiency)
    if player.ply == 0 and all(decision.position.checkers == CHECKERS for decision in decisions):
        found = look.at_sight(decisions)
    else:
        found = list(each(look.ahead, decisions, threads))
    return look.exact_where_known(decisions, found)


class _Look(NamedTuple):
    player: Lookahead
    met: MatchEquityTable
    efficiency: str

    def at_sight(self, decisions: Sequence[Decision]) -> list[Branches]:
        positions = [decision.position for decision in decisions]
        different = list(dict.fromkeys(positions))  # a map of scores has one position
        boards = boards_of(different)
        found = self.player(boards)
        if found.ndim == 1:
            raise no_probabilities(self.player)
        equities = equities_of(found).tolist()
        places = {position: row for row, position in enumerate(different)}
        result = []
        for decision in decisions:
            row = places[decision.position]
            stakes = stakes_of(decision, self.met)
            x = Efficiencies.of_model(self.efficiency, boards[row : row + 1])
            given = found[row : row + 1]
            values = Values(*(float(value[0]) for value in cube_values(stakes, given, x)))
            if _TURNS[decision.offer] > 1:

                def turned(now: HeldStakes, times: int, x: Efficiencies = x, given: Rows = given) -> float:
                    return float(cubeful_values(now, given, x.at(now, given))[0])

                values = _after_turns(decision, stakes, turned)
            probabilities = tuple(found[row].tolist())
            result.append(Branches(stakes, values, probabilities, equities[row]))
        return result

    def ahead(self, decision: Decision) -> Branches:
        root = replace(decision, offer=None)
        stakes = stakes_of(root, self.met)
        waiting = self._evaluation(root)
        if waiting.probabilities is None:
            raise no_probabilities(self.player)
        values = Values(stakes.denormalized(waiting.equity), np.nan, np.nan, np.nan)
        if _TURNS[decision.offer] > 1:

            def turned(now: HeldStakes, times: int) -> float:
                return float(now.denormalized(self._owned(root, times).equity))

            values = _after_turns(decision, stakes, turned)
        elif stakes.may_double:
            once = stakes.doubled()
            taken = once.denormalized(self._owned(root, 2).equity)
            beavered = np.nan
            if stakes.may_beaver:  # the doubler may give a beaver up
                beavered = max(once.doubled().denormalized(self._owned(root, 4).equity), once.of_points(-1))
            values = Values(values.no_double, taken, stakes.double_pass, beavered)
        return Branches(stakes, values, waiting.probabilities, waiting.cubeless_equity)

    def exact_where_known(self, decisions: Sequence[Decision], found: list[Branches]) -> list[Branches]:
        """Return branches, with the values of bear-off databases in the place of others."""
        evaluator = self.player.evaluator
        positions = [decision.position for decision in decisions]
        if not isinstance(evaluator, WithBearoff) or any(each.checkers != CHECKERS for each in positions):
            return found
        known = evaluator.bearoff.covers_exactly(positions)
        return [
            branch._replace(values=self._exact(evaluator.bearoff, decision, branch)) if exact else branch
            for decision, branch, exact in zip(decisions, found, known.tolist(), strict=True)
        ]

    def _exact(self, bearoff: Bearoff, decision: Decision, branch: Branches) -> Values:
        stakes = branch.stakes
        if stakes.may_beaver_below_limit:
            return branch.values  # the databases know of no beavers below a greatest cube
        board = decision.position.to_array()[None]
        actions = bearoff.cube_actions(board, decision, met=self.met, mwc=stakes.is_match)
        if _TURNS[decision.offer] > 1:
            taken = float(actions.double_take[0])
            return _after_turns(decision, stakes, lambda now, times: times / 2 * taken)
        values = actions.no_double, actions.double_take, actions.double_pass, actions.double_beaver
        return Values(*(float(value[0]) for value in values))

    def _owned(self, root: Decision, times: int) -> Evaluation:
        """Return the evaluation with so many times the cube, which the opponent owns."""
        cube = times * root.cube
        limit = root.max_cube if cube <= root.max_cube else GREATEST_CUBE  # 1024 stands for none
        return self._evaluation(replace(root, cube=cube, cube_owner=-1, max_cube=limit))

    def _evaluation(self, decision: Decision) -> Evaluation:
        return self.player.evaluation(decision, met=self.met, efficiency=self.efficiency)


def _after_turns(
    decision: Decision, stakes: HeldStakes, turned: Callable[[HeldStakes, int], float]
) -> Values:
    """Return the values of a beaver or a raccoon that is on offer, for who has turned the cube so.

    Parameters
    ----------
    decision : Decision
    stakes : HeldStakes
        Those before the double.
    turned : callable
        Returns the mover's value with the cube that the opponent owns, turned so that it shows so many times
        what it did; its arguments are the stakes then, and how many times.
    """
    number = _TURNS[decision.offer]
    shown = [stakes]
    while len(shown) <= number + 1 and (shown[-1].single_games is None or len(shown[-1].single_games) > 1):
        shown.append(shown[-1].doubled())
    # The mover doubles and raccoons, the opponent beavers; who passes loses the cube before the last turn.
    sign = 1 if number % 2 else -1
    before, now = (turned(shown[times], 2**times) for times in (number - 1, number))
    passed = sign * shown[number - 1].of_points(sign)
    raccooned = np.nan
    if decision.offer == "beaver" and len(shown) > number + 1:  # which the beaverer may give up
        raccooned = -min(turned(shown[number + 1], 2 ** (number + 1)), shown[number].of_points(1))
    return Values(sign * before, sign * now, passed, raccooned)
