"""Mutations of compiled code, and the test files that detect them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import NamedTuple

PACKAGES = [
    import_module(f"tests.tools.mutations.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("of_*.py"))
]
TESTS = {source: tests for package in PACKAGES for source, tests in package.TESTS.items()}


class Mutation(NamedTuple):
    """A change of a source: every place of `old` becomes `new`."""

    name: str
    old: str
    new: str
    source: str
    only: str = ""  # the only test file that detects it, instead of those of the source
    build: str = ""  # the only build of the network that it breaks

    @property
    def tests(self) -> list[str]:
        """Return the test files that detect it, the likeliest first."""
        return [self.only] if self.only else TESTS[self.source]


MUTATIONS = [Mutation(*broken) for package in PACKAGES for broken in package.MUTATIONS]
