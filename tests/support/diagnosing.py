"""Diagnosis of engines with the cross-check, replay of the plays that it prints, and random cases."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from bgfast.common.validation import Board
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.attribution import Attribution, ClassSummary, Evidence, size_for
from bgfast.conformance.crosscheck.crosscheck_report import Result, describe_results
from bgfast.conformance.crosscheck.disagreements import UNEXAMINED, ClassKey, Comparison, compare_case
from bgfast.conformance.protocol import Case, Engine
from bgfast.rules import RuleSet
from tests.support.lifting_engines import LiftingEngine
from tests.support.positions import SOURCES, is_possible


def board_after(board: Board, text: str) -> Board:
    """Return the board after a play, given as text: "24/18*/15 13/8(2) F5" or "pass".

    Raises
    ------
    ValueError
        If a checker is missing, or the text does not mark a hit correctly.
    """
    counts = list(board)
    for part in text.split() if text != "pass" else ():
        if re.fullmatch(r"F[1-6](\([2-4]\))?", part):
            continue
        match = re.fullmatch(r"(\S+?)(?:\((\d)\))?", part)
        assert match is not None
        points = [
            {"bar": 25, "off": 0}.get(point) or int(point.removesuffix("*").replace("off", "0"))
            for point in match[1].split("/")
        ]
        hits = {point for point, name in zip(points, match[1].split("/"), strict=True) if name[-1] == "*"}
        for _ in range(int(match[2] or 1)):
            if len(points) < 2 or sorted(points, reverse=True) != points or counts[points[0]] < 1:
                raise ValueError(f"{text!r}: {part!r} is impossible")
            counts[points[0]] -= 1
            for point in points[1:]:
                if point and (counts[point] < -1 or (counts[point] == -1) != (point in hits)):
                    raise ValueError(f"{text!r}: {part!r}: {-counts[point]} opposing checkers on {point}")
                if point and counts[point] == -1:
                    counts[0] -= 1
                    counts[point] = 0
                    hits.discard(point)
            if points[-1]:
                counts[points[-1]] += 1
    return tuple(counts)


class Diagnosis(NamedTuple):
    """Result of the cross-check of an engine."""

    comparisons: list[Comparison]
    attribution: Attribution
    classes: dict[ClassKey, ClassSummary]

    @property
    def wrong_count(self) -> int:
        """Number of cases with disagreements."""
        return sum(bool(comparison.disagreements) for comparison in self.comparisons)

    @property
    def rules(self) -> list[str]:
        """Broken rules, the most frequent first."""
        return [class_.rule for class_ in self.classes if class_.kind == "illegal"]

    def attributed_count(self, rule: str) -> int:
        """Return the number of cases with an illegal result attributed to a rule."""
        return sum(
            bool(self.attribution.disagreements_in(ClassKey("illegal", rule), comparison))
            for comparison in self.comparisons
        )

    def results(self) -> list[tuple[Comparison, Result]]:
        """Return the descriptions of all wrong results, each with its comparison."""
        return [
            (comparison, result)
            for comparison in self.comparisons
            for disagreement in comparison.disagreements
            if disagreement.symptom.rule != UNEXAMINED
            for result in describe_results(comparison, disagreement.boards, self.attribution)
        ]


def diagnose(engine: Engine, cases: Iterable[Case]) -> Diagnosis:
    """Cross-check an engine, and assert that each printed play leads to its board."""
    comparisons = [compare_case(engine, index, case) for index, case in enumerate(cases)]
    evidence = Evidence(size_for(engine.capabilities))
    for comparison in comparisons:
        evidence.add(comparison)
    attribution = Attribution(evidence.patterns)
    diagnosis = Diagnosis(comparisons, attribution, evidence.classes(attribution))
    for comparison, result in diagnosis.results():
        assert result.play is None or board_after(comparison.case.board, result.play) == result.board, result
    return diagnosis


def sparse_board(rng: random.Random) -> Board:
    """Return a board with one to three checkers of the mover and random blocked points and blots."""
    board = [0] * 26
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        board[rng.randint(1, rng.choice((6, 12, 25)))] += 1
    for point in range(rng.choice((0, 1)), 25):
        if board[point] == 0:
            board[point] = -rng.choice((0, 0, 0, 1, 2, 2))
    return tuple(board)


def lone_checker_board(rng: random.Random) -> Board:
    """Return a board with one checker of the mover and many blocked points, often with one playable die."""
    board = [0] * 26
    board[rng.randint(7, 25)] = 1
    for point in rng.sample(range(1, 25), 7):
        if board[point] == 0:
            board[point] = -2
    board[0] = -rng.choice((0, 1))
    return tuple(board)


def home_board(rng: random.Random) -> Board:
    """Return a board with one to four checkers of the mover at home among blots."""
    board = [0] * 26
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        board[rng.randint(1, 6)] += 1
    for point in range(7):
        if board[point] == 0 and rng.random() < 0.4:
            board[point] = -1
    board[24] = -1
    return tuple(board)


def cases(rules: RuleSet, rng: random.Random) -> Iterator[Case]:
    other_sources = (source for name, source in SOURCES.items() if name != "self_play")
    sources = (*other_sources, *(sparse_board, home_board, lone_checker_board) * 5)
    while True:
        board = rng.choice(sources)(rng)
        if is_possible(board):
            roll = rng.randint(1, 6), rng.randint(1, 6)
            yield Case(board, roll, rules)


def deciding_cases(
    rule: str, rules: RuleSet, count: int, *, common_rules: tuple[str, ...] = (), max_tries: int = 40_000
) -> list[Case]:
    """Return up to `count` reproducible cases that a rule decides.

    In each case an engine that lifts the rule differs from an engine that does not; both lift the rules
    in `common_rules`.
    """
    engine, baseline = LiftingEngine(rule, *common_rules), LiftingEngine(*common_rules)

    def is_decided(case: Case) -> bool:
        expected = baseline.successors(case) if common_rules else sorted(legal_successors(case))
        return engine.successors(case) != expected

    random_cases = islice(cases(rules, random.Random(f"{rule}/{common_rules}")), max_tries)
    return list(islice(filter(is_decided, random_cases), count))
