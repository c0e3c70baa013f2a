"""Generated text in the documentation, between two markers on a page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bgfast.common.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]


class UnusableError(Exception):
    """The sources are unsuitable, or the page lacks the markers."""


class Block(NamedTuple):
    """Place of generated text: the page, and the module of `benchmarks.tables` that writes it."""

    program: str
    name: str
    page: str

    @property
    def begin(self) -> str:
        """Marker before the text."""
        return f"<!-- {self.name}: begin; written by benchmarks/tables/{self.program}.py, do not edit -->"

    @property
    def end(self) -> str:
        """Marker after the text."""
        return f"<!-- {self.name}: end -->"

    def replace(self, page: str, text: str) -> str:
        """Return the content of the page with `text` between its markers.

        Raises
        ------
        UnusableError
            Unless each marker occurs exactly once, the first before the second.
        """
        begin, end = self.begin, self.end
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise UnusableError(f"{self.page} must have each marker of the {self.name} once, in order")
        head, rest = page.split(begin)
        return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root", type=Path, default=ROOT, metavar="FOLDER", help="folder with README.md and docs/"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if a page is out of date"
    )


def update(
    options: argparse.Namespace,
    program: str,
    texts: Callable[[], Mapping[Block, str]],
    sources: Sequence[Path],
) -> int:
    """Write or check every text; return the exit status: 1 if a page is out of date, 2 after an error.

    Nothing is written unless all texts can be generated and placed.
    """
    old_pages: dict[Path, str] = {}
    new_pages: dict[Path, str] = {}
    try:
        for block, text in texts().items():
            file = options.root / block.page
            old_pages.setdefault(file, file.read_text(encoding="utf-8"))
            new_pages[file] = block.replace(new_pages.get(file, old_pages[file]), text)
    except (OSError, ValueError, KeyError, UnusableError) as error:
        print(f"{program}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    stale_files = [file for file in old_pages if old_pages[file] != new_pages[file]]
    if not options.check:
        for file in stale_files:
            write_atomically(file, new_pages[file].encode("utf-8"))
        return 0
    names = " and ".join(source.name for source in sources)
    for file in stale_files:
        print(f"{program}: {file.name} is out of date with {names}; run without --check", file=sys.stderr)
    return 1 if stale_files else 0
