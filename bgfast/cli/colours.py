"""Colours on terminals: X and O in printed boards, the word error; none with NO_COLOR set."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from bgfast.common.streams import complain

RED, YELLOW, CYAN, PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[0m"
FRAME = 43  # columns of a printed board, before its margin


def wants_colour(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal and NO_COLOR is unset (https://no-color.org)."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def coloured_board(text: str, stream: TextIO | None) -> str:
    """Return a printed board with the checkers of each side in a colour, if the stream takes colours."""
    if not wants_colour(stream):
        return text
    lines = []
    for line in text.split("\n"):
        inside, margin = (line[:FRAME], line[FRAME:]) if line.startswith("|") else ("", line)
        inside = re.sub(r"(?<= )X(?= )", f"{CYAN}X{PLAIN}", inside)
        lines.append(re.sub(r"(?<= )O(?= )", f"{YELLOW}O{PLAIN}", inside) + margin)
    return "\n".join(lines)


def coloured_error(text: str, stream: TextIO | None) -> str:
    """Return an error message with its prefix in red; unprintable characters are escaped."""
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    return f"bgfast: {RED}error{PLAIN}: {line}" if wants_colour(stream) else f"bgfast: error: {line}"


def complain_of_error(text: str) -> None:
    """Write an error message to the standard error."""
    complain(coloured_error(text, sys.stderr), is_clean=True)
