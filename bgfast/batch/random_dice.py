"""Reproducible fair rolls, for loops over many games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.batch._random import fill_dice
from bgfast.batch.validation import row_count
from bgfast.common.validation import flag, seed_number

ROWS_AT_ONCE = 2**24  # some tenths of a second, between checks for Ctrl-C


def random_dice(n: int, seed: int, opening: bool = False) -> npt.NDArray[np.int8]:
    """Return fair rolls, reproducible by seed on every machine.

    Parameters
    ----------
    n : int
        Number of rolls; may be 0.
    seed : int
        0 to 2**64 - 1. Use a different seed for every ply of a loop; the same seed repeats the rolls.
    opening : bool
        Roll for the first turn of a game: ties are rerolled, so that no roll is a double. Each player rolls
        one die; the player with the higher one begins and plays both.

    Returns
    -------
    ndarray of int8, shape (n, 2)
        The two dice in the order rolled, uniform over the 36 pairs, with `opening` over the 30 pairs without
        doubles. Rows are independent; row i depends only on the seed and on i, not on `n`.

    Raises
    ------
    BgfastError
        If `n` or `seed` is not such a number.

    Notes
    -----
    The numbers come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) on a counter for each row. Other
    functions use different random numbers with the same seed. `random_successors` returns the dice that it
    rolls with ``return_dice=True``.

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
    rows = row_count(n)
    start = seed_number(seed)
    no_doubles = flag("opening", opening)
    dice = np.empty((rows, 2), np.int8)
    for first in range(0, rows, ROWS_AT_ONCE):
        fill_dice(start, no_doubles, first, dice[first : first + ROWS_AT_ONCE])
    return dice
