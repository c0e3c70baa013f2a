"""Reproducible random positions, for tests, benchmarks and training."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.batch._random import ANY_PHASE, fill_random
from bgfast.batch.validation import row_count
from bgfast.common.validation import seed_number
from bgfast.common.vocabulary import UnfinishedPhase
from bgfast.core.board.board import Phase
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position

PHASES = {
    None: ANY_PHASE,
    "contact": Phase.PHASE_CONTACT,
    "race": Phase.PHASE_RACE,
    "bearoff": Phase.PHASE_BEAROFF,
}
ROWS_AT_ONCE = 4096  # some tenths of a second, between checks for Ctrl-C


def random_positions(n: int, seed: int, phase: UnfinishedPhase | None = None) -> npt.NDArray[np.int8]:
    """Return random positions from random games, reproducible by seed on every machine.

    Parameters
    ----------
    n : int
        Number of positions; may be 0.
    seed : int
        0 to 2**64 - 1.
    phase : {"contact", "race", "bearoff"} or None
        Phase of all positions, as of `Position.phase`; None for any.

    Returns
    -------
    ndarray of int8, shape (n, 26)
        Boards of unfinished games with 15 checkers a side, from the side of the player on roll. Rows are
        independent; row i does not depend on `n`.

    Raises
    ------
    BgfastError
        If an argument is invalid, or the boards do not fit into memory.

    Notes
    -----
    A row comes from a separate game, which begins with the starting position and an opening roll without
    doubles; every roll is fair, and all distinct successors are equally likely. The row is a uniformly random
    position of the game among those in the phase; a game without any is replaced by another one. Random
    players leave many blots and hit often, so that checkers on the bar, back games and lopsided races are
    more frequent than between good players. The starting position is included (1 row in 100). Rows may
    repeat, especially in the bear-off.

    **Compatibility guarantee.** The rows of a seed and phase stay the same on every machine and with every
    version of Python and numpy, and in all later versions of bgfast, unless an error in them is found, which
    the changelog would report. The numbers come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) on a
    counter for each row; plays are selected by the resulting boards, not by their order in a list.

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
    count = row_count(n)
    start = seed_number(seed)
    if not (phase is None or isinstance(phase, str)) or phase not in PHASES:
        expected = ", ".join(repr(name) for name in PHASES)
        raise BgfastError(f"phase is {shown(phase)}; expected one of {expected}")
    board = Position.start().to_array()
    try:
        rows = np.empty((count, 26), np.int8)
    except MemoryError:
        size = f"{count * 26 / 1e9:,.0f} GB"
        raise BgfastError(f"n is {count}, which needs {size} of memory; expected fewer that fit") from None
    for first in range(0, count, ROWS_AT_ONCE):
        fill_random(board, start, PHASES[phase], first, rows[first : first + ROWS_AT_ONCE])
    return rows
