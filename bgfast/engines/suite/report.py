"""The outcome of a suite as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bgfast.engines.suite.outcome import Answer, Failure, Outcome, Tally
from bgfast.engines.suite.suite_file import PerftLine

__all__ = ["report_content", "report_text"]

MOST_SHOWN = 20  # failures in the text; JSON has them all
MOST_PLAYS = 8  # of a failure in the text


def report_text(outcome: Outcome) -> str:
    """Return a table of the sections, why cases were not run, the first failures, and a last line."""
    total = outcome.total
    width = max(map(len, [*outcome.tallies, "section"]))
    lines = [f"{'section':{width}}  {'passed':>7}  {'failed':>7}  {'not run':>7}"]
    lines += [_row(name, tally, width) for name, tally in outcome.tallies.items()]
    lines += [_row("total", total, width), ""]
    lines += [f"not run: {_cases(many)}: {reason}" for reason, many in total.not_run.items()]
    for failure in outcome.failures[:MOST_SHOWN]:
        lines += ["", *_failure_lines(failure)]
    if len(outcome.failures) > MOST_SHOWN:
        lines += [
            "",
            f"... and {_cases(len(outcome.failures) - MOST_SHOWN)} more failed; --json lists them all",
        ]
    if outcome.failures:
        lines.append("")
    return "\n".join([*lines, _summary(total)])


def report_content(outcome: Outcome) -> dict[str, Any]:
    """Return the same for JSON, with every failure."""
    total = outcome.total
    return {
        "passed": total.passed,
        "failed": total.failed,
        "not_run": _many(total.not_run),
        "sections": {
            name: {"passed": tally.passed, "failed": tally.failed, "not_run": dict(tally.not_run)}
            for name, tally in outcome.tallies.items()
        },
        "failures": [_failure_content(failure) for failure in outcome.failures],
    }


def _row(name: str, tally: Tally, width: int) -> str:
    return f"{name:{width}}  {tally.passed:7}  {tally.failed:7}  {_many(tally.not_run):7}"


def _many(reasons: Counter[str]) -> int:
    return sum(reasons.values())


def _cases(many: int) -> str:
    return "1 case" if many == 1 else f"{many} cases"


def _summary(total: Tally) -> str:
    left = _many(total.not_run)
    if total.failed:
        verdict = f"FAILED: {_cases(total.failed)}"
    elif total.passed:
        verdict = "passed" if not left else "passed what was run"
    else:
        verdict = "nothing was run"
    return f"{verdict} ({total.passed} passed, {total.failed} failed, {left} not run)"


def _failure_lines(failure: Failure) -> Iterator[str]:
    line = failure.line
    perft = isinstance(line, PerftLine)
    if isinstance(line, PerftLine):
        reason, asked = "", f"depth {line.depth}"
    else:
        reason, asked = line.reason, f"roll {line.roll[0]},{line.roll[1]}"
    yield f"{line.id}, rules {line.rules}{': ' if reason else ''}{reason}"
    yield f"  board {','.join(map(str, line.board))}  {asked}"
    got = "no answer" if failure.got is None else _answer(failure.got, perft)
    yield f"  expected {_answer(failure.expected, perft)}; got {got}"
    if failure.message:
        yield f"  {failure.message}"
    for what, plays in _plays(failure).items():
        if plays:
            more = f" ; ... {len(plays) - MOST_PLAYS} more" if len(plays) > MOST_PLAYS else ""
            yield f"  {what}: {' ; '.join(plays[:MOST_PLAYS])}{more}"


def _answer(answer: Answer, perft: bool) -> str:
    if perft:
        return f"{answer.count} leaves over 21 rolls, {answer.mark} over 36"
    return f"{answer.count} successors, hash {answer.mark}"


def _plays(failure: Failure) -> dict[str, tuple[str, ...]]:
    return {"missing": failure.missing, "illegal": failure.illegal, "repeated": failure.repeated}


def _failure_content(failure: Failure) -> dict[str, Any]:
    line = failure.line
    content: dict[str, Any] = {
        "id": line.id,
        "section": line.section,
        "rules": line.rules,
        "board": line.board,
    }
    if isinstance(line, PerftLine):
        content["depth"] = line.depth
    else:
        content |= {"roll": line.roll, "reason": line.reason}
    for name, answer in (("expected", failure.expected), ("got", failure.got)):
        content[name] = None if answer is None else _answer_content(answer, isinstance(line, PerftLine))
    return content | {"message": failure.message} | _plays(failure)


def _answer_content(answer: Answer, perft: bool) -> dict[str, Any]:
    if perft:
        return {"leaves_21": answer.count, "leaves_36": int(answer.mark)}
    return {"count": answer.count, "hash": answer.mark}
