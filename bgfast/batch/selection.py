"""Batch selection of successors by their values, and means over the rolls."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.batch._selection import Mean, RowChoice
from bgfast.batch.successors import result_memory
from bgfast.common.validation import (
    ROLL_WEIGHTS,
    ROLLS,
    one_of,
    real_number,
    seed_number,
    segment_offsets,
    thread_count,
    value_numbers,
)
from bgfast.errors import BgfastError, short_repr

Best = Literal["max", "min"]
Rows = npt.NDArray[np.int64]

WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)


def best_rows(
    values: npt.ArrayLike,
    offsets: npt.ArrayLike,
    *,
    best: Best = "max",
    threads: int = 1,
    out: Rows | None = None,
) -> Rows:
    """Return the row of the best successor of each segment.

    Parameters
    ----------
    values : array of real numbers, shape (m,)
        One value for each successor, in order and in any unit; may be infinite. C-contiguous float32 or
        float64 is read in place, anything else is converted to float64.
    offsets : array of whole numbers, shape (k + 1,)
        Starts of the segments, as in `Successors`: segment j is ``values[offsets[j]:offsets[j + 1]]``.
    best : {"max", "min"}
        The best value is the maximum, or the minimum (for values from the opponent's side).
    threads : int
        Number of threads. The result does not depend on it.
    out : ndarray of int64, shape (k,), optional
        C-contiguous memory to write the rows to, instead of a fresh array.

    Returns
    -------
    ndarray of int64, shape (k,)
        Row indices of `values`, hence of `Successors.boards`, in the order of the segments; `out` itself if
        passed. Ties go to the first row. Empty segments have -1; remove them before indexing, since
        numpy would take the last row.

    Raises
    ------
    BgfastError
        If a value is NaN or an offset is wrong (the message names the first), if `out` cannot be used (it is
        left untouched), or if another argument is wrong.

    See Also
    --------
    sample_rows : Random successors, by softmax or epsilon-greedy selection.
    mean_over_rolls : Values of the boards before the roll.

    Notes
    -----
    Thread-safe, with separate `out` arrays; the GIL is released.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.successors(bgfast.Position(), "31")
    >>> blots = (result.boards[:, 1:25] == 1).sum(axis=1)
    >>> bgfast.best_rows(blots, result.offsets, best="min")
    array([3])
    """
    sign = _sign(best)
    threads = thread_count(threads)
    array, bounds = _segments(values, offsets)
    rows = result_memory(out, np.int64, (len(bounds) - 1,), values=array, offsets=bounds)
    RowChoice(array, bounds, sign).into(0, 0, 0, rows, threads)
    return rows


def sample_rows(
    values: npt.ArrayLike,
    offsets: npt.ArrayLike,
    seed: int,
    *,
    temperature: float | None = None,
    epsilon: float | None = None,
    best: Best = "max",
    threads: int = 1,
    out: Rows | None = None,
) -> Rows:
    """Return the row of a random successor of each segment, by softmax or epsilon-greedy selection.

    Parameters
    ----------
    values, offsets, best, threads, out
        As for `best_rows`. With `temperature` the values have to be finite.
    seed : int
        0 to 2**64 - 1. Use different seeds for independent calls.
    temperature : float, optional
        Softmax: the probability of a row is proportional to ``exp(value / temperature)``, or to
        ``exp(-value / temperature)`` with ``best="min"``. In the unit of the values, greater than 0.
    epsilon : float, optional
        Epsilon-greedy: with this probability, 0 to 1, a uniformly random row, otherwise the row of
        `best_rows`. Exactly one of `temperature` and `epsilon` is required.

    Returns
    -------
    ndarray of int64, shape (k,)
        Rows as from `best_rows`. The choice of segment j depends only on the seed, on j and on the values of
        the segment.

    Raises
    ------
    BgfastError
        As for `best_rows`, and if a value is infinite with `temperature`.

    See Also
    --------
    best_rows : The best successor of each segment.
    random_successors : Uniformly random successors, without values.

    Notes
    -----
    The random numbers come from SplitMix64 on a counter for each segment; other functions use different ones
    with the same seed. Weights are computed in float64 relative to the best value and cannot overflow. `exp`
    may differ in the last digit between machines, which very rarely changes a choice by `temperature`.

    References
    ----------
    R. S. Sutton and A. G. Barto, "Reinforcement Learning: An Introduction" (1998), sections 2.2 and 2.3.

    Examples
    --------
    >>> import bgfast
    >>> values, offsets = [0.0, 1.0, 0.5, 2.0], [0, 3, 3, 4]    # three rows, none, one
    >>> bgfast.sample_rows(values, offsets, seed=1, temperature=0.5)
    array([ 1, -1,  3])
    """
    sign = _sign(best)
    seed = seed_number(seed)
    if (temperature is None) == (epsilon is None):
        arguments = "neither temperature nor epsilon" if epsilon is None else "both temperature and epsilon"
        raise BgfastError(f"{arguments} passed; expected exactly one of them")
    divisor = 0.0 if temperature is None else real_number(temperature)
    probability = 0.0 if epsilon is None else real_number(epsilon)
    if divisor is None or not (temperature is None or 0 < divisor < inf):
        raise BgfastError(
            f"temperature is {short_repr(temperature)}; expected a finite number greater than 0"
        )
    if probability is None or not 0 <= probability <= 1:
        raise BgfastError(f"epsilon is {short_repr(epsilon)}; expected a number from 0 to 1")
    threads = thread_count(threads)
    array, bounds = _segments(values, offsets)
    if temperature is not None and array.size and not (isfinite(array.min()) and isfinite(array.max())):
        index = int(np.argmin(np.isfinite(array)))
        raise BgfastError(
            f"values: index {index} is {array[index]}; expected finite numbers with temperature"
        )
    rows = result_memory(out, np.int64, (len(bounds) - 1,), values=array, offsets=bounds)
    RowChoice(array, bounds, sign).into(seed, divisor, probability, rows, threads)
    return rows


def mean_over_rolls(
    values: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    *,
    best: Best = "max",
    empty: npt.ArrayLike | None = None,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Return the mean over the 36 rolls of the value of the best successor.

    Parameters
    ----------
    values : array of real numbers, shape (m,); without `offsets` shape (21 * n,) or (n, 21)
        With `offsets`, one value per successor; the best of each segment is used. Without `offsets`, one for
        each segment. An infinity makes the mean infinite.
    offsets : array of whole numbers, shape (21 * n + 1,), optional
        Starts of the segments, as in the result of ``successors(boards, "all")``: segment ``21 * i + r`` is
        ``boards[i]`` with ``ROLLS[r]``.
    best : {"max", "min"}
        Whether the player on roll in `boards` maximizes or minimizes the value; ignored without `offsets`.
    empty : array of real numbers, shape (n,), optional
        Value of the empty segments of each board: of finished games (without successors, even with
        ``passes="keep"``) and, with ``passes="omit"``, of passes. For boards without an empty segment
        the number is ignored.
    threads : int

    Returns
    -------
    ndarray of float64, shape (n,)
        In the unit of the values, in the order of the boards. Computed in float64, in the order of `ROLLS`,
        with weight 1 for doubles and 2 for other rolls (`ROLL_WEIGHTS`). A finished game has exactly the
        value of `empty`.

    Raises
    ------
    BgfastError
        As for `best_rows`, and if a segment is empty and `empty` is not passed, or a board's mean is over
        infinities of both signs.

    See Also
    --------
    successors : Successors of all rolls.
    bgfast.evaluators.Lookahead : N-ply search with an evaluator.

    Examples
    --------
    A search: of all plays of a roll, select the one that is best after the opponent's best reply to each of
    the 21 rolls. The evaluator takes boards and returns points for the player on roll.

    >>> import numpy as np
    >>> import bgfast
    >>> def evaluator(boards):
    ...     pips = bgfast.pip_counts(boards)
    ...     results = bgfast.results(boards)
    ...     return np.where(results, results, np.tanh((pips[:, 1] - pips[:, 0]) / 50))
    >>> start = bgfast.Position()
    >>> plays = bgfast.successors(start, "64", flip=True)    # from the opponent's side
    >>> replies = bgfast.successors(plays.boards, "all", flip=True, passes="keep")    # from the mover's side
    >>> values = bgfast.mean_over_rolls(
    ...     evaluator(replies.boards), replies.offsets, best="min", empty=-bgfast.results(plays.boards)
    ... )
    >>> rows = bgfast.best_rows(values, plays.offsets)
    >>> str(start.plays("64")[rows[0]]), float(values[rows[0]].round(4))
    ('8/2 6/2', 0.0368)

    The opponent selects the reply that is worst for the mover (``best="min"``). A play that ends the game has
    no replies; `empty` is its value: the opponent's loss, negated.
    """
    sign = _sign(best)
    threads = thread_count(threads)
    if offsets is None:
        array = value_numbers("values", values)
        shape = array.shape
        if shape[1:] not in ((), (len(ROLLS),)) or array.size % len(ROLLS):
            raise BgfastError(
                f"values of shape {short_repr(shape)}; expected (21 * n,) or (n, 21) without offsets"
            )
        if empty is not None:
            raise BgfastError(
                "empty is passed without offsets, which define the segments; expected both or neither"
            )
        array = array.reshape(-1)
        bounds = np.arange(array.size + 1, dtype=np.int64)
    else:
        array, bounds = _segments(values, offsets)
    board_count, rest = divmod(len(bounds) - 1, len(ROLLS))
    if rest:
        raise BgfastError(f"offsets of {len(bounds) - 1} segments; expected 21 for each board")
    empty_values = None if empty is None else _empty_values(empty, board_count)
    if empty_values is None and (bounds[1:] == bounds[:-1]).any():
        segment = int(np.argmax(bounds[1:] == bounds[:-1]))
        board, roll = divmod(segment, len(ROLLS))
        raise BgfastError(
            f"segment {segment} (board {board}, roll {ROLLS[roll][0]}-{ROLLS[roll][1]}) is empty; expected "
            "successors with passes='keep', and empty= for finished games"
        )
    means = np.empty(board_count, np.float64)
    Mean(array, bounds, sign).into(WEIGHTS, empty_values, means, threads)
    is_undefined = np.isnan(means)
    if is_undefined.any():
        raise BgfastError(
            f"board {int(np.argmax(is_undefined))}: the mean of infinities of both signs is undefined; "
            "expected finite values, or infinities of one sign"
        )
    return means


def _sign(best: Any) -> float:
    return 1.0 if one_of("best", best, "max", "min") == "max" else -1.0


def _segments(values: npt.ArrayLike, offsets: npt.ArrayLike) -> tuple[npt.NDArray[Any], Rows]:
    array = value_numbers("values", values)
    if array.ndim != 1:
        raise BgfastError(f"values of shape {short_repr(array.shape)}; expected (m,), one for each successor")
    return array, segment_offsets(offsets, len(array))


def _empty_values(empty: npt.ArrayLike, board_count: int) -> npt.NDArray[np.float64]:
    empty_values = value_numbers("empty", empty)
    if empty_values.shape != (board_count,):
        shape = short_repr(empty_values.shape)
        raise BgfastError(f"empty of shape {shape}; expected ({board_count},), one for each board")
    return empty_values.astype(np.float64, copy=False)
