"""Reproducible fair rolls, for loops that throw the dice of many games themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.batch._random_dice import fill_dice
from bgfast.batch.validation import row_count
from bgfast.common.validation import seed_number

__all__ = ["random_dice"]

ROWS_AT_ONCE = 2**24  # some tenths of a second of work, after which Ctrl-C is seen


def random_dice(n: int, seed: int, opening: bool = False) -> npt.NDArray[np.int8]:
    """Return fair rolls: the same for the same seed, everywhere.

    Parameters
    ----------
    n : int
        How many; 0 is none.
    seed : int
        0 to 2**64 - 1. Each ply of a loop needs another one, else its dice come again.
    opening : bool
        Throw as for the first turn of a game: equal dice are thrown again, so that no roll is a double. Each
        player has thrown one of the two; the one with the higher die begins and plays both.

    Returns
    -------
    ndarray of int8, shape (n, 2)
        The two dice in the order thrown, each of the 36 pairs as likely as the others, with `opening` each of
        the 30 pairs that are no doubles. Rows are independent of each other, and row i depends on the seed
        and on i alone: it is the same for any `n`.

    Raises
    ------
    BgfastError
        If `n` or `seed` is no such number.

    Notes
    -----
    The numbers come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) on a counter for each row. They are
    others than those that other functions draw with the same seed; what `random_successors` throws itself
    it hands over with ``return_dice=True``.

    **Compatibility guarantee.** The rolls of a seed stay the same on every machine and with every version of
    Python and numpy, and in all later versions of bgfast.

    The GIL is released. Safe to call from several threads.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.random_dice(4, seed=7).tolist()
    [[1, 2], [6, 3], [6, 6], [6, 3]]
    >>> bgfast.random_dice(4, seed=7, opening=True).tolist()
    [[1, 2], [6, 3], [6, 2], [6, 3]]
    """
    number = row_count(n)
    start = seed_number(seed)
    no_doubles = bool(opening)
    dice = np.empty((number, 2), np.int8)
    for first in range(0, number, ROWS_AT_ONCE):
        fill_dice(start, no_doubles, first, dice[first : first + ROWS_AT_ONCE])
    return dice
