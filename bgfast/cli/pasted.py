"""Recorded matches or positions from standard input or a file."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from collections.abc import Sequence

from bgfast.cli.options import STANDARD_INPUT, named_input
from bgfast.cli.records import position_content
from bgfast.errors import BgfastError
from bgfast.position.position_files import PositionLine, position_lines, read_content
from bgfast.position.position_text import read_whole_text
from bgfast.records.match_files import holds_matches


def pasted_matches(arguments: argparse.Namespace) -> bytes | None:
    """Return the recorded matches on standard input; None if there are none.

    Standard input is read if `STANDARD_INPUT` is typed, or without words if it is a file or a pipe. A
    position from it, or from a named file, replaces the words; several positions become ``--positions`` and
    ``arguments.pasted``.
    """
    arguments.pasted = None
    words = arguments.words
    if arguments.positions is not None:
        return None
    if len(words) == 1 and words[0] != STANDARD_INPUT:
        content = position_content(words[0])
        if content is not None:
            _take_positions(arguments, words[0], content)
        return None
    if words not in ([], [STANDARD_INPUT]) or not (words or _is_redirected()):
        return None
    content = read_content(*named_input(STANDARD_INPUT))
    if holds_matches(io.BytesIO(content)):
        return content
    if words and not content.strip():
        raise BgfastError("nothing on standard input; expected recorded matches, or positions")
    arguments.words = []
    if content.strip():
        _take_positions(arguments, STANDARD_INPUT, content)
    return None


def _take_positions(arguments: argparse.Namespace, word: str, content: bytes) -> None:
    """Set the words of a single position, or the pasted content of several."""
    name = named_input(word)[1]
    lines = position_lines(name, content)
    if word != STANDARD_INPUT:
        _check_ids(name, lines, arguments.checkers)
    arguments.words = []
    if len(lines) == 1:
        arguments.words = lines[0].words
    else:
        arguments.positions, arguments.pasted = word, content


def _check_ids(name: str, lines: Sequence[PositionLine], checkers: int | None) -> None:
    """Raise `BgfastError` if an ID in a file is invalid; the file may not contain positions."""
    for line, words in lines:
        if len(words) == 1:
            try:
                read_whole_text(words[0], checkers)
            except BgfastError as error:
                expected = (
                    "and no match in it; expected one as .mat, .txt, SGF, .xg, .bgf or .ogxm, or positions"
                )
                raise BgfastError(f"{name}, line {line}: {error}; {expected}") from None


def _is_redirected() -> bool:
    """Return whether standard input is a file or pipe."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or not a file of the system
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)
