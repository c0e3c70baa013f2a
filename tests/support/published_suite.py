"""The published suite: its bytes, what is read from them, and how other bytes differ."""

from __future__ import annotations

from importlib.resources import files
from itertools import zip_longest

from bgfast.engines.suite.building import PUBLISHED
from bgfast.engines.suite.suite_file import read_suite

__all__ = ["CONTENT", "SUITE", "first_difference"]

CONTENT = (files("bgfast.engines.suite") / "data" / PUBLISHED).read_bytes()
SUITE = read_suite(CONTENT, PUBLISHED)


def first_difference(found: bytes) -> tuple[int, bytes | None, bytes | None] | None:
    """Return the first line that differs from the published one, with its number; None if all are the same.

    A megabyte on either side of a plain `==` keeps pytest busy for minutes with telling the difference.
    """
    lines = zip_longest(found.splitlines(keepends=True), CONTENT.splitlines(keepends=True))
    return next(((number, *pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1]), None)
