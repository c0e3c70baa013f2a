"""Builder of a suite: named cases, random cases with the generator's results, and perft tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from bgfast.batch.perft import perft
from bgfast.batch.random_positions import random_positions
from bgfast.common.validation import BAR, CHECKERS, OFF, ORDERED_ROLLS, Board, Roll, UnfinishedPhase
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.protocol import Case
from bgfast.conformance.suite.named_cases import RULE_SETS, defect_cases, rule_cases
from bgfast.conformance.suite.suite_file import PerftLine, RandomNumbers, Suite, SuiteCase, set_hash
from bgfast.position.objects import Position

PUBLISHED = "bgfast-suite-1.txt"
"""File name of the published suite in the package's data."""
PUBLISHED_SEED = 1

PERFT_POSITIONS = {
    "start": "4HPwATDgc/ABMA",
    "nackgammon": "4Dl4ADbgOXgANg",
    "contact": "v3sAAAhmdzMAAQ",
    "race": "v90EAIC3BgAAAA",
    "bearoff": "33sAADC2bQAAAA",
}
PERFT_DEPTHS = {name: 3 if name == "standard" else 2 for name in RULE_SETS}


def build_suite(seed: int, progress: Callable[[float], None] = lambda done: None) -> Suite:
    """Build the suite of a seed, 0 to 2**64 - 1, deterministically; `progress` receives the fraction done."""
    cases = [*rule_cases(), *defect_cases()]
    random_cases = list(draw_cases(seed))
    for done, (section, rules, number, board, roll) in enumerate(random_cases):
        boards = legal_successors(Case(board, roll, RULE_SETS[rules]))
        name = f"{section}{number}-{roll[0]}{roll[1]}"
        cases.append(SuiteCase(name, section, rules, board, roll, len(boards), set_hash(boards)))
        progress(0.8 * done / len(random_cases))
    return Suite(seed, dict(RULE_SETS), tuple(cases), tuple(_perft_lines()))


def _perft_lines() -> Iterator[PerftLine]:
    for rules, max_depth in PERFT_DEPTHS.items():
        for name, text in PERFT_POSITIONS.items():
            position = Position.from_gnubg_id(text)
            for depth in range(1, max_depth + 1):
                over_21, over_36 = (
                    perft(position, depth, rules=RULE_SETS[rules], weighted=weighted)
                    for weighted in (False, True)
                )
                line = f"perft-{name}-{rules}-{depth}"
                yield PerftLine(line, "perft", rules, tuple(position), depth, (over_21, over_36))


# ---- Random cases of a seed: positions of all phases of random games, and constructed hard positions ----


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


def draw_cases(seed: int) -> Iterator[tuple[str, str, int, Board, Roll]]:
    """Yield section, rule set, number of the position in its section, board and roll of the random cases."""
    random = RandomNumbers(seed)
    for section, rules, rolls, kinds in PLAN:
        boards: dict[Board, None] = {}
        for kind, count in kinds:
            _draw(boards, kind, count, RandomNumbers(random.next()))
        deck = _rolls(RandomNumbers(random.next()))
        for number, board in enumerate(boards, 1):
            for roll in (next(deck) for _ in range(rolls)):
                yield section, rules, number, board, roll


def _draw(boards: dict[Board, None], kind: Kind, count: int, random: RandomNumbers) -> None:
    """Add a number of new positions of a kind."""
    target = len(boards) + count
    if kind == "hard":
        stream = _hard_positions(random)
    else:  # with a margin for the few positions that repeat
        stream = map(tuple, random_positions(2 * count + 100, random.next(), kind).tolist())
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
    for number, point in enumerate(random.shuffle(POINTS)[: 8 + random.below(17)]):
        board[point] = 1 if number % 2 else -1
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
