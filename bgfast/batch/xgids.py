"""Batch conversion of XGIDs to arrays: boards, dice, cube, score and match."""

from __future__ import annotations

from collections.abc import Iterable
from io import TextIOBase
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import BOARD_SIZE, Board, Boards
from bgfast.errors import BgfastError, NotationError, shown
from bgfast.position.position_text import form_of_words
from bgfast.position.text.decorated_text import stated_positions
from bgfast.position.text.xgid_text import Context, read_xgid


class Decisions(NamedTuple):
    """Decisions as arrays, one for each field of `Decision`; row i is that of text i.

    All fields but `turn` are from the side of the player on roll, the mover.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
        Mover's side.
    turn : ndarray of int8, shape (n,)
        The mover: 1 is X, the player below, -1 is O.
    dice : ndarray of int8, shape (n, 2)
        The roll to be played; 0 and 0 before the roll.
    offer : ndarray of dtype 'U7', shape (n,)
        Pending offer, ``"double"``, ``"beaver"`` or ``"raccoon"``; otherwise ``""``.
    cube : ndarray of int32, shape (n,)
    cube_owner : ndarray of int8, shape (n,)
        1 the mover, 0 nobody, -1 the opponent.
    score : ndarray of int32, shape (n, 2)
        Points of mover and opponent.
    match_length : ndarray of int32, shape (n,)
        0 means money play.
    crawford, jacoby, beaver : ndarray of bool, shape (n,)
    max_cube : ndarray of int32, shape (n,)

    Examples
    --------
    >>> import bgfast
    >>> decisions = bgfast.from_xgids(["XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10"])
    >>> decisions.dice, decisions.cube, decisions.score
    (array([[3, 1]], dtype=int8), array([2], dtype=int32), array([[3, 2]], dtype=int32))
    """

    boards: Boards
    turn: npt.NDArray[np.int8]
    dice: npt.NDArray[np.int8]
    offer: npt.NDArray[np.str_]
    cube: npt.NDArray[np.int32]
    cube_owner: npt.NDArray[np.int8]
    score: npt.NDArray[np.int32]
    match_length: npt.NDArray[np.int32]
    crawford: npt.NDArray[np.bool_]
    jacoby: npt.NDArray[np.bool_]
    beaver: npt.NDArray[np.bool_]
    max_cube: npt.NDArray[np.int32]


def from_xgids(lines: Iterable[str]) -> Decisions:
    r"""Return the boards, dice, cubes, scores and match rules of XGIDs.

    Parameters
    ----------
    lines : iterable of str
        Texts with one XGID each, with or without ``XGID=``; surrounding text is ignored, except a roll that
        follows. Or an open text file: if one of its lines is not an XGID, the rows are those of all XGIDs in
        the file, and surrounding text is ignored, as in exports of eXtreme Gammon.

    Returns
    -------
    Decisions
        Fresh arrays, in the order of the texts, or of the XGIDs in a file.

    Raises
    ------
    NotationError
        If this is a single text, or not texts, or one of them has no XGID, several, or an inconsistent one.
    InvalidPositionError
        If a side has more than 15 checkers. Either message names the first bad row, or line of a file.

    Notes
    -----
    Unreachable boards, which `Decision.read` refuses, are converted as well, as by `from_gnubg_ids`;
    functions that play from them refuse them. The batch functions ignore cube and score. An XGID takes tens
    of microseconds, since it is parsed in Python. Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> decisions = bgfast.from_xgids(["-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n"] * 2)
    >>> bgfast.count_successors(decisions.boards, decisions.dice)
    array([16, 16])
    """
    if isinstance(lines, (str, bytes)) or not isinstance(lines, Iterable):
        raise NotationError(f"XGIDs are {shown(lines)}; expected several texts, as in a list")
    rows = _parse_file(list(lines)) if isinstance(lines, TextIOBase) else [*map(_parse_row, count(), lines)]
    contexts = [context for _, context in rows]
    return Decisions(
        np.array([board for board, _ in rows], np.int8).reshape(-1, BOARD_SIZE),
        np.array([context.turn for context in contexts], np.int8),
        np.array([context.dice or (0, 0) for context in contexts], np.int8).reshape(-1, 2),
        np.array([context.offer or "" for context in contexts], "U7"),
        np.array([context.cube for context in contexts], np.int32),
        np.array([context.cube_owner for context in contexts], np.int8),
        np.array([context.score for context in contexts], np.int32).reshape(-1, 2),
        np.array([context.match_length for context in contexts], np.int32),
        np.array([context.crawford for context in contexts], bool),
        np.array([context.jacoby for context in contexts], bool),
        np.array([context.beaver for context in contexts], bool),
        np.array([context.max_cube for context in contexts], np.int32),
    )


def _parse_row(row: int, text: str) -> tuple[Board, Context]:
    """Parse the only XGID of a text."""
    try:
        try:
            return read_xgid(text)
        except NotationError:
            if not isinstance(text, str) or form_of_words(text.split() or [""]) == "typed":
                raise
            stated = stated_positions(text.splitlines())
            if len(stated) != 1 or not stated[0].text.startswith("XGID="):
                raise
            return read_xgid(stated[0].text)
    except BgfastError as error:
        raise type(error)(f"row {row}: {error}") from None


def _parse_file(lines: list[str]) -> list[tuple[Board, Context]]:
    """Parse the lines of a file: an XGID each, or the XGIDs in a decorated text."""
    try:
        return [*map(_parse_row, count(), lines)]
    except NotationError:
        stated = [position for position in stated_positions(lines) if position.text.startswith("XGID=")]
        if not stated:
            raise
    rows = []
    for position in stated:
        try:
            rows.append(read_xgid(position.text))
        except BgfastError as error:
            raise type(error)(f"line {position.line}: {error}") from None
    return rows
