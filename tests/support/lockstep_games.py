"""Rollout games played in lockstep with NumPy arrays, independently of the compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast import ROLLS
from bgfast.analysis.rollouts._turns import CubeStates
from bgfast.analysis.rollouts.candidates import CubeUse, RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.analysis.rollouts.trials import MAX_PLIES, Block, Job, play_block
from bgfast.batch.selection import best_rows
from bgfast.batch.successors import Successors, results, successors
from bgfast.common.probabilities import EQUITY, EVALUATION, evaluations_of_points, flip_evaluations
from bgfast.common.validation import ROLL_WEIGHTS
from bgfast.evaluation.efficiency import efficiency_model
from bgfast.evaluation.evaluators.evaluators import Evaluator, Policy, TimedEvaluator
from tests.support.rollouts import NETWORK, dice_of

ROLL_PROBABILITIES = np.array(ROLL_WEIGHTS) / sum(ROLL_WEIGHTS)


class LockstepGames:
    """Trials of a job, played in lockstep with a built-in policy; has the same arrays as `Block`."""

    def __init__(self, job: Job, first: int, last: int) -> None:
        count = len(job.boards) * (last - first)
        self.job = job
        self.shape = len(job.boards), last - first
        self.points = np.zeros(count, np.int8)
        self.plies = np.zeros(count, np.int32)
        self.end = np.zeros((count, EVALUATION))
        self.luck = np.zeros((count, EVALUATION))
        self.cube = None if job.cube is None else LockstepCube(job.cube, last - first)
        self.policy = Policy(job.policy, job.rules, job.checkers, job.seed)
        # These three arrays cover only unfinished games.
        self.games = np.arange(count)
        self.trials = np.tile(np.arange(first, last), len(job.boards))
        self.boards = np.repeat(job.boards, last - first, axis=0)
        for ply in range(job.truncate or MAX_PLIES):
            if len(self.games):
                self.play(ply)
        if len(self.games):
            self.truncate(job.truncate or 0)
        self.adjusted = self.adjusted_values() if job.adjusts else None
        self.points, self.plies = self.points.reshape(self.shape), self.plies.reshape(self.shape)

    def evaluations(self, evaluator: Evaluator | None, boards: np.ndarray) -> np.ndarray:
        assert evaluator is not None
        outcomes = results(boards, self.job.rules, self.job.checkers)
        return TimedEvaluator(evaluator, rules=self.job.rules).evaluations(
            boards, outcomes, self.job.checkers
        )

    def play(self, ply: int) -> None:
        job, mover = self.job, -1 if ply % 2 else 1
        if self.cube is not None:
            values = self.evaluations(self.cube.use.evaluator, self.boards)
            is_drop = self.cube.act(self.games, self.boards, values, ply)
            self.end[self.games[is_drop]] = (values if mover > 0 else flip_evaluations(values))[is_drop]
            self.finish(is_drop, np.full(len(self.games), mover), ply)
        dice = dice_of(job.seed, job.quasi_random, self.trials, ply)
        if job.luck_evaluator is not None:
            self.add_luck(ply, dice)
        plays = successors(self.boards, dice, rules=job.rules, flip=True, passes="keep")
        plies = np.full(len(self.games), ply)
        if self.cube is None:
            rows = self.policy.rows(self.boards, plays, self.trials, plies)
        else:
            rows = self.cube.rows(self.policy, self.games, self.boards, plays, self.trials, plies)
            self.cube.state[self.games] ^= 1
        self.boards = plays.boards[rows]
        outcomes = results(self.boards, job.rules, job.checkers)
        self.finish(outcomes != 0, -mover * outcomes, ply)

    def finish(self, is_over: np.ndarray, points: np.ndarray, ply: int) -> None:
        """End games with `points` for the first player on roll; `end` already has evaluations of drops."""
        games = self.games[is_over]
        self.points[games], self.plies[self.games] = points[is_over], ply + 1
        is_drop = self.end[games].any(axis=1)
        self.end[games[~is_drop]] = evaluations_of_points(points[is_over][~is_drop].astype(np.int8))
        if self.cube is not None:
            self.cube.end(games, points[is_over], is_drop)
        self.games, self.trials, self.boards = (
            array[~is_over] for array in (self.games, self.trials, self.boards)
        )

    def add_luck(self, ply: int, dice: np.ndarray) -> None:
        job = self.job
        plays = successors(self.boards, "all", rules=job.rules, flip=True, passes="keep")
        evaluations = self.evaluations(job.luck_evaluator, plays.boards)
        best = evaluations[best_rows(evaluations[:, EQUITY], plays.offsets, best="min")].reshape(
            -1, len(ROLLS), EVALUATION
        )
        roll_indices = [ROLLS.index((max(roll), min(roll))) for roll in dice.tolist()]
        luck = best[np.arange(len(best)), roll_indices] - np.einsum("r,grv->gv", ROLL_PROBABILITIES, best)
        if ply % 2 == 0:  # luck is a difference, so the win chance changes sign when flipped
            flipped = flip_evaluations(luck)
            flipped[:, 0] = 0 - luck[:, 0]
            luck = flipped
        self.luck[self.games] += luck
        if self.cube is not None:
            self.cube.add_luck(self.games, self.boards, best, np.array(roll_indices), ply)

    def truncate(self, plies: int) -> None:
        evaluations = self.evaluations(self.job.evaluator, self.boards)
        if self.cube is not None:
            self.cube.truncate(self.games, self.boards, evaluations)
        self.end[self.games] = flip_evaluations(evaluations) if plies % 2 else evaluations

    def adjusted_values(self) -> np.ndarray:
        # Evaluators of equities give NaN as the luck of probabilities, which then remain unadjusted.
        adjusted = self.end - np.where(np.isnan(self.luck), 0, self.luck)
        if self.cube is not None:
            adjusted = np.column_stack((adjusted, self.cube.values - self.cube.luck))
        return adjusted.reshape(*self.shape, -1)


def actions_of(
    cube: CubeStates, boards: np.ndarray, evaluations: np.ndarray, states: np.ndarray, use_tables: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return the states after the cube actions of the players on roll, and the values for these players."""
    rows = [
        cube.action(state, board, evaluation, use_tables)
        for state, board, evaluation in zip(states.tolist(), boards, evaluations, strict=True)
    ]
    return np.array([state for state, _ in rows], np.int32), np.array([value for _, value in rows])


class LockstepCube:
    """Cube states of games in lockstep, with values and luck for the first player on roll."""

    def __init__(self, use: CubeUse, trials: int) -> None:
        self.use = use
        self.states = use.states()
        self.start = np.repeat(use.initial_states(self.states), trials)
        self.has_decided = np.repeat(use.has_decided(), trials) == 1
        self.state = self.start.copy()
        self.values = np.zeros(len(self.start))
        self.luck = np.zeros(len(self.start))

    def act(self, games: np.ndarray, boards: np.ndarray, evaluations: np.ndarray, ply: int) -> np.ndarray:
        """Apply the cube actions of the players on roll; return the mask of dropped doubles."""
        next_states, _ = actions_of(self.states, boards, evaluations, self.state[games])
        may_act = ~(self.has_decided[games] & (ply == 0))
        turns_cube = may_act & (next_states >= 0)
        self.state[games[turns_cube]] = next_states[turns_cube]
        is_drop: np.ndarray = may_act & (next_states < 0)
        return is_drop

    def rows(
        self, policy: Policy, games: np.ndarray, boards: np.ndarray, plays: Successors, *trials_and_plies: Any
    ) -> Any:
        """Return the rows that a cubeful policy chooses, in one call for each cube state."""
        rows = np.empty(len(games), np.int64)
        evaluator: Any = policy.timed.evaluator
        sizes, model = np.diff(plays.offsets), efficiency_model(self.use.efficiency)
        for state in np.unique(self.state[games]):
            has_state = self.state[games] == state
            selected = np.flatnonzero(np.repeat(has_state, sizes))
            offsets = np.concatenate(([0], np.cumsum(sizes[has_state])))
            choices = evaluator._choices(
                boards[has_state],
                plays.boards[selected],
                offsets,
                *policy.game,
                policy._seed,
                *(values[has_state] for values in trials_and_plies),
                self.states.stakes(int(state) ^ 1),
                model,
            )
            rows[has_state] = selected[choices]
        return rows

    def end(self, games: np.ndarray, points: np.ndarray, is_drop: np.ndarray) -> None:
        """Record the values of games that end with points for the first player on roll, or with a drop."""
        for game, points_won, drop in zip(games.tolist(), points.tolist(), is_drop.tolist(), strict=True):
            mover = -1 if (self.state[game] ^ self.start[game]) & 1 else 1
            stakes = self.states.stakes(int(self.state[game]))
            value = stakes.double_drop if drop else stakes.of_points(mover * points_won)
            self.record(game, value)

    def truncate(self, games: np.ndarray, boards: np.ndarray, evaluations: np.ndarray) -> None:
        _, values = actions_of(self.states, boards, evaluations, self.state[games])
        for game, value in zip(games.tolist(), values.tolist(), strict=True):
            self.record(game, value)

    def record(self, game: int, value: float) -> None:
        """Store a value for the player on roll, converted to the side of the first player on roll."""
        is_opponent = (self.state[game] ^ self.start[game]) & 1
        equity_sum = float(self.states.stakes(0).is_match)
        self.values[game] = equity_sum - value if is_opponent else value

    def add_luck(
        self, games: np.ndarray, boards: np.ndarray, best: np.ndarray, roll_indices: np.ndarray, ply: int
    ) -> None:
        states = np.repeat(self.state[games] ^ 1, len(ROLLS))
        # The board before the roll determines the efficiency for all rolls.
        boards_before = np.repeat(boards, len(ROLLS), axis=0)
        evaluations = np.ascontiguousarray(best.reshape(-1, EVALUATION))
        values = actions_of(self.states, boards_before, evaluations, states, use_tables=False)[1].reshape(
            -1, len(ROLLS)
        )
        gains = values[np.arange(len(games)), roll_indices] - values @ ROLL_PROBABILITIES
        self.luck[games] += gains if ply % 2 else -gains


def compare_with_lockstep(
    candidates: Any, first: int, last: int, evaluator: Evaluator = NETWORK, **settings: Any
) -> tuple[Job, Block, LockstepGames]:
    """Play trials with the compiled loop and in lockstep; check that points and numbers of plies agree."""
    job = Rollout(candidates, evaluator, RolloutOptions(**settings)).job
    assert job.in_core
    block = play_block(job, first, last)
    assert block is not None
    games = LockstepGames(job, first, last)
    assert np.array_equal(block.points, games.points)
    assert np.array_equal(block.plies, games.plies)
    return job, block, games
