"""Messages of the line protocol between bgfast and an engine; see docs/ENGINES.md.

A message is one line of JSON in ASCII. Questions have a fixed key order and no spaces, so a program in C
can read them without a JSON library.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TextIO

from bgfast.common.validation import BOARD_SIZE, CHECKERS, GENERATOR_SWITCHES, Board, dice_pair
from bgfast.conformance.protocol import (
    ANY_RULES,
    Capabilities,
    Case,
    CrashedError,
    Engine,
    MissingEngineError,
    RubbishError,
    TurnRecord,
    UnreachableError,
    describe_impossible,
    impossible_board,
)
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.rules import RuleSet

VERSION = 1
MAX_BOARDS = 20_000
"""Maximum number of boards in an answer, repetitions included; at most 2,226 are legal."""
MAX_DISTINCT = 5_000
"""Maximum number of distinct boards in an answer; four moves with 15 checkers, legal or not, reach 3,876."""


class Introduction(NamedTuple):
    """Answer of a program to the greeting."""

    name: str
    version: str
    capabilities: Capabilities


def _encode(message: object) -> str:
    return json.dumps(message, separators=(",", ":")) + "\n"


# ---------------------------------------------------------------- questions: written by bgfast

HELLO = _encode({"bgfast": VERSION, "ask": "hello"})


def question(question_id: int, case: Case, *, with_game: bool) -> str:
    """Return the line that asks for the successors; `with_game` is true for engines that replay games."""
    message: dict[str, Any] = {
        "id": question_id,
        "board": case.board,
        "roll": case.roll,
        "rules": {name: getattr(case.rules, name) for name in GENERATOR_SWITCHES},
        "checkers": case.checkers,
    }
    if with_game and case.game is not None:
        message["game"] = case.game
    return _encode(message)


def read_question(line: str) -> tuple[int, Case] | None:
    """Parse a question into the ID that its answer must repeat, and the case; None for the greeting.

    The content is trusted: `question` wrote the line.
    """
    message = json.loads(line)
    if message.get("ask") == "hello":
        return None
    game = message.get("game")
    case = Case(
        board=tuple(message["board"]),
        roll=dice_pair(message["roll"]),
        rules=RuleSet(**message["rules"]),
        checkers=message["checkers"],
        game=None
        if game is None
        else tuple(TurnRecord(dice_pair(roll), tuple(after)) for roll, after in game),
    )
    return message["id"], case


# ---------------------------------------------------------------- answers: written by the program


def introduction(engine: Engine) -> str:
    """Return the answer to the greeting."""
    capabilities = engine.capabilities
    return _encode({"name": engine.name, "version": engine.version, **vars(capabilities)})


def answer(question_id: int, successors: list[Board]) -> str:
    """Return the line that lists the successors."""
    return _encode({"id": question_id, "successors": successors})


# ---------------------------------------------------------------- answers: read by bgfast


def _are_rules(names: Any) -> bool:
    try:
        return bool(names) and all(name == ANY_RULES or RuleSet.named(name) for name in names)
    except (BgfastError, TypeError):
        return False


def _are_checkers(counts: Any) -> bool:
    is_list = isinstance(counts, list | tuple) and len(counts) > 0
    return is_list and all(type(count) is int and 1 <= count <= CHECKERS for count in counts)


_BOOLEAN = (lambda value: isinstance(value, bool)), "is neither true nor false"
_CAPABILITIES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "rules": (_are_rules, "are not a list of rule set names, nor ['any']"),
    "positions": _BOOLEAN,
    "distinct": _BOOLEAN,
    "checkers": (_are_checkers, "are not a list of numbers from 1 to 15"),
}
"""Tests of the fields of `Capabilities`, and the problem if a test fails."""


def read_introduction(line: str) -> Introduction:
    """Parse a program's answer to the greeting; raise the error that it reports, if any."""
    message = _read_object(line)
    if "missing" in message:
        raise MissingEngineError(one_line(message["missing"]))
    if "error" in message:
        raise CrashedError(f"the engine could not be started: {one_line(message['error'])}")
    for key in ("name", "version"):
        text = message.get(key)
        # Reports use the name and version as headings and table cells.
        if not isinstance(text, str) or not text or one_line(text) != text:
            raise RubbishError(f"its answer has no {key!r}; expected text on one line: {short_repr(line)}")
    values = {key: message.get(key, default) for key, default in vars(Capabilities()).items()}
    for key, (is_valid, problem) in _CAPABILITIES.items():
        if not is_valid(values[key]):
            raise RubbishError(f"its {key!r} {problem}: {short_repr(line)}")
    values |= {key: tuple(values[key]) for key in ("rules", "checkers")}
    return Introduction(message["name"], message["version"], Capabilities(**values))


def read_answer(line: str, question_id: int, case: Case) -> list[Board]:
    """Parse the successors that a line lists; raise the error that it reports, if any.

    Only boards that no play, legal or illegal, could reach are refused; legality is not checked here.
    """
    message = _read_object(line)
    if message.get("id") != question_id or message["id"] is True:
        raise RubbishError(
            f"it answered with id {short_repr(message.get('id'))} instead of {question_id}: "
            f"{short_repr(line)}"
        )
    if "unreachable" in message:
        raise UnreachableError(one_line(message["unreachable"]))
    if "error" in message:
        raise CrashedError(f"the engine failed: {one_line(message['error'])}")
    rows = message.get("successors")
    if not isinstance(rows, list):
        raise RubbishError(f"its answer has no list of 'successors': {short_repr(line)}")
    if len(rows) > MAX_BOARDS:
        raise RubbishError(
            f"it listed {len(rows):,} boards; expected at most {MAX_BOARDS:,}: {short_repr(line)}"
        )
    for row in rows:
        if not isinstance(row, list) or len(row) != BOARD_SIZE or set(map(type, row)) != {int}:
            raise RubbishError(describe_impossible(row, "not 26 whole numbers"))
    boards = [tuple(row) for row in rows]
    if problem := impossible_board(boards, case.board):
        raise RubbishError(problem)
    distinct = len(set(boards))
    if distinct > MAX_DISTINCT:
        raise RubbishError(
            f"it listed {distinct:,} different boards; expected at most {MAX_DISTINCT:,}: {short_repr(line)}"
        )
    return boards


def _read_object(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    # Deeply nested brackets exhaust the parser's stack.
    except (ValueError, RecursionError):
        raise RubbishError(f"it wrote a line that is not JSON: {short_repr(line)}") from None
    if not isinstance(message, dict):
        raise RubbishError(f"it wrote a line that is not a JSON object: {short_repr(line)}")
    return message


# ---------------------------------------------------------------- server for an engine in this process


def serve(make_engine: Callable[[], Engine]) -> None:
    """Answer the questions from standard input on standard output until standard input is closed.

    `make_engine` is called once, after bgfast's greeting. What the engine prints goes to standard error.

    See Also
    --------
    bgfast.engines.protocol.Engine : Interface of the engine.
    """
    write = partial(print, end="", file=take_stdout(), flush=True)
    if not sys.stdin.readline():
        return
    try:
        engine = make_engine()
    # Any error of an untrusted engine is reported to bgfast.
    except Exception as error:
        key = "missing" if isinstance(error, (ImportError, MissingEngineError)) else "error"
        write(_encode({key: _error_text(error)}))
        return
    write(introduction(engine))
    try:
        for line in sys.stdin:
            write(_answer(engine, line))
    finally:
        engine.close()


def take_stdout() -> TextIO:
    """Return the stream to bgfast; redirect all other output, also of C code, to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


def _answer(engine: Engine, line: str) -> str:
    parsed = read_question(line)
    if parsed is None:
        return introduction(engine)
    question_id, case = parsed
    try:
        return answer(question_id, engine.successors(case))
    except UnreachableError as error:
        return _encode({"id": question_id, "unreachable": str(error)})
    # Any error of an untrusted engine is reported to bgfast.
    except Exception as error:
        return _encode({"id": question_id, "error": _error_text(error)})


def _error_text(error: Exception) -> str:
    text = str(error) if isinstance(error, MissingEngineError) else f"{type(error).__name__}: {error}"
    return text.splitlines()[0][:500]
