"""Outcome of a suite run: counts by section, and the failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from bgfast.engines.crosscheck.attribution import Attribution
from bgfast.engines.crosscheck.disagreements import SENTENCES, UNEXAMINED, ClassKey, Disagreement, Symptom
from bgfast.engines.protocol import Case
from bgfast.engines.suite.suite_file import PerftLine, SuiteCase

PERFT = Symptom("perft", "other-count")
OTHER_SUITE = Symptom("suite", "other-list")
GROUPS: Mapping[ClassKey, str] = {
    **SENTENCES,
    ClassKey(PERFT.kind, PERFT.rule): "The perft count differs from the suite's.",
    ClassKey(OTHER_SUITE.kind, OTHER_SUITE.rule): "bgfast lists the same plays; the suite's result differs.",
}
"""Sentences that explain the classes of failures, for all classes."""


@dataclass(frozen=True)
class Figures:
    """Expected or actual result of a case or perft line."""

    count: int  # successors, or leaves over the 21 rolls
    checksum: str  # hash of the successors, or leaves over the 36 ordered rolls


@dataclass(frozen=True)
class Failure:
    """Suite line that an engine failed."""

    line: SuiteCase | PerftLine
    got: Figures | None  # None if there was no answer
    message: str = ""  # failure of an engine that did not answer, or a remark about the answer
    case: Case | None = None  # None for a perft line
    disagreements: tuple[Disagreement, ...] = ()  # differences from bgfast's list

    @property
    def expected(self) -> Figures:
        """Numbers of the suite."""
        if isinstance(self.line, PerftLine):
            return Figures(self.line.leaves[0], str(self.line.leaves[1]))
        return Figures(self.line.count, self.line.digest)

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """Symptoms from this failure alone."""
        symptoms = tuple(
            disagreement.symptom
            for disagreement in self.disagreements
            if disagreement.symptom.rule != UNEXAMINED
        )
        return symptoms or (PERFT if self.case is None else OTHER_SUITE,)


@dataclass
class Tally:
    """Numbers of cases that passed, failed, and were not run (by reason)."""

    passed: int = 0
    failed: int = 0
    not_run: Counter[str] = field(default_factory=Counter)


class Outcome:
    """Tallies by section and failures, filled case by case."""

    def __init__(self, lines: Iterable[SuiteCase | PerftLine]) -> None:
        self.pending = {line.id: line for line in lines}
        self.tallies = {line.section: Tally() for line in self.pending.values()}
        self.failures: list[Failure] = []

    def add_pass(self, line: SuiteCase | PerftLine) -> None:
        """Record that a line passed."""
        self._tally_of(line).passed += 1

    def add_failure(self, failure: Failure) -> None:
        """Record a failure."""
        self._tally_of(failure.line).failed += 1
        self.failures.append(failure)

    def skip(self, line: SuiteCase | PerftLine, reason: str) -> None:
        """Record that a line was not run."""
        self._tally_of(line).not_run[reason] += 1

    def skip_rest(self, reason: str) -> None:
        """Record all remaining lines as not run."""
        for line in list(self.pending.values()):
            self.skip(line, reason)

    def _tally_of(self, line: SuiteCase | PerftLine) -> Tally:
        del self.pending[line.id]
        return self.tallies[line.section]

    def attribution(self) -> Attribution:
        """Decide which rules the engine breaks, from all failures."""
        return Attribution(Counter(frozenset(failure.symptoms) for failure in self.failures))

    def groups(self, attribution: Attribution) -> dict[ClassKey, list[Failure]]:
        """Return the failures by class, as in the cross-check, the largest group first."""
        groups: dict[ClassKey, list[Failure]] = {}
        for failure in self.failures:
            for class_ in dict.fromkeys(chain.from_iterable(map(attribution.classes, failure.symptoms))):
                groups.setdefault(class_, []).append(failure)
        return dict(sorted(groups.items(), key=lambda item: -len(item[1])))

    @property
    def total(self) -> Tally:
        """Sum over all sections."""
        total = Tally()
        for tally in self.tallies.values():
            total.passed += tally.passed
            total.failed += tally.failed
            total.not_run += tally.not_run
        return total

    @property
    def is_success(self) -> bool:
        """True if at least one line passed and none failed."""
        total = self.total
        return total.passed > 0 and total.failed == 0
