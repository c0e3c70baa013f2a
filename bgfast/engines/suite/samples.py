"""Positions drawn at random from a seed, with their rolls: phases of games, and positions made to be hard.

Each position has four ordered rolls under the standard rules, two under another rule set. In every section
all 36 ordered rolls come equally often. No position comes twice in a section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from bgfast.batch.random_positions import random_positions
from bgfast.common.rolls import ORDERED_ROLLS
from bgfast.common.vocabulary import UnfinishedPhase
from bgfast.engines.protocol import Board, Roll
from bgfast.engines.suite.splitmix import Numbers

__all__ = ["Drawn", "drawn_positions"]

CHECKERS = 15
POINTS = range(1, 25)
HOME = range(1, 7)
OPPONENTS_HOME = range(19, 25)
BAR, OPPONENTS_BAR = 25, 0

Kind = UnfinishedPhase | Literal["hard"]

# Section, rule set, rolls for each position, (kind, how many positions) ...
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


class Drawn(NamedTuple):
    """One case without its result."""

    section: str
    rules: str
    number: int
    board: Board
    roll: Roll


def drawn_positions(seed: int) -> Iterator[Drawn]:
    """Yield the cases of a seed, section after section; a position is numbered within its section."""
    numbers = Numbers(seed)
    for section, rules, rolls, kinds in PLAN:
        boards: dict[Board, None] = {}
        for kind, many in kinds:
            _draw(boards, kind, many, Numbers(numbers.next()))
        deck = _rolls(len(boards), rolls, Numbers(numbers.next()))
        for number, board in enumerate(boards, 1):
            for roll in (next(deck) for _ in range(rolls)):
                yield Drawn(section, rules, number, board, roll)


def _draw(boards: dict[Board, None], kind: Kind, many: int, numbers: Numbers) -> None:
    """Add so many new positions of a kind."""
    wanted = len(boards) + many
    stream = _hard_positions(numbers) if kind == "hard" else _of_games(kind, numbers.next(), many)
    while len(boards) < wanted:
        boards[next(stream)] = None


def _of_games(phase: UnfinishedPhase, seed: int, many: int) -> Iterator[Board]:
    """Yield positions of random games; few of them repeat, so that some more are enough."""
    yield from map(tuple, random_positions(2 * many + 100, seed, phase).tolist())


def _rolls(positions: int, each: int, numbers: Numbers) -> Iterator[Roll]:
    """Yield the ordered rolls, deck after shuffled deck; the rolls of a position are of one deck."""
    if positions * each % len(ORDERED_ROLLS):
        raise ValueError(f"{positions} times {each} rolls are no whole decks of {len(ORDERED_ROLLS)}")
    while True:
        yield from numbers.shuffled(ORDERED_ROLLS)


# ---------------------------------------------------------------- hard positions


def _hard_positions(numbers: Numbers) -> Iterator[Board]:
    """Yield positions of each hard kind in turn."""
    while True:
        for make in HARD:
            board = [0] * 26
            make(board, numbers)
            yield tuple(board)


def _scatter(board: list[int], numbers: Numbers, side: int, many: int, points: Sequence[int]) -> None:
    """Put checkers of a side (1 the mover, -1 the opponent) on points that the other one does not hold."""
    for _ in range(many):
        board[numbers.one_of([point for point in points if board[point] * side >= 0])] += side


def _on_the_bar(board: list[int], numbers: Numbers) -> None:
    """Make one to four checkers enter a home of which some points are closed."""
    board[BAR] = 1 + numbers.below(4)
    for point in OPPONENTS_HOME:
        board[point] = -2 if numbers.below(2) else -numbers.below(2)
    _scatter(board, numbers, -1, CHECKERS + sum(board[1:25]), range(1, 19))
    _scatter(board, numbers, 1, CHECKERS - board[BAR], POINTS)


def _behind_a_wall(board: list[int], numbers: Numbers) -> None:
    """Close four to six points in a row in front of some checkers."""
    length = 4 + numbers.below(3)
    first = 2 + numbers.below(23 - length)
    for point in range(first, first + length):
        board[point] = -2
    _scatter(board, numbers, 1, 1 + numbers.below(4), range(first + length, BAR))
    _scatter(board, numbers, -1, CHECKERS - 2 * length, POINTS)
    _scatter(board, numbers, 1, 8 + numbers.below(4), POINTS)


def _blots(board: list[int], numbers: Numbers) -> None:
    """Leave as many single checkers as there is room for, so that one play can hit several."""
    for number, point in enumerate(numbers.shuffled(POINTS)[: 8 + numbers.below(17)]):
        board[point] = 1 if number % 2 else -1
    board[BAR] = numbers.below(3)


def _few_checkers(board: list[int], numbers: Numbers) -> None:
    """Leave one to four checkers each, where the higher die counts most often."""
    closed = numbers.shuffled(POINTS)[: 1 + numbers.below(5)]
    for point in closed:
        board[point] = -1 - numbers.below(2)
    _scatter(board, numbers, 1, 1 + numbers.below(4), [*POINTS, BAR])


def _stacks(board: list[int], numbers: Numbers) -> None:
    """Pile the mover's checkers on three to five points, on which only so many may stand under some rules."""
    own = numbers.shuffled(POINTS)[: 3 + numbers.below(3)]
    _scatter(board, numbers, 1, CHECKERS, own)
    _scatter(board, numbers, -1, CHECKERS, [point for point in POINTS if point not in own])


def _home_with_contact(board: list[int], numbers: Numbers) -> None:
    """Bear off while the opponent waits in the mover's home or on the bar."""
    for _ in range(1 + numbers.below(2)):
        board[numbers.one_of([OPPONENTS_BAR, *HOME])] -= 1 + numbers.below(2)
    _scatter(board, numbers, 1, 1 + numbers.below(CHECKERS), [*HOME, *HOME, 7 + numbers.below(2)])
    _scatter(board, numbers, -1, numbers.below(6), OPPONENTS_HOME)


HARD: tuple[Callable[[list[int], Numbers], None], ...] = (
    _on_the_bar,
    _behind_a_wall,
    _blots,
    _few_checkers,
    _stacks,
    _home_with_contact,
)
