"""Cross-check of one engine: all cases, and an example for every class of disagreements."""

from __future__ import annotations

from _thread import start_new_thread
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations_with_replacement, groupby, islice, repeat
from queue import Empty, SimpleQueue
from time import monotonic
from typing import NamedTuple

from bgfast.common.validation import Board
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.attribution import (
    Attribution,
    ClassSummary,
    Evidence,
    checkers_on,
    size_for,
)
from bgfast.conformance.crosscheck.cases import CaseList
from bgfast.conformance.crosscheck.causes import Cause, common_cause, explains, explains_illegal
from bgfast.conformance.crosscheck.disagreements import FAILURES, ClassKey, Comparison, compare_case
from bgfast.conformance.crosscheck.resume_file import EngineProgress, ResumeFile
from bgfast.conformance.protocol import Case, Engine, EngineError, MissingEngineError, UnknownEngineError
from bgfast.errors import short_repr
from bgfast.rules import RuleSet

MAX_FAILURES_IN_A_ROW = 20
"""Number of consecutive failures after which an engine is given up."""
MAX_FAILURE_ATTEMPTS = 100
"""Maximum number of positions tried to shrink a crash or an invalid answer."""
MAX_HANG_SECONDS = 60.0
"""Time limit for shrinking a hang."""


class Example(NamedTuple):
    """Example of a class of disagreements."""

    comparison: Comparison
    shrunk: bool = False  # True if shrinking found a smaller case than any in the run
    attempts: int = 0  # positions tried
    note: str = "Not shrunk, since interrupted: the smallest case so far."


class CauseSummary(NamedTuple):
    """Common cause of all missing plays of an engine, with counts of plays and cases."""

    cause: Cause
    plays: int
    cases: int
    illegal: int  # number of illegal plays, which are legal plays cut short by the same cause
    example: Example


@dataclass
class EngineRun:
    """State and results of one engine; `check` and `find_examples` fill it in."""

    name: str  # as typed
    version: str = ""  # empty if the engine never reported it
    engine: Engine | None = None  # None if it could not be opened
    unchecked: str = ""  # reason why no case was compared
    stopped: str = ""  # reason why the run ended early
    done: int = 0  # number of cases done
    unreachable: int = 0  # number of these cases that the engine cannot reach
    evidence: Evidence = field(default_factory=lambda: Evidence(checkers_on))
    attribution: Attribution = field(default_factory=Attribution, compare=False)
    classes: dict[ClassKey, ClassSummary] = field(default_factory=dict)
    cause: CauseSummary | None = None
    examples: dict[ClassKey, Example] = field(default_factory=dict)
    seconds: float = 0.0  # without the cases from a resume file

    @property
    def title(self) -> str:
        """The engine's own name, or the beginning of the name as typed."""
        return self.engine.name if self.engine is not None else short_repr(self.name)[1:-1]

    @property
    def compared_count(self) -> int:
        """Number of cases compared."""
        return self.done - self.unreachable


def open_run(name: str, opener: Opener, rules: str) -> EngineRun:
    """Start an engine and check that it supports the rule set."""
    run = EngineRun(name)
    try:
        engine = opener()
    except UnknownEngineError:
        raise  # a misspelt name must end the command without a report
    except MissingEngineError as error:
        run.unchecked = f"MISSING: {error}"
        return run
    except EngineError as error:
        run.unchecked = f"DOES NOT START: {error}"
        return run
    run.version, run.engine = engine.version, engine
    capabilities = engine.capabilities
    run.evidence.size = size_for(capabilities)
    if not capabilities.supports(RuleSet.named(rules)):
        run.unchecked = f"SKIPPED: it plays {', '.join(capabilities.rules)} only, not {rules}"
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
    """Compare the cases that are not in the resume file; `run` is up to date even after an exception."""
    assert run.engine is not None
    if run.unchecked:
        return
    started = monotonic()
    saved = resume.progress(run.name) if resume else EngineProgress()
    failures = _restore(run.evidence, cases, saved)
    run.done, run.unreachable = saved.end, saved.unreachable
    try:
        with closing(comparisons(run.engine, opener, cases, saved.end, jobs)) as stream:
            while failures < MAX_FAILURES_IN_A_ROW and (comparison := next(stream, None)) is not None:
                failures = failures + 1 if comparison.failed else 0
                run.done += 1
                run.unreachable += not comparison.reached
                run.evidence.add(comparison)
                if resume is not None:
                    resume.add(run.name, comparison)
                progress(run.done)
            if failures >= MAX_FAILURES_IN_A_ROW:
                raise StoppedError(f"it failed on {failures} cases in a row")
    except StoppedError as stop:
        run.stopped = f"GIVEN UP after {run.done:,} of {len(cases):,} cases: {stop}"
    finally:
        run.seconds += monotonic() - started
        if not run.stopped and run.done < len(cases):
            run.stopped = f"INTERRUPTED after {run.done:,} of {len(cases):,} cases"
        if run.done and not run.compared_count:
            run.unchecked = "NOT CHECKED: it could be set to none of these positions"
        elif not run.done and run.stopped:
            run.unchecked = f"NOT CHECKED: {run.stopped}"
        run.attribution = Attribution(run.evidence.patterns)
        run.classes = run.evidence.classes(run.attribution)
        run.examples = {class_: Example(summary.smallest) for class_, summary in run.classes.items()}
        if resume is not None:
            resume.flush(run.name)
    run.cause = _find_cause(run, cases)


def _find_cause(run: EngineRun, cases: CaseList) -> CauseSummary | None:
    evidence = run.evidence
    wrong_comparisons = list(evidence.wrong.values())
    excluded = evidence.wrong.keys() | evidence.excluded
    correct_cases = (case for index, case in islice(enumerate(cases), run.done) if index not in excluded)
    cause = common_cause(wrong_comparisons, correct_cases, legal_successors)
    # Other illegal plays, such as hits that put no checker on the bar, may replace missing plays.
    if cause is None or not all(explains_illegal(cause, comparison) for comparison in wrong_comparisons):
        return None
    incomplete = [comparison for comparison in wrong_comparisons if comparison.difference.missing]
    return CauseSummary(
        cause,
        sum(len(comparison.difference.missing) for comparison in incomplete),
        len(incomplete),
        sum(len(comparison.difference.illegal) for comparison in wrong_comparisons),
        Example(min(incomplete, key=lambda result: (evidence.size(result.case), result.case_index))),
    )


def _restore(evidence: Evidence, cases: CaseList, saved: EngineProgress) -> int:
    """Restore the evidence from a resume file; return the number of consecutive failures at its end."""
    groups = groupby(saved.wrong, lambda item: item[0])
    wrong = {index: tuple(disagreement for _, disagreement in items) for index, items in groups}
    failures = 0
    for index, case in islice(enumerate(cases), saved.end):
        comparison = Comparison(index, case, True, wrong.get(index, ()))
        failures = failures + 1 if comparison.failed else 0
        if comparison.disagreements:
            evidence.add(comparison)
    return failures


def find_examples(run: EngineRun, time_limit: float) -> None:
    """Shrink the smallest case of every class; `time_limit` is in seconds per answer."""
    assert run.engine is not None

    def has_cause(cause: Cause, comparison: Comparison) -> bool:
        missing, case = comparison.difference.missing, comparison.case
        return bool(missing) and explains(cause, case, missing, legal_successors(case))

    def is_in_class(class_: ClassKey, start: Comparison, comparison: Comparison) -> bool:
        """Return whether a case is in the class at least as clearly as the case where shrinking starts."""
        attribution = run.attribution
        return bool(attribution.disagreements_in(class_, comparison)) and (
            attribution.is_clear(class_, comparison) >= attribution.is_clear(class_, start)
        )

    if run.cause is not None:
        start, is_wrong = run.cause.example.comparison, partial(has_cause, run.cause.cause)
        example = _find_example(run.engine, "missing", start, is_wrong, time_limit)
        run.cause = run.cause._replace(example=example)
    for class_, summary in run.classes.items():
        is_wrong = partial(is_in_class, class_, summary.smallest)
        run.examples[class_] = _find_example(run.engine, class_.kind, summary.smallest, is_wrong, time_limit)


def _max_attempts(kind: str, time_limit: float) -> int | None:
    if kind == "hang":
        # Restarting the engine takes time as well, however short the limit is.
        return min(MAX_FAILURE_ATTEMPTS, int(MAX_HANG_SECONDS / time_limit))
    return MAX_FAILURE_ATTEMPTS if kind in FAILURES else None


def _find_example(
    engine: Engine, kind: str, start: Comparison, is_wrong: Callable[[Comparison], bool], time_limit: float
) -> Example:
    if not engine.capabilities.positions:
        turns = len(start.case.game or ())
        note = f"Not shrunk, since the engine only replays games: the earliest case, after {turns} turns."
        return Example(start, False, 0, note)
    smallest = start
    failures: Counter[str] = Counter()

    def still_wrong(case: Case) -> bool:
        nonlocal smallest
        comparison = compare_case(engine, start.case_index, case)
        if is_wrong(comparison):
            smallest = comparison
            return True
        if comparison.failed:
            # Hundreds of hangs would take hours.
            failure = comparison.disagreements[0].symptom.kind
            failures[failure] += 1
            limit = _max_attempts(failure, time_limit)
            if limit is not None and failures[failure] > limit:
                raise StoppedError(f"too many smaller positions end in a {failure}")
        return False

    try:
        result = shrink(start.case, still_wrong, _max_attempts(kind, time_limit))
    except (MissingEngineError, StoppedError) as error:
        return Example(smallest, smallest is not start, 0, f"Not shrunk further: {error}.")
    attempts = f"{result.attempts} smaller positions tried"
    if not result.attempts:
        note = "Already minimal."
    elif result.complete:
        note = f"A local minimum, {attempts}: removing any one or two checkers makes the error disappear."
    else:
        note = f"Perhaps not a minimum, {attempts}: shrinking of failures is limited."
    return Example(smallest, smallest is not start, result.attempts, note)


# ---- Parallel comparison of all cases with several processes of one engine, in the order of the cases ----

Opener = Callable[[], Engine]
"""Function that starts another process of the engine."""

MAX_AHEAD = 1000
"""Maximum number of cases in the queues beyond the first unanswered case; must exceed `jobs`."""

JOIN_SECONDS = 1.0
"""Time limit for threads to end; a thread whose engine never answers is abandoned."""


class StoppedError(Exception):
    """The engine can no longer be used; the message gives the reason."""


def comparisons(
    first_engine: Engine, opener: Opener, cases: Iterable[Case], first: int, jobs: int
) -> Generator[Comparison, None, None]:
    """Yield the comparisons in the order of the cases, starting at index `first`.

    `first_engine`, which is already running, stays open unless the generator is closed early. Raises
    `StoppedError`, after all earlier comparisons, if the engine cannot be restarted.
    """
    # The calling thread receives Ctrl-C and waits only in C code: `threading` implements semaphores, events
    # and `Thread.start` in Python, where an exception between two lines can leave a lock held forever.
    tasks: SimpleQueue[tuple[int, Case] | None] = SimpleQueue()
    results: SimpleQueue[Comparison | BaseException | None] = SimpleQueue()
    engines: list[Engine] = []
    thread_count = 0
    is_stopped = False
    items = chain(islice(enumerate(cases), first, None), repeat(None))
    results_by_index: dict[int, Comparison] = {}

    def work(engine: Engine | None) -> None:
        owns_engine = engine is None
        try:
            engine = engine or opener()
            engines.append(engine)
            while (item := tasks.get()) is not None and not is_stopped:
                results.put(compare_case(engine, *item))
            if owns_engine:
                engine.close()
            results.put(None)
        except BaseException as error:
            results.put(error)

    try:
        for item in islice(items, MAX_AHEAD):
            tasks.put(item)
        for job in range(jobs):
            thread_count += 1
            start_new_thread(work, (first_engine if job == 0 else None,))
        while thread_count:
            try:
                # Without a timeout some systems do not deliver Ctrl-C.
                result = results.get(timeout=JOIN_SECONDS)
            except Empty:
                continue
            if isinstance(result, Comparison):
                results_by_index[result.case_index] = result
                while first in results_by_index:
                    yield results_by_index.pop(first)
                    tasks.put(next(items))
                    first += 1
                continue
            thread_count -= 1
            if isinstance(result, (MissingEngineError, EngineError)):
                raise StoppedError(f"it cannot be started again: {result}")
            if result is not None:
                raise result
    finally:
        is_stopped = True
        if thread_count:
            _stop_threads(engines, tasks, results, thread_count)


def _stop_threads(
    engines: Sequence[Engine],
    tasks: SimpleQueue[tuple[int, Case] | None],
    results: SimpleQueue[Comparison | BaseException | None],
    thread_count: int,
) -> None:
    """Close the engines and wait for the threads that still run."""
    for _ in range(thread_count):
        tasks.put(None)
    closed: SimpleQueue[None] = SimpleQueue()

    def close(engine: Engine) -> None:
        with suppress(Exception):
            engine.close()
        closed.put(None)

    # Closed in threads, since an engine may never answer and closing it may take a while.
    for _ in [start_new_thread(close, (engine,)) for engine in tuple(engines)]:
        closed.get()
    deadline = monotonic() + JOIN_SECONDS
    with suppress(Empty):
        while thread_count:
            result = results.get(timeout=max(0.0, deadline - monotonic()))
            thread_count -= not isinstance(result, Comparison)


# ---- Shrinking: reduce a position on which an engine is wrong to as few checkers as possible ----


class ShrinkResult(NamedTuple):
    """Smallest case, without its game, on which the engine is still wrong in the same way."""

    case: Case
    attempts: int  # positions tried
    complete: bool  # True if it is minimal: removing any one or two checkers makes the error disappear


def shrink(case: Case, still_wrong: Callable[[Case], bool], max_attempts: int | None = None) -> ShrinkResult:
    """Remove checkers from the board as long as the engine stays wrong in the same way.

    Whole points are tried first, which is fastest, then single checkers and pairs, of either side. Removed
    checkers count as borne off.
    """
    case = case._replace(game=None)
    tried = {case.board}
    candidates = _smaller_boards(case.board)
    while (board := next(candidates, None)) is not None:
        if board in tried:
            continue
        if max_attempts is not None and len(tried) > max_attempts:
            return ShrinkResult(case, len(tried) - 1, False)
        tried.add(board)
        if still_wrong(case._replace(board=board)):
            case = case._replace(board=board)
            candidates = _smaller_boards(board)
    return ShrinkResult(case, len(tried) - 1, True)


def _smaller_boards(board: Board) -> Iterator[Board]:
    """Yield the boards to try; both sides keep at least one checker."""
    points = [point for point, checkers in enumerate(board) if checkers]
    removals: list[Sequence[int]] = [[point] * abs(board[point]) for point in points]
    removals += combinations_with_replacement(points, 1)
    removals += combinations_with_replacement(points, 2)
    for removal in removals:
        after = list(board)
        for point in removal:
            after[point] += 1 if board[point] < 0 else -1
        crossed = any(before * now < 0 for before, now in zip(board, after, strict=True))
        if not crossed and max(after) > 0 > min(after):
            yield tuple(after)
