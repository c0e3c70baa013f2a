"""Batch conversion between boards and GNU Backgammon position IDs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.strings as strings
import numpy.typing as npt

from bgfast.batch._position_ids import decode_ids, encode_ids
from bgfast.batch.validation import BoardsLike, boards_array
from bgfast.common.validation import is_masked
from bgfast.errors import BgfastError, InvalidPositionError, NotationError, shown
from bgfast.position.text.position_ids import ID_LENGTH, board_of_gnubg_id, gnubg_id_of, without_apostrophe

ID_TYPE = np.dtype(f"U{ID_LENGTH}")


def gnubg_ids(boards: BoardsLike) -> npt.NDArray[np.str_]:
    """Return the GNU Backgammon position IDs of boards, with the mover on roll.

    Parameters
    ----------
    boards : array of whole numbers, shape (n, 26), or list of Position
        Mover's side, at most 15 checkers a side. C-contiguous int8 is read in place, anything else is copied.

    Returns
    -------
    ndarray of dtype 'U14', shape (n,)
        The ID of each board, in their order; ``ids.astype("S14")`` takes a quarter of the memory.

    Raises
    ------
    InvalidPositionError
        If these are not rows of 26 whole numbers, a bar holds checkers of the wrong side, or a side has more
        than 15; the message names the first bad row.

    Notes
    -----
    Source: GNU Backgammon's position ID: 80 bits, the opponent's before the player's on roll, with a run of
    ones (the number of checkers) and a zero for points 1 to 24 and the bar; least significant bit first in 10
    bytes, in base64. Unreachable boards with an ID (without checkers, or with both sides on the bar against
    closed home boards) are converted as well, in both directions.
    The GIL is released. Safe to call from several threads.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position.start().plays((6, 6))
    >>> bgfast.gnubg_ids(plays.boards)[:2].tolist()
    ['4HPwATAOX+ABMA', '4HPwATCGb8EBMA']
    """
    rows = boards_array(boards)
    codes = np.empty((len(rows), ID_LENGTH), np.uint32)
    bad = encode_ids(rows, codes)
    if bad >= 0:
        raise _refusal(bad, gnubg_id_of, rows[bad].tolist(), InvalidPositionError)
    return codes.view(ID_TYPE)[:, 0]


def from_gnubg_ids(ids: npt.ArrayLike | Sequence[str]) -> npt.NDArray[np.int8]:
    """Return the boards of GNU Backgammon position IDs, from the side of the player on roll.

    Parameters
    ----------
    ids : array of text, shape (n,), or list of str
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
        If this is not one row of texts, or one of them is not a position ID.
    InvalidPositionError
        If a point is held by both sides or a side has more than 15 checkers. Either message names the first
        bad row.

    Notes
    -----
    Source: GNU Backgammon's position ID, see `gnubg_ids`. A board has exactly one ID; other encodings are
    refused. The GIL is released while IDs are decoded. Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> boards = bgfast.from_gnubg_ids(["4HPwATDgc/ABMA", "sGfwATDgc/ABMA"])
    >>> bgfast.pip_counts(boards)
    array([[167, 167],
           [167, 163]], dtype=int32)
    """
    texts = ids if isinstance(ids, (list, tuple)) else _texts(ids)
    # Texts of another length do not fit the array: decode the rows before the first of them, so that the
    # first bad row is reported.
    good = len(texts)
    if not isinstance(texts, np.ndarray):
        texts = [without_apostrophe(text) if isinstance(text, str) else text for text in texts]
        good = next((row for row, text in enumerate(texts) if not _fits(text)), len(texts))
    codes = np.ascontiguousarray(texts[:good], ID_TYPE).view(np.uint32).reshape(-1, ID_LENGTH)
    boards = np.empty((good, 26), np.int8)
    bad = decode_ids(codes, boards)
    if bad < 0 and good < len(texts):
        bad = good
    if bad >= 0:
        raise _refusal(bad, board_of_gnubg_id, texts[bad], NotationError)
    return boards


def _texts(ids: Any) -> npt.NDArray[np.str_] | list[Any]:
    """Return an array of text itself if it has dtype 'U14', otherwise its rows as a list."""
    if is_masked(ids):
        raise NotationError("position IDs with masked rows; expected texts of 14 characters")
    array = np.asarray(ids)
    if array.ndim != 1:
        actual = f"an array of shape {array.shape}" if isinstance(ids, np.ndarray) else shown(ids)
        raise NotationError(f"position IDs are {actual}; expected an array of shape (n,), or a list of str")
    if array.dtype.kind not in "USOT":
        raise NotationError(f"position IDs of dtype {array.dtype!s:.60}; expected text, 'U14' or 'S14'")
    if array.dtype.kind == "S":
        array = strings.decode(array, "latin-1")  # decodes any byte, so that the message can show it
    if array.dtype.kind == "U" and array.dtype.itemsize:
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        # Typical of a wrong byte order; numpy cannot convert such values to str for a message.
        too_large = array.view(np.uint32) > 0x10FFFF
        if too_large.any():
            row = int(np.argmax(too_large)) * 4 // array.dtype.itemsize
            raise NotationError(
                f"row {row}: no text, as its numbers are beyond Unicode; is the byte order right?"
            )
    return array if array.dtype == ID_TYPE else array.tolist()


def _fits(text: Any) -> bool:
    return isinstance(text, str) and len(text) == ID_LENGTH


def _refusal(
    row: int, convert_one: Callable[[Any], object], value: Any, error_class: type[BgfastError]
) -> BgfastError:
    """Return the error of the function for a single position, prefixed by the row."""
    try:
        convert_one(value)
    except BgfastError as error:
        return type(error)(f"row {row}: {error}")
    return error_class(f"row {row}: refused, and changed by another thread since")
