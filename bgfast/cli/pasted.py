"""What is pasted to standard input in the place of words: recorded matches, or positions."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys

from bgfast.cli.options import STANDARD_INPUT, named_input
from bgfast.errors import BgfastError
from bgfast.position.position_files import read_content
from bgfast.records.match_files import holds_matches

__all__ = ["pasted_matches"]


def pasted_matches(arguments: argparse.Namespace) -> bytes | None:
    """Return the recorded matches that stand on standard input; None if there are none.

    It is read where `STANDARD_INPUT` is typed, or nothing and there is a file or a pipe. Positions become
    those that were typed, or of several lines those of ``--positions``, as ``arguments.pasted``.

    Raises
    ------
    BgfastError
        If it cannot be read, or is empty where it was asked for.
    """
    arguments.pasted = None
    if arguments.positions is not None or arguments.words not in ([], [STANDARD_INPUT]):
        return None
    if not arguments.words and not _is_given():
        return None
    content = read_content(*named_input(STANDARD_INPUT))
    if holds_matches(io.BytesIO(content)):
        return content
    if arguments.words and not content.strip():
        raise BgfastError("nothing on standard input; expected recorded matches, or positions")
    lines = [line for line in content.splitlines() if line.strip()]
    arguments.words = []
    if len(lines) == 1:
        arguments.words = lines[0].decode("utf-8", "replace").split()
    elif lines:
        arguments.positions, arguments.pasted = STANDARD_INPUT, content
    return None


def _is_given() -> bool:
    """Whether standard input is a file or a pipe, and no terminal or device."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # it is closed, or none of the system's
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)
