"""HTML tables for notebooks, legible in light and dark themes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bgfast.common.clean_text import clean_markup


class Cell(NamedTuple):
    """Table cell with CSS, such as ``"color: #000"``."""

    text: str
    style: str = ""


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[str | Cell]], caption: str = "", *, names: int = 1
) -> str:
    """Return a table; the first `names` columns are text, the others numbers."""
    head = "".join(_cell("th", Cell(heading), column < names) for column, heading in enumerate(headings))
    body = "".join(
        f"<tr>{''.join(_cell('td', cell, column < names) for column, cell in enumerate(row))}</tr>"
        for row in rows
    )
    below = f'<caption style="caption-side: bottom; text-align: left">{clean_markup(caption)}</caption>'
    return f"<table>{below if caption else ''}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(tag: str, cell: str | Cell, is_name: bool) -> str:
    text, style = cell if isinstance(cell, Cell) else (cell, "")
    whole = f"text-align: {'left' if is_name else 'right'}; padding: 0.1em 0.5em; {style}".strip("; ")
    return f'<{tag} style="{clean_markup(whole)}">{clean_markup(text)}</{tag}>'


def beside(picture: str, headline: str, *parts: str) -> str:
    """Return HTML with a picture, and beside it, or below it on narrow pages, a headline and other HTML."""
    return (
        '<div style="display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start">'
        f"<div>{picture}</div><div><b>{clean_markup(headline)}</b>{''.join(parts)}</div></div>"
    )
