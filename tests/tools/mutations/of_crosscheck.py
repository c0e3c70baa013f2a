"""How to break the cross-check on purpose: the mutations of bgfast/engines/crosscheck."""

from __future__ import annotations

__all__ = ["CROSSCHECK_MUTATIONS", "CROSSCHECK_TESTS"]

_TESTS = [
    "tests/engines/crosscheck/test_diagnosis.py",
    "tests/engines/crosscheck/test_cases.py",
    "tests/engines/crosscheck/test_run.py",
]
_SHRINKING = "bgfast/engines/crosscheck/shrinking.py"
_CLASSES = "bgfast/engines/crosscheck/disagreements.py"
_RUNNING = "bgfast/engines/crosscheck/workers.py"
_CHECKING = "bgfast/engines/crosscheck/run.py"
_RESUME = "bgfast/engines/crosscheck/resume_file.py"
_CASES = "bgfast/engines/crosscheck/cases.py"
_FILES = "bgfast/engines/crosscheck/position_files.py"
_DECIDING = "bgfast/engines/crosscheck/diagnosis.py"
_REPORT = "bgfast/engines/crosscheck/report.py"
_COMMAND = "bgfast/cli/crosscheck.py"

CROSSCHECK_TESTS = {
    **dict.fromkeys((_SHRINKING, _CLASSES, _RUNNING, _CHECKING, _RESUME, _CASES, _FILES, _DECIDING), _TESTS),
    _REPORT: ["tests/cli/test_crosscheck.py"],
    _COMMAND: ["tests/cli/test_crosscheck.py"],
}

# name, what stands there, what comes in its place, source
CROSSCHECK_MUTATIONS = [
    ("no pairs are taken off", "taken += combinations_with_replacement(places, 2)", "pass", _SHRINKING),
    ("a side may lose its last checker", " and max(after) > 0 > min(after)", "", _SHRINKING),
    (
        "the greatest case is kept",
        "< self.size(known.smallest.case)",
        "> self.size(known.smallest.case)",
        _CLASSES,
    ),
    (
        "answers are taken as they come",
        "while first in early:",
        "while early and (first := min(early)) is not None:",
        _RUNNING,
    ),
    (
        "failures need not be in a row",
        "failures + 1 if answer.failed else 0",
        "failures + answer.failed",
        _CHECKING,
    ),
    ("engines that replay games are shrunk", "if not engine.capabilities.positions:", "if False:", _CHECKING),
    ("failures before a stop are forgotten", "_failures_at_the_end(kept)", "0", _CHECKING),
    ("nothing compared is no defect", "if checked.done and not checked.compared", "if False", _CHECKING),
    ("classes that were kept are forgotten", "_restore(classes, cases, kept)", "pass", _CHECKING),
    ("half a line stays in the file", "file.truncate(self._length)", "pass", _RESUME),
    ("parts of a file may be missing", "kept.end == first < end", "first < end", _RESUME),
    ("only the last part is counted", "kept.unreachable + unreachable", "unreachable", _RESUME),
    ("a game may begin with a double", "while first and roll[0] == roll[1]", "while False", _CASES),
    ("one position again and again", "{kind}/{number}", "{kind}", _CASES),
    ("--checkers is forgotten", "named else checkers", "named else None", _FILES),
    ("the last checker is no case of its own", "if rearmost(result) else", "if True else", _DECIDING),
    ("hopeless results are searched to the end", "if astray > len(dice):", "if False:", _DECIDING),
    ("the XGID has no roll", '":00:", f"', '":99:", f"', _REPORT),
    ("Ctrl-C is success", "return INTERRUPTED if interrupted else", "return", _COMMAND),
    (
        "an engine that was not checked is passed",
        "checked.unchecked or checked.stopped for",
        "checked.stopped for",
        _COMMAND,
    ),
    ("a resume file that fails is not told", "raise failure", "pass", _COMMAND),
]
