"""What the cross-check makes of an engine, and whether it prints no play that leads elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bgfast.engines.crosscheck.attribution import Attribution, Disagreement, Findings, size_for
from bgfast.engines.crosscheck.disagreements import UNEXAMINED, Heading, Verdict, judged
from bgfast.engines.crosscheck.result_text import Result, described
from bgfast.engines.protocol import Case, Engine
from tests.support.read_back import board_after

__all__ = ["Diagnosis", "diagnosed"]


class Diagnosis(NamedTuple):
    """What comes of all cases of an engine."""

    verdicts: list[Verdict]
    attribution: Attribution
    disagreements: dict[Heading, Disagreement]

    @property
    def wrong(self) -> int:
        """In how many cases something is wrong."""
        return sum(bool(verdict.findings) for verdict in self.verdicts)

    @property
    def rules(self) -> list[str]:
        """The rules that are broken, that with most cases first."""
        return [heading.rule for heading in self.disagreements if heading.kind == "illegal"]

    def named(self, rule: str) -> int:
        """In how many cases an illegal result is put down to a rule."""
        return sum(
            bool(self.attribution.under(Heading("illegal", rule), verdict)) for verdict in self.verdicts
        )

    def results(self) -> list[tuple[Verdict, Result]]:
        """All wrong results with what they are called."""
        return [
            (verdict, result)
            for verdict in self.verdicts
            for finding in verdict.findings
            if finding.symptom.rule != UNEXAMINED
            for result in described(verdict, finding.boards, self.attribution)
        ]


def diagnosed(engine: Engine, cases: Iterable[Case]) -> Diagnosis:
    """Ask an engine all cases and decide what its mistakes are; each play that is named must lead there."""
    verdicts = [judged(engine, number, case) for number, case in enumerate(cases)]
    findings = Findings(size_for(engine.capabilities))
    for verdict in verdicts:
        findings.add(verdict)
    attribution = findings.attribution()
    found = Diagnosis(verdicts, attribution, findings.disagreements(attribution))
    for verdict, result in found.results():
        assert result.play is None or board_after(verdict.case.board, result.play) == result.board, result
    return found
