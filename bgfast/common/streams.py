"""Robust standard streams: they may be closed, full or unable to encode a character."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from bgfast.common.clean_text import clean_line


def mend_streams() -> None:
    """Repair the standard streams: replace closed ones, and characters that the output cannot encode.

    A closed input is empty, a closed standard error discards everything. A closed standard output stays None,
    since the result would be lost. No other file or pipe gets the descriptor of a standard stream.
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
    """Write a line to the standard error; if that fails, only the exit status reports the error.

    `clean_line` cleans it, unless it has been cleaned before and has colours.
    """
    with suppress(OSError):
        print(text if is_clean else clean_line(text), file=sys.stderr)
    flush_errors()


def flush_errors() -> None:
    """Flush the standard error, or discard its content if that fails."""
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Discard a stream's buffered output, so that Python does not fail on it again at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
