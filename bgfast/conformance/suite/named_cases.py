"""Parser for data/rule_positions.txt: 57 positions with 220 expectations.

The head of the file describes the format. An expectation has one position, one roll and one rule set: lines
that name several rule sets, or ``ALL`` for the four presets, yield an expectation for each. Plays are turned
into boards by moving checkers only: the module uses no rules of play: the code under test has no
influence on the test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from bgfast.common.validation import Board, Roll
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.protocol import Case
from bgfast.conformance.suite.suite_file import SuiteCase, set_hash
from bgfast.conformance.ubgi_client import board_after
from bgfast.errors import BgfastError
from bgfast.position.objects import Position
from bgfast.rules import PRESETS, RuleSet

RULE_SETS = {
    **PRESETS,
    # "strict = exact with bearoff_compulsory=True (not a preset ...)"
    "strict": RuleSet(bearoff_die="exact", forfeit="empty_point", bearoff_compulsory=True),
}
START: Board = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)


@dataclass(frozen=True)
class RuleCase:
    """Expectation: a position, a roll, a rule set and the legal successors, or samples of them."""

    id: str
    board: Board
    dice: tuple[int, int]
    rule_set: str
    count: int
    complete: bool  # False if `legal` and `illegal` are samples
    legal: frozenset[Board]
    illegal: frozenset[Board]
    reason: str  # the comment below the line

    @property
    def rules(self) -> RuleSet:
        """The rule set itself."""
        return RULE_SETS[self.rule_set]

    def __str__(self) -> str:
        """Return a readable ID for tests."""
        return f"{self.id}-{self.dice[0]}{self.dice[1]}-{self.rule_set}"


def _final_board(board: Board, play: str) -> Board:
    """Return the board after a play such as "24/20* 20/15", "bar/22 4/off F5"; forfeits change nothing."""
    return board_after(board, re.sub(r"\bF[1-6]\b", "", play))


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
        legal = frozenset(_final_board(board, play) for play in text.split(" ; "))
        return len(legal), True, legal, frozenset()
    count, _, rest = text.partition(" ")
    samples: dict[str, set[Board]] = {"+": set(), "-": set()}
    for sign, play in re.findall(r"([+-])([^+-]+)", rest):
        samples[sign].add(_final_board(board, play))
    return int(count.removeprefix("n=")), False, frozenset(samples["+"]), frozenset(samples["-"])


def _with_reasons(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines of positions, with the comments below them."""
    current, reason = "", ""
    for line in (*lines, ""):
        if line.startswith("#"):
            reason = f"{reason} {line.strip('# ')}".strip()
            continue
        if current:
            yield current, reason
        current, reason = line.strip(), ""


def read_rule_lines(lines: Iterable[str]) -> Iterator[RuleCase]:
    """Yield the expectations in the order of the lines."""
    for line, reason in _with_reasons(lines):
        name, *fields = (field.strip() for field in line.split("|"))
        if fields[0] == "START":
            board, (roll, *expected) = START, fields[1:]
        else:
            board, (roll, *expected) = _board(fields[0], fields[1]), fields[2:]
        high, low = map(int, roll.split("-"))
        for part in expected:
            names, _, text = part.partition(":")
            count, complete, legal, illegal = _expectation(board, text.strip())
            for rule_set in PRESETS if names == "ALL" else names.split():
                yield RuleCase(name, board, (high, low), rule_set, count, complete, legal, illegal, reason)


# ---- Named cases: positions that decide the rules of the leaflets, and plays that engines got wrong ----


RULE_POSITIONS = "rule_positions.txt"
# The leaflets are quoted in the original languages; the suite is ASCII.
ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ù": "u"})


def data_text(name: str) -> str:
    """Return the text of a file in the package's data."""
    return (files("bgfast.conformance.suite") / "data" / name).read_text(encoding="utf-8")


def engine_defects() -> list[dict[str, Any]]:
    """Return the positions that engines got wrong, as stored in the JSON file."""
    cases: list[dict[str, Any]] = json.loads(data_text("tricky_positions.json"))["cases"]
    return cases


def rule_cases() -> Iterator[SuiteCase]:
    """Yield a case for every expectation in the file of rule positions, with its result.

    Where the file only has a count and samples, the generator's result is used; `BgfastError` is raised if it
    contradicts the samples.
    """
    for case in read_rule_lines(data_text(RULE_POSITIONS).splitlines()):
        boards: Iterable[Board] = case.legal
        if not case.complete:
            boards = legal_successors(Case(case.board, case.dice, case.rules))
            if not case.legal <= set(boards) or case.illegal & set(boards):
                raise BgfastError(f"{case}: the generator lists other plays than the file says")
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


def defect_cases() -> Iterator[SuiteCase]:
    """Yield the positions that engines got wrong, with the dice in both orders."""
    for number, defect in enumerate(engine_defects(), 1):
        board = tuple(Position.from_gnubg_id(defect["position_id"]))
        high, low = sorted(defect["dice"], reverse=True)
        boards = [tuple(Position.from_gnubg_id(text)) for text in defect["results"] or ()]
        boards = boards or legal_successors(Case(board, (high, low)))
        for roll in dict.fromkeys([(high, low), (low, high)]):
            yield SuiteCase(
                id=f"D{number:02}-{roll[0]}{roll[1]}",
                section="defects",
                rules="standard",
                board=board,
                roll=roll,
                count=defect["count"],
                digest=set_hash(boards),
                reason=f"{defect['name']}: {defect['why']}",
            )


def named_turns() -> tuple[tuple[Board, Roll], ...]:
    """Return the distinct positions and rolls of all named cases, with the dice in both orders.

    For any rule set: a position that decides a rule of one set is a hard position under the others.
    """
    turns: dict[tuple[Board, Roll], None] = {}
    for case in (*rule_cases(), *defect_cases()):
        first, second = case.roll
        turns |= {(case.board, (first, second)): None, (case.board, (second, first)): None}
    return tuple(turns)
