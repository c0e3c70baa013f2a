"""Between bgfast and a program: sees that the program, and whatever it has started, does not outlive bgfast.

A script that needs Python's library alone: ``python -I -S guard.py BGFAST LIFELINE REPORT PROGRAM
ARGUMENT...``. It starts the program with its own three standard streams, in a session of its own. LIFELINE is
the descriptor of a pipe that nobody writes to: bgfast holds its other end, which the system closes when
bgfast ends, even if that is killed. Then, or when BGFAST is not the parent's number any more, or when the
program ends, or on a signal, everything that is left of the program is killed. On the pipe REPORT comes the
number of the error if the program cannot be started, else nothing. The exit status is that of the program, a
signal that killed it included.

Why a process: a thread stands still while C code holds the interpreter; the program may know nothing of
bgfast; and Linux sends a parent-death signal when the *thread* ends that has started a child, which here is
a worker. The guard has one thread, so that for its child the signal is right: if the guard itself is
killed, the program ends with it.

POSIX only.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 2.0
"""Seconds for what was killed to be gone."""
GLANCE = 1.0
"""Seconds between two looks at who the parent is."""
ENDING = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
RESTORED = ("SIGPIPE", "SIGXFSZ")
"""What Python ignores and a program expects as the system has it."""

Prctl = Callable[[int, int], object]


def main() -> None:
    """Start the program, watch over it, and end as it ended."""
    bgfast, lifeline, report = map(int, sys.argv[1:4])
    prctl = _prctl()
    # Processes that lose their parent become children of ours, in whatever session they are.
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.set_inheritable(lifeline, False)
    os.set_inheritable(report, False)
    guard = os.getpid()
    program = os.fork()
    if program == 0:
        _become(sys.argv[4:], report, guard, prctl)
    os.close(report)
    _let_go_of_the_streams()
    status = _ended(program, bgfast, lifeline)
    with suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    if status is None:
        with suppress(OSError):  # should it have no group of its own yet
            os.kill(program, signal.SIGKILL)
    for pid, how in _rest():
        if pid == program:
            status = how
    _end_like(status)


def _prctl() -> Prctl:
    """Return the Linux call, elsewhere something that does nothing."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            call: Prctl = ctypes.CDLL(None).prctl
            return call
    return lambda option, value: None


def _become(command: list[str], report: int, guard: int, prctl: Prctl) -> None:
    """Become the program; return never."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:  # it was killed before it was asked for a signal
            return
        for name in RESTORED:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(report, str(error.errno).encode())
    finally:
        os._exit(127)


def _let_go_of_the_streams() -> None:
    """Leave the pipes to the program, so that bgfast sees when it closes them."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)


def _ended(program: int, bgfast: int, lifeline: int) -> int | None:
    """Wait for the end of the program and return its status; None if bgfast is gone or we are to end."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for name in ("SIGCHLD", *ENDING):
        signal.signal(getattr(signal, name), lambda number, frame: None)
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        for pid, how in _reaped():
            if pid == program:
                return how
        ready = {descriptor for descriptor, _ in poll.poll(1000 * GLANCE)}
        # A process that bgfast has forked may hold the lifeline, too.
        if lifeline in ready or os.getppid() != bgfast:
            return None
        if woken in ready and set(os.read(woken, 1000)) - {signal.SIGCHLD}:
            return None


def _reaped() -> Iterator[tuple[int, int]]:
    """Yield each child that has ended, and how."""
    with suppress(ChildProcessError):
        while True:
            pid, how = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, how


def _rest() -> Iterator[tuple[int, int]]:
    """Kill every child, and those that become ours by that; yield each, and how it ended."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            pid, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid:
            yield pid, how
        else:
            time.sleep(0.005)


def _children() -> Iterator[int]:
    """Yield our children, where the system has a folder of processes."""
    with suppress(OSError):
        for name in os.listdir("/proc"):
            with suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The name of a program, in brackets, may contain anything.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                if parent == os.getpid():
                    yield int(name)


def _end_like(status: int | None) -> None:
    """End with the status of the program."""
    if status is not None and os.WIFSIGNALED(status):
        with suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump of the guard would help nobody
        number = os.WTERMSIG(status)
        with suppress(OSError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(127 if status is None or os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
