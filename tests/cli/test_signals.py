"""End signals, handled once like Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from bgfast.cli import streams as signals
from bgfast.cli.streams import EndSignal, end_signals_as_ctrl_c

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no such signals")
ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.fixture(autouse=True)
def default_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the signal handlers of a new process."""
    usual = {signal.SIGINT: signal.default_int_handler}
    before = [
        (signal_number, signal.signal(signal_number, usual.get(signal_number, signal.SIG_DFL)))
        for signal_number in (signal.SIGINT, *ENDING)
    ]
    yield
    for number, handler in before:
        signal.signal(number, handler)


def is_interrupt(number: int) -> bool:
    """Return whether a signal raises KeyboardInterrupt."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        return True
    return False


@pytest.mark.parametrize("number", ENDING)
def test_signals_interrupt_and_are_stored(number: int) -> None:
    with end_signals_as_ctrl_c() as end_signal:
        assert end_signal.signal == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert end_signal.signal == number
    assert signal.getsignal(number) is signal.SIG_DFL


def test_repeated_signals_are_ignored() -> None:
    with end_signals_as_ctrl_c() as end_signal:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        for number in ENDING:
            assert not is_interrupt(number)
        assert end_signal.signal == signal.SIGTERM


def test_ctrl_c_is_unchanged() -> None:
    with end_signals_as_ctrl_c() as end_signal:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert end_signal.signal == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


def test_ctrl_c_twice_at_once_is_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """`timeout -s INT` sends two; results are printed after the first."""
    with end_signals_as_ctrl_c():
        assert is_interrupt(signal.SIGINT)
        assert not is_interrupt(signal.SIGINT)
        monkeypatch.setattr(signals, "CTRL_C_REPEAT_SECONDS", 0.0)
        assert is_interrupt(signal.SIGINT), "who types it again later wants the end"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_late_signals_end_the_process() -> None:
    code = (
        f"import os, signal, sys; sys.path[:] = {sys.path!r}\n"
        "from bgfast.cli import streams as signals\n"
        "signals.REPEAT_SECONDS = 0\n"
        "with signals.end_signals_as_ctrl_c():\n"
        "    try:\n        signal.raise_signal(signal.SIGTERM)\n"
        "    except KeyboardInterrupt:\n        signal.raise_signal(signal.SIGHUP)\n"
        "    print('lives on')\n"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (completed.returncode, completed.stdout, completed.stderr) == (-signal.SIGHUP, b"", b"")


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    with end_signals_as_ctrl_c() as end_signal:
        assert not is_interrupt(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert end_signal.signal == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_another_thread_changes_nothing() -> None:
    results: list[object] = []

    def work() -> None:
        with end_signals_as_ctrl_c() as end_signal:
            results.append(end_signal)
            results.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    end_signal, handler = results
    assert isinstance(end_signal, EndSignal)
    assert handler is signal.SIG_DFL


def test_the_interval_suffices_to_close_engines() -> None:
    from bgfast.conformance import engine_process as child

    assert child.EXIT_SECONDS < signals.REPEAT_SECONDS
