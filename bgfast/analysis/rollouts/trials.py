"""Blocks of trials of a rollout, played in compiled code if possible, else in lockstep."""

from __future__ import annotations

import pickle
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._trials import Trials
from bgfast.analysis.rollouts._turns import rollout_dice
from bgfast.analysis.rollouts.candidates import CubeUse, cube_evaluator, no_probabilities
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
from bgfast.evaluation.efficiency import efficiency_model
from bgfast.evaluation.evaluators.evaluators import (
    Evaluator,
    NativeEvaluator,
    Policy,
    PolicyEvaluator,
    TimedEvaluator,
    call_evaluator,
)
from bgfast.rules import RuleSet

Rows = npt.NDArray[np.int64]

MAX_PLIES = 100_000
"""Maximum length of a game. Played by pip count, about one game in 10,000 takes more than 10,000 plies."""

BLOCK = 1296
"""Maximum number of trials of a block; bounds memory for any number of trials."""

FIRST_BLOCKS = (4, 36)  # ends of the first lockstep blocks: small ones give early results
FIRST_STEP_SECONDS = 0.005  # length of the first time slice, which measures the speed
MIN_PLIES_PER_STEP = 10  # keeps the wait for the last ply of other threads short
MAX_CACHED_JOBS = 2  # jobs whose idle `Trials`, with their caches, a process keeps
WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)
ROLL_NUMBER = np.zeros((7, 7), np.int64)  # by two dice in either order
for _number, (_high, _low) in enumerate(ROLLS):
    ROLL_NUMBER[_high, _low] = ROLL_NUMBER[_low, _high] = _number


@dataclass(frozen=True)
class Job:
    """Boards and settings of a rollout; picklable if the evaluators are."""

    boards: Boards  # unfinished candidates, the player on roll as mover
    rules: RuleSet
    checkers: int
    seed: int
    quasi_random: bool
    truncate: int | None
    policy: Evaluator  # chooses plays
    evaluator: Evaluator  # evaluates truncated games
    luck_evaluator: Evaluator | None  # None: no variance reduction
    cube: CubeUse | None = None  # None: cubeless games
    key: str = field(default_factory=lambda: secrets.token_hex(8), compare=False)  # of caches in a process

    @property
    def in_core(self) -> bool:
        """True if trials are played in compiled code, by built-in evaluators alone."""
        evaluators = [] if self.cube is None else [self.cube.evaluator]
        if self.truncate is not None:
            evaluators.append(self.evaluator)
        if self.luck_evaluator is not None:
            evaluators.append(self.luck_evaluator)
        return isinstance(self.policy, NativeEvaluator) and all(
            isinstance(evaluator, NativeEvaluator) and evaluator.returns_points for evaluator in evaluators
        )

    @property
    def adjusts(self) -> bool:
        """True if evaluations replace the points of games."""
        return self.truncate is not None or self.luck_evaluator is not None or self.cube is not None

    @property
    def adjusted_numbers(self) -> int:
        """Number of values per game in `Block.adjusted`: an evaluation and, with a cube, a cubeful value."""
        return EVALUATION + (self.cube is not None)

    def block_end(self, first: int) -> int:
        """Return the end of the block that contains trial `first`.

        An evaluator's result for a board may depend on the rest of the batch, at least in the last bit.
        Lockstep blocks therefore depend neither on the clock nor on interruptions. Compiled games are
        independent, so their blocks only bound memory.
        """
        if self.in_core:
            return (first // BLOCK + 1) * BLOCK
        for end in FIRST_BLOCKS:
            if first < end:
                return end
        boards_per_game = 21 if self.luck_evaluator is not None else 1
        # A divisor of 1,296, the trials between interim analyses.
        size = 36 * max(1, 9 // max(1, len(self.boards) * boards_per_game // 7))
        return (first // size + 1) * size


def check_probabilities(job: Job) -> None:
    """Raise `BgfastError` if a built-in evaluator returns equities alone and there is a cube."""
    if job.cube is None:
        return
    evaluators: list[Any] = [job.cube.evaluator, cube_evaluator(job.policy), job.luck_evaluator]
    if job.truncate is not None:
        evaluators.append(job.evaluator)
    for evaluator in evaluators:
        if isinstance(evaluator, NativeEvaluator) and call_evaluator(evaluator, job.boards[:1]).ndim != 2:
            raise no_probabilities(evaluator)


@dataclass(frozen=True)
class Block:
    """Trials `first` to `last` - 1 of all candidates, from the side of the player on roll at the start.

    Arrays have shape (c, n), `adjusted` a third axis of 6 or 7: the evaluations that replace the points,
    five probabilities, the equity and, with a cube, the cubeful value (MWC, or points in units of the
    initial cube).
    """

    first: int
    last: int
    points: Boards  # without the cube; a drop counts 1, a truncated game 0
    plies: npt.NDArray[np.int32]
    adjusted: Numbers | None  # None if games count their points
    seconds: float
    evaluator_seconds: float

    def part(self, first: int, last: int) -> Block:
        """Return the part of the block from trial `first` to `last` - 1."""
        first, last = max(first, self.first), min(last, self.last)
        if (first, last) == (self.first, self.last):
            return self
        columns = slice(first - self.first, last - self.first)
        share = (last - first) / (self.last - self.first)
        return Block(
            first,
            last,
            self.points[:, columns],
            self.plies[:, columns],
            None if self.adjusted is None else self.adjusted[:, columns],
            self.seconds * share,
            self.evaluator_seconds * share,
        )


def play_block(job: Job, first: int, last: int, limit: Limit | None = None) -> Block | None:
    """Play trials `first` to `last` - 1 of all candidates in this thread; None if time runs out."""
    limit = Limit() if limit is None else limit
    blocks = [block for block in local_blocks(job, first, last, 1, limit) if block is not None]
    return blocks[0] if len(blocks) == 1 else _join(blocks) if blocks and blocks[-1].last == last else None


def _join(blocks: list[Block]) -> Block:
    adjusted = [block.adjusted for block in blocks if block.adjusted is not None]
    return Block(
        blocks[0].first,
        blocks[-1].last,
        np.concatenate([block.points for block in blocks], axis=1),
        np.concatenate([block.plies for block in blocks], axis=1),
        np.concatenate(adjusted, axis=1) if adjusted else None,
        sum(block.seconds for block in blocks),
        sum(block.evaluator_seconds for block in blocks),
    )


def local_blocks(job: Job, first: int, last: int, threads: int, limit: Limit) -> Iterator[Block | None]:
    """Play trials `first` to `last` - 1 of all candidates in this process.

    Yields the trials finished for all candidates since the last block, or None if there are none after about
    a quarter of a second or a single longer play. When time runs out, unfinished games are abandoned. All
    games in lockstep are abandoned then: keeping the finished ones would prefer short games.
    """
    if job.in_core:
        yield from _blocks_in_core(job, first, last, threads, limit)
        return
    start = time.perf_counter()
    lockstep = _LockstepGames(job, first, last, limit)
    try:
        yield from lockstep.play()
    except OverError:
        return
    yield Block(
        first,
        last,
        lockstep.points,
        lockstep.plies,
        lockstep.adjusted,
        time.perf_counter() - start,
        lockstep.seconds,
    )


def _blocks_in_core(job: Job, first: int, last: int, threads: int, limit: Limit) -> Iterator[Block | None]:
    shape = len(job.boards), last - first
    points, plies = np.empty(shape, np.int8), np.empty(shape, np.int32)
    adjusted = np.empty((*shape, job.adjusted_numbers)) if job.adjusts else None
    with _reusable_trials(job, threads) as trials:
        trials.begin(first, points, plies, adjusted)
        reported, is_done, step = 0, False, FIRST_STEP_SECONDS
        while not is_done and not limit.over():
            start = time.perf_counter()
            is_done = trials.play(step, limit.left())
            seconds = time.perf_counter() - start
            # A long trial may be unfinished while later ones are finished.
            finished = np.all(plies[:, reported:], axis=0).reshape(-1)
            count = len(finished) if finished.all() else int(np.argmin(finished))
            columns = slice(reported, reported + count)
            if job.truncate is None and not points[:, columns].all():
                raise _endless_game_error(first + reported + int(np.argmin(points[:, columns].all(axis=0))))
            reported += count
            step = max(STEP, MIN_PLIES_PER_STEP * trials.seconds_per_ply)
            yield (
                None
                if not count
                else Block(
                    first + columns.start,
                    first + columns.stop,
                    points[:, columns].copy(),
                    plies[:, columns].copy(),
                    None if adjusted is None else adjusted[:, columns].copy(),
                    seconds,
                    0.0,
                )
            )


# ---- `Trials` are reused for all blocks of a rollout: they cache evaluations of boards ----

_idle_trials: dict[str, list[Trials]] = {}  # by job key, without those in use


@contextmanager
def _reusable_trials(job: Job, threads: int) -> Iterator[Trials]:
    """Yield a `Trials` instance for a job, an idle one with a filled cache if possible."""
    idle_trials = _idle_trials.setdefault(job.key, [])
    for key in list(_idle_trials)[:-MAX_CACHED_JOBS]:  # the oldest; another thread may remove them first
        _idle_trials.pop(key, None)
    try:
        trials = idle_trials.pop()
    except IndexError:
        trials = None
    if trials is None or trials.threads != threads:
        trials = _new_trials(job, threads)
    yield trials
    idle_trials.append(trials)


def forget(job: Job) -> None:
    """Drop the idle `Trials` of a job."""
    _idle_trials.pop(job.key, None)


def _new_trials(job: Job, threads: int) -> Trials:
    assert isinstance(job.policy, NativeEvaluator)
    cube_arguments: tuple[Any, ...] = ()
    if job.cube is not None:
        states = job.cube.states()
        cube_arguments = states, job.cube.evaluator, job.cube.starts(states), job.cube.has_decided()
    return Trials(
        generated_switches(job.rules),
        job.boards,
        job.policy,
        job.evaluator if isinstance(job.evaluator, NativeEvaluator) and job.truncate is not None else None,
        job.luck_evaluator if isinstance(job.luck_evaluator, NativeEvaluator) else None,
        WIN_SCHEMES[job.rules.win_scheme],
        job.checkers,
        job.seed,
        job.quasi_random,
        MAX_PLIES if job.truncate is None else job.truncate,
        threads,
        *cube_arguments,
    )


def _endless_game_error(trial: int) -> BgfastError:
    return BgfastError(
        f"trial {trial} is not over after {MAX_PLIES:,} plies; expected a policy that ends games, "
        "or `truncate`"
    )


class _LockstepGames:
    """Games played in lockstep, all at the same ply."""

    def __init__(self, job: Job, first: int, last: int, limit: Limit) -> None:
        candidates, trials = len(job.boards), last - first
        self.job = job
        self.points = np.zeros((candidates, trials), np.int8)
        self.plies = np.zeros((candidates, trials), np.int32)
        self.adjusted: Numbers | None = None
        self._limit = limit
        self._policy = Policy(job.policy, job.rules, job.checkers, job.seed, limit)
        self._evaluator = TimedEvaluator(job.evaluator, limit, job.rules)
        self._luck_evaluator = (
            None if job.luck_evaluator is None else TimedEvaluator(job.luck_evaluator, limit, job.rules)
        )
        self._cube = None if job.cube is None else _LockstepCube(job.cube, trials, limit, job.rules)
        self._luck = np.zeros((candidates, trials, EVALUATION))
        self._final_evaluations = np.zeros((candidates, trials, EVALUATION))  # of truncated games
        # Unfinished games, their trials and their boards.
        self._active_games = np.arange(candidates * trials)
        self._trials = np.tile(np.arange(first, last), candidates)
        self._boards = np.repeat(job.boards, trials, axis=0)

    @property
    def seconds(self) -> float:
        """Seconds spent in evaluators."""
        evaluators = (self._policy.timed, self._evaluator, self._luck_evaluator)
        cube_seconds = 0.0 if self._cube is None else self._cube.evaluator.seconds
        return sum((evaluator.seconds for evaluator in evaluators if evaluator is not None), cube_seconds)

    def play(self) -> Iterator[None]:
        """Play all games to their end or truncation, yielding now and then; `OverError` if time runs out."""
        max_plies = MAX_PLIES if self.job.truncate is None else self.job.truncate
        last_yield = time.monotonic()
        for ply in range(max_plies):
            if not len(self._active_games):
                break
            self._limit.check()
            self._ply(ply)
            if time.monotonic() - last_yield >= STEP:
                yield
                last_yield = time.monotonic()
        if self.job.truncate is not None:
            self._truncate()
        elif len(self._active_games):
            raise _endless_game_error(int(self._trials[0]))
        if self.job.adjusts:
            self._adjust()

    def _ply(self, ply: int) -> None:
        if self._cube is not None:
            self._apply_cube_actions(self._cube, ply)
            if not len(self._active_games):
                return
        dice = np.empty((len(self._active_games), 2), np.int8)
        plies = np.full(len(self._active_games), ply)
        rollout_dice(self.job.seed, self.job.quasi_random, self._trials, plies, dice)
        if self._luck_evaluator is not None:
            self._add_luck(self._luck_evaluator, ply, dice)
        plays = successors(self._boards, dice, rules=self.job.rules, flip=True, passes="keep")
        if self._cube is None:
            rows = self._policy.rows(self._boards, plays, self._trials, plies)
        else:
            outcomes = self._results(plays.boards)
            rows = self._cube.rows(
                self._policy, self._active_games, self._boards, plays, outcomes, self._trials, plies
            )
        boards = plays.boards[rows]
        outcomes = self._results(boards)
        # Outcomes are those of the next player, who was on roll at the start if the ply is odd.
        sign = 1 if ply % 2 else -1
        is_over = outcomes != 0
        ended = self._active_games[is_over]
        self.points.reshape(-1)[ended] = sign * outcomes[is_over]
        self.plies.reshape(-1)[self._active_games] = ply + 1
        if self._cube is not None:
            self._cube.next_player(self._active_games)
            self._cube.end(ended, outcomes[is_over], dropped=False)
        self._boards = boards
        self._remove_games(is_over)

    def _remove_games(self, is_over: npt.NDArray[np.bool_]) -> None:
        """Remove finished games from the active ones."""
        self._active_games = self._active_games[~is_over]
        self._trials = self._trials[~is_over]
        self._boards = self._boards[~is_over]

    def _apply_cube_actions(self, cube: _LockstepCube, ply: int) -> None:
        """Apply cube actions before the roll; games whose double is dropped end."""
        is_dropped, evaluations = cube.act(self._active_games, self._boards, ply)
        ended = self._active_games[is_dropped]
        self.points.reshape(-1)[ended] = -1 if ply % 2 else 1
        self.plies.reshape(-1)[ended] = ply + 1
        # A drop counts with the evaluation of the position.
        self._final_evaluations.reshape(-1, EVALUATION)[ended] = (
            flipped_evaluations(evaluations) if ply % 2 else evaluations
        )
        cube.end(ended, np.ones(len(ended), np.int8), dropped=True)
        self._remove_games(is_dropped)

    def _results(self, boards: Boards) -> Boards:
        return results(boards, self.job.rules, self.job.checkers)

    def _add_luck(self, evaluator: TimedEvaluator, ply: int, dice: Boards) -> None:
        """Add the luck of the rolls: the evaluation after the best play less the mean over all rolls."""
        plays = successors(self._boards, "all", rules=self.job.rules, flip=True, passes="keep")
        outcomes = self._results(plays.boards)
        evaluations = evaluator.evaluations(plays.boards, outcomes, self.job.checkers)
        best = best_rows(evaluations[:, EQUITY], plays.offsets, best="min")
        by_roll = evaluations[best].reshape(len(self._active_games), len(ROLLS), -1)
        mean = np.einsum("r,grv->gv", WEIGHTS / WEIGHTS.sum(), by_roll)
        drawn = by_roll[np.arange(len(self._active_games)), ROLL_NUMBER[dice[:, 0], dice[:, 1]]]
        # Evaluations are those of the next player.
        luck = drawn - mean
        self._luck.reshape(-1, EVALUATION)[self._active_games] += luck if ply % 2 else flipped_gains(luck)
        if self._cube is not None:
            rolls = ROLL_NUMBER[dice[:, 0], dice[:, 1]]
            best_evaluations = _with_outcomes(evaluations[best], outcomes[best])
            gains = self._cube.gains(self._active_games, self._boards, best_evaluations, rolls)
            self._cube.luck[self._active_games] += gains if ply % 2 else -gains

    def _truncate(self) -> None:
        if not len(self._active_games):
            return
        assert self.job.truncate is not None
        evaluations = self._evaluator.evaluations(
            self._boards, np.zeros(len(self._boards), np.int8), self.job.checkers
        )
        if self._cube is not None:
            self._cube.truncate(self._active_games, self._boards, evaluations)
        if self.job.truncate % 2:
            evaluations = flipped_evaluations(evaluations)
        self._final_evaluations.reshape(-1, EVALUATION)[self._active_games] = evaluations

    def _adjust(self) -> None:
        adjusted = evaluations_of_points(self.points.reshape(-1)).reshape(self._final_evaluations.shape)
        is_evaluated = self.points == 0
        if self._cube is not None:
            is_evaluated |= self._cube.dropped.reshape(is_evaluated.shape)
        adjusted[is_evaluated] = self._final_evaluations[is_evaluated]
        # Luck of an evaluator of equities has no probabilities: they are not adjusted.
        self.adjusted = adjusted - np.where(np.isnan(self._luck), 0, self._luck)
        if self._cube is not None:
            values = (self._cube.values - self._cube.luck).reshape(*is_evaluated.shape, 1)
            self.adjusted = np.concatenate((self.adjusted, values), axis=2)


def _with_outcomes(evaluations: Numbers, outcomes: Boards) -> Numbers:
    """Replace the evaluations of finished games by those of their outcomes."""
    is_over = (outcomes != 0)[:, None]
    return np.where(is_over, evaluations_of_points(outcomes), evaluations)


class _LockstepCube:
    """Cube of games that are played in lockstep."""

    def __init__(self, cube: CubeUse, trials: int, limit: Limit, rules: RuleSet) -> None:
        self.evaluator = TimedEvaluator(cube.evaluator, limit, rules)
        self._checkers = cube.checkers
        self._states = cube.states()
        self._efficiency = cube.efficiency
        self._starts = np.repeat(cube.starts(self._states), trials)
        self._has_decided = np.repeat(cube.has_decided(), trials)
        self._game_states = self._starts.copy()
        self._doubled_states = np.array([self._states.doubled(state) for state in range(self._states.number)])
        # Of finished games, for the players on roll at the start.
        self.values = np.zeros(len(self._game_states))
        self.luck = np.zeros(len(self._game_states))
        self.dropped = np.zeros(len(self._game_states), bool)  # True for games that ended with a drop

    def act(self, games: Rows, boards: Boards, ply: int) -> tuple[npt.NDArray[np.bool_], Numbers]:
        """Apply cube actions; return which doubles are dropped, and the evaluations of these games."""
        is_dropped = np.zeros(len(games), bool)
        may_double = self._doubled_states[self._game_states[games]] >= 0
        if ply == 0:
            may_double &= self._has_decided[games] == 0
        if not may_double.any():
            return is_dropped, np.empty((0, EVALUATION))
        evaluations = self._evaluations(
            self.evaluator.evaluations(
                boards[may_double], np.zeros(int(may_double.sum()), np.int8), self._checkers
            )
        )
        after, _ = self._states.actions(boards[may_double], evaluations, self._game_states[games[may_double]])
        is_dropped[may_double] = after < 0
        self._game_states[games[may_double]] = np.where(
            after < 0, self._game_states[games[may_double]], after
        )
        return is_dropped, evaluations[after < 0]

    def rows(
        self,
        policy: Policy,
        games: Rows,
        boards: Boards,
        plays: Successors,
        outcomes: Boards,
        trials: Rows,
        plies: Rows,
    ) -> Rows:
        """Return the row of the play in every segment: a player's choice, or the best with the cube."""
        evaluator = policy.timed.evaluator
        if isinstance(evaluator, PolicyEvaluator) and not isinstance(evaluator, NativeEvaluator):
            return policy.rows(boards, plays, trials, plies)
        sizes = np.diff(plays.offsets)
        if not isinstance(evaluator, NativeEvaluator):
            states = np.repeat(self._game_states[games] ^ 1, sizes)
            evaluations = self._evaluations(
                _with_outcomes(policy.timed.evaluations(plays.boards, outcomes, self._checkers), outcomes)
            )
            return best_rows(
                self._states.values(plays.boards, evaluations, states), plays.offsets, best="min"
            )
        rows = np.empty(len(games), np.int64)
        for state in np.unique(self._game_states[games]):
            in_state = self._game_states[games] == state
            selected = np.flatnonzero(np.repeat(in_state, sizes))
            offsets = np.concatenate(([0], np.cumsum(sizes[in_state])))
            rows[in_state] = selected[
                evaluator._choices(
                    boards[in_state],
                    plays.boards[selected],
                    offsets,
                    *policy.game,
                    policy._seed,
                    trials[in_state],
                    plies[in_state],
                    self._states.stakes(int(state) ^ 1),
                    efficiency_model(self._efficiency),
                )
            ]
        return rows

    def next_player(self, games: Rows) -> None:
        """Pass the turn to the next player."""
        self._game_states[games] ^= 1

    def end(self, games: Rows, points: Boards, *, dropped: bool) -> None:
        """Record games that end with points for the player on roll, or with a drop."""
        self.dropped[games] = dropped
        flags = np.full(len(games), dropped, np.uint8)
        self._end(games, self._states.values_of_points(self._game_states[games], points, flags))

    def truncate(self, games: Rows, boards: Boards, evaluations: Numbers) -> None:
        """Record the values of games that are truncated before a cube action."""
        self._end(
            games, self._states.actions(boards, self._evaluations(evaluations), self._game_states[games])[1]
        )

    def gains(self, games: Rows, boards: Boards, evaluations: Numbers, drawn: Rows) -> Numbers:
        """Return the luck of drawn rolls for the next player; `evaluations` are those of all rolls."""
        rolls = len(ROLLS)
        states = np.repeat(self._game_states[games] ^ 1, rolls)
        # The board before the roll determines the efficiency for all rolls; any fixed board would do.
        boards_before = np.repeat(boards, rolls, axis=0)
        _, values = self._states.actions(
            boards_before, self._evaluations(evaluations), states, use_tables=False
        )
        by_roll = values.reshape(-1, rolls)
        gains: Numbers = by_roll[np.arange(len(games)), drawn] - by_roll @ (WEIGHTS / WEIGHTS.sum())
        return gains

    def _end(self, games: Rows, values: Numbers) -> None:
        self.values[games] = self._states.values_at_start(
            self._game_states[games], self._starts[games], values
        )

    def _evaluations(self, evaluations: Numbers) -> Numbers:
        if np.isnan(evaluations[:, :PROBABILITIES]).any():
            raise no_probabilities(self.evaluator.evaluator)
        return np.ascontiguousarray(evaluations)


# ---- executors ----


END_SECONDS = 10.0
"""Maximum wait for the blocks on a Dask cluster to end; a call of an evaluator may take long."""


class BlockExecutor:
    """Executor that plays blocks of a job, and ends those that are no longer needed.

    A pool of threads of this process shares `limit`. A Dask worker that is closed logs a warning of each
    task that was cancelled while it ran; blocks on a cluster therefore watch an event of the scheduler and
    end by themselves. Other executors complete the blocks they have begun.
    """

    def __init__(self, executor: Any, job: Job, limit: Limit | None = None) -> None:
        self._executor = executor
        self._event: Any = None
        self._function: Callable[..., Block | None] = play_block
        self._job: Any = job
        self._end: Any = limit
        if limit is None:
            self._function = play_remote_block
            client = _dask_client(executor)
            if job.in_core:
                self._job = _sent_once(client, pickle.dumps(job))
            if client is not None:
                self._event = sys.modules["distributed"].Event(client=client)
                self._end = self._event.name

    def submit(self, first: int, last: int) -> Future[Block | None]:
        """Submit trials `first` to `last` - 1."""
        future: Future[Block | None] = self._executor.submit(
            self._function, self._job, first, last, self._end
        )
        return future

    def end(self, pending: Iterable[Future[Block | None]]) -> None:
        """Cancel the pending blocks; on a Dask cluster when none of them is played any more."""
        if self._event is not None and self._event.client.status == "running":
            with suppress(OSError, *breakdown_errors()):  # without a scheduler there is nothing to end
                self._event.set()
                wait(pending, END_SECONDS)
                self._event.clear()
        for future in pending:
            future.cancel()


def play_remote_block(job: Job | bytes, first: int, last: int, event: str | None) -> Block | None:
    """Play trials of a job in another process, on a Dask cluster until an event is set.

    A process unpickles a pickled job once for all of its blocks.
    """
    if isinstance(job, bytes):
        job = _unpickled_job(job)
    return play_block(job, first, last, None if event is None else _EventLimit(event))


@lru_cache(MAX_CACHED_JOBS)
def _unpickled_job(pickled: bytes) -> Job:
    job: Job = pickle.loads(pickled)
    return job


class _EventLimit(Limit):
    """Limit that is reached when an event on the Dask scheduler is set."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._event = sys.modules["distributed"].Event(name)
        self._next_question = -float("inf")

    def over(self) -> bool:
        """Return whether the event is set, or was a moment ago."""
        if not super().over() and time.monotonic() >= self._next_question:
            # Without an answer from the scheduler the block is still needed.
            with suppress(OSError, ValueError):
                if self._event.is_set():
                    self.end()
            self._next_question = time.monotonic() + STEP
        return super().over()


def _dask_client(executor: Any) -> Any:
    """Return the client of the executor of a Dask cluster, else None."""
    dask = sys.modules.get("distributed")
    client = getattr(executor, "_client", None)
    return client if dask is not None and isinstance(client, dask.Client) else None


def _sent_once(client: Any, pickled: bytes) -> Any:
    """Return a job for `play_remote_block`; on a Dask cluster a reference to what all workers have.

    Dask sends arguments through its scheduler: a quarter of a second for the megabytes of a network.
    """
    if client is None:
        return pickled
    try:
        # Blocks wait for the first worker; `scatter` gives up.
        return client.scatter(pickled, broadcast=True, hash=False) if client.nthreads() else pickled
    except breakdown_errors():
        return pickled  # the first block reports it


def breakdown_errors() -> tuple[type[BaseException], ...]:
    """Return exceptions that mean a failure of the executor; StopIteration would end the caller's loop."""
    dask = sys.modules.get("distributed")
    if dask is None:
        return BrokenExecutor, CancelledError, StopIteration
    # Dask resubmits the task of a dead worker, but only a few times.
    return BrokenExecutor, CancelledError, StopIteration, dask.KilledWorker, dask.client.ClosedClientError
