"""A program at the other end of two pipes that may hang, crash or write whatever it likes."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

from bgfast.engines.protocol import CrashedError, HungError, RubbishError
from bgfast.errors import one_line, shown

__all__ = ["Child"]

CHUNK = 1 << 16
GUARD = Path(__file__).with_name("guard.py")
MAX_LINE = 4_000_000
"""Longest line that is read; the 2,226 boards that are possible take a quarter of a million bytes."""
WAITING_CHUNKS = 16
"""Chunks that are read before somebody wants them: a program that writes without end has to wait."""
TAIL = 2000
"""Bytes of the standard error that are kept."""
LAST_LINES = 3
PATIENCE = 2.0
"""Seconds for a program to end once its pipes are closed."""
LAST_PATIENCE = 5.0
"""Seconds for the guard to end what is left; it needs milliseconds."""


class Child:
    """One run of a program, in a session of its own so that Ctrl-C in the terminal does not reach it.

    Where there are process groups a guard stands between, which kills the program and whatever it has started
    as soon as this process has gone, however it ended; see `guard`. Elsewhere the program sees the end of its
    standard input.

    Threads do the reading and writing, since pipes can be waited for with a time limit on some systems only.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.

    Raises
    ------
    OSError
        If the program cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process, lifeline = _started(command)
        # At the latest when Python ends.
        self._end = weakref.finalize(self, _kill, self._process, lifeline)
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._chunks: queue.Queue[bytes] = queue.Queue(WAITING_CHUNKS)
        self._stopped = threading.Event()
        self._unread = bytearray()
        self._tail = bytearray()
        self._drained = threading.Thread(target=_drain, args=(self._process, self._tail), daemon=True)
        self._drained.start()
        for work, *arguments in (
            (_write, self._process, self._to_write),
            (_read, self._process, self._chunks, self._stopped),
        ):
            threading.Thread(target=work, args=arguments, daemon=True).start()

    def write(self, line: str) -> None:
        """Hand a line to the program, which need not be reading yet."""
        self._to_write.put(line.encode("ascii"))

    def read(self, seconds: float) -> str:
        """Return the next line.

        Raises
        ------
        HungError
            If there is none after so many seconds.
        CrashedError
            If the program has ended or closed its output.
        RubbishError
            If a line is longer than any answer, or no ASCII.
        """
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            self._check_length(searched)
            try:
                chunk = self._chunks.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                wrote = f", but the beginning of a line: {self._beginning()}" if self._unread else ""
                raise HungError(f"no answer within {seconds:g} s{wrote}{self._last_words()}") from None
            if not chunk:
                raise CrashedError(self._how_it_ended())
            self._unread += chunk
        self._check_length(end)
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        try:
            return line.decode("ascii")
        except UnicodeDecodeError:
            raise RubbishError(f"it wrote a line that is not JSON in ASCII: {shown(line)}") from None

    def stop(self, *, patiently: bool) -> None:
        """End the program and whatever it has started; `patiently`: with a moment to end by itself."""
        if patiently:
            self._to_write.put(None)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE)
        self._stopped.set()
        self._end()
        self._to_write.put(None)

    def _check_length(self, length: int) -> None:
        if length > MAX_LINE:
            raise RubbishError(f"it wrote a line of more than {MAX_LINE:,} bytes: {self._beginning()}")

    def _beginning(self) -> str:
        return shown(bytes(self._unread[:100]))

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return f"it closed its standard output without an answer{self._last_words()}"
        wrote = f"; it had begun to write {self._beginning()}" if self._unread else ""
        return f"it ended before it answered, {_status_text(status)}{wrote}{self._last_words()}"

    def _last_words(self) -> str:
        """Return the last lines of its standard error, worded to stand behind a message."""
        self._drained.join(0.0 if self._process.poll() is None else 0.2)
        lines = bytes(self._tail).decode("utf-8", "replace").splitlines()
        kept = " | ".join(line.strip() for line in lines[-LAST_LINES:] if line.strip())
        return f"; last on its standard error: {one_line(kept)}" if kept else ""


def _started(command: Sequence[str]) -> tuple[subprocess.Popen[bytes], int | None]:
    """Start a program, with a guard where that is possible; return the process and the guard's lifeline."""
    if sys.platform == "win32":
        return _open(command), None
    kept, lifeline = os.pipe()
    report, reporting = os.pipe()
    numbers = map(str, (os.getpid(), kept, reporting))
    guarded = [sys.executable, "-I", "-S", str(GUARD), *numbers, *command]
    try:
        process = _open(guarded, kept, reporting)
    except BaseException:
        os.close(lifeline)
        os.close(report)
        raise
    finally:
        os.close(kept)
        os.close(reporting)
    try:
        with open(report, "rb") as pipe:
            number = pipe.read()
        if number:
            raise OSError(int(number), os.strerror(int(number)), command[0])
    except BaseException:
        with process:  # which closes its pipes
            _kill(process, lifeline)
        raise
    return process, lifeline


def _open(command: Sequence[str], *passed: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        pass_fds=passed,
    )


def _status_text(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


# The threads hold the process and the queues, never the `Child`: it has to be collected when nobody needs it.


def _write(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    """Write until None comes or the program reads no more."""
    assert process.stdin is not None
    # What goes wrong here shows in what the program answers, or does not.
    with contextlib.suppress(OSError), process.stdin as pipe:
        while (line := lines.get()) is not None:
            rest = memoryview(line)
            while rest:
                rest = rest[pipe.write(rest) :]


def _read(process: subprocess.Popen[bytes], chunks: queue.Queue[bytes], stopped: threading.Event) -> None:
    """Pass on what the program writes, and at the end an empty chunk."""
    assert process.stdout is not None
    with process.stdout as pipe:
        while not stopped.is_set():
            chunk = pipe.read(CHUNK) or b""
            while not stopped.is_set():
                with contextlib.suppress(queue.Full):
                    chunks.put(chunk, timeout=0.2)
                    break
            if not chunk:
                return


def _drain(process: subprocess.Popen[bytes], tail: bytearray) -> None:
    """Read the standard error, so that the program never waits for us, and keep its end."""
    assert process.stderr is not None
    with process.stderr as pipe:
        while chunk := pipe.read(CHUNK):
            tail += chunk
            del tail[:-TAIL]


def _kill(process: subprocess.Popen[bytes], lifeline: int | None) -> None:
    """Kill the program and, where there is a guard, whatever it has started."""
    if lifeline is not None:
        os.close(lifeline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LAST_PATIENCE)
            return
    with contextlib.suppress(OSError):
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
