"""Random cases of a seed: positions of all phases of random games, and constructed hard positions.

A position has four ordered rolls under the standard rules, two under other rule sets. Within a section all 36
ordered rolls are equally frequent and positions are distinct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from bgfast.batch.random_positions import random_positions
from bgfast.common.rolls import ORDERED_ROLLS
from bgfast.common.vocabulary import BAR, CHECKERS, OFF, Board, Roll, UnfinishedPhase
from bgfast.engines.suite.hashing import RandomNumbers

POINTS = range(1, 25)
HOME = range(1, 7)
OPPONENTS_HOME = range(19, 25)
OPPONENTS_BAR = OFF

Kind = UnfinishedPhase | Literal["hard"]

# Section, rule set, rolls per position, (kind, number of positions) ...
PLAN: tuple[tuple[str, str, int, tuple[tuple[Kind, int], ...]], ...] = (
    ("contact", "standard", 4, (("contact", 684),)),
    ("race", "standard", 4, (("race", 684),)),
    ("bearoff", "standard", 4, (("bearoff", 684),)),
    ("hard", "standard", 4, (("hard", 684),)),
    ("exact", "exact", 2, (("contact", 36), ("race", 36), ("bearoff", 108), ("hard", 108))),
    ("rear_first", "rear_first", 2, (("contact", 36), ("race", 36), ("bearoff", 108), ("hard", 108))),
    ("five_stack", "five_stack", 2, (("contact", 72), ("race", 36), ("bearoff", 72), ("hard", 108))),
    ("strict", "strict", 2, (("contact", 36), ("race", 36), ("bearoff", 108), ("hard", 108))),
)


class DrawnCase(NamedTuple):
    """Random case, without its result."""

    section: str
    rules: str
    number: int
    board: Board
    roll: Roll


def draw_cases(seed: int) -> Iterator[DrawnCase]:
    """Yield the random cases of a seed by section; positions are numbered within their section."""
    random = RandomNumbers(seed)
    for section, rules, rolls, kinds in PLAN:
        boards: dict[Board, None] = {}
        for kind, count in kinds:
            _draw(boards, kind, count, RandomNumbers(random.next()))
        deck = _rolls(len(boards), rolls, RandomNumbers(random.next()))
        for number, board in enumerate(boards, 1):
            for roll in (next(deck) for _ in range(rolls)):
                yield DrawnCase(section, rules, number, board, roll)


def _draw(boards: dict[Board, None], kind: Kind, count: int, random: RandomNumbers) -> None:
    """Add a number of new positions of a kind."""
    target = len(boards) + count
    if kind == "hard":
        stream = _hard_positions(random)
    else:  # with a margin for the few positions that repeat
        stream = map(tuple, random_positions(2 * count + 100, random.next(), kind).tolist())
    while len(boards) < target:
        boards[next(stream)] = None


def _rolls(positions: int, per_position: int, random: RandomNumbers) -> Iterator[Roll]:
    """Yield ordered rolls from shuffled decks of all 36; the rolls of a position come from one deck."""
    if positions * per_position % len(ORDERED_ROLLS):
        raise ValueError(f"{positions} times {per_position} rolls are no whole decks of {len(ORDERED_ROLLS)}")
    while True:
        yield from random.shuffled(ORDERED_ROLLS)


# ---------------------------------------------------------------- hard positions


def _hard_positions(random: RandomNumbers) -> Iterator[Board]:
    while True:
        for make in HARD:
            board = [0] * 26
            make(board, random)
            yield tuple(board)


def _scatter(board: list[int], random: RandomNumbers, side: int, count: int, points: Sequence[int]) -> None:
    """Put checkers of a side (1 mover, -1 opponent) on points that the other side does not occupy."""
    for _ in range(count):
        board[random.choice([point for point in points if board[point] * side >= 0])] += side


def _on_the_bar(board: list[int], random: RandomNumbers) -> None:
    """Put one to four checkers on the bar against a home board with some closed points."""
    board[BAR] = 1 + random.below(4)
    for point in OPPONENTS_HOME:
        board[point] = -2 if random.below(2) else -random.below(2)
    _scatter(board, random, -1, CHECKERS + sum(board[1:25]), range(1, 19))
    _scatter(board, random, 1, CHECKERS - board[BAR], POINTS)


def _behind_a_wall(board: list[int], random: RandomNumbers) -> None:
    """Build a prime of four to six points in front of some checkers."""
    length = 4 + random.below(3)
    first = 2 + random.below(23 - length)
    for point in range(first, first + length):
        board[point] = -2
    _scatter(board, random, 1, 1 + random.below(4), range(first + length, BAR))
    _scatter(board, random, -1, CHECKERS - 2 * length, POINTS)
    _scatter(board, random, 1, 8 + random.below(4), POINTS)


def _blots(board: list[int], random: RandomNumbers) -> None:
    """Place many blots, so that one play can hit several."""
    for number, point in enumerate(random.shuffled(POINTS)[: 8 + random.below(17)]):
        board[point] = 1 if number % 2 else -1
    board[BAR] = random.below(3)


def _few_checkers(board: list[int], random: RandomNumbers) -> None:
    """Leave one to four own checkers against a few closed points, where the higher-die rule often decides."""
    closed = random.shuffled(POINTS)[: 1 + random.below(5)]
    for point in closed:
        board[point] = -1 - random.below(2)
    _scatter(board, random, 1, 1 + random.below(4), [*POINTS, BAR])


def _stacks(board: list[int], random: RandomNumbers) -> None:
    """Pile the mover's checkers on three to five points, for rule sets that limit stacks."""
    own = random.shuffled(POINTS)[: 3 + random.below(3)]
    _scatter(board, random, 1, CHECKERS, own)
    _scatter(board, random, -1, CHECKERS, [point for point in POINTS if point not in own])


def _home_with_contact(board: list[int], random: RandomNumbers) -> None:
    """Bear off while the opponent waits in the mover's home or on the bar."""
    for _ in range(1 + random.below(2)):
        board[random.choice([OPPONENTS_BAR, *HOME])] -= 1 + random.below(2)
    _scatter(board, random, 1, 1 + random.below(CHECKERS), [*HOME, *HOME, 7 + random.below(2)])
    _scatter(board, random, -1, random.below(6), OPPONENTS_HOME)


HARD: tuple[Callable[[list[int], RandomNumbers], None], ...] = (
    _on_the_bar,
    _behind_a_wall,
    _blots,
    _few_checkers,
    _stacks,
    _home_with_contact,
)
