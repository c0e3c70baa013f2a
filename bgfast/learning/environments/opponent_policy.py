"""Opponent of the environments: plays, cube actions, answers to resignations."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import flip, pip_counts
from bgfast.common.validation import BOARD_SIZE, Boards
from bgfast.evaluation.actions import proper_actions
from bgfast.evaluation.cubeful import cube_values, cubeful_values
from bgfast.evaluation.efficiency import Efficiencies, Rows
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, Policy, Random, call_evaluator
from bgfast.evaluation.evaluators.exact_tables import ExactTables, exact_tables, table_for
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.evaluation.stakes import stakes_of
from bgfast.games.scoring import MAX_CUBE_VALUE
from bgfast.games.state import OFFER_FACTORS, OFFERS
from bgfast.learning.environments._lockstep import (
    AWAY,
    AWAY_OPPONENT,
    CRAWFORD,
    CUBE,
    OWNER,
    PHASE,
    RESIGNATION,
    random_actions,
)
from bgfast.players.opponents import RESIGNATION_TOLERANCE, accepts_by_race, is_pip_double, is_pip_take
from bgfast.position.decision import Decision
from bgfast.position.formats import UNLIMITED_CUBE
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

MATCH_ACTIONS = (
    "roll",
    "double",
    "take",
    "drop",
    "beaver",
    "raccoon",
    "resign_single",
    "resign_gammon",
    "resign_backgammon",
    "accept_resignation",
    "refuse_resignation",
)
"""Actions other than plays; their indices begin at `max_plays`, after the plays."""
MATCH_PHASES = ("to_roll", "to_play", "doubled", "beavered", "raccooned", "resigned", "over")
"""Phases of a game, as in `bgfast.games.GameState`; an observation has the index."""
ROLL, DOUBLE, TAKE, DROP, BEAVER = range(5)
ACCEPT, REFUSE = (MATCH_ACTIONS.index(name) for name in ("accept_resignation", "refuse_resignation"))
TO_ROLL, TO_PLAY, DOUBLED, BEAVERED, RACCOONED, RESIGNED, OVER = range(len(MATCH_PHASES))

Observation = npt.NDArray[np.int8]
ActionIndices = npt.NDArray[np.int64]


class OpponentPolicy:
    """Policy of the opponent: random plays or an evaluator's best plays, and cube actions.

    Random play doubles one time in fifty, takes three in four doubles (and beavers one in ten, where that is
    legal) and accepts half of the resignations. An evaluator that returns probabilities decides by its exact
    tables if they cover the position and the cube, else by the cubeful equities of `bgfast.cube`; one that
    returns equities decides by the pip count. No opponent resigns or raccoons.
    """

    def __init__(self, evaluator: EvaluatorLike, rules: RuleSet, length: int, checkers: int) -> None:
        evaluator = evaluator_of(evaluator, "opponent")
        self.policy = None if isinstance(evaluator, Random) else Policy(evaluator, rules, checkers)
        self.rules, self.length, self.checkers = rules, length, checkers
        # A search uses the tables of its evaluator, as in `cube_decision`.
        self._evaluator = evaluator.evaluator if isinstance(evaluator, Lookahead) else evaluator
        # Maximum exponent of a cube that can be beavered: double and beaver turn it twice.
        limit = (rules.cube_limit or MAX_CUBE_VALUE).bit_length() - 1
        self._max_beaver_exponent = limit - 2 if rules.beavers and not length else -1

    def choose_actions(self, observations: Observation, random: np.random.Generator) -> ActionIndices:
        """Return an index into `MATCH_ACTIONS` for each observation before a decision other than a play."""
        indices = np.empty(len(observations), np.int64)
        if self.policy is None:
            random_actions(self._max_beaver_exponent, observations, random.random(len(observations)), indices)
            return indices
        mover = flip_to_mover(observations)
        boards = np.ascontiguousarray(mover[:, :BOARD_SIZE])
        values = call_evaluator(self.policy.timed.evaluator, boards, self.policy.game)
        if values.ndim == 1:
            return self._by_pips(boards, observations)
        contexts, groups = np.unique(mover[:, CUBE:], axis=0, return_inverse=True)
        for group in range(len(contexts)):
            rows = np.flatnonzero(groups == group)
            indices[rows] = self._by_equities(boards[rows], values[rows], mover[rows[0]])
        return indices

    def _by_pips(self, boards: Boards, observations: Observation) -> ActionIndices:
        pips = pip_counts(boards).T.astype(np.int64)
        takes = is_pip_take(*pips)
        # The player on turn answers a beaver, as the opponent would answer a double.
        rows = is_mover(observations)
        takes[rows] = is_pip_take(*pips[::-1])[rows]
        accepts = np.zeros(len(observations), bool)
        for row in np.flatnonzero(observations[:, PHASE] == RESIGNED):
            level = int(observations[row, RESIGNATION])
            position = Position.from_array(boards[row], self.checkers)
            accepts[row] = accepts_by_race(position, level, self.rules)
        return _action_indices(observations[:, PHASE], is_pip_double(*pips), takes, accepts)

    def _by_equities(self, boards: Boards, rows: Rows, context: Observation) -> ActionIndices:
        """Return the actions for boards from the mover's side with the same cube, score and phase."""
        rules = self.rules
        decision = match_decision(context, self.length, rules, self.checkers)
        match_equity = table_for(self._evaluator, decision, None, rules)
        stakes = stakes_of(decision, match_equity)
        offers = int(context[PHASE]) - DOUBLED if context[PHASE] in (BEAVERED, RACCOONED) else 0
        offered_stakes = stakes
        for _ in range(offers):
            offered_stakes = offered_stakes.after_double()
        covering_tables: list[ExactTables | None] = [None] * len(boards)
        if hasattr(self._evaluator, "exact_tables"):
            positions = [Position.from_array(board, self.checkers) for board in boards]
            covering_tables = [
                exact_tables(self._evaluator, decision, [position], match_equity, rules)
                for position in positions
            ]
        indices = np.empty(len(boards), np.int64)
        for tables in dict.fromkeys(covering_tables):
            group = np.flatnonzero([item == tables for item in covering_tables])
            efficiency = Efficiencies.of_model("bgfast", boards[group])
            if tables is None:
                values = cube_values(stakes, rows[group], efficiency)
                actions = proper_actions(*map(stakes.normalize, values))
            else:
                actions = tables.cube_actions(boards[group], decision, met=match_equity)
            takes, accepts = np.zeros((2, len(group)), bool)
            if context[PHASE] == RESIGNED:
                resigned = stakes.normalize(stakes.of_points(-int(context[RESIGNATION])))
                accepts = resigned <= actions.no_double + RESIGNATION_TOLERANCE
            elif offers:
                if tables is None:
                    taken_stakes = offered_stakes.after_double()
                    take_equities = cubeful_values(taken_stakes, rows[group], efficiency)  # in points
                else:  # beavers are legal in money play only, where each turn of the cube doubles all values
                    take_equities = actions.double_take * float(2**offers)
                # The mover answers a beaver, and the opponent a raccoon; values are for the mover.
                drop_equity = offered_stakes.of_points(-1 if offers == 1 else 1)
                takes = take_equities >= drop_equity if offers == 1 else take_equities <= drop_equity
            elif context[PHASE] == DOUBLED:
                takes = actions.answers == "take"
            phase = np.full(len(group), context[PHASE])
            indices[group] = _action_indices(phase, actions.doubles, takes, accepts)
            if context[PHASE] == DOUBLED:
                indices[group[actions.answers == "beaver"]] = BEAVER
        return indices


def is_mover(observations: Observation) -> npt.NDArray[np.bool_]:
    """Return whether the observing player, who acts next, is the player on turn; shape (n,)."""
    return np.isin(observations[:, PHASE], (TO_ROLL, TO_PLAY, BEAVERED))


def flip_to_mover(observations: Observation) -> Observation:
    """Return observations of players to act, (n, 35), from the side of the player on turn."""
    flipped, is_opponent = observations.copy(), ~is_mover(observations)
    flipped[is_opponent, :BOARD_SIZE] = flip(np.ascontiguousarray(observations[is_opponent, :BOARD_SIZE]))
    flipped[is_opponent, OWNER] *= -1
    flipped[is_opponent, AWAY] = observations[is_opponent, AWAY_OPPONENT]
    flipped[is_opponent, AWAY_OPPONENT] = observations[is_opponent, AWAY]
    return flipped


def match_decision(
    mover: Observation, length: int, rules: RuleSet, checkers: int, turn: Literal[1, -1] = 1
) -> Decision:
    """Return the decision that the player on turn observes; `turn` is 1 if that player is X."""
    values = mover.tolist()
    cube, phase = 1 << values[CUBE], MATCH_PHASES[values[PHASE]]
    return Decision(
        position=Position.from_array(mover[:BOARD_SIZE], checkers),
        turn=turn,
        dice=(values[BOARD_SIZE], values[BOARD_SIZE + 1]) if phase == "to_play" else None,
        offer=OFFERS.get(phase),
        cube=cube,
        cube_owner=values[OWNER],
        score=(length - values[AWAY], length - values[AWAY_OPPONENT]),
        match_length=length,
        crawford=bool(values[CRAWFORD]),
        jacoby=not length and rules.jacoby,
        beaver=not length and rules.beavers,
        max_cube=max(rules.cube_limit or UNLIMITED_CUBE, cube * OFFER_FACTORS.get(phase, 1)),
    )


def _action_indices(
    phase: Observation,
    doubles: npt.NDArray[np.bool_],
    takes: npt.NDArray[np.bool_],
    accepts: npt.NDArray[np.bool_],
) -> ActionIndices:
    answers = np.where(takes, TAKE, DROP)
    resigned = np.where(accepts, ACCEPT, REFUSE)
    indices = np.where(phase == TO_ROLL, np.where(doubles, DOUBLE, ROLL), answers)
    return np.where(phase == RESIGNED, resigned, indices)
