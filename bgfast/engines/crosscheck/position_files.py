"""Reader for files of positions: lines of an ID or 26 numbers, optionally followed by a roll."""

from __future__ import annotations

import hashlib
import os
from typing import NamedTuple

from bgfast.common.files import checked_path
from bgfast.common.validation import dice_pair
from bgfast.common.vocabulary import Board, Roll
from bgfast.errors import InvalidPositionError
from bgfast.position.position_files import read_content, read_lines
from bgfast.position.position_text import read_roll, read_whole_text
from bgfast.position.text.position_ids import is_match_id


class FilePosition(NamedTuple):
    """Position of a file, with its roll if the file states one."""

    board: Board
    checkers: int
    roll: Roll | None


class PositionFile(NamedTuple):
    """Positions of a file, and the SHA-256 digest of its content."""

    positions: tuple[FilePosition, ...]
    digest: str


def read_positions(path: str | os.PathLike[str], checkers: int | None = None) -> PositionFile:
    """Read a file, or pipe, of positions, in the syntax of ``bgfast plays``; see docs/CROSSCHECK.md."""
    name = checked_path(path, "positions")
    content = read_content(name, name)

    def add_line(line: int, words: list[str], positions: list[FilePosition]) -> None:
        # GNU Backgammon prints the match ID on a separate line.
        if not (positions and is_match_id(" ".join(words))):
            positions.append(_position(words, checkers))

    return PositionFile(tuple(read_lines(name, content, add_line)), hashlib.sha256(content).hexdigest())


def _position(words: list[str], checkers: int | None) -> FilePosition:
    text = read_whole_text(" ".join(words), checkers)
    if text.position.phase == "over":
        raise InvalidPositionError("the game is over, so that there is no play to list")
    board = tuple(text.position.to_array().tolist())
    roll = dice_pair(read_roll(text)) if text.rest or text.dice else None
    return FilePosition(board, text.position.checkers, roll)
