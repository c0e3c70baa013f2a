"""What the cross-check makes of an engine, and whether it prints no play that leads elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bgfast.engines.crosscheck.attribution import Attribution, ClassSummary, Evidence, size_for
from bgfast.engines.crosscheck.disagreements import UNEXAMINED, ClassKey, Comparison, compare_case
from bgfast.engines.crosscheck.result_text import Result, describe_results
from bgfast.engines.protocol import Case, Engine
from tests.support.read_back import board_after

__all__ = ["Diagnosis", "diagnosed"]


class Diagnosis(NamedTuple):
    """What comes of all cases of an engine."""

    comparisons: list[Comparison]
    attribution: Attribution
    classes: dict[ClassKey, ClassSummary]

    @property
    def wrong(self) -> int:
        """In how many cases something is wrong."""
        return sum(bool(comparison.disagreements) for comparison in self.comparisons)

    @property
    def rules(self) -> list[str]:
        """The rules that are broken, that with most cases first."""
        return [class_.rule for class_ in self.classes if class_.kind == "illegal"]

    def named(self, rule: str) -> int:
        """In how many cases an illegal result is put down to a rule."""
        return sum(
            bool(self.attribution.disagreements_in(ClassKey("illegal", rule), comparison))
            for comparison in self.comparisons
        )

    def results(self) -> list[tuple[Comparison, Result]]:
        """All wrong results with what they are called."""
        return [
            (comparison, result)
            for comparison in self.comparisons
            for disagreement in comparison.disagreements
            if disagreement.symptom.rule != UNEXAMINED
            for result in describe_results(comparison, disagreement.boards, self.attribution)
        ]


def diagnosed(engine: Engine, cases: Iterable[Case]) -> Diagnosis:
    """Ask an engine all cases and decide what its mistakes are; each play that is named must lead there."""
    comparisons = [compare_case(engine, number, case) for number, case in enumerate(cases)]
    evidence = Evidence(size_for(engine.capabilities))
    for comparison in comparisons:
        evidence.add(comparison)
    attribution = evidence.attribution()
    found = Diagnosis(comparisons, attribution, evidence.classes(attribution))
    for comparison, result in found.results():
        assert result.play is None or board_after(comparison.case.board, result.play) == result.board, result
    return found
