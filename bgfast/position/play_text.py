"""Writer of the canonical text of plays, and a tolerant reader.

The canonical text of a play depends only on the roll and the positions before and after it:

* Single-die steps are joined into *chains*, greedily from the highest point: ``24/18 18/16`` is ``24/16``.
* Chains are sorted by start, then by end, highest first; equal chains are counted: ``13/8(2)``.
* A hit is marked with ``*`` once, in the first chain that touches the point (equal chains count as one).
  Only stops with a mark are shown: ``8/6* 8/4`` with 2-2 if both chains touch the blot on 6.
* Forfeited dice come last, the higher first, equal dice counted: ``6/2 F5``, ``6/1 F5(3)``, ``F6 F5``. If
  several legal plays reach a position, the text has the fewest forfeits, then the highest ones, as the
  generator's moves do: ``6/2`` with 4-4 if the other fours have no move and may be forfeited.

The text thus determines where checkers end and which opposing checkers are hit, and hence the resulting
position: different plays have different texts. Reading also compares ends and hits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import groupby
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from bgfast.common.text import Pattern
from bgfast.common.validation import BAR, OFF
from bgfast.errors import IllegalPlayError, NotationError
from bgfast.position.explain import refusal
from bgfast.position.turn import POINT_NAMES, Hop, Turn, TurnState, board_after, forfeit_parts, use_die, ways
from bgfast.rules import STANDARD, RuleSet

Rows = npt.NDArray[np.int8]
# Canonical texts have at most about 40 characters; the rest allows for white space.
MAX_LENGTH = 256
MAX_MOVES, MAX_UNCHECKED_MOVES = 4, 8
_MAX_QUOTE_LENGTH = 40

# Words and signs; white space separates words.
_TOKEN = Pattern(r"[^\s/\-\u2013\u2014*(),;]+|[/\-\u2013\u2014*(),;]")
_JOINTS = frozenset("/-\u2013\u2014")  # the last two are the en dash and the em dash
_POINTS = {"bar": BAR, "off": OFF}
_FORFEIT = Pattern(r"f([1-6])", re.IGNORECASE)
_NULL_MOVE = Pattern(r"(?<![^\s,;])0/0(?![^\s,;])")  # a checker that does not move
_ACTION = Pattern(r"\A\s*[0-9]{1,4} - ", re.ASCII)  # OpenSpiel's action number
_ROLL = Pattern(r"\s*([1-6])[\s\-]?([1-6])\s*:", re.ASCII)  # a play has no colon


def play_text(
    board: Sequence[int],
    roll: Sequence[int],
    steps: Sequence[Sequence[int]] | Rows,
    rules: RuleSet = STANDARD,
) -> str:
    """Return the canonical text (see the module's docstring) of a legal play; empty without steps.

    `steps` are the single-die steps in any order, (d, d) a forfeited die d; rows of -1 are ignored.
    """
    moves = _sort_moves(steps)
    if rules.forfeit == "never":
        return " ".join(_chain_parts(board, moves))
    result = reduce(lambda current, move: board_after(current, *move), moves, tuple(board))
    forfeits = min(
        Turn(board, roll, rules).forfeits(result), key=lambda dice: (len(dice), [-die for die in dice])
    )
    return " ".join([*_chain_parts(board, moves), *forfeit_parts(forfeits)])


def read_play(
    text: str, board: Sequence[int], roll: Sequence[int], boards: Rows, moves: Rows, rules: RuleSet = STANDARD
) -> int:
    """Return the row of the legal play that a text denotes, in `boards` and `moves`.

    The canonical text of a play is always read as that play. Otherwise parts may be in any order; steps may
    be joined or not, with or without their stops; ``*`` may be missing or superfluous; ``0/0`` moves no
    checker. If several results fit, the hits of the play must be exactly the points marked ``*``. Some legal
    play to the result must forfeit the same dice, not necessarily the fewest; on a double, a single ``F5``
    also stands for several.

    ``pass`` after the moves means that a die cannot be played, as in OpenSpiel's texts. OpenSpiel's
    action number in ``24 - bar/24`` is ignored if it cannot be a point of the play.

    `boards`, (n, 26), are the distinct legal results and `moves`, (n, 4, 2), the steps of a play to each,
    unused rows -1. Raises `NotationError` if the text is unreadable or fits several results, and
    `IllegalPlayError`, with the broken rule, if the play is not legal.
    """
    try:
        return _row_of_play(text, board, roll, boards, moves, rules)
    except (IllegalPlayError, NotationError) as error:
        action = _ACTION.match(text) if isinstance(text, str) else None
        if action is None:
            raise
        try:
            return _row_of_play(text[action.end() :], board, roll, boards, moves, rules)
        except (IllegalPlayError, NotationError):
            if isinstance(error, IllegalPlayError):  # the whole text was readable
                raise error from None
            raise


def _row_of_play(
    text: str, board: Sequence[int], roll: Sequence[int], boards: Rows, moves: Rows, rules: RuleSet
) -> int:
    """Return the row of a play as `read_play` does, for a text without an action number."""
    hops, forfeits, marks = read_hops(text)
    turn = Turn(board, roll, rules)
    results = np.asarray(boards, dtype=np.int8).reshape(-1, len(board))
    possible_hits = _possible_hits(turn.start, hops, forfeits)
    blots = [point for point in range(1, BAR) if board[point] == -1]
    candidates = [
        (row, hits)
        for row in _matching_rows(board, hops, results)
        if (hits := {point for point in blots if results[row, point] >= 0}) in possible_hits
        and _is_forfeit_legal(forfeits, turn, results[row].tolist())
    ]
    if len(candidates) > 1:
        # The results differ only in stops: equal checkers and equal hits would give the same result.
        matches = [(row, hits) for row, hits in candidates if hits == marks]
        if not matches:
            texts = " or ".join(play_text(board, roll, moves[row], rules) for row, _ in candidates)
            raise NotationError(f"{_quote(text)} fits several plays; expected {texts}")
        candidates = matches
    if not candidates:
        raise IllegalPlayError(refusal(turn, hops, forfeits, moves))
    row = candidates[0][0]
    uses_every_die = sum(start >= 0 for start, _ in moves[row]) == len(turn.start.dice)
    if uses_every_die and _TOKEN.findall(text)[-1].lower() == "pass":
        raise IllegalPlayError(f"{_quote(text)} passes after a play that uses every number; leave 'pass' out")
    return row


# Writing.


def moves_text(board: Sequence[int], steps: Iterable[Sequence[int]]) -> str:
    """Return the text of moves as `play_text` writes them, with all forfeits; the play may be incomplete."""
    steps = list(steps)
    forfeits = [start for start, end in steps if start == end]
    return " ".join([*_chain_parts(board, _sort_moves(steps)), *forfeit_parts(forfeits)])


def _sort_moves(steps: Iterable[Sequence[int]]) -> list[Hop]:
    """Return the steps that move a checker, the highest first: steps to a point come before steps from it."""
    moves = sorted([(start, end) for start, end in steps if start >= 0 and start != end], reverse=True)
    return [(int(start), int(end)) for start, end in moves]


def _chain_parts(board: Sequence[int], steps: Iterable[Hop]) -> list[str]:
    """Return the text of each distinct chain; `steps` are from the highest start down."""
    marks: set[int] = set()
    parts: list[str] = []
    for chain, equal_chains in groupby(join_steps(steps)):
        part, count = _chain_text(board, chain, marks), len(list(equal_chains))
        parts.append(part if count == 1 else f"{part}({count})")
    return parts


def join_steps(steps: Iterable[Hop]) -> list[list[int]]:
    """Join steps, given from the highest start down, into chains of points in the order of the text.

    Each step continues the first chain that ends at its start.
    """
    chains: list[list[int]] = []
    for start, end in steps:
        chain = next((chain for chain in chains if chain[-1] == start), None)
        if chain is None:
            chains.append([start, end])
        else:
            chain.append(end)
    return sorted(chains, key=lambda chain: (-chain[0], -chain[-1]))


def _chain_text(board: Sequence[int], chain: list[int], marks: set[int]) -> str:
    """Return the text of a chain and add its hits to `marks`."""
    text = POINT_NAMES[chain[0]]
    end = chain[-1]
    for point in chain[1:]:
        # Index 0 of a board is the opponent's bar, not off.
        is_hit = point != OFF and board[point] == -1 and point not in marks
        if is_hit:
            marks.add(point)
            text += f"/{point}*"
        elif point == end:
            text += "/" + POINT_NAMES[point]
    return text


# Reading: text to hops.


def is_pass(text: str) -> bool:
    """Return whether a text is a pass: ``pass`` or ``0/0``, repeated or not, or ``no play``."""
    tokens = _ACTION.sub("", text[:MAX_LENGTH].lower(), count=1).split()
    return tokens == ["no", "play"] or (bool(tokens) and set(tokens) <= {"pass", "0/0"})


def strip_roll(text: str, roll: Sequence[int]) -> str:
    """Return the text of a play without a leading roll, as in ``65: 24/13`` in score sheets."""
    prefix = _ROLL.match(text)
    if not prefix:
        return text
    dice = int(prefix[1]), int(prefix[2])
    if sorted(dice) != sorted(roll):
        raise NotationError(
            f"{_quote(text)} is a play of {dice[0]}-{dice[1]}; expected a play of {roll[0]}-{roll[1]}"
        )
    return text[prefix.end() :]


def read_hops(text: str, *, unchecked: bool = False) -> tuple[list[Hop], tuple[int, ...], set[int]]:
    """Return the hops of a text, the forfeited dice (the higher first) and the points marked as hit.

    Rules are not tested. If `unchecked`, there may be eight hops, up or down; otherwise four, all down.
    """
    if not isinstance(text, str):
        raise NotationError(f"a play must be a str such as '8/5 6/5', not {type(text).__name__:.60}")
    if len(text) > MAX_LENGTH:
        raise NotationError(f"the text of a play has {len(text)} characters; at most {MAX_LENGTH} are read")
    tokens = _TOKEN.findall(_NULL_MOVE.sub("", text))
    while len(tokens) > 1 and tokens[-1].lower() == "pass":  # after moves: no more dice can be played
        tokens.pop()
    parser = _Parser(tokens, unchecked)
    while parser.next_part():
        parser.read_part()
    if not parser.hops and not parser.forfeits:
        raise NotationError("the text of the play is empty; expected moves such as '8/5 6/5'")
    return parser.hops, tuple(sorted(parser.forfeits, reverse=True)), parser.marks


class _Parser:
    """Parser of the tokens of a play.

    play = {(part | forfeit) [","]}; part = point {"/" point} ["(" count ")"], "*" after any of them;
    forfeit = "F" die ["(" count ")"].
    """

    def __init__(self, tokens: list[str], unchecked: bool) -> None:
        self.tokens, self.unchecked = tokens, unchecked
        self.index = self.part_number = 0
        self.hops: list[Hop] = []
        self.forfeits: list[int] = []
        self.marks: set[int] = set()

    def token(self) -> str:
        return self.tokens[self.index] if self.index < len(self.tokens) else ""

    def skip(self, *signs: str) -> bool:
        """Skip the next token if it is one of these signs; return whether it is."""
        is_next = self.token() in signs
        self.index += is_next
        return is_next

    def next_part(self) -> bool:
        while self.skip(",", ";"):
            pass
        self.part_number += 1
        return self.index < len(self.tokens)

    def read_part(self) -> None:
        if forfeit := _FORFEIT.fullmatch(self.token()):
            self.index += 1
            dice = [int(forfeit[1])] * self.read_count()
            self.check_length(len(dice))
            self.forfeits += dice
            return
        start = self.read_point()
        if self.token() not in _JOINTS:
            self.fail(f"'/' after the point {POINT_NAMES[start]}")
        hops: list[Hop] = []
        while self.skip(*_JOINTS):
            end = self.read_point()
            if (end in (start, BAR)) if self.unchecked else end >= start:
                names = f"{POINT_NAMES[start]}/{POINT_NAMES[end]}"
                target = "to another" if self.unchecked else "down to a lower"
                self.refuse(f"{names} does not go {target} point or off")
            hops.append((start, end))
            start = end
        count = 1
        if self.token() == "(":
            count = self.read_count()
            self.read_mark(start)  # as in 8/5(2)*
        self.check_length(len(hops) * count)
        self.hops += hops * count

    def check_length(self, count: int) -> None:
        limit = MAX_UNCHECKED_MOVES if self.unchecked else MAX_MOVES
        if len(self.hops) + len(self.forfeits) + count > limit:
            self.refuse(f"with it, the play has more than {'eight' if self.unchecked else 'four'} moves")

    def read_point(self) -> int:
        """Read a point and its mark; the word must be ASCII, since `int` accepts digits of other scripts."""
        word = self.token().lower()
        point = int(word) if word.isascii() and word.isdecimal() else _POINTS.get(word, -1)
        if not OFF <= point <= BAR:
            self.fail("a point: 1 to 24, bar (25) or off (0)")
        self.index += 1
        self.read_mark(point)
        return point

    def read_mark(self, point: int) -> None:
        if self.skip("*"):
            self.marks.add(point)

    def read_count(self) -> int:
        """Read a count in parentheses; return 1 if there is none."""
        if not self.skip("("):
            return 1
        count = self.token()
        if not self.skip("1", "2", "3", "4"):
            self.fail("a count of 1 to 4")
        if not self.skip(")"):
            self.fail("')' after the count")
        return int(count)

    def fail(self, expected: str) -> NoReturn:
        token = _quote(self.token()) if self.token() else "the end of the text"
        self.refuse(f"found {token}, expected {expected}")

    def refuse(self, reason: str) -> NoReturn:
        raise NotationError(f"cannot read part {self.part_number} of the play: {reason}")


def _quote(text: str) -> str:
    shown = repr(text)  # truncate the repr: escapes are longer than characters
    return shown if len(shown) <= _MAX_QUOTE_LENGTH else f"{shown[:_MAX_QUOTE_LENGTH]}...{shown[0]}"


# Reading: hops to results.


def _matching_rows(board: Sequence[int], hops: list[Hop], results: Rows) -> list[int]:
    """Return the rows of the results in which the mover's checkers are where the hops put them."""
    checkers = [max(value, 0) for value in board]
    for start, end in hops:
        checkers[start] -= 1
        checkers[end] += 1
    matches = (np.maximum(results[:, 1:], 0) == checkers[1:]).all(axis=1)
    return [row for row, is_match in enumerate(matches) if is_match]


def _is_forfeit_legal(forfeits: tuple[int, ...], turn: Turn, result: list[int]) -> bool:
    legal_forfeits = turn.forfeits(result)
    if len(turn.start.dice) == 4 and len(forfeits) == 1:
        # On a double, the examples in RULES.md write F5 once for all forfeited fives.
        return any(dice[:1] == forfeits for dice in legal_forfeits)
    return forfeits in legal_forfeits


def _possible_hits(start: TurnState, hops: list[Hop], forfeits: tuple[int, ...]) -> list[set[int]]:
    """Return the points with hits for each assignment of the unforfeited dice to the hops.

    The rules on the bar and bearing off need no test here: the result must be among the legal ones.
    """
    board, dice = start
    if not Counter(forfeits) <= Counter(dice):
        return []
    rest = reduce(use_die, forfeits, dice)
    return [
        {point for point in points if point != OFF and board[point] == -1}
        for points in ways(hops, rest)
        if all(point == OFF or board[point] >= -1 for point in points)
    ]
