"""The published suite as bytes and as an object, and a comparison with the bytes of another suite."""

from __future__ import annotations

from itertools import zip_longest

from bgfast.conformance.suite.suite_building import PUBLISHED, read_published
from bgfast.conformance.suite.suite_file import read_suite

CONTENT = read_published()
SUITE = read_suite(CONTENT, PUBLISHED)


def first_difference(content: bytes) -> tuple[int, bytes | None, bytes | None] | None:
    """Return the number and both versions of the first line that differs; None if the bytes are equal.

    pytest itself takes minutes to show a difference in a megabyte.
    """
    lines = zip_longest(content.splitlines(keepends=True), CONTENT.splitlines(keepends=True))
    return next(((line, *pair) for line, pair in enumerate(lines, 1) if pair[0] != pair[1]), None)
