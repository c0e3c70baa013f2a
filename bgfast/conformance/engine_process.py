"""Untrusted child process, connected by pipes: it may hang, crash or write anything."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import time
import weakref
from _thread import start_new_thread
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from io import FileIO
from pathlib import Path

from bgfast.common.files import reason
from bgfast.common.validation import Board
from bgfast.conformance.line_protocol import HELLO, question, read_answer, read_introduction
from bgfast.conformance.protocol import (
    Capabilities,
    Case,
    CrashedError,
    EngineError,
    HungError,
    MissingEngineError,
    RubbishError,
    UnreachableError,
)
from bgfast.errors import one_line, short_repr

CHUNK_BYTES = 1 << 16
GUARD = Path(__file__).with_name("guard.py")
MAX_LINE = 4_000_000
"""Maximum length of a line in bytes; the 2,226 boards of the longest legal answer take about 250,000."""
MAX_BUFFERED_CHUNKS = 16
"""Maximum number of unread chunks in memory; a program that writes more is blocked."""
STDERR_TAIL_BYTES = 8000
"""Bytes kept from the end of standard error for messages that quote its last lines; stack traces are long."""
MAX_QUOTED = 500
"""Maximum number of characters of standard error in a message; the last line is always quoted in full."""
WAIT_SECONDS = 1.0
"""Maximum duration of one wait: a signal that arrives just before a wait begins does not interrupt it."""
EXIT_SECONDS = 2.0
"""Time limit for a program to exit once its pipes are closed."""
GUARD_EXIT_SECONDS = 5.0
"""Time limit for the guard to kill the remaining processes; it needs milliseconds."""


class Child:
    """Running program, in its own session so that Ctrl-C in the terminal does not reach it.

    On POSIX a guard process starts the program: when this process ends, for any reason, the guard kills the
    program and all its descendants; see `guard`. On Windows only the program's standard input is closed.

    Threads read and write, since only some systems can wait for a pipe with a time limit. The constructor
    raises `OSError` if the program cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process, lifeline = _start(command)
        # Runs on garbage collection, at the latest when Python exits.
        self._finalizer = weakref.finalize(self, _kill, self._process, lifeline)
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._permits: queue.SimpleQueue[bool] = queue.SimpleQueue()
        for _ in range(MAX_BUFFERED_CHUNKS):
            self._permits.put(True)
        self._unread = bytearray()
        self._tail = bytearray()
        self._drained: queue.SimpleQueue[None] = queue.SimpleQueue()
        # Not `threading`: its `start` and bounded queues are Python code, where Ctrl-C can leave locks held.
        start_new_thread(_drain, (self._process, self._tail, self._drained))
        start_new_thread(_write, (self._process, self._to_write))
        start_new_thread(_read, (self._process, self._chunks, self._permits))

    def write(self, line: str) -> None:
        """Queue a line for the program without waiting for it to read."""
        self._to_write.put(line.encode("ascii"))

    def read(self, seconds: float) -> str:
        """Return the next line; raise the errors of `read_bytes`, and `RubbishError` if it is not ASCII."""
        line = self.read_bytes(seconds)
        try:
            return line.decode("ascii")
        except UnicodeDecodeError:
            raise RubbishError(f"it wrote a line that is not JSON in ASCII: {short_repr(line)}") from None

    def read_bytes(self, seconds: float) -> bytes:
        """Return the next line without its line feed.

        Raises `HungError` if no complete line arrives in time, `CrashedError` if the program has exited or
        closed its output, and `RubbishError` if a line is longer than `MAX_LINE`.
        """
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            self._check_length(searched)
            try:
                chunk = self._chunks.get(timeout=max(0.0, min(WAIT_SECONDS, deadline - time.monotonic())))
            except queue.Empty:
                if time.monotonic() < deadline:
                    continue
                partial = f", but the beginning of a line: {self._line_start()}" if self._unread else ""
                raise HungError(f"no answer within {seconds:g} s{partial}{self._stderr_suffix()}") from None
            if not chunk:
                raise CrashedError(self._exit_text())
            self._permits.put(True)
            self._unread += chunk
        self._check_length(end)
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def stop(self, *, wait: bool) -> None:
        """End the program and its descendants; `wait` gives it `EXIT_SECONDS` to exit by itself."""
        if wait:
            self._to_write.put(None)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_SECONDS)
        self._finalizer()
        self._to_write.put(None)
        self._permits.put(False)

    def _check_length(self, length: int) -> None:
        if length > MAX_LINE:
            raise RubbishError(f"it wrote a line of more than {MAX_LINE:,} bytes: {self._line_start()}")

    def _line_start(self) -> str:
        return short_repr(bytes(self._unread[:100]))

    def _exit_text(self) -> str:
        try:
            status = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return f"it closed its standard output without an answer{self._stderr_suffix()}"
        partial = f"; it had begun to write {self._line_start()}" if self._unread else ""
        return f"it ended before it answered, {_status_text(status)}{partial}{self._stderr_suffix()}"

    def _stderr_suffix(self) -> str:
        """Return the last lines of the standard error as the end of a message."""
        if self._process.poll() is not None:
            with contextlib.suppress(queue.Empty):
                self._drained.get(timeout=0.2)
        lines = list(filter(str.strip, bytes(self._tail).decode("utf-8", "replace").splitlines()))
        # Indented lines are the frames of a stack trace, which Node, unlike Python, prints after the error.
        quoted = [one_line(line) for line in lines if not line[0].isspace()] or list(map(one_line, lines))
        while len(text := " | ".join(quoted)) > MAX_QUOTED and len(quoted) > 1:
            del quoted[0]
        return f"; last on its standard error: {text}" if text else ""


def _start(command: Sequence[str]) -> tuple[subprocess.Popen[bytes], FileIO | None]:
    """Start a program, on POSIX under a guard; return the process and the guard's lifeline.

    The pipe ends are file objects, so garbage collection closes the lifeline wherever Ctrl-C interrupts.
    """
    if sys.platform == "win32":
        return _open(command), None
    guard_end, lifeline = _pipe()
    report, report_end = _pipe()
    descriptors = (guard_end.fileno(), report_end.fileno())
    guard_command = [sys.executable, "-I", "-S", str(GUARD), *map(str, (os.getpid(), *descriptors)), *command]
    process = None
    try:
        with report:
            with guard_end, report_end:
                process = _open(guard_command, *descriptors)
            error_code = report.read()
        if error_code:
            raise OSError(int(error_code), os.strerror(int(error_code)), command[0])
    except BaseException:
        lifeline.close()
        if process is not None:
            with process:  # closes the pipes
                _kill(process, lifeline)
        raise
    return process, lifeline


def _pipe() -> tuple[FileIO, FileIO]:
    """Return the read end and the write end of a pipe."""
    read_end, write_end = os.pipe()
    return FileIO(read_end, "rb"), FileIO(write_end, "wb")


def _open(command: Sequence[str], *inherited: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        pass_fds=inherited,
    )


def _status_text(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


# The threads refer to the process and the queues, never to the `Child`, so it can be garbage-collected.


def _write(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    """Write queued lines until None arrives or the program stops reading."""
    assert process.stdin is not None
    # A failed write needs no report here: the reader notices that an answer is missing.
    with contextlib.suppress(OSError), process.stdin as pipe:
        while (line := lines.get()) is not None:
            rest = memoryview(line)
            while rest:
                rest = rest[pipe.write(rest) :]


def _read(
    process: subprocess.Popen[bytes], chunks: queue.SimpleQueue[bytes], permits: queue.SimpleQueue[bool]
) -> None:
    """Queue the program's output in chunks, one for each permit; an empty chunk marks the end."""
    assert process.stdout is not None
    with process.stdout as pipe:
        while permits.get() and (chunk := pipe.read(CHUNK_BYTES)):
            chunks.put(chunk)
    chunks.put(b"")


def _drain(process: subprocess.Popen[bytes], tail: bytearray, drained: queue.SimpleQueue[None]) -> None:
    """Drain the standard error, since a full pipe would block the program, and keep the tail."""
    assert process.stderr is not None
    with process.stderr as pipe:
        while chunk := pipe.read(CHUNK_BYTES):
            tail += chunk
            del tail[:-STDERR_TAIL_BYTES]
    drained.put(None)


def _kill(process: subprocess.Popen[bytes], lifeline: FileIO | None) -> None:
    """Kill the program and, if it has a guard, all its descendants."""
    if lifeline is not None:
        lifeline.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GUARD_EXIT_SECONDS)
            return
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait(EXIT_SECONDS)


# ---- Engine in a separate process: a hang or crash does not affect bgfast ----

START_LIMIT = 120.0
"""Time limit in seconds for a program to start and answer the greeting; some load or compile a lot."""


class RestartedProgram(AbstractContextManager["RestartedProgram"]):
    """Program, as an `Engine`, that is killed with its descendants if it hangs, crashes or answers rubbish.

    The next question restarts it, or raises `MissingEngineError`. Not thread-safe. Constructors of subclasses
    start the program, and raise `MissingEngineError` or `EngineError` if that fails.
    """

    name: str
    version: str
    capabilities = Capabilities()
    _stage: str  # prefix of the error messages of `_greet`

    def __init__(self, command: Sequence[str], time_limit: float, start_limit: float) -> None:
        self._command = list(command)
        self._time_limit = time_limit
        self._start_limit = start_limit
        self._child: Child | None = None
        self.restarts = 0

    def successors(self, case: Case) -> list[Board]:
        """Return the successors that the program lists."""
        raise NotImplementedError

    def close(self) -> None:
        """End the program; give it `EXIT_SECONDS` to exit by itself."""
        self._stop(wait=True)

    def __exit__(self, *_: object) -> None:
        self.close()

    def _greet(self) -> None:
        """Exchange the first messages with the program, and set its name and version."""
        raise NotImplementedError

    def _start(self) -> None:
        try:
            self._child = Child(self._command)
        except (OSError, ValueError) as error:
            raise MissingEngineError(
                f"cannot start {short_repr(self._command[0])}: {reason(error)}"
            ) from None
        try:
            self._greet()
        except BaseException as error:
            self._stop(wait=False)
            if isinstance(error, EngineError):
                raise type(error)(f"{self._stage}: {error}") from None
            raise

    @contextlib.contextmanager
    def _ensure_running(self) -> Iterator[None]:
        """Start the program if needed, and end it if the block fails."""
        if self._child is None:
            self.restarts += 1
            self._start()
        try:
            yield
        except UnreachableError:
            raise
        # Including Ctrl-C: a late answer must not be read as the answer to the next question.
        except BaseException:
            self._stop(wait=False)
            raise

    def _stop(self, *, wait: bool) -> None:
        if self._child is not None:
            self._child.stop(wait=wait)
            self._child = None


class EngineProcess(RestartedProgram):
    """Program that speaks the line protocol."""

    _stage = "before its greeting in the line protocol (docs/ENGINES.md)"

    def __init__(
        self, command: Sequence[str], *, time_limit: float, start_limit: float = START_LIMIT
    ) -> None:
        super().__init__(command, time_limit, start_limit)
        self._question_id = 0
        self._start()

    def successors(self, case: Case) -> list[Board]:
        """Return the successors as described in `Engine.successors`."""
        self._question_id += 1
        line = question(self._question_id, case, with_game=not self.capabilities.positions)
        with self._ensure_running():
            return read_answer(self._exchange(line, self._time_limit), self._question_id, case)

    def _greet(self) -> None:
        introduction = read_introduction(self._exchange(HELLO, self._start_limit))
        self.name, self.version, self.capabilities = introduction

    def _exchange(self, line: str, seconds: float) -> str:
        assert self._child is not None
        self._child.write(line)
        return self._child.read(seconds)
