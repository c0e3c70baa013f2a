"""Reports of a cross-check: Markdown for an issue tracker, and a JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from bgfast.common import __version__
from bgfast.common.text import pluralize
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
from bgfast.conformance.crosscheck.engine_run import CauseSummary, EngineRun, Example
from bgfast.conformance.crosscheck.lifted_turn import LiftedTurn, MovePath
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position
from bgfast.position.play_text import play_text
from bgfast.position.turn import Turn, forfeit_parts

MAX_PLAYS = 12
"""Maximum number of plays in a list of the Markdown report."""


class Report(NamedTuple):
    """Content of a report in either format."""

    engines: Sequence[EngineRun]
    cases: CaseList
    rules: str
    interrupted: bool
    seconds: float


def text_report(report: Report) -> str:
    """Return the data of `json_report` as Markdown."""
    lines = [
        f"bgfast {__version__} crosscheck: {_cases_text(report)}, rules `{report.rules}`, "
        f"{report.seconds:.1f} s",
        "",
        "| engine | version | compared | not reachable | classes | result |",
        "|---|---|---:|---:|---:|---|",
    ]
    for engine in report.engines:
        counts = f"{engine.compared_count:,}", f"{engine.unreachable:,}", f"{len(engine.classes)}"
        cells = _cell(engine.title), _cell(engine.version) or "–", *counts, _cell(_verdict(engine))
        lines.append(f"| {' | '.join(cells)} |")
    for engine, summary in zip(report.engines, map(_engine_json, report.engines), strict=True):
        if engine.cause is not None:
            lines += ["", *_cause_lines(engine, summary["cause"], report.rules)]
        for class_, class_summary in zip(engine.classes, summary["classes"], strict=True):
            lines += ["", *_class_lines(engine, class_, class_summary, report.rules)]
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
        (len(cases.file.positions) if cases.file else 0, "from a file"),
        (cases.random, "random"),
        (cases.bearoff, "with bear-offs"),
        (cases.games, "from games"),
    ]
    texts = [f"{len(cases.named):,} named"] if cases.named else []
    if positions := ", ".join(f"{count:,} {source}" for count, source in parts if count):
        rolls = "all 36 ordered rolls each" if cases.all_rolls else "one roll each"
        texts += [f"positions: {positions}", rolls]
    return f"{len(cases):,} cases ({'; '.join([*texts, f'seed {cases.seed}'])})"


def _verdict(engine: EngineRun) -> str:
    texts = [engine.unchecked] if engine.unchecked else []
    if engine.stopped and engine.stopped not in engine.unchecked:
        texts.append(engine.stopped)
    if engine.compared_count:
        texts.append("DISAGREES" if engine.classes else "agrees")
    return "; ".join(texts) or "nothing compared"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _cause_lines(engine: EngineRun, cause: dict[str, Any], rules: str) -> Iterator[str]:
    yield f"## {engine.title} {engine.version}: {cause['sentence']}"
    yield ""
    cases = pluralize(cause["cases"], "case", form=",")
    yield f"{cases} of {engine.compared_count:,}; no listed legal play has this property."
    if cause["illegal"]:
        yield f"The {cause['illegal']:,} illegal plays are legal plays cut short for the same reason."
    yield ""
    yield cause["example"]["note"]
    yield from _example_lines(engine, "missing", cause["example"] | {"message": None}, rules)


def _class_lines(engine: EngineRun, class_: ClassKey, summary: dict[str, Any], rules: str) -> Iterator[str]:
    yield f"## {engine.title} {engine.version}: {class_.kind}, {class_.rule}"
    yield ""
    yield SENTENCES[class_]
    yield ""
    first, example = summary["first"], summary["example"]
    place = f"number {first['case']}, {first['gnubg_id']} {first['roll'][0]}-{first['roll'][1]}"
    yield f"{summary['cases']:,} of {engine.compared_count:,} cases; the first was {place}. {example['note']}"
    if summary["others"]:
        yield ""
        counts = summary["others"].items()
        others = ", ".join(f"`{rule}` ({pluralize(cases, 'case', form=',')})" for rule, cases in counts)
        yield f"Other rules would explain some of these cases as well: {others}."
    yield from _example_lines(engine, class_.kind, example, rules)
    for disagreement in engine.examples[class_].comparison.disagreements:
        if disagreement.symptom.rule == UNEXAMINED:
            yield f"* {len(disagreement.boards):,} more {disagreement.symptom.kind}, too many to examine"


def _example_lines(engine: EngineRun, kind: str, case: dict[str, Any], rules: str) -> Iterator[str]:
    yield ""
    yield "```"
    yield str(Position.from_array(case["board"], case["checkers"]))
    yield "```"
    yield ""
    yield f"* GNU position ID `{case['gnubg_id']}`, `{case['xgid']}`"
    checkers = f"{case['checkers']} checkers per side; those not shown are borne off"
    yield f"* roll {case['roll'][0]}-{case['roll'][1]}, rules `{rules}`, {checkers}"
    yield f"* legal: {_list_text([f'`{play}`' for play in case['legal']], 'no play, the turn passes')}"
    if case["listed"] is None:
        yield f"* {engine.title}: {kind}, {case['message']}"
        return
    if case["message"]:
        yield f"* seen from another side: {case['message']}"
    yield f"* listed by {engine.title}: {_list_text(case['listed'], 'no play')}"
    for wrong_kind, results in groupby(case["wrong"], itemgetter("kind")):
        suffix = " for the same reason" if wrong_kind != kind else ""
        yield f"* {wrong_kind}{suffix}: {_list_text(list(map(_result_text, results)))}"


def _list_text(texts: Sequence[str], empty_text: str = "") -> str:
    more = f"; and {len(texts) - MAX_PLAYS} more" if len(texts) > MAX_PLAYS else ""
    return f"{len(texts)}: {'; '.join(texts[:MAX_PLAYS])}{more}" if texts else empty_text


def _result_text(result: dict[str, Any]) -> str:
    position = result["position_id"] or " ".join(map(str, result["board"]))
    play = f"`{result['play']}` to {position}" if result["play"] else position
    reason = f": {result['reason']}" if result["reason"] else ""
    rules = f" (breaks {' and '.join(result['rules'])})" if len(result["rules"]) > 1 else ""
    others = f" (or {', '.join(result['others'])})" if result["others"] else ""
    return f"{play}{reason}{rules}{others}"


def _engine_json(engine: EngineRun) -> dict[str, Any]:
    return {
        "name": engine.name,
        "title": engine.title,
        "version": engine.version or None,
        "missing": engine.engine is None,
        "unchecked": engine.unchecked or None,
        "stopped": engine.stopped or None,
        "done": engine.done,
        "compared": engine.compared_count,
        "unreachable": engine.unreachable,
        "seconds": engine.seconds,
        "cause": None if engine.cause is None else _cause_json(engine, engine.cause),
        "classes": [_class_json(engine, class_) for class_ in engine.classes],
    }


def _cause_json(engine: EngineRun, summary: CauseSummary) -> dict[str, Any]:
    boards = {"missing": summary.example.comparison.difference.missing}
    return {
        "name": summary.cause.name,
        "sentence": summary.cause.text(summary.plays),
        "plays": summary.plays,
        "cases": summary.cases,
        "illegal": summary.illegal,
        "example": _case_json(engine, summary.example.comparison, boards) | _shrink_json(summary.example),
    }


def _class_json(engine: EngineRun, class_: ClassKey) -> dict[str, Any]:
    summary, example = engine.classes[class_], engine.examples[class_]

    def case_json(comparison: Comparison) -> dict[str, Any]:
        boards: dict[str, Sequence[Board]] = {}
        for disagreement in engine.attribution.disagreements_in(class_, comparison):
            kind = disagreement.symptom.kind
            boards[kind] = (*boards.get(kind, ()), *disagreement.boards)
        return _case_json(engine, comparison, boards)

    return {
        "kind": class_.kind,
        "rule": class_.rule,
        "sentence": SENTENCES[class_],
        "cases": summary.cases,
        "others": summary.alternatives,
        "first": case_json(summary.first),
        "example": case_json(example.comparison) | _shrink_json(example),
    }


def _shrink_json(example: Example) -> dict[str, Any]:
    return {"shrunk": example.shrunk, "attempts": example.attempts, "note": example.note}


def _case_json(
    engine: EngineRun, comparison: Comparison, boards: Mapping[str, Sequence[Board]]
) -> dict[str, Any]:
    """Return a case as a JSON object; `boards` has the wrong successors to include, by kind."""
    case = comparison.case
    position = Position.from_array(case.board, case.checkers)
    return {
        "case": comparison.case_index + 1,
        "board": case.board,
        "checkers": case.checkers,
        "gnubg_id": position.gnubg_id,
        "xgid": position.xgid.replace(":00:", f":{case.roll[0]}{case.roll[1]}:", 1),
        "roll": case.roll,
        "game": None if case.game is None else [turn._asdict() for turn in case.game],
        "legal": [str(play) for play in position.plays(case.roll, case.rules)],
        "listed": None if comparison.failed else _listed_plays(engine, comparison),
        "wrong": [
            {"kind": kind} | result._asdict()
            for kind, wrong_boards in boards.items()
            for result in describe_results(comparison, wrong_boards, engine.attribution)
        ],
        "message": comparison.disagreements[0].message or None,
    }


def _listed_plays(engine: EngineRun, comparison: Comparison) -> list[str]:
    """Return all plays that the engine listed, illegal plays last."""
    diff = comparison.difference
    legal = [board for board in legal_successors(comparison.case) if board not in diff.missing]
    texts = []
    for result in describe_results(comparison, [*legal, *diff.illegal], engine.attribution):
        marks = ["illegal"] * bool(result.rules) + ["repeated"] * (result.board in diff.repeated)
        texts.append(f"`{result.play or result.position_text}`" + (f" ({', '.join(marks)})" if marks else ""))
    return texts


# ---- Descriptions of successors in reports: the play, legal or not, and the rules that it breaks ----


class Result(NamedTuple):
    """Description of a successor in a report."""

    board: Board
    position_id: str | None  # None if the board is not a valid position
    play: str | None  # None if no play leads to the board, or if the play has no notation
    rules: tuple[str, ...] = ()  # names of `ILLEGAL_RULES`, or ("unexamined",); empty if legal
    reason: str | None = None  # the first illegal move and the rule that it breaks
    others: tuple[str, ...] = ()  # other rules, each of which alone explains the successor

    @property
    def position_text(self) -> str:
        """Position ID, or the numbers of the board."""
        return self.position_id or " ".join(map(str, self.board))


def describe_results(
    comparison: Comparison, boards: Iterable[Board], attribution: Attribution
) -> list[Result]:
    """Describe successors of a case, each legal or found illegal by the comparison, in the given order."""
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
    others = dict.fromkeys(other for rule in rules for other in attribution.alternatives(symptom, rule))
    result = Result(board, _position_id(board, checkers), None, rules, None, tuple(others))
    cause = attribution.cause(symptom)
    if cause and board == turn.start.board and cause[0] in PASSES:
        return result._replace(play="pass")
    path = LiftedTurn(turn, frozenset(cause)).path_to(board) if cause else None
    if path is None:  # no cause is known, or the resume file was edited
        return result
    return result._replace(play=_path_text(turn, path) if path.has_notation else None, reason=path.reason)


def _path_text(turn: Turn, path: MovePath) -> str:
    moves = [(start, end) for start, end in path.moves if start != end]
    forfeits = sorted((start for start, end in path.moves if start == end), reverse=True)
    # The moves are not a legal play, so the forfeits cannot be looked up in the legal plays.
    return " ".join(
        [*filter(None, [play_text(turn.start.board, turn.roll, moves)]), *forfeit_parts(forfeits)]
    )


def _position_id(board: Board, checkers: int) -> str | None:
    try:
        return Position.from_array(board, checkers).gnubg_id
    except InvalidPositionError:
        return None
