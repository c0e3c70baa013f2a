"""The moves of one die under every rule set, on plain boards of 26 numbers from the mover's side.

Index 25 is the mover's bar, 24 to 1 the points, index 0 the opponent's bar; to 0 of a move is off. Quotations
are from RULES.md, sections 1 and 2. `bgfast.reference` is not asked: what it says is what this is tested
against. The functions take a valid board as given, and keep no state: safe to call from several threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from bgfast.common.vocabulary import BAR, HOME, OFF
from bgfast.rules import RuleSet

__all__ = [
    "bear_off_from",
    "board_after",
    "may_forfeit",
    "move_end",
    "ordinary_moves",
    "rearmost",
]


def rearmost(board: Sequence[int]) -> int:
    """Return the highest point with a checker of the mover, 25 for the bar, 0 if there is none."""
    return next((point for point in range(BAR, OFF, -1) if board[point] > 0), OFF)


def bear_off_from(board: Sequence[int], die: int, rules: RuleSet) -> int:
    """Return the point from which the die bears a checker off, 0 if from none; never are there two.

    Examples
    --------
    >>> from bgfast import EXACT, STANDARD
    >>> board = [0, 0, 1, 1] + [0] * 22
    >>> bear_off_from(board, 5, STANDARD), bear_off_from(board, 5, EXACT)
    (3, 0)
    """
    rear = rearmost(board)
    # "bearing off only when no own checker is on 7..24 or on the bar"
    if rear > HOME:
        return OFF
    if rules.bearoff_die == "rearmost":
        # "only from r, if d >= r; no other checker ever bears off"
        return rear if die >= rear else OFF
    # standard and exact: "from point d"
    if board[die] > 0:
        return die
    # standard: "or from the highest occupied point r if r < d"
    return rear if rules.bearoff_die == "standard" and rear < die else OFF


def move_end(board: Sequence[int], start: int, die: int, rules: RuleSet) -> int | None:
    """Return where an ordinary move with the die from a point ends (0 = off), None if there is none.

    Examples
    --------
    >>> from bgfast import FIVE_STACK, STANDARD
    >>> board = [0, 5, 0, 0, 0, 0, 2] + [0] * 19
    >>> move_end(board, 6, 5, STANDARD), move_end(board, 6, 5, FIVE_STACK)
    (1, None)
    """
    # "bar occupied: only bar -> 25-d"
    if board[start] <= 0 or (board[BAR] > 0 and start != BAR):
        return None
    borne_off = bear_off_from(board, die, rules)
    if borne_off == start:
        return OFF
    # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
    if rules.bearoff_compulsory and borne_off:
        return None
    end = start - die
    # "every p -> p-d with p-d >= 1 and landable"
    return end if end >= 1 and _landable(board, end, rules) else None


def _landable(board: Sequence[int], point: int, rules: RuleSet) -> bool:
    # "landable(q): opponent has at most one checker on q, and (stack_max == 0 or own[q] < stack_max)"
    return board[point] >= -1 and (rules.stack_max == 0 or board[point] < rules.stack_max)


def ordinary_moves(board: Sequence[int], die: int, rules: RuleSet) -> list[tuple[int, int]]:
    """Return every ordinary move with the die as (from, to), from the highest point down.

    Examples
    --------
    >>> from bgfast import STANDARD
    >>> ordinary_moves([0, 0, 1, 1] + [0] * 22, 2, STANDARD)
    [(3, 1), (2, 0)]
    """
    ends = ((start, move_end(board, start, die, rules)) for start in range(rearmost(board), OFF, -1))
    return [(start, end) for start, end in ends if end is not None]


def may_forfeit(board: Sequence[int], die: int, rules: RuleSet) -> bool:
    """Return whether the die may be given up without a move.

    Examples
    --------
    >>> from bgfast import EXACT
    >>> [die for die in range(1, 7) if may_forfeit([0, 0, 1, 1] + [0] * 22, die, EXACT)]
    [1, 4, 5, 6]
    """
    # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board,
    # and own[d] == 0"
    return rules.forfeit == "empty_point" and OFF < rearmost(board) <= HOME and board[die] <= 0


def board_after(board: Sequence[int], start: int, end: int) -> tuple[int, ...]:
    """Return the board after one checker went from a point to another, or off.

    Examples
    --------
    >>> board_after([0, -1, 0, 1] + [0] * 22, 3, 1)[:4]
    (-1, 1, 0, 0)
    """
    after = list(board)
    after[start] -= 1
    if end != OFF:  # index 0 is the opponent's bar
        if after[end] == -1:
            # "hit: opponent has exactly one checker on q -> it goes to his bar"
            after[end] = 0
            after[0] -= 1
        after[end] += 1
    return tuple(after)
