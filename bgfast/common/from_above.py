"""What a room has to offer to those below, which cannot import it: asked for by name, and found at the top.

Imports run downwards. Where a class below has a method that a room above carries out, as `Match.save` is for
the formats, the package itself, which knows all rooms, says here who does it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["offer", "offered"]

_OFFERS: dict[str, Callable[[], Any]] = {}


def offer(name: str, find: Callable[[], Any]) -> None:
    """Say what finds the one who does something; it is called when that is asked for."""
    _OFFERS[name] = find


def offered(name: str) -> Any:
    """Return who does something.

    Examples
    --------
    >>> offer("halves", lambda: lambda number: number / 2)
    >>> offered("halves")(3)
    1.5
    """
    return _OFFERS[name]()
