"""What came out when an engine was asked the cases of a suite: counts by section, and each failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType

from bgfast.engines.crosscheck.attribution import Attribution
from bgfast.engines.crosscheck.disagreements import SENTENCES, UNEXAMINED, ClassKey, Disagreement, Symptom
from bgfast.engines.protocol import Case
from bgfast.engines.suite.suite_file import PerftLine, SuiteCase

__all__ = ["GROUPS", "Failure", "Figures", "Outcome", "Tally"]

PERFT = Symptom("perft", "other-count")
OTHER_SUITE = Symptom("suite", "other-list")
GROUPS: Mapping[ClassKey, str] = MappingProxyType(
    {
        **SENTENCES,
        ClassKey(PERFT.kind, PERFT.rule): "The number of positions within so many plays is another one.",
        ClassKey(OTHER_SUITE.kind, OTHER_SUITE.rule): "bgfast lists the same: the suite says something else.",
    }
)
"""Every class into which failures come, and what it means."""


@dataclass(frozen=True)
class Figures:
    """What an engine listed for a case, or what it counted for a perft line.

    Attributes
    ----------
    count : int
        The number of successors, or of leaves over the 21 rolls.
    mark : str
        The hash of the successors, or the number of leaves over the 36 ordered rolls.
    """

    count: int
    mark: str


@dataclass(frozen=True)
class Failure:
    """A case that an engine failed.

    Attributes
    ----------
    line : SuiteCase or PerftLine
    got : Figures or None
        None if there was no answer.
    message : str
        What happened instead of an answer, or what is to be said beside it; may be empty.
    case : Case or None
        What the engine was asked; None of a perft line.
    disagreements : tuple of Disagreement
        What is wrong, beside what bgfast lists; none if only a perft count is.
    """

    line: SuiteCase | PerftLine
    got: Figures | None
    message: str = ""
    case: Case | None = None
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def expected(self) -> Figures:
        """What the suite says."""
        if isinstance(self.line, PerftLine):
            return Figures(self.line.leaves[0], str(self.line.leaves[1]))
        return Figures(self.line.count, self.line.digest)

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """What is known of it without looking at other failures."""
        found = tuple(
            disagreement.symptom
            for disagreement in self.disagreements
            if disagreement.symptom.rule != UNEXAMINED
        )
        return found or (PERFT if self.case is None else OTHER_SUITE,)


@dataclass
class Tally:
    """How many cases of a section passed, failed, and were not run, for which reason."""

    passed: int = 0
    failed: int = 0
    not_run: Counter[str] = field(default_factory=Counter)


class Outcome:
    """Tallies by section and failures, filled case by case.

    Parameters
    ----------
    lines : iterable of SuiteCase or PerftLine
        All that is to be run.
    """

    def __init__(self, lines: Iterable[SuiteCase | PerftLine]) -> None:
        self.open = {line.id: line for line in lines}
        self.tallies = {line.section: Tally() for line in self.open.values()}
        self.failures: list[Failure] = []

    def passes(self, line: SuiteCase | PerftLine) -> None:
        """Count a case that passed."""
        self._close(line).passed += 1

    def fails(self, failure: Failure) -> None:
        """Keep a failure."""
        self._close(failure.line).failed += 1
        self.failures.append(failure)

    def skips(self, line: SuiteCase | PerftLine, reason: str) -> None:
        """Count a case that was not run."""
        self._close(line).not_run[reason] += 1

    def skips_the_rest(self, reason: str) -> None:
        """Count everything that is still open as not run."""
        for line in list(self.open.values()):
            self.skips(line, reason)

    def _close(self, line: SuiteCase | PerftLine) -> Tally:
        del self.open[line.id]
        return self.tallies[line.section]

    def attribution(self) -> Attribution:
        """Decide what the engine's mistakes are, over all failures."""
        return Attribution(Counter(frozenset(failure.symptoms) for failure in self.failures))

    def groups(self, attribution: Attribution) -> dict[ClassKey, list[Failure]]:
        """Return the failures by kind and rule, as the cross-check groups them: the greatest group first."""
        found: dict[ClassKey, list[Failure]] = {}
        for failure in self.failures:
            for class_ in dict.fromkeys(chain.from_iterable(map(attribution.classes, failure.symptoms))):
                found.setdefault(class_, []).append(failure)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    @property
    def total(self) -> Tally:
        """All sections together."""
        total = Tally()
        for tally in self.tallies.values():
            total.passed += tally.passed
            total.failed += tally.failed
            total.not_run += tally.not_run
        return total

    @property
    def good(self) -> bool:
        """Whether something was run and nothing failed."""
        total = self.total
        return total.passed > 0 and total.failed == 0
