"""Standard streams that are closed, full or unable to encode a character; signals that end a command."""

from __future__ import annotations

import io
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO

from bgfast.common.text import clean_line


def mend_streams() -> None:
    """Replace closed standard streams, and characters that the output cannot encode.

    A closed input is empty; a closed standard error discards everything. A closed standard output stays None,
    and commands fail, since the result would be lost. No other file or pipe gets the descriptor of a
    standard stream.
    """
    with suppress(OSError):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(descriptor, True)
        os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - it stays open
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def complain(text: str, *, is_clean: bool = False) -> None:
    """Write a line, cleaned unless `is_clean`, to standard error; ignore failures."""
    with suppress(OSError):
        print(text if is_clean else clean_line(text), file=sys.stderr)
    flush_errors()


@contextmanager
def explain_interrupt(text: str) -> Iterator[None]:
    """Print a text on standard error if Ctrl-C interrupts the block."""
    try:
        yield
    except KeyboardInterrupt:
        complain(f"bgfast: {text}")
        raise


def flush_errors() -> None:
    """Flush standard error, or discard its buffered output if that fails."""
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Discard a stream's buffered output, which Python would fail to flush again at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


# ---- signals that end a command are handled like Ctrl-C: results so far are reported ----

SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
REPEAT_SECONDS = 3.0
"""Further signals within this time are ignored: `timeout` sends two, a service manager several kinds."""
CTRL_C_REPEAT_SECONDS = 0.5
"""`REPEAT_SECONDS` for Ctrl-C; a later Ctrl-C means that the user does not want to wait for the report."""


class EndSignal:
    """Context manager that makes SIGTERM, SIGHUP and SIGQUIT raise `KeyboardInterrupt`, as SIGINT does.

    Simultaneous signals count as one. `signal` is the number of the signal that ended the command; 0 for
    none or Ctrl-C. Ignored signals, as with ``nohup``, stay ignored. Only the main thread handles signals; in
    another thread nothing changes.
    """

    def __init__(self) -> None:
        self.signal = 0
        self._last_time: float | None = None  # time of the last signal that raised KeyboardInterrupt
        self._replaced: dict[int, Any] = {}  # previous handlers by signal number

    def __enter__(self) -> EndSignal:
        if threading.current_thread() is threading.main_thread():
            for signal_number in (getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name)):
                handler = signal.getsignal(signal_number)
                if handler in (signal.SIG_DFL, signal.default_int_handler):
                    self._replaced[signal_number] = handler
                    signal.signal(signal_number, self.handle)
        return self

    def __exit__(self, *_: object) -> None:
        for signal_number, handler in self._replaced.items():
            signal.signal(signal_number, handler)

    def handle(self, signal_number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt for the first signal and ignore immediate repetitions.

        A later Ctrl-C raises it again; a later second SIGTERM, SIGHUP or SIGQUIT kills the process.
        """
        elapsed = math.inf if self._last_time is None else time.monotonic() - self._last_time
        if signal_number == signal.SIGINT:
            if elapsed <= CTRL_C_REPEAT_SECONDS:
                return
        elif self.signal:
            if elapsed > REPEAT_SECONDS:
                signal.signal(signal_number, signal.SIG_DFL)
                os.kill(os.getpid(), signal_number)
            return
        else:
            self.signal = signal_number
        self._last_time = time.monotonic()
        raise KeyboardInterrupt
