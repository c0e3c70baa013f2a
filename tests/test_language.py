"""Language of the package: unclear words, private phrases, and quotations of docs/RULES.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = (".py", ".pyi", ".pyx", ".pxi", ".pxd")
# First words of unclear docstrings ("What a rollout has found"); ruff checks only Python files.
UNCLEAR_WORD = re.compile(r'^[ \t]*r?"""[ \t]*(What|Who|Whose|By|Of|How|Where|Which|Whether)\b', re.MULTILINE)
# Private phrases that have standard replacements.
PRIVATE_PHRASE = re.compile(
    r"\b(at sight|side by side|(?:gone|goes) on with|look(?:s|ing|ed) ahead|(?:a )?strangers?"
    r"|the house|the rooms|what is (?:known|found)|by which it|who judges)\b",
    re.IGNORECASE,
)

pytestmark = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="a wheel has no sources")


def test_the_package_has_no_unclear_words_or_private_phrases() -> None:
    faults = []
    for path in sorted(path for path in (ROOT / "bgfast").rglob("*") if path.suffix in SOURCES):
        text = path.read_text(encoding="utf-8")
        for match in (*UNCLEAR_WORD.finditer(text), *PRIVATE_PHRASE.finditer(text)):
            faults.append(f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}: {match[1]}")
    assert faults == []


QUOTING_MODULES = (
    "core/generator/",
    "conformance/crosscheck/disagreements.py",
    "conformance/crosscheck/lifted_turn.py",
    "evaluation/bearoff/",
    "games/",
    "learning/environments/",
    "position/explain.py",
    "position/turn.py",
    "reference.py",
)
"""Modules below bgfast/ whose comments quote docs/RULES.md."""


def normalize(text: str) -> str:
    """Return a text without Markdown marks, in lower case and with the signs that comments use."""
    signs = str.maketrans({"–": "-", "→": "->", "×": "x", "…": "...", **dict.fromkeys("`*|")})
    return " ".join(text.translate(signs).casefold().split())


def quotations(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of quotations in comments; ``"..."`` in double backticks is code."""
    comment, first_line = "", 0
    for line_number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        match = re.match(r"\s*# ?(?P<whole>.*)|.*?\S\s\s# (?P<trailing>.*)", line)
        if match and match["whole"] is not None:
            first_line = first_line if comment else line_number
            comment += f"{match['whole']} "
            continue
        for text, start in ((comment, first_line), (match["trailing"] if match else "", line_number)):
            yield from (
                (start, normalize(quoted)) for quoted in re.findall(r'(?<!`)"([^"]*)"', text) if " " in quoted
            )
        comment = ""


def test_quotations_of_the_rules_are_exact() -> None:
    page = normalize((ROOT / "docs" / "RULES.md").read_text(encoding="utf-8"))
    inexact, unlisted, count = [], [], 0
    for path in sorted((ROOT / "bgfast").rglob("*")):
        name = path.relative_to(ROOT / "bgfast").as_posix()
        if path.suffix not in (".py", ".pyx", ".pxi", ".pxd"):
            continue
        is_quoting = name.startswith(QUOTING_MODULES)
        for line, text in quotations(path):
            parts = [re.escape(part.strip()) for part in text.split("...")]
            is_on_page = re.search(".{0,300}".join(parts), page) is not None
            count += is_quoting and is_on_page
            if is_quoting and not is_on_page:
                inexact.append(f"{name}:{line}: {text}")
            elif is_on_page and not is_quoting and len(text.split()) > 4:
                unlisted.append(f"{name}:{line}: {text}")
    assert (inexact, unlisted) == ([], [])
    assert count > 130
