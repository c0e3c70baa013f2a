"""Builder of a suite: named cases and perft counts of the published suite, and random cases of a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Literal

from bgfast.batch.random_positions import random_positions
from bgfast.common.validation import ORDERED_ROLLS, Board, Roll, UnfinishedPhase
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.hard_positions import HARD_MAKERS, RandomNumbers, make_boards
from bgfast.conformance.protocol import Case
from bgfast.conformance.suite.suite_file import Suite, SuiteCase, read_suite, set_hash
from bgfast.rules import RuleSet

PUBLISHED = "bgfast-suite-1.txt"
"""File name of the published suite in the package's data."""
PUBLISHED_SEED = 1
NAMED_SECTIONS = ("named", "defects")
"""Sections of cases that settle rules, and of plays that engines got wrong; these sections come first."""


def read_published() -> bytes:
    """Return the content of the published suite."""
    return (files("bgfast.conformance.suite") / "data" / PUBLISHED).read_bytes()


def build_suite(seed: int, progress: Callable[[float], None] = lambda done: None) -> Suite:
    """Build the suite of a seed, 0 to 2**64 - 1, deterministically; `progress` receives the fraction done.

    Everything but the random cases is copied from the published suite.
    """
    published = read_suite(read_published(), PUBLISHED)
    named_cases = [case for case in published.cases if case.section in NAMED_SECTIONS]
    cases = *named_cases, *random_cases(seed, published.rule_sets, progress)
    return Suite(seed, published.rule_sets, cases, published.perft)


def named_turns() -> tuple[tuple[Board, Roll], ...]:
    """Return the distinct positions and rolls of the named cases, with the dice in both orders.

    They suit any rule set: a position that decides a rule of one set is a hard position under the others.
    """
    # Only `NAMED_SECTIONS` are read, since the whole file takes a second.
    content, _, _ = read_published().partition(b"section contact\n")
    turns: dict[tuple[Board, Roll], None] = {}
    for case in read_suite(content + b"end %d\n" % content.count(b"\ncase "), PUBLISHED).cases:
        first, second = case.roll
        turns |= {(case.board, (first, second)): None, (case.board, (second, first)): None}
    return tuple(turns)


# ---- Random cases of a seed: positions of all phases of random games, and hard positions ----

PositionType = UnfinishedPhase | Literal["hard"]

# Each row has a section, its rule set, the rolls per position, and the number of positions of each type.
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
    draws = list(draw_cases(seed))
    for index, (section, rules, case_number, board, roll) in enumerate(draws):
        boards = legal_successors(Case(board, roll, rule_sets[rules]))
        name = f"{section}{case_number}-{roll[0]}{roll[1]}"
        yield SuiteCase(name, section, rules, board, roll, len(boards), set_hash(boards))
        progress(index / len(draws))


def draw_cases(seed: int) -> Iterator[tuple[str, str, int, Board, Roll]]:
    """Yield section, rule set, number of the position in its section, board and roll of the random cases."""
    random = RandomNumbers(seed)
    for section, rules, rolls, position_types in PLAN:
        boards: dict[Board, None] = {}
        for position_type, count in position_types:
            _draw(boards, position_type, count, RandomNumbers(random.next()))
        roll_stream = _draw_rolls(RandomNumbers(random.next()))
        for case_number, board in enumerate(boards, 1):
            for roll in (next(roll_stream) for _ in range(rolls)):
                yield section, rules, case_number, board, roll


def _draw(boards: dict[Board, None], position_type: PositionType, count: int, random: RandomNumbers) -> None:
    """Add `count` new positions of a type to `boards`."""
    target = len(boards) + count
    if position_type == "hard":
        stream = make_boards(HARD_MAKERS, random)
    else:  # more positions than needed are drawn, since a few repeat
        stream = map(tuple, random_positions(2 * count + 100, random.next(), position_type).tolist())
    while len(boards) < target:
        boards[next(stream)] = None


def _draw_rolls(random: RandomNumbers) -> Iterator[Roll]:
    """Yield ordered rolls from shuffled decks of all 36; `PLAN` takes whole decks."""
    while True:
        yield from random.shuffle(ORDERED_ROLLS)
