"""Parallel comparison of all cases with several processes of one engine, in the order of the cases.

Every thread owns one process. The result does not depend on their number, since comparisons are yielded in
the order of the cases; threads that get too far ahead wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from time import monotonic

from bgfast.engines.crosscheck.disagreements import Comparison, compare_case
from bgfast.engines.protocol import Case, Engine, EngineError, MissingEngineError

Opener = Callable[[], Engine]
"""Function that starts another process of the engine."""

MAX_AHEAD = 1000
"""Maximum number of cases by which threads may be ahead of the first unanswered one."""

JOIN_SECONDS = 1.0
"""Time limit for threads to end; a thread whose engine never answers is abandoned."""


class StoppedError(Exception):
    """The engine can no longer be used; the message gives the reason."""


def comparisons(
    opened: Engine, opener: Opener, cases: Iterable[Case], first: int, jobs: int
) -> Generator[Comparison, None, None]:
    """Yield the comparisons in the order of the cases, starting with the case of number `first`.

    The process that is already running, `opened`, stays open unless the generator is closed early. Raises
    `StoppedError`, after all earlier comparisons, if the engine cannot be restarted.
    """
    queue = _CaseQueue(islice(enumerate(cases), first, None))
    results: SimpleQueue[Comparison | BaseException | None] = SimpleQueue()

    def work(engine: Engine | None) -> None:
        owns_engine = engine is None
        try:
            engine = engine or opener()
            queue.engines.append(engine)
            while (item := queue.take()) is not None:
                results.put(compare_case(engine, *item))
            if owns_engine:
                engine.close()
            results.put(None)
        except BaseException as error:
            results.put(error)

    threads = [
        threading.Thread(target=work, args=(opened if job == 0 else None,), daemon=True)
        for job in range(jobs)
    ]
    is_exhausted = False
    try:  # Ctrl-C may arrive before all threads have started
        for thread in threads:
            thread.start()
        yield from _in_order(results, queue, first, jobs)
        is_exhausted = True
    finally:
        queue.stop()
        if not is_exhausted:
            # Close in threads: an engine may never answer, and closing one may take a while.
            closing = [
                threading.Thread(target=_close, args=(engine,), daemon=True) for engine in queue.engines
            ]
            for thread in closing:
                thread.start()
            for thread in closing:
                thread.join()
        deadline = monotonic() + JOIN_SECONDS
        for thread in filter(threading.Thread.is_alive, threads):
            thread.join(max(0.0, deadline - monotonic()))


def _close(engine: Engine) -> None:
    with suppress(Exception):
        engine.close()


def _in_order(
    results: SimpleQueue[Comparison | BaseException | None], queue: _CaseQueue, first: int, running: int
) -> Iterator[Comparison]:
    early: dict[int, Comparison] = {}
    while running:
        try:
            # Without a timeout some systems do not deliver Ctrl-C.
            comparison = results.get(timeout=JOIN_SECONDS)
        except Empty:
            continue
        if comparison is None:
            running -= 1
        elif isinstance(comparison, (MissingEngineError, EngineError)):
            raise StoppedError(f"it cannot be started again: {comparison}")
        elif isinstance(comparison, BaseException):
            raise comparison
        else:
            early[comparison.number] = comparison
            while first in early:
                yield early.pop(first)
                queue.permits.release()
                first += 1


class _CaseQueue:
    """Queue of the remaining cases for several threads, and the engines they use."""

    def __init__(self, cases: Iterator[tuple[int, Case]]) -> None:
        self._cases = cases
        self._lock = threading.Lock()
        self._stopped = False
        self.permits = threading.Semaphore(MAX_AHEAD)
        self.engines: list[Engine] = []

    def take(self) -> tuple[int, Case] | None:
        """Return the next case; None if there is none, or after `stop`."""
        self.permits.acquire()
        with self._lock:
            return None if self._stopped else next(self._cases, None)

    def stop(self) -> None:
        """Make every thread end."""
        with self._lock:
            self._stopped = True
        self.permits.release(MAX_AHEAD)
