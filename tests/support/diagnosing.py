"""Diagnosis of an engine by the cross-check, with a check of the printed plays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bgfast.conformance.crosscheck.attribution import Attribution, ClassSummary, Evidence, size_for
from bgfast.conformance.crosscheck.crosscheck_report import Result, describe_results
from bgfast.conformance.crosscheck.disagreements import UNEXAMINED, ClassKey, Comparison, compare_case
from bgfast.conformance.protocol import Case, Engine
from tests.support.read_back import board_after


class Diagnosis(NamedTuple):
    """Result of the cross-check of an engine."""

    comparisons: list[Comparison]
    attribution: Attribution
    classes: dict[ClassKey, ClassSummary]

    @property
    def wrong(self) -> int:
        """Number of cases with disagreements."""
        return sum(bool(comparison.disagreements) for comparison in self.comparisons)

    @property
    def rules(self) -> list[str]:
        """Broken rules, the most frequent first."""
        return [class_.rule for class_ in self.classes if class_.kind == "illegal"]

    def attributed(self, rule: str) -> int:
        """Return the number of cases with an illegal result attributed to a rule."""
        return sum(
            bool(self.attribution.disagreements_in(ClassKey("illegal", rule), comparison))
            for comparison in self.comparisons
        )

    def results(self) -> list[tuple[Comparison, Result]]:
        """Return all wrong results with their descriptions."""
        return [
            (comparison, result)
            for comparison in self.comparisons
            for disagreement in comparison.disagreements
            if disagreement.symptom.rule != UNEXAMINED
            for result in describe_results(comparison, disagreement.boards, self.attribution)
        ]


def diagnose(engine: Engine, cases: Iterable[Case]) -> Diagnosis:
    """Cross-check an engine, and assert that each printed play leads to its board."""
    comparisons = [compare_case(engine, number, case) for number, case in enumerate(cases)]
    evidence = Evidence(size_for(engine.capabilities))
    for comparison in comparisons:
        evidence.add(comparison)
    attribution = evidence.attribution()
    diagnosis = Diagnosis(comparisons, attribution, evidence.classes(attribution))
    for comparison, result in diagnosis.results():
        assert result.play is None or board_after(comparison.case.board, result.play) == result.board, result
    return diagnosis
