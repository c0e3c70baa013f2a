"""An engine is asked the cases of a suite, and perft is counted through it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.vocabulary import BAR, CHECKERS
from bgfast.engines.crosscheck.disagreements import compared, no_answer
from bgfast.engines.protocol import (
    Board,
    Case,
    Engine,
    EngineError,
    MissingEngineError,
    RubbishError,
    UnreachableError,
)
from bgfast.engines.sides import MOVER, impossible
from bgfast.engines.suite.digest import set_hash
from bgfast.engines.suite.outcome import Failure, Figures, Outcome
from bgfast.engines.suite.suite_file import PerftLine, Suite, SuiteCase
from bgfast.errors import BgfastError, shown
from bgfast.reference import flip

__all__ = ["Runner", "chosen"]

MOST_FAILURES = 5  # of the engine in a row, after which it is not asked any more
Leaves = tuple[int, int]  # over the 21 rolls, over the 36 ordered ones


def chosen(suite: Suite, only: str | None) -> list[SuiteCase | PerftLine]:
    """Return the lines of a section, or those whose ID begins so; all of them for None.

    Raises
    ------
    BgfastError
        If there are none.
    """
    if only is None:
        return suite.lines
    sections = list(dict.fromkeys(line.section for line in suite.lines))
    if only in sections:
        return [line for line in suite.lines if line.section == only]
    found = [line for line in suite.lines if line.id.startswith(only)]
    if not found:
        raise BgfastError(
            f"no section is named {shown(only)} and no ID begins so; the sections are {', '.join(sections)}"
        )
    return found


class Runner:
    """One run of an engine; what is done so far stands in `outcome`, whatever ends the run.

    Parameters
    ----------
    suite : Suite
    lines : sequence of SuiteCase or PerftLine
        Those of the suite that are to be run.
    engine : Engine
    depth : int
        Perft lines that go deeper are not run.
    """

    def __init__(
        self, suite: Suite, lines: Sequence[SuiteCase | PerftLine], engine: Engine, depth: int
    ) -> None:
        self.suite = suite
        self.engine = engine
        self.depth = depth
        self.outcome = Outcome(lines)
        self._lines = lines
        self._in_a_row = 0
        self._gone = False

    def run(self, tell: Callable[[float], None]) -> None:
        """Ask everything; `tell` is told the fraction done."""
        tables = self._tables()
        cases = [line for line in self._lines if isinstance(line, SuiteCase) and self._can_run(line)]
        progress = _Progress(tell, len(cases) + sum(map(_questions, tables)))
        for case in cases:
            if not self._given_up():
                self._run_case(case)
            progress.one_more()
        for table in tables:
            end = progress.done + _questions(table)
            if not self._given_up():
                self._run_table(table, progress)
            progress.done = end
        self.outcome.skips_the_rest(f"the engine failed {MOST_FAILURES} times in a row or is gone")

    # ------------------------------------------------------------ what can be asked

    def _tables(self) -> list[list[PerftLine]]:
        """Return the perft lines that can be run, those of a position and rule set together, by depth."""
        lines = [line for line in self._lines if isinstance(line, PerftLine) and self._can_run(line)]
        for line in [line for line in lines if line.depth > self.depth]:
            self.outcome.skips(line, f"deeper than --perft {self.depth}")
            lines.remove(line)
        lines.sort(key=lambda line: (line.rules, line.board, line.depth))
        return [list(table) for _, table in groupby(lines, lambda line: (line.rules, line.board))]

    def _can_run(self, line: SuiteCase | PerftLine) -> bool:
        able = self.engine.capabilities
        if not able.plays(self.suite.rule_sets[line.rules]):
            self.outcome.skips(line, f"the engine does not play the rule set {line.rules}")
        elif CHECKERS not in able.checkers:
            self.outcome.skips(line, f"the engine does not play with {CHECKERS} checkers a side")
        elif not able.positions:
            self.outcome.skips(line, "the engine replays games, it cannot be set to a position")
        else:
            return True
        return False

    def _given_up(self) -> bool:
        return self._gone or self._in_a_row >= MOST_FAILURES

    # ------------------------------------------------------------ asking

    def _successors(self, case: Case) -> list[Board]:
        """Return what the engine lists; each once if it does not promise to list none twice."""
        try:
            listed = self.engine.successors(case)
        except EngineError:
            self._in_a_row += 1
            raise
        except MissingEngineError:
            self._gone = True
            raise
        self._in_a_row = 0
        return listed if self.engine.capabilities.distinct else list(dict.fromkeys(listed))

    def _run_case(self, line: SuiteCase) -> None:
        case = Case(line.board, line.roll, self.suite.rule_sets[line.rules])
        try:
            listed = self._successors(case)
        except UnreachableError:
            self.outcome.skips(line, "the engine cannot be set to the position")
            return
        except (EngineError, MissingEngineError) as error:
            self.outcome.fails(Failure(line, None, str(error), case, (no_answer(error),)))
            return
        got = Figures(len(listed), set_hash(listed))
        if got == Figures(line.count, line.digest):
            self.outcome.passes(line)
        else:
            self.outcome.fails(self._compared(line, case, listed, got))

    def _compared(self, line: SuiteCase, case: Case, listed: list[Board], got: Figures) -> Failure:
        found = compared(case, listed, distinct=True)
        same = "bgfast lists what the engine lists: the suite says something else"
        return Failure(line, got, found[0].message if found else same, case, found)

    def _run_table(self, table: Sequence[PerftLine], progress: _Progress) -> None:
        counted: dict[int, Leaves] = {}
        try:
            for depth, leaves in enumerate(self._levels(table, progress), 1):
                counted[depth] = leaves
        except UnreachableError:
            for line in table:
                if line.depth not in counted:
                    self.outcome.skips(line, "the engine cannot be set to a position that follows")
        except (EngineError, MissingEngineError) as error:
            for line in table:
                if line.depth not in counted:
                    self.outcome.fails(Failure(line, None, str(error), None, (no_answer(error),)))
        for line in table:
            if line.depth not in counted:
                continue
            if counted[line.depth] == line.leaves:
                self.outcome.passes(line)
            else:
                over_21, over_36 = counted[line.depth]
                self.outcome.fails(Failure(line, Figures(over_21, str(over_36))))

    def _levels(self, table: Sequence[PerftLine], progress: _Progress) -> Iterator[Leaves]:
        """Yield the leaves of depth 1, 2, ... as far as the table goes.

        Equal positions of a level are asked for once and counted as often as they come: their successors are
        the same. The leaves are exact.
        """
        rules = self.suite.rule_sets[table[0].rules]
        level: dict[Board, Leaves] = {table[0].board: (1, 1)}
        finished = (0, 0)
        for _ in range(table[-1].depth):
            below: defaultdict[Board, Leaves] = defaultdict(lambda: (0, 0))
            for board, (over_21, over_36) in level.items():
                for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
                    listed = self._successors(Case(board, roll, rules)) or [board]
                    if problem := impossible(listed, board, (MOVER,)):
                        raise RubbishError(problem)
                    progress.one_more()
                    for after, times in Counter(listed).items():
                        known_21, known_36 = below[after]
                        below[after] = known_21 + times * over_21, known_36 + times * over_36 * weight
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
    """Tells how much is done; a table may take fewer questions than planned or, of a wrong engine, more."""

    def __init__(self, tell: Callable[[float], None], work: int) -> None:
        self.done = 0
        self._tell = tell
        self._work = work

    def one_more(self) -> None:
        self.done += 1
        self._tell(min(self.done / self._work, 1.0))


def _questions(table: Sequence[PerftLine]) -> int:
    """Return how many questions a table takes at most."""
    known = {line.depth: line.leaves[0] for line in table}
    return len(ROLLS) * (1 + sum(known.get(depth, 0) for depth in range(1, table[-1].depth)))
