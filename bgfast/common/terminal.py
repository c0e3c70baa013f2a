"""How wide a terminal is, and text that fits into it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from itertools import groupby
from typing import TextIO

__all__ = ["columns", "cut", "folded"]

LEAST = 20  # columns: in fewer nobody reads
INDENT = "    "  # of what goes on in another line
_BOARD = re.compile(
    r"([+|][ XOBAR|\d-]{41}[+|])(.*)", re.ASCII
)  # a line of a printed board, and what stands behind it


def columns(stream: TextIO | None) -> int | None:
    """Return how many columns the terminal of a stream has at this moment; None if it is no terminal."""
    try:
        if stream is None or not stream.isatty():
            return None
        known = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # it does not tell, or is closed
        known = 0
    return max(known or shutil.get_terminal_size().columns, LEAST)


def cut(text: str, width: int) -> str:
    """Return a line of so many characters at most, which ends in an ellipsis if it was longer.

    Examples
    --------
    >>> cut("576 of 1,296 trials", 10)
    '576 of 1,…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def folded(text: str, stream: TextIO | None) -> str:
    """Return text of which no line is wider than the terminal of a stream; without one as it is.

    What is too wide goes on below, in a table at the same column of each row. What stands beside a board
    comes below it; a board itself is never cut, and has 43 columns.
    """
    width = columns(stream)
    if width is None:
        return text
    lines: list[str] = []
    for kind, group in groupby(text.split("\n"), _kind):
        together = list(group)
        if max(map(len, together)) <= width:
            lines += together
        elif kind == "board":
            lines += _without_margin(together)
        else:
            # The rows of a table are about as wide as each other; in a list a few may be too wide.
            as_one = kind == "table" and 2 * sum(len(line) > width for line in together) > len(together)
            rows = [together] if as_one else [[line] for line in together]
            lines += [part for row in rows for parts in _parts(row, width) for part in parts]
    return "\n".join(lines)


def _kind(line: str) -> str:
    if _BOARD.fullmatch(line):
        return "board"
    return "table" if "  " in line.strip() else "words"


def _without_margin(board: Sequence[str]) -> list[str]:
    """Return the lines of a board, then what stood beside them."""
    split = [found.groups() for found in map(_BOARD.fullmatch, board) if found]
    return [line for line, _ in split] + [margin.strip() for _, margin in split if margin.strip()]


def _parts(table: Sequence[str], width: int) -> list[list[str]]:
    """Return the lines that each row of a table is broken into, at the same columns if that can be."""
    if max(map(len, table)) <= width:
        return [[line] for line in table]
    ends = range(width, width // 2, -1)
    end = next((end for end in ends if all(line[end : end + 1] in ("", " ") for line in table)), None)
    if end is None and len(table) > 1:
        return [_parts([line], width)[0] for line in table]
    rest = [line[end or width :] for line in table]
    margin = min(len(line) - len(line.lstrip()) for line in rest if line.strip())
    below = _parts([INDENT + line[margin:] if line.strip() else "" for line in rest], width)
    return [
        [line[: end or width].rstrip(), *filter(None, parts)]
        for line, parts in zip(table, below, strict=True)
    ]
