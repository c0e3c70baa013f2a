"""Registry of functions from higher layers that lower layers call without importing them.

Layers import only lower ones. Where a method of a lower layer is implemented in a higher one, such as
`Match.save` by the file formats, `bgfast/__init__.py` registers the implementation here by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["offer", "offered"]

_OFFERS: dict[str, Callable[[], Any]] = {}


def offer(name: str, find: Callable[[], Any]) -> None:
    """Register a function that imports and returns the implementation of a name."""
    _OFFERS[name] = find


def offered(name: str) -> Any:
    """Return the implementation registered for a name.

    Examples
    --------
    >>> offer("halves", lambda: lambda number: number / 2)
    >>> offered("halves")(3)
    1.5
    """
    return _OFFERS[name]()
