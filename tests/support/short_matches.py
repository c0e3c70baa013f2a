"""Matches of a few turns."""

from __future__ import annotations

from typing import Any

from bgfast import Match

__all__ = ["played"]


def played(*plays: str, length: int | None = 3, **options: Any) -> Match:
    """Return a match that begins with 3-1 and 6-5, played as given."""
    match = Match(length, dice=[(3, 1), (6, 5)], **options)
    for play in plays:
        match.roll()
        match.play(play)
    return match
