"""All cases through one engine: what it is, what it did, and an example of each class of disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby, islice
from time import monotonic
from typing import NamedTuple

from bgfast.engines.crosscheck.attribution import Attribution, ClassSummary, Evidence, checkers_on, size_for
from bgfast.engines.crosscheck.cases import CaseList
from bgfast.engines.crosscheck.disagreements import FAILURES, ClassKey, Comparison, judged
from bgfast.engines.crosscheck.resume_file import Checked, ResumeFile
from bgfast.engines.crosscheck.shrinking import shrunk
from bgfast.engines.crosscheck.workers import Opener, StoppedError, comparisons
from bgfast.engines.protocol import Case, Engine, EngineError, MissingEngineError, UnknownEngineError
from bgfast.errors import shown
from bgfast.rules import RuleSet

__all__ = ["EngineRun", "Example", "check", "example_of", "find_examples", "open_for"]

GIVE_UP = 20
"""An engine that fails at so many cases in a row is not asked any more."""
KEEP_EVERY = 5.0
"""Seconds between two additions to a resume file."""
SHRINK_FAILURES = 100
"""Positions that are tried to shrink a crash or rubbish."""
SHRINK_HANGS = 60.0
"""Seconds that may be spent on shrinking a hang."""


class Example(NamedTuple):
    """What is shown of a disagreement.

    Attributes
    ----------
    comparison : Comparison
        Of the smallest case that is known.
    shrunk : bool
        Whether it is smaller than all that were met.
    attempts : int
        How many positions were tried to find it.
    note : str
        What is known of its size, in a sentence.
    """

    comparison: Comparison
    shrunk: bool
    attempts: int
    note: str


@dataclass
class EngineRun:
    """What became of one engine.

    Attributes
    ----------
    name, version : str
        The name as typed; the version is empty if the engine never said it.
    engine : Engine, or None
        Where it could be opened.
    unchecked : str
        Why not a single case was compared; empty if at least one was.
    stopped : str
        Why it was not asked to the end; empty if it was.
    done, unreachable : int
        The cases it went through, and how many of them it could not be asked.
    evidence : Evidence
        All that it did wrong.
    attribution : Attribution
        What its mistakes are, once `check` has come to its end.
    classes : dict
        What comes of both, that with most cases first.
    examples : dict
        By class, once `find_examples` was there.
    seconds : float
        The time that this took, without what a resume file has kept.
    """

    name: str
    version: str = ""
    engine: Engine | None = None
    unchecked: str = ""
    stopped: str = ""
    done: int = 0
    unreachable: int = 0
    evidence: Evidence = field(default_factory=lambda: Evidence(checkers_on))
    attribution: Attribution = field(default_factory=Attribution, compare=False)
    classes: dict[ClassKey, ClassSummary] = field(default_factory=dict)
    examples: dict[ClassKey, Example] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def title(self) -> str:
        """What the engine calls itself, or the beginning of what was typed."""
        return self.engine.name if self.engine is not None else shown(self.name)[1:-1]

    @property
    def compared(self) -> int:
        """How many cases were asked and compared."""
        return self.done - self.unreachable


def open_for(name: str, opener: Opener, rules: str) -> EngineRun:
    """Start an engine and see whether it plays by the rules of that name.

    Raises
    ------
    UnknownEngineError
        If no engine has that name.
    """
    run = EngineRun(name)
    try:
        engine = opener()
    except UnknownEngineError:
        raise  # a slip of whoever typed it, who need not wait for a report to see it
    except MissingEngineError as error:
        run.unchecked = f"MISSING: {error}"
        return run
    except EngineError as error:
        run.unchecked = f"DOES NOT START: {error}"
        return run
    run.version, run.engine = engine.version, engine
    able = engine.capabilities
    run.evidence.size = size_for(able)
    if not able.plays(RuleSet.named(rules)):
        run.unchecked = f"SKIPPED: it plays {', '.join(able.rules)} only, not {rules}"
    return run


def check(
    run: EngineRun,
    opener: Opener,
    cases: CaseList,
    *,
    jobs: int = 1,
    resume: ResumeFile | None = None,
    progress: Callable[[int], object] = lambda done: None,
) -> None:
    """Ask an engine that is open all cases, beginning with those that no resume file has kept.

    What is done so far stands in `run` all the time, whatever ends this.

    Raises
    ------
    BgfastError
        If the resume file cannot be written.
    """
    assert run.engine is not None
    if run.unchecked:
        return
    started = monotonic()
    checked = resume.checked(run.name) if resume else Checked()
    _restore(run.evidence, cases, checked)
    run.done, run.unreachable = checked.end, checked.unreachable
    keeper = _Keeper(run, resume)
    failures = _failures_at_the_end(checked)
    try:
        with closing(comparisons(run.engine, opener, cases, checked.end, jobs)) as stream:
            while failures < GIVE_UP and (comparison := next(stream, None)) is not None:
                failures = failures + 1 if comparison.failed else 0
                _count(run, comparison)
                keeper.add(comparison)
                progress(run.done)
    except StoppedError as stop:
        run.stopped = f"GIVEN UP after {run.done:,} of {len(cases):,} cases: {stop}"
    else:
        if failures >= GIVE_UP:
            run.stopped = (
                f"GIVEN UP after {run.done:,} of {len(cases):,} cases: it failed at {failures} in a row"
            )
    finally:
        run.seconds += monotonic() - started
        if not run.stopped and run.done < len(cases):
            run.stopped = f"INTERRUPTED after {run.done:,} of {len(cases):,} cases"
        if run.done and not run.compared:
            run.unchecked = "NOT CHECKED: it could be set to none of these positions"
        elif not run.done and run.stopped:
            run.unchecked = f"NOT CHECKED: {run.stopped}"
        run.attribution = run.evidence.attribution()
        run.classes = run.evidence.classes(run.attribution)
        keeper.flush()


def _count(run: EngineRun, comparison: Comparison) -> None:
    run.done += 1
    run.unreachable += not comparison.reached
    run.evidence.add(comparison)


def _restore(evidence: Evidence, cases: CaseList, checked: Checked) -> None:
    """Count again what was wrong before: its cases come again, too."""
    wrong = {number: list(those) for number, those in groupby(checked.wrong, lambda those: those[0])}
    for number, case in islice(enumerate(cases), checked.end):
        if number in wrong:
            evidence.add(
                Comparison(number, case, True, tuple(disagreement for _, disagreement in wrong[number]))
            )


def _failures_at_the_end(checked: Checked) -> int:
    failed = {number for number, disagreement in checked.wrong if disagreement.symptom.kind in FAILURES}
    number = checked.end
    while number - 1 in failed:
        number -= 1
    return checked.end - number


class _Keeper:
    """Adds comparisons to the resume file, if there is one: some at a time."""

    def __init__(self, run: EngineRun, resume: ResumeFile | None) -> None:
        self._name = run.name
        self._resume = resume
        self._comparisons: list[Comparison] = []
        self._written = monotonic()

    def add(self, comparison: Comparison) -> None:
        if self._resume is None:
            return
        self._comparisons.append(comparison)
        if monotonic() - self._written > KEEP_EVERY:
            self.flush()

    def flush(self) -> None:
        comparisons, self._comparisons = self._comparisons, []
        if self._resume is not None and comparisons:
            self._resume.keep(
                self._name,
                comparisons[0].number,
                comparisons[-1].number + 1,
                sum(not comparison.reached for comparison in comparisons),
                comparisons,
            )
        self._written = monotonic()


def find_examples(run: EngineRun, time_limit: float) -> None:
    """Shrink the smallest case of each disagreement as far as the engine allows.

    `time_limit` is what the engine has for an answer, in seconds.
    """
    engine = run.engine
    for class_, met in run.classes.items():
        assert engine is not None
        if not engine.capabilities.positions:
            turns = len(met.smallest.case.game or ())
            note = f"Not shrunk, since the engine only replays games: the earliest met, after {turns} turns."
            run.examples[class_] = Example(met.smallest, False, 0, note)
        else:
            run.examples[class_] = _shrunk_example(engine, run.attribution, class_, met.smallest, time_limit)


def _most(kind: str, time_limit: float) -> int | None:
    if kind == "hang":
        # Starting the engine again takes its time, too, however short the limit is.
        return min(SHRINK_FAILURES, int(SHRINK_HANGS / time_limit))
    return SHRINK_FAILURES if kind in FAILURES else None


def _shrunk_example(
    engine: Engine, attribution: Attribution, class_: ClassKey, start: Comparison, time_limit: float
) -> Example:
    smallest = start
    failures: Counter[str] = Counter()
    clear = attribution.is_clear(class_, start)

    def still_wrong(case: Case) -> bool:
        nonlocal smallest
        comparison = judged(engine, start.number, case)
        if attribution.under(class_, comparison) and attribution.is_clear(class_, comparison) >= clear:
            smallest = comparison
            return True
        if comparison.failed:
            # Hundreds of hangs at smaller positions would keep it busy for hours.
            kind = comparison.disagreements[0].symptom.kind
            failures[kind] += 1
            most = _most(kind, time_limit)
            if most is not None and failures[kind] > most:
                raise StoppedError(f"too many smaller positions end in a {kind}")
        return False

    try:
        found = shrunk(start.case, still_wrong, _most(class_.kind, time_limit))
    except (MissingEngineError, StoppedError) as error:
        return Example(smallest, smallest is not start, 0, f"Not shrunk further: {error}.")
    tried = f"{found.attempts} smaller positions tried"
    if found.complete:
        note = f"A local minimum, {tried}: with any one or two checkers less it is no such case."
    else:
        note = f"Perhaps no minimum, {tried}: a failure is shrunk only as far as that is cheap."
    return Example(smallest, smallest is not start, found.attempts, note)


def example_of(run: EngineRun, class_: ClassKey) -> Example:
    """Return what is shown of a disagreement, whether there was time to shrink it or not."""
    smallest = run.classes[class_].smallest
    return run.examples.get(class_) or Example(
        smallest, False, 0, "Not shrunk, since interrupted: the smallest one met."
    )
