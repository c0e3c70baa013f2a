"""Timing of long work: portion sizes and time limits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

STEP_SECONDS = 0.25
"""Target interval in seconds between checks of the clock, of signals and of results."""

MAX_GROWTH = 4  # factor between two portions, since times of small portions predict large ones badly


class OverError(Exception):
    """The time limit was reached, or the work was cancelled."""


class Limit:
    """Time limit for work, in seconds from now or None; can be shared by threads."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.timed = seconds is not None
        self.clock = clock
        self._end = math.inf if seconds is None else clock() + seconds

    def end(self) -> None:
        """Make the limit count as reached."""
        self._end = -math.inf

    def seconds_left(self) -> float:
        """Return the remaining seconds: 0 after the end, infinity without a limit."""
        return max(0.0, self._end - self.clock())

    def is_over(self) -> bool:
        """Return whether the limit is reached."""
        return self.clock() >= self._end

    def check(self) -> None:
        """Raise `OverError` if the limit is reached."""
        if self.is_over():
            raise OverError


class Pace:
    """Adaptive portion size, from `first` to `maximum`, for a target duration of a portion."""

    def __init__(
        self,
        first: int,
        maximum: int,
        seconds: float = STEP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = min(first, maximum)
        self._maximum = maximum
        self._seconds = seconds
        self._clock = clock

    def record(self, count: int, seconds: float) -> None:
        """Record the duration of a portion of `count` items and adapt the size."""
        seconds_per_item = max(seconds, 1e-9) / count
        target_size = int(min(self._maximum, self._seconds / seconds_per_item))
        self.size = max(1, min(target_size, MAX_GROWTH * max(self.size, count)))

    def portions(self, count: int) -> Iterator[slice]:
        """Yield consecutive slices of 0 .. `count`; the time between two yields adapts the size."""
        start = 0
        while start < count:
            portion = slice(start, min(start + self.size, count))
            started = self._clock()
            yield portion
            self.record(portion.stop - start, self._clock() - started)
            start = portion.stop
