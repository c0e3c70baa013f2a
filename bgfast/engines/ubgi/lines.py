"""Lines of an untrusted peer, read in a thread, so that ``stop`` is seen during a search."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

MAX_LINE = 4096
"""Maximum length of a line in bytes; the rest of a longer line is discarded."""
MAX_WAITING = 10_000
"""Maximum number of lines read ahead; a peer that writes more is blocked."""
TOO_LONG = "\0"
"""Placeholder for a line that was too long; no other line holds a zero byte."""


class Refusal(Exception):  # noqa: N818 - a line that is refused, no failure
    """Line that cannot be obeyed, with its code in draft 0.2, as "bad_value"."""

    def __init__(self, code: str, detail: object) -> None:
        super().__init__(detail)
        self.code = code


class Lines:
    """Numbered lines, and the number of the last ``stop``; `read` runs in a thread, until it returns b""."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._waiting: queue.Queue[tuple[int, str] | None] = queue.Queue(MAX_WAITING)
        self._last_stop = 0
        threading.Thread(target=self._fill, daemon=True).start()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while (item := self._waiting.get()) is not None:
            yield item

    def is_stopped(self, number: int) -> bool:
        """Return whether ``stop`` has been read after the line of this number."""
        return self._last_stop > number

    def _fill(self) -> None:
        for number, line in enumerate(self._split(), 1):
            if line == "stop":
                self._last_stop = number
            self._waiting.put((number, line))
        self._waiting.put(None)

    def _split(self) -> Iterator[str]:
        unread, skipping = b"", False
        while chunk := self._next_chunk():
            *complete, unread = (unread + chunk).split(b"\n")
            for line in complete:
                if not skipping:
                    yield _text(line)
                skipping = False
            if len(unread) > MAX_LINE:
                if not skipping:
                    yield TOO_LONG
                unread, skipping = b"", True
        if unread and not skipping:
            yield _text(unread)

    def _next_chunk(self) -> bytes:
        try:
            return self._read()
        except OSError:  # the terminal or pipe is gone
            return b""


def _text(line: bytes) -> str:
    if len(line) > MAX_LINE:
        return TOO_LONG
    return " ".join(line.decode("utf-8", "replace").replace(TOO_LONG, "?").split())
