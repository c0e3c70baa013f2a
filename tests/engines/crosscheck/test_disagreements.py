"""What is wrong in one case: findings by symptom, and those that are too many to examine."""

from __future__ import annotations

import pytest

from bgfast.engines.crosscheck.difference import difference, legal_successors
from bgfast.engines.crosscheck.disagreements import EXAMINED, SENTENCES, UNEXAMINED, Heading, findings, judged
from bgfast.engines.protocol import Case
from tests.support.fake_engines import Fake
from tests.support.lifting_engines import LiftingEngine
from tests.support.rule_cases import START

DOUBLE = Case(START, (2, 2))


def test_equal_results_come_together() -> None:
    verdict = judged(
        LiftingEngine("bear-off-higher-point"), 7, Case((0, 0, 1, 1, 0, 1, *18 * (0,), -2, 0), (4, 2))
    )
    assert (verdict.number, verdict.reached, verdict.failed) == (7, True, False)
    symptoms = [finding.symptom for finding in verdict.findings]
    assert len(set(symptoms)) == len(symptoms) > 1
    assert {symptom.kind for symptom in symptoms} == {"illegal"}
    assert all(("bear-off-higher-point",) in symptom.causes for symptom in symptoms)
    assert sum(len(finding.boards) for finding in verdict.findings) == len(verdict.difference.illegal)


def test_no_play_at_all_is_a_kind_of_its_own() -> None:
    (finding,) = judged(Fake(lambda case, legal: []), 0, Case(START, (3, 1))).findings
    assert finding.symptom[:2] == ("missing", "pass")
    assert len(finding.boards) == EXAMINED


@pytest.mark.parametrize("kind", ["illegal", "missing"])
def test_some_of_too_many_are_examined_from_everywhere_in_the_list(kind: str) -> None:
    legal = legal_successors(DOUBLE)
    one = Case(START, (6, 5))
    if kind == "missing":
        case, found = DOUBLE, difference([], legal, distinct=True)
    else:
        case, found = one, difference([*legal_successors(one), *legal], legal_successors(one), distinct=True)
    boards = sorted(getattr(found, kind))
    assert len(boards) > 3 * EXAMINED
    parts = findings(case, found)
    rest = [finding for finding in parts if finding.symptom.rule == UNEXAMINED]
    assert [finding.symptom.kind for finding in rest] == [kind]
    assert sorted(board for finding in parts for board in finding.boards) == boards
    examined = [boards.index(board) for part in parts if part not in rest for board in part.boards]
    assert len(examined) == EXAMINED
    assert sorted(examined) == [number * len(boards) // EXAMINED for number in range(EXAMINED)]
    assert Heading(kind, UNEXAMINED) not in SENTENCES
