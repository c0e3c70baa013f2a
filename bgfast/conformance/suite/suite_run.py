"""Run of a suite with an engine: outcome by section, runner and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any

from bgfast.common.text import pluralize
from bgfast.common.validation import BAR, CHECKERS, ROLL_WEIGHTS, ROLLS, Board
from bgfast.conformance.crosscheck.attribution import Attribution
from bgfast.conformance.crosscheck.crosscheck_report import Result, describe_results
from bgfast.conformance.crosscheck.disagreements import (
    SENTENCES,
    UNEXAMINED,
    ClassKey,
    Comparison,
    Difference,
    Disagreement,
    Symptom,
    diagnose_list,
    failure_of,
)
from bgfast.conformance.protocol import (
    MOVER,
    Case,
    Engine,
    EngineError,
    MissingEngineError,
    RubbishError,
    UnreachableError,
    impossible_board,
)
from bgfast.conformance.suite.suite_file import Figures, PerftLine, Suite, SuiteCase, comma_list, set_hash
from bgfast.errors import BgfastError, short_repr
from bgfast.reference import flip

Line = SuiteCase | PerftLine

PERFT = Symptom("perft", "other-count")
OTHER_SUITE = Symptom("suite", "other-list")
GROUPS: Mapping[ClassKey, str] = {
    **SENTENCES,
    ClassKey(PERFT.kind, PERFT.rule): "The perft count differs from the suite's.",
    ClassKey(OTHER_SUITE.kind, OTHER_SUITE.rule): "bgfast lists the same plays; the suite's result differs.",
}
"""Sentences that explain the classes of failures."""


@dataclass(frozen=True)
class Failure:
    """Suite line that an engine failed."""

    line: Line
    got: Figures | None  # None if there was no answer
    message: str = ""  # why there was no answer, or a remark about the answer
    case: Case | None = None  # None for a perft line
    disagreements: tuple[Disagreement, ...] = ()  # differences from bgfast's list

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """Symptoms from this failure alone."""
        symptoms = (disagreement.symptom for disagreement in self.disagreements)
        examined = tuple(symptom for symptom in symptoms if symptom.rule != UNEXAMINED)
        return examined or (PERFT if self.case is None else OTHER_SUITE,)


@dataclass
class Tally:
    """Counts of cases: passed, failed, and not run (by reason)."""

    passed: int = 0
    failed: int = 0
    not_run: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.passed + other.passed, self.failed + other.failed, self.not_run + other.not_run)


class Outcome:
    """Failures, and tallies by section, filled case by case."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.pending = {line.id: line for line in lines}
        self.tallies = {line.section: Tally() for line in self.pending.values()}
        self.failures: list[Failure] = []

    def add_pass(self, line: Line) -> None:
        """Record that a line passed."""
        self._tally_of(line).passed += 1

    def add_failure(self, failure: Failure) -> None:
        """Record a failure."""
        self._tally_of(failure.line).failed += 1
        self.failures.append(failure)

    def skip(self, line: Line, reason: str) -> None:
        """Record that a line was not run."""
        self._tally_of(line).not_run[reason] += 1

    def skip_rest(self, reason: str) -> None:
        """Record all remaining lines as not run."""
        for line in list(self.pending.values()):
            self.skip(line, reason)

    def _tally_of(self, line: Line) -> Tally:
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
        return sum(self.tallies.values(), Tally())

    @property
    def is_success(self) -> bool:
        """True if at least one line passed and none failed."""
        total = self.total
        return total.passed > 0 and total.failed == 0


# ---- Runner of a suite: the engine answers the cases, and its answers are counted for perft ----

MAX_FAILURES = 5  # consecutive failures after which the engine is given up


def select_lines(suite: Suite, only: str | None) -> list[Line]:
    """Return the lines of a section, or else the lines whose ID starts with `only`; all lines for None."""
    if only is None:
        return suite.lines
    sections = list(dict.fromkeys(line.section for line in suite.lines))
    if only in sections:
        return [line for line in suite.lines if line.section == only]
    matching = [line for line in suite.lines if line.id.startswith(only)]
    if not matching:
        raise BgfastError(
            f"no section is named {short_repr(only)} and no ID starts with it;"
            f" the sections are {', '.join(sections)}"
        )
    return matching


class Runner:
    """Suite run of an engine, with perft up to `depth`; `outcome` is up to date however the run ends."""

    def __init__(self, suite: Suite, lines: Sequence[Line], engine: Engine, depth: int) -> None:
        self.suite = suite
        self.engine = engine
        self.depth = depth
        self.outcome = Outcome(lines)
        self._lines = lines
        self._failures_in_a_row = 0
        self._questions = 0  # number of questions asked or skipped

    def run(self, report: Callable[[float], None]) -> None:
        """Run all lines; `report` receives the fraction done."""
        tables = self._tables()
        cases = [line for line in self._lines if isinstance(line, SuiteCase) and self._can_run(line)]
        # A table may need fewer questions than estimated, or more if the engine lists illegal plays.
        total = len(cases) + sum(map(_max_questions, tables))

        def advance() -> None:
            self._questions += 1
            report(min(self._questions / total, 1.0))

        for case in cases:
            if self._failures_in_a_row < MAX_FAILURES:
                self._run_case(case)
            advance()
        for table in tables:
            end = self._questions + _max_questions(table)
            if self._failures_in_a_row < MAX_FAILURES:
                self._run_table(table, advance)
            self._questions = end
        self.outcome.skip_rest(f"the engine failed {MAX_FAILURES} times in a row or cannot be restarted")

    # ------------------------------------------------------------ selection

    def _tables(self) -> list[list[PerftLine]]:
        """Return the perft lines to run, grouped by position and rule set, in the order of depth."""
        lines = [line for line in self._lines if isinstance(line, PerftLine) and self._can_run(line)]
        for line in [line for line in lines if line.depth > self.depth]:
            self.outcome.skip(line, f"deeper than --perft {self.depth}")
            lines.remove(line)
        lines.sort(key=lambda line: (line.rules, line.board, line.depth))
        return [list(table) for _, table in groupby(lines, lambda line: (line.rules, line.board))]

    def _can_run(self, line: Line) -> bool:
        capabilities = self.engine.capabilities
        if not capabilities.supports(self.suite.rule_sets[line.rules]):
            reason = f"does not play the rule set {line.rules}"
        elif CHECKERS not in capabilities.checkers:
            reason = f"does not play with {CHECKERS} checkers per side"
        elif not capabilities.positions:
            reason = "only replays games and cannot be set to a position"
        else:
            return True
        self.outcome.skip(line, f"the engine {reason}")
        return False

    # ------------------------------------------------------------ questions

    def _successors(self, case: Case) -> list[Board]:
        """Return the engine's list; repetitions are removed unless the engine promises to list none."""
        try:
            listed = self.engine.successors(case)
        except (EngineError, MissingEngineError) as error:
            self._failures_in_a_row += 1 if isinstance(error, EngineError) else MAX_FAILURES
            raise
        self._failures_in_a_row = 0
        return listed if self.engine.capabilities.distinct else list(dict.fromkeys(listed))

    def _run_case(self, line: SuiteCase) -> None:
        case = Case(line.board, line.roll, self.suite.rule_sets[line.rules])
        try:
            listed = self._successors(case)
        except UnreachableError:
            self.outcome.skip(line, "the engine cannot be set to the position")
            return
        except (EngineError, MissingEngineError) as error:
            self.outcome.add_failure(Failure(line, None, str(error), case, (failure_of(error),)))
            return
        got: Figures = {"count": len(listed), "hash": set_hash(listed)}
        if got == line.expected_figures:
            self.outcome.add_pass(line)
        else:
            disagreements = diagnose_list(case, listed, distinct=True)
            remark = "bgfast lists the same plays; the suite's result differs"
            message = disagreements[0].message if disagreements else remark
            self.outcome.add_failure(Failure(line, got, message, case, disagreements))

    def _run_table(self, table: Sequence[PerftLine], advance: Callable[[], None]) -> None:
        results: list[Figures] = []
        problem: Exception | None = None
        try:
            results.extend(self._count_leaves(table, advance))
        except (UnreachableError, EngineError, MissingEngineError) as error:
            problem = error
        for line in sorted(table, key=lambda line: line.depth <= len(results)):  # unanswered lines first
            if line.depth > len(results):
                if isinstance(problem, (EngineError, MissingEngineError)):
                    self.outcome.add_failure(Failure(line, None, str(problem), None, (failure_of(problem),)))
                else:
                    self.outcome.skip(line, "the engine cannot be set to a position that follows")
            elif results[line.depth - 1] == line.expected_figures:
                self.outcome.add_pass(line)
            else:
                self.outcome.add_failure(Failure(line, results[line.depth - 1]))

    def _count_leaves(self, table: Sequence[PerftLine], advance: Callable[[], None]) -> Iterator[Figures]:
        """Yield the exact leaf counts at depths 1, 2, ... up to the deepest line of the table.

        A position that occurs several times at a depth is expanded once and counted with multiplicity.
        """
        rules = self.suite.rule_sets[table[0].rules]
        counts_21, counts_36 = Counter({table[0].board: 1}), Counter({table[0].board: 1})
        for _ in range(table[-1].depth):
            next_21: Counter[Board] = Counter()
            next_36: Counter[Board] = Counter()
            for board, paths in counts_21.items():
                if not max(board[1:]) > 0 > min(board[:BAR]):  # a finished game remains a leaf
                    next_21[board] += paths
                    next_36[board] += counts_36[board]
                    continue
                for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
                    listed = self._successors(Case(board, roll, rules)) or [board]
                    if problem := impossible_board(listed, board, (MOVER,)):
                        raise RubbishError(problem)
                    advance()
                    for after, multiplicity in Counter(listed).items():
                        next_21[after] += multiplicity * paths
                        next_36[after] += multiplicity * counts_36[board] * weight
            counts_21, counts_36 = (
                Counter({flip(board): paths for board, paths in counts.items()})
                for counts in (next_21, next_36)
            )
            yield {"leaves_21": counts_21.total(), "leaves_36": counts_36.total()}


def _max_questions(table: Sequence[PerftLine]) -> int:
    """Return the maximum number of questions that a table needs if the engine is correct."""
    leaves = {line.depth: line.leaves[0] for line in table}
    return len(ROLLS) * (1 + sum(leaves.get(depth, 0) for depth in range(1, table[-1].depth)))


# ---- Reports of a suite run: text and JSON ----

MAX_SHOWN = 5  # maximum number of failures of a group in the text; JSON has all of them
MAX_PLAYS = 8  # maximum number of plays printed for a failure


def report_text(content: Mapping[str, Any]) -> str:
    """Return `report_content` as text: sections, skip reasons, failures by class, and a summary."""
    total = {key: content[key] for key in ("passed", "failed", "not_run")}
    width = max(map(len, [*content["sections"], "section"]))
    lines = [f"{'section':{width}}  {'passed':>7}  {'failed':>7}  {'not run':>7}"]
    reasons: Counter[str] = Counter()
    for name, tally in content["sections"].items():
        reasons += tally["not_run"]
        lines.append(_row(name, tally | {"not_run": tally["not_run"].total()}, width))
    lines += [_row("total", total, width), ""]
    lines += [f"not run: {pluralize(count, 'case')}: {reason}" for reason, count in reasons.items()]
    if content["failures"]:
        lines += [*_group_lines(content), ""]
    if total["failed"]:
        verdict = f"FAILED: {pluralize(total['failed'], 'case')}"
    elif total["passed"]:
        verdict = "passed what was run" if total["not_run"] else "passed"
    else:
        verdict = "nothing was run"
    summary = "{passed} passed, {failed} failed, {not_run} not run".format(**total)
    return "\n".join([*lines, f"{verdict} ({summary})"])


def report_content(outcome: Outcome) -> dict[str, Any]:
    """Return the report as a JSON object, with all failures."""
    total = outcome.total
    attribution = outcome.attribution()
    return {
        "passed": total.passed,
        "failed": total.failed,
        "not_run": total.not_run.total(),
        "sections": {name: vars(tally) for name, tally in outcome.tallies.items()},
        "groups": [
            {
                "kind": class_.kind,
                "rule": class_.rule,
                "sentence": GROUPS[class_],
                "cases": len(failures),
                "ids": [failure.line.id for failure in failures],
            }
            for class_, failures in outcome.groups(attribution).items()
        ],
        "failures": [_failure_content(failure, attribution) for failure in outcome.failures],
    }


def _group_lines(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the number of failures by class, then the first failures of every class, each failure once."""
    groups = content["groups"]
    width = len(str(max(group["cases"] for group in groups)))
    for group in groups:
        yield f"failed: {group['cases']:{width}}  {group['kind']}, {group['rule']}: {group['sentence']}"
    failures = {failure["id"]: failure for failure in content["failures"]}
    for group in groups:
        group_failures = [failures.pop(name) for name in group["ids"] if name in failures]
        if group_failures:
            yield ""
            yield f"== {group['kind']}, {group['rule']}"
        for failure in group_failures[:MAX_SHOWN]:
            yield ""
            yield from _failure_lines(failure)
        if len(group_failures) > MAX_SHOWN:
            yield ""
            yield f"... and {pluralize(len(group_failures) - MAX_SHOWN, 'case')} more; --json lists them all"


def _row(name: str, tally: Mapping[str, int], width: int) -> str:
    return f"{name:{width}}  {tally['passed']:7}  {tally['failed']:7}  {tally['not_run']:7}"


def _failure_lines(failure: Mapping[str, Any]) -> Iterator[str]:
    reason = failure.get("reason")
    yield f"{failure['id']}, rules {failure['rules']}{f': {reason}' if reason else ''}"
    question = f"depth {failure['depth']}" if "depth" in failure else f"roll {comma_list(failure['roll'])}"
    yield f"  board {comma_list(failure['board'])}  {question}"
    got = "no answer" if failure["got"] is None else _figures_text(failure["got"])
    yield f"  expected {_figures_text(failure['expected'])}; got {got}"
    if failure["message"]:
        yield f"  {failure['message']}"
    for kind in Difference._fields:
        if plays := failure[kind]:
            more = f" ; ... {len(plays) - MAX_PLAYS} more" if len(plays) > MAX_PLAYS else ""
            yield f"  {kind}: {' ; '.join(plays[:MAX_PLAYS])}{more}"


def _figures_text(figures: Figures) -> str:
    if "hash" in figures:
        return "{count} successors, hash {hash}".format(**figures)
    return "{leaves_21} leaves over 21 rolls, {leaves_36} over 36".format(**figures)


def _failure_content(failure: Failure, attribution: Attribution) -> dict[str, Any]:
    line = failure.line
    names = ("depth",) if isinstance(line, PerftLine) else ("roll", "reason")
    plays: dict[str, tuple[str, ...]] = dict.fromkeys(Difference._fields, ())
    if failure.case is not None:
        comparison = Comparison(0, failure.case, True, failure.disagreements)
        for kind, boards in comparison.difference._asdict().items():
            plays[kind] = tuple(map(_result_text, describe_results(comparison, boards, attribution)))
    return {
        **{name: getattr(line, name) for name in ("id", "section", "rules", "board", *names)},
        "expected": line.expected_figures,
        "got": failure.got,
        "message": failure.message,
        **plays,
    }


def _result_text(result: Result) -> str:
    text = result.play or result.position_text
    rules = " or ".join([" and ".join(result.rules), *result.others])
    return f"{text} ({rules})" if rules else text
