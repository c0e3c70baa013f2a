"""Blocks of trials of a rollout, played in this process or on executors; calls to Python evaluators."""

from __future__ import annotations

import pickle
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._trials import Trials
from bgfast.analysis.rollouts.candidates import CubeUse, cube_evaluator, probabilities_error
from bgfast.batch.selection import best_rows
from bgfast.batch.successors import WIN_SCHEMES, Successors, results
from bgfast.common.pace import STEP_SECONDS, Limit, OverError
from bgfast.common.probabilities import EQUITY, EVALUATION, PROBABILITIES, Numbers, evaluations_of_points
from bgfast.common.validation import Boards, generator_switches
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.evaluators import (
    Evaluator,
    Policy,
    PolicyEvaluator,
    TimedEvaluator,
    call_evaluator,
    native_of,
)
from bgfast.rules import RuleSet

Rows = npt.NDArray[np.int64]

MAX_PLIES = 100_000
"""Maximum plies of a game. Between pip-count players about one game in 10,000 exceeds 10,000 plies."""

BLOCK = 1296
"""Maximum number of trials of a block; bounds memory for any number of trials."""

FIRST_BLOCKS = (4, 36)  # ends of the first blocks with evaluators in Python: small blocks give early results
FIRST_STEP_SECONDS = 0.005  # length of the first time slice, which measures the speed
MIN_PLIES_PER_STEP = 10  # keeps the wait for the last ply of other threads short
MAX_CACHED_JOBS = 2  # maximum number of jobs whose idle `Trials`, with their caches, a process keeps


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
    key: str = field(default_factory=lambda: secrets.token_hex(8), compare=False)  # cache key

    @property
    def in_core(self) -> bool:
        """True if trials are played in compiled code, by built-in evaluators alone."""
        evaluators = self.cube and self.cube.evaluator, self.truncate and self.evaluator, self.luck_evaluator
        natives = [native_of(evaluator) for evaluator in evaluators if evaluator is not None]
        has_points = all(native is not None and native.returns_points for native in natives)
        return has_points and native_of(self.policy) is not None

    @property
    def adjusts(self) -> bool:
        """True if evaluations replace the points of games."""
        return self.truncate is not None or self.luck_evaluator is not None or self.cube is not None

    @property
    def values_per_game(self) -> int:
        """Number of values per game in `Block.adjusted`: an evaluation and, with a cube, a cubeful value."""
        return EVALUATION + (self.cube is not None)

    def block_end(self, first: int) -> int:
        """Return the end of the block that contains trial `first`.

        An evaluator's result for a board may depend on the rest of the batch, at least in the last bit, so
        blocks played in lockstep end at fixed trials. Compiled games are independent: their blocks only
        bound memory.
        """
        if self.in_core:
            return (first // BLOCK + 1) * BLOCK
        for end in FIRST_BLOCKS:
            if first < end:
                return end
        boards_per_game = 21 if self.luck_evaluator is not None else 1
        # The size divides 1,296, the number of trials between interim analyses.
        size = 36 * max(1, 9 // max(1, len(self.boards) * boards_per_game // 7))
        return (first // size + 1) * size


def check_probabilities(job: Job) -> None:
    """Raise `BgfastError` if the cube is used and a built-in evaluator returns equities alone."""
    if job.cube is None:
        return
    truncation = None if job.truncate is None else job.evaluator
    for evaluator in (job.cube.evaluator, cube_evaluator(job.policy), job.luck_evaluator, truncation):
        if native_of(evaluator) is not None and call_evaluator(evaluator, job.boards[:1]).ndim != 2:
            raise probabilities_error(evaluator)


@dataclass(frozen=True)
class Block:
    """Trials `first` to `last` - 1 of all candidates, from the side of the player on roll at the start.

    Arrays have shape (c, n). `adjusted` has a third axis of 6 or 7, the values that replace the points:
    five probabilities, the equity and, with a cube, the cubeful value (MWC, or points in units of the
    initial cube).
    """

    first: int
    last: int
    points: Boards  # without the cube; a drop counts 1, a truncated game 0
    plies: npt.NDArray[np.int32]
    adjusted: Numbers | None  # None if points are not adjusted
    seconds: float
    evaluator_seconds: float

    def part(self, first: int, last: int) -> Block:
        """Return the part of the block from trial `first` to `last` - 1."""
        first, last = max(first, self.first), min(last, self.last)
        if (first, last) == (self.first, self.last):
            return self
        columns = slice(first - self.first, last - self.first)
        fraction = (last - first) / (self.last - self.first)
        adjusted = None if self.adjusted is None else self.adjusted[:, columns]
        seconds = self.seconds * fraction, self.evaluator_seconds * fraction
        return Block(first, last, self.points[:, columns], self.plies[:, columns], adjusted, *seconds)


def play_block(job: Job, first: int, last: int, limit: Limit | None = None) -> Block | None:
    """Play trials `first` to `last` - 1 of all candidates in this thread; return None if time runs out."""
    limit = Limit() if limit is None else limit
    blocks = [block for block in local_blocks(job, first, last, 1, limit) if block is not None]
    if not blocks or blocks[-1].last < last:
        return None
    seconds = (sum(getattr(block, name) for block in blocks) for name in ("seconds", "evaluator_seconds"))
    return Block(first, last, *join_arrays(blocks), *seconds)


def join_arrays(
    blocks: Sequence[Block],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], Numbers | None]:
    """Return the concatenated points, plies and adjusted values of blocks."""
    adjusted = [block.adjusted for block in blocks if block.adjusted is not None]
    return (
        np.concatenate([block.points for block in blocks], axis=1),
        np.concatenate([block.plies for block in blocks], axis=1),
        np.concatenate(adjusted, axis=1) if adjusted else None,
    )


def local_blocks(job: Job, first: int, last: int, threads: int, limit: Limit) -> Iterator[Block | None]:
    """Play trials `first` to `last` - 1 of all candidates in this process.

    Yields the trials finished for all candidates since the last block, or None after about a quarter of a
    second (or one play, if longer) without any. When time runs out, unfinished games are abandoned. With
    evaluators in Python all games are then abandoned: keeping the finished games would favour short ones.
    """
    shape = len(job.boards), last - first
    points, plies = np.empty(shape, np.int8), np.empty(shape, np.int32)
    adjusted = np.empty((*shape, job.values_per_game)) if job.adjusts else None
    python_evaluators = None if job.in_core else _PythonEvaluators(job, limit)
    with _reusable_trials(job, threads) as trials:
        trials.begin(first, points, plies, adjusted)
        yielded_count, is_done, step, start = 0, False, FIRST_STEP_SECONDS, time.perf_counter()
        while not is_done and not limit.is_over():
            is_done = trials.play(step, limit.seconds_left())
            step = max(STEP_SECONDS, MIN_PLIES_PER_STEP * trials.seconds_per_ply)
            if python_evaluators is not None:
                try:
                    is_done = is_done and not python_evaluators.answer(trials)
                except OverError:
                    return
                if not is_done:
                    if python_evaluators.is_yield_due():
                        yield None
                    continue
            # A long trial may be unfinished while later ones are finished.
            is_finished = np.all(plies[:, yielded_count:], axis=0).reshape(-1)
            count = len(is_finished) if is_finished.all() else int(np.argmin(is_finished))
            columns = slice(yielded_count, yielded_count + count)
            if job.truncate is None and not points[:, columns].all():
                trial = first + yielded_count + int(np.argmin(points[:, columns].all(axis=0)))
                raise BgfastError(
                    f"trial {trial} is not over after {MAX_PLIES:,} plies; expected a policy that ends "
                    "games, or `truncate`"
                )
            yielded_count += count
            now = time.perf_counter()
            adjusted_copy = None if adjusted is None else adjusted[:, columns].copy()
            arrays = points[:, columns].copy(), plies[:, columns].copy(), adjusted_copy
            seconds = now - start, 0.0 if python_evaluators is None else python_evaluators.seconds
            yield Block(first + columns.start, first + columns.stop, *arrays, *seconds) if count else None
            start = time.perf_counter()


class _PythonEvaluators:
    """Evaluators of a job that is not played in the core; they answer the questions of its games."""

    def __init__(self, job: Job, limit: Limit) -> None:
        evaluators = (
            job.evaluator if job.cube is None else job.cube.evaluator,
            job.evaluator if job.luck_evaluator is None else job.luck_evaluator,
            job.evaluator,
        )
        self._job = job
        self._policy = Policy(job.policy, job.rules, job.checkers, job.seed, limit)
        self._timed_evaluators = [TimedEvaluator(evaluator, limit, job.rules) for evaluator in evaluators]
        self._last_yield = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds spent in evaluators."""
        return sum(timed.seconds for timed in (self._policy.timed, *self._timed_evaluators))

    def is_yield_due(self) -> bool:
        """Return whether `STEP_SECONDS` have passed since this method last returned True."""
        is_due = time.monotonic() - self._last_yield >= STEP_SECONDS
        if is_due:
            self._last_yield = time.monotonic()
        return is_due

    def answer(self, trials: Trials) -> bool:
        """Answer the questions of all games; return whether any exist. Raise `OverError` if time runs out."""
        questions = [Successors(boards, offsets, None) for boards, offsets in trials.questions()]
        doubles, rolls, plays, ends = questions
        cube_evaluator, luck_evaluator, end_evaluator = self._timed_evaluators
        cube_evaluations = self._evaluations(cube_evaluator, doubles.boards)
        luck_evaluations = self._best_evaluations(luck_evaluator, rolls)
        choices, end_evaluations = self._choose(plays), self._evaluations(end_evaluator, ends.boards)
        trials.answer([cube_evaluations, luck_evaluations, choices, end_evaluations])
        return any(len(question.boards) for question in questions)

    def _evaluations(self, evaluator: TimedEvaluator, boards: Boards) -> Numbers:
        if not len(boards):
            return np.empty((0, EVALUATION))
        job = self._job
        outcomes = results(boards, job.rules, job.checkers)
        evaluations = evaluator.evaluations(boards, outcomes, job.checkers)
        if job.cube is not None:
            is_over = outcomes != 0
            evaluations[is_over] = evaluations_of_points(outcomes[is_over])
            if np.isnan(evaluations[:, :PROBABILITIES]).any():
                raise probabilities_error(evaluator.evaluator)
        return np.ascontiguousarray(evaluations)

    def _best_evaluations(self, evaluator: TimedEvaluator, rolls: Successors) -> Numbers:
        """Return the evaluations after the best plays of rolls, for the next player."""
        evaluations = self._evaluations(evaluator, rolls.boards)
        if len(evaluations):
            evaluations = evaluations[best_rows(evaluations[:, EQUITY], rolls.offsets, best="min")]
        return evaluations

    def _choose(self, plays: Successors) -> Numbers | Rows:
        """Return the rows that the policy chooses or, with a cube, the evaluations of all rows."""
        if self._job.cube is not None and not isinstance(self._policy.timed.evaluator, PolicyEvaluator):
            return self._evaluations(self._policy.timed, plays.boards)
        if not len(plays.boards):
            return np.empty(0, np.int64)
        return self._policy.rows(plays.boards[plays.offsets[:-1]], plays)


# ---- `Trials` are reused for all blocks of a rollout: they cache evaluations of boards ----

_idle_trials: dict[str, list[Trials]] = {}  # by job key


@contextmanager
def _reusable_trials(job: Job, threads: int) -> Iterator[Trials]:
    """Yield a `Trials` instance for a job, an idle one with a filled cache if possible."""
    idle_trials = _idle_trials.setdefault(job.key, [])
    for key in list(_idle_trials)[:-MAX_CACHED_JOBS]:  # the oldest jobs; another thread may remove them first
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
    cube_arguments: tuple[Any, ...] = ()
    if job.cube is not None:
        states = job.cube.states()
        cube_arguments = (
            states,
            _callee(job.cube.evaluator),
            job.cube.initial_states(states),
            job.cube.has_decided(),
        )
    truncation = None if job.truncate is None else job.evaluator
    evaluators = map(_callee, (job.policy, truncation, job.luck_evaluator))
    game = WIN_SCHEMES[job.rules.win_scheme], job.checkers, job.seed, job.quasi_random
    max_plies = MAX_PLIES if job.truncate is None else job.truncate
    switches = generator_switches(job.rules)
    return Trials(switches, job.boards, *evaluators, *game, max_plies, threads, *cube_arguments)


def _callee(evaluator: Any) -> Any:
    native = native_of(evaluator)
    return evaluator if native is None else native


# ---- executors ----


END_SECONDS = 10.0
"""Maximum wait for the blocks on a Dask cluster to end; an evaluator call may take a long time."""


class BlockExecutor:
    """Executor that plays blocks of a job and cancels blocks no longer needed.

    A thread pool of this process shares `limit`. A closing Dask worker logs a warning for each task that was
    cancelled while running, so blocks on a cluster watch an event of the scheduler and end by themselves.
    Other executors complete the blocks they have begun.
    """

    def __init__(self, executor: Any, job: Job, limit: Limit | None = None) -> None:
        self._executor = executor
        self._event: Any = None
        self._function: Callable[..., Block | None] = play_block
        self._job: Any = job
        self._limit: Any = limit  # on a Dask cluster, the name of the event
        if limit is None:
            self._function = play_remote_block
            client = _dask_client(executor)
            if job.in_core:
                self._job = _send_once(client, pickle.dumps(job))
            if client is not None:
                self._event = sys.modules["distributed"].Event(client=client)
                self._limit = self._event.name

    def submit(self, first: int, last: int) -> Future[Block | None]:
        """Submit trials `first` to `last` - 1."""
        future: Future[Block | None] = self._executor.submit(
            self._function, self._job, first, last, self._limit
        )
        return future

    def end(self, futures: Iterable[Future[Block | None]]) -> None:
        """Cancel the pending blocks; on a Dask cluster, after the blocks being played have ended."""
        if self._event is not None and self._event.client.status == "running":
            with suppress(OSError, *breakdown_errors()):  # without a scheduler no block is being played
                self._event.set()
                wait(futures, END_SECONDS)
                self._event.clear()
        for future in futures:
            future.cancel()


def play_remote_block(job: Job | bytes, first: int, last: int, event: str | None) -> Block | None:
    """Play trials of a job in another process; on a Dask cluster, stop when an event is set.

    A process unpickles a pickled job once for all of its blocks.
    """
    if isinstance(job, bytes):
        job = _unpickle_job(job)
    return play_block(job, first, last, None if event is None else _EventLimit(event))


@lru_cache(MAX_CACHED_JOBS)
def _unpickle_job(pickled: bytes) -> Job:
    job: Job = pickle.loads(pickled)
    return job


class _EventLimit(Limit):
    """Limit that is reached when an event on the Dask scheduler is set."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._event = sys.modules["distributed"].Event(name)
        self._next_check = -float("inf")

    def is_over(self) -> bool:
        """Return whether the event is set; ask the scheduler at most once per `STEP_SECONDS`."""
        if not super().is_over() and time.monotonic() >= self._next_check:
            # If the scheduler does not answer, the block is assumed to be needed.
            with suppress(OSError, ValueError):
                if self._event.is_set():
                    self.end()
            self._next_check = time.monotonic() + STEP_SECONDS
        return super().is_over()


def _dask_client(executor: Any) -> Any:
    """Return the client of a Dask executor, or None for another executor."""
    dask = sys.modules.get("distributed")
    client = getattr(executor, "_client", None)
    return client if dask is not None and isinstance(client, dask.Client) else None


def _send_once(client: Any, pickled: bytes) -> Any:
    """Return a job for `play_remote_block`; on a Dask cluster, a reference to the workers' copies.

    Dask sends arguments through its scheduler, which takes a quarter of a second for a network.
    """
    if client is None:
        return pickled
    try:
        # Without workers, submitted blocks wait for the first worker; `scatter` gives up.
        return client.scatter(pickled, broadcast=True, hash=False) if client.nthreads() else pickled
    except breakdown_errors():
        return pickled  # the first block reports the failure


def breakdown_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions of an executor that has failed; StopIteration would end the caller's loop."""
    dask = sys.modules.get("distributed")
    if dask is None:
        return BrokenExecutor, CancelledError, StopIteration
    # Dask resubmits the task of a dead worker, but only a few times.
    return BrokenExecutor, CancelledError, StopIteration, dask.KilledWorker, dask.client.ClosedClientError
