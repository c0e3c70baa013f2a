"""The text of plays: one canonical way of writing, a tolerant way of reading.

The canonical text of a play depends on the position before and after it only:

* Single-die steps are joined to *chains*, greedily from the highest point: `24/18 18/16` is ``24/16``.
* Chains are listed from the highest start, then from the highest end; equal ones are counted: ``13/8(2)``.
* A hit point is marked ``*`` once, in the first chain of the text that touches it, as a stop or as its end
  (a group of equal chains counts as one chain). A stop is shown only if it bears a mark. So ``8/6* 8/4`` with
  2-2 when the single opposing checker on 6 is touched by both.

Therefore the text says two things, how many checkers end where and which opposing checkers are hit, and these
two are the resulting position: different plays have different texts. Reading rests on the same two things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .errors import IllegalPlayError, NotationError
from .refusal import POINT_NAMES, refusal, ways

__all__ = ["play_text", "play_texts", "read_play"]

Hop = tuple[int, int]
Board = Sequence[int] | npt.NDArray[np.int8]

BAR = 25
OFF = 0

# Longest canonical texts have some 40 characters; the rest is room for white space.
MAX_LENGTH = 256
MAX_MOVES = 4
_ECHO = 40

_TOKEN = re.compile(
    r"[^\s/\-\u2013\u2014*(),;]+|[/\-\u2013\u2014*(),;]"
)  # words and signs; white space only parts words
_JOINTS = frozenset("/-\u2013\u2014")  # the last two are the en dash and the em dash
_SEPARATORS = frozenset(",;")
_WORDS = {"bar": BAR, "off": OFF}


def play_text(board: Board, steps: Sequence[Sequence[int]] | npt.NDArray[np.int8]) -> str:
    """Return the canonical text of a play.

    Parameters
    ----------
    board : (26,) sequence of int
        The position before the play, from the mover's side.
    steps : (k, 2) sequence of int
        The single-die steps (from, to) of the play in any order, 25 = bar, to 0 = off; rows of -1 are
        ignored. They are taken as valid.

    Returns
    -------
    str
        The text described at the head of this module, the same for all steps that lead to the same position;
        empty if there are no steps.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> board = [0] * 26
    >>> board[24], board[20], board[8], board[6] = 2, -1, 3, 5
    >>> play_text(board, [(8, 5), (6, 5)])
    '8/5 6/5'
    >>> play_text(board, [(20, 18), (24, 20)])
    '24/20*/18'
    >>> play_text(board, [(8, 5), (6, 3), (8, 5), (-1, -1)])
    '8/5(2) 6/3'
    """
    return _text(board, steps.tolist() if isinstance(steps, np.ndarray) else steps)


def play_texts(board: Board, moves: npt.NDArray[np.int8]) -> list[str]:
    """Return the canonical texts of many plays of one position.

    Parameters
    ----------
    board : (26,) sequence of int
        The position before the plays, from the mover's side.
    moves : (n, k, 2) array of int8
        The single-die steps of each play as in `play_text`, unused rows (-1, -1).

    Returns
    -------
    list of str
        n texts in the order of `moves`.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> import numpy as np
    >>> board = [0] * 26
    >>> board[6] = 2
    >>> play_texts(board, np.array([[[6, 3], [3, 1]], [[6, 3], [6, 4]]], np.int8))
    ['6/1', '6/4 6/3']
    """
    values = _values(board)
    return [_text(values, steps) for steps in moves.tolist()]


def read_play(
    text: str,
    board: Board,
    roll: Sequence[int],
    boards: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int8],
) -> int:
    """Return which legal play a text means.

    The canonical text of a play is always read as that play. Otherwise the parts may come in any order, with
    commas or semicolons between them; steps may be joined or not, with or without their stops; ``*`` may be
    missing or superfluous; ``bar`` may be 25 and ``off`` 0, in any letter case; ``-`` (or a longer dash) may
    stand for ``/``; white space may surround every sign. A play that can be understood in several ways, with
    different results, is taken as the one whose hits are exactly the points marked ``*``.

    Parameters
    ----------
    text : str
        The play, at most 256 characters.
    board : (26,) sequence of int
        The position before the play, from the mover's side.
    roll : pair of int
        The two dice, in either order.
    boards : (n, 26) array of int8
        All legal results, each one once, from the mover's side; n = 0 when the turn passes.
    moves : (n, 4, 2) array of int8
        The single-die steps of these plays, unused rows (-1, -1).

    Returns
    -------
    int
        The row of the play in `boards` and `moves`.

    Raises
    ------
    NotationError
        If the text cannot be read, or fits several results; the message lists their canonical texts.
    IllegalPlayError
        If the text can be read but is none of the legal plays; the message says which rule it breaks.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> import numpy as np
    >>> board = [0] * 26
    >>> board[6] = 2
    >>> moves = np.full((2, 4, 2), -1, np.int8)
    >>> moves[:, :2] = [[[6, 3], [3, 1]], [[6, 3], [6, 4]]]
    >>> boards = np.zeros((2, 26), np.int8)
    >>> boards[0, [6, 1]] = 1
    >>> boards[1, [4, 3]] = 1
    >>> read_play("6/3, 6-4", board, (3, 2), boards, moves)
    1
    >>> read_play("6/3", board, (3, 2), boards, moves)
    Traceback (most recent call last):
        ...
    bgfast.errors.IllegalPlayError: illegal play '6/3' for 3-2: both numbers can be played, so both must be; \
this uses only one
    """
    hops, marked = _read(text)
    values = _values(board)
    results = np.asarray(boards, dtype=np.int8).reshape(-1, len(values))
    meant = _hits_meant(values, roll, hops)
    fitting = [
        (row, hits)
        for row in _same_checkers(values, hops, results)
        if (hits := _hits(values, results[row])) in meant
    ]
    if len(fitting) > 1:
        # Only the stops of one checker are open here: equal checkers and equal hits would be the same result.
        exact = [(row, hits) for row, hits in fitting if hits == marked]
        if not exact:
            texts = " or ".join(play_text(values, moves[row]) for row, _ in fitting)
            raise NotationError(f"{_quoted(text)} fits several plays; write {texts}")
        fitting = exact
    if not fitting:
        raise IllegalPlayError(refusal(values, roll, hops, results, moves))
    return fitting[0][0]


# Writing.


def _text(board: Board, steps: Iterable[Sequence[int]]) -> str:
    chains = _chains(steps)
    marked: set[int] = set()
    parts: list[str] = []
    at = 0
    while at < len(chains):
        chain = chains[at]
        count = chains.count(chain)
        part = _chain_text(board, chain, marked)
        parts.append(part if count == 1 else f"{part}({count})")
        at += count  # equal chains stand together
    return " ".join(parts)


def _chains(steps: Iterable[Sequence[int]]) -> list[list[int]]:
    """Join steps to chains of points, in the order of the text.

    With the steps taken from the highest start, each continues the first chain that ends where it starts.
    That is the greedy join: all chains are complete down to a point when the steps from that point come.
    """
    chains: list[list[int]] = []
    for start, end in sorted([(start, end) for start, end in steps if start >= 0], reverse=True):
        for chain in chains:
            if chain[-1] == start:
                chain.append(end)
                break
        else:
            chains.append([start, end])
    if len(chains) > 1:
        chains.sort(key=_text_order)
    return chains


def _text_order(chain: list[int]) -> tuple[int, int]:
    return -chain[0], -chain[-1]


def _chain_text(board: Board, chain: list[int], marked: set[int]) -> str:
    """Return the text of one chain and add to `marked` the hit points that it shows."""
    text = POINT_NAMES[chain[0]]
    end = chain[-1]
    for point in chain[1:]:
        # Off is no point: index 0 of a board is the opponent's bar.
        hit = point != OFF and board[point] == -1 and point not in marked
        if hit:
            marked.add(point)
            text += f"/{point}*"
        elif point == end:
            text += "/" + POINT_NAMES[point]
    return text


# Reading: text to hops.


def _read(text: str) -> tuple[list[Hop], set[int]]:
    """Return the hops of a text and the points that it marks as hit."""
    if not isinstance(text, str):
        raise NotationError(f"a play must be a str such as '8/5 6/5', not {type(text).__name__:.60}")
    if len(text) > MAX_LENGTH:
        raise NotationError(f"the text of a play has {len(text)} characters; at most {MAX_LENGTH} are read")
    parser = _Parser(_TOKEN.findall(text))
    while parser.next_part():
        parser.read_part()
    if not parser.hops:
        raise NotationError("the text of the play is empty; expected moves such as '8/5 6/5'")
    return parser.hops, parser.marked


class _Parser:
    """Reads tokens: play = {part [","]}; part = point {"/" point} ["(" count ")"], "*" after any of them."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.part = 0
        self.hops: list[Hop] = []
        self.marked: set[int] = set()

    def next_part(self) -> bool:
        """Go to the next part; say whether there is one."""
        while self.token() in _SEPARATORS:
            self.at += 1
        self.part += 1
        return self.at < len(self.tokens)

    def read_part(self) -> None:
        """Read one part and add its hops."""
        start = self.read_point()
        self.read_mark(start)
        if self.token() not in _JOINTS:
            self.fail(f"'/' after the point {POINT_NAMES[start]}")
        hops: list[Hop] = []
        while self.token() in _JOINTS:
            self.at += 1
            end = self.read_point()
            if end >= start:
                names = f"{POINT_NAMES[start]}/{POINT_NAMES[end]}"
                self.refuse(f"{names} does not go down to a lower point or off")
            hops.append((start, end))
            self.read_mark(end)
            start = end
        count = 1
        if self.token() == "(":
            count = self.read_count()
            self.read_mark(hops[-1][1])  # as in 8/5(2)*
        if len(self.hops) + len(hops) * count > MAX_MOVES:
            self.refuse("with it the play has more than four moves")
        self.hops += hops * count

    def read_point(self) -> int:
        """Read a point; the word must be ASCII, `int` alone would take digits of other scripts."""
        word = self.token().lower()
        point = _WORDS.get(word, -1)
        if word.isascii() and word.isdecimal():
            point = int(word)
        if not OFF <= point <= BAR:
            self.fail("a point: 1 to 24, bar (25) or off (0)")
        self.at += 1
        return point

    def read_mark(self, point: int) -> None:
        """Read a `*` if there is one."""
        if self.token() == "*":
            self.marked.add(point)
            self.at += 1

    def read_count(self) -> int:
        """Read a count such as (2)."""
        self.at += 1
        if self.token() not in ("1", "2", "3", "4"):
            self.fail("a count of 1 to 4")
        count = int(self.token())
        self.at += 1
        if self.token() != ")":
            self.fail("')' after the count")
        self.at += 1
        return count

    def token(self) -> str:
        """Return the token at hand, empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def fail(self, expected: str) -> NoReturn:
        """Raise for a token that is not what was expected."""
        found = _quoted(self.token()) if self.token() else "the end of the text"
        self.refuse(f"found {found}, expected {expected}")

    def refuse(self, what: str) -> NoReturn:
        """Raise for the part at hand."""
        raise NotationError(f"cannot read part {self.part} of the play: {what}")


def _quoted(text: str) -> str:
    shown = repr(text)  # cut afterwards: an escape is longer than its character
    return shown if len(shown) <= _ECHO else f"{shown[:_ECHO]}...{shown[0]}"


# Reading: hops to results.


def _values(board: Board) -> list[int]:
    values: list[int] = board.tolist() if isinstance(board, np.ndarray) else list(board)
    return values


def _same_checkers(board: list[int], hops: list[Hop], results: npt.NDArray[np.int8]) -> list[int]:
    """Return the rows of the results in which the mover's checkers stand where the hops put them."""
    own = [max(value, 0) for value in board]
    for start, end in hops:
        own[start] -= 1
        own[end] += 1
    same: npt.NDArray[Any] = np.flatnonzero((np.maximum(results[:, 1:], 0) == own[1:]).all(axis=1))
    rows: list[int] = same.tolist()
    return rows


def _hits(board: list[int], result: npt.NDArray[np.int8]) -> set[int]:
    after = result.tolist()
    return {point for point in range(1, BAR) if board[point] == -1 and after[point] >= 0}


def _hits_meant(board: list[int], roll: Sequence[int], hops: list[Hop]) -> list[set[int]]:
    """Return the hit points for each way in which the dice can make the hops.

    Whether a way obeys the rules about the bar and bearing off is not asked: its result must be among the
    legal ones.
    """
    dice = tuple(roll) * 2 if roll[0] == roll[1] else tuple(roll)
    return [
        {point for point in touched if point != OFF and board[point] == -1}
        for touched in ways(hops, dice)
        if all(point == OFF or board[point] >= -1 for point in touched)
    ]
