"""Tests of end signals: they are handled like Ctrl-C, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from bgfast.common import signals
from bgfast.common.signals import EndSignal, end_signals_as_ctrl_c

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no such signals")
ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.fixture(autouse=True)
def as_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals have the handlers that a new process has, whatever the one that runs the tests was given."""
    usual = {signal.SIGINT: signal.default_int_handler}
    before = [
        (each, signal.signal(each, usual.get(each, signal.SIG_DFL))) for each in (signal.SIGINT, *ENDING)
    ]
    yield
    for number, handler in before:
        signal.signal(number, handler)


def interrupts(number: int) -> bool:
    """Whether a signal is taken for Ctrl-C, which would end the tests, too."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        return True
    return False


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_is_taken_for_ctrl_c_and_remembered(number: int) -> None:
    with end_signals_as_ctrl_c() as asked:
        assert asked.signal == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert asked.signal == number
    assert signal.getsignal(number) is signal.SIG_DFL


def test_those_that_follow_at_once_say_nothing_new() -> None:
    with end_signals_as_ctrl_c() as asked:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        for number in ENDING:
            assert not interrupts(number)
        assert asked.signal == signal.SIGTERM


def test_ctrl_c_itself_is_what_it_was() -> None:
    with end_signals_as_ctrl_c() as asked:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert asked.signal == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


def test_ctrl_c_twice_at_once_is_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """`timeout -s INT` sends two; what is known is printed after the first."""
    with end_signals_as_ctrl_c():
        assert interrupts(signal.SIGINT)
        assert not interrupts(signal.SIGINT)
        monkeypatch.setattr(signals, "CTRL_C_REPEAT_SECONDS", 0.0)
        assert interrupts(signal.SIGINT), "who types it again later wants the end"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_late_one_ends_the_process() -> None:
    code = (
        f"import os, signal, sys; sys.path[:] = {sys.path!r}\n"
        "from bgfast.common import signals\n"
        "signals.REPEAT_SECONDS = 0\n"
        "with signals.end_signals_as_ctrl_c():\n"
        "    try:\n        signal.raise_signal(signal.SIGTERM)\n"
        "    except KeyboardInterrupt:\n        signal.raise_signal(signal.SIGHUP)\n"
        "    print('lives on')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGHUP, b"", b"")


def test_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    with end_signals_as_ctrl_c() as asked:
        assert not interrupts(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert asked.signal == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_another_thread_changes_nothing() -> None:
    found: list[object] = []

    def work() -> None:
        with end_signals_as_ctrl_c() as asked:
            found.append(asked)
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    asked, handler = found
    assert isinstance(asked, EndSignal)
    assert handler is signal.SIG_DFL


def test_the_grace_is_long_enough_for_engines_to_be_closed() -> None:
    from bgfast.engines import child

    assert child.EXIT_SECONDS < signals.REPEAT_SECONDS
