"""Sphinx configuration of the documentation: sphinx-build -W --keep-going -b html docs build/site.

The pages are plain Markdown, readable without Sphinx. This module replaces a line that consists of a link to
README, CONTRIBUTING or CHANGELOG with the linked text, and redirects links to these files to the site.
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
smartquotes = False  # keep the quotes of "all" and the hyphens of --option
default_role = "py:obj"  # for `name` in a docstring
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"bgfast {release}"


def read_section(file: str, anchor: str) -> str:
    """Return the section of a file under the heading `anchor`; without an anchor, the whole file."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if not anchor:
        return text
    for part in re.split(r"^(?=#+ )", text, flags=re.MULTILINE):
        heading = part.partition("\n")[0].lstrip("# ").lower()
        if re.sub(r"[^\w -]", "", heading).replace(" ", "-") == anchor:
            return part
    raise ValueError(f"{file} has no heading {anchor!r}")


def move_links(text: str, source: Path, page: Path) -> str:
    """Return a text from the folder `source` with its relative links rewritten for `page`."""

    def move(link: re.Match[str]) -> str:
        path, mark, anchor = link[1].partition("#")
        if "://" in path or not path:
            return link[0]
        target = os.path.relpath(source / path, ROOT)
        site_page = PAGES.get(f"{target}#{anchor}") or PAGES.get(target)
        destination = DOCS / site_page if site_page else ROOT / target
        return f"]({Path(os.path.relpath(destination, page.parent)).as_posix()}{mark}{anchor})"

    prose_and_blocks = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    prose_and_blocks[::2] = [re.sub(r"\]\(([^)\s]+)\)", move, prose) for prose in prose_and_blocks[::2]]
    return "".join(prose_and_blocks)


def read_page(app: Sphinx, name: str, content: list[str]) -> None:
    """Insert the linked texts into a page and rewrite its links."""
    page = Path(app.env.doc2path(name))
    if page.suffix != ".md":
        return

    parts = re.split(r"^\[[^]]+\]\((?:\.\./)+([A-Z]+\.md)#?([\w-]*)\)$", content[0], flags=re.MULTILINE)
    text = move_links(parts[0], page.parent, page)
    for file, anchor, after in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        app.env.note_dependency(str(ROOT / file))
        text += move_links(read_section(file, anchor), ROOT, page) + move_links(after, page.parent, page)
    content[0] = text


def remove_link(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: Element
) -> Element | None:
    """Return the text without a link for a `name` that has no entry, such as a parameter."""
    return content if node["reftype"] == "obj" else None


def skip_entry(app: Sphinx, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Return True for members to omit: hints for foreign names, and methods of `Sequence`."""
    return True if isinstance(member, ForeignName) or member in (Sequence.count, Sequence.index) else None


def setup(app: Sphinx) -> None:
    """Connect the functions above to Sphinx's events."""
    app.connect("source-read", read_page)
    app.connect("missing-reference", remove_link)
    app.connect("autodoc-skip-member", skip_entry)
