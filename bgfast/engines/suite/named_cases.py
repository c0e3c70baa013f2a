"""Named cases: positions that decide the rules of the leaflets, and plays that engines got wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from bgfast.common.vocabulary import Board, Roll
from bgfast.engines.adapters.bgfast import legal_successors
from bgfast.engines.protocol import Case
from bgfast.engines.suite.hashing import set_hash
from bgfast.engines.suite.rule_positions import RULE_SETS, read_rule_lines
from bgfast.engines.suite.suite_file import SuiteCase
from bgfast.errors import BgfastError
from bgfast.position.objects import Position

RULE_POSITIONS = "rule_positions.txt"
_DEFECTS = "tricky_positions.json"
# The leaflets are quoted in the original languages; the suite is ASCII.
ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ù": "u"})


def data_text(name: str) -> str:
    """Return the text of a file in the package's data."""
    return (files("bgfast.engines.suite") / "data" / name).read_text(encoding="utf-8")


def engine_defects() -> list[dict[str, Any]]:
    """Return the positions that engines got wrong, as stored in the JSON file."""
    cases: list[dict[str, Any]] = json.loads(data_text(_DEFECTS))["cases"]
    return cases


def rule_cases() -> Iterator[SuiteCase]:
    """Yield a case for every expectation in the file of rule positions, with its result.

    Where the file only has a count and samples, the generator's result is used; `BgfastError` is raised if it
    contradicts the samples.
    """
    for case in read_rule_lines(data_text(RULE_POSITIONS).splitlines()):
        boards: Iterable[Board] = case.legal
        if not case.complete:
            boards = legal_successors(Case(case.board, case.dice, RULE_SETS[case.rule_set]))
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
