"""Signals that end a command: others are handled like Ctrl-C, so that results so far are reported."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP", "SIGQUIT")
REPEAT_SECONDS = 3.0
"""Further signals within this time are ignored: `timeout` sends two, a service manager several kinds."""
CTRL_C_REPEAT_SECONDS = 0.5
"""The same for Ctrl-C; a later Ctrl-C means that the user does not want to wait for the report either."""


class EndSignal:
    """Handler that records the signal that ended the command; `signal` is 0 for none, or Ctrl-C."""

    def __init__(self) -> None:
        self.signal = 0
        self._last_time: float | None = None  # of the last signal that raised KeyboardInterrupt

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt for the first signal and ignore immediate repetitions.

        A later Ctrl-C raises it again; a later signal of another kind kills the process.
        """
        since = math.inf if self._last_time is None else time.monotonic() - self._last_time
        if number == signal.SIGINT:
            if since <= CTRL_C_REPEAT_SECONDS:
                return
        elif self.signal:
            if since > REPEAT_SECONDS:
                signal.signal(number, signal.SIG_DFL)
                os.kill(os.getpid(), number)
            return
        else:
            self.signal = number
        self._last_time = time.monotonic()
        raise KeyboardInterrupt


@contextmanager
def end_signals_as_ctrl_c() -> Iterator[EndSignal]:
    """Make SIGTERM, SIGHUP and SIGQUIT raise `KeyboardInterrupt`, as SIGINT does; several at once count once.

    Ignored signals, as with ``nohup``, stay ignored. Only the main thread handles signals; in another thread
    nothing changes.
    """
    end_signal = EndSignal()
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *numbers)}
    defaults = (signal.SIG_DFL, signal.default_int_handler)
    replaced = {number: handler for number, handler in handlers.items() if handler in defaults}
    for number in replaced:
        signal.signal(number, end_signal.handle)
    try:
        yield end_signal
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
