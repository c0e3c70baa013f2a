"""The text of many plays in one call, from their moves."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import Successors, successors
from bgfast.batch.validation import BoardsLike, checked_boards, checked_dice
from bgfast.common.rolls import ROLLS
from bgfast.common.validation import move_rows, rule_set, segment_offsets
from bgfast.common.vocabulary import OFF, Boards, Rolls
from bgfast.errors import BgfastError, IllegalPlayError, InvalidPositionError, shown
from bgfast.position.text.play_text import play_text
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

__all__ = ["play_texts"]

SEGMENTS_AT_ONCE = 1024  # some megabytes of Python objects at a time


def play_texts(
    boards: BoardsLike,
    dice: Rolls | Literal["all"],
    moves: Successors | npt.ArrayLike,
    *,
    rules: RuleSetLike = STANDARD,
) -> list[str]:
    """Return the text of many plays, as ``str(play)`` writes them.

    Parameters
    ----------
    boards : array of whole numbers, shape (n, 26), or list of Position
        The positions before the plays, from the mover's side: those that `successors` was given.
    dice : array of whole numbers, shape (n, 2) or (2,), or "all"
        Their rolls, also as `successors` was given them.
    moves : Successors, or array of whole numbers, shape (k, 4, 2)
        What `successors` returned with ``moves=True``, for a text of each row; a `Successors.segment` with
        its one board and roll will do as well. Or the moves of one play for each segment, that is for each
        board, or with all rolls for each board and roll: ``found.moves[rows]`` for the rows that
        `best_rows` or `sample_rows` has chosen, none of them -1.
    rules : RuleSet, or the name of a preset
        Under which the plays were generated.

    Returns
    -------
    list of str
        In the order of the moves. A row without moves, which there is with ``passes="keep"``, is ``"pass"``.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If a board or a roll is impossible, or a play is given for a finished game; the message names the row.
    IllegalPlayError
        If moves are not those of a legal play of their board and roll; the message names the row.
    InvalidRulesError
        If `rules` is neither a `RuleSet` nor the name of one.
    BgfastError
        If `moves` are no moves, or not as many as there are boards and rolls.

    Notes
    -----
    The text depends on the position before and after the play and on the roll alone. A play takes some 10
    microseconds, since texts are made in Python. Safe to call from several threads.

    Examples
    --------
    >>> import bgfast
    >>> boards, dice = bgfast.random_positions(2, seed=4), bgfast.random_dice(2, seed=4)
    >>> found = bgfast.successors(boards, dice, moves=True, flip=True)
    >>> texts = bgfast.play_texts(boards, dice, found)
    >>> texts[:5]
    ['bar/23 2/1', 'bar/23 4/3', 'bar/23 10/9*', 'bar/23 13/12', '24/18 3/1']

    Of one play on each board, here the first one, or of the plays of one board:

    >>> bgfast.play_texts(boards, dice, found.moves[found.offsets[:-1]])
    ['bar/23 2/1', '24/18 3/1']
    >>> bgfast.play_texts(boards[1:], dice[1], found.segment(1)) == texts[4:]
    True
    """
    rules = rule_set(rules)
    positions = checked_boards(boards, None)
    rolls = checked_dice(dice, len(positions), "all")
    if rolls is None:
        rolls = np.tile(np.array(ROLLS, np.int8), (len(positions), 1))
        positions = np.repeat(positions, len(ROLLS), axis=0)
    steps, offsets = _segments(moves, len(positions))
    rolls = np.broadcast_to(rolls, (len(positions), 2))
    texts: list[str] = []
    for first in range(0, len(positions), SEGMENTS_AT_ONCE):
        turns = slice(first, first + SEGMENTS_AT_ONCE)
        bounds = offsets[first : first + SEGMENTS_AT_ONCE + 1]
        texts += _texts(positions[turns], rolls[turns], bounds, steps, rules)
    return texts


def _segments(moves: Any, turns: int) -> tuple[Boards, npt.NDArray[np.int64]]:
    """Return the moves of all plays, and where those of each turn begin."""
    if not isinstance(moves, Successors):
        return move_rows(moves, turns), np.arange(turns + 1)
    if moves.moves is None:
        raise BgfastError(
            "moves is a Successors without moves; expected what successors(..., moves=True) returns"
        )
    offsets = segment_offsets(moves.offsets, len(moves.moves))
    if len(offsets) != turns + 1:
        raise BgfastError(
            f"moves is a Successors of {len(offsets) - 1} segments; expected {turns}, one for each board and "
            "roll"
        )
    return move_rows(moves.moves, len(moves.moves)), offsets


def _texts(
    boards: Boards, rolls: Boards, offsets: npt.NDArray[np.int64], steps: Boards, rules: RuleSet
) -> list[str]:
    """Return the texts of the plays of some turns, turn j having ``steps[offsets[j]:offsets[j + 1]]``."""
    found = successors(boards, rolls, rules=rules, passes="keep")
    legal = _keys(found.boards)
    owners = np.repeat(np.arange(len(boards)), np.diff(offsets))
    results = _keys(_boards_after(boards[owners], steps[offsets[0] : offsets[-1]]))
    texts: list[str] = []
    row = int(offsets[0])
    for j, (board, roll) in enumerate(zip(boards.tolist(), rolls.tolist(), strict=True)):
        wanted = steps[row : offsets[j + 1]].tolist()
        expected = set(legal[found.offsets[j] : found.offsets[j + 1]])
        for play in wanted:
            # The text of a play is that of its result: moves that lead to a legal one have the right text.
            if results[len(texts)] not in expected:
                raise _refusal(row, roll, play, bool(expected))
            texts.append(play_text(board, roll, play, rules) or "pass")
            row += 1
    return texts


def _boards_after(boards: Boards, steps: Boards) -> Boards:
    """Play moves on boards, which are overwritten. Whether they are legal is seen by where they lead."""
    for start, end in steps.transpose(1, 2, 0):
        rows = np.flatnonzero(start > end)
        boards[rows, start[rows]] -= 1
        rows = rows[end[rows] != OFF]
        to = end[rows]
        hit = boards[rows, to] == -1
        boards[rows, to] += 1 + hit
        boards[rows[hit], 0] -= 1
    return boards


def _keys(boards: Boards) -> list[bytes]:
    keys: list[bytes] = np.ascontiguousarray(boards).view("V26").ravel().tolist()
    return keys


def _refusal(row: int, roll: list[int], play: list[list[int]], playable: bool) -> BgfastError:
    if not playable:
        return InvalidPositionError(f"row {row}: the game is finished; expected no play")
    made = [(start, end) for start, end in play if start >= 0]
    return IllegalPlayError(
        f"row {row}: the moves {shown(made)} are no legal play of {roll[0]}-{roll[1]}; expected those that "
        "`successors` lists for the same boards, dice and rules"
    )
