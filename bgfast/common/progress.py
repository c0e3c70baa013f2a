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
def shown_progress(
    what: str, total: float = 1.0, unit: str = "", initial: float = 0.0, *, quiet: bool = False
) -> Iterator[Callable[[float], None]]:
    """Give a function that takes how much is done: a bar if tqdm is installed, else a line now and then.

    With `unit` the rate is shown, too. What was done before, `initial`, counts for neither. With `quiet`
    nothing is shown, as without a terminal.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield _lines(what, total, unit, initial)
        return
    form = "{l_bar}{bar}| {elapsed}<{remaining}" + (", {rate_fmt}" if unit else "")
    with tqdm(
        total=total,
        initial=initial,
        desc=what,
        unit=f" {unit}",
        delay=DELAY,
        leave=False,
        bar_format=form,
        file=sys.stderr,
    ) as bar:

        def tell(done: float) -> None:
            bar.update(done - bar.n)

        yield tell


def _lines(what: str, total: float, unit: str, initial: float) -> Callable[[float], None]:
    started = time.monotonic()
    last = started + DELAY - PAUSE

    def tell(done: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < PAUSE or done <= initial:
            return
        last = now
        rate = (done - initial) / (now - started)
        left = timedelta(seconds=round((total - done) / rate))
        speed = f", {rate:,.0f} {unit}/s" if unit else ""
        print(f"bgfast: {what}: {done / total:.1%}{speed}, about {left} left", file=sys.stderr)

    return tell
