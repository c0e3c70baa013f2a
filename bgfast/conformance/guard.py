"""Guard process that kills an engine and all its descendants when bgfast ends.

Usage: ``python -I -S guard.py BGFAST LIFELINE REPORT PROGRAM ARGUMENT...``. The guard needs only the standard
library. It starts the program with its own three standard streams, in a new session. LIFELINE is the read end
of a pipe without data: bgfast holds the write end, which the system closes even if bgfast is killed.
The guard kills the program and its descendants as soon as the lifeline is closed, the guard's parent process
is no longer BGFAST (a process ID), the program exits, or the guard receives a signal. The pipe REPORT carries
the error number if the program cannot be started, otherwise nothing. The guard exits with the status or
signal of the program.

A thread of bgfast could not replace the guard: it would be blocked while C code holds the interpreter lock.
Nor could a parent-death signal alone: Linux sends it when the *thread* that started the child ends, which in
bgfast is a worker. The guard has one thread, so the program gets that signal if the guard itself is killed.

POSIX only.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

PR_SET_PDEATHSIG = 1  # option of Linux's prctl, as is the next constant
PR_SET_CHILD_SUBREAPER = 36
KILL_SECONDS = 2.0
"""Time limit for killed processes to disappear."""
PARENT_CHECK_SECONDS = 1.0
"""Interval between two checks of the parent process."""
END_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
RESTORED_SIGNALS = ("SIGPIPE", "SIGXFSZ")
"""Signals that Python ignores; reset to the system's default for the program."""


def main() -> None:
    """Start the program, kill its remaining descendants, and exit with its status or signal."""
    bgfast, lifeline, report = map(int, sys.argv[1:4])
    # Orphaned descendants become children of the guard, whatever their session.
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.set_inheritable(lifeline, False)
    os.set_inheritable(report, False)
    guard = os.getpid()
    program = os.fork()
    if program == 0:
        _exec(sys.argv[4:], report, guard)
    os.close(report)
    _detach_streams()
    status = _wait(program, bgfast, lifeline)
    with suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    if status is None:
        with suppress(OSError):  # the program may not have its own process group yet
            os.kill(program, signal.SIGKILL)
    for pid, exit_status in _kill_children():
        if pid == program:
            status = exit_status
    _exit_like(status)


def _prctl(option: int, value: int) -> None:
    """Call Linux's prctl; do nothing on other systems."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(option, value)


def _exec(command: list[str], report: int, guard: int) -> None:
    """Replace this process by the program; never return."""
    try:
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:  # the guard was killed before prctl
            return
        for name in RESTORED_SIGNALS:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(report, str(error.errno).encode())
    finally:
        os._exit(127)


def _detach_streams() -> None:
    """Detach from the standard streams: bgfast must see when the program closes them."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)


def _wait(program: int, bgfast: int, lifeline: int) -> int | None:
    """Wait for the program and return its status; None if bgfast has ended or the guard received a signal."""
    wakeup_read, wakeup_write = os.pipe()
    os.set_blocking(wakeup_write, False)
    signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
    for name in ("SIGCHLD", *END_SIGNALS):
        signal.signal(getattr(signal, name), lambda signum, frame: None)
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(wakeup_read, select.POLLIN)
    while True:
        for pid, status in _reap():
            if pid == program:
                return status
        ready = {descriptor for descriptor, _ in poll.poll(1000 * PARENT_CHECK_SECONDS)}
        # A process forked by bgfast may keep the lifeline open, so the parent is checked as well.
        if lifeline in ready or os.getppid() != bgfast:
            return None
        if wakeup_read in ready and set(os.read(wakeup_read, 1000)) - {signal.SIGCHLD}:
            return None


def _reap() -> Iterator[tuple[int, int]]:
    """Yield the process ID and status of children that have exited."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, status


def _kill_children() -> Iterator[tuple[int, int]]:
    """Kill all children, including orphaned descendants; yield process IDs and statuses."""
    deadline = time.monotonic() + KILL_SECONDS
    while time.monotonic() < deadline:
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid:
            yield pid, status
        else:
            time.sleep(0.005)


def _children() -> Iterator[int]:
    """Yield the process IDs of children, on systems with /proc."""
    with suppress(OSError):
        for name in os.listdir("/proc"):
            with suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name, in parentheses, may contain anything.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                if parent == os.getpid():
                    yield int(name)


def _exit_like(status: int | None) -> None:
    """Exit with the program's status or signal."""
    if status is not None and os.WIFSIGNALED(status):
        with suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dump of the guard
        signal_number = os.WTERMSIG(status)
        with suppress(OSError):
            signal.signal(signal_number, signal.SIG_DFL)
        os.kill(os.getpid(), signal_number)
    os._exit(127 if status is None or os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
