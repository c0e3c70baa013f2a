"""Standard input, output and error that may be closed, full or unable to write a character."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

__all__ = ["complain", "discard", "flush_errors", "mend_streams"]


def mend_streams() -> None:
    """Make the three usable: the output must not fail at a character, what is closed must not be missed.

    A closed input has nothing to read, a closed standard error takes everything. A closed standard output
    stays None, since nobody would see what was asked for. No file or pipe gets the descriptor of one of them.
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


def complain(text: str) -> None:
    """Write a line to the standard error; if that cannot be, the exit status has to say it all."""
    with suppress(OSError):
        print(text, file=sys.stderr)
    flush_errors()


def flush_errors() -> None:
    """See that what was said on the standard error is written, or forgotten if that cannot be."""
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Let everything go that a stream still holds, so that Python does not fail at it again when it ends."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
