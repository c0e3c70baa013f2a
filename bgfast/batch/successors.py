"""Successors of arrays of boards, other functions of boards, and argument checks of all batch functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from bgfast.batch._successors import Count, Fill, check_boards, flip_boards, write_results
from bgfast.batch._successors import pip_counts as count_pips
from bgfast.common.validation import (
    BOARD_SIZE,
    CHECKERS,
    Boards,
    Rolls,
    board_rows,
    checkers_per_side,
    dice_rows,
    flag,
    generator_switches,
    is_roll_text,
    one_of,
    rule_set,
    thread_count,
    whole_number,
)
from bgfast.core.board import WinScheme
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, short_repr
from bgfast.rules import STANDARD, RuleSetLike

MAX_ROWS = 2**48  # keeps the bytes of a result within an int64; memory runs out long before

# Words accepted instead of dice, and their meanings.
DICE_WORDS = {"all": "the 21 rolls of each board", "random": "a separate fair roll for each board"}


BoardsLike = npt.ArrayLike
"""Boards as users pass them: an array (n, 26), anything numpy converts to one, or a list of positions.

One board (26,), position or text of a position is a batch of one; see docs/ARRAYS.md.
"""

Switches = tuple[int, bool, bool, int] | None
"""Rules in the core's form: see `generator_switches`."""


def is_position(item: Any) -> bool:
    """Return whether an object is a position rather than a row of numbers."""
    return hasattr(item, "to_array") and hasattr(item, "checkers")


def boards_array(boards: BoardsLike, checkers: int | None = None) -> npt.NDArray[np.int8]:
    """Return boards, or positions of `checkers` a side (None: any number), as a C-contiguous int8 array."""
    positions = _positions(boards)
    if positions is None:
        return board_rows(boards)
    rows = np.empty((len(positions), BOARD_SIZE), np.int8)
    for row, position in enumerate(positions):
        try:  # faster than `is_position`
            rows[row], count = position.to_array(), position.checkers
        except AttributeError:
            message = f"row {row} is {short_repr(position)}; expected a Position, as in row 0"
            raise InvalidPositionError(message) from None
        if checkers is not None and count != checkers:
            raise InvalidPositionError(
                f"row {row}: a position of {count} checkers per side; expected {checkers}"
            )
    return rows


def _positions(boards: Any) -> Sequence[Any] | None:
    """Return the positions of a list, or a list of the only position; None if `boards` has no positions."""
    if isinstance(boards, str):
        from bgfast.position.objects import Position

        return [Position(boards)]
    if isinstance(boards, (list, tuple)):
        return boards if boards and is_position(boards[0]) else None
    return [boards] if is_position(boards) else None


def is_one_board(boards: Any) -> bool:
    """Return whether `boards` is a single board or position instead of a batch."""
    if isinstance(boards, (list, tuple)):
        return len(boards) == BOARD_SIZE and whole_number(boards[0]) is not None
    return isinstance(boards, str) or getattr(boards, "ndim", 1 if is_position(boards) else 2) == 1


def unbatch(boards: BoardsLike, values: Any) -> Any:
    """Return the values of a batch; for one board, its row or a single number as an int or a float."""
    if len(values) != 1 or not is_one_board(boards):
        return values
    return values.item() if values.ndim == 1 else values[0]


def validate_boards(boards: BoardsLike, checkers: int | None, threads: int = 1) -> npt.NDArray[np.int8]:
    """Return validated boards as `boards_array` does; `checkers` None allows up to 15 a side."""
    rows = board_rows(boards) if type(boards) is np.ndarray else boards_array(boards, checkers)
    check_boards(rows, CHECKERS if checkers is None else checkers, threads)
    return rows


def checkers_of(positions: Any) -> int:
    """Return the number of checkers per side of a list of positions, which must be the same for all."""
    if not isinstance(positions, (list, tuple)) or not all(map(is_position, positions)):
        raise InvalidPositionError(f"positions is {short_repr(positions)}; expected a list of Position")
    sizes: set[int] = {position.checkers for position in positions}
    if len(sizes) != 1:
        raise InvalidPositionError(
            f"positions have {short_repr(sorted(sizes))} checkers per side; expected one number for all"
        )
    return sizes.pop()


def resolve_checkers(boards: BoardsLike, checkers: int | None) -> int:
    """Return `checkers`, by default the checkers per side of positions, and 15 for other boards."""
    if checkers is not None:
        return checkers_per_side(checkers)
    positions = _positions(boards)
    return CHECKERS if positions is None else checkers_of(positions)


def validate_dice(dice: Rolls, board_count: int, word: str) -> npt.NDArray[np.int8] | None:
    """Return one roll for all boards, or one for each; None if `dice` is `word`."""
    if isinstance(dice, str) and dice == word:
        return None
    if dice is None or (isinstance(dice, str) and not is_roll_text(dice)):
        raise InvalidDiceError(
            f"dice is {short_repr(dice)}; expected rolls, or {word!r} for {DICE_WORDS[word]}"
        )
    return dice_rows(dice, board_count)


def validate_request(
    boards: BoardsLike, dice: Rolls, word: str, rules: RuleSetLike, threads: int
) -> tuple[Switches, npt.NDArray[np.int8], npt.NDArray[np.int8] | None, int]:
    """Return switches, boards, dice as by `validate_dice`, and threads for the generator.

    The generator checks that boards are possible as it reads them, since they may change before that.
    """
    threads = thread_count(threads)
    rows = board_rows(boards) if type(boards) is np.ndarray else boards_array(boards)
    rolls = validate_dice(dice, len(rows), word)
    return None if rules is STANDARD else generator_switches(rules), rows, rolls, threads


def check_out(
    out: Any, dtype: npt.DTypeLike, shape: tuple[int | None, ...], **inputs: npt.NDArray[Any] | None
) -> None:
    """Check that `out` can hold a result of this shape (None: any number) and overlaps no input."""
    # A subclass may misreport its shape and flags: check the base array, which is written to.
    memory = np.asarray(out) if isinstance(out, np.ndarray) else None
    if (
        memory is None
        or memory.dtype != dtype
        or memory.ndim != len(shape)
        or any(size not in (actual, None) for actual, size in zip(memory.shape, shape, strict=True))
    ):
        sizes = ", ".join("N" if size is None else str(size) for size in shape)
        expected = f"dtype {np.dtype(dtype)}, shape ({sizes}{',' if len(shape) == 1 else ''})"
        actual = short_repr(out) if memory is None else f"of dtype {memory.dtype!s:.60}, shape {memory.shape}"
        raise BgfastError(f"out is {actual}; expected an array of {expected}")
    if not memory.flags.c_contiguous or not memory.flags.aligned or not memory.flags.writeable:
        raise BgfastError("out is not C-contiguous, aligned and writeable; expected memory to write to")
    for name, array in inputs.items():
        if array is not None and np.may_share_memory(memory, array):
            raise BgfastError(f"out overlaps {name}; expected separate memory")


def result_memory(
    out: Any, dtype: npt.DTypeLike, shape: tuple[int, ...], **inputs: npt.NDArray[Any] | None
) -> npt.NDArray[Any]:
    """Return memory for a result: `out`, checked by `check_out`, or a fresh array if it is None."""
    if out is None:
        return np.empty(shape, dtype)
    check_out(out, dtype, shape, **inputs)
    return cast("npt.NDArray[Any]", out)


# ---- batch functions ----


Passes = Literal["omit", "keep"]
WIN_SCHEMES = {
    "standard": WinScheme.WIN_STANDARD,
    "bar_home_beats_off": WinScheme.WIN_BAR_HOME_BEATS_OFF,
    "not_all_home": WinScheme.WIN_NOT_ALL_HOME,
}


class Successors(NamedTuple):
    """Result of `successors`: the rows of all segments, concatenated, and the offsets of the segments.

    Attributes
    ----------
    boards : ndarray of int8, shape (m, 26)
        Segment j is ``boards[offsets[j]:offsets[j + 1]]``.
    offsets : ndarray of int64, shape (k + 1,)
    moves : ndarray of int8, shape (m, 4, 2), or None
        The moves of each row as (from, to), always the mover's points; unused pairs are -1.

    See Also
    --------
    best_rows, sample_rows : Choose one row of each segment.
    play_texts : Texts of the plays.

    Examples
    --------
    >>> import bgfast
    >>> boards, offsets, _ = bgfast.successors(bgfast.Position(), "all")
    >>> bgfast.ROLLS[3], offsets[3:5], len(boards)
    ((3, 1), array([132, 148]), 447)
    """

    boards: Boards
    offsets: npt.NDArray[np.int64]
    moves: Boards | None

    def segment(self, number: int) -> Successors:
        """Return segment `number`, 0 to k - 1, as a result of one segment; its boards and moves are views.

        Raises `BgfastError` if the number is out of range.

        Examples
        --------
        >>> import bgfast
        >>> boards = bgfast.random_positions(3, seed=1)
        >>> part = bgfast.successors(boards, "31", moves=True).segment(2)
        >>> part.boards.shape, part.moves.shape, part.offsets
        ((44, 26), (44, 4, 2), array([ 0, 44]))
        """
        segments = len(self.offsets) - 1
        index = whole_number(number)
        if index is None or not 0 <= index < segments:
            numbers = f"a whole number from 0 to {segments - 1}"
            expected = numbers if segments else "none, as there are no segments"
            raise BgfastError(f"segment is {short_repr(number)}; expected {expected}")
        rows = slice(self.offsets[index], self.offsets[index + 1])
        boards = self.boards[rows]
        moves = None if self.moves is None else self.moves[rows]
        return Successors(boards, np.array([0, len(boards)], np.int64), moves)

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """Segment number of each row, shape (m,); ``owners // 21`` is the board's number with all rolls.

        Examples
        --------
        >>> import bgfast
        >>> boards = bgfast.random_positions(3, seed=1)
        >>> result = bgfast.successors(boards, "66")
        >>> result.offsets    # segment 1 is a pass
        array([ 0,  1,  1, 16])
        >>> result.owners[:4]
        array([0, 2, 2, 2])
        """
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))


def successors(
    boards: BoardsLike,
    dice: Rolls,
    rules: RuleSetLike = STANDARD,
    *,
    moves: bool = False,
    flip: bool = False,
    passes: Passes = "omit",
    threads: int = 1,
    out: Boards | None = None,
) -> Successors:
    """Return the successors of positions.

    Parameters
    ----------
    boards : array of whole numbers, shape (n, 26), or list of Position
        Mover's side. C-contiguous int8 is read in place, anything else is copied. One board, position or text
        is a batch of one.
    dice : array of whole numbers, shape (n, 2) or (2,), text or list of texts such as ``"31"``, or "all"
        A roll for each board, or one for all: one segment for each board. *all*: the 21 rolls of each board;
        segment ``21 * i + r`` is ``boards[i]`` with ``ROLLS[r]``.
    rules : RuleSet, or the name of a preset
    moves : bool
        Return the moves as well.
    flip : bool
        Return the successors from the next player's side instead of the mover's.
    passes : {"omit", "keep"}
        *omit*: a pass is an empty segment. *keep*: a pass is one row, the unchanged board (no moves); every
        segment of an unfinished position then has a row. A finished game is an empty segment either way.
    threads : int
        Number of threads. The result does not depend on it.
    out : ndarray of int8, shape (N, 26), optional
        C-contiguous memory to write the boards to; only the rows of the result are written.

    Returns
    -------
    Successors
        With `out`, `boards` is a view of its first rows. The order in a segment is as in `Position.plays`.

    Raises
    ------
    InvalidPositionError, InvalidDiceError, InvalidRulesError
        If a board, a roll or the rules are wrong; the message names the first bad row.
    BgfastError
        If `out` cannot be used, is too small (the message names the size needed), or another argument is
        wrong. The contents of `out` are undefined if it is too small or a board is impossible, and untouched
        after any other error.

    See Also
    --------
    count_successors : Count them without generating them.
    random_successors : Generate one random successor of each board.
    best_rows, sample_rows : Choose by values.

    Notes
    -----
    Thread-safe, with separate `out` arrays; the GIL is released. A board is read once and validated as read:
    if boards or dice are changed during the call, the result is unspecified or an error, but memory is safe.
    A fresh result may be a view of an array that has up to half as many rows again.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.successors(bgfast.Position(), "31")
    >>> result.boards.shape, result.offsets
    ((16, 26), array([ 0, 16]))
    """
    keeps_passes = one_of("passes", passes, "omit", "keep") == "keep"
    flip, moves = flag("flip", flip), flag("moves", moves)
    switches, positions, rolls, threads = validate_request(boards, dice, "all", rules, threads)
    if out is not None:
        check_out(out, np.int8, (None, 26), boards=positions, dice=rolls)
        out = np.asarray(out)
    fill = Fill(switches, positions, rolls, flip, keeps_passes, moves, threads)
    offsets = np.empty(fill.segments + 1, np.int64)
    room = fill.room_needed() if out is None else len(out)
    rows = np.empty((room, 26), np.int8) if out is None else out
    move_rows = np.empty((room, 4, 2), np.int8) if moves else None
    while not fill.into(offsets, rows, move_rows, fresh=out is None):
        if out is not None:
            all_dice: Rolls = "all" if rolls is None else rolls
            needed = count_successors(positions, all_dice, rules=rules, passes=passes, threads=threads).sum()
            raise BgfastError(f"out has {len(out)} rows; {needed} are needed")
        room += fill.room_needed()
        _resize(rows, room)
        _resize(move_rows, room)
    total = fill.total
    # Moderate excess is kept: the allocator reuses memory of the same size without page faults.
    if room > total + total // 2:
        if out is None:
            _resize(rows, total)
        _resize(move_rows, total)
    return Successors(rows[:total], offsets, None if move_rows is None else move_rows[:total])


def count_successors(
    boards: BoardsLike,
    dice: Rolls,
    *,
    rules: RuleSetLike = STANDARD,
    passes: Passes = "omit",
    threads: int = 1,
) -> npt.NDArray[np.int64]:
    """Count the successors of each segment, without generating them, in an array of int64 of shape (k,).

    Parameters, segments and errors as for `successors`. Thread-safe; the GIL is released.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.count_successors(bgfast.Position(), "66")
    array([11])
    """
    keeps_passes = one_of("passes", passes, "omit", "keep") == "keep"
    switches, positions, rolls, threads = validate_request(boards, dice, "all", rules, threads)
    count = Count(switches, positions, rolls, keeps_passes, threads)
    sizes = np.empty(count.segments, np.int64)
    count.into(sizes)
    return sizes


def flip(boards: BoardsLike) -> Boards:
    """Return boards from the other side, ``out[i] = -board[25 - i]``, in a fresh array of int8 (n, 26).

    `boards` as for `successors`; `InvalidPositionError` names the first bad row. One board becomes one board,
    (26,).

    Examples
    --------
    >>> import bgfast
    >>> start = bgfast.Position()
    >>> bool((bgfast.flip(start) == start).all())
    True
    """
    rows = validate_boards(boards, None)
    out = np.empty_like(rows)
    flip_boards(rows, out)
    result: Boards = unbatch(boards, out)
    return result


def pip_counts(boards: BoardsLike) -> npt.NDArray[np.int32]:
    """Return the pip counts of mover and opponent, an array of int32 (n, 2); a checker on the bar counts 25.

    `boards` as for `successors`; `InvalidPositionError` names the first bad row.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.pip_counts(bgfast.Position())
    array([[167, 167]], dtype=int32)
    """
    rows = validate_boards(boards, None)
    out = np.empty((len(rows), 2), np.int32)
    count_pips(rows, out)
    return out


def results(boards: BoardsLike, rules: RuleSetLike = STANDARD, checkers: int | None = None) -> Boards:
    """Return the results of boards: the winner, and whether the win counts 1, 2 or 3 points.

    Parameters
    ----------
    boards
        As for `successors`.
    rules : RuleSet, or the name of a preset
        Only `win_scheme` is used; the cube and the Jacoby rule are ignored.
    checkers : int, optional
        Checkers per side, 1 to 15; checkers not on the board have been borne off. By default
        ``Position.checkers``, and 15 for other boards.

    Returns
    -------
    ndarray of int8, shape (n,)
        In points at cube 1, in the order of the boards: 1, 2 or 3 where the mover has won, -1, -2 or -3 where
        the mover has lost, 0 where the game is not finished.

    Raises
    ------
    InvalidPositionError, InvalidRulesError
        If a board is impossible (the message names the first bad row), `checkers` is not 1 to 15, or `rules`
        are invalid.

    See Also
    --------
    Position.result : Result of a single position.
    bgfast.games.GameResult : Result of a game with the cube.

    Notes
    -----
    Source: docs/RULES.md, section 3. Since only the player who has just moved can have won,
    ``abs(results(boards))`` is that player's gain, on flipped boards as well.

    Examples
    --------
    >>> import bgfast
    >>> board = [0] * 26
    >>> board[24], board[6] = -14, -1    # the mover is off; the opponent has one checker in the mover's home
    >>> bgfast.results([bgfast.Position(board), bgfast.Position()])
    array([3, 0], dtype=int8)
    """
    rules = rule_set(rules)
    checkers = resolve_checkers(boards, checkers)
    rows = validate_boards(boards, checkers)
    out = np.empty(len(rows), np.int8)
    write_results(rows, WIN_SCHEMES[rules.win_scheme], checkers, out)
    return out


def _resize(memory: Boards | None, rows: int) -> None:
    """Change the number of rows in place; for a large array the operating system moves no data."""
    if memory is not None:
        memory.resize((rows, *memory.shape[1:]), refcheck=False)
