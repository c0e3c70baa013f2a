"""Signals that ask a command to end: it ends as after Ctrl-C, with what is done reported and nothing left."""

from __future__ import annotations

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


class Asked:
    """The signal that asked the command to end; 0 if none did."""

    def __init__(self) -> None:
        self.signal = 0
        self._since = 0.0

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Take the first signal for Ctrl-C; let a late one end the process at once."""
        if not self.signal:
            self.signal, self._since = number, time.monotonic()
            raise KeyboardInterrupt
        if time.monotonic() - self._since > GRACE:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


@contextmanager
def ending_as_after_ctrl_c() -> Iterator[Asked]:
    """Let SIGTERM, SIGHUP and SIGQUIT raise `KeyboardInterrupt`, as SIGINT does.

    A signal that is ignored, as after ``nohup``, stays so. Only the main thread hears signals; in another one
    nothing changes.

    Yields
    ------
    Asked
    """
    asked = Asked()
    taken = []
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, asked.hear)
    try:
        yield asked
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
