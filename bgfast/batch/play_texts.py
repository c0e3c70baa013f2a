"""Batch conversion of plays to text, from their moves."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import BoardsLike, Successors, successors, validate_boards, validate_dice
from bgfast.common.validation import OFF, ROLLS, Boards, Rolls, move_rows, rule_set, segment_offsets
from bgfast.errors import BgfastError, IllegalPlayError, InvalidPositionError, short_repr
from bgfast.position.play_text import play_text
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

SEGMENTS_AT_ONCE = 1024  # limits the memory for Python objects to some megabytes


def play_texts(
    boards: BoardsLike, dice: Rolls, moves: Successors | npt.ArrayLike, *, rules: RuleSetLike = STANDARD
) -> list[str]:
    """Return the texts of plays, in the notation of ``str(play)``.

    Parameters
    ----------
    boards, dice, rules
        The arguments of `successors`: positions before the plays, from the mover's side, and rolls.
    moves : Successors, or array of whole numbers, shape (k, 4, 2)
        The result of `successors` with ``moves=True``, for the texts of all rows, or a `Successors.segment`
        with its board and roll. An array has the moves of one play per segment (per board or, with all rolls,
        per board and roll), such as ``result.moves[rows]`` with rows from `best_rows` or `sample_rows`; a
        row of -1 is an error.

    Returns
    -------
    list of str
        In the order of the moves. A row without moves, as with ``passes="keep"``, is ``"pass"``.

    Raises
    ------
    InvalidPositionError, InvalidDiceError, InvalidRulesError, BgfastError
        As for `successors`, and if a finished game has a play or `moves` do not match the boards and rolls.
    IllegalPlayError
        If moves are not a legal play of their board and roll; the message names the row.

    See Also
    --------
    successors : Generate the moves.
    Position.plays : Plays of one position, whose `str` is the text.

    Notes
    -----
    The text depends only on the roll and the positions before and after the play. A play takes some 10
    microseconds, since texts are made in Python. Thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> boards, dice = bgfast.random_positions(2, seed=4), bgfast.random_dice(2, seed=4)
    >>> result = bgfast.successors(boards, dice, moves=True, flip=True)
    >>> bgfast.play_texts(boards, dice, result)[:5]
    ['bar/23 2/1', 'bar/23 4/3', 'bar/23 10/9*', 'bar/23 13/12', '24/18 3/1']

    >>> bgfast.play_texts(boards, dice, result.moves[result.offsets[:-1]])    # the first play of each board
    ['bar/23 2/1', '24/18 3/1']
    """
    rules = rule_set(rules)
    positions = validate_boards(boards, None)
    rolls = validate_dice(dice, len(positions), "all")
    if rolls is None:
        rolls = np.tile(np.array(ROLLS, np.int8), (len(positions), 1))
        positions = np.repeat(positions, len(ROLLS), axis=0)
    play_moves, offsets = _segments(moves, len(positions))
    rolls = np.broadcast_to(rolls, (len(positions), 2))
    texts: list[str] = []
    for first in range(0, len(positions), SEGMENTS_AT_ONCE):
        turns = slice(first, first + SEGMENTS_AT_ONCE)
        bounds = offsets[first : first + SEGMENTS_AT_ONCE + 1]
        texts += _texts(positions[turns], rolls[turns], bounds, play_moves, rules)
    return texts


def _segments(moves: Any, count: int) -> tuple[Boards, npt.NDArray[np.int64]]:
    """Return the moves of all plays, and the offsets of the turns."""
    if not isinstance(moves, Successors):
        return move_rows(moves, count), np.arange(count + 1)
    if moves.moves is None:
        raise BgfastError(
            "moves is a Successors without moves; expected the result of successors(..., moves=True)"
        )
    offsets = segment_offsets(moves.offsets, len(moves.moves))
    if len(offsets) != count + 1:
        raise BgfastError(
            f"moves is a Successors of {len(offsets) - 1} segments; expected {count}, one for each board and "
            "roll"
        )
    return move_rows(moves.moves, len(moves.moves)), offsets


def _texts(
    boards: Boards, rolls: Boards, offsets: npt.NDArray[np.int64], moves: Boards, rules: RuleSet
) -> list[str]:
    """Return the texts of plays; turn j has the plays ``moves[offsets[j]:offsets[j + 1]]``."""
    legal_plays = successors(boards, rolls, rules=rules, passes="keep")
    successor_keys = _keys(legal_plays.boards)
    owners = np.repeat(np.arange(len(boards)), np.diff(offsets))
    keys = _keys(_move(boards[owners], moves[offsets[0] : offsets[-1]]))
    texts: list[str] = []
    row = int(offsets[0])
    for j, (board, roll) in enumerate(zip(boards.tolist(), rolls.tolist(), strict=True)):
        plays = moves[row : offsets[j + 1]].tolist()
        legal_keys = set(successor_keys[legal_plays.offsets[j] : legal_plays.offsets[j + 1]])
        for play in plays:
            # The text depends only on the board after the play: any moves that lead to it are accepted.
            if keys[len(texts)] not in legal_keys:
                raise _refusal(row, roll, play, bool(legal_keys))
            texts.append(play_text(board, roll, play, rules) or "pass")
            row += 1
    return texts


def _move(boards: Boards, moves: Boards) -> Boards:
    """Play moves on boards in place, without a legality check: the caller compares the resulting boards."""
    for start, end in moves.transpose(1, 2, 0):
        rows = np.flatnonzero(start > end)
        boards[rows, start[rows]] -= 1
        rows = rows[end[rows] != OFF]
        points = end[rows]
        is_hit = boards[rows, points] == -1
        boards[rows, points] += 1 + is_hit
        boards[rows[is_hit], 0] -= 1
    return boards


def _keys(boards: Boards) -> list[bytes]:
    return cast("list[bytes]", np.ascontiguousarray(boards).view("V26").ravel().tolist())


def _refusal(row: int, roll: list[int], play: list[list[int]], has_plays: bool) -> BgfastError:
    if not has_plays:
        return InvalidPositionError(f"row {row}: the game is finished; expected no play")
    moves = [(start, end) for start, end in play if start >= 0]
    return IllegalPlayError(
        f"row {row}: the moves {short_repr(moves)} are not a legal play of {roll[0]}-{roll[1]}; "
        "expected a play that `successors` lists for the same boards, dice and rules"
    )
