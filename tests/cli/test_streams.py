"""Standard streams that are closed, full, or cannot encode a character."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bgfast.cli import streams
from bgfast.cli.streams import EndSignal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell and POSIX signals")


def run_in_shell(code: str, redirection: str = "", **environment: str) -> tuple[int, bytes, bytes]:
    """Run Python code in a shell; return status, output and errors."""
    text = f"import os, sys; sys.path[:] = {sys.path!r}\nfrom bgfast.cli.streams import *\n{code}\n"
    completed = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" {redirection}', sys.executable, text],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
    )
    return completed.returncode, completed.stdout, completed.stderr


@pytest.mark.parametrize("redirection", ["2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_mended(redirection: str, tmp_path: Path) -> None:
    report = tmp_path / "report"
    code = (
        "mend_streams()\n"
        "with open(os.environ['REPORT'], 'w') as file:\n"
        "    print([sys.stdin.read(), sys.stderr.write('x')], sys.stdout is None, file=file)\n"
        "    print(file.fileno() > 2, *map(os.get_inheritable, range(3)), file=file)\n"
    )
    status, out, err = run_in_shell(code, redirection, REPORT=str(report))
    assert (status, out) == (0, b"")
    assert err == (b"" if "2>&-" in redirection else b"x")
    assert report.read_text() == f"['', 1] {' >&-' in redirection}\nTrue True True True\n"


def test_unencodable_characters_are_replaced() -> None:
    code = "mend_streams(); print('\\u2013\\u0394\\udcff', end='')"
    for encoding, expected in (("ascii:surrogateescape", b"???"), ("utf-8", b"\xe2\x80\x93\xce\x94?")):
        assert run_in_shell(code, PYTHONIOENCODING=encoding) == (0, expected, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_unwritable_errors_keep_the_status() -> None:
    """Pending output is discarded after a write error, so the flush at exit does not fail again."""
    code = "mend_streams(); complain('bad'); print('x')\ntry: sys.stdout.flush()\n"
    code += "except OSError: discard(sys.stdout)\nsys.exit(3)"
    assert run_in_shell(code, ">/dev/full 2>/dev/full") == (3, b"", b"")


def test_other_streams_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.StringIO())
    streams.mend_streams()
    streams.discard(sys.stdout)
    streams.complain("bad")
    assert sys.stderr.getvalue() == "bad\n"  # type: ignore[union-attr]


# ---- termination signals ----


END_SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.fixture(autouse=True)
def default_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the signal handlers of a new process; restore the earlier ones afterwards."""
    defaults = {signal.SIGINT: signal.default_int_handler}
    old_handlers = [
        (signal_number, signal.signal(signal_number, defaults.get(signal_number, signal.SIG_DFL)))
        for signal_number in (signal.SIGINT, *END_SIGNALS)
    ]
    yield
    for signal_number, handler in old_handlers:
        signal.signal(signal_number, handler)


def raises_interrupt(signal_number: int) -> bool:
    """Raise a signal; return whether it causes KeyboardInterrupt."""
    try:
        signal.raise_signal(signal_number)
    except KeyboardInterrupt:
        return True
    return False


def test_termination_signals_interrupt_once_and_are_stored() -> None:
    for signal_number in END_SIGNALS:
        with EndSignal() as end_signal:
            assert end_signal.signal == 0
            assert raises_interrupt(signal_number)
            assert not any(map(raises_interrupt, END_SIGNALS))  # repetitions are ignored
            assert end_signal.signal == signal_number
        assert signal.getsignal(signal_number) is signal.SIG_DFL


def test_repeated_ctrl_c_interrupts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """`timeout -s INT` sends two signals; results are printed after the first."""
    with EndSignal() as end_signal:
        assert raises_interrupt(signal.SIGINT)
        assert end_signal.signal == 0
        assert not raises_interrupt(signal.SIGINT)
        monkeypatch.setattr(streams, "CTRL_C_REPEAT_SECONDS", 0.0)
        assert raises_interrupt(signal.SIGINT), "a later Ctrl-C interrupts again"
        assert raises_interrupt(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_late_signals_end_the_process() -> None:
    code = (
        "streams = sys.modules['bgfast.cli.streams']; streams.REPEAT_SECONDS = 0\n"
        "with EndSignal():\n"
        "    try:\n        signal.raise_signal(signal.SIGTERM)\n"
        "    except KeyboardInterrupt:\n        signal.raise_signal(signal.SIGHUP)\n"
        "    print('still running')\n"
    )
    assert run_in_shell(code) == (-signal.SIGHUP, b"", b"")


def test_ignored_signals_are_left_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # `nohup` ignores it
    with EndSignal() as end_signal:
        assert not raises_interrupt(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert end_signal.signal == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_other_threads_change_no_handlers() -> None:
    results: list[object] = []

    def work() -> None:
        with EndSignal() as end_signal:
            results.append(end_signal)
            results.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    end_signal, handler = results
    assert isinstance(end_signal, EndSignal)
    assert handler is signal.SIG_DFL
