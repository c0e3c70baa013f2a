"""One successor out of each segment by what an evaluator says, and the mean over the rolls."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.batch._selection import Mean, RowChoice
from bgfast.batch.validation import check_out
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.validation import real_number, seed_number, segment_offsets, thread_count, value_numbers
from bgfast.errors import BgfastError, shown

__all__ = ["best_rows", "mean_over_rolls", "sample_rows"]

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
        One for each successor, in their order; of any unit, infinities included. C-contiguous float32 or
        float64 is read in place, anything else is converted to float64.
    offsets : array of whole numbers, shape (k + 1,)
        Where the segments begin, as in `Successors`: segment j is ``values[offsets[j]:offsets[j + 1]]``.
    best : {"max", "min"}
        Whether the greatest value is the best or the smallest, as where the values are the opponent's.
    threads : int
        How many threads share the work. The result is the same for any number.
    out : ndarray of int64, shape (k,), optional
        C-contiguous memory to write the rows to, instead of a fresh array.

    Returns
    -------
    ndarray of int64, shape (k,)
        Row numbers of `values`, hence of `Successors.boards`, in the order of the segments; `out` itself if
        that is given. Of equal values the first one counts. -1 where the segment is empty: as an index numpy
        takes that for the last row, so that such segments have to be left out first.

    Raises
    ------
    BgfastError
        If a value is NaN or an offset is wrong (the message names the first), if `out` cannot be used, which
        leaves it untouched, or if another argument is wrong.

    Notes
    -----
    The GIL is released. Safe to call from several threads, each with an `out` of its own.

    Examples
    --------
    The play of an opening 3-1 that leaves the opponent fewest blots to shoot at:

    >>> import bgfast
    >>> start = bgfast.Position.start().to_array()[None]
    >>> found = bgfast.successors(start, (3, 1))
    >>> blots = (found.boards[:, 1:25] == 1).sum(axis=1)
    >>> rows = bgfast.best_rows(blots, found.offsets, best="min")
    >>> rows, int(blots[rows[0]])
    (array([3]), 0)

    `mean_over_rolls` shows a search of two plies.
    """
    sign = _sign(best)
    number = thread_count(threads)
    numbers, bounds = _segments(values, offsets)
    rows = _row_memory(out, numbers, bounds)
    RowChoice(numbers, bounds, sign).best(rows, number)
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
    """Return the row of a random successor of each segment, good ones more often than bad ones.

    Parameters
    ----------
    values : array of real numbers, shape (m,)
        One for each successor, in their order. C-contiguous float32 or float64 is read in place, anything
        else is converted to float64. With `temperature` they have to be finite.
    offsets : array of whole numbers, shape (k + 1,)
        Where the segments begin, as in `Successors`: segment j is ``values[offsets[j]:offsets[j + 1]]``.
    seed : int
        0 to 2**64 - 1. Calls whose choices have to be independent need different seeds.
    temperature : float, optional
        Softmax: a row is chosen with a probability in proportion to ``exp(value / temperature)``, or to
        ``exp(-value / temperature)`` if the smallest is the best. In the unit of the values, greater than 0.
    epsilon : float, optional
        With this probability, 0 to 1, any row is chosen, each as likely as the others; otherwise the best
        one as by `best_rows`. Exactly one of `temperature` and `epsilon` has to be given.
    best : {"max", "min"}
        Whether the greatest value is the best or the smallest, as where the values are the opponent's.
    threads : int
        How many threads share the work. The result is the same for any number.
    out : ndarray of int64, shape (k,), optional
        C-contiguous memory to write the rows to, instead of a fresh array.

    Returns
    -------
    ndarray of int64, shape (k,)
        Row numbers of `values`, hence of `Successors.boards`, in the order of the segments; `out` itself if
        that is given. -1 where the segment is empty. The choice of segment j depends on the seed, on j and
        on the values of the segment alone.

    Raises
    ------
    BgfastError
        If a value is NaN, or infinite with `temperature`, or an offset is wrong (the message names the
        first); if `out` cannot be used, which leaves it untouched; or if another argument is wrong.

    Notes
    -----
    The random numbers come from SplitMix64 on a counter for each segment, and are others than those that
    `random_successors` and `random_positions` draw with the same seed. Weights are computed in float64 and
    relative to the best value: whatever the values and the temperature, nothing overflows. Another machine's
    `exp` may differ in the last digit and with it, once in a great many, a choice by `temperature`.
    The GIL is released. Safe to call from several threads, each with an `out` of its own.

    Examples
    --------
    >>> import numpy as np
    >>> import bgfast
    >>> values, offsets = [0.0, 1.0, 0.5, 2.0], [0, 3, 3, 4]    # three rows, none, one
    >>> bgfast.sample_rows(values, offsets, seed=1, temperature=0.5)
    array([ 1, -1,  3])
    >>> many = bgfast.sample_rows(values[:3] * 10000, np.arange(0, 30001, 3), seed=1, temperature=0.5)
    >>> (np.bincount(many % 3) / 10000).round(2)    # exp(0), exp(2) and exp(1) over their sum
    array([0.09, 0.67, 0.24])
    """
    sign = _sign(best)
    start = seed_number(seed)
    if (temperature is None) == (epsilon is None):
        given = "none" if epsilon is None else "both"
        raise BgfastError(f"{given} of temperature and epsilon given; expected exactly one of them")
    parameter = _epsilon(epsilon) if temperature is None else _temperature(temperature)
    number = thread_count(threads)
    numbers, bounds = _segments(values, offsets)
    if temperature is not None:
        _check_finite(numbers)
    rows = _row_memory(out, numbers, bounds)
    choice = RowChoice(numbers, bounds, sign)
    if temperature is None:
        choice.epsilon_greedy(start, parameter, rows, number)
    else:
        choice.softmax(start, parameter, rows, number)
    return rows


def mean_over_rolls(
    values: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    *,
    best: Best = "max",
    empty: npt.ArrayLike | None = None,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Return the mean over the 36 rolls of what the best successor of each roll is worth.

    Parameters
    ----------
    values : array of real numbers, shape (m,); without `offsets` shape (21 * n,) or (n, 21)
        With `offsets` one for each successor, of which the best one of each segment counts; without, one for
        each segment. C-contiguous float32 or float64 is read in place, anything else is converted to
        float64. NaN is refused; an infinity makes the mean infinite.
    offsets : array of whole numbers, shape (21 * n + 1,), optional
        Where the segments begin, as ``successors(boards, "all")`` returns it: segment ``21 * i + r`` is
        ``boards[i]`` with ``ROLLS[r]``.
    best : {"max", "min"}
        Whether the player on roll in `boards` wants the greatest value or the smallest; without `offsets` it
        plays no part.
    empty : array of real numbers, shape (n,), optional
        What the empty segments of each board are worth: those of finished games (which have no successor
        with ``passes="keep"`` either), and with ``passes="omit"`` the passes. Boards without an empty
        segment need a number, too, which plays no part.
    threads : int
        How many threads share the work. The result is the same for any number.

    Returns
    -------
    ndarray of float64, shape (n,)
        In the unit of the values, in the order of the boards. Computed in float64, roll after roll in the
        order of `ROLLS`, doubles with weight 1 and the others with 2 (`ROLL_WEIGHTS`). A finished game has
        exactly what `empty` says.

    Raises
    ------
    BgfastError
        If a segment is empty and `empty` is not given, if a value is NaN or an offset is wrong (the message
        names the first), if a board's mean is of infinities of both signs, or another argument is wrong.

    Notes
    -----
    The GIL is released. Safe to call from several threads.

    Examples
    --------
    A search of two plies: of all plays of a roll the one that is best after the best reply to each of the 21
    rolls, in four calls and one of an evaluator. Any evaluator will do; this one takes boards and returns
    points for the player on roll.

    >>> import numpy as np
    >>> import bgfast
    >>> def evaluator(boards):
    ...     pips = bgfast.pip_counts(boards)
    ...     results = bgfast.results(boards)
    ...     return np.where(results, results, np.tanh((pips[:, 1] - pips[:, 0]) / 50))
    >>> boards = bgfast.Position.start().to_array()[None]
    >>> plays = bgfast.successors(boards, (6, 4), flip=True)    # for the opponent, who is on roll then
    >>> replies = bgfast.successors(plays.boards, "all", flip=True, passes="keep")    # the mover is again
    >>> values = bgfast.mean_over_rolls(
    ...     evaluator(replies.boards), replies.offsets, best="min", empty=-bgfast.results(plays.boards)
    ... )
    >>> rows = bgfast.best_rows(values, plays.offsets)
    >>> str(bgfast.Position.start().plays((6, 4))[rows[0]]), float(values[rows[0]].round(4))
    ('8/2 6/2', 0.0368)

    The replies are the opponent's, who takes the one that is worst for the mover (``best="min"``). A play
    that ends the game has no replies; `empty` says what it is worth: the opponent's loss, negated.
    With many `boards` the same calls search all of them; ``rows[j]`` is -1 where board j has no legal play.
    """
    sign = _sign(best)
    number = thread_count(threads)
    if offsets is None:
        numbers = value_numbers("values", values)
        shape = numbers.shape
        if shape[1:] not in ((), (len(ROLLS),)) or numbers.size % len(ROLLS):
            raise BgfastError(
                f"values of shape {shown(shape)}; expected (21 * n,) or (n, 21) without offsets"
            )
        if empty is not None:
            raise BgfastError(
                "empty is given without offsets, which say what is empty; expected both or none"
            )
        numbers = numbers.reshape(-1)
        bounds = np.arange(numbers.size + 1, dtype=np.int64)
    else:
        numbers, bounds = _segments(values, offsets)
    boards, rest = divmod(len(bounds) - 1, len(ROLLS))
    if rest:
        raise BgfastError(f"offsets of {len(bounds) - 1} segments; expected 21 for each board")
    worth = None if empty is None else _worth(empty, boards)
    if worth is None:
        _check_filled(bounds)
    means = np.empty(boards, np.float64)
    Mean(numbers, bounds, sign).into(WEIGHTS, worth, means, number)
    undefined = np.isnan(means)
    if undefined.any():
        raise BgfastError(
            f"board {int(np.argmax(undefined))}: the mean of infinities of both signs is no number; "
            "expected finite values, or infinities of one sign"
        )
    return means


def _sign(best: Any) -> float:
    if isinstance(best, str) and best in ("max", "min"):
        return 1.0 if best == "max" else -1.0
    raise BgfastError(f"best is {shown(best)}; expected 'max' or 'min'")


def _temperature(value: Any) -> float:
    number = real_number(value)
    if number is None or not 0 < number < inf:
        raise BgfastError(f"temperature is {shown(value)}; expected a finite number greater than 0")
    return number


def _epsilon(value: Any) -> float:
    number = real_number(value)
    if number is None or not 0 <= number <= 1:
        raise BgfastError(f"epsilon is {shown(value)}; expected a number from 0 to 1")
    return number


def _check_finite(numbers: npt.NDArray[Any]) -> None:
    if numbers.size and not (isfinite(numbers.min()) and isfinite(numbers.max())):
        where = int(np.argmin(np.isfinite(numbers)))
        raise BgfastError(
            f"values: index {where} is {numbers[where]}; expected finite numbers with temperature"
        )


def _segments(values: npt.ArrayLike, offsets: npt.ArrayLike) -> tuple[npt.NDArray[Any], Rows]:
    numbers = value_numbers("values", values)
    if numbers.ndim != 1:
        raise BgfastError(f"values of shape {shown(numbers.shape)}; expected (m,), one for each successor")
    return numbers, segment_offsets(offsets, len(numbers))


def _row_memory(out: Any, numbers: npt.NDArray[Any], bounds: Rows) -> Rows:
    """Return memory for a row number of each segment: `out` if that is given and can be used."""
    segments = len(bounds) - 1
    if out is None:
        return np.empty(segments, np.int64)
    check_out(out, np.int64, (segments,), values=numbers, offsets=bounds)
    memory: Rows = out
    return memory


def _worth(empty: npt.ArrayLike, boards: int) -> npt.NDArray[np.float64]:
    worth = value_numbers("empty", empty)
    if worth.shape != (boards,):
        raise BgfastError(f"empty of shape {shown(worth.shape)}; expected ({boards},), one for each board")
    return worth.astype(np.float64, copy=False)


def _check_filled(bounds: Rows) -> None:
    empty = bounds[1:] == bounds[:-1]
    if empty.any():
        segment = int(np.argmax(empty))
        board, roll = divmod(segment, len(ROLLS))
        raise BgfastError(
            f"segment {segment} (board {board}, roll {ROLLS[roll][0]}-{ROLLS[roll][1]}) is empty; expected "
            "successors with passes='keep', and empty= for finished games"
        )
