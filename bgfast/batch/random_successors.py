"""Batch generation of random plays: one step of a playout."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np

from bgfast.batch._random import RandomChoice
from bgfast.batch._request import check_boards
from bgfast.batch.validation import BoardsLike, checked_request, result_memory
from bgfast.common.validation import flag, seed_number
from bgfast.common.vocabulary import CHECKERS, Boards, Rolls
from bgfast.rules import STANDARD, RuleSetLike


@overload
def random_successors(
    boards: BoardsLike,
    dice: Rolls | Literal["random"],
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
    dice: Rolls | Literal["random"],
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
    dice: Rolls | Literal["random"],
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
    dice: Rolls | Literal["random"],
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
    boards : array of whole numbers, shape (n, 26), or list of Position
        Mover's side. C-contiguous int8 is read in place, anything else is copied.
    dice : array of whole numbers, shape (n, 2) or (2,), or "random"
        A roll for each board, or one for all. *random*: an independent fair roll for each board.
    seed : int
        0 to 2**64 - 1. Use a different seed for every ply of a playout; the same one repeats dice and
        choices.
    rules : RuleSet, or the name of a preset
    flip : bool
        Return the successors from the next player's side instead of the mover's.
    threads : int
        Number of threads. The result does not depend on it.
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
    InvalidPositionError, InvalidDiceError
        If a board or a roll is impossible; the message names the first bad row.
    InvalidRulesError
        If `rules` is neither a `RuleSet` nor the name of one.
    BgfastError
        If `out` cannot be used or another argument is wrong. Whatever is raised, `out` is untouched.

    Notes
    -----
    The random numbers come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) on a counter for each row.
    `random_positions` uses different random numbers with the same seed.

    **Compatibility.** A successor is selected by its index in the list of `successors`. The rows of a seed
    are therefore the same on every machine but, unlike those of `random_positions`, may differ in other
    versions of bgfast, which may list successors in another order.

    The GIL is released. Safe to call from several threads, each with an `out` of its own.

    Examples
    --------
    A thousand random games to the end. With `flip` the sides change after each ply, also in finished games:

    >>> import numpy as np
    >>> import bgfast
    >>> boards = np.repeat(bgfast.Position.start().to_array()[None], 1000, axis=0)
    >>> ply = 0
    >>> while not bgfast.results(boards).all():
    ...     boards = bgfast.random_successors(boards, "random", seed=ply, flip=True, out=boards)
    ...     ply += 1
    >>> points = bgfast.results(boards) * (-1) ** ply    # of the player who began
    >>> np.unique(np.abs(points), return_counts=True)
    (array([1, 2, 3], dtype=int8), array([370, 374, 256]))

    Return the rolls of a ply as well:

    >>> start = bgfast.Position.start().to_array()[None]
    >>> after, dice = bgfast.random_successors(start, "random", seed=3, return_dice=True)
    >>> dice
    array([[2, 2]], dtype=int8)
    """
    start = seed_number(seed)
    is_flipped, with_dice = flag("flip", flip), flag("return_dice", return_dice)
    switches, rows, rolls, workers = checked_request(boards, dice, "random", rules, threads)
    check_boards(rows, CHECKERS, workers)  # before any output is written
    selected = result_memory(out, np.int8, rows.shape, boards=None if out is boards else rows, dice=rolls)
    used_dice = np.empty((len(rows), 2), np.int8) if with_dice else None
    RandomChoice(switches, rows, rolls, start, is_flipped, workers).into(selected, used_dice)
    return selected if used_dice is None else (selected, used_dice)
