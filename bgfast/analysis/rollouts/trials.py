"""Trials of a rollout, a block of them at a time: in the core where it can be, else side by side."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube.efficiency import efficiency_model
from bgfast.analysis.evaluators.evaluators import (
    BuiltIn,
    Evaluator,
    Player,
    Policy,
    TimedEvaluator,
    answer,
)
from bgfast.analysis.rollouts._cube_states import CubeStates
from bgfast.analysis.rollouts._dice import rollout_dice
from bgfast.analysis.rollouts._trials import Trials
from bgfast.analysis.rollouts.cube_use import CubeUse, no_probabilities
from bgfast.batch.selection import best_rows
from bgfast.batch.successors import WIN_SCHEMES, Successors, results, successors
from bgfast.common.pace import STEP, Limit, OverError
from bgfast.common.probabilities import (
    EQUITY,
    EVALUATION,
    PROBABILITIES,
    Numbers,
    evaluations_of_points,
    flipped_evaluations,
    flipped_gains,
)
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError
from bgfast.rules import RuleSet

__all__ = [
    "BLOCK",
    "MOST_PLIES",
    "Block",
    "Job",
    "blocks_here",
    "check_probabilities",
    "forget",
    "play_block",
]

Rows = npt.NDArray[np.int64]

MOST_PLIES = 100_000
"""The greatest length of a game; by pip count one of 10,000 or so takes more than 10,000, and ends."""

BLOCK = 1296
"""Trials of a block, at most: what they need is bounded, whatever is asked for."""

FIRST_BLOCKS = (4, 36)  # trials side by side that the first blocks end with: something is known soon
FIRST_STEP = 0.005  # seconds in which the speed of a block is found out
PLIES_A_STEP = 10  # at least, so that threads do not wait for each other's last ply for most of it
MOST_JOBS = 2  # of which a process keeps what it has found out about boards
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
    cube : CubeUse, optional
        How games use the cube, if they do.
    key : str
        By which a process knows the job again.
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
    cube: CubeUse | None = None
    key: str = field(default_factory=lambda: secrets.token_hex(8), compare=False)

    @property
    def in_core(self) -> bool:
        """Whether the trials are played without Python between two plays."""
        asked = [] if self.cube is None else [self.cube.evaluator]
        if self.truncate is not None:
            asked.append(self.evaluator)
        if self.luck_evaluator is not None:
            asked.append(self.luck_evaluator)
        known = all(isinstance(each, BuiltIn) and each.tells_points for each in asked)
        return isinstance(self.policy, BuiltIn) and known

    @property
    def adjusts(self) -> bool:
        """Whether games count for anything but their points."""
        return self.truncate is not None or self.luck_evaluator is not None or self.cube is not None

    @property
    def adjusted_numbers(self) -> int:
        """How many numbers a game counts for: those of an evaluation, and its value with the cube."""
        return EVALUATION + (self.cube is not None)

    def block_end(self, first: int) -> int:
        """Return where the block ends that begins with a trial, or that it is in.

        Who is asked for boards side by side may say something else of a board in other company, if only in
        the last bit. So these blocks do not depend on the clock, nor on where a run was interrupted; in the
        core games have nothing to do with each other, and a block is no more than memory.
        """
        if self.in_core:
            return (first // BLOCK + 1) * BLOCK
        for end in FIRST_BLOCKS:
            if first < end:
                return end
        rows = 21 if self.luck_evaluator is not None else 1
        # It divides 1,296, since errors are looked at after so many.
        most = 36 * max(1, 9 // max(1, len(self.boards) * rows // 7))
        return (first // most + 1) * most


def check_probabilities(job: Job) -> None:
    """Raise `BgfastError` if an evaluator of the core tells no probabilities, where there is a cube."""
    if job.cube is None:
        return
    asked: list[Any] = [job.cube.evaluator, job.luck_evaluator]
    if job.truncate is not None:
        asked.append(job.evaluator)
    for evaluator in asked:
        if isinstance(evaluator, BuiltIn) and answer(evaluator, job.boards[:1]).ndim != 2:
            raise no_probabilities(evaluator)


@dataclass(frozen=True)
class Block:
    """The trials `first` to `last` - 1 of each candidate, for its player on roll.

    Attributes
    ----------
    points : ndarray of int8, shape (c, n)
        What each game ended with, without the cube; a pass counts 1, a truncated game 0.
    plies : ndarray of int32, shape (c, n)
    adjusted : ndarray of float64, shape (c, n, 6 or 7), or None
        The five probabilities and the equity that each counts for, where these are not those of the points;
        with the cube its value behind them: MWC, or points in units of the cube at the start.
    seconds, evaluator_seconds : float
    """

    first: int
    last: int
    points: Boards
    plies: npt.NDArray[np.int32]
    adjusted: Numbers | None
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


def play_block(job: Job, first: int, last: int, limit: Limit | None = None) -> Block | None:
    """Play the trials `first` to `last` - 1 of each candidate in this thread; None if the time is over."""
    limit = Limit() if limit is None else limit
    found = [block for block in blocks_here(job, first, last, 1, limit) if block is not None]
    return found[0] if len(found) == 1 else _joined(found) if found and found[-1].last == last else None


def _joined(blocks: list[Block]) -> Block:
    ends = [block.adjusted for block in blocks if block.adjusted is not None]
    return Block(
        blocks[0].first,
        blocks[-1].last,
        np.concatenate([block.points for block in blocks], axis=1),
        np.concatenate([block.plies for block in blocks], axis=1),
        np.concatenate(ends, axis=1) if ends else None,
        sum(block.seconds for block in blocks),
        sum(block.evaluator_seconds for block in blocks),
    )


def blocks_here(job: Job, first: int, last: int, threads: int, limit: Limit) -> Iterator[Block | None]:
    """Play the trials `first` to `last` - 1 of each candidate in this process.

    Yields
    ------
    Block or None
        Each time that more trials are over, of all candidates; every quarter of a second or so, if a play
        does not take longer, None if none is. When the time is over, games that are not are given up. Of
        games side by side all are then: those that are over are the short ones.
    """
    if job.in_core:
        yield from _blocks_in_core(job, first, last, threads, limit)
        return
    began = time.perf_counter()
    games = _SideBySide(job, first, last, limit)
    try:
        yield from games.play()
    except OverError:
        return
    yield Block(
        first, last, games.points, games.plies, games.adjusted, time.perf_counter() - began, games.seconds
    )


def _blocks_in_core(job: Job, first: int, last: int, threads: int, limit: Limit) -> Iterator[Block | None]:
    shape = len(job.boards), last - first
    points, plies = np.empty(shape, np.int8), np.empty(shape, np.int32)
    adjusted = np.empty((*shape, job.adjusted_numbers)) if job.adjusts else None
    with _lent(job, threads) as trials:
        trials.begin(first, points, plies, adjusted)
        known, done, step = 0, False, FIRST_STEP
        while not done and not limit.over():
            began = time.perf_counter()
            done = trials.play(step, limit.left())
            seconds = time.perf_counter() - began
            # Threads may be some trials ahead of one that takes long.
            over = np.all(plies[:, known:], axis=0).reshape(-1)
            whole = len(over) if over.all() else int(np.argmin(over))
            part = slice(known, known + whole)
            if job.truncate is None and not points[:, part].all():
                raise _endless(first + known + int(np.argmin(points[:, part].all(axis=0))))
            known += whole
            step = max(STEP, PLIES_A_STEP * trials.seconds_a_ply)
            yield (
                None
                if not whole
                else Block(
                    first + part.start,
                    first + part.stop,
                    points[:, part].copy(),
                    plies[:, part].copy(),
                    None if adjusted is None else adjusted[:, part].copy(),
                    seconds,
                    0.0,
                )
            )


# ---- what has been found out about boards is kept for the whole of a rollout ----

_idle: dict[str, list[Trials]] = {}  # by the keys of jobs; each in use is with who uses it


@contextmanager
def _lent(job: Job, threads: int) -> Iterator[Trials]:
    """Lend who plays the games of a job: one that has played some of them before, if one is idle."""
    idle = _idle.setdefault(job.key, [])
    for key in list(_idle)[:-MOST_JOBS]:  # the oldest; other threads may be about the same
        _idle.pop(key, None)
    try:
        trials = idle.pop()
    except IndexError:
        trials = None
    if trials is None or trials.threads != threads:
        trials = _trials(job, threads)
    yield trials
    idle.append(trials)


def forget(job: Job) -> None:
    """Let go of what is kept for a job."""
    _idle.pop(job.key, None)


def _trials(job: Job, threads: int) -> Trials:
    assert isinstance(job.policy, BuiltIn)
    with_cube: tuple[Any, ...] = () if job.cube is None else _cube_arguments(job.cube)
    return Trials(
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
        *with_cube,
    )


def _cube_arguments(
    cube: CubeUse,
) -> tuple[CubeStates, BuiltIn, npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    assert isinstance(cube.evaluator, BuiltIn)
    states = cube.states()
    return states, cube.evaluator, cube.starts(states), cube.waits()


def _endless(trial: int) -> BgfastError:
    return BgfastError(
        f"trial {trial} is not over after {MOST_PLIES:,} plies; expected a policy that ends games, "
        "or `truncate`"
    )


class _SideBySide:
    """Games played side by side, all at the same ply."""

    def __init__(self, job: Job, first: int, last: int, limit: Limit) -> None:
        candidates, trials = len(job.boards), last - first
        self.job = job
        self.points = np.zeros((candidates, trials), np.int8)
        self.plies = np.zeros((candidates, trials), np.int32)
        self.adjusted: Numbers | None = None
        self._limit = limit
        self._policy = Policy(job.policy, job.rules, job.checkers, job.seed, limit)
        self._evaluator = TimedEvaluator(job.evaluator, limit)
        self._luck_evaluator = (
            None if job.luck_evaluator is None else TimedEvaluator(job.luck_evaluator, limit)
        )
        self._cube = None if job.cube is None else _CubeSideBySide(job.cube, trials, limit)
        self._luck = np.zeros((candidates, trials, EVALUATION))
        self._ends = np.zeros((candidates, trials, EVALUATION))  # of truncated games
        # Those that go on: which they are, and their boards.
        self._games = np.arange(candidates * trials)
        self._trials = np.tile(np.arange(first, last), candidates)
        self._boards = np.repeat(job.boards, trials, axis=0)

    @property
    def seconds(self) -> float:
        """How long evaluators have taken."""
        asked = (self._policy.timed, self._evaluator, self._luck_evaluator)
        of_cube = 0.0 if self._cube is None else self._cube.evaluator.seconds
        return sum((each.seconds for each in asked if each is not None), of_cube)

    def play(self) -> Iterator[None]:
        """Play to the end, or to the ply where games are truncated; yield every quarter of a second or so.

        Raises
        ------
        OverError
            If the time is over.
        """
        last = MOST_PLIES if self.job.truncate is None else self.job.truncate
        told = time.monotonic()
        for ply in range(last):
            if not len(self._games):
                break
            self._limit.check()
            self._ply(ply)
            if time.monotonic() - told >= STEP:
                yield
                told = time.monotonic()
        if self.job.truncate is not None:
            self._truncate()
        elif len(self._games):
            raise _endless(int(self._trials[0]))
        if self.job.adjusts:
            self._adjust()

    def _ply(self, ply: int) -> None:
        if self._cube is not None:
            self._pass_doubles(self._cube, ply)
            if not len(self._games):
                return
        dice = np.empty((len(self._games), 2), np.int8)
        plies = np.full(len(self._games), ply)
        rollout_dice(self.job.seed, self.job.quasi_random, self._trials, plies, dice)
        if self._luck_evaluator is not None:
            self._count_luck(self._luck_evaluator, ply, dice)
        found = successors(self._boards, dice, rules=self.job.rules, flip=True, passes="keep")
        if self._cube is None:
            rows = self._policy.rows(self._boards, found, self._trials, plies)
        else:
            result = self._results(found.boards)
            rows = self._cube.chosen(
                self._policy, self._games, self._boards, found, result, self._trials, plies
            )
        boards = found.boards[rows]
        result = self._results(boards)
        # The next player is on roll: who was on roll at the start is it after every other ply.
        sign = 1 if ply % 2 else -1
        over = result != 0
        ended = self._games[over]
        self.points.reshape(-1)[ended] = sign * result[over]
        self.plies.reshape(-1)[self._games] = ply + 1
        if self._cube is not None:
            self._cube.next_player(self._games)
            self._cube.end(ended, result[over], passed=False)
        self._boards = boards
        self._leave(over)

    def _leave(self, over: npt.NDArray[np.bool_]) -> None:
        """Go on without the games that are over."""
        self._games, self._trials, self._boards = self._games[~over], self._trials[~over], self._boards[~over]

    def _pass_doubles(self, cube: _CubeSideBySide, ply: int) -> None:
        """Let the players on roll double; games end whose doubles are passed."""
        passed, evaluations = cube.act(self._games, self._boards, ply)
        ended = self._games[passed]
        self.points.reshape(-1)[ended] = -1 if ply % 2 else 1
        self.plies.reshape(-1)[ended] = ply + 1
        # What would have been is for the evaluator to say.
        self._ends.reshape(-1, EVALUATION)[ended] = (
            flipped_evaluations(evaluations) if ply % 2 else evaluations
        )
        cube.end(ended, np.ones(len(ended), np.int8), passed=True)
        self._leave(passed)

    def _results(self, boards: Boards) -> Boards:
        return results(boards, self.job.rules, self.job.checkers)

    def _count_luck(self, evaluator: TimedEvaluator, ply: int, dice: Boards) -> None:
        """Add what each roll is worth more than the mean of all, each played as the evaluator thinks best."""
        found = successors(self._boards, "all", rules=self.job.rules, flip=True, passes="keep")
        result = self._results(found.boards)
        evaluations = evaluator.evaluations(found.boards, result)
        best = best_rows(evaluations[:, EQUITY], found.offsets, best="min")
        by_roll = evaluations[best].reshape(len(self._games), len(ROLLS), -1)
        mean = np.einsum("r,grv->gv", WEIGHTS / WEIGHTS.sum(), by_roll)
        drawn = by_roll[np.arange(len(self._games)), ROLL_NUMBER[dice[:, 0], dice[:, 1]]]
        # Both are for the next player.
        luck = drawn - mean
        self._luck.reshape(-1, EVALUATION)[self._games] += luck if ply % 2 else flipped_gains(luck)
        if self._cube is not None:
            rolls = ROLL_NUMBER[dice[:, 0], dice[:, 1]]
            of_best = _with_ends(evaluations[best], result[best])
            gains = self._cube.gains(self._games, self._boards, of_best, rolls)
            self._cube.luck[self._games] += gains if ply % 2 else -gains

    def _truncate(self) -> None:
        if not len(self._games):
            return
        assert self.job.truncate is not None
        evaluations = self._evaluator.evaluations(self._boards, np.zeros(len(self._boards), np.int8))
        if self._cube is not None:
            self._cube.truncate(self._games, self._boards, evaluations)
        if self.job.truncate % 2:
            evaluations = flipped_evaluations(evaluations)
        self._ends.reshape(-1, EVALUATION)[self._games] = evaluations

    def _adjust(self) -> None:
        ends = evaluations_of_points(self.points.reshape(-1)).reshape(self._ends.shape)
        judged = self.points == 0
        if self._cube is not None:
            judged |= self._cube.passed.reshape(judged.shape)
        ends[judged] = self._ends[judged]
        # An evaluator of equities says nothing of probabilities: these stay as they are.
        self.adjusted = ends - np.where(np.isnan(self._luck), 0, self._luck)
        if self._cube is not None:
            values = (self._cube.values - self._cube.luck).reshape(*judged.shape, 1)
            self.adjusted = np.concatenate((self.adjusted, values), axis=2)


def _with_ends(evaluations: Numbers, result: Boards) -> Numbers:
    """Return evaluations with what ended games are; nobody may have been asked yet, if all have ended."""
    ended = (result != 0)[:, None]
    return np.where(ended, evaluations_of_points(result), evaluations)


class _CubeSideBySide:
    """The cube of games that are played side by side.

    Attributes
    ----------
    values, luck : ndarray of float64, shape (c n,)
        For those who were on roll at the start: what ended games are worth, and how lucky they were in it.
    passed : ndarray of bool, shape (c n,)
        Whether a game has ended with a pass.
    """

    def __init__(self, cube: CubeUse, trials: int, limit: Limit) -> None:
        self.evaluator = TimedEvaluator(cube.evaluator, limit)
        self._states = cube.states()
        self._efficiency = cube.efficiency
        self._starts = np.repeat(cube.starts(self._states), trials)
        self._waits = np.repeat(cube.waits(), trials)
        self._now = self._starts.copy()
        self._doubled = np.array([self._states.doubled(state) for state in range(self._states.number)])
        self.values = np.zeros(len(self._now))
        self.luck = np.zeros(len(self._now))
        self.passed = np.zeros(len(self._now), bool)

    def act(self, games: Rows, boards: Boards, ply: int) -> tuple[npt.NDArray[np.bool_], Numbers]:
        """Let players double; return whose doubles are passed, and what the evaluator says of these."""
        passed = np.zeros(len(games), bool)
        may = self._doubled[self._now[games]] >= 0
        if ply == 0:
            may &= self._waits[games] == 0
        if not may.any():
            return passed, np.empty((0, EVALUATION))
        evaluations = self._evaluations(
            self.evaluator.evaluations(boards[may], np.zeros(int(may.sum()), np.int8))
        )
        after, _ = self._states.actions(boards[may], evaluations, self._now[games[may]])
        passed[may] = after < 0
        self._now[games[may]] = np.where(after < 0, self._now[games[may]], after)
        return passed, evaluations[after < 0]

    def chosen(
        self,
        policy: Policy,
        games: Rows,
        boards: Boards,
        found: Successors,
        result: Boards,
        trials: Rows,
        plies: Rows,
    ) -> Rows:
        """Return the row that is best with the cube in each segment; players choose as they do."""
        evaluator = policy.timed.evaluator
        if isinstance(evaluator, Player) and not isinstance(evaluator, BuiltIn):
            return policy.rows(boards, found, trials, plies)
        sizes = np.diff(found.offsets)
        if not isinstance(evaluator, BuiltIn):
            states = np.repeat(self._now[games] ^ 1, sizes)
            evaluations = self._evaluations(
                _with_ends(policy.timed.evaluations(found.boards, result), result)
            )
            return best_rows(
                self._states.values(found.boards, evaluations, states), found.offsets, best="min"
            )
        rows = np.empty(len(games), np.int64)
        for state in np.unique(self._now[games]):
            here = self._now[games] == state
            of_these = np.flatnonzero(np.repeat(here, sizes))
            offsets = np.concatenate(([0], np.cumsum(sizes[here])))
            rows[here] = of_these[
                evaluator.choices(
                    boards[here],
                    found.boards[of_these],
                    offsets,
                    WIN_SCHEMES[policy._rules.win_scheme],
                    policy._checkers,
                    policy._seed,
                    trials[here],
                    plies[here],
                    self._states.stakes(int(state) ^ 1),
                    efficiency_model(self._efficiency),
                )
            ]
        return rows

    def next_player(self, games: Rows) -> None:
        """Go on to the turn of the next player."""
        self._now[games] ^= 1

    def end(self, games: Rows, points: Boards, *, passed: bool) -> None:
        """Take note of games that end with these points for the player on roll, or with a pass."""
        self.passed[games] = passed
        flags = np.full(len(games), passed, np.uint8)
        self._end(games, self._states.values_of_points(self._now[games], points, flags))

    def truncate(self, games: Rows, boards: Boards, evaluations: Numbers) -> None:
        """Take note of what games are worth that are ended before their players on roll may double."""
        self._end(games, self._states.actions(boards, self._evaluations(evaluations), self._now[games])[1])

    def gains(self, games: Rows, boards: Boards, evaluations: Numbers, drawn: Rows) -> Numbers:
        """Return what drawn rolls are worth more than the mean of all, for the next player.

        `evaluations` are those of the best plays of all rolls, by game.
        """
        number = len(ROLLS)
        states = np.repeat(self._now[games] ^ 1, number)
        # The kind of position is that before the roll: any would do, if it is one for all of them.
        before = np.repeat(boards, number, axis=0)
        _, found = self._states.actions(before, self._evaluations(evaluations), states, by_tables=False)
        values = found.reshape(-1, number)
        gains: Numbers = values[np.arange(len(games)), drawn] - values @ (WEIGHTS / WEIGHTS.sum())
        return gains

    def _end(self, games: Rows, values: Numbers) -> None:
        self.values[games] = self._states.starters_values(self._now[games], self._starts[games], values)

    def _evaluations(self, found: Numbers) -> Numbers:
        if np.isnan(found[:, :PROBABILITIES]).any():
            raise no_probabilities(self.evaluator.evaluator)
        return np.ascontiguousarray(found)
