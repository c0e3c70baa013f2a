"""How to break the conformance suite on purpose: a part of `tests.tools.mutations` that needs no compiler."""

from __future__ import annotations

__all__ = ["SUITE_MUTATIONS", "SUITE_TESTS"]

_DIGEST = "bgfast/engines/suite/digest.py"
_SPLITMIX = "bgfast/engines/suite/splitmix.py"
_SAMPLES = "bgfast/engines/suite/samples.py"
_NAMED = "bgfast/engines/suite/named_cases.py"
_LINES = "bgfast/engines/suite/rule_positions.py"
_BUILDING = "bgfast/engines/suite/building.py"
_FILE = "bgfast/engines/suite/suite_file.py"
_RUNNING = "bgfast/engines/suite/running.py"
_OUTCOME = "bgfast/engines/suite/outcome.py"
_REPORT = "bgfast/engines/suite/report.py"
_COMMAND = "bgfast/cli/suite.py"
_PROTOCOL = "bgfast/engines/protocol.py"

_PUBLISHED_TESTS = ["tests/engines/suite/test_published.py"]
_COMMAND_TESTS = ["tests/cli/test_suite.py"]
_RUN_TESTS = ["tests/engines/suite/test_running.py"]
SUITE_TESTS = {
    **dict.fromkeys((_DIGEST, _SPLITMIX, _SAMPLES, _NAMED, _LINES, _BUILDING), _PUBLISHED_TESTS),
    _FILE: ["tests/engines/suite/test_suite_file.py"],
    **dict.fromkeys((_RUNNING, _OUTCOME, _REPORT, _PROTOCOL), _RUN_TESTS),
    _COMMAND: _COMMAND_TESTS,
}

# name, what stands there, what comes in its place, source
SUITE_MUTATIONS = [
    (
        "the suite's hash without mixing",
        "map(mix, map(position_hash, boards))",
        "map(position_hash, boards)",
        _DIGEST,
    ),
    ("the suite's hash of signed bytes", "(number & 255)", "abs(number)", _DIGEST),
    ("SplitMix64 with a wrong shift", "value ^ value >> 27", "value ^ value >> 28", _SPLITMIX),
    ("a deck of rolls that is not shuffled", "random.shuffled(ORDERED_ROLLS)", "ORDERED_ROLLS", _SAMPLES),
    (
        "rolls drawn one by one, not equally often",
        "yield from random.shuffled(ORDERED_ROLLS)",
        "yield random.choice(ORDERED_ROLLS)",
        _SAMPLES,
    ),
    (
        "engine defects in one order of the dice only",
        "dict.fromkeys([(high, low), (low, high)])",
        "[(high, low)]",
        _NAMED,
    ),
    (
        "named turns with one order of the dice",
        ", (case.board, (second, first)): None}",
        "}",
        _NAMED,
        "tests/engines/crosscheck/test_cases.py",
    ),
    (
        "perft through an engine continues with impossible boards",
        "if problem := impossible_board(listed, board, (MOVER,)):",
        "if problem := 0:",
        _RUNNING,
    ),
    (
        "a side without checkers plays on",
        "if max(after[1:]) > 0 > min(after[:BAR]):",
        "if max(after[1:]) > 0:",
        _RUNNING,
    ),
    ("named cases without reasons", "reason=case.reason.translate(ASCII)", 'reason=""', _NAMED),
    (
        "a reason that belongs to the next position",
        'current, reason = line.strip(), ""',
        "current = line.strip()",
        _LINES,
    ),
    (
        "perft of the suite without weights",
        "rules=RULE_SETS[rules], weighted=True)",
        "rules=RULE_SETS[rules])",
        _BUILDING,
    ),
    ("another version is read", "    if text == FIRST_LINE:", "    if text:", _FILE),
    ("a file that was cut off is read", "if not self.ended:", "if False:", _FILE),
    ("the number of cases is not compared", "if stated != number:", "if False:", _FILE),
    ("a suite without cases is read", "if not number:", "if False:", _FILE),
    ("an ID comes twice", "if name in self.ids:", "if False:", _FILE),
    ("a finished position is read", 'if position.phase == "over":', "if False:", _FILE),
    ("a pass with a hash", "if count == 0 and digest != NO_POSITIONS:", "if False:", _FILE),
    ("lines behind the end are read", "        if self.ended:\n", "        if False:\n", _FILE),
    ("fields are not counted", "if len(words) != len(fields):", "if len(words) < len(fields):", _FILE),
    ("lines are numbered from 0", "enumerate(lines, 1)", "enumerate(lines, 0)", _FILE),
    (
        "the hash is not compared",
        "if got == Figures(line.count, line.digest):",
        "if got.count == line.count:",
        _RUNNING,
    ),
    (
        "an engine that promises no distinct positions fails",
        "listed if self.engine.capabilities.distinct else ",
        "listed if True else ",
        _RUNNING,
    ),
    (
        "an engine that promises distinct positions may repeat them",
        "listed if self.engine.capabilities.distinct else ",
        "listed if False else ",
        _RUNNING,
    ),
    (
        "unsupported rule sets are asked",
        "if not capabilities.plays(self.suite.rule_sets[line.rules]):",
        "if False:",
        _RUNNING,
    ),
    (
        "rule sets are compared by name",
        "generated_switches(RuleSet.named(name)) == switches for name in self.rules",
        "True for name in self.rules",
        _PROTOCOL,
    ),
    (
        "unreachable positions count as passed",
        'self.outcome.skip(line, "the engine cannot be set to the position")',
        "self.outcome.add_pass(line)",
        _RUNNING,
    ),
    (
        "an engine is never given up",
        "self._consecutive_failures >= MAX_FAILURES",
        "False",
        _RUNNING,
        *_COMMAND_TESTS,
    ),
    (
        "an engine is given up for failures that are not consecutive",
        "        self._consecutive_failures = 0\n        return listed",
        "        return listed",
        _RUNNING,
    ),
    (
        "perft without passes",
        "self._successors(Case(board, roll, rules)) or [board]",
        "self._successors(Case(board, roll, rules))",
        _RUNNING,
    ),
    (
        "perft without the weight of rolls",
        "sum_36 + multiplicity * over_36 * weight",
        "sum_36 + multiplicity * over_36",
        _RUNNING,
    ),
    ("perft forgets how often a position comes", "sum_21 + multiplicity * over_21", "over_21", _RUNNING),
    (
        "perft forgets finished games",
        "finished = finished[0] + over_21, finished[1] + over_36",
        "finished = over_21, over_36",
        _RUNNING,
    ),
    ("perft without swapping sides", "level[flip(after)]", "level[after]", _RUNNING),
    ("perft is not compared", "if counts[line.depth] == line.leaves:", "if True:", _RUNNING),
    (
        "nothing run is a success",
        "return total.passed > 0 and total.failed == 0",
        "return total.failed == 0",
        _OUTCOME,
    ),
    (
        "JSON with the first failures only",
        "for failure in outcome.failures]",
        "for failure in outcome.failures[:20]]",
        _REPORT,
    ),
    (
        "the smallest group comes first",
        "key=lambda item: -len(item[1])",
        "key=lambda item: len(item[1])",
        _OUTCOME,
    ),
    (
        "each failure is diagnosed alone",
        "Attribution(Counter(frozenset(failure.symptoms) for failure in self.failures))",
        "Attribution()",
        _OUTCOME,
    ),
    ("failures to answer belong to no group", "(failure_of(error),)", "()", _RUNNING),
    (
        "cases are shown in every group",
        "shown.update(failure.line.id for failure in new)",
        "pass",
        _REPORT,
    ),
    ("rules broken together are listed separately", '" and ".join(result.rules)', "*result.rules", _REPORT),
    (
        "the summary omits the cases not run",
        '"passed what was run"',
        '"passed"',
        _REPORT,
        *_COMMAND_TESTS,
    ),
    ("a failure is a success", "return 0 if runner.outcome.is_success else 1", "return 0", _COMMAND),
    ("Ctrl-C is a success", "    if interrupted:\n        raise KeyboardInterrupt\n", "", _COMMAND),
]
