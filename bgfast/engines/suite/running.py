"""Runner of a suite: the engine answers the cases, and its answers are counted for perft."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.vocabulary import BAR, CHECKERS, Board
from bgfast.engines.crosscheck.disagreements import diagnose_list, failure_of
from bgfast.engines.protocol import (
    Case,
    Engine,
    EngineError,
    MissingEngineError,
    RubbishError,
    UnreachableError,
)
from bgfast.engines.sides import MOVER, impossible_board
from bgfast.engines.suite.hashing import set_hash
from bgfast.engines.suite.outcome import Failure, Figures, Outcome
from bgfast.engines.suite.suite_file import PerftLine, Suite, SuiteCase
from bgfast.errors import BgfastError, shown
from bgfast.reference import flip

MAX_FAILURES = 5  # consecutive failures after which the engine is given up
Leaves = tuple[int, int]  # over the 21 rolls, over the 36 ordered ones


def select_lines(suite: Suite, only: str | None) -> list[SuiteCase | PerftLine]:
    """Return the lines of a section, or else those whose ID starts with `only`; all lines for None."""
    if only is None:
        return suite.lines
    sections = list(dict.fromkeys(line.section for line in suite.lines))
    if only in sections:
        return [line for line in suite.lines if line.section == only]
    matching = [line for line in suite.lines if line.id.startswith(only)]
    if not matching:
        raise BgfastError(
            f"no section is named {shown(only)} and no ID starts with it;"
            f" the sections are {', '.join(sections)}"
        )
    return matching


class Runner:
    """Suite run of an engine, with perft up to `depth`; `outcome` is up to date however the run ends."""

    def __init__(
        self, suite: Suite, lines: Sequence[SuiteCase | PerftLine], engine: Engine, depth: int
    ) -> None:
        self.suite = suite
        self.engine = engine
        self.depth = depth
        self.outcome = Outcome(lines)
        self._lines = lines
        self._consecutive_failures = 0
        self._is_missing = False

    def run(self, report: Callable[[float], None]) -> None:
        """Run all lines; `report` receives the fraction done."""
        tables = self._tables()
        cases = [line for line in self._lines if isinstance(line, SuiteCase) and self._can_run(line)]
        progress = _Progress(report, len(cases) + sum(map(_questions, tables)))
        for case in cases:
            if not self._is_given_up():
                self._run_case(case)
            progress.advance()
        for table in tables:
            end = progress.done + _questions(table)
            if not self._is_given_up():
                self._run_table(table, progress)
            progress.done = end
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

    def _can_run(self, line: SuiteCase | PerftLine) -> bool:
        capabilities = self.engine.capabilities
        if not capabilities.supports(self.suite.rule_sets[line.rules]):
            self.outcome.skip(line, f"the engine does not play the rule set {line.rules}")
        elif CHECKERS not in capabilities.checkers:
            self.outcome.skip(line, f"the engine does not play with {CHECKERS} checkers a side")
        elif not capabilities.positions:
            self.outcome.skip(line, "the engine replays games, it cannot be set to a position")
        else:
            return True
        return False

    def _is_given_up(self) -> bool:
        return self._is_missing or self._consecutive_failures >= MAX_FAILURES

    # ------------------------------------------------------------ questions

    def _successors(self, case: Case) -> list[Board]:
        """Return the engine's list, without repetitions unless the engine promises that there are none."""
        try:
            listed = self.engine.successors(case)
        except EngineError:
            self._consecutive_failures += 1
            raise
        except MissingEngineError:
            self._is_missing = True
            raise
        self._consecutive_failures = 0
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
        got = Figures(len(listed), set_hash(listed))
        if got == Figures(line.count, line.digest):
            self.outcome.add_pass(line)
        else:
            disagreements = diagnose_list(case, listed, distinct=True)
            remark = "bgfast lists the same plays; the suite's result differs"
            message = disagreements[0].message if disagreements else remark
            self.outcome.add_failure(Failure(line, got, message, case, disagreements))

    def _run_table(self, table: Sequence[PerftLine], progress: _Progress) -> None:
        counts: dict[int, Leaves] = {}
        try:
            for depth, leaves in enumerate(self._levels(table, progress), 1):
                counts[depth] = leaves
        except UnreachableError:
            for line in table:
                if line.depth not in counts:
                    self.outcome.skip(line, "the engine cannot be set to a position that follows")
        except (EngineError, MissingEngineError) as error:
            for line in table:
                if line.depth not in counts:
                    self.outcome.add_failure(Failure(line, None, str(error), None, (failure_of(error),)))
        for line in table:
            if line.depth not in counts:
                continue
            if counts[line.depth] == line.leaves:
                self.outcome.add_pass(line)
            else:
                over_21, over_36 = counts[line.depth]
                self.outcome.add_failure(Failure(line, Figures(over_21, str(over_36))))

    def _levels(self, table: Sequence[PerftLine], progress: _Progress) -> Iterator[Leaves]:
        """Yield the exact leaves at depths 1, 2, ... up to the deepest line of the table.

        A position that a level holds several times is expanded once and counted with multiplicity.
        """
        rules = self.suite.rule_sets[table[0].rules]
        level: dict[Board, Leaves] = {table[0].board: (1, 1)}
        finished = (0, 0)
        for _ in range(table[-1].depth):
            below: defaultdict[Board, Leaves] = defaultdict(lambda: (0, 0))
            for board, (over_21, over_36) in level.items():
                for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
                    listed = self._successors(Case(board, roll, rules)) or [board]
                    if problem := impossible_board(listed, board, (MOVER,)):
                        raise RubbishError(problem)
                    progress.advance()
                    for after, multiplicity in Counter(listed).items():
                        sum_21, sum_36 = below[after]
                        below[after] = (
                            sum_21 + multiplicity * over_21,
                            sum_36 + multiplicity * over_36 * weight,
                        )
            level = {}
            for after, (over_21, over_36) in below.items():
                if max(after[1:]) > 0 > min(after[:BAR]):
                    level[flip(after)] = over_21, over_36
                else:
                    finished = finished[0] + over_21, finished[1] + over_36
            yield (
                finished[0] + sum(a for a, _ in level.values()),
                finished[1] + sum(b for _, b in level.values()),
            )


class _Progress:
    """Progress by questions; a table may need fewer than estimated or, with a wrong engine, more."""

    def __init__(self, report: Callable[[float], None], work: int) -> None:
        self.done = 0
        self._report = report
        self._total = work

    def advance(self) -> None:
        self.done += 1
        self._report(min(self.done / self._total, 1.0))


def _questions(table: Sequence[PerftLine]) -> int:
    """Return an upper bound for the number of questions of a table."""
    leaves = {line.depth: line.leaves[0] for line in table}
    return len(ROLLS) * (1 + sum(leaves.get(depth, 0) for depth in range(1, table[-1].depth)))
