"""The site: sphinx-build -W --keep-going -b html docs build/site.

The pages are plain Markdown that reads as well without Sphinx. Two things are done to them here: a line that
is nothing but a link to README, CONTRIBUTING or CHANGELOG is replaced by what it names, and links between all
these lead to pages of the site.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bgfast
from bgfast.common.foreign_names import ForeignName

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGES = {
    "README.md#install": "site/quick_start.md",
    "README.md#examples": "site/quick_start.md",
    "README.md": "index.md",
    "CONTRIBUTING.md": "site/contributing.md",
    "CHANGELOG.md": "site/changelog.md",
}

project = "bgfast"
version = release = bgfast.__version__
copyright = "2026 The bgfast authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
nitpicky = True
smartquotes = False  # "all" and --option are meant as they stand
default_role = "py:obj"  # `name` in a docstring
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"bgfast {release}"


def section(file: str, place: str) -> str:
    """Return a file, or of it what stands from the heading `place` to the next one."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if not place:
        return text
    for part in re.split(r"^(?=#+ )", text, flags=re.MULTILINE):
        heading = part.partition("\n")[0].lstrip("# ").lower()
        if re.sub(r"[^\w -]", "", heading).replace(" ", "-") == place:
            return part
    raise ValueError(f"{file} has no heading {place!r}")


def moved_links(text: str, source: Path, page: Path) -> str:
    """Return `text` of the folder `source` with its relative links as they are on `page`."""

    def moved(link: re.Match[str]) -> str:
        path, mark, place = link[1].partition("#")
        if "://" in path or not path:
            return link[0]
        target = os.path.relpath(source / path, ROOT)
        known = PAGES.get(f"{target}#{place}") or PAGES.get(target)
        there = DOCS / known if known else ROOT / target
        return f"]({Path(os.path.relpath(there, page.parent)).as_posix()}{mark}{place})"

    prose_and_blocks = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    prose_and_blocks[::2] = [re.sub(r"\]\(([^)\s]+)\)", moved, prose) for prose in prose_and_blocks[::2]]
    return "".join(prose_and_blocks)


def read_page(app: Sphinx, name: str, content: list[str]) -> None:
    """Replace what is to be inserted, and all links."""
    page = Path(app.env.doc2path(name))
    if page.suffix != ".md":
        return

    parts = re.split(r"^\[[^]]+\]\((?:\.\./)+([A-Z]+\.md)#?([\w-]*)\)$", content[0], flags=re.MULTILINE)
    text = moved_links(parts[0], page.parent, page)
    for file, place, after in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        app.env.note_dependency(str(ROOT / file))
        text += moved_links(section(file, place), ROOT, page) + moved_links(after, page.parent, page)
    content[0] = text


def plain_name(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: Element
) -> Element | None:
    """Return a `name` in a docstring as it stands where it has no entry, for example a parameter's."""
    return content if node["reftype"] == "obj" else None


def is_foreign(app: Sphinx, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Return True for members that are not listed: hints for foreign names, and methods of `Sequence`."""
    return True if isinstance(member, ForeignName) or member in (Sequence.count, Sequence.index) else None


def setup(app: Sphinx) -> None:
    """Connect the above."""
    app.connect("source-read", read_page)
    app.connect("missing-reference", plain_name)
    app.connect("autodoc-skip-member", is_foreign)
