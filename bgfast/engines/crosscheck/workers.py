"""One engine through all cases: several processes of it side by side, what comes of each case in its order.

Each thread owns one process. What comes out does not depend on how many there are, since the comparisons are
taken in the order of the cases; a thread that is ahead waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from time import monotonic

from bgfast.engines.crosscheck.disagreements import Comparison, judged
from bgfast.engines.protocol import Case, Engine, EngineError, MissingEngineError

__all__ = ["Opener", "StoppedError", "comparisons"]

Opener = Callable[[], Engine]
"""Starts one more process of the engine."""

AHEAD = 1000
"""Cases that threads may be ahead of the first one that is not answered yet."""

PATIENCE = 1.0
"""Seconds for threads to end; one whose engine never answers is left behind."""


class StoppedError(Exception):
    """The engine cannot be asked any more; the message says why."""


def comparisons(
    opened: Engine, opener: Opener, cases: Iterable[Case], first: int, jobs: int
) -> Generator[Comparison, None, None]:
    """Yield what comes of each case, in the order of the cases.

    Parameters
    ----------
    opened : Engine
        A process that runs already; it is left open unless this generator is left early.
    opener : function
        Starts the further ones.
    cases : iterable of Case
    first : int
        The number of the first case to ask; those before it are skipped.
    jobs : int
        How many processes to use.

    Raises
    ------
    StoppedError
        If the engine cannot be started again; the comparisons before have been yielded.
    """
    source = _Source(islice(enumerate(cases), first, None))
    found: SimpleQueue[Comparison | BaseException | None] = SimpleQueue()

    def work(engine: Engine | None) -> None:
        further = engine is None
        try:
            engine = engine or opener()
            source.engines.append(engine)
            while (taken := source.take()) is not None:
                found.put(judged(engine, *taken))
            if further:
                engine.close()
            found.put(None)
        except BaseException as error:
            found.put(error)

    threads = [
        threading.Thread(target=work, args=(opened if job == 0 else None,), daemon=True)
        for job in range(jobs)
    ]
    done = False
    try:  # Ctrl-C may come before all have begun
        for thread in threads:
            thread.start()
        yield from _in_order(found, source, first, jobs)
        done = True
    finally:
        source.stop()
        if not done:
            # A thread may wait for an engine that never answers, and closing one may take its time.
            closing = [
                threading.Thread(target=_closed, args=(engine,), daemon=True) for engine in source.engines
            ]
            for thread in closing:
                thread.start()
            for thread in closing:
                thread.join()
        deadline = monotonic() + PATIENCE
        for thread in filter(threading.Thread.is_alive, threads):
            thread.join(max(0.0, deadline - monotonic()))


def _closed(engine: Engine) -> None:
    with suppress(Exception):
        engine.close()


def _in_order(
    found: SimpleQueue[Comparison | BaseException | None], source: _Source, first: int, working: int
) -> Iterator[Comparison]:
    early: dict[int, Comparison] = {}
    while working:
        try:
            comparison = found.get(timeout=PATIENCE)  # without a limit Ctrl-C is not seen on every system
        except Empty:
            continue
        if comparison is None:
            working -= 1
        elif isinstance(comparison, (MissingEngineError, EngineError)):
            raise StoppedError(f"it cannot be started again: {comparison}")
        elif isinstance(comparison, BaseException):
            raise comparison
        else:
            early[comparison.number] = comparison
            while first in early:
                yield early.pop(first)
                source.room.release()
                first += 1


class _Source:
    """The cases still to be asked, for several threads; and the processes that ask them."""

    def __init__(self, cases: Iterator[tuple[int, Case]]) -> None:
        self._cases = cases
        self._lock = threading.Lock()
        self._stopped = False
        self.room = threading.Semaphore(AHEAD)
        self.engines: list[Engine] = []

    def take(self) -> tuple[int, Case] | None:
        """Return the next case; None if there is none, or nobody wants its answer."""
        self.room.acquire()
        with self._lock:
            return None if self._stopped else next(self._cases, None)

    def stop(self) -> None:
        """Let every thread come to its end."""
        with self._lock:
            self._stopped = True
        self.room.release(AHEAD)
