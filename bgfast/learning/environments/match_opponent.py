"""Cube actions and resignations of the opponent in the match environments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import pip_counts
from bgfast.common.vocabulary import BOARD_SIZE, Boards
from bgfast.evaluation.cube._stakes import CubeStakes
from bgfast.evaluation.cube.actions import CubeActions, cube_values, proper_actions
from bgfast.evaluation.cube.cubeful import cubeful_values
from bgfast.evaluation.cube.efficiency import Efficiencies
from bgfast.evaluation.cube.rows import Rows
from bgfast.evaluation.cube.stakes import stakes_of
from bgfast.evaluation.evaluators.evaluators import Evaluator, call_evaluator
from bgfast.games.scoring import MAX_CUBE_VALUE
from bgfast.learning.environments._match_games import CUBE, PHASE, RESIGNATION, random_names
from bgfast.learning.environments.ground import Observation, OpponentPolicy
from bgfast.learning.environments.match_ground import (
    DOUBLED,
    MATCH_ACTIONS,
    RESIGNED,
    TO_ROLL,
    from_mover,
    is_mover,
    match_decision,
)
from bgfast.learning.strength.opponents import RESIGNATION_TOLERANCE
from bgfast.learning.strength.simple_player import accepts_resignation, is_pip_double, is_pip_take
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

ROLL, DOUBLE, TAKE, DROP, BEAVER = range(5)
ACCEPT, REFUSE = (MATCH_ACTIONS.index(name) for name in ("accept_resignation", "refuse_resignation"))

Int8 = npt.NDArray[np.int8]
Names = npt.NDArray[np.int64]


class MatchOpponent(OpponentPolicy):
    """Policy of the opponent in a match: plays, cube actions, and answers to resignations.

    Random play doubles one time in fifty, takes three doubles of four (and beavers one of ten, where that is
    legal) and accepts every other resignation. An evaluator that returns probabilities decides by the
    cubeful equities of `bgfast.cube`, one that returns equities by the pip count. Neither resigns, and
    nobody raccoons.
    """

    def __init__(self, evaluator: Evaluator, rules: RuleSet, length: int, checkers: int) -> None:
        super().__init__(evaluator, rules, checkers)
        self._length = length
        # Maximum exponent of a cube that a beaver may turn twice.
        limit = (rules.cube_limit or MAX_CUBE_VALUE).bit_length() - 1
        self._max_beavered = limit - 2 if rules.beavers and not length else -1

    def names(self, observations: Observation, choices: np.random.Generator) -> Names:
        """Return an index into `MATCH_ACTIONS` for each observation before a decision other than a play."""
        names = np.empty(len(observations), np.int64)
        if self.policy is None:
            random_names(self._max_beavered, observations, choices.random(len(observations)), names)
            return names
        mover = from_mover(observations)
        boards = np.ascontiguousarray(mover[:, :BOARD_SIZE])
        answers = call_evaluator(self.policy.timed.evaluator, boards)
        if answers.ndim == 1:
            return self._by_pips(boards, observations)
        contexts, groups = np.unique(mover[:, CUBE:], axis=0, return_inverse=True)
        for group in range(len(contexts)):
            rows = np.flatnonzero(groups == group)
            names[rows] = self._by_equities(boards[rows], answers[rows], mover[rows[0]])
        return names

    def _by_pips(self, boards: Boards, observations: Observation) -> Names:
        own, opponent = pip_counts(boards).T.astype(np.int64)
        takes = is_pip_take(own, opponent)
        # The player on turn answers a beaver, as the opponent would answer a double.
        by_mover = is_mover(observations)
        takes[by_mover] = is_pip_take(opponent, own)[by_mover]
        accepts = np.zeros(len(observations), bool)
        for row in np.flatnonzero(observations[:, PHASE] == RESIGNED):
            level = int(observations[row, RESIGNATION])
            position = Position.from_array(boards[row], self.checkers)
            accepts[row] = accepts_resignation(position, level, self.rules)
        return _names(observations[:, PHASE], is_pip_double(own, opponent), takes, accepts)

    def _by_equities(self, boards: Boards, rows: Rows, context: Observation) -> Names:
        """Return the actions for boards of the player on turn with the same cube, score and phase."""
        phase = np.full(len(boards), context[PHASE])
        stakes = stakes_of(match_decision(context, self._length, self.rules, self.checkers))
        efficiency = Efficiencies.of_model("bgfast", boards)
        no = np.zeros(len(boards), bool)
        if context[PHASE] == TO_ROLL:
            return _names(phase, _proper(stakes, rows, efficiency).doubles, no, no)
        if context[PHASE] == RESIGNED:
            playing_on = cubeful_values(stakes, rows, efficiency.at(stakes, rows), normalized=True)
            offered = stakes.normalized(stakes.of_points(-int(context[RESIGNATION])))
            return _names(phase, no, no, offered <= playing_on + RESIGNATION_TOLERANCE)
        if context[PHASE] == DOUBLED:
            answers = _proper(stakes, rows, efficiency).answers
            names = _names(phase, no, answers == "take", no)
            names[answers == "beaver"] = BEAVER
            return names
        return _names(phase, no, _takes(stakes, int(context[PHASE]) - DOUBLED, rows, efficiency), no)


def _proper(stakes: CubeStakes, rows: Rows, efficiency: Efficiencies) -> CubeActions:
    """Return the proper actions before a double."""
    return proper_actions(*map(stakes.normalized, cube_values(stakes, rows, efficiency)))


def _takes(stakes: CubeStakes, offers: int, rows: Rows, efficiency: Efficiencies) -> npt.NDArray[np.bool_]:
    """Return a mask of takes of a beaver or a raccoon after a number of offers."""
    offered = stakes
    for _ in range(offers):
        offered = offered.doubled()
    taken = offered.doubled()
    values = cubeful_values(taken, rows, efficiency.at(taken, rows))
    # The player on turn answers a beaver, the opponent a raccoon; values are those of the player on turn.
    if offers == 1:
        return values >= offered.of_points(-1)
    return values <= offered.of_points(1)


def _names(
    phase: Int8,
    doubles: npt.NDArray[np.bool_],
    takes: npt.NDArray[np.bool_],
    accepts: npt.NDArray[np.bool_],
) -> Names:
    answers = np.where(takes, TAKE, DROP)
    resigned = np.where(accepts, ACCEPT, REFUSE)
    names = np.where(phase == TO_ROLL, np.where(doubles, DOUBLE, ROLL), answers)
    return np.where(phase == RESIGNED, resigned, names)
