"""HTML of documents, tables and checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from bgfast.analysis.matches.page.style import STYLE

CHECKER_COLOURS = {"X": "white", "O": "black"}
"""Colours of both sides on the boards of a page, in words."""


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page from its title and the non-empty parts of its body, all HTML; `style` extends `STYLE`."""
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title><style>{STYLE}{style}</style>"
    )
    body = "\n".join(filter(None, parts))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def css_class(mark: str) -> str:
    """Return the class of the mark of an error: ``"very bad"`` is ``very-bad``."""
    return mark.replace(" ", "-")


def checker(side: Literal["X", "O"]) -> str:
    """Return a checker as a small picture, labelled with its colour."""
    colour = CHECKER_COLOURS[side]
    return (
        f'<svg class="checker" viewBox="0 0 20 20" role="img" aria-label="{colour}">'
        f'<circle cx="10" cy="10" r="8.5" fill="var(--{colour})" stroke="var(--{colour}-edge)" '
        'stroke-width="2"/></svg>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], css_class: str) -> str:
    """Return a table. Cells are HTML; every cell has the class of its column, ``c1``, ``c2``, ..."""
    body = "\n".join(map(_row, rows))
    return f'<table class="{css_class}">{_head(head)}<tbody>\n{body}\n</tbody></table>'


def grouped_table(head: Sequence[str], groups: Mapping[str, Iterable[Sequence[str]]], css_class: str) -> str:
    """Return a table with groups of rows and their headings."""
    bodies = "\n".join(
        f'<tbody><tr><th scope="rowgroup" colspan="{len(head)}">{name}</th></tr>\n'
        + "\n".join(map(_row, rows))
        + "</tbody>"
        for name, rows in groups.items()
    )
    return f'<table class="{css_class}">{_head(head)}\n{bodies}\n</table>'


def _head(cells: Sequence[str]) -> str:
    row = "".join(f'<th class="c{number}">{cell}</th>' for number, cell in enumerate(cells, 1))
    return f"<thead><tr>{row}</tr></thead>"


def _row(cells: Sequence[str]) -> str:
    row = "".join(f'<td class="c{number}">{cell}</td>' for number, cell in enumerate(cells, 1))
    return f"<tr>{row}</tr>"
