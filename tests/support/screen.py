"""A terminal of some width that keeps what is written to it."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager


class Screen(io.StringIO):
    """A stream that has a terminal's descriptor, of which the size is asked."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return True

    def fileno(self) -> int:
        """Return the terminal's descriptor."""
        return self._descriptor

    def resize(self, columns: int) -> None:
        """Make it wider or narrower."""
        import fcntl
        import termios

        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


@contextmanager
def screen(columns: int) -> Iterator[Screen]:
    """Give a terminal of so many columns; only POSIX has pseudo-terminals."""
    master, slave = os.openpty()
    try:
        found = Screen(slave)
        found.resize(columns)
        yield found
    finally:
        os.close(slave)
        os.close(master)
