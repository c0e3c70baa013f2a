"""Sources of the named cases of the published suite: rule positions, and positions that engines got wrong.

data/rule_positions.txt describes its format at the top. An expectation has one position, one roll and one
rule set; lines that name several rule sets, or ``ALL`` for the four presets, yield an expectation for each.
Boards after plays result from moving checkers only, without rules of play, so the code under test has no
influence on the expectations.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bgfast import RuleSet, reference
from bgfast.conformance.suite.suite_file import SuiteCase, set_hash
from bgfast.conformance.ubgi_client import board_after
from bgfast.rules import PRESETS
from tests.support.positions import DATA, START, Board, board_of_id, json_data

RULE_SETS = {
    **PRESETS,
    # "strict = exact with bearoff_compulsory=True (not a preset ...)"
    "strict": RuleSet(bearoff_die="exact", forfeit="empty_point", bearoff_compulsory=True),
}
EXPECTATION_COUNT = 220


@dataclass(frozen=True)
class RuleCase:
    """Expectation: a position, a roll, a rule set and the legal successors, or samples of them."""

    id: str
    board: Board
    dice: tuple[int, int]
    rule_set: str
    count: int
    is_complete: bool  # False if `legal` and `illegal` are samples
    legal: frozenset[Board]
    illegal: frozenset[Board]
    reason: str  # the comment below the line

    @property
    def rules(self) -> RuleSet:
        return RULE_SETS[self.rule_set]

    def __str__(self) -> str:
        return f"{self.id}-{self.dice[0]}{self.dice[1]}-{self.rule_set}"


def _board(mover: str, opponent: str) -> Board:
    board = [0] * 26
    for text, bar, sign in ((mover.removeprefix("mover"), 25, 1), (opponent.removeprefix("opp"), 0, -1)):
        for point, count in (entry.split(":") for entry in text.split()):
            board[bar if point == "bar" else int(point)] = sign * int(count)
    return tuple(board)


def _expectation(board: Board, text: str) -> tuple[int, bool, frozenset[Board], frozenset[Board]]:
    if text == "none":
        return 0, True, frozenset(), frozenset()
    if not text.startswith("n="):
        legal = frozenset(board_after(board, play) for play in text.split(" ; "))
        return len(legal), True, legal, frozenset()
    count, _, rest = text.partition(" ")
    samples: dict[str, set[Board]] = {"+": set(), "-": set()}
    for sign, play in re.findall(r"([+-])([^+-]+)", rest):
        samples[sign].add(board_after(board, play))
    return int(count.removeprefix("n=")), False, frozenset(samples["+"]), frozenset(samples["-"])


def _lines_with_reasons(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each position line with the comments below it."""
    position_line, reason = "", ""
    for line in (*lines, ""):
        if line.startswith("#"):
            reason = f"{reason} {line.strip('# ')}".strip()
            continue
        if position_line:
            yield position_line, reason
        position_line, reason = line.strip(), ""


def read_rule_lines(lines: Iterable[str]) -> Iterator[RuleCase]:
    """Yield the expectations in the order of the lines."""
    for line, reason in _lines_with_reasons(lines):
        name, *fields = (field.strip() for field in line.split("|"))
        if fields[0] == "START":
            board, (roll, *expected) = START, fields[1:]
        else:
            board, (roll, *expected) = _board(fields[0], fields[1]), fields[2:]
        high, low = map(int, roll.split("-"))
        for part in expected:
            names, _, text = part.partition(":")
            count, is_complete, legal, illegal = _expectation(board, text.strip())
            for rule_set in PRESETS if names == "ALL" else names.split():
                yield RuleCase(name, board, (high, low), rule_set, count, is_complete, legal, illegal, reason)


def rule_lines() -> list[str]:
    return (DATA / "rule_positions.txt").read_text(encoding="utf-8").splitlines()


def rule_cases() -> list[RuleCase]:
    return list(read_rule_lines(rule_lines()))


def engine_defects() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json_data("tricky_positions.json")["cases"]
    return cases


# ---- conversion to cases of the suite ----


# The leaflets are quoted in the original languages; the suite is ASCII.
ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ù": "u"})


def suite_cases() -> Iterator[SuiteCase]:
    """Yield the named cases of the published suite; the reference supplies missing results."""
    for case in rule_cases():
        boards: Iterable[Board] = case.legal
        if not case.is_complete:
            boards = reference.legal_positions(case.board, *case.dice, case.rules)
            assert case.legal <= set(boards)
            assert case.illegal.isdisjoint(boards)
        yield SuiteCase(
            id=str(case),
            section="named",
            rules=case.rule_set,
            board=case.board,
            roll=case.dice,
            count=case.count,
            digest=set_hash(boards),
            reason=case.reason.translate(ASCII),
        )
    for index, defect in enumerate(engine_defects(), 1):
        board = board_of_id(defect["position_id"])
        high, low = sorted(defect["dice"], reverse=True)
        boards = list(map(board_of_id, defect["results"] or ()))
        for roll in dict.fromkeys([(high, low), (low, high)]):
            yield SuiteCase(
                id=f"D{index:02}-{roll[0]}{roll[1]}",
                section="defects",
                rules="standard",
                board=board,
                roll=roll,
                count=defect["count"],
                digest=set_hash(boards or reference.legal_positions(board, high, low)),
                reason=f"{defect['name']}: {defect['why']}",
            )


# ---- counts of the opening rolls, and rule sets ----


_OPENING_ROLLS = "21 31 41 51 61 32 42 52 62 43 53 63 54 64 65 11 22 33 44 55 66".split()
OPENING_COUNTS: dict[str, dict[tuple[int, int], int]] = {
    name: {
        (int(roll[0]), int(roll[1])): int(count)
        for roll, count in zip(_OPENING_ROLLS, counts.split(), strict=True)
    }
    for name, counts in {
        "standard": "15 16 14 8 10 17 18 8 14 17 9 14 9 14 7 42 75 73 52 4 11",
        "five_stack": "13 16 14 8 9 14 15 6 11 16 9 14 9 14 6 37 55 73 52 3 11",
    }.items()
}
"""Plays of each opening roll from the starting position, by rule set (docs/RULES.md, section 5)."""


OTHER_RULE_SETS = {name: rules for name, rules in RULE_SETS.items() if name != "standard"}
STACK_LIMITS = (0, 0, 1, 2, 3, 4, 5, 6, 8, 14, 15)


def random_rules(rng: random.Random) -> RuleSet:
    """Return random switches or, less often, a named rule set."""
    if rng.random() < 0.3:
        return rng.choice(list(OTHER_RULE_SETS.values()))
    return RuleSet(
        bearoff_die=rng.choice(("standard", "exact", "rearmost")),
        bearoff_compulsory=rng.random() < 0.5,
        forfeit=rng.choice(("never", "empty_point")),
        stack_max=rng.choice(STACK_LIMITS),
    )


_RNG = random.Random("rule sets")
RULES: dict[str, RuleSet] = RULE_SETS | {f"random{i}": random_rules(_RNG) for i in range(10)}
