"""The report of a cross-check: as text that can be pasted into an issue, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bgfast.common.version import __version__
from bgfast.engines.crosscheck.cases import CaseList
from bgfast.engines.crosscheck.difference import legal_successors
from bgfast.engines.crosscheck.disagreements import SENTENCES, ClassKey, Sighting
from bgfast.engines.crosscheck.result_text import Result, described
from bgfast.engines.crosscheck.run import Checked, Example, example_of
from bgfast.engines.protocol import Case
from bgfast.position.objects import Position

__all__ = ["Report", "json_report", "text_report"]

MOST = 12
"""Plays of one list that the text shows."""


class Report(NamedTuple):
    """What is reported.

    Attributes
    ----------
    engines : sequence of Checked
        In the order in which they were named.
    cases : CaseList
    rules : str
        The name of the rule set.
    interrupted : bool
    seconds : float
    """

    engines: Sequence[Checked]
    cases: CaseList
    rules: str
    interrupted: bool
    seconds: float


def text_report(report: Report) -> str:
    """Return the report as text in Markdown."""
    lines = [
        f"bgfast {__version__} crosscheck: {_cases_text(report)}, rules `{report.rules}`, "
        f"{report.seconds:.1f} s",
        "",
        "| engine | version | compared | not reachable | classes | result |",
        "|---|---|---:|---:|---:|---|",
    ]
    for engine in report.engines:
        cells = [
            _cell(engine.title),
            _cell(engine.version) or "–",
            f"{engine.compared:,}",
            f"{engine.unreachable:,}",
            str(len(engine.classes)),
            _cell(_result(engine)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    for engine in report.engines:
        for key in engine.classes:
            lines += ["", *_class_lines(engine, key, report)]
    if report.interrupted:
        lines += ["", "INTERRUPTED: this is what was done until then."]
    return "\n".join(lines)


def json_report(report: Report) -> dict[str, Any]:
    """Return the report as JSON can hold it."""
    return {
        "bgfast": __version__,
        "rules": report.rules,
        "cases": len(report.cases),
        "job": report.cases.job(),
        "interrupted": report.interrupted,
        "seconds": report.seconds,
        "missing": [engine.name for engine in report.engines if engine.engine is None],
        "engines": [_engine_json(engine) for engine in report.engines],
    }


def _cases_text(report: Report) -> str:
    cases = report.cases
    parts = [
        (len(cases.file.positions) if cases.file else 0, "of a file"),
        (cases.hard, "random"),
        (cases.bearoff, "with bear-offs"),
        (cases.games, "of games"),
    ]
    positions = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    rolls = "all 36 ordered rolls each" if cases.all_rolls else "one roll each"
    return f"{len(cases):,} cases (positions: {positions}; {rolls}; seed {cases.seed})"


def _result(engine: Checked) -> str:
    said = [engine.unchecked] if engine.unchecked else []
    if engine.stopped and engine.stopped not in engine.unchecked:
        said.append(engine.stopped)
    if engine.compared:
        said.append("DISAGREES" if engine.classes else "agrees")
    return "; ".join(said) or "nothing compared"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _class_lines(engine: Checked, key: ClassKey, report: Report) -> Iterator[str]:
    met, example = engine.classes[key], example_of(engine, key)
    sighting = example.sighting
    case = sighting.case
    position = Position.from_array(case.board, case.checkers)
    yield f"## {engine.title} {engine.version}: {key.kind}, {key.rule}"
    yield ""
    yield f"{SENTENCES[key]}"
    yield ""
    first = f"number {met.first.number + 1}, {_short(met.first.case)}"
    yield f"{met.cases:,} of {engine.compared:,} cases; the first was {first}. {example.note}"
    yield ""
    yield "```"
    yield str(position)
    yield "```"
    yield ""
    yield f"* GNU position ID `{position.gnubg_id}`, `{_xgid(position, case)}`"
    yield f"* roll {case.roll[0]}-{case.roll[1]}, rules `{report.rules}`, {_checkers_text(case)}"
    legal = [str(play) for play in position.plays(case.roll, case.rules)]
    yield f"* legal: {_listed([f'`{play}`' for play in legal]) if legal else 'no play, the turn passes'}"
    if sighting.message:
        yield f"* {engine.title}: {key.kind}, {sighting.message}"
    else:
        whole = _whole_list(sighting)
        yield f"* listed by {engine.title}: {_listed(whole) if whole else 'no play'}"
        yield f"* {key.kind}: {_listed([_wrong_text(result) for result in _wrong(sighting)])}"


def _listed(texts: Sequence[str]) -> str:
    if len(texts) <= MOST:
        return f"{len(texts)}: {'; '.join(texts)}"
    return f"{len(texts)}: {'; '.join(texts[:MOST])}; and {len(texts) - MOST} more"


def _checkers_text(case: Case) -> str:
    return f"{case.checkers} checkers a side, those not shown borne off"


def _short(case: Case) -> str:
    return f"{Position.from_array(case.board, case.checkers).gnubg_id} {case.roll[0]}-{case.roll[1]}"


def _xgid(position: Position, case: Case) -> str:
    """The XGID with the roll, so that it says everything when pasted elsewhere."""
    return position.xgid.replace(":00:", f":{case.roll[0]}{case.roll[1]}:", 1)


def _wrong(sighting: Sighting) -> list[Result]:
    return described(sighting.case, sighting.boards)


def _wrong_text(result: Result) -> str:
    first = f"`{result.play}` to {result.place}" if result.play else result.place
    return f"{first}: {result.reason}" if result.reason else first


def _whole_list(sighting: Sighting) -> list[str]:
    """Return what the engine lists in all, what is illegal after the legal plays."""
    case, found = sighting.case, sighting.found
    assert found is not None
    legal = [board for board in legal_successors(case) if board not in found.missing]
    texts = []
    for result in described(case, [*legal, *found.illegal]):
        marks = ["illegal"] * (result.rule is not None) + ["repeated"] * (result.board in found.repeated)
        texts.append(f"`{result.play or result.place}`" + (f" ({', '.join(marks)})" if marks else ""))
    return texts


def _engine_json(engine: Checked) -> dict[str, Any]:
    return {
        "name": engine.name,
        "title": engine.title,
        "version": engine.version or None,
        "missing": engine.engine is None,
        "unchecked": engine.unchecked or None,
        "stopped": engine.stopped or None,
        "done": engine.done,
        "compared": engine.compared,
        "unreachable": engine.unreachable,
        "seconds": engine.seconds,
        "classes": [_class_json(engine, key) for key in engine.classes],
    }


def _class_json(engine: Checked, key: ClassKey) -> dict[str, Any]:
    met = engine.classes[key]
    example: Example = example_of(engine, key)
    return {
        "kind": key.kind,
        "rule": key.rule,
        "sentence": SENTENCES[key],
        "cases": met.cases,
        "first": _sighting_json(met.first),
        "example": {
            **_sighting_json(example.sighting),
            "shrunk": example.shrunk,
            "attempts": example.attempts,
            "note": example.note,
        },
    }


def _sighting_json(sighting: Sighting) -> dict[str, Any]:
    case = sighting.case
    position = Position.from_array(case.board, case.checkers)
    return {
        "case": sighting.number + 1,
        "board": case.board,
        "checkers": case.checkers,
        "gnubg_id": position.gnubg_id,
        "xgid": _xgid(position, case),
        "roll": case.roll,
        "game": None if case.game is None else [turn._asdict() for turn in case.game],
        "legal": [str(play) for play in position.plays(case.roll, case.rules)],
        "listed": None if sighting.found is None else _whole_list(sighting),
        "wrong": [result._asdict() for result in _wrong(sighting)],
        "message": sighting.message or None,
    }
