"""Files of positions: one a line, as an ID or 26 numbers, the roll behind it if there is one."""

from __future__ import annotations

import hashlib
import os
from codecs import BOM_UTF8
from typing import NamedTuple

from bgfast.common.files import read_limited
from bgfast.common.resumable import reason
from bgfast.common.validation import dice_pair
from bgfast.common.vocabulary import Board, Roll
from bgfast.errors import BgfastError, InvalidPositionError
from bgfast.formats.position_text import STARTS, PositionText, read_position, read_roll
from bgfast.position.position_ids import is_match_id

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
        ``Match ID:`` behind a position is set aside. It may be a pipe.
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
    try:
        content = read_limited(path)
    except OSError as error:
        raise BgfastError(f"{path}: {reason(error)}") from None
    found: list[Placed] = []
    for number, line in enumerate(content.removeprefix(BOM_UTF8).splitlines(), 1):
        try:
            words = line.decode("utf-8").partition("#")[0].split()
            if found and is_match_id(" ".join(words)):
                continue  # GNU Backgammon prints it in a line of its own
            if words:
                found.append(_placed(words, checkers))
        except UnicodeDecodeError as error:
            bad = line[error.start : error.start + 1]
            raise BgfastError(f"{path}, line {number}: the byte {bad!r}; expected UTF-8 text") from None
        except BgfastError as error:
            raise BgfastError(f"{path}, line {number}: {error}") from None
    if not found:
        raise BgfastError(f"{path}: no position in it")
    return PositionFile(tuple(found), hashlib.sha256(content).hexdigest())


def _placed(words: list[str], checkers: int | None) -> Placed:
    named = words[0].lower() in STARTS
    text = read_position(words, None if named else checkers)
    if not named and text.rest == tuple(words):  # what is no position was taken for a roll from the start
        raise InvalidPositionError("no position; expected an XGID, a GNU position ID or 26 whole numbers")
    if text.position.phase == "over":
        raise InvalidPositionError("the game is over, so that there is no play to list")
    board = tuple(text.position.to_array().tolist())
    return Placed(board, text.position.checkers, _roll(text))


def _roll(text: PositionText) -> Roll | None:
    return dice_pair(read_roll(text)) if text.rest or text.dice else None
