"""How to break the cross-check on purpose: the mutations of bgfast/engines/crosscheck."""

from __future__ import annotations

__all__ = ["CROSSCHECK_MUTATIONS", "CROSSCHECK_TESTS"]

_TESTS = [
    "tests/engines/crosscheck/test_diagnosis.py",
    "tests/engines/crosscheck/test_cases.py",
    "tests/engines/crosscheck/test_run.py",
]
_RULE_TESTS = [
    "tests/engines/crosscheck/test_diagnosis.py",
    "tests/engines/crosscheck/test_disagreements.py",
    "tests/engines/crosscheck/test_attribution.py",
    "tests/engines/crosscheck/test_lifted_rules.py",
]
_SHRINKING = "bgfast/engines/crosscheck/shrinking.py"
_DISAGREEMENTS = "bgfast/engines/crosscheck/disagreements.py"
_ATTRIBUTION = "bgfast/engines/crosscheck/attribution.py"
_LIFTED = "bgfast/position/explain/lifted_turn.py"
_RESULTS = "bgfast/engines/crosscheck/result_text.py"
_RUNNING = "bgfast/engines/crosscheck/workers.py"
_CHECKING = "bgfast/engines/crosscheck/run.py"
_RESUME = "bgfast/engines/crosscheck/resume_file.py"
_CASES = "bgfast/engines/crosscheck/cases.py"
_FILES = "bgfast/engines/crosscheck/position_files.py"
_DECIDING = "bgfast/engines/crosscheck/diagnosis.py"
_REPORT = "bgfast/engines/crosscheck/report.py"
_COMMAND = "bgfast/cli/crosscheck.py"
_SIDES = "bgfast/engines/sides.py"
_REPORTED = "tests/cli/test_crosscheck.py"

CROSSCHECK_TESTS = {
    **dict.fromkeys((_SHRINKING, _RUNNING, _CHECKING, _RESUME, _CASES, _FILES), _TESTS),
    **dict.fromkeys((_DISAGREEMENTS, _DECIDING, _ATTRIBUTION, _LIFTED, _RESULTS), _RULE_TESTS),
    _SIDES: ["tests/engines/crosscheck/test_disagreements.py"],
    _REPORT: [_REPORTED],
    _COMMAND: [_REPORTED],
}

# name, what stands there, what comes in its place, source
CROSSCHECK_MUTATIONS = [
    (
        "Ctrl-C during start leaves the started threads",
        "    try:  # Ctrl-C may arrive before all threads have started\n"
        "        for thread in threads:\n            thread.start()\n",
        "    for thread in threads:\n        thread.start()\n    try:\n",
        _RUNNING,
    ),
    ("no pairs are taken off", "removals += combinations_with_replacement(points, 2)", "pass", _SHRINKING),
    ("a side may lose its last checker", " and max(after) > 0 > min(after)", "", _SHRINKING),
    (
        "the greatest case is kept",
        "self.size(comparison.case) < self.size(smallest.case)",
        "self.size(comparison.case) > self.size(smallest.case)",
        _ATTRIBUTION,
    ),
    (
        "comparisons are yielded out of order",
        "while first in early:",
        "while early and (first := min(early)) is not None:",
        _RUNNING,
    ),
    (
        "failures need not be consecutive",
        "failures + 1 if comparison.failed else 0",
        "failures + comparison.failed",
        _CHECKING,
    ),
    ("engines that replay games are shrunk", "if not engine.capabilities.positions:", "if False:", _CHECKING),
    ("failures before a stop are forgotten", "_trailing_failures(saved)", "0", _CHECKING),
    ("nothing compared is no defect", "if run.done and not run.compared", "if False", _CHECKING),
    ("resumed cases are not restored", "_restore(run.evidence, cases, saved)", "pass", _CHECKING),
    ("parts of a file may be missing", "progress.end == first < end", "first < end", _RESUME),
    ("only the last part is counted", "progress.unreachable + unreachable", "unreachable", _RESUME),
    ("a game may begin with a double", "while first and roll[0] == roll[1]", "while False", _CASES),
    ("all positions of a kind are equal", "{kind}/{number}", "{kind}", _CASES),
    ("a roll of a file beats --rolls all", " and not self.all_rolls else", " else", _CASES),
    ("the named cases are not asked", "for board, roll in self.named:", "for board, roll in ():", _CASES),
    ("the command passes no named cases", "named=named_turns(),", "", _COMMAND),
    ("--checkers is forgotten", '" ".join(words), checkers)', '" ".join(words))', _FILES),
    ("the last checker has no separate rule", "if rearmost(result) else", "if True else", _DECIDING),
    (
        "the first rule is named, not the one that explains most",
        "lambda rule: (scores[rule], -_RANKS[rule])",
        "lambda rule: -_RANKS[rule]",
        _ATTRIBUTION,
    ),
    ("exotic mistakes come first", "-_RANKS[rule]), default", "_RANKS[rule]), default", _ATTRIBUTION),
    (
        "partial explanations count as full ones",
        "if all(rule in rules for rules in missing_rules):",
        "if False:",
        _ATTRIBUTION,
    ),
    (
        "missing plays are not evidence",
        'if all(_explained(s, {*selected, rule}) for s in symptoms if s.kind == "missing"):',
        "if False:",
        _ATTRIBUTION,
    ),
    (
        "missing plays are attributed to rules that the engine does not break",
        'if symptom.causes and symptom.kind == "illegal" else ()',
        "if symptom.causes else ()",
        _ATTRIBUTION,
    ),
    (
        "rules are not reconsidered",
        "_smallest_pair(patterns, _reselect(patterns, selected))",
        "_smallest_pair(patterns, selected)",
        _ATTRIBUTION,
    ),
    ("three rules are as good as two", "if len(selected) <= 2:", "if True:", _ATTRIBUTION),
    (
        "a symptom of two rules belongs to one class",
        "for rule in cause] or",
        "for rule in [*cause][:1]] or",
        _ATTRIBUTION,
    ),
    (
        "an explanation of a part explains the case",
        "set.intersection(*alternatives)",
        "set.union(*alternatives)",
        _ATTRIBUTION,
    ),
    (
        "an example may be ambiguous",
        "[s for s in symptoms if _is_clear(s)] or symptoms",
        "symptoms",
        _ATTRIBUTION,
    ),
    ("the smallest class comes first", "(-item[1].cases,", "(item[1].cases,", _ATTRIBUTION),
    ("unexamined successors are a class", "if symptom.rule != UNEXAMINED:", "if True:", _ATTRIBUTION),
    (
        "only the first results are examined",
        "{index * len(boards) // size for index in range(size)}",
        "set(range(size))",
        _DISAGREEMENTS,
    ),
    (
        "a wrong move excuses a number that is not played",
        "if broken.isdisjoint(CAPTURES):",
        "if not broken:",
        _DECIDING,
    ),
    ("higher-die is blind to other rules", ".longest > turn.longest:", ".longest > 4:", _DECIDING),
    ("a pass is blind to other rules", "elif lifted.longest:", "elif False:", _DECIDING),
    ("forfeits that are not listed are a pass", "if lifted.lists(turn.start.board):", "if False:", _DECIDING),
    (
        "compulsory bear-offs shorten no play",
        "    if turn.rules.bearoff_compulsory:\n        lifted_rules",
        "    if False:\n        lifted_rules",
        _DECIDING,
    ),
    (
        "the dice that there are may be too many",
        "if not Counter(extended.dice) - Counter(dice_left) <= Counter(dice):",
        "if True:",
        _DECIDING,
    ),
    ("forfeits are dice too many", "if broken and step.is_forfeit:", "if False:", _DECIDING),
    (
        "sets of rules need not be smallest",
        "if not any(other < candidate for other in unique)}",
        "}",
        _DECIDING,
    ),
    (
        "the lower number is no reason to miss the higher",
        '[("higher-die",)] if any(',
        "[] if any(",
        _DECIDING,
    ),
    ("lifted hits are still taken", "if self._never_hits:", "if False:", _LIFTED),
    (
        "impossible bear-offs are not required",
        "if self._must_bear_off and any(",
        "if False and any(",
        _LIFTED,
    ),
    (
        "with rules lifted the higher number need not be played",
        "if self.longest == used == 1 and len(state.dice) == 1",
        "if not hasattr(self, '_lifted') and self.longest == used == 1 and len(state.dice) == 1",
        "bgfast/position/explain/turn.py",
        "tests/engines/crosscheck/test_lifted_rules.py",
    ),
    (
        "a play is printed though checkers have met",
        "_way_text(turn, way) if way.plain else None",
        "_way_text(turn, way)",
        _RESULTS,
    ),
    (
        "an example need not be clear",
        "is_clear(class_, comparison) >= must_be_clear",
        "is_clear(class_, comparison) >= 0",
        _CHECKING,
    ),
    (
        "the classes are decided before the end",
        "run.classes = run.evidence.classes(run.attribution)",
        "run.classes = run.evidence.classes(Attribution())",
        _CHECKING,
    ),
    ("the perspective is never converted", "if side is MOVER:", "if True:", _DISAGREEMENTS),
    (
        "the perspective is converted without legal boards",
        "return best if counts.get(best) else MOVER",
        "return best",
        _DISAGREEMENTS,
    ),
    (
        "broken rules of a converted list are not diagnosed",
        "return flipped, *disagreements(",
        "return flipped, *(lambda *_: ())(",
        _DISAGREEMENTS,
    ),
    (
        "impossible boards are compared",
        "problem = impossible_board(listed, case.board, (MOVER,))",
        'problem = ""',
        _DISAGREEMENTS,
    ),
    (
        "the bars always go with the points",
        "dict.fromkeys((points, _same, _flipped, _reversed, _negative))",
        "(points,)",
        _SIDES,
    ),
    (
        "a checker that is hit has to be on the board",
        "if other_after > other:",
        "if other_after != other:",
        _SIDES,
    ),
    (
        "impossible boards are accepted",
        "return (side for side in sides if not any(",
        "return (side for side in sides if True or any(",
        _SIDES,
    ),
    ("the XGID has no roll", '":00:", f"', '":99:", f"', _REPORT),
    ("Ctrl-C is success", "return INTERRUPTED if interrupted else", "return", _COMMAND),
    (
        "an unchecked engine is a success",
        "engine_run.unchecked or engine_run.stopped for",
        "engine_run.stopped for",
        _COMMAND,
    ),
    (
        "a match ID is a separate position",
        'if not (positions and is_match_id(" ".join(words))):',
        "if True:",
        _FILES,
    ),
    (
        "a match ID needs no position",
        'if not (positions and is_match_id(" ".join(words))):',
        'if not is_match_id(" ".join(words)):',
        _FILES,
    ),
    (
        "the name of no engine is reported",
        "except UnknownEngineError:",
        "except KeyError:",
        _CHECKING,
        _REPORTED,
    ),
    ("a failing resume file is not reported", "raise failure", "pass", _COMMAND),
]
