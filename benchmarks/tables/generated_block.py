"""Generated text in the documentation: what stands between two marks of a page is replaced, or compared."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bgfast.common.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]


class UnusableError(Exception):
    """The text cannot be made from this, or has no place there."""


class Block(NamedTuple):
    """A generated text and its place: the page, and the module of `benchmarks.tables` that writes it."""

    program: str
    what: str
    page: str

    @property
    def begin(self) -> str:
        """The mark before it."""
        return f"<!-- {self.what}: begin; written by benchmarks/tables/{self.program}.py, do not edit -->"

    @property
    def end(self) -> str:
        """The mark behind it."""
        return f"<!-- {self.what}: end -->"

    def placed(self, page: str, text: str) -> str:
        """Return the content of the page with this text between its two marks.

        Raises
        ------
        UnusableError
            If the marks are not there, once each and in order.
        """
        begin, end = self.begin, self.end
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise UnusableError(f"{self.page} does not have both marks of the {self.what}, once each")
        head, rest = page.split(begin)
        return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Let a command line say in which folder the pages lie, and whether they are only checked."""
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="of README.md and docs/")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a page has another text")


def update(
    asked: argparse.Namespace, program: str, texts: Callable[[], Mapping[Block, str]], sources: Sequence[Path]
) -> int:
    """Write or check every text; return the exit status: 1 if another text was found, 2 without sources.

    Nothing is written unless every text can be.
    """
    found: dict[Path, str] = {}
    wanted: dict[Path, str] = {}
    try:
        for block, text in texts().items():
            file = asked.root / block.page
            found.setdefault(file, file.read_text(encoding="utf-8"))
            wanted[file] = block.placed(wanted.get(file, found[file]), text)
    except (OSError, ValueError, KeyError, UnusableError) as error:
        print(f"{program}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    stale = [file for file in found if found[file] != wanted[file]]
    if not asked.check:
        for file in stale:
            write_atomically(file, wanted[file].encode("utf-8"))
        return 0
    names = " and ".join(source.name for source in sources)
    for file in stale:
        print(f"{program}: {file.name} does not say what {names} gives; write it again", file=sys.stderr)
    return 1 if stale else 0
