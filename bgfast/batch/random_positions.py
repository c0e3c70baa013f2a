"""Reproducible random positions, for tests, benchmarks and the training of evaluators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.batch._random_positions import ANY_PHASE, fill_random
from bgfast.batch.validation import row_count
from bgfast.common.validation import seed_number
from bgfast.common.vocabulary import UnfinishedPhase
from bgfast.core.board.board import Phase
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position

__all__ = ["random_positions"]

PHASES = {
    None: ANY_PHASE,
    "contact": Phase.PHASE_CONTACT,
    "race": Phase.PHASE_RACE,
    "bearoff": Phase.PHASE_BEAROFF,
}
ROWS_AT_ONCE = 4096  # some tenths of a second of work, after which Ctrl-C is seen


def random_positions(n: int, seed: int, phase: UnfinishedPhase | None = None) -> npt.NDArray[np.int8]:
    """Return random positions as they occur in random games: the same for the same seed, everywhere.

    Parameters
    ----------
    n : int
        How many; 0 is none.
    seed : int
        0 to 2**64 - 1.
    phase : {"contact", "race", "bearoff"} or None
        The phase that every position is in, as `Position.phase` says; None for any.

    Returns
    -------
    ndarray of int8, shape (n, 26)
        Boards of unfinished games with 15 checkers a side, seen from the side of the player on roll. Rows are
        independent of each other, and row i is the same for any `n`.

    Raises
    ------
    BgfastError
        If an argument is none of these, or so many boards do not fit into memory.

    Notes
    -----
    Each row is a game of its own: from the starting position and an opening roll that is no double, every
    roll is fair and every distinct successor equally likely. Of the moments at which the game is in the
    wanted phase one is chosen, each as likely as the others; a game without such a moment is followed by
    another one. Random players leave many blots and hit much, so that checkers on the bar, back games and
    lopsided races are more frequent than between good players. The starting position is a moment like any
    other (1 row in 100). Rows may repeat, most of all in the bear-off.

    **Compatibility guarantee.** The rows of a seed and phase stay the same on every machine and with every
    version of Python and numpy, and in all later versions of bgfast, unless a mistake in them is found: the
    changelog says so then. The numbers come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) on a counter
    for each row; a play is chosen by what it leads to, not by its place in a list.

    The GIL is released. Safe to call from several threads.

    Examples
    --------
    >>> import bgfast
    >>> boards = bgfast.random_positions(3, seed=7)
    >>> bgfast.gnubg_ids(boards).tolist()
    ['xE/wQQiGT/ABIg', 'AwAAuP8NAAAAAA', 'Dh/wQSDgc/ABIQ']
    >>> bgfast.Position.from_array(bgfast.random_positions(1, seed=7, phase="race")[0]).phase
    'race'
    """
    number = row_count(n)
    start = seed_number(seed)
    if not (phase is None or isinstance(phase, str)) or phase not in PHASES:
        expected = ", ".join(repr(name) for name in PHASES)
        raise BgfastError(f"phase is {shown(phase)}; expected one of {expected}")
    board = Position.start().to_array()
    try:
        rows = np.empty((number, 26), np.int8)
    except MemoryError:
        size = f"{number * 26 / 1e9:,.0f} GB"
        raise BgfastError(f"n is {number}, which needs {size} of memory; expected fewer that fit") from None
    for first in range(0, number, ROWS_AT_ONCE):
        fill_random(board, start, PHASES[phase], first, rows[first : first + ROWS_AT_ONCE])
    return rows
