"""Reports of a suite run: text and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bgfast.engines.crosscheck.attribution import Attribution
from bgfast.engines.crosscheck.disagreements import Comparison, Difference
from bgfast.engines.crosscheck.result_text import Result, describe_results
from bgfast.engines.suite.outcome import GROUPS, Failure, Figures, Outcome, Tally
from bgfast.engines.suite.suite_file import PerftLine

MAX_SHOWN = 5  # failures of a group in the text; JSON has all of them
MAX_PLAYS = 8  # of a failure in the text


def report_text(outcome: Outcome) -> str:
    """Return the table of sections, the reasons for cases not run, the failures by class and a summary."""
    total = outcome.total
    width = max(map(len, [*outcome.tallies, "section"]))
    lines = [f"{'section':{width}}  {'passed':>7}  {'failed':>7}  {'not run':>7}"]
    lines += [_row(name, tally, width) for name, tally in outcome.tallies.items()]
    lines += [_row("total", total, width), ""]
    lines += [f"not run: {_cases(number)}: {reason}" for reason, number in total.not_run.items()]
    if outcome.failures:
        lines += [*_group_lines(outcome), ""]
    return "\n".join([*lines, _summary(total)])


def report_content(outcome: Outcome) -> dict[str, Any]:
    """Return the report as a JSON object, with all failures."""
    total = outcome.total
    attribution = outcome.attribution()
    return {
        "passed": total.passed,
        "failed": total.failed,
        "not_run": _sum_reasons(total.not_run),
        "sections": {
            name: {"passed": tally.passed, "failed": tally.failed, "not_run": dict(tally.not_run)}
            for name, tally in outcome.tallies.items()
        },
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


def _group_lines(outcome: Outcome) -> Iterator[str]:
    """Yield the number of failures by class, then the first failures of every class without repetition."""
    attribution = outcome.attribution()
    groups = outcome.groups(attribution)
    width = len(str(max(map(len, groups.values()))))
    for class_, failures in groups.items():
        yield f"failed: {len(failures):{width}}  {class_.kind}, {class_.rule}: {GROUPS[class_]}"
    shown: set[str] = set()
    for class_, failures in groups.items():
        new = [failure for failure in failures if failure.line.id not in shown]
        shown.update(failure.line.id for failure in new)
        if new:
            yield ""
            yield f"== {class_.kind}, {class_.rule}"
        for failure in new[:MAX_SHOWN]:
            yield ""
            yield from _failure_lines(failure, attribution)
        if len(new) > MAX_SHOWN:
            yield ""
            yield f"... and {_cases(len(new) - MAX_SHOWN)} more; --json lists them all"


def _row(name: str, tally: Tally, width: int) -> str:
    return f"{name:{width}}  {tally.passed:7}  {tally.failed:7}  {_sum_reasons(tally.not_run):7}"


def _sum_reasons(reasons: Counter[str]) -> int:
    return sum(reasons.values())


def _cases(number: int) -> str:
    return "1 case" if number == 1 else f"{number} cases"


def _summary(total: Tally) -> str:
    not_run = _sum_reasons(total.not_run)
    if total.failed:
        verdict = f"FAILED: {_cases(total.failed)}"
    elif total.passed:
        verdict = "passed" if not not_run else "passed what was run"
    else:
        verdict = "nothing was run"
    return f"{verdict} ({total.passed} passed, {total.failed} failed, {not_run} not run)"


def _failure_lines(failure: Failure, attribution: Attribution) -> Iterator[str]:
    line = failure.line
    is_perft = isinstance(line, PerftLine)
    if isinstance(line, PerftLine):
        reason, question = "", f"depth {line.depth}"
    else:
        reason, question = line.reason, f"roll {line.roll[0]},{line.roll[1]}"
    yield f"{line.id}, rules {line.rules}{': ' if reason else ''}{reason}"
    yield f"  board {','.join(map(str, line.board))}  {question}"
    got = "no answer" if failure.got is None else _figures_text(failure.got, is_perft)
    yield f"  expected {_figures_text(failure.expected, is_perft)}; got {got}"
    if failure.message:
        yield f"  {failure.message}"
    for kind, plays in _plays(failure, attribution).items():
        if plays:
            more = f" ; ... {len(plays) - MAX_PLAYS} more" if len(plays) > MAX_PLAYS else ""
            yield f"  {kind}: {' ; '.join(plays[:MAX_PLAYS])}{more}"


def _figures_text(figures: Figures, is_perft: bool) -> str:
    if is_perft:
        return f"{figures.count} leaves over 21 rolls, {figures.checksum} over 36"
    return f"{figures.count} successors, hash {figures.checksum}"


def _plays(failure: Failure, attribution: Attribution) -> dict[str, tuple[str, ...]]:
    """Return the plays by kind: missing, illegal, or repeated."""
    plays: dict[str, tuple[str, ...]] = dict.fromkeys(Difference._fields, ())
    if failure.case is not None:
        comparison = Comparison(0, failure.case, True, failure.disagreements)
        for kind, boards in comparison.difference._asdict().items():
            plays[kind] = tuple(map(_result_text, describe_results(comparison, boards, attribution)))
    return plays


def _result_text(result: Result) -> str:
    text = result.play or result.place
    rules = " or ".join([" and ".join(result.rules), *result.others])
    return f"{text} ({rules})" if rules else text


def _failure_content(failure: Failure, attribution: Attribution) -> dict[str, Any]:
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
    for name, figures in (("expected", failure.expected), ("got", failure.got)):
        content[name] = None if figures is None else _figures_content(figures, isinstance(line, PerftLine))
    return content | {"message": failure.message} | _plays(failure, attribution)


def _figures_content(figures: Figures, is_perft: bool) -> dict[str, Any]:
    if is_perft:
        return {"leaves_21": figures.count, "leaves_36": int(figures.checksum)}
    return {"count": figures.count, "hash": figures.checksum}
