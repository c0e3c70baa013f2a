"""Pages of the documentation and their code blocks."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
DEVELOPMENT = sorted((ROOT / "docs" / "development").glob("*.md"))
PAGES = [README, *(page for page in sorted((ROOT / "docs").glob("**/*.md")) if page not in DEVELOPMENT)]
# Pages that only the site shows; their content is also in the README and in DEV_PAGES.
SITE_PAGES = [ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "site").glob("*.md"))]
# Pages for developers, which are missing when an installed bgfast is tested.
DEV_PAGES = [
    *(page for page in (ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md") if page.exists()),
    *DEVELOPMENT,
]

BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def page_text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def all_blocks(page: Path) -> list[tuple[str, str]]:
    """Return the language and the text of each code block of a page."""
    return BLOCK.findall(page_text(page))


def blocks(page: Path, *languages: str) -> list[str]:
    return [text for language, text in all_blocks(page) if language in languages]


def text_without_blocks(page: Path) -> str:
    return BLOCK.sub("", page_text(page))


def run_examples(text: str, name: str, namespace: dict[str, object]) -> None:
    """Run the examples of a docstring or a page; add their variables to `namespace`."""
    test = doctest.DocTestParser().get_doctest(text, namespace, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    output: list[str] = []
    runner.run(test, out=output.append, clear_globs=False)
    namespace.update(test.globs)
    assert runner.failures == 0, "".join(output)


def transcript(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block with their output."""
    parts = (part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
    return [(command, output) for command, _, output in parts]


def output_matches(output: str, expected: str) -> bool:
    """Return whether the output matches the expected text, in which ... stands for any text."""
    return doctest.OutputChecker().check_output(expected, output, doctest.ELLIPSIS)
