"""Places in the README whose text is generated: what stands between two marks is replaced, or compared."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class UnusableError(Exception):
    """The text cannot be made from this, or has no place there."""


class Block(NamedTuple):
    """A generated text and where it stands. `program` is the module of benchmarks that writes it."""

    program: str
    what: str

    @property
    def begin(self) -> str:
        """The mark before it."""
        return f"<!-- {self.what}: begin; written by benchmarks/tables/{self.program}.py, do not edit -->"

    @property
    def end(self) -> str:
        """The mark behind it."""
        return f"<!-- {self.what}: end -->"

    def placed(self, readme: str, text: str) -> str:
        """Return a README with this text between its two marks.

        Raises
        ------
        UnusableError
            If the marks are not there, once each and in order.
        """
        begin, end = self.begin, self.end
        if readme.count(begin) != 1 or readme.count(end) != 1 or readme.index(begin) > readme.index(end):
            raise UnusableError(f"the README has not both marks of the {self.what}, once each")
        head, rest = readme.split(begin)
        return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Let a command line say which README, and whether it is only checked."""
        parser.add_argument("--readme", type=Path, default=ROOT / "README.md", metavar="FILE")
        parser.add_argument(
            "--check", action="store_true", help=f"write nothing; 1 if the README has another {self.what}"
        )

    def update(self, asked: argparse.Namespace, text: Callable[[], str], sources: Sequence[Any]) -> int:
        """Write or check the text; return the exit status: 1 if another text was found, 2 without sources."""
        try:
            readme = asked.readme.read_text(encoding="utf-8")
            wanted = self.placed(readme, text())
        except (OSError, ValueError, KeyError, UnusableError) as error:
            print(f"{self.program}: {type(error).__name__}: {error}", file=sys.stderr)
            return 2
        if not asked.check:
            asked.readme.write_text(wanted, encoding="utf-8")
            return 0
        if readme != wanted:
            names = " and ".join(Path(source).name for source in sources)
            said = f"{asked.readme.name} has another {self.what} than {names} gives"
            print(f"{self.program}: {said}", file=sys.stderr)
        return int(readme != wanted)
