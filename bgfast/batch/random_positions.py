"""Random positions, random plays and fair rolls, each reproducible by a seed."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from bgfast.batch._random_positions import ANY_PHASE, RandomChoice, fill_dice, fill_random
from bgfast.batch._successors import check_boards
from bgfast.batch.successors import MAX_ROWS, BoardsLike, result_memory, validate_request
from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import (
    CHECKERS,
    Boards,
    Rolls,
    UnfinishedPhase,
    flag,
    seed_number,
    start_board,
    validate_number,
)
from bgfast.core.board import Phase
from bgfast.errors import BgfastError, short_repr
from bgfast.rules import STANDARD, RuleSetLike

PHASES = {
    None: ANY_PHASE,
    "contact": Phase.PHASE_CONTACT,
    "race": Phase.PHASE_RACE,
    "bearoff": Phase.PHASE_BEAROFF,
}
START = np.array(start_board("start")[0], np.int8)
ROWS_AT_ONCE = 4096  # positions between checks for Ctrl-C: a few tenths of a second


@names_arguments
def random_positions(n: int, seed: int, phase: UnfinishedPhase | None = None) -> npt.NDArray[np.int8]:
    """Return random positions from random games, reproducible by seed on every machine.

    Parameters
    ----------
    n : int
        Number of positions; may be 0.
    seed : int
        0 to 2**64 - 1.
    phase : {"contact", "race", "bearoff"} or None
        Phase of all positions, as in `Position.phase`; None for any.

    Returns
    -------
    ndarray of int8, shape (n, 26)
        Boards of unfinished games with 15 checkers per side, from the side of the player on roll. Rows are
        independent; row i does not depend on `n`.

    Raises
    ------
    BgfastError
        If an argument is invalid, or the boards do not fit into memory.

    See Also
    --------
    random_dice : Rolls for the boards.
    random_successors : Random plays from the boards.

    Notes
    -----
    Each row comes from a separate game, which begins with the starting position and an opening roll without
    doubles; every roll is fair, and all distinct successors are equally likely. The row is a uniformly random
    position of the game among those in the phase; a game that skips the phase is replaced by another. Random
    players leave many blots and hit often; checkers on the bar, back games and lopsided races are more
    frequent than between good players. The starting position is included (1 row in 100). Rows may repeat,
    especially in the bear-off.

    **Compatibility guarantee.** The rows of a seed and phase stay the same on every machine and with every
    version of Python and numpy, and in all later versions of bgfast, unless an error in them is found, which
    the changelog would report. The numbers come from SplitMix64 [1]_ on a counter for each row; plays are
    selected by the resulting boards, not by their order in a list.

    Thread-safe; the GIL is released.

    References
    ----------
    .. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.gnubg_ids(bgfast.random_positions(3, seed=7)).tolist()
    ['xE/wQQiGT/ABIg', 'AwAAuP8NAAAAAA', 'Dh/wQSDgc/ABIQ']
    """
    count = validate_number("n", n, MAX_ROWS)
    seed = seed_number(seed)
    if not (phase is None or isinstance(phase, str)) or phase not in PHASES:
        raise BgfastError(f"phase is {short_repr(phase)}; expected one of {', '.join(map(repr, PHASES))}")
    try:
        rows = np.empty((count, 26), np.int8)
    except MemoryError:
        size = f"{count * 26 / 1e9:,.0f} GB"
        raise BgfastError(f"n is {count}, which needs {size} of memory; expected fewer positions") from None
    for first in range(0, count, ROWS_AT_ONCE):
        fill_random(START, seed, PHASES[phase], first, rows[first : first + ROWS_AT_ONCE])
    return rows


# ---- random plays: one step of a playout ----


@overload
def random_successors(
    boards: BoardsLike,
    dice: Rolls,
    seed: int,
    *,
    rules: RuleSetLike = ...,
    flip: bool = ...,
    threads: int = ...,
    out: Boards | None = ...,
    return_dice: Literal[False] = ...,
) -> Boards: ...


@overload
def random_successors(
    boards: BoardsLike,
    dice: Rolls,
    seed: int,
    *,
    rules: RuleSetLike = ...,
    flip: bool = ...,
    threads: int = ...,
    out: Boards | None = ...,
    return_dice: Literal[True],
) -> tuple[Boards, Boards]: ...


@overload
def random_successors(
    boards: BoardsLike,
    dice: Rolls,
    seed: int,
    *,
    rules: RuleSetLike = ...,
    flip: bool = ...,
    threads: int = ...,
    out: Boards | None = ...,
    return_dice: bool,
) -> Boards | tuple[Boards, Boards]: ...


def random_successors(
    boards: BoardsLike,
    dice: Rolls,
    seed: int,
    *,
    rules: RuleSetLike = STANDARD,
    flip: bool = False,
    threads: int = 1,
    out: Boards | None = None,
    return_dice: bool = False,
) -> Boards | tuple[Boards, Boards]:
    """Return a uniformly random successor of each position.

    Parameters
    ----------
    boards, rules, flip, threads
        As for `successors`.
    dice : array of whole numbers, shape (n, 2) or (2,), or "random"
        As for `successors`. *random*: an independent fair roll for each board.
    seed : int
        0 to 2**64 - 1. Use a different seed for every ply of a playout; the same seed repeats dice and
        choices.
    out : ndarray of int8, shape (n, 26), optional
        C-contiguous memory to write the boards to, instead of a fresh array. It may be `boards` itself, which
        is then overwritten; otherwise it must not overlap the inputs.
    return_dice : bool
        Return the dice as well. The boards are the same.

    Returns
    -------
    boards : ndarray of int8, shape (n, 26)
        Row i follows ``boards[i]``; `out` itself if passed. A pass or a finished game leaves the board
        unchanged; with `flip` it is flipped like any other. Row i depends only on the seed, on i, and on its
        board and roll.
    dice : ndarray of int8, shape (n, 2)
        Only with `return_dice`: the roll of each board, in the order rolled or passed in, as a fresh array.
        Finished games have a roll as well.

    Raises
    ------
    InvalidPositionError, InvalidDiceError, InvalidRulesError, BgfastError
        As for `successors`; `out` is untouched after any error.

    See Also
    --------
    successors : All successors.
    sample_rows : Random successors, with probabilities that depend on values.

    Notes
    -----
    **Compatibility.** A successor is selected by its index in the list of `successors`. The rows of a seed
    are therefore the same on every machine but may differ in other versions of bgfast, which may list
    successors in another order (the rows of `random_positions` do not change).

    Thread-safe, with separate `out` arrays; the GIL is released.

    Examples
    --------
    A thousand random games to the end. With `flip` the sides change after each ply, also in finished games:

    >>> import numpy as np
    >>> import bgfast
    >>> boards = np.tile(bgfast.Position(), (1000, 1))
    >>> ply = 0
    >>> while not bgfast.results(boards).all():
    ...     boards = bgfast.random_successors(boards, "random", seed=ply, flip=True, out=boards)
    ...     ply += 1
    >>> points = bgfast.results(boards) * (-1) ** ply    # of the player who began
    >>> np.unique(np.abs(points), return_counts=True)
    (array([1, 2, 3], dtype=int8), array([370, 374, 256]))
    """
    seed = seed_number(seed)
    flip, return_dice = flag("flip", flip), flag("return_dice", return_dice)
    switches, rows, rolls, threads = validate_request(boards, dice, "random", rules, threads)
    check_boards(rows, CHECKERS, threads)  # before any output is written
    result = result_memory(out, np.int8, rows.shape, boards=None if out is boards else rows, dice=rolls)
    result_dice = np.empty((len(rows), 2), np.int8) if return_dice else None
    RandomChoice(switches, rows, rolls, seed, flip, threads).into(result, result_dice)
    return result if result_dice is None else (result, result_dice)


# ---- fair rolls, for loops over many games ----


ROLLS_AT_ONCE = 2**24  # rolls between checks for Ctrl-C: a few tenths of a second


@names_arguments
def random_dice(n: int, seed: int, opening: bool = False) -> npt.NDArray[np.int8]:
    """Return fair rolls, reproducible by seed on every machine.

    Parameters
    ----------
    n : int
        Number of rolls; may be 0.
    seed : int
        0 to 2**64 - 1. Use a different seed for every ply of a loop; the same seed repeats the rolls.
    opening : bool
        Roll for the first turn of a game: each player rolls one die, and ties are rerolled, hence no roll is
        a double. The player with the higher die begins and plays both dice.

    Returns
    -------
    ndarray of int8, shape (n, 2)
        The two dice in the order rolled, uniform over the 36 pairs or, with `opening`, the 30 pairs without
        doubles. Rows are independent; row i depends only on the seed and on i, not on `n`.

    See Also
    --------
    random_positions : Boards for the rolls.
    random_successors : Roll and play at random in one call.

    Notes
    -----
    Errors and **compatibility guarantee** as for `random_positions`; other functions use different random
    numbers with the same seed. Thread-safe; the GIL is released.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.random_dice(4, seed=7, opening=True).tolist()
    [[1, 2], [6, 3], [6, 2], [6, 3]]
    """
    count = validate_number("n", n, MAX_ROWS)
    seed = seed_number(seed)
    opening = flag("opening", opening)
    dice = np.empty((count, 2), np.int8)
    for first in range(0, count, ROLLS_AT_ONCE):
        fill_dice(seed, opening, first, dice[first : first + ROLLS_AT_ONCE])
    return dice
