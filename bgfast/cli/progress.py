"""Progress display for long work: a line on standard error that is overwritten, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta

from bgfast.common.text import columns, cut

DELAY_SECONDS = 2.0  # shorter work shows nothing
PAUSE_SECONDS = 0.5  # minimum time between two updates
MAX_SHARE = 0.05  # maximum share of the running time for computing the displayed text


class Progress:
    """Display of the amount done and the remaining time, until the end of a ``with`` block.

    With `unit` the rate is displayed as well. `initial`, the amount done before this run, affects neither
    the rate nor the remaining time. Nothing is displayed if `quiet`, or if standard error is not a terminal.
    """

    def __init__(
        self, task: str, total: float = 1.0, unit: str = "", initial: float = 0.0, *, quiet: bool = False
    ) -> None:
        self._stream = None if quiet or columns(sys.stderr) is None else sys.stderr
        self._task = task
        self._total = total
        self._unit = unit
        self.initial = initial
        self._started = time.monotonic()
        self._next_update = self._started + DELAY_SECONDS
        self._line_length = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, done: float, suffix: Callable[[], str] | None = None) -> None:
        """Display the amount done, if an update is due, followed by the text that `suffix` returns."""
        now = time.monotonic()
        if self._stream is None or done <= self.initial or now < self._next_update:
            return
        suffix_text = "" if suffix is None else suffix()
        suffix_seconds = time.monotonic() - now
        rate = (done - self.initial) / max(now - self._started, 1e-9)
        remaining_time = timedelta(seconds=round((self._total - done) / rate))
        speed = f"{rate:,.0f} {self._unit}/s, " if self._unit else ""
        self._put(f"{self._task}: {done / self._total:.1%}, {speed}{remaining_time} left{suffix_text}")
        self._next_update = time.monotonic() + max(PAUSE_SECONDS, suffix_seconds / MAX_SHARE)

    def clear(self) -> None:
        """Remove the line until the next update, so that other output can be printed."""
        if self._line_length:
            self._put("", end="\r")

    def _put(self, text: str, end: str = "") -> None:
        """Overwrite the line with a text, cut to the terminal's width."""
        if self._stream is None:
            return
        # A character in the last column would wrap the line on some terminals.
        width = (columns(self._stream) or 1) - 1
        line = cut(text, width)
        padded = f"\r{line:{min(self._line_length, width)}}{end}"
        self._line_length = len(line)
        encoding = self._stream.encoding or "utf-8"
        with suppress(OSError):  # a lost display must not stop the work
            self._stream.write(padded.encode(encoding, "replace").decode(encoding))
            self._stream.flush()


def follow(fractions: Iterable[float], task: str, *, quiet: bool) -> bool:
    """Display the completed fractions that an iterator yields; return whether Ctrl-C interrupted the work."""
    try:
        with Progress(task, quiet=quiet) as progress:
            for fraction in fractions:
                progress(fraction)
    except KeyboardInterrupt:
        return True
    return False
