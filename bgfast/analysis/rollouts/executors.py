"""Blocks of trials that are played on executors."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from functools import lru_cache
from typing import Any

from bgfast.analysis.rollouts.trials import MAX_CACHED_JOBS, Block, Job, play_block
from bgfast.common.pace import STEP, Limit

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
