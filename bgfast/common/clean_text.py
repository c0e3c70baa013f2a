r"""Cleaning of untrusted text for terminals, HTML and SVG, and CSV.

Names of players, tables, files and evaluators are untrusted. Escape sequences, bidirectional controls and
other invisible characters can hide or reorder the text around them.
"""

from __future__ import annotations

import html
import re
from typing import Any

_CONTROLS = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 except tabs and line feeds
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    "\u2028\u2029\ufeff\ufff9-\uffff\ud800-\udfff]"  # separators, annotations, noncharacters, surrogates
)
_FORMULA = re.compile(r"'*[=+@\t\r-]")
_REPLACEMENT = "\ufffd"


def clean_lines(text: str) -> str:
    """Return lines for a terminal, with question marks for unprintable characters."""
    return "\n".join(map(clean_line, text.split("\n")))


def clean_line(text: str) -> str:
    """Return a line for a terminal, with question marks for unprintable characters and line breaks."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def clean_markup(text: str) -> str:
    """Return text for HTML and SVG: escaped, with control characters replaced."""
    return html.escape(_CONTROLS.sub(_REPLACEMENT, text))


def clean_cell(value: Any) -> Any:
    """Return a value for a cell of a CSV file; other values than text are returned as they are.

    Text becomes one line, with control characters replaced. Text that spreadsheets take for a formula, as it
    begins with ``=``, ``+``, ``-`` or ``@``, gets an apostrophe.
    """
    if not isinstance(value, str):
        return value
    text = _CONTROLS.sub(_REPLACEMENT, " ".join(value.splitlines()))
    return f"'{text}" if _FORMULA.match(text) else text
