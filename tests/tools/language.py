"""Report riddles and private words in the package: ``python -m tests.tools.language [FOLDER...]``.

ruff reads docstrings in Python files only. This reads those of Cython files, too: first words that begin a
riddle ("What a rollout has found"), and the private phrases for which STYLE has standard ones.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCES = (".py", ".pyi", ".pyx", ".pxi", ".pxd")
FIRST_WORDS = ("What", "Who", "Whose", "By", "Of", "How", "Where", "Which", "Whether")
PRIVATE_PHRASES = (
    "at sight",
    "side by side",
    "gone on with",
    "goes on with",
    "looks ahead",
    "looking ahead",
    "looked ahead",
    "strangers",
    "a stranger",
    "the house",
    "the rooms",
    "what is known",
    "what is found",
    "by which it",
    "who judges",
)
"""Phrases, not words: "at most" and "of course" are fine."""
_DOCSTRING = re.compile(r'^[ \t]*r?"""[ \t]*([A-Za-z]+)', re.MULTILINE)
_PHRASE = re.compile(r"\b(?:" + "|".join(map(re.escape, PRIVATE_PHRASES)) + r")\b", re.IGNORECASE)


class Riddle(NamedTuple):
    """A place whose wording needs another one."""

    path: Path
    line: int
    text: str


def riddles(folder: Path) -> Iterator[Riddle]:
    """Yield the docstrings that begin with a riddle, and the private phrases, of the sources in a folder."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES):
        text = path.read_text(encoding="utf-8")
        for docstring in _DOCSTRING.finditer(text):
            if docstring[1] in FIRST_WORDS:
                yield Riddle(path, text.count("\n", 0, docstring.start(1)) + 1, f'"""{docstring[1]}')
        for phrase in _PHRASE.finditer(text):
            yield Riddle(path, text.count("\n", 0, phrase.start()) + 1, phrase[0])


def main() -> int:
    """Print each place; return 1 if there is any."""
    folders = [Path(name) for name in sys.argv[1:]] or [ROOT / "bgfast"]
    places = [place for folder in folders for place in riddles(folder)]
    for path, line, text in places:
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{line}: {text}")
    print(f"{len(places)} places")
    return int(bool(places))


if __name__ == "__main__":
    sys.exit(main())
