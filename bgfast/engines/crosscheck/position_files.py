"""Files of positions: one a line, as an ID or 26 numbers, the roll behind it if there is one."""

from __future__ import annotations

import hashlib
import os
from typing import NamedTuple

from bgfast.common.files import checked_path
from bgfast.common.validation import dice_pair
from bgfast.common.vocabulary import Board, Roll
from bgfast.errors import InvalidPositionError
from bgfast.position.position_files import read_content, read_lines
from bgfast.position.position_text import PositionText, read_roll, read_whole_text
from bgfast.position.text.position_ids import is_match_id

__all__ = ["Placed", "PositionFile", "read_positions"]


class Placed(NamedTuple):
    """A position of a file, and the roll that stood with it."""

    board: Board
    checkers: int
    roll: Roll | None


class PositionFile(NamedTuple):
    """What a file of positions holds, and a number that tells it from any other."""

    positions: tuple[Placed, ...]
    digest: str


def read_positions(path: str | os.PathLike[str], checkers: int | None = None) -> PositionFile:
    """Read a file of positions.

    Parameters
    ----------
    path : path
        Lines of an XGID, a GNU position ID, 26 numbers or the name of a starting position, as `bgfast plays`
        reads them, and a roll behind it if it is to be that roll. ``#`` begins a comment. A line of
        ``Match ID:`` behind a position is set aside. Or a text that states positions in IDs, see
        `position_files`. It may be a pipe.
    checkers : int, optional
        Checkers per side of the IDs and boards, 15 by default.

    Returns
    -------
    PositionFile

    Raises
    ------
    BgfastError
        If the file cannot be read, has no position or more than 64 MB, or a line is malformed; the message
        names the line.
    """
    name = checked_path(path, "positions")
    content = read_content(name, name)

    def take(line: int, words: list[str], found: list[Placed]) -> None:
        if not (found and is_match_id(" ".join(words))):  # GNU Backgammon prints it in a line of its own
            found.append(_placed(words, checkers))

    return PositionFile(tuple(read_lines(name, content, take)), hashlib.sha256(content).hexdigest())


def _placed(words: list[str], checkers: int | None) -> Placed:
    text = read_whole_text(" ".join(words), checkers)
    if text.position.phase == "over":
        raise InvalidPositionError("the game is over, so that there is no play to list")
    board = tuple(text.position.to_array().tolist())
    return Placed(board, text.position.checkers, _roll(text))


def _roll(text: PositionText) -> Roll | None:
    return dice_pair(read_roll(text)) if text.rest or text.dice else None
