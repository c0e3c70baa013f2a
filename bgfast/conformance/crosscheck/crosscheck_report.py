"""Reports of a cross-check: text for an issue tracker, and a JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from bgfast.common import __version__
from bgfast.common.validation import Board
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.attribution import Attribution
from bgfast.conformance.crosscheck.cases import CaseList
from bgfast.conformance.crosscheck.disagreements import (
    PASSES,
    SENTENCES,
    UNEXAMINED,
    ClassKey,
    Comparison,
    Symptom,
)
from bgfast.conformance.crosscheck.engine_run import CauseSummary, EngineRun, Example, example_for
from bgfast.conformance.crosscheck.lifted_turn import LiftedTurn, Way
from bgfast.conformance.protocol import Case
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position
from bgfast.position.play_text import play_text
from bgfast.position.turn import Turn, forfeit_parts

MAX_PLAYS = 12
"""Maximum number of plays of a list in the text."""


class Report(NamedTuple):
    """Data of a report."""

    engines: Sequence[EngineRun]
    cases: CaseList
    rules: str
    interrupted: bool
    seconds: float


def text_report(report: Report) -> str:
    """Return the report as Markdown text."""
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
        if engine.cause is not None:
            lines += ["", *_cause_lines(engine, engine.cause, report)]
        for class_ in engine.classes:
            lines += ["", *_class_lines(engine, class_, report)]
    if report.interrupted:
        lines += ["", "INTERRUPTED: the report covers the cases done so far."]
    return "\n".join(lines)


def json_report(report: Report) -> dict[str, Any]:
    """Return the report as a JSON object."""
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
    texts = [f"{len(cases.named):,} named"] if cases.named else []
    if positions := ", ".join(f"{number:,} {source}" for number, source in parts if number):
        rolls = "all 36 ordered rolls each" if cases.all_rolls else "one roll each"
        texts += [f"positions: {positions}", rolls]
    return f"{len(cases):,} cases ({'; '.join([*texts, f'seed {cases.seed}'])})"


def _result(engine: EngineRun) -> str:
    texts = [engine.unchecked] if engine.unchecked else []
    if engine.stopped and engine.stopped not in engine.unchecked:
        texts.append(engine.stopped)
    if engine.compared:
        texts.append("DISAGREES" if engine.classes else "agrees")
    return "; ".join(texts) or "nothing compared"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _cause_lines(engine: EngineRun, summary: CauseSummary, report: Report) -> Iterator[str]:
    example = example_for(engine.cause_example, summary.smallest)
    comparison = example.comparison
    yield f"## {engine.title} {engine.version}: {summary.cause.text(summary.plays)}"
    yield ""
    yield f"{_cases(summary.cases)} of {engine.compared:,}; no legal play that it lists has this property."
    if summary.illegal:
        yield f"Its {summary.illegal:,} illegal plays are legal ones cut short for the same reason."
    yield ""
    yield example.note
    yield from _position_lines(comparison, report)
    listed = _whole_list(engine, comparison)
    yield f"* listed by {engine.title}: {_listed(listed) if listed else 'no play'}"
    missing = describe_results(comparison, comparison.difference.missing, engine.attribution)
    yield f"* missing: {_listed([_wrong_text(result) for result in missing])}"


def _position_lines(comparison: Comparison, report: Report) -> Iterator[str]:
    case = comparison.case
    position = Position.from_array(case.board, case.checkers)
    yield ""
    yield "```"
    yield str(position)
    yield "```"
    yield ""
    yield f"* GNU position ID `{position.gnubg_id}`, `{_xgid(position, case)}`"
    checkers = f"{case.checkers} checkers a side, those not shown borne off"
    yield f"* roll {case.roll[0]}-{case.roll[1]}, rules `{report.rules}`, {checkers}"
    legal = [str(play) for play in position.plays(case.roll, case.rules)]
    yield f"* legal: {_listed([f'`{play}`' for play in legal]) if legal else 'no play, the turn passes'}"


def _class_lines(engine: EngineRun, class_: ClassKey, report: Report) -> Iterator[str]:
    summary = engine.classes[class_]
    example = example_for(engine.examples.get(class_), summary.smallest)
    comparison = example.comparison
    yield f"## {engine.title} {engine.version}: {class_.kind}, {class_.rule}"
    yield ""
    yield SENTENCES[class_]
    yield ""
    number, case = summary.first.number, summary.first.case
    position_id = Position.from_array(case.board, case.checkers).gnubg_id
    first = f"number {number + 1}, {position_id} {case.roll[0]}-{case.roll[1]}"
    yield f"{summary.cases:,} of {engine.compared:,} cases; the first was {first}. {example.note}"
    if summary.others:
        yield ""
        others = ", ".join(f"`{rule}` ({_cases(cases)})" for rule, cases in summary.others.items())
        yield f"Other rules would explain some of these cases as well: {others}."
    yield from _position_lines(comparison, report)
    if comparison.failed:
        yield f"* {engine.title}: {class_.kind}, {comparison.disagreements[0].message}"
        return
    if comparison.disagreements[0].message:
        yield f"* seen from another side: {comparison.disagreements[0].message}"
    listed = _whole_list(engine, comparison)
    yield f"* listed by {engine.title}: {_listed(listed) if listed else 'no play'}"
    for kind, results in _wrong(engine, class_, comparison).items():
        because = " for the same reason" if kind != class_.kind else ""
        yield f"* {kind}{because}: {_listed([_wrong_text(result) for result in results])}"
    for disagreement in comparison.disagreements:
        if disagreement.symptom.rule == UNEXAMINED:
            yield f"* {len(disagreement.boards):,} more {disagreement.symptom.kind}, too many to examine"


def _cases(number: int) -> str:
    return "1 case" if number == 1 else f"{number:,} cases"


def _listed(texts: Sequence[str]) -> str:
    if len(texts) <= MAX_PLAYS:
        return f"{len(texts)}: {'; '.join(texts)}"
    return f"{len(texts)}: {'; '.join(texts[:MAX_PLAYS])}; and {len(texts) - MAX_PLAYS} more"


def _xgid(position: Position, case: Case) -> str:
    return position.xgid.replace(":00:", f":{case.roll[0]}{case.roll[1]}:", 1)


def _wrong(engine: EngineRun, class_: ClassKey, comparison: Comparison) -> dict[str, list[Result]]:
    """Return the wrong successors of a case that belong to a class, by kind: illegal or missing."""
    boards: dict[str, list[Board]] = {}
    for disagreement in engine.attribution.disagreements_in(class_, comparison):
        if disagreement.boards:
            boards.setdefault(disagreement.symptom.kind, []).extend(disagreement.boards)
    return {
        kind: describe_results(comparison, wrong_boards, engine.attribution)
        for kind, wrong_boards in boards.items()
    }


def _wrong_text(result: Result) -> str:
    play = f"`{result.play}` to {result.place}" if result.play else result.place
    reason = f": {result.reason}" if result.reason else ""
    broken = f" (breaks {' and '.join(result.rules)})" if len(result.rules) > 1 else ""
    others = f" (or {', '.join(result.others)})" if result.others else ""
    return f"{play}{reason}{broken}{others}"


def _whole_list(engine: EngineRun, comparison: Comparison) -> list[str]:
    """Return the engine's whole list, illegal plays last."""
    diff = comparison.difference
    legal = [board for board in legal_successors(comparison.case) if board not in diff.missing]
    texts = []
    for result in describe_results(comparison, [*legal, *diff.illegal], engine.attribution):
        marks = ["illegal"] * bool(result.rules) + ["repeated"] * (result.board in diff.repeated)
        texts.append(f"`{result.play or result.place}`" + (f" ({', '.join(marks)})" if marks else ""))
    return texts


def _engine_json(engine: EngineRun) -> dict[str, Any]:
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
        "cause": None if engine.cause is None else _cause_json(engine, engine.cause),
        "classes": [_class_json(engine, class_) for class_ in engine.classes],
    }


def _cause_json(engine: EngineRun, summary: CauseSummary) -> dict[str, Any]:
    example = example_for(engine.cause_example, summary.smallest)
    comparison = example.comparison
    missing = describe_results(comparison, comparison.difference.missing, engine.attribution)
    wrong = [{"kind": "missing"} | result._asdict() for result in missing]
    return {
        "name": summary.cause.name,
        "sentence": summary.cause.text(summary.plays),
        "plays": summary.plays,
        "cases": summary.cases,
        "illegal": summary.illegal,
        "example": {**_case_json(engine, comparison, wrong), **_size_json(example)},
    }


def _size_json(example: Example) -> dict[str, Any]:
    return {"shrunk": example.shrunk, "attempts": example.attempts, "note": example.note}


def _class_json(engine: EngineRun, class_: ClassKey) -> dict[str, Any]:
    summary = engine.classes[class_]
    example = example_for(engine.examples.get(class_), summary.smallest)
    return {
        "kind": class_.kind,
        "rule": class_.rule,
        "sentence": SENTENCES[class_],
        "cases": summary.cases,
        "others": summary.others,
        "first": _case_json(engine, summary.first, _wrong_json(engine, class_, summary.first)),
        "example": {
            **_case_json(engine, example.comparison, _wrong_json(engine, class_, example.comparison)),
            **_size_json(example),
        },
    }


def _wrong_json(engine: EngineRun, class_: ClassKey, comparison: Comparison) -> list[dict[str, Any]]:
    wrong = _wrong(engine, class_, comparison)
    return [{"kind": kind} | result._asdict() for kind, results in wrong.items() for result in results]


def _case_json(engine: EngineRun, comparison: Comparison, wrong: list[dict[str, Any]]) -> dict[str, Any]:
    case = comparison.case
    position = Position.from_array(case.board, case.checkers)
    return {
        "case": comparison.number + 1,
        "board": case.board,
        "checkers": case.checkers,
        "gnubg_id": position.gnubg_id,
        "xgid": _xgid(position, case),
        "roll": case.roll,
        "game": None if case.game is None else [turn._asdict() for turn in case.game],
        "legal": [str(play) for play in position.plays(case.roll, case.rules)],
        "listed": None if comparison.failed else _whole_list(engine, comparison),
        "wrong": wrong,
        "message": comparison.disagreements[0].message or None,
    }


# ---- Descriptions of successors in reports: the play, legal or not, and the rules that it breaks ----


class Result(NamedTuple):
    """Description of a successor in a report."""

    board: Board
    position_id: str | None  # None if the board is not a valid position
    play: str | None  # None if no play leads there, or if it cannot be written in notation
    rules: tuple[str, ...] = ()  # names of `ILLEGAL_RULES`, or ("unexamined",); empty if legal
    reason: str | None = None  # explanation of a broken rule on single moves
    others: tuple[str, ...] = ()  # other rules that explain the successor by themselves

    @property
    def place(self) -> str:
        """Position ID, or the numbers of the board."""
        return self.position_id or " ".join(map(str, self.board))


def describe_results(
    comparison: Comparison, boards: Iterable[Board], attribution: Attribution
) -> list[Result]:
    """Describe successors of a case, legal ones or illegal ones of the comparison, in the given order."""
    case = comparison.case
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    legal = {tuple(board): str(play) for board, play in zip(plays.boards.tolist(), plays, strict=True)}
    symptoms = {
        board: disagreement.symptom
        for disagreement in comparison.disagreements
        if disagreement.symptom.kind == "illegal"
        for board in disagreement.boards
    }
    turn = Turn(case.board, case.roll, case.rules)
    return [
        Result(board, _position_id(board, case.checkers), legal[board])
        if board in legal
        else _describe_illegal(turn, board, case.checkers, symptoms[board], attribution)
        for board in boards
    ]


def _describe_illegal(
    turn: Turn, board: Board, checkers: int, symptom: Symptom, attribution: Attribution
) -> Result:
    rules = tuple(class_.rule for class_ in attribution.classes(symptom))
    others = dict.fromkeys(other for rule in rules for other in attribution.others(symptom, rule))
    result = Result(board, _position_id(board, checkers), None, rules, None, tuple(others))
    cause = attribution.cause(symptom)
    if cause and board == turn.start.board and cause[0] in PASSES:
        return result._replace(play="pass")
    way = LiftedTurn(turn, frozenset(cause)).way_to(board) if cause else None
    if way is None:  # also possible if a resume file was edited
        return result
    return result._replace(play=_way_text(turn, way) if way.plain else None, reason=way.reason)


def _way_text(turn: Turn, way: Way) -> str:
    moved = [(start, end) for start, end in way.moves if start != end]
    forfeits = sorted((start for start, end in way.moves if start == end), reverse=True)
    # The moves are not a legal play, so the forfeits cannot be looked up in the legal plays.
    return " ".join(
        [*filter(None, [play_text(turn.start.board, turn.roll, moved)]), *forfeit_parts(forfeits)]
    )


def _position_id(board: Board, checkers: int) -> str | None:
    try:
        return Position.from_array(board, checkers).gnubg_id
    except InvalidPositionError:
        return None
