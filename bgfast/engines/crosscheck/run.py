"""All cases through one engine: what it is, what it did, and an example of each class of disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby, islice
from time import monotonic
from typing import NamedTuple

from bgfast.engines.crosscheck.cases import CaseList
from bgfast.engines.crosscheck.difference import Difference
from bgfast.engines.crosscheck.disagreements import (
    FAILURES,
    Answer,
    Class,
    Classes,
    ClassKey,
    Sighting,
    judged,
    size_for,
)
from bgfast.engines.crosscheck.resume_file import Kept, KeptSighting, ResumeFile
from bgfast.engines.crosscheck.shrinking import shrunk
from bgfast.engines.crosscheck.workers import Opener, StoppedError, answers
from bgfast.engines.protocol import Board, Case, Engine, EngineError, MissingEngineError
from bgfast.errors import shown
from bgfast.rules import RuleSet

__all__ = ["Checked", "Example", "check", "example_of", "find_examples", "open_for"]

GIVE_UP = 20
"""An engine that fails at so many cases in a row is not asked any more."""
KEEP_EVERY = 5.0
"""Seconds between two additions to a resume file."""
SHRINK_FAILURES = 100
"""Positions that are tried to shrink a crash or rubbish."""
SHRINK_HANGS = 60.0
"""Seconds that may be spent on shrinking a hang."""


class Example(NamedTuple):
    """What is shown of a class.

    Attributes
    ----------
    sighting : Sighting
        The smallest that is known.
    shrunk : bool
        Whether it is smaller than all that were met.
    attempts : int
        How many positions were tried to find it.
    note : str
        What is known of its size, in a sentence.
    """

    sighting: Sighting
    shrunk: bool
    attempts: int
    note: str


@dataclass
class Checked:
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
    classes : dict
        Its disagreements, in the order in which they were met.
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
    classes: dict[ClassKey, Class] = field(default_factory=dict)
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


def open_for(name: str, opener: Opener, rules: str) -> Checked:
    """Start an engine and see whether it plays by the rules of that name."""
    checked = Checked(name)
    try:
        engine = opener()
    except MissingEngineError as error:
        checked.unchecked = f"MISSING: {error}"
        return checked
    except EngineError as error:
        checked.unchecked = f"DOES NOT START: {error}"
        return checked
    checked.version, checked.engine = engine.version, engine
    able = engine.capabilities
    if not able.plays(RuleSet.named(rules)):
        checked.unchecked = f"SKIPPED: it plays {', '.join(able.rules)} only, not {rules}"
    return checked


def check(
    checked: Checked,
    opener: Opener,
    cases: CaseList,
    *,
    jobs: int = 1,
    resume: ResumeFile | None = None,
    progress: Callable[[int], object] = lambda done: None,
) -> None:
    """Ask an engine that is open all cases, beginning with those that no resume file has kept.

    What is done so far stands in `checked` all the time, whatever ends this.

    Raises
    ------
    BgfastError
        If the resume file cannot be written.
    """
    assert checked.engine is not None
    if checked.unchecked:
        return
    started = monotonic()
    classes = Classes(size_for(checked.engine.capabilities), checked.classes)
    kept = resume.kept(checked.name) if resume else Kept()
    _restore(classes, cases, kept)
    checked.done, checked.unreachable = kept.end, kept.unreachable
    keeper = _Keeper(checked, resume)
    failures = _failures_at_the_end(kept)
    try:
        with closing(answers(checked.engine, opener, cases, kept.end, jobs)) as stream:
            while failures < GIVE_UP and (answer := next(stream, None)) is not None:
                failures = failures + 1 if answer.failed else 0
                _count(checked, classes, answer)
                keeper.add(answer)
                progress(checked.done)
    except StoppedError as stop:
        checked.stopped = f"GIVEN UP after {checked.done:,} of {len(cases):,} cases: {stop}"
    else:
        if failures >= GIVE_UP:
            checked.stopped = (
                f"GIVEN UP after {checked.done:,} of {len(cases):,} cases: it failed at {failures} in a row"
            )
    finally:
        checked.seconds += monotonic() - started
        if not checked.stopped and checked.done < len(cases):
            checked.stopped = f"INTERRUPTED after {checked.done:,} of {len(cases):,} cases"
        if checked.done and not checked.compared:
            checked.unchecked = "NOT CHECKED: it could be set to none of these positions"
        elif not checked.done and checked.stopped:
            checked.unchecked = f"NOT CHECKED: {checked.stopped}"
        keeper.flush()


def _count(checked: Checked, classes: Classes, answer: Answer) -> None:
    checked.done += 1
    checked.unreachable += not answer.reached
    for sighting in answer.wrong:
        classes.add(sighting)


def _restore(classes: Classes, cases: CaseList, kept: Kept) -> None:
    """Count again what was kept: its cases come again, too."""
    wrong = {number: list(those) for number, those in groupby(kept.wrong, lambda sighting: sighting.number)}
    for number, case in islice(enumerate(cases), kept.end):
        if number in wrong:
            found = _all_found(wrong[number])
            for _, key, boards, message in wrong[number]:
                classes.add(Sighting(number, case, key, boards, message, found))


def _all_found(sightings: Sequence[KeptSighting]) -> Difference | None:
    """Return all that was wrong in one case; None if the engine failed."""
    if any(sighting.key.kind in FAILURES for sighting in sightings):
        return None
    boards: dict[str, list[Board]] = {}
    for sighting in sightings:
        boards.setdefault(sighting.key.kind, []).extend(sighting.boards)
    return Difference(*(tuple(sorted(boards.get(kind, ()))) for kind in Difference._fields))


def _failures_at_the_end(kept: Kept) -> int:
    failed = {sighting.number for sighting in kept.wrong if sighting.key.kind in FAILURES}
    number = kept.end
    while number - 1 in failed:
        number -= 1
    return kept.end - number


class _Keeper:
    """Adds answers to the resume file, if there is one: some at a time."""

    def __init__(self, checked: Checked, resume: ResumeFile | None) -> None:
        self._name = checked.name
        self._resume = resume
        self._answers: list[Answer] = []
        self._written = monotonic()

    def add(self, answer: Answer) -> None:
        if self._resume is None:
            return
        self._answers.append(answer)
        if monotonic() - self._written > KEEP_EVERY:
            self.flush()

    def flush(self) -> None:
        answers, self._answers = self._answers, []
        if self._resume is not None and answers:
            self._resume.keep(
                self._name,
                answers[0].number,
                answers[-1].number + 1,
                sum(not answer.reached for answer in answers),
                [sighting for answer in answers for sighting in answer.wrong],
            )
        self._written = monotonic()


def find_examples(checked: Checked, time_limit: float) -> None:
    """Shrink the smallest case of each class as far as the engine allows.

    `time_limit` is what the engine has for an answer, in seconds.
    """
    engine = checked.engine
    for key, met in checked.classes.items():
        assert engine is not None
        if not engine.capabilities.positions:
            turns = len(met.smallest.case.game or ())
            note = f"Not shrunk, since the engine only replays games: the earliest met, after {turns} turns."
            checked.examples[key] = Example(met.smallest, False, 0, note)
        else:
            checked.examples[key] = _shrunk_example(engine, met.smallest, time_limit)


def _most(key: ClassKey, time_limit: float) -> int | None:
    if key.kind == "hang":
        # Starting the engine again takes its time, too, however short the limit is.
        return min(SHRINK_FAILURES, int(SHRINK_HANGS / time_limit))
    return SHRINK_FAILURES if key.kind in FAILURES else None


def _shrunk_example(engine: Engine, start: Sighting, time_limit: float) -> Example:
    smallest = start
    failures: Counter[ClassKey] = Counter()

    def still_wrong(case: Case) -> bool:
        nonlocal smallest
        answer = judged(engine, start.number, case)
        for sighting in answer.wrong:
            if sighting.key == start.key:
                smallest = sighting
                return True
        if answer.failed:
            # Hundreds of hangs at smaller positions would keep it busy for hours.
            (failure,) = answer.wrong
            failures[failure.key] += 1
            most = _most(failure.key, time_limit)
            if most is not None and failures[failure.key] > most:
                raise StoppedError(f"too many smaller positions end in a {failure.key.kind}")
        return False

    try:
        found = shrunk(start.case, still_wrong, _most(start.key, time_limit))
    except (MissingEngineError, StoppedError) as error:
        return Example(smallest, smallest is not start, 0, f"Not shrunk further: {error}.")
    tried = f"{found.attempts} smaller positions tried"
    if found.complete:
        note = f"A local minimum, {tried}: with any one or two checkers less it is no such case."
    else:
        note = f"Perhaps no minimum, {tried}: a failure is shrunk only as far as that is cheap."
    return Example(smallest, smallest is not start, found.attempts, note)


def example_of(checked: Checked, key: ClassKey) -> Example:
    """Return what is shown of a class, whether there was time to shrink it or not."""
    smallest = checked.classes[key].smallest
    return checked.examples.get(key) or Example(
        smallest, False, 0, "Not shrunk, since interrupted: the smallest one met."
    )
