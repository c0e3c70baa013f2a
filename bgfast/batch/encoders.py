"""Batch encoders of boards as inputs of neural networks."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from bgfast.batch._encoders import OneHot, TdGammon
from bgfast.batch.successors import BoardsLike, resolve_checkers, result_memory, validate_boards
from bgfast.common.validation import BOARD_SIZE, CHECKERS, side_numbers, thread_count
from bgfast.errors import BgfastError, short_repr

TDGAMMON_INPUTS = 198
ONEHOT_INPUTS = BOARD_SIZE * (2 * CHECKERS + 1)  # 806, with 15 checkers per side

Input = TypeVar("Input", np.float32, np.int8)

MOVER_IS_SIDE_0 = np.zeros(1, np.int8)  # `side` for all boards by default


def encode_tdgammon(
    boards: BoardsLike,
    *,
    side: npt.ArrayLike | None = None,
    checkers: int | None = None,
    out: npt.NDArray[np.float32] | None = None,
    threads: int = 1,
) -> npt.NDArray[np.float32]:
    """Encode positions as the 198 inputs of TD-Gammon.

    Four inputs for each side on each point, then six more; the mover comes first everywhere. Points are
    counted from the mover's side for both sides, p = 1 .. 24, and n is the number of checkers:

    ======================  ==============================================================================
    index                   input
    ======================  ==============================================================================
    4 * (p - 1)             1 if the mover has one checker or more on point p, else 0
    4 * (p - 1) + 1         1 if two or more
    4 * (p - 1) + 2         1 if three or more
    4 * (p - 1) + 3         (n - 3) / 2 if more than three, else 0
    96 + 4 * (p - 1) + 0-3  the same four inputs for the opponent on point p
    192                     the mover's checkers on the bar: n / 2
    193                     the opponent's checkers on the bar: n / 2
    194                     the mover's checkers borne off: n / `checkers`
    195                     the opponent's checkers borne off: n / `checkers`
    196                     1 if side 0 is on roll, else 0; always 1 without `side`
    197                     1 if side 1 is on roll, else 0; always 0 without `side`
    ======================  ==============================================================================

    Parameters
    ----------
    boards
        As for `successors`. Finished positions are encoded like any other.
    side : array of whole numbers, shape (n,), or one number, optional
        Side of the mover, 0 or 1, for each board or for all. It only affects inputs 196 and 197.
    checkers : int, optional
        Checkers per side, 3 in hypergammon; by default ``Position.checkers``, and 15 for other boards.
    out : ndarray of float32, shape (n, 198), optional
        C-contiguous memory to write the inputs to, instead of a fresh array.
    threads : int
        Number of threads. The result does not depend on it.

    Returns
    -------
    ndarray of float32, shape (n, 198)
        `out` itself if passed. Row i belongs to ``boards[i]``.

    Raises
    ------
    InvalidPositionError, BgfastError
        If a board is impossible (the message names the first bad row), `out` cannot be used (it is left
        untouched), or another argument is wrong.

    See Also
    --------
    encode_onehot : One-hot vectors.
    bgfast.Network.inputs : The inputs of bgfast's networks.

    Notes
    -----
    Thread-safe, with separate `out` arrays; the GIL is released. Without `out`, most of the time is spent on
    fresh memory: the call takes two to twenty times as long.

    Tesauro [1]_ describes four units for the number of a side's men at each location, 96 units a side, and
    six for the bar, the men borne off and the player to move. Sutton and Barto [2]_ have the thresholds ("at
    least"), the halves and the fifteenths. TD-Gammon's sides were white and black; here they are mover and
    opponent, and the order of the inputs within each group is bgfast's.

    References
    ----------
    .. [1] G. Tesauro, "Practical Issues in Temporal Difference Learning", Machine Learning 8 (1992), 257-277.
    .. [2] R. S. Sutton and A. G. Barto, "Reinforcement Learning: An Introduction" (1998), section 11.1.

    Examples
    --------
    >>> import bgfast
    >>> inputs = bgfast.encode_tdgammon(bgfast.Position())
    >>> inputs.shape, inputs.dtype
    ((1, 198), dtype('float32'))
    >>> inputs[0, 96:100]    # the opponent's two checkers on the mover's point 1
    array([1., 1., 0., 0.], dtype=float32)
    """
    threads = thread_count(threads)
    checkers = resolve_checkers(boards, checkers)
    rows = validate_boards(boards, checkers)
    sides = MOVER_IS_SIDE_0 if side is None else side_numbers(side, len(rows))
    inputs = result_memory(out, np.float32, (len(rows), TDGAMMON_INPUTS), boards=rows, side=sides)
    TdGammon(rows, checkers, threads).into(sides, inputs)
    return inputs


@overload
def encode_onehot(
    boards: BoardsLike, *, checkers: int | None = ..., dtype: None = ..., out: None = ..., threads: int = ...
) -> npt.NDArray[np.float32]: ...


@overload
def encode_onehot(
    boards: BoardsLike, *, checkers: int | None = ..., dtype: type[Input], out: None = ..., threads: int = ...
) -> npt.NDArray[Input]: ...


@overload
def encode_onehot(
    boards: BoardsLike,
    *,
    checkers: int | None = ...,
    dtype: npt.DTypeLike | None = ...,
    out: npt.NDArray[Any] | None = ...,
    threads: int = ...,
) -> npt.NDArray[Any]: ...


def encode_onehot(
    boards: BoardsLike,
    *,
    checkers: int | None = None,
    dtype: npt.DTypeLike | None = None,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Encode boards as one-hot vectors of their 26 numbers.

    Each number of a board has ``2 * checkers + 1`` inputs, for the values from -`checkers` to `checkers`. The
    input of its value is 1, the others are 0; every row has 26 ones. With 15 checkers per side,

    ======================  ==============================================================================
    index                   input
    ======================  ==============================================================================
    31 * i + 15 + v         1 if ``board[i] == v``, else 0; i = 0 .. 25, v = -15 .. 15
    31 * p + 15 + n         the mover has n = 1 .. 15 checkers on point p = 1 .. 24
    31 * p + 15             point p is empty
    31 * p + 15 - n         the opponent has n checkers on point p
    15 - n                  the opponent has n = 0 .. 15 checkers on the bar (i = 0)
    790 + n                 the mover has n = 0 .. 15 checkers on the bar (i = 25)
    16-30, 775-789          always 0: no bar holds checkers of the other side
    ======================  ==============================================================================

    and in general ``(2 * checkers + 1) * i + checkers + v``. Reshaped to (n, 26, 2 * checkers + 1), the
    indices are board, index in the board, and value plus `checkers`. Borne-off checkers have no inputs.

    Parameters
    ----------
    boards, checkers, threads
        As for `encode_tdgammon`, with the same errors. With 3 checkers, a row has 182 inputs instead of 806.
    dtype : {float32, int8}, optional
        By default the dtype of `out`, and float32 without `out`.
    out : ndarray of float32 or int8, shape (n, 26 * (2 * checkers + 1)), optional
        C-contiguous memory to write the inputs to, instead of a fresh array.

    Returns
    -------
    ndarray of float32 or int8, shape (n, 26 * (2 * checkers + 1))
        `out` itself if passed. Row i belongs to ``boards[i]``.

    See Also
    --------
    encode_tdgammon : 198 inputs, for any number of checkers.
    bgfast.Network.inputs : The inputs of bgfast's networks.

    Examples
    --------
    >>> import bgfast
    >>> start = bgfast.Position()
    >>> inputs = bgfast.encode_onehot(start, dtype="int8")
    >>> inputs.shape, inputs.dtype, int(inputs.sum())
    ((1, 806), dtype('int8'), 26)
    >>> bool((inputs.reshape(1, 26, 31).argmax(axis=2) - 15 == start).all())
    True
    """
    threads = thread_count(threads)
    checkers = resolve_checkers(boards, checkers)
    rows = validate_boards(boards, checkers)
    shape = len(rows), BOARD_SIZE * (2 * checkers + 1)
    inputs = result_memory(out, _onehot_dtype(dtype, out), shape, boards=rows)
    OneHot(rows, checkers, threads).into(inputs)
    return inputs


def _onehot_dtype(dtype: Any, out: Any) -> np.dtype[Any]:
    if dtype is None:
        return np.dtype(np.int8 if isinstance(out, np.ndarray) and out.dtype == np.int8 else np.float32)
    for input_type in (np.dtype(np.float32), np.dtype(np.int8)):
        if (input_type == dtype) is True:  # comparison with an array gives an array
            return input_type
    raise BgfastError(f"dtype is {short_repr(dtype)}; expected float32 or int8")
