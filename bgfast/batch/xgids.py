"""XGIDs of many positions in one call: their boards, and what else they say, as arrays."""

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

__all__ = ["Decisions", "from_xgids"]


class Decisions(NamedTuple):
    """Many decisions, an array for each field of `Decision`; row i is that of text i.

    All but `turn` is seen from the side of the player on roll, the mover.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
        Mover's side.
    turn : ndarray of int8, shape (n,)
        Who the mover is: 1 is X, the player below, -1 is O.
    dice : ndarray of int8, shape (n, 2)
        The roll to be played; 0 and 0 where there is none yet.
    offer : ndarray of dtype 'U7', shape (n,)
        ``"double"``, ``"beaver"`` or ``"raccoon"`` where one waits for an answer, elsewhere ``""``.
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
    >>> found = bgfast.from_xgids(["XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10"])
    >>> found.dice, found.cube, found.score
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
    r"""Return the boards of many XGIDs, and what else they say: dice, cube, score and what is played for.

    Parameters
    ----------
    lines : iterable of str
        Texts with an XGID in each, with or without ``XGID=``; what stands around it is ignored, but for a
        roll that was typed behind it. Or a file that is open as text: if a line of it is no XGID, the rows
        are those of the XGIDs that its lines hold, and what stands around them is ignored, as in what
        eXtreme Gammon copies.

    Returns
    -------
    Decisions
        Fresh arrays, in the order of the texts, or of the XGIDs of a file.

    Raises
    ------
    NotationError
        If this is one text, or no texts, or one of them has no XGID, several, or one that contradicts itself.
    InvalidPositionError
        If a side has more than 15 checkers. Either message names the first bad row, or line of a file.

    Notes
    -----
    Boards that no game can come to, which `Decision.read` refuses, are converted like any other, as by
    `from_gnubg_ids`; who plays on from them is told. Nothing that bgfast does with `boards` looks at cube and
    score. Each is read in Python, which takes tens of microseconds. Safe to call from several threads.

    Examples
    --------
    >>> import bgfast
    >>> found = bgfast.from_xgids(["-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n"] * 2)
    >>> bgfast.count_successors(found.boards, found.dice)
    array([16, 16])
    """
    if isinstance(lines, (str, bytes)) or not isinstance(lines, Iterable):
        raise NotationError(f"XGIDs are {shown(lines)}; expected several texts, as in a list")
    rows = _of_file(list(lines)) if isinstance(lines, TextIOBase) else [*map(_read, count(), lines)]
    contexts = [context for _, context in rows]
    return Decisions(
        np.array([board for board, _ in rows], np.int8).reshape(-1, BOARD_SIZE),
        np.array([each.turn for each in contexts], np.int8),
        np.array([each.dice or (0, 0) for each in contexts], np.int8).reshape(-1, 2),
        np.array([each.offer or "" for each in contexts], "U7"),
        np.array([each.cube for each in contexts], np.int32),
        np.array([each.cube_owner for each in contexts], np.int8),
        np.array([each.score for each in contexts], np.int32).reshape(-1, 2),
        np.array([each.match_length for each in contexts], np.int32),
        np.array([each.crawford for each in contexts], bool),
        np.array([each.jacoby for each in contexts], bool),
        np.array([each.beaver for each in contexts], bool),
        np.array([each.max_cube for each in contexts], np.int32),
    )


def _read(row: int, text: str) -> tuple[Board, Context]:
    """Return what the one XGID of a text says."""
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


def _of_file(lines: list[str]) -> list[tuple[Board, Context]]:
    """Return what the lines of a file say: an XGID each, or those that a decorated text holds."""
    try:
        return [*map(_read, count(), lines)]
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
