"""What came out when an engine was asked the cases of a suite: counts by section, and each failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bgfast.engines.suite.suite_file import PerftLine, SuiteCase

__all__ = ["Answer", "Failure", "Outcome", "Tally"]


@dataclass(frozen=True)
class Answer:
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
    got : Answer or None
        None if there was no answer.
    message : str
        What happened instead of an answer, or what is to be said beside it; may be empty.
    missing, illegal, repeated : tuple of str
        Plays that bgfast lists and the engine does not, the other way round, and those listed more than once.
    """

    line: SuiteCase | PerftLine
    got: Answer | None
    message: str = ""
    missing: tuple[str, ...] = ()
    illegal: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()

    @property
    def expected(self) -> Answer:
        """What the suite says."""
        if isinstance(self.line, PerftLine):
            return Answer(self.line.leaves[0], str(self.line.leaves[1]))
        return Answer(self.line.count, self.line.digest)


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
