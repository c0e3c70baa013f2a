"""How far long work has come, on standard error if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

__all__ = ["shown_progress"]

DELAY = 2.0  # seconds after which work counts as long; shorter work shows nothing
PAUSE = 10.0  # seconds between two lines where tqdm is not installed


@contextmanager
def shown_progress(what: str) -> Iterator[Callable[[float], None]]:
    """Give a function that takes the fraction done: a bar if tqdm is installed, else a line now and then."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield _lines(what)
        return
    form = "{l_bar}{bar}| {elapsed}<{remaining}"
    with tqdm(total=1.0, desc=what, delay=DELAY, leave=False, bar_format=form, file=sys.stderr) as bar:

        def tell(done: float) -> None:
            bar.update(done - bar.n)

        yield tell


def _lines(what: str) -> Callable[[float], None]:
    started = time.monotonic()
    last = started + DELAY - PAUSE

    def tell(done: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < PAUSE or not done:
            return
        last = now
        left = timedelta(seconds=round((now - started) * (1 - done) / done))
        print(f"bgfast: {what}: {done:.1%}, about {left} left", file=sys.stderr)

    return tell
