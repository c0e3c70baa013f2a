"""The outcome of a suite as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bgfast.engines.crosscheck.attribution import Attribution
from bgfast.engines.crosscheck.difference import Difference
from bgfast.engines.crosscheck.disagreements import Comparison
from bgfast.engines.crosscheck.result_text import Result, described
from bgfast.engines.suite.outcome import GROUPS, Failure, Figures, Outcome, Tally
from bgfast.engines.suite.suite_file import PerftLine

__all__ = ["report_content", "report_text"]

MOST_SHOWN = 5  # failures of each group in the text; JSON has them all
MOST_PLAYS = 8  # of a failure in the text


def report_text(outcome: Outcome) -> str:
    """Return a table of the sections, why cases were not run, what failed by rule, and a last line."""
    total = outcome.total
    width = max(map(len, [*outcome.tallies, "section"]))
    lines = [f"{'section':{width}}  {'passed':>7}  {'failed':>7}  {'not run':>7}"]
    lines += [_row(name, tally, width) for name, tally in outcome.tallies.items()]
    lines += [_row("total", total, width), ""]
    lines += [f"not run: {_cases(many)}: {reason}" for reason, many in total.not_run.items()]
    if outcome.failures:
        lines += [*_group_lines(outcome), ""]
    return "\n".join([*lines, _summary(total)])


def report_content(outcome: Outcome) -> dict[str, Any]:
    """Return the same for JSON, with every failure."""
    total = outcome.total
    attribution = outcome.attribution()
    return {
        "passed": total.passed,
        "failed": total.failed,
        "not_run": _many(total.not_run),
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
    """Yield how many cases failed by which rule, then the first cases of each, each case once."""
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
        for failure in new[:MOST_SHOWN]:
            yield ""
            yield from _failure_lines(failure, attribution)
        if len(new) > MOST_SHOWN:
            yield ""
            yield f"... and {_cases(len(new) - MOST_SHOWN)} more; --json lists them all"


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


def _failure_lines(failure: Failure, attribution: Attribution) -> Iterator[str]:
    line = failure.line
    perft = isinstance(line, PerftLine)
    if isinstance(line, PerftLine):
        reason, asked = "", f"depth {line.depth}"
    else:
        reason, asked = line.reason, f"roll {line.roll[0]},{line.roll[1]}"
    yield f"{line.id}, rules {line.rules}{': ' if reason else ''}{reason}"
    yield f"  board {','.join(map(str, line.board))}  {asked}"
    got = "no answer" if failure.got is None else _figures_text(failure.got, perft)
    yield f"  expected {_figures_text(failure.expected, perft)}; got {got}"
    if failure.message:
        yield f"  {failure.message}"
    for what, plays in _plays(failure, attribution).items():
        if plays:
            more = f" ; ... {len(plays) - MOST_PLAYS} more" if len(plays) > MOST_PLAYS else ""
            yield f"  {what}: {' ; '.join(plays[:MOST_PLAYS])}{more}"


def _figures_text(figures: Figures, perft: bool) -> str:
    if perft:
        return f"{figures.count} leaves over 21 rolls, {figures.mark} over 36"
    return f"{figures.count} successors, hash {figures.mark}"


def _plays(failure: Failure, attribution: Attribution) -> dict[str, tuple[str, ...]]:
    """Return the plays that only bgfast lists, that only the engine lists, and that it lists repeatedly."""
    plays: dict[str, tuple[str, ...]] = dict.fromkeys(Difference._fields, ())
    if failure.case is not None:
        comparison = Comparison(0, failure.case, True, failure.disagreements)
        for kind, boards in comparison.difference._asdict().items():
            plays[kind] = tuple(map(_result_text, described(comparison, boards, attribution)))
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


def _figures_content(figures: Figures, perft: bool) -> dict[str, Any]:
    if perft:
        return {"leaves_21": figures.count, "leaves_36": int(figures.mark)}
    return {"count": figures.count, "hash": figures.mark}
