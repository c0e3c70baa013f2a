"""Signals that ask a command to end: Ctrl-C, and others that are taken for it; what is done is reported."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Asked", "ending_as_after_ctrl_c"]

NAMES = ("SIGTERM", "SIGHUP", "SIGQUIT")
GRACE = 3.0
"""Seconds in which further signals say the same: `timeout` sends two, a service manager one of each kind."""
SECOND_THOUGHT = 0.5
"""The same for Ctrl-C: who types it again a moment later does not want to see what is known."""


class Asked:
    """The signal that asked the command to end; 0 if none did, or Ctrl-C."""

    def __init__(self) -> None:
        self.signal = 0
        self._heard: float | None = None  # when the last signal was taken for Ctrl-C, or was it

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Take the first signal for Ctrl-C, and those that follow at once for the same.

        A late one ends what Ctrl-C began: by Ctrl-C again, or by ending the process.
        """
        since = math.inf if self._heard is None else time.monotonic() - self._heard
        if number == signal.SIGINT:
            if since <= SECOND_THOUGHT:
                return
        elif self.signal:
            if since > GRACE:
                signal.signal(number, signal.SIG_DFL)
                os.kill(os.getpid(), number)
            return
        else:
            self.signal = number
        self._heard = time.monotonic()
        raise KeyboardInterrupt


@contextmanager
def ending_as_after_ctrl_c() -> Iterator[Asked]:
    """Let SIGTERM, SIGHUP and SIGQUIT raise `KeyboardInterrupt`, as SIGINT does; several at once are one.

    A signal that is ignored, as after ``nohup``, stays so. Only the main thread hears signals; in another one
    nothing changes.

    Yields
    ------
    Asked
    """
    asked = Asked()
    before = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, *numbers)}
    usual = (signal.SIG_DFL, signal.default_int_handler)
    taken = {number: handler for number, handler in before.items() if handler in usual}
    for number in taken:
        signal.signal(number, asked.hear)
    try:
        yield asked
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
