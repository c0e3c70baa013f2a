"""Why a play is illegal: one sentence that names the rule, the points and the dice concerned.

A *hop* is what a player writes: one checker carried from one point to a lower one by one die or several,
``(from, to)`` with 25 = bar and to 0 = off. `refusal` asks the rules one after the other, the most specific
first; each is a small function with the sentence of the rules beside it. The rules are those of the
standard game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["POINT_NAMES", "refusal", "ways"]

Hop = tuple[int, int]
Board = Sequence[int] | npt.NDArray[np.int8]

BAR = 25
OFF = 0
HOME = 6  # the mover's home is the points 1 to 6

POINT_NAMES = ("off", *map(str, range(1, BAR)), "bar")


def refusal(
    board: Board,
    roll: Sequence[int],
    hops: Sequence[Hop],
    boards: Sequence[Any] | npt.NDArray[np.int8],
    moves: Sequence[Any] | npt.NDArray[np.int8],
) -> str:
    """Say in one sentence which rule an illegal play breaks.

    Parameters
    ----------
    board : (26,) sequence of int
        The position from the mover's side.
    roll : pair of int
        The two dice, in either order.
    hops : sequence of (from, to)
        What was to be played, in any order; single-die steps and joined ones alike (25 = bar, to 0 = off).
        Empty means that the mover wanted to pass.
    boards : (n, 26) array of int8
        All legal results, mover's side; n = 0 when the turn passes.
    moves : (n, 4, 2) array of int8
        The single-die steps of these plays, unused rows (-1, -1).

    Returns
    -------
    str
        One sentence without a full stop. There is always one, whatever the hops.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> import numpy as np
    >>> board = [0] * 26
    >>> board[24], board[19] = 1, -2
    >>> results = np.zeros((1, 26), np.int8)
    >>> results[0, [20, 19]] = 1, -2
    >>> steps = np.array([[[24, 20], [-1, -1], [-1, -1], [-1, -1]]], np.int8)
    >>> refusal(board, (5, 4), [(24, 19)], results, steps)
    "illegal play '24/19' for 5-4: the landing point 19 is held by 2 opposing checkers"
    """
    high, low = max(roll), min(roll)
    claim = _Claim(
        board=[int(value) for value in board],
        dice=(int(high),) * 4 if high == low else (int(high), int(low)),
        hops=[(int(start), int(end)) for start, end in hops],
        example=[(int(start), int(end)) for start, end in moves[0] if start >= 0] if len(boards) else [],
    )
    for rule in _RULES:
        reason = rule(claim)
        if reason:
            break
    else:
        reason = f"it is not one of the {len(boards)} legal plays"
    return f"illegal play '{_text(claim.hops) or 'pass'}' for {high}-{low}: {reason}"


def ways(hops: Sequence[Hop], dice: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way in which the dice carry the checkers over these hops.

    Parameters
    ----------
    hops : sequence of (from, to)
        25 = bar, to 0 = off; from > to.
    dice : sequence of int
        The dice at hand: two, or four of a double. Not all of them need be used.

    Yields
    ------
    tuple of int
        The points touched, stops and ends, hop after hop; 0 = off. Only the distances are looked at, not
        what stands on the points. A die that is larger than the distance carries a checker off.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> list(ways([(24, 15)], (5, 4)))
    [(19, 15), (20, 15)]
    >>> list(ways([(4, 0), (13, 8)], (6, 5)))
    [(0, 8)]
    >>> list(ways([(13, 6)], (6, 4)))
    []
    """
    if not hops:
        yield ()
        return
    (start, end), later = hops[0], hops[1:]
    for die in dict.fromkeys(dice):
        point = max(start - die, OFF)
        if point < end:
            continue
        rest = list(dice)
        rest.remove(die)
        for touched in ways(later if point == end else [(point, end), *later], rest):
            yield (point, *touched)


@dataclass(frozen=True)
class _Claim:
    """A play that somebody claims to be legal.

    ``example`` is the first legal play (single-die steps), empty when there is none.
    """

    board: list[int]
    dice: tuple[int, ...]
    hops: list[Hop]
    example: list[Hop]

    @property
    def is_double(self) -> bool:
        return len(self.dice) == 4

    @property
    def roll(self) -> str:
        return f"{self.dice[0]}-{self.dice[1]}"

    @property
    def needed(self) -> int:
        """The number of dice that a legal play uses: the same for all legal plays of a roll."""
        return len(self.example)

    @property
    def borne_off(self) -> list[Hop]:
        return [hop for hop in self.hops if hop[1] == OFF]

    @cached_property
    def endings(self) -> list[tuple[tuple[int, ...], list[int]]]:
        """(unused dice, board) after each order in which the hops can be made, were no die compulsory."""
        return list(_endings(self.board, self.dice, self.hops))

    @cached_property
    def used(self) -> int:
        """The greatest number of dice that the hops can use; ask only if there are endings."""
        return len(self.dice) - min(len(left) for left, _ in self.endings)


# The rules, each as a function that returns the reason or None. Quotations are from RULES.md, section 1.


def _turn_passes(claim: _Claim) -> str | None:
    # "L == 0: there is no legal play, the turn passes"
    return None if claim.example else "no checker can move, so the turn passes"


def _cannot_pass(claim: _Claim) -> str | None:
    # "(2) it used at least L dice": with L >= 1 no play is empty.
    if claim.hops:
        return None
    return f"the turn passes only when no checker can move, and {_text(claim.example)} can be played"


def _not_a_move(claim: _Claim) -> str | None:
    # Notation: "the mover moves down", from "bar = 25" to "off = 0".
    for start, end in claim.hops:
        if not OFF <= end < start <= BAR:
            return (
                f"{_text([(start, end)])} is no move: a checker goes from the bar (25) or a point"
                " down to a lower point or off (0)"
            )
    return None


def _no_checker(claim: _Claim) -> str | None:
    # "*move* = one checker, one die": each hop needs a checker of the mover where it starts.
    leaving = Counter(start for start, _ in claim.hops)
    arriving = Counter(end for _, end in claim.hops)
    for point in sorted(leaving, reverse=True):
        there = max(claim.board[point], 0) + arriving[point]
        if not there:
            return f"no checker of the mover stands on {_place(point)}"
        if there < leaving[point]:
            return (
                f"{leaving[point]} checkers cannot leave {_place(point)}, where this play finds only {there}"
            )
    return None


def _bar_first(claim: _Claim) -> str | None:
    # "bar occupied: only bar -> 25-d"
    waiting = claim.board[BAR]
    entering = sum(start == BAR for start, _ in claim.hops)
    if entering >= waiting:
        return None
    for start, end in claim.hops:
        if start != BAR or start - end > claim.dice[0]:  # goes on after entering while another one waits
            who = "a checker is" if waiting == 1 else f"{waiting} checkers are"
            return f"{who} on the bar and must enter first"
    return None


def _held_point(claim: _Claim) -> str | None:
    # "landable(q): opponent has at most one checker on q"
    for start, end in claim.hops:
        if end != OFF and claim.board[end] <= -2:
            kind = "entry" if start == BAR and start - end in claim.dice else "landing"
            return f"the {kind} point {end} is held by {-claim.board[end]} opposing checkers"
    return None


def _wrong_distance(claim: _Claim) -> str | None:
    # "*move* = one checker, one die"; several dice are combined one after the other with one checker.
    for start, end in claim.hops:
        if not any(True for _ in ways([(start, end)], claim.dice)):
            gives = f"gives the {start - end} pips of" if end != OFF else "is enough for"
            return f"no die or combination of {claim.roll} {gives} {_text([(start, end)])}"
    return None


def _too_few_dice(claim: _Claim) -> str | None:
    # "doubles give four dice, other rolls two"
    if any(True for _ in ways(claim.hops, claim.dice)):
        return None
    if claim.is_double:
        return f"a double gives four moves of {_pips(claim.dice[0])}, and this needs more"
    return "each of the two numbers can be used only once, and this needs more"


def _held_stop(claim: _Claim) -> str | None:
    # "landable(q)", and section 4: combined "with one checker by touching down after each die"
    held: list[int] = []
    for touched in ways(claim.hops, claim.dice):
        blocked = [point for point in touched if point != OFF and claim.board[point] <= -2]
        if not blocked:
            return None
        held += blocked
    points = [f"{point} (held by {-claim.board[point]})" for point in sorted(set(held), reverse=True)]
    if len(points) == 1:
        return f"the checker would have to touch down on {points[0]}, a point of the opponent"
    return f"the checker would have to touch down on {' or '.join(points)}, points of the opponent"


def _not_home(claim: _Claim) -> str | None:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    rearmost = _rearmost(_moved(claim.board, claim.hops))
    if not claim.borne_off or rearmost <= HOME:
        return None
    return f"no checker may be borne off while one stands outside home, on {_place(rearmost)}"


def _higher_checker(claim: _Claim) -> str | None:
    # bearoff_die standard: "from point d, or from the highest occupied point r if r < d"
    if claim.endings or not claim.borne_off:
        return None
    inside = _moved(claim.board, [hop for hop in claim.hops if hop[1] != OFF])
    stuck = [hop for hop in claim.borne_off if not any(True for _ in _endings(inside, claim.dice, [hop]))]
    rearmost = _rearmost(_moved(claim.board, claim.hops))
    hop = _text((stuck or claim.borne_off)[:1])
    return f"a number above the point may not be used for {hop} while a checker stands higher, on {rearmost}"


def _both_numbers(claim: _Claim) -> str | None:
    # "(1) none of its unused dice has an ordinary move in its final state"
    if claim.is_double or claim.needed != 2 or not claim.endings or claim.used != 1:
        return None
    if not any(_movable(board, left[0]) for left, board in claim.endings):
        return None
    return "both numbers can be played, so both must be; this uses only one"


def _other_number(claim: _Claim) -> str | None:
    # "(2) it used at least L dice", L being "the greatest number of dice used by any sequence"
    if claim.is_double or claim.needed != 2 or not claim.endings or claim.used != 1:
        return None
    left = claim.endings[0][0][0]
    return f"this leaves the {left} unplayable, while {_text(claim.example)} uses both numbers"


def _more_of_the_double(claim: _Claim) -> str | None:
    # "(2) it used at least L dice": "with doubles as many as possible"
    if not claim.is_double or not claim.endings or claim.used >= claim.needed:
        return None
    number, needed = claim.dice[0], claim.needed
    count = "all" if needed == 4 else f"{needed} of the"
    return f"{count} four {number}s can be played, so {needed} must be; this uses only {claim.used}"


def _higher_number(claim: _Claim) -> str | None:
    # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
    # ordinary move at the start of the turn"
    if claim.is_double or claim.needed != 1 or not claim.endings:
        return None
    high = claim.dice[0]
    if any(high not in left for left, _ in claim.endings):
        return None
    return f"either number can be played but not both, so it must be the higher, the {high}"


_RULES: tuple[Callable[[_Claim], str | None], ...] = (
    _turn_passes,
    _cannot_pass,
    _not_a_move,
    _no_checker,
    _bar_first,
    _held_point,
    _wrong_distance,
    _too_few_dice,
    _held_stop,
    _not_home,
    _higher_checker,
    _both_numbers,
    _other_number,
    _more_of_the_double,
    _higher_number,
)


# Playing the hops out.


def _endings(
    board: list[int], dice: tuple[int, ...], hops: Sequence[Hop]
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield (unused dice, board) for each order of ordinary moves that makes all the hops."""
    if not hops:
        yield dice, board
        return
    for number, (start, end) in enumerate(hops):
        for die in dict.fromkeys(dice):
            point = _landing(board, start, die)
            if point is None or point < end:
                continue
            left = list(dice)
            left.remove(die)
            rest = [*hops[:number], *([(point, end)] if point > end else []), *hops[number + 1 :]]
            yield from _endings(_moved(board, [(start, point)]), tuple(left), rest)


def _landing(board: list[int], start: int, die: int) -> int | None:
    """Return where one ordinary move from a point ends (0 = off), None if there is no such move."""
    if board[start] <= 0 or (board[BAR] and start != BAR):
        return None
    point = start - die
    if point > OFF:
        return point if board[point] >= -1 else None
    rearmost = _rearmost(board)
    if rearmost > HOME or (point < OFF and rearmost > start):
        return None
    return OFF


def _movable(board: list[int], die: int) -> bool:
    return any(_landing(board, start, die) is not None for start in range(1, BAR + 1))


def _moved(board: list[int], hops: Sequence[Hop]) -> list[int]:
    """Return the board after the hops, a lone opposing checker on an end going to its bar."""
    after = list(board)
    for start, end in hops:
        after[start] -= 1
        if end != OFF:
            if after[end] == -1:  # a hit
                after[end] = 0
                after[0] -= 1
            after[end] += 1
    return after


def _rearmost(board: list[int]) -> int:
    return next((point for point in range(BAR, OFF, -1) if board[point] > 0), OFF)


# Words.


def _text(hops: Sequence[Hop]) -> str:
    return " ".join(f"{_name(start)}/{_name(end)}" for start, end in hops)


def _name(point: int) -> str:
    return POINT_NAMES[point] if OFF <= point <= BAR else str(point)


def _place(point: int) -> str:
    return "the bar" if point == BAR else str(point)


def _pips(number: int) -> str:
    return "1 pip" if number == 1 else f"{number} pips"
