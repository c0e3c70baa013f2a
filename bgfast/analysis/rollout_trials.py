"""Trials of a rollout, a block of them at a time: in the core where it can be, else side by side."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgfast.analysis._rollout_dice import rollout_dice
from bgfast.analysis._rollout_trials import Trials
from bgfast.analysis.evaluators import (
    EQUITY,
    BuiltIn,
    Evaluator,
    Judge,
    Policy,
    Values,
    turned,
    vectors_of_points,
)
from bgfast.batch.selection import best_successors
from bgfast.batch.successors import WIN_SCHEMES, results, successors
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError
from bgfast.rules import RuleSet

__all__ = ["MOST_PLIES", "Block", "Job", "play_block"]

Rows = npt.NDArray[np.int64]

MOST_PLIES = 100_000
WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)
ROLL_NUMBER = np.zeros((7, 7), np.int64)  # by the two dice, in either order
for _number, (_high, _low) in enumerate(ROLLS):
    ROLL_NUMBER[_high, _low] = ROLL_NUMBER[_low, _high] = _number


@dataclass(frozen=True)
class Job:
    """What is rolled out, and how; picklable if the evaluators are.

    Attributes
    ----------
    boards : ndarray of int8, shape (c, 26)
        The candidates, none of them finished, the player on roll the mover.
    policy, evaluator, luck_evaluator : evaluator
        Who chooses plays, ends truncated games, and judges luck (None: nobody does).
    """

    boards: Boards
    rules: RuleSet
    checkers: int
    seed: int
    quasi_random: bool
    truncate: int | None
    policy: Evaluator
    evaluator: Evaluator
    luck_evaluator: Evaluator | None

    @property
    def in_core(self) -> bool:
        """Whether the trials are played without Python between two plays."""
        judges = []
        if self.truncate is not None:
            judges.append(self.evaluator)
        if self.luck_evaluator is not None:
            judges.append(self.luck_evaluator)
        known = all(isinstance(judge, BuiltIn) and judge.judges for judge in judges)
        return isinstance(self.policy, BuiltIn) and known

    @property
    def block_trials(self) -> int:
        """How many trials are played at once: what they need is bounded, whatever is asked for."""
        # All of them divide 1,296, the number of trials after which errors are looked at.
        if self.in_core and self.luck_evaluator is None:
            return 1296
        if self.in_core:
            # Such games take long, and only between two blocks somebody looks at the clock.
            return 36 * max(1, 12 // len(self.boards)) * (3 if (self.truncate or MOST_PLIES) < 12 else 1)
        rows = 21 if self.luck_evaluator is not None else 1
        return 36 * max(1, 9 // max(1, len(self.boards) * rows // 7))


@dataclass(frozen=True)
class Block:
    """The trials `first` to `last` - 1 of each candidate, for its player on roll.

    Attributes
    ----------
    points : ndarray of int8, shape (c, n)
        What each game ended with; 0 where it was truncated.
    plies : ndarray of int32, shape (c, n)
    adjusted : ndarray of float64, shape (c, n, 6), or None
        The five probabilities and the equity that each counts for, where these are not those of the points.
    seconds, evaluator_seconds : float
    """

    first: int
    last: int
    points: Boards
    plies: npt.NDArray[np.int32]
    adjusted: Values | None
    seconds: float
    evaluator_seconds: float

    def part(self, first: int, last: int) -> Block:
        """Return those of its trials that lie between these two."""
        first, last = max(first, self.first), min(last, self.last)
        if (first, last) == (self.first, self.last):
            return self
        here = slice(first - self.first, last - self.first)
        share = (last - first) / (self.last - self.first)
        return Block(
            first,
            last,
            self.points[:, here],
            self.plies[:, here],
            None if self.adjusted is None else self.adjusted[:, here],
            self.seconds * share,
            self.evaluator_seconds * share,
        )


def play_block(job: Job, first: int, last: int, threads: int = 1) -> Block:
    """Play the trials `first` to `last` - 1 of each candidate."""
    began = time.perf_counter()
    if job.in_core:
        points, plies, adjusted = _play_in_core(job, first, last, threads)
        return Block(first, last, points, plies, adjusted, time.perf_counter() - began, 0.0)
    table = _Table(job, first, last)
    table.play()
    return Block(
        first, last, table.points, table.plies, table.adjusted, time.perf_counter() - began, table.seconds
    )


def _play_in_core(
    job: Job, first: int, last: int, threads: int
) -> tuple[Boards, npt.NDArray[np.int32], Values | None]:
    assert isinstance(job.policy, BuiltIn)
    shape = len(job.boards), last - first
    points, plies = np.empty(shape, np.int8), np.empty(shape, np.int32)
    plain = job.truncate is None and job.luck_evaluator is None
    adjusted = None if plain else np.empty((*shape, EQUITY + 1))
    Trials(
        generated_switches(job.rules),
        job.boards,
        job.policy,
        job.evaluator if isinstance(job.evaluator, BuiltIn) and job.truncate is not None else None,
        job.luck_evaluator if isinstance(job.luck_evaluator, BuiltIn) else None,
        WIN_SCHEMES[job.rules.win_scheme],
        job.checkers,
        job.seed,
        job.quasi_random,
        MOST_PLIES if job.truncate is None else job.truncate,
        threads,
    ).play(first, points, plies, adjusted)
    if job.truncate is None and not points.all():
        raise _endless(first + int(np.argmin(points.all(axis=0))))
    return points, plies, adjusted


def _endless(trial: int) -> BgfastError:
    return BgfastError(
        f"trial {trial} is not over after {MOST_PLIES:,} plies; expected a policy that ends games, "
        "or `truncate`"
    )


class _Table:
    """Games played side by side, all at the same ply."""

    def __init__(self, job: Job, first: int, last: int) -> None:
        candidates, trials = len(job.boards), last - first
        self.job = job
        self.points = np.zeros((candidates, trials), np.int8)
        self.plies = np.zeros((candidates, trials), np.int32)
        self.adjusted: Values | None = None
        self._policy = Policy(job.policy, job.rules, job.checkers, job.seed)
        self._evaluator = Judge(job.evaluator)
        self._luck_judge = None if job.luck_evaluator is None else Judge(job.luck_evaluator)
        self._luck = np.zeros((candidates, trials, EQUITY + 1))
        self._ends = np.zeros((candidates, trials, EQUITY + 1))  # of truncated games
        # Those that go on: which they are, and their boards.
        self._games = np.arange(candidates * trials)
        self._trials = np.tile(np.arange(first, last), candidates)
        self._boards = np.repeat(job.boards, trials, axis=0)

    @property
    def seconds(self) -> float:
        """How long evaluators have taken."""
        judges = (self._policy.judge, self._evaluator, self._luck_judge)
        return sum(judge.seconds for judge in judges if judge is not None)

    def play(self) -> None:
        """Play to the end, or to the ply where games are truncated."""
        last = MOST_PLIES if self.job.truncate is None else self.job.truncate
        for ply in range(last):
            if not len(self._games):
                break
            self._ply(ply)
        if self.job.truncate is not None:
            self._truncate()
        elif len(self._games):
            raise _endless(int(self._trials[0]))
        if self.job.truncate is not None or self._luck_judge is not None:
            self._adjust()

    def _ply(self, ply: int) -> None:
        dice = np.empty((len(self._games), 2), np.int8)
        plies = np.full(len(self._games), ply)
        rollout_dice(self.job.seed, self.job.quasi_random, self._trials, plies, dice)
        if self._luck_judge is not None:
            self._count_luck(self._luck_judge, ply, dice)
        found = successors(self._boards, dice, rules=self.job.rules, flip=True, passes="keep")
        boards = found.boards[self._policy.rows(self._boards, found, self._trials, plies)]
        outcomes = self._outcomes(boards)
        # The next player is on roll: who was on roll at the start is it after every other ply.
        sign = 1 if ply % 2 else -1
        over = outcomes != 0
        ended = self._games[over]
        self.points.reshape(-1)[ended] = sign * outcomes[over]
        self.plies.reshape(-1)[self._games] = ply + 1
        self._games, self._trials, self._boards = self._games[~over], self._trials[~over], boards[~over]

    def _outcomes(self, boards: Boards) -> Boards:
        return results(boards, self.job.rules, self.job.checkers)

    def _count_luck(self, judge: Judge, ply: int, dice: Boards) -> None:
        """Add what each roll is worth more than the mean of all, each played as the judge thinks best."""
        found = successors(self._boards, None, rules=self.job.rules, flip=True, passes="keep")
        vectors = judge.vectors(found.boards, self._outcomes(found.boards))
        best = best_successors(vectors[:, EQUITY], found.offsets, best="min")
        by_roll = vectors[best].reshape(len(self._games), len(ROLLS), -1)
        mean = np.einsum("r,grv->gv", WEIGHTS / WEIGHTS.sum(), by_roll)
        drawn = by_roll[np.arange(len(self._games)), ROLL_NUMBER[dice[:, 0], dice[:, 1]]]
        # Both are for the next player.
        luck = drawn - mean
        self._luck.reshape(-1, EQUITY + 1)[self._games] += luck if ply % 2 else turned(luck, 0)

    def _truncate(self) -> None:
        if not len(self._games):
            return
        assert self.job.truncate is not None
        vectors = self._evaluator.vectors(self._boards, np.zeros(len(self._boards), np.int8))
        if self.job.truncate % 2:
            vectors = turned(vectors, 1)
        self._ends.reshape(-1, EQUITY + 1)[self._games] = vectors

    def _adjust(self) -> None:
        ends = vectors_of_points(self.points.reshape(-1)).reshape(self._ends.shape)
        truncated = self.points == 0
        ends[truncated] = self._ends[truncated]
        # A judge of equities says nothing of probabilities: these stay as they are.
        self.adjusted = ends - np.where(np.isnan(self._luck), 0, self._luck)
