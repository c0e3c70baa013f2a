"""Mutations of compiled code, and the test files that detect them.

Each section of a file names a source and its tests, the likeliest to fail first, and lists mutations: the
name (in brackets the only build of the network that it affects), the old text after -, the new text after +.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Mutation(NamedTuple):
    """Change of a source that replaces every occurrence of `old` with `new`."""

    name: str
    old: str
    new: str
    source: str
    tests: list[str]
    build: str


def read(path: Path) -> Iterator[Mutation]:
    """Yield the mutations of a file."""
    for section in path.read_text(encoding="utf-8").rstrip("\n").split("\n@ ")[1:]:
        head, *blocks = section.split("\n\n")
        source, *tests = head.split()
        for block in blocks:
            title, *lines = block.rstrip("\n").split("\n")
            name, _, build = title.rstrip("]").partition(" [")
            old, new = ("\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
            yield Mutation(name, old, new, source, tests, build)


MUTATIONS = [mutation for path in sorted(Path(__file__).parent.glob("*.txt")) for mutation in read(path)]
