"""Child processes and their guard: no descendant outlives bgfast, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bgfast.conformance import engine_process as child_module
from bgfast.conformance.engine_process import MAX_LINE, Child
from bgfast.conformance.protocol import CrashedError, HungError, RubbishError
from tests.support.patience import patient
from tests.support.processes import MarkedProcesses

LIMIT = patient(60.0)
"""Time limit in seconds, long enough for the slowest machine."""
PYTHON = [sys.executable, "-I", "-S", "-c"]
SLEEPER = [*PYTHON, "import time; print('ready', flush=True); time.sleep(60)"]
SPINNER = [
    *PYTHON,
    """if True:
    import os, signal, time
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(writing, b"x")
    else:
        os.read(reading, 1)
        os.write(1, b"ready\\n")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    """,
]
"""Program that ignores signals and the end of its input; its child, in a separate session, does the same."""
NEEDS_PROC = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
NEEDS_GUARD = pytest.mark.skipif(os.name == "nt", reason="there is no guard on Windows")


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> MarkedProcesses:
    return MarkedProcesses(monkeypatch)


def start_program(command: list[str]) -> Child:
    """Start a program and wait until it prints "ready"."""
    child = Child(command)
    assert child.read(LIMIT) == "ready"
    return child


# ---------------------------------------------------------------- the end of bgfast

KILL = "os.kill(os.getpid(), 9)"
CHILD_WITH_LIFELINE = (
    "os.set_inheritable(child._finalizer.peek()[2][1].fileno(), True)\n"
    "subprocess.Popen(['sleep', '20'], env={}, stderr=subprocess.DEVNULL, close_fds=False)\n"
)


@NEEDS_PROC
@pytest.mark.parametrize(
    ("command", "end", "status"),
    [
        pytest.param(SPINNER, "os._exit(3)", 3, id="exits immediately"),
        pytest.param(SLEEPER, "pass", 0, id="exits", marks=pytest.mark.slow),
        pytest.param(SPINNER, KILL, -9, id="killed", marks=pytest.mark.slow),
        pytest.param(SPINNER, CHILD_WITH_LIFELINE + KILL, -9, id="lifeline held", marks=pytest.mark.slow),
    ],
)
def test_nothing_outlives_bgfast(
    command: list[str], end: str, status: int, processes: MarkedProcesses
) -> None:
    code = (
        f"import os, subprocess, sys; sys.path[:] = {sys.path!r}\n"
        "from bgfast.conformance.engine_process import Child\n"
        f"child = Child({command!r})\nassert child.read({LIMIT}) == 'ready'\n{end}\n"
    )
    completed = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    assert (completed.returncode, completed.stderr) == (status, "")
    processes.assert_gone()


@pytest.mark.slow
@NEEDS_PROC
def test_stop_kills_all_descendants(processes: MarkedProcesses) -> None:
    for wait in (False, True):
        child = start_program(SPINNER)
        processes.await_count(3)  # the guard, the program and its child
        child.stop(wait=wait)
        processes.assert_gone()


def test_garbage_collection_ends_the_program(processes: MarkedProcesses) -> None:
    child = start_program(SLEEPER)
    process = child._process
    del child
    assert process.poll() is not None
    processes.assert_gone()


# ---------------------------------------------------------------- Ctrl-C during the start of a program


class CtrlC:
    """Trace function that raises KeyboardInterrupt at the n-th line or return event during the start."""

    def __init__(self, event_number: int) -> None:
        self.events_left = event_number

    def __call__(self, frame: FrameType, event: str, argument: Any) -> CtrlC | None:
        if frame.f_code.co_filename != child_module.__file__ or frame.f_code.co_name == "_kill":
            return None
        self.events_left -= event in ("line", "return")
        if self.events_left == 0:
            raise KeyboardInterrupt
        return self


@NEEDS_PROC
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_ctrl_c_at_any_line_of_the_start_leaves_no_process(processes: MarkedProcesses, step: int) -> None:
    child = None
    for index in count(1, step):
        trace_function = sys.gettrace()
        sys.settrace(CtrlC(index))
        with suppress(KeyboardInterrupt):
            child = Child(SLEEPER)
        sys.settrace(trace_function)
        if child is not None:
            break
        processes.assert_gone()
    child.stop(wait=False)
    assert index > 20


class SignalError(Exception):
    """Raised by the signal handler of a test."""


@NEEDS_GUARD
def test_a_signal_to_another_thread_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system call is not interrupted, as if the signal had arrived just before the wait."""

    def raise_signal_error(signum: int, frame: FrameType | None) -> None:
        raise SignalError

    monkeypatch.setattr(child_module, "WAIT_SECONDS", 0.3)
    child = start_program(SLEEPER)
    old_handler = signal.signal(signal.SIGUSR1, raise_signal_error)
    send = partial(signal.raise_signal, signal.SIGUSR1)
    threading.Timer(0.1, send).start()
    start = time.monotonic()
    try:
        with pytest.raises(SignalError):
            child.read(LIMIT)
    finally:
        signal.signal(signal.SIGUSR1, old_handler)
    assert time.monotonic() - start < LIMIT / 2
    child.stop(wait=False)


# ---------------------------------------------------------------- the guard


@NEEDS_PROC
def test_a_signal_to_the_guard_kills_all_descendants(processes: MarkedProcesses) -> None:
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL"):
        child = start_program(SLEEPER if name == "SIGKILL" else SPINNER)
        os.kill(child._process.pid, getattr(signal, name))
        processes.assert_gone()
        with pytest.raises(CrashedError, match="it ended before it answered, killed by SIGKILL"):
            child.read(LIMIT)


@NEEDS_GUARD
def test_a_guard_killed_before_prctl_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    code = (
        f"import os, sys; sys.path[:] = {sys.path!r}\nfrom bgfast.conformance import guard\n"
        "def exec_touch(parent): guard._exec(['touch', sys.argv[1]], 2, parent)\n"
    )
    for parent, exists in (("os.getpid()", False), ("os.getppid()", True)):
        call = [sys.executable, "-c", f"{code}exec_touch({parent})", str(file)]
        completed = subprocess.run(call, check=False, timeout=LIMIT)
        assert (completed.returncode, file.exists()) == (0 if exists else 127, exists)


@NEEDS_PROC
def test_the_guard_is_invisible_to_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        '{ grep -E "^Sig(Ign|Blk)" /proc/$$/status; read -r _ _ _ _ _ session _ < /proc/$$/stat\n'
        'test "$session" = $$ && echo leads; echo "$VALUE"; ls /proc/self/fd\n'
        'printf "<%s>" "$0" "$@"; } | od -An -c'
    )
    command = ["sh", "-c", script, "name", "", "two words", "\udcff", "--"]
    monkeypatch.setenv("VALUE", "\udcfe")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, start_new_session=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        expected = process.communicate()[0].decode("ascii").splitlines()
    assert "l   e   a   d   s" in " ".join(expected)
    child = Child(command)
    assert [child.read(LIMIT) for _ in expected] == expected
    with pytest.raises(CrashedError, match="exit status 0"):
        child.read(LIMIT)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit(7)", "it ended before it answered, exit status 7$"),
        ("import os; os.kill(os.getpid(), 11)", "it ended before it answered, killed by SIGSEGV$"),
        ("import os; os.kill(os.getpid(), 9)", "it ended before it answered, killed by SIGKILL$"),
        pytest.param(
            "import os, sys; os.write(2, b'x'); os.close(1); sys.stdin.read()",
            "it closed its standard output without an answer; last on its standard error: x$",
            marks=pytest.mark.slow,
        ),
        ("import subprocess; subprocess.Popen(['sleep', '60'])", "exit status 0$"),
        (
            "raise SystemExit('file.js:3\\n\\nError: no file\\n' + 200 * '    at read (x)\\n' + 'Node.js')",
            r"; last on its standard error: file.js:3 \| Error: no file \| Node.js$",
        ),
        (
            "raise SystemExit(200 * 'a' + '\\n' + 200 * 'b' + '\\n' + 200 * 'c')",
            f"; last on its standard error: {200 * 'b'} \\| {200 * 'c'}$",
        ),
    ],
    ids=[
        *("status", "signal", "SIGKILL", "closed output", "leaves a child that holds the pipes"),
        *("stack trace", "long lines"),
    ],
)
@NEEDS_GUARD
def test_the_exit_status_is_reported_immediately(code: str, message: str, processes: MarkedProcesses) -> None:
    child = Child([*PYTHON, code])
    with pytest.raises(CrashedError, match=message):
        child.read(LIMIT / 2)
    child.stop(wait=True)
    processes.assert_gone()


# ---------------------------------------------------------------- pipes


def test_lines_beyond_the_limit_are_refused() -> None:
    for length in (MAX_LINE, MAX_LINE + 1):
        # A single write ensures that the last chunk contains the end of the line.
        child = Child([*PYTHON, f"import sys; sys.stdout.write({length} * 'x' + chr(10))"])
        if length == MAX_LINE:
            assert child.read(LIMIT) == length * "x"
        else:
            with pytest.raises(RubbishError, match="it wrote a line of more than 4,000,000 bytes: b'xxx"):
                child.read(LIMIT)
        child.stop(wait=False)


def test_late_output_is_read_by_the_next_call() -> None:
    child = Child([*PYTHON, "print(input(), flush=True)"])
    with pytest.raises(HungError, match=r"no answer within 0\.1 s$"):
        child.read(0.1)
    child.write("word\n")
    assert child.read(LIMIT) == "word"
    child.stop(wait=True)


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs /dev/fd")
def test_no_descriptor_stays_open_after_a_failed_start_or_a_stop(processes: MarkedProcesses) -> None:
    # A separate process is needed because descriptors of other tests may be closed at any time.
    code = (
        f"import os, sys, time; sys.path[:] = {sys.path!r}\n"
        "from bgfast.conformance.engine_process import Child\n"
        "def open_count(): return len(os.listdir('/dev/fd'))\n"
        "before = open_count()\n"
        "for command in (['/no/such', 'program'], ['a\\0b']):\n"
        "    try: Child(command)\n"
        "    except (OSError, ValueError) as error: print(error)\n"
        "print(open_count() - before)\n"
        "for wait in (True, False):\n"
        "    child = Child(['cat']); child.write('x\\n'); print(child.read(60))\n"
        "    child.stop(wait=wait)\n"
        "deadline = time.monotonic() + 10\n"  # the reader threads may still run
        "while open_count() != before and time.monotonic() < deadline: time.sleep(0.01)\n"
        "print(open_count() - before)\n"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT)
    assert completed.stderr == ""
    assert completed.stdout.splitlines() == [
        "[Errno 2] No such file or directory: '/no/such'", "embedded null byte", "0", "x", "x", "0",
    ]  # fmt: skip
    processes.assert_gone()
