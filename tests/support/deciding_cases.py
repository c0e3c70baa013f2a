"""Random cases in which an engine without a rule lists other successors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from bgfast.common.validation import Board
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.cases import HARD_SOURCES, is_possible
from bgfast.conformance.protocol import Case
from bgfast.rules import RuleSet
from tests.support.lifting_engines import LiftingEngine


def sparse(rng: random.Random) -> Board:
    """Return a board with one to three own checkers among blocked points and blots."""
    board = [0] * 26
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        board[rng.randint(1, rng.choice((6, 12, 25)))] += 1
    for point in range(rng.choice((0, 1)), 25):
        if board[point] == 0:
            board[point] = -rng.choice((0, 0, 0, 1, 2, 2))
    return tuple(board)


def alone(rng: random.Random) -> Board:
    """Return a board with one own checker and many blocked points, where one die may block the other."""
    board = [0] * 26
    board[rng.randint(7, 25)] = 1
    for point in rng.sample(range(1, 25), 7):
        if board[point] == 0:
            board[point] = -2
    board[0] = -rng.choice((0, 1))
    return tuple(board)


def few_home(rng: random.Random) -> Board:
    """Return a board with one to four own checkers at home among blots."""
    board = [0] * 26
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        board[rng.randint(1, 6)] += 1
    for point in range(7):
        if board[point] == 0 and rng.random() < 0.4:
            board[point] = -1
    board[24] = -1
    return tuple(board)


def cases(rules: RuleSet, rng: random.Random) -> Iterator[Case]:
    """Yield random cases endlessly."""
    sources = (*HARD_SOURCES, *(sparse, few_home, alone) * 5)
    while True:
        board = rng.choice(sources)(rng)
        if is_possible(board):
            roll = rng.randint(1, 6), rng.randint(1, 6)
            yield Case(board, roll, rules)


def deciding_cases(
    rule: str, rules: RuleSet, number: int, *, without: tuple[str, ...] = (), tries: int = 40_000
) -> list[Case]:
    """Return up to `number` cases that a rule decides, always the same.

    In each of them an engine that lifts the rule differs from one that does not; both lift the rules
    `without`.
    """
    engine, other = LiftingEngine(rule, *without), LiftingEngine(*without)
    decided = (
        case
        for case in islice(cases(rules, random.Random(f"{rule}/{without}")), tries)
        if engine.successors(case) != (other.successors(case) if without else sorted(legal_successors(case)))
    )
    return list(islice(decided, number))
