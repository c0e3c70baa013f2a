"""Pseudo-terminal with a width that records its output."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager


class Screen(io.StringIO):
    """Text stream with the descriptor of a pseudo-terminal."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def resize(self, columns: int) -> None:
        """Set the width."""
        import fcntl
        import termios

        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


@contextmanager
def screen(columns: int) -> Iterator[Screen]:
    """Provide a pseudo-terminal with a number of columns (POSIX)."""
    master, slave = os.openpty()
    try:
        terminal = Screen(slave)
        terminal.resize(columns)
        yield terminal
    finally:
        os.close(slave)
        os.close(master)
