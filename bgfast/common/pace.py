"""Work that follows the clock: how much to do at once, and when to end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

__all__ = ["STEP", "Limit", "OverError", "Pace"]

STEP = 0.25
"""Seconds between two looks at the clock, at signals, at what is known: a good aim."""

GROWTH = 4  # at most, from one portion to the next: what is small tells little of what is large


class OverError(Exception):
    """Work is to end before it is done."""


class Limit:
    """When work is to end; threads of a process may share it.

    Parameters
    ----------
    seconds : float, optional
        From now on. Without them nothing but `end` ends it.
    clock : callable
        Returns seconds.

    Examples
    --------
    >>> limit = Limit(60)
    >>> limit.over()
    False
    >>> limit.end()
    >>> limit.over()
    True
    """

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.timed = seconds is not None
        self.clock = clock
        self._end = math.inf if seconds is None else clock() + seconds

    def end(self) -> None:
        """Let the work end now."""
        self._end = -math.inf

    def left(self) -> float:
        """Return how many seconds are left: 0 if none is, infinity if there is no end."""
        return max(0.0, self._end - self.clock())

    def over(self) -> bool:
        """Return whether the work is to end."""
        return self.clock() >= self._end

    def check(self) -> None:
        """Raise `OverError` if the work is to end."""
        if self.over():
            raise OverError


class Pace:
    """How much to do at once, so that it takes about so many seconds.

    Parameters
    ----------
    first, most : int
        What the first portion has, when nothing is known of the speed, and what none exceeds.
    seconds : float
        What a portion is to take.
    clock : callable
        Returns seconds.

    Examples
    --------
    >>> now = 0.0
    >>> pace = Pace(10, 1000, 0.25, clock=lambda: now)
    >>> for portion in pace.portions(100):
    ...     print(portion.start, portion.stop)
    ...     now += (portion.stop - portion.start) / 128
    0 10
    10 42
    42 74
    74 100
    """

    def __init__(
        self, first: int, most: int, seconds: float = STEP, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size = min(first, most)
        self._most = most
        self._seconds = seconds
        self._clock = clock

    def took(self, number: int, seconds: float) -> None:
        """Learn how long so much has taken."""
        each = max(seconds, 1e-9) / number
        fitting = int(min(self._most, self._seconds / each))
        self.size = max(1, min(fitting, GROWTH * max(self.size, number)))

    def portions(self, number: int) -> Iterator[slice]:
        """Yield what makes up 0 .. `number`, each when the one before is done."""
        at = 0
        while at < number:
            part = slice(at, min(at + self.size, number))
            began = self._clock()
            yield part
            self.took(part.stop - at, self._clock() - began)
            at = part.stop
