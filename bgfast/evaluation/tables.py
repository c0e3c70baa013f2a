"""Results as tables: CSV, a pandas DataFrame, or HTML for notebooks."""

from __future__ import annotations

import csv
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from bgfast.common.extras import import_optional
from bgfast.common.text import clean_cell, clean_markup
from bgfast.errors import BgfastError, short_repr

Row = Mapping[str, Any]


def csv_text(rows: Sequence[Row], *, header: bool = True) -> str:
    """Return rows with the same columns as CSV, with a header line unless `header` is False.

    Numbers are written with full precision; None is an empty field. Without rows the text is empty.
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows({name: clean_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def text_table(rows: Sequence[tuple[str, Mapping[str, str]]], *widths: int, rest_width: int = 8) -> list[str]:
    """Format rows, each a name and cells by heading, as lines; the first row determines the headings."""
    name_width = max(len(name) for name, _ in rows)
    sizes = [*widths, *[rest_width] * len(rows[0][1])]
    lines = [("", list(rows[0][1])), *((name, list(cells.values())) for name, cells in rows)]
    return [
        f"{name:{name_width}}" + "".join(f"{cell:>{size}}" for cell, size in zip(cells, sizes, strict=False))
        for name, cells in lines
    ]


Method = TypeVar("Method", bound=Callable[..., str])


def returns_text(method: Method) -> Method:
    """Make a method that returns text refuse a path, with an error that shows the right call."""

    @wraps(method)
    def wrapper(self: Any, *arguments: Any, **options: Any) -> str:
        for path in (*arguments, *options.values()):
            if isinstance(path, (str, os.PathLike)):
                name, call = method.__name__, f"write_text(result.{method.__name__}(), encoding='utf-8')"
                expected = f"pathlib.Path({short_repr(os.fspath(path))}).{call}"
                raise BgfastError(f"{name} returns text and takes no path; expected {expected}")
        return method(self, *arguments, **options)

    return cast("Method", wrapper)


class Tabular(ABC):
    """Base class of results that can be exported as a table."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table, all with the same named columns."""

    @returns_text
    def to_csv(self) -> str:
        """Return the table as CSV, with a header line.

        Numbers are written with full precision; None is an empty field. Text that a spreadsheet would take
        for a formula, such as ``+...``, begins with an apostrophe, which bgfast's readers ignore.
        """
        return csv_text(self.rows())

    def to_dataframe(self) -> Any:
        """Return the table as a pandas DataFrame; needs ``pip install 'bgfast[pandas]'``."""
        return import_optional("pandas", "'bgfast[pandas]'", "to_dataframe").DataFrame(self.rows())


# ---- HTML, legible in light and dark themes ----


class Cell(NamedTuple):
    """Table cell with CSS, such as ``"color: #000"``."""

    text: str
    style: str = ""


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[str | Cell]], caption: str = "", *, text_columns: int = 1
) -> str:
    """Return an HTML table; the first `text_columns` columns are text, the others numbers."""
    head = "".join(_cell("th", Cell(heading), i < text_columns) for i, heading in enumerate(headings))
    body = "".join(
        f"<tr>{''.join(_cell('td', cell, i < text_columns) for i, cell in enumerate(row))}</tr>"
        for row in rows
    )
    footer = f'<caption style="caption-side: bottom; text-align: left">{clean_markup(caption)}</caption>'
    return f"<table>{footer if caption else ''}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(tag: str, cell: str | Cell, is_text: bool) -> str:
    text, style = cell if isinstance(cell, Cell) else (cell, "")
    css = f"text-align: {'left' if is_text else 'right'}; padding: 0.1em 0.5em; {style}".strip("; ")
    return f'<{tag} style="{clean_markup(css)}">{clean_markup(text)}</{tag}>'


def panel(picture: str, headline: str, *parts: str) -> str:
    """Return HTML with a picture and, next to it or on narrow pages below it, a headline and other HTML."""
    return (
        '<div style="display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start">'
        f"<div>{picture}</div><div><b>{clean_markup(headline)}</b>{''.join(parts)}</div></div>"
    )
