"""Work shared out to threads; what they run releases the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["each", "share_out"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield the results of `work` in the order of the items.

    After an error or Ctrl-C nothing new is begun, and what has begun is waited for.
    """
    if threads == 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(cancel_futures=True)


def share_out(work: Callable[[int, int], Result], number: int, threads: int, smallest: int) -> list[Result]:
    """Call `work` on ranges that make up 0 .. number, on so many threads; return its results in their order.

    No range is shorter than `smallest`: fewer are not worth a thread's start. More ranges than threads, since
    some boards take much longer than others.
    """
    shares = max(1, min(8 * threads, number // smallest)) if threads > 1 else 1
    bounds = [(number * i // shares, number * (i + 1) // shares) for i in range(shares)]
    return list(each(lambda share: work(*share), bounds, min(threads, shares)))
