"""Language of the package: no private phrases, and the rules quoted as docs/RULES.md has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.language import PRIVATE_PHRASES, ROOT, riddles

pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="beside a wheel there are no sources"
)


def test_the_package_has_no_riddles_and_private_phrases() -> None:
    assert [f"{path}:{line}: {text}" for path, line, text in riddles(ROOT / "bgfast")] == []


def test_riddles_are_found_in_every_kind_of_source(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text('"""A table."""\n\ndef f():\n    """Return what it holds."""\n')
    assert list(riddles(tmp_path)) == []
    (tmp_path / "a.pyx").write_text('cdef int f():\n    """Whether it is one."""\n    return 0\n')
    (tmp_path / "b.pxi").write_text("# The evaluator looks ahead.\n")
    (tmp_path / "c.py").write_text('class A:\n    r"""What it holds."""\n')
    places = [(path.name, line, text) for path, line, text in riddles(tmp_path)]
    assert places == [("a.pyx", 2, '"""Whether'), ("b.pxi", 1, "looks ahead"), ("c.py", 2, '"""What')]
    assert "at most" not in PRIVATE_PHRASES


QUOTING = (
    "core/generator/",
    "conformance/crosscheck/disagreements.py",
    "evaluation/bearoff/",
    "games/",
    "learning/environments/",
    "position/explain/",
    "reference.py",
)
"""Modules below bgfast/ whose comments quote docs/RULES.md."""


def plain(text: str) -> str:
    """Return a text without Markdown's marks, with the signs that comments have."""
    signs = str.maketrans({"–": "-", "→": "->", "×": "x", "…": "...", **dict.fromkeys("`*|")})
    return " ".join(text.translate(signs).casefold().split())


def quotations(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of the quotations in comments; ``"..."`` with two backticks is code."""
    comment, first = "", 0
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        found = re.match(r"\s*# ?(?P<whole>.*)|.*?\S\s\s# (?P<behind>.*)", line)
        if found and found["whole"] is not None:
            first = first if comment else number
            comment += f"{found['whole']} "
            continue
        for text, at in ((comment, first), (found["behind"] if found else "", number)):
            yield from (
                (at, plain(quoted)) for quoted in re.findall(r'(?<!`)"([^"]*)"', text) if " " in quoted
            )
        comment = ""


def test_quotations_of_the_rules_are_on_their_page() -> None:
    page = plain((ROOT / "docs" / "RULES.md").read_text(encoding="utf-8"))
    wrong, unlisted, count = [], [], 0
    for path in sorted((ROOT / "bgfast").rglob("*")):
        name = path.relative_to(ROOT / "bgfast").as_posix()
        if path.suffix not in (".py", ".pyx", ".pxi", ".pxd"):
            continue
        is_quoting = name.startswith(QUOTING)
        for line, text in quotations(path):
            parts = [re.escape(part.strip()) for part in text.split("...")]  # one after the other
            is_on_page = re.search(".{0,300}".join(parts), page) is not None
            count += is_quoting and is_on_page
            if is_quoting and not is_on_page:
                wrong.append(f"{name}:{line}: {text}")
            elif is_on_page and not is_quoting and len(text.split()) > 4:
                unlisted.append(f"{name}:{line}: {text}")
    assert (wrong, unlisted) == ([], [])
    assert count > 130
