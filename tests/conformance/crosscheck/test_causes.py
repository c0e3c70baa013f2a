"""Common causes of missing plays: correct for engines with one bug, never incorrect for engines with two."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.cases import CaseList
from bgfast.conformance.crosscheck.causes import common_cause
from bgfast.conformance.crosscheck.crosscheck_report import Report, json_report, text_report
from bgfast.conformance.crosscheck.disagreements import Comparison, Disagreement, Symptom, difference
from bgfast.conformance.crosscheck.engine_run import EngineRun, check, find_examples, open_run
from bgfast.conformance.suite.suite_building import named_turns
from tests.support.lifting_engines import LiftingEngine
from tests.support.restricted_engines import BUGS, RestrictedEngine

CASES = CaseList(named=named_turns(), random=100, bearoff=60, games=40, seed=1)
FEW_CASES = CaseList(named=named_turns(), random=10, bearoff=10, seed=2)
ONE_BUG_CASES = CaseList(named=named_turns()[::3], random=30, bearoff=30, seed=3)
EQUIVALENT_BUGS = {("bears-off-with-higher-number", "bears-off-with-exact-number"): "bears-off"}
"""The single bug to which a pair of bugs is equivalent."""


def crosscheck(*bugs: str, cases: CaseList = CASES) -> EngineRun:
    def opener() -> RestrictedEngine:
        return RestrictedEngine(*bugs)

    run = open_run("restricted", opener, "standard")
    check(run, opener, cases)
    return run


def test_an_engine_without_bugs_has_no_cause() -> None:
    run = crosscheck()
    assert (run.classes, run.cause) == ({}, None)


def test_the_cause_of_a_single_bug_is_found() -> None:
    for bug in BUGS:
        engine = RestrictedEngine(bug)
        comparisons = []
        for index, case in enumerate(ONE_BUG_CASES):
            missing = difference(engine.successors(case), legal_successors(case), distinct=True).missing
            disagreements = (Disagreement(Symptom("missing", "plain"), missing),) if missing else ()
            comparisons.append(Comparison(index, case, True, disagreements))
        agreeing_cases = [comparison.case for comparison in comparisons if not comparison.disagreements]
        disagreeing_comparisons = [comparison for comparison in comparisons if comparison.disagreements]
        assert common_cause(disagreeing_comparisons, agreeing_cases, legal_successors).name == bug


@pytest.mark.parametrize("bug", ["hits", *(pytest.param(bug, marks=pytest.mark.slow) for bug in [*BUGS][1:])])
def test_the_cause_of_a_single_bug_comes_first(bug: str) -> None:
    run = crosscheck(bug, cases=ONE_BUG_CASES if bug == "hits" else CASES)
    find_examples(run, 1.0)
    assert run.cause.cause.name == bug
    report = Report([run], CASES, "standard", False, 1.0)
    sentence = f"all {run.cause.plays:,} missing plays {BUGS[bug][1]}"
    heading = next(line for line in text_report(report).splitlines() if line.startswith("## "))
    assert heading == f"## {run.title} 1: {sentence}"
    cause = json.loads(json.dumps(json_report(report)))["engines"][0]["cause"]
    assert (cause["name"], cause["sentence"]) == (bug, sentence)
    assert cause["example"]["wrong"]


@pytest.mark.long
@pytest.mark.parametrize("pair", list(combinations(BUGS, 2)), ids="+".join)
def test_a_pair_of_bugs_has_no_wrong_cause(pair: tuple[str, str]) -> None:
    run = crosscheck(*pair, cases=FEW_CASES)
    assert run.cause is None or run.cause.cause.name in (*pair, EQUIVALENT_BUGS.get(pair))


def test_wrong_hits_are_not_reported_as_blocked_blots() -> None:
    run = open_run("lifting", lambda: LiftingEngine("hit-not-taken"), "standard")
    check(run, lambda: LiftingEngine("hit-not-taken"), FEW_CASES)
    assert run.classes
    assert run.cause is None
