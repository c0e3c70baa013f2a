"""Progress display of long work: a line on standard error that is overwritten, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from bgfast.common.text import columns, cut

DELAY_SECONDS = 2.0  # shorter work shows nothing
PAUSE_SECONDS = 0.5  # minimum time between two updates
MAX_SHARE = 0.05  # maximum share of the time spent on computing the displayed text


class LiveLine:
    """Line on standard error that is overwritten at intervals; none if `quiet` or without a terminal."""

    def __init__(self, quiet: bool) -> None:
        self._stream = None if quiet or columns(sys.stderr) is None else sys.stderr
        self._next = time.monotonic() + DELAY_SECONDS
        self._shown = 0

    def due(self) -> bool:
        """Return whether it is time for an update."""
        return self._stream is not None and time.monotonic() >= self._next

    def write(self, text: str, pause: float = 0.0) -> None:
        """Write a text, cut to the terminal's width; it stays for at least `pause` seconds."""
        # A character in the last column would wrap the line on some terminals.
        width = (columns(self._stream) or 1) - 1
        line = cut(text, width)
        self._put(f"\r{line:{min(self._shown, width)}}")
        self._shown = len(line)
        self._next = time.monotonic() + max(PAUSE_SECONDS, pause)

    def clear(self) -> None:
        """Remove the line, so that other output can be printed."""
        if self._shown:
            width = (columns(self._stream) or 1) - 1
            self._put(f"\r{'':{min(self._shown, width)}}\r")
            self._shown = 0

    def _put(self, text: str) -> None:
        if self._stream is None:
            return
        encoding = self._stream.encoding or "utf-8"
        with suppress(OSError):  # a lost display must not stop the work
            self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()


class Progress:
    """Callable that takes the amount done, and displays it with the remaining time."""

    def __init__(self, line: LiveLine, task: str, total: float, unit: str, initial: float) -> None:
        self._line = line
        self._task = task
        self._total = total
        self._unit = unit
        self.initial = initial  # done before this run
        self._started = time.monotonic()

    def __call__(self, done: float, suffix: Callable[[], str] | None = None) -> None:
        """Display the amount done, if an update is due, followed by the text that `suffix` returns."""
        if done <= self.initial or not self._line.due():
            return
        now = time.monotonic()
        suffix_text = "" if suffix is None else suffix()
        took = time.monotonic() - now
        rate = (done - self.initial) / max(now - self._started, 1e-9)
        left = timedelta(seconds=round((self._total - done) / rate))
        speed = f"{rate:,.0f} {self._unit}/s, " if self._unit else ""
        text = f"{self._task}: {done / self._total:.1%}, {speed}{left} left{suffix_text}"
        self._line.write(text, took / MAX_SHARE)

    def clear(self) -> None:
        """Remove the line until the next update, so that other output can be printed."""
        self._line.clear()


@contextmanager
def shown_progress(
    task: str, total: float = 1.0, unit: str = "", initial: float = 0.0, *, quiet: bool = False
) -> Iterator[Progress]:
    """Open a progress display and yield the callable that updates it.

    With `unit` the rate is displayed as well. `initial`, the amount done before this run, counts neither for
    the rate nor for the remaining time.
    """
    line = LiveLine(quiet)
    try:
        yield Progress(line, task, total, unit, initial)
    finally:
        line.clear()


def follow(shares: Iterable[float], task: str, *, quiet: bool) -> None:
    """Do the work of an iterator that yields the completed share, and display the progress."""
    with shown_progress(task, quiet=quiet) as progress:
        for share in shares:
            progress(share)
