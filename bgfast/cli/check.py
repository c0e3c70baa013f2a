"""`bgfast check`: recorded matches replayed, and each illegal play, cube action, score and result in them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, BinaryIO

from bgfast.cli.colours import coloured_error
from bgfast.cli.options import add_json, add_quiet, named_input
from bgfast.cli.parser import Parser
from bgfast.cli.records import opened_record
from bgfast.common.progress import Progress, shown_progress
from bgfast.common.streams import complain
from bgfast.errors import BgfastError, RecordError, one_line
from bgfast.games.match import Match
from bgfast.records.match_files import recorded
from bgfast.records.replay import WARNINGS, Finding

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast check``."""
    parser.describe(
        "FILE...",
        "FILE: matches as .mat or .txt (Jellyfish's text) or SGF, told apart by what is in them; - is "
        "standard input.",
        "Each illegal play, cube action, score and result is reported with its line and the rule. A double "
        "with a dead cube is reported as one without effect, which is nothing wrong. Where a game cannot be "
        "followed behind an error, its rest is not checked, and reported as that.",
        "Exit status 1 if anything is wrong, 2 if a file could not be read; the others are checked.",
        example="bgfast check match.mat",
    )
    add_json(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check each file; return 1 if anything is wrong, 2 if one could not be read."""
    if not arguments.words:
        raise BgfastError("no file given; expected bgfast check FILE...")
    contents, status = [], 0
    for name in arguments.words:
        try:
            content = _checked(name, arguments)
        except BgfastError as error:
            complain(coloured_error(str(error), sys.stderr))
            content, status = {"file": name, "clean": False, "error": str(error)}, 2
        contents.append(content)
    if arguments.json:
        print(json.dumps({"files": contents}))
    return status or int(any(not content["clean"] for content in contents))


def _checked(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what is found in a file, printed as it is found unless it is wanted as JSON."""
    called = one_line(named_input(name)[1])
    found: list[dict[str, Any]] = []
    numbers = {"matches": 0, "games": 0, "plays": 0}

    def add(kind: str, message: str, **where: Any) -> None:
        found.append({"kind": kind, "message": message, **where})
        if not arguments.json:
            progress.clear()
            print(_line(called, found[-1]))

    def report(finding: Finding, _: Match | None) -> None:
        add(
            finding.kind,
            one_line(finding.message),
            line=finding.place.line,
            column=finding.place.column,
            game=finding.game,
            move=finding.move,
            board=finding.board,
        )

    with opened_record(name) as file:
        size = os.fstat(file.fileno()).st_size  # 0 of a pipe, of which nobody knows how much is left
        with shown_progress(called, max(1, size), quiet=arguments.quiet or not size) as progress:
            try:
                for number, match in recorded(CountedBytes(file, progress), report):
                    numbers["matches"] = number
                    numbers["games"] += 1
                    numbers["plays"] += match._number_played()
            except RecordError as error:
                place = {"line": error.line, "column": error.column, "game": 0, "move": 0, "board": ""}
                add("text", one_line(error), **place)
                add("skipped", "the rest of this file is not checked: it cannot be read", **place)
    wrong = [each for each in found if each["kind"] not in WARNINGS]
    if not arguments.json:
        said = f"{len(wrong)} wrong" if wrong else "clean"
        print(f"{called}: {said}: {_number(numbers, 'games')}, {_number(numbers, 'plays')}")
    return {"file": name, "clean": not wrong, **numbers, "findings": found}


def _number(numbers: dict[str, int], of: str) -> str:
    number = numbers[of]
    return f"{number:,} {of.removesuffix('s') if number == 1 else of}"


def _line(name: str, found: dict[str, Any]) -> str:
    """Return a finding as a line that editors can follow, with the board below."""
    move = f", move {found['move']}" if found["move"] else ""
    game = f"game {found['game']}{move}: " if found["game"] else ""
    board = f"\n    {found['board']}" if found["board"] else ""
    return f"{name}:{found['line']}:{found['column']}: {game}{found['message']}{board}"


class CountedBytes:
    """An open file that shows how much of it was read."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._done = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return what the file gives."""
        content = self._file.read(size)
        self._done += len(content)
        self._progress(self._done)
        return content
