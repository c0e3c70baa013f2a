"""How far long work has come: one line on standard error, written over, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from bgfast.common.terminal import columns, cut

__all__ = ["LiveLine", "Progress", "shown_progress"]

DELAY = 2.0  # seconds after which work counts as long; shorter work shows nothing
PAUSE = 0.5  # seconds between two looks, or more:
SHARE = 0.05  # of the time that it may take to find out what to show


class LiveLine:
    """A line on standard error that is written over now and then, and never wraps.

    With `quiet` there is none, as without a terminal.
    """

    def __init__(self, quiet: bool) -> None:
        self._stream = None if quiet or columns(sys.stderr) is None else sys.stderr
        self._next = time.monotonic() + DELAY
        self._shown = 0

    def due(self) -> bool:
        """Whether it is time to write it."""
        return self._stream is not None and time.monotonic() >= self._next

    def write(self, text: str, pause: float = 0.0) -> None:
        """Write a text in its place, or what there is room for; it stays for `pause` seconds at least."""
        # A character in the last column would wrap the line on some terminals.
        room = (columns(self._stream) or 1) - 1
        line = cut(text, room)
        self._put(f"\r{line:{min(self._shown, room)}}")
        self._shown = len(line)
        self._next = time.monotonic() + max(PAUSE, pause)

    def clear(self) -> None:
        """Take it away, so that something else can be printed there."""
        if self._shown:
            room = (columns(self._stream) or 1) - 1
            self._put(f"\r{'':{min(self._shown, room)}}\r")
            self._shown = 0

    def _put(self, text: str) -> None:
        if self._stream is None:
            return
        encoding = self._stream.encoding or "utf-8"
        with suppress(OSError):  # what nobody can see is no reason to stop
            self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()


class Progress:
    """Takes how much is done, and shows it with the time that is left."""

    def __init__(self, line: LiveLine, what: str, total: float, unit: str, initial: float) -> None:
        self._line = line
        self._what = what
        self._total = total
        self._unit = unit
        self.initial = initial  # what was done before
        self._started = time.monotonic()

    def __call__(self, done: float, known: Callable[[], str] | None = None) -> None:
        """Show that so much is done, if it is time, and behind that what is known."""
        if done <= self.initial or not self._line.due():
            return
        now = time.monotonic()
        more = "" if known is None else known()
        took = time.monotonic() - now
        rate = (done - self.initial) / max(now - self._started, 1e-9)
        left = timedelta(seconds=round((self._total - done) / rate))
        speed = f"{rate:,.0f} {self._unit}/s, " if self._unit else ""
        self._line.write(f"{self._what}: {done / self._total:.1%}, {speed}{left} left{more}", took / SHARE)

    def clear(self) -> None:
        """Take the line away until it is next shown, so that something else can be printed there."""
        self._line.clear()


@contextmanager
def shown_progress(
    what: str, total: float = 1.0, unit: str = "", initial: float = 0.0, *, quiet: bool = False
) -> Iterator[Progress]:
    """Give what takes how much is done, and shows it.

    With `unit` the rate is shown, too. What was done before, `initial`, counts for neither. With `quiet`
    nothing is shown, as without a terminal.
    """
    line = LiveLine(quiet)
    try:
        yield Progress(line, what, total, unit, initial)
    finally:
        line.clear()
