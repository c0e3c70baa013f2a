"""Standard streams that are closed, full, or cannot encode a character."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bgfast.cli import streams

POSIX = pytest.mark.skipif(os.name == "nt", reason="no shell that closes streams")


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


@POSIX
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed: str, tmp_path: Path) -> None:
    report = tmp_path / "report"
    code = (
        "mend_streams()\n"
        "with open(os.environ['TOLD'], 'w') as file:\n"
        "    print([sys.stdin.read(), sys.stderr.write('x')], sys.stdout is None, file=file)\n"
        "    print(file.fileno() > 2, *map(os.get_inheritable, range(3)), file=file)\n"
    )
    status, out, err = run_in_shell(code, closed, TOLD=str(report))
    assert (status, out) == (0, b"")
    assert err == (b"" if "2>&-" in closed else b"x")
    assert report.read_text() == f"['', 1] {' >&-' in ' ' + closed}\nTrue True True True\n"


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("latin-1", b"???"),
        ("ascii", b"???"),
        ("ascii:surrogateescape", b"???"),
        ("utf-8", b"\xe2\x80\x93\xce\x94?"),
    ],
)
def test_unencodable_characters_are_replaced(encoding: str, expected: bytes) -> None:
    code = "mend_streams(); print('\\u2013\\u0394\\udcff', end='')"
    assert run_in_shell(code, PYTHONIOENCODING=encoding) == (0, expected, b"")


@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_unwritable_errors_keep_the_status() -> None:
    assert run_in_shell("mend_streams(); complain('bad'); sys.exit(2)", "2>/dev/full") == (2, b"", b"")
    assert run_in_shell("complain('bad'); sys.exit(2)") == (2, b"", b"bad\n")


@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_discarded_output_does_not_fail_again() -> None:
    code = "print('x')\ntry: sys.stdout.flush()\nexcept OSError: discard(sys.stdout)\nsys.exit(3)"
    assert run_in_shell(code, ">/dev/full") == (3, b"", b"")


def test_other_streams_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.StringIO())
    streams.mend_streams()
    streams.discard(sys.stdout)
    streams.complain("bad")
    assert sys.stderr.getvalue() == "bad\n"  # type: ignore[union-attr]
