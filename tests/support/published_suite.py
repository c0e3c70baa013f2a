"""The published suite: its bytes and what is read from them."""

from __future__ import annotations

from importlib.resources import files

from bgfast.engines.suite.building import PUBLISHED
from bgfast.engines.suite.suite_file import read_suite

__all__ = ["CONTENT", "SUITE"]

CONTENT = (files("bgfast.engines.suite") / "data" / PUBLISHED).read_bytes()
SUITE = read_suite(CONTENT, PUBLISHED)
