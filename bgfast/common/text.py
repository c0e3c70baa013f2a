r"""Text for terminals, HTML, SVG and CSV: cleaning of untrusted text, and wrapping to a terminal's width.

Names of players, tables, files and evaluators are untrusted. Escape sequences, bidirectional controls and
other invisible characters can hide or reorder the text around them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TextIO

from bgfast.common import LOADING


class Pattern:
    """Regular expression with the methods of `re.Pattern`, compiled on first use to keep imports fast."""

    if TYPE_CHECKING:
        match = fullmatch = search = re.compile("").match
        sub, split = re.compile("").sub, re.compile("").split
        finditer, findall = re.compile("").finditer, re.compile("").findall

    def __init__(self, text: str, flags: int = 0) -> None:
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(*self._source), name)
        setattr(self, name, method)
        return method


_CONTROLS = Pattern(
    "[\0-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 except tabs and line feeds
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    "\u2028\u2029\ufeff\ufff9-\uffff\ud800-\udfff]"  # separators, annotations, noncharacters, surrogates
)
_FORMULA = Pattern(r"'*[=+@\t\r-]")  # beginning of a spreadsheet formula
_REPLACEMENT = "\ufffd"


def clean_lines(text: str) -> str:
    """Return lines for a terminal, with question marks for unprintable characters."""
    return "\n".join(map(clean_line, text.split("\n")))


def clean_line(text: str) -> str:
    """Return a line for a terminal, with question marks for unprintable characters and line breaks."""
    return "".join(char if char.isprintable() else "?" for char in text)


def clean_markup(text: str) -> str:
    """Return text for HTML and SVG: escaped, with control characters replaced."""
    with LOADING:
        import html
    return html.escape(_CONTROLS.sub(_REPLACEMENT, text))


def pluralize(count: int, noun: str, plural: str = "", form: str = "") -> str:
    """Return a count with its noun: ``"1 game"``, ``"2 games"``; `form` is the count's format."""
    return f"{count:{form}} {noun if count == 1 else plural or noun + 's'}"


def clean_cell(value: Any) -> Any:
    """Return a value for a cell of a CSV file; values other than text are returned unchanged.

    Text becomes one line, with control characters replaced. Text that spreadsheets take for a formula, as it
    begins with ``=``, ``+``, ``-`` or ``@``, gets an apostrophe.
    """
    if not isinstance(value, str):
        return value
    text = _CONTROLS.sub(_REPLACEMENT, " ".join(value.splitlines()))
    return f"'{text}" if _FORMULA.match(text) else text


# ---- width of a terminal, and text wrapped to it ----


MIN_COLUMNS = 20
INDENT = "    "  # indentation of continuation lines
# A line of a printed board, and the text in its margin.
_BOARD = Pattern(r"([+|][ XOBAR|\d-]{41}[+|])(.*)", re.ASCII)


def columns(stream: TextIO | None) -> int | None:
    """Return the current number of columns of a stream's terminal; None if it is not a terminal."""
    try:
        if stream is None or not stream.isatty():
            return None
        width = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # the size is unknown, or the stream is closed
        width = 0
    with LOADING:
        import shutil
    return max(width or shutil.get_terminal_size().columns, MIN_COLUMNS)


def cut(text: str, width: int) -> str:
    """Cut a line to a maximum number of characters; an ellipsis marks the cut."""
    return text if len(text) <= width else text[: width - 1] + "…"


def fold_text(text: str, stream: TextIO | None) -> str:
    """Return text cleaned by `clean_lines` and, if the stream is a terminal, wrapped to its width.

    The rows of a table are broken at the same column. Text in the margin of a printed board, which is 43
    columns wide and never broken, moves below the board.
    """
    text = clean_lines(text)
    width = columns(stream)
    if width is None:
        return text
    lines: list[str] = []
    for layout, group in groupby(text.split("\n"), _layout):
        block = list(group)
        if max(map(len, block)) <= width:
            lines += block
        elif layout == "board":
            rows = [match.groups() for match in map(_BOARD.fullmatch, block) if match]
            lines += [line for line, _ in rows] + [margin.strip() for _, margin in rows if margin.strip()]
        else:
            # In a table most rows are too wide if any is; in a list only a few may be.
            is_aligned = layout == "table" and 2 * sum(len(line) > width for line in block) > len(block)
            tables = [block] if is_aligned else [[line] for line in block]
            lines += [part for table in tables for parts in _parts(table, width) for part in parts]
    return "\n".join(lines)


def _layout(line: str) -> str:
    if _BOARD.fullmatch(line):
        return "board"
    return "table" if "  " in line.strip() else "prose"


def _parts(table: Sequence[str], width: int) -> list[list[str]]:
    """Break the rows of a table into lines, at the same columns if possible."""
    if max(map(len, table)) <= width:
        return [[line] for line in table]
    ends = range(width, width // 2, -1)
    end = next((end for end in ends if all(line[end : end + 1] in ("", " ") for line in table)), None)
    if end is None and len(table) > 1:
        return [_parts([line], width)[0] for line in table]
    remainders = [line[end or width :] for line in table]
    margin = min(len(line) - len(line.lstrip()) for line in remainders if line.strip())
    continuations = _parts([INDENT + line[margin:] if line.strip() else "" for line in remainders], width)
    return [
        [line[: end or width].rstrip(), *filter(None, parts)]
        for line, parts in zip(table, continuations, strict=True)
    ]
