"""The line protocol: what bgfast asks of a program, and what it may answer; see docs/ENGINES.md.

Each message is one line of JSON in ASCII. The keys of a question stand in a fixed order and nothing is spaced
out, so that a program in C can do without a JSON library.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from bgfast.common.validation import GENERATED_SWITCHES
from bgfast.common.vocabulary import BOARD_SIZE
from bgfast.engines.protocol import (
    Board,
    Capabilities,
    Case,
    CrashedError,
    Engine,
    MissingEngineError,
    Roll,
    RubbishError,
    TurnRecord,
    UnreachableError,
)
from bgfast.engines.sides import impossible, no_board
from bgfast.errors import BgfastError, one_line, shown
from bgfast.rules import RuleSet

__all__ = [
    "HELLO",
    "Introduction",
    "Question",
    "answer",
    "failure",
    "introduction",
    "missing",
    "question",
    "read_answer",
    "read_introduction",
    "read_question",
    "unreachable",
]

VERSION = 1
MOST_BOARDS = 20_000
"""Boards that an answer may list, repetitions included; 2,226 are legal at most."""
MOST_DIFFERENT = 5_000
"""Different boards in an answer; up to four moves with 15 checkers lead to 3,876 at most, however illegal."""


class Introduction(NamedTuple):
    """What a program says of itself when it is greeted."""

    name: str
    version: str
    capabilities: Capabilities


class Question(NamedTuple):
    """A case, and the number that its answer has to bear."""

    number: int
    case: Case


def _line(message: object) -> str:
    return json.dumps(message, separators=(",", ":")) + "\n"


# ---------------------------------------------------------------- what bgfast writes and the program reads

HELLO = _line({"bgfast": VERSION, "ask": "hello"})


def question(number: int, case: Case, *, with_game: bool) -> str:
    """Return the line that asks for the successors; `with_game`: for an engine that replays games."""
    message: dict[str, Any] = {
        "id": number,
        "board": case.board,
        "roll": case.roll,
        "rules": {name: getattr(case.rules, name) for name in GENERATED_SWITCHES},
        "checkers": case.checkers,
    }
    if with_game and case.game is not None:
        message["game"] = case.game
    return _line(message)


def read_question(line: str) -> Question | None:
    """Return what a line asks, None for the greeting; it was written by `question`, so nothing is checked."""
    message = json.loads(line)
    if message.get("ask") == "hello":
        return None
    game = message.get("game")
    case = Case(
        board=tuple(message["board"]),
        roll=_roll(message["roll"]),
        rules=RuleSet(**message["rules"]),
        checkers=message["checkers"],
        game=None if game is None else tuple(TurnRecord(_roll(roll), tuple(after)) for roll, after in game),
    )
    return Question(message["id"], case)


def _roll(dice: list[int]) -> Roll:
    first, second = dice
    return first, second


# ---------------------------------------------------------------- what the program writes


def introduction(engine: Engine) -> str:
    """Return the answer to the greeting."""
    can = engine.capabilities
    return _line(
        {
            "name": engine.name,
            "version": engine.version,
            "rules": can.rules,
            "positions": can.positions,
            "distinct": can.distinct,
            "checkers": can.checkers,
        }
    )


def missing(why: str) -> str:
    """Return the answer to the greeting of a program that has no engine to speak for."""
    return _line({"missing": why})


def answer(number: int, successors: list[Board]) -> str:
    """Return the line with the boards after each play."""
    return _line({"id": number, "successors": successors})


def unreachable(number: int, why: str) -> str:
    """Return the line that says that the engine cannot be set to this position."""
    return _line({"id": number, "unreachable": why})


def failure(number: int | None, what: str) -> str:
    """Return the line that says that the engine failed; no number: on starting."""
    return _line({"error": what} if number is None else {"id": number, "error": what})


# ---------------------------------------------------------------- what bgfast reads


def read_introduction(line: str) -> Introduction:
    """Return what a program says of itself.

    Raises
    ------
    MissingEngineError
        If it says that its engine is not installed.
    CrashedError
        If it says that its engine could not be started.
    RubbishError
        If the line is no introduction.
    """
    said = _read_object(line)
    if "missing" in said:
        raise MissingEngineError(one_line(said["missing"]))
    if "error" in said:
        raise CrashedError(f"the engine could not be started: {one_line(said['error'])}")
    for key in ("name", "version"):
        text = said.get(key)
        # They are headings and cells of a table in reports.
        if not isinstance(text, str) or not text or one_line(text) != text:
            raise RubbishError(
                f"it answered the greeting without a text for {key!r} that fits in a line: {shown(line)}"
            )
    usual = Capabilities()
    return Introduction(
        said["name"],
        said["version"],
        Capabilities(
            rules=_read_rules(said.get("rules", usual.rules), line),
            positions=_read_switch(said, "positions", usual.positions, line),
            distinct=_read_switch(said, "distinct", usual.distinct, line),
            checkers=_read_checkers(said.get("checkers", usual.checkers), line),
        ),
    )


def read_answer(line: str, number: int, case: Case) -> list[Board]:
    """Return the successors that a line lists.

    Only what no play whatever could lead to is refused; whether the boards are legal is another question.

    Raises
    ------
    UnreachableError
        If it says that the engine cannot be set to this position.
    CrashedError
        If it says that the engine failed.
    RubbishError
        If the line cannot be read, answers another question, or holds too many boards or one that cannot be.
    """
    said = _read_object(line)
    if said.get("id") != number or said["id"] is True:
        raise RubbishError(f"it answered with id {shown(said.get('id'))} instead of {number}: {shown(line)}")
    if "unreachable" in said:
        raise UnreachableError(one_line(said["unreachable"]))
    if "error" in said:
        raise CrashedError(f"the engine failed: {one_line(said['error'])}")
    rows = said.get("successors")
    if not isinstance(rows, list):
        raise RubbishError(f"its answer has no list of 'successors': {shown(line)}")
    if len(rows) > MOST_BOARDS:
        raise RubbishError(f"it listed {len(rows):,} boards; expected at most {MOST_BOARDS:,}: {shown(line)}")
    for row in rows:
        if not isinstance(row, list) or len(row) != BOARD_SIZE or set(map(type, row)) != {int}:
            raise RubbishError(no_board(row, "not 26 whole numbers"))
    boards = [tuple(row) for row in rows]
    if problem := impossible(boards, case.board):
        raise RubbishError(problem)
    different = len(set(boards))
    if different > MOST_DIFFERENT:
        raise RubbishError(
            f"it listed {different:,} different boards; expected at most {MOST_DIFFERENT:,}: {shown(line)}"
        )
    return boards


def _read_object(line: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    # Deeply nested brackets exhaust the parser's stack.
    except (ValueError, RecursionError):
        raise RubbishError(f"it wrote a line that is not JSON: {shown(line)}") from None
    if not isinstance(said, dict):
        raise RubbishError(f"it wrote a line that is no JSON object: {shown(line)}")
    return said


def _read_rules(names: Any, line: str) -> tuple[str, ...]:
    try:
        known = [name for name in names if name == "any" or RuleSet.named(name)]
    except (BgfastError, TypeError):
        known = []
    if not known:
        raise RubbishError(f"its 'rules' are no list of names of rule sets, nor ['any']: {shown(line)}")
    return tuple(known)


def _read_switch(said: dict[str, Any], key: str, usual: bool, line: str) -> bool:
    value = said.get(key, usual)
    if not isinstance(value, bool):
        raise RubbishError(f"its {key!r} is neither true nor false: {shown(line)}")
    return value


def _read_checkers(numbers: Any, line: str) -> tuple[int, ...]:
    known = isinstance(numbers, list | tuple) and all(type(n) is int and 1 <= n <= 15 for n in numbers)
    if not known or not numbers:
        raise RubbishError(f"its 'checkers' are no list of numbers from 1 to 15: {shown(line)}")
    return tuple(numbers)
