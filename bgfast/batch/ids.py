"""Batch conversion of GNU Backgammon position IDs, both ways, and of XGIDs to arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import TextIOBase
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.strings as strings
import numpy.typing as npt

from bgfast.batch._ids import decode_ids, encode_ids
from bgfast.batch.successors import BoardsLike, boards_array
from bgfast.common.validation import BOARD_SIZE, Board, Boards, is_masked
from bgfast.errors import BgfastError, InvalidPositionError, NotationError, short_repr
from bgfast.position.formats import Context, read_xgid
from bgfast.position.position_ids import (
    ID_LENGTH,
    board_of_gnubg_id,
    find_positions,
    gnubg_id_of,
    strip_apostrophe,
)
from bgfast.position.position_text import form_of_tokens

ID_TYPE = np.dtype(f"U{ID_LENGTH}")


def gnubg_ids(boards: BoardsLike) -> npt.NDArray[np.str_]:
    """Return the GNU Backgammon position IDs of boards, with the mover on roll.

    Parameters
    ----------
    boards
        As for `successors`.

    Returns
    -------
    ndarray of dtype 'U14', shape (n,)
        The IDs, in the order of the boards; ``ids.astype("S14")`` takes a quarter of the memory.

    Raises
    ------
    InvalidPositionError
        If `boards` are not rows of 26 whole numbers, a bar holds checkers of the wrong side, or a side has
        more than 15; the message names the first bad row.

    See Also
    --------
    from_gnubg_ids : The reverse.

    Notes
    -----
    The position ID [1]_ has 80 bits, first for the opponent, then for the player on roll. Each of the points
    1 to 24 and the bar is a run of ones, one for each checker, and a zero. The 80 bits fill 10 bytes, least
    significant bit first, in base64. Unreachable boards with an ID (without checkers, or with both sides on
    the bar against closed home boards) are converted in both directions. Thread-safe; the GIL is released.

    References
    ----------
    .. [1] GNU Backgammon manual, "A technical description of the Position ID".

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position().plays("66")
    >>> bgfast.gnubg_ids(plays.boards)[:2].tolist()
    ['4HPwATAOX+ABMA', '4HPwATCGb8EBMA']
    """
    rows = boards_array(boards)
    codes = np.empty((len(rows), ID_LENGTH), np.uint32)
    bad_row = encode_ids(rows, codes)
    if bad_row >= 0:
        raise _refusal(bad_row, gnubg_id_of, rows[bad_row].tolist(), InvalidPositionError)
    return codes.view(ID_TYPE)[:, 0]


def from_gnubg_ids(ids: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Return the boards of GNU Backgammon position IDs, from the side of the player on roll.

    Parameters
    ----------
    ids : array of text, shape (n,), list of str, or one str
        Position IDs of 14 characters each, without match IDs and without spaces; an apostrophe before a
        ``+``, as in the CSV files of bgfast, is ignored. Arrays of dtype 'U14' are the fastest; 'S14', other
        widths, arrays of objects, lists and tuples are copied first.

    Returns
    -------
    ndarray of int8, shape (n, 26)
        A fresh array, mover's side, in the order of the IDs.

    Raises
    ------
    NotationError
        If `ids` is not a one-dimensional array of text, or a text is not a position ID.
    InvalidPositionError
        If a point is held by both sides or a side has more than 15 checkers. Either message names the first
        bad row.

    See Also
    --------
    gnubg_ids : The reverse, with the source of the format.
    Position.from_gnubg_id : The position of a single ID.

    Notes
    -----
    A board has exactly one ID; other encodings are refused. Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> boards = bgfast.from_gnubg_ids(["4HPwATDgc/ABMA", "sGfwATDgc/ABMA"])
    >>> bgfast.pip_counts(boards)
    array([[167, 167],
           [167, 163]], dtype=int32)
    """
    texts = [ids] if isinstance(ids, str) else ids if isinstance(ids, (list, tuple)) else _texts(ids)
    # A text of another length does not fit the array. Errors name the first bad row, which may come earlier:
    # decode the rows before this text first.
    row_count = len(texts)
    if not isinstance(texts, np.ndarray):
        texts = [strip_apostrophe(text) if isinstance(text, str) else text for text in texts]
        has_id_length = [isinstance(text, str) and len(text) == ID_LENGTH for text in texts]
        row_count = has_id_length.index(False) if False in has_id_length else row_count
    codes = np.ascontiguousarray(texts[:row_count], ID_TYPE).view(np.uint32).reshape(-1, ID_LENGTH)
    boards = np.empty((row_count, 26), np.int8)
    bad_row = decode_ids(codes, boards)
    if bad_row < 0 and row_count < len(texts):
        bad_row = row_count
    if bad_row >= 0:
        raise _refusal(bad_row, board_of_gnubg_id, texts[bad_row], NotationError)
    return boards


def _texts(ids: Any) -> npt.NDArray[np.str_] | list[Any]:
    """Return an array of text itself if it has dtype 'U14', otherwise its rows as a list."""
    if is_masked(ids):
        raise NotationError("position IDs with masked rows; expected texts of 14 characters")
    array = np.asarray(ids)
    if array.ndim != 1:
        actual = f"an array of shape {array.shape}" if isinstance(ids, np.ndarray) else short_repr(ids)
        raise NotationError(f"position IDs are {actual}; expected an array of shape (n,), or a list of str")
    if array.dtype.kind not in "USOT":
        raise NotationError(f"position IDs of dtype {array.dtype!s:.60}; expected text, 'U14' or 'S14'")
    if array.dtype.kind == "S":
        array = strings.decode(array, "latin-1")  # decodes any byte; the message can then show it
    if array.dtype.kind == "U" and array.dtype.itemsize:
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        # Such code points indicate a wrong byte order; numpy cannot convert them to str for a message.
        too_large = array.view(np.uint32) > 0x10FFFF
        if too_large.any():
            row = int(np.argmax(too_large)) * 4 // array.dtype.itemsize
            raise NotationError(
                f"row {row}: code points beyond Unicode; expected text (is the byte order right?)"
            )
    return array if array.dtype == ID_TYPE else array.tolist()


def _refusal(
    row: int, convert: Callable[[Any], object], value: Any, error_class: type[BgfastError]
) -> BgfastError:
    """Return the error that `convert` raises for a value, prefixed by the row."""
    try:
        convert(value)
    except BgfastError as error:
        return type(error)(f"row {row}: {error}")
    return error_class(f"row {row}: refused, and changed by another thread since")


# ---- XGIDs: boards, dice, cube, score and match ----


class Decisions(NamedTuple):
    """Decisions as arrays, one for each field of `Decision`; row i belongs to text i.

    All fields but `turn` are from the side of the player on roll, the mover.

    Attributes
    ----------
    boards : ndarray of int8, shape (n, 26)
        Mover's side.
    turn : ndarray of int8, shape (n,)
        The mover: 1 for X, shown at the bottom, -1 for O.
    dice : ndarray of int8, shape (n, 2)
        The roll to be played; 0 and 0 before the roll.
    offer : ndarray of dtype 'U7', shape (n,)
        Pending offer, ``"double"``, ``"beaver"`` or ``"raccoon"``; otherwise ``""``.
    cube : ndarray of int32, shape (n,)
    cube_owner : ndarray of int8, shape (n,)
        1 if the mover owns the cube, -1 if the opponent owns it, 0 if it is centred.
    score : ndarray of int32, shape (n, 2)
        Points of mover and opponent.
    match_length : ndarray of int32, shape (n,)
        0 means money play.
    crawford, jacoby, beaver : ndarray of bool, shape (n,)
    max_cube : ndarray of int32, shape (n,)

    See Also
    --------
    Decision : A single decision.
    from_xgids : Read XGIDs.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.from_xgids(["XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10"]).score
    array([[3, 2]], dtype=int32)
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
    lines : iterable of str, or one str
        Texts with one XGID each, with or without ``XGID=``; surrounding text is ignored, but a roll that
        follows is an error. Or an open text file: if a line is not an XGID, there is a row for each XGID in
        the file, and surrounding text is ignored, as in exports of eXtreme Gammon.

    Returns
    -------
    Decisions
        Fresh arrays, in the order of the texts, or of the XGIDs in a file.

    Raises
    ------
    NotationError
        If `lines` are not texts, or a text has no XGID, several XGIDs, or an inconsistent one.
    InvalidPositionError
        If a side has more than 15 checkers. Either message names the first bad row, or line of a file.

    See Also
    --------
    Decision.read : Read one text in any format.

    Notes
    -----
    Unreachable boards are converted as well, as by `from_gnubg_ids`. An XGID takes tens of microseconds.
    Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> decisions = bgfast.from_xgids(["-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n"] * 2)
    >>> bgfast.count_successors(decisions.boards, decisions.dice)
    array([16, 16])
    """
    if isinstance(lines, str):
        lines = [lines]
    if isinstance(lines, bytes) or not isinstance(lines, Iterable):
        raise NotationError(f"XGIDs are {short_repr(lines)}; expected several texts, as in a list")
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
            if not isinstance(text, str) or form_of_tokens(text.split() or [""]) == "typed":
                raise
            positions = find_positions(text.splitlines())
            if len(positions) != 1 or not positions[0].text.startswith("XGID="):
                raise
            return read_xgid(positions[0].text)
    except BgfastError as error:
        raise type(error)(f"row {row}: {error}") from None


def _parse_file(lines: list[str]) -> list[tuple[Board, Context]]:
    """Parse the lines of a file: one XGID per line, or XGIDs within other text."""
    try:
        return [*map(_parse_row, count(), lines)]
    except NotationError:
        xgids = [position for position in find_positions(lines) if position.text.startswith("XGID=")]
        if not xgids:
            raise
    rows = []
    for position in xgids:
        try:
            rows.append(read_xgid(position.text))
        except BgfastError as error:
            raise type(error)(f"line {position.line}: {error}") from None
    return rows
