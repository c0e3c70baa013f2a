"""Builder of a suite: named cases and perft counts of the published suite, and random cases of a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Literal

from bgfast.batch.random_positions import random_positions
from bgfast.common.validation import BAR, CHECKERS, OFF, ORDERED_ROLLS, Board, Roll, UnfinishedPhase
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.protocol import Case
from bgfast.conformance.suite.suite_file import RandomNumbers, Suite, SuiteCase, read_suite, set_hash
from bgfast.rules import RuleSet

PUBLISHED = "bgfast-suite-1.txt"
"""File name of the published suite in the package's data."""
PUBLISHED_SEED = 1
NAMED_SECTIONS = ("named", "defects")
"""Cases that decide the rules of the leaflets, and plays that engines got wrong; they come first."""


def published_content() -> bytes:
    """Return the content of the published suite."""
    return (files("bgfast.conformance.suite") / "data" / PUBLISHED).read_bytes()


def build_suite(seed: int, progress: Callable[[float], None] = lambda done: None) -> Suite:
    """Build the suite of a seed, 0 to 2**64 - 1, deterministically; `progress` receives the fraction done.

    Everything but the random cases is copied from the published suite.
    """
    published = read_suite(published_content(), PUBLISHED)
    named_cases = [case for case in published.cases if case.section in NAMED_SECTIONS]
    cases = *named_cases, *random_cases(seed, published.rule_sets, progress)
    return Suite(seed, published.rule_sets, cases, published.perft)


def named_turns() -> tuple[tuple[Board, Roll], ...]:
    """Return the distinct positions and rolls of the named cases, with the dice in both orders.

    For any rule set: a position that decides a rule of one set is a hard position under the others.
    """
    # The whole file takes a second to read.
    named, _, _ = published_content().partition(b"section contact\n")
    turns: dict[tuple[Board, Roll], None] = {}
    for case in read_suite(named + b"end %d\n" % named.count(b"\ncase "), PUBLISHED).cases:
        first, second = case.roll
        turns |= {(case.board, (first, second)): None, (case.board, (second, first)): None}
    return tuple(turns)


# ---- Random cases of a seed: positions of all phases of random games, and constructed hard positions ----

POINTS = range(1, 25)
HOME = range(1, 7)
OPPONENTS_HOME = range(19, 25)
OPPONENTS_BAR = OFF

PositionType = UnfinishedPhase | Literal["hard"]

# Section, rule set, rolls per position, (type, number of positions) ...
PLAN: tuple[tuple[str, str, int, tuple[tuple[PositionType, int], ...]], ...] = (
    ("contact", "standard", 4, (("contact", 684),)),
    ("race", "standard", 4, (("race", 684),)),
    ("bearoff", "standard", 4, (("bearoff", 684),)),
    ("hard", "standard", 4, (("hard", 684),)),
    ("exact", "exact", 2, (("contact", 36), ("race", 36), ("bearoff", 108), ("hard", 108))),
    ("rear_first", "rear_first", 2, (("contact", 36), ("race", 36), ("bearoff", 108), ("hard", 108))),
    ("five_stack", "five_stack", 2, (("contact", 72), ("race", 36), ("bearoff", 72), ("hard", 108))),
    ("strict", "strict", 2, (("contact", 36), ("race", 36), ("bearoff", 108), ("hard", 108))),
)


def random_cases(
    seed: int, rule_sets: Mapping[str, RuleSet], progress: Callable[[float], None]
) -> Iterator[SuiteCase]:
    """Yield the random cases of a seed with the generator's results."""
    drawn = list(draw_cases(seed))
    for done, (section, rules, number, board, roll) in enumerate(drawn):
        boards = legal_successors(Case(board, roll, rule_sets[rules]))
        name = f"{section}{number}-{roll[0]}{roll[1]}"
        yield SuiteCase(name, section, rules, board, roll, len(boards), set_hash(boards))
        progress(done / len(drawn))


def draw_cases(seed: int) -> Iterator[tuple[str, str, int, Board, Roll]]:
    """Yield section, rule set, number of the position in its section, board and roll of the random cases."""
    random = RandomNumbers(seed)
    for section, rules, rolls, position_types in PLAN:
        boards: dict[Board, None] = {}
        for position_type, count in position_types:
            _draw(boards, position_type, count, RandomNumbers(random.next()))
        deck = _rolls(RandomNumbers(random.next()))
        for number, board in enumerate(boards, 1):
            for roll in (next(deck) for _ in range(rolls)):
                yield section, rules, number, board, roll


def _draw(boards: dict[Board, None], position_type: PositionType, count: int, random: RandomNumbers) -> None:
    """Add a number of new positions of a type."""
    target = len(boards) + count
    if position_type == "hard":
        stream = _hard_positions(random)
    else:  # with a margin for the few positions that repeat
        stream = map(tuple, random_positions(2 * count + 100, random.next(), position_type).tolist())
    while len(boards) < target:
        boards[next(stream)] = None


def _rolls(random: RandomNumbers) -> Iterator[Roll]:
    """Yield ordered rolls from shuffled decks of all 36; `PLAN` takes whole decks."""
    while True:
        yield from random.shuffle(ORDERED_ROLLS)


# ---------------------------------------------------------------- hard positions


def _hard_positions(random: RandomNumbers) -> Iterator[Board]:
    while True:
        for make in (_on_the_bar, _behind_a_wall, _blots, _few_checkers, _stacks, _home_with_contact):
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
    """Place many blots: one play can hit several."""
    for index, point in enumerate(random.shuffle(POINTS)[: 8 + random.below(17)]):
        board[point] = 1 if index % 2 else -1
    board[BAR] = random.below(3)


def _few_checkers(board: list[int], random: RandomNumbers) -> None:
    """Leave one to four own checkers against a few closed points, where the higher-die rule often decides."""
    closed = random.shuffle(POINTS)[: 1 + random.below(5)]
    for point in closed:
        board[point] = -1 - random.below(2)
    _scatter(board, random, 1, 1 + random.below(4), [*POINTS, BAR])


def _stacks(board: list[int], random: RandomNumbers) -> None:
    """Pile the mover's checkers on three to five points, for rule sets that limit stacks."""
    own = random.shuffle(POINTS)[: 3 + random.below(3)]
    _scatter(board, random, 1, CHECKERS, own)
    _scatter(board, random, -1, CHECKERS, [point for point in POINTS if point not in own])


def _home_with_contact(board: list[int], random: RandomNumbers) -> None:
    """Bear off while the opponent waits in the mover's home or on the bar."""
    for _ in range(1 + random.below(2)):
        board[random.choice([OPPONENTS_BAR, *HOME])] -= 1 + random.below(2)
    _scatter(board, random, 1, 1 + random.below(CHECKERS), [*HOME, *HOME, 7 + random.below(2)])
    _scatter(board, random, -1, random.below(6), OPPONENTS_HOME)
