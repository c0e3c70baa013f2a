"""Parallel map with threads created for the call, for long tasks that release the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def parallel_map(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield the results of `work` in the order of the items.

    After an error or Ctrl-C no further item is started; running items are completed.
    """
    if threads == 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(cancel_futures=True)
