"""Options of several commands: positions, rule sets, files, seeds and other numbers."""

from __future__ import annotations

import argparse
import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from bgfast.cli.parser import Parser
from bgfast.common.files import is_missing_file, refuse_missing_folder
from bgfast.common.validation import MAX_SEED, MAX_THREADS, Roll
from bgfast.errors import BgfastError, NotationError, shown
from bgfast.position.decision import Decision, refuse_offer
from bgfast.position.objects import Position
from bgfast.position.position_ids import is_match_id
from bgfast.position.position_text import (
    PositionText,
    read_content,
    read_lines,
    read_position,
    read_roll,
    read_whole_text,
)

STANDARD_INPUT = "-"
POSITION_HELP = (
    "POSITION: start (default), nackgammon, longgammon, hypergammon, an XGID, an OGID, a GNU position ID, or "
    "26 whole numbers: the opponent's bar (0 or less), points 1 to 24 from the mover's side (own > 0, "
    "opponent < 0), the mover's bar. Write a position that begins with two dashes after --."
)


def whole(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return the type of an option: a whole number in a range."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,20}", text, re.ASCII) or not minimum <= int(text) <= maximum:
            raise argparse.ArgumentTypeError(
                f"is {shown(text)}; expected a whole number from {minimum} to {maximum}"
            )
        return int(text)

    return read


seed = whole(0, MAX_SEED)

_COMMON: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "--json": {"action": "store_true", "help": "print one JSON object"},
        "--csv": {"action": "store_true", "help": "print a table with commas between its columns"},
        "--force": {"action": "store_true", "help": "replace files that exist already"},
        "--quiet": {"action": "store_true", "help": "show no progress on a terminal"},
        "--rules": {
            "metavar": "NAME",
            "help": "standard (default), exact, rear_first or five_stack",
            "default": "standard",
        },
        "--threads": {
            "metavar": "N",
            "help": "number of threads (1)",
            "type": whole(1, MAX_THREADS),
            "default": 1,
        },
    }
)
"""Options of several commands, as for argparse."""


def add_common(parser: Parser, *options: str) -> None:
    """Add options that several commands have."""
    for option in options:
        names = ("-q", option) if option == "--quiet" else (option,)
        parser.add_argument(*names, **_COMMON[option])


def refuse_both(arguments: argparse.Namespace) -> None:
    """Raise `BgfastError` if ``--json`` and ``--csv`` are combined."""
    if arguments.json and arguments.csv:
        raise BgfastError("--json and --csv; expected one of them")


def add_position(parser: Parser, more: str, *paragraphs: str, example: str) -> None:
    """Add the arguments POSITION and `more`."""
    parser.describe(f"[POSITION] {more}".rstrip(), POSITION_HELP, *paragraphs, example=example)
    add_common(parser, "--json")
    parser.option("--checkers", "N", "checkers per side of an ID or board (15)", whole(1, 15))


def typed_position(arguments: argparse.Namespace) -> PositionText:
    """Return the typed position, and the words after it."""
    try:
        return read_position(arguments.words, arguments.checkers)
    except NotationError as error:
        if is_missing_file(word := arguments.words[0]):
            raise NotationError(f"no such file: {shown(word)}; expected a position") from None
        if not hasattr(arguments, "positions"):
            raise
        if os.path.isfile(word):
            expected = "expected a position, or --positions before the name"
            raise NotationError(f"{shown(word)} is a file; {expected}") from None
        if str(error).startswith(f"{shown(word)} is no position;"):
            raise NotationError(f"{error}; there is no file of that name either") from None
        raise


def named_input(word: str) -> tuple[str | int, str]:
    """Return a file name or descriptor to read, and its name in errors; ``-`` is standard input."""
    return (sys.stdin.fileno(), "standard input") if word == STANDARD_INPUT else (word, word)


def check_target(path: str, others: Iterable[str | None]) -> None:
    """Check, before any work, that `write_file` can write to a path that is none of the other files."""
    refuse_missing_folder(path)
    if os.path.isdir(path):
        raise BgfastError(f"{shown(path)}: {os.strerror(errno.EISDIR)}")
    used = {os.path.realpath(other) for other in others if other is not None}
    if os.path.realpath(path) in used or _is_standard_input(path):
        raise BgfastError(f"{shown(path)} is read or written besides; expected another file")


def _is_standard_input(path: str) -> bool:
    """Return whether standard input is redirected from this file."""
    try:
        read = os.fstat(sys.stdin.fileno())
        return stat.S_ISREG(read.st_mode) and os.path.samestat(os.stat(path), read)
    except (OSError, ValueError, AttributeError):
        return False


def refuse_existing(path: str, *, force: bool) -> None:
    """Raise `BgfastError` if an output would replace a file, or a folder with files, without `force`."""
    if force or not (os.path.isfile(path) or (os.path.isdir(path) and os.listdir(path))):
        return
    raise BgfastError(f"{shown(path)} exists already; expected a new name, or --force")


def option_value(arguments: argparse.Namespace, option: str) -> Any:
    """Return the value of an option such as ``--time-limit``."""
    return getattr(arguments, option.removeprefix("--").replace("-", "_"))


def nothing_more(text: PositionText) -> None:
    """Raise `NotationError` if words follow the position."""
    if text.rest:
        raise NotationError(f"{shown(' '.join(text.rest))} after the position; expected nothing more")


def seconds(text: str) -> float:
    """Return the value of ``--time-limit``."""
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII) or not float(text):
        expected = "expected seconds, more than 0 and less than a million, as 60 or 0.5"
        raise argparse.ArgumentTypeError(f"is {shown(text)}; {expected}")
    return float(text)


# ---- positions of a command: a typed one, or those of a file ----


Item = TypeVar("Item")


class InputPosition(NamedTuple):
    """Position of a command, with its roll, if any, and its line in a file."""

    position: Position
    roll: Roll | None
    context: Decision | None = None
    line: int | None = None  # in the file
    words: tuple[str, ...] = ()  # of the line

    @property
    def heading(self) -> str | None:
        """Heading of its results; None for a single position."""
        return None if self.line is None else f"line {self.line}: {' '.join(self.words)}"

    @property
    def where(self) -> dict[str, int | str]:
        """Line and text, for machine-readable output; empty for a single position."""
        return {} if self.line is None else {"line": self.line, "given": " ".join(self.words)}

    @property
    def roll_text(self) -> str:
        """The roll as text; empty without a roll."""
        return "" if self.roll is None else "{}-{}".format(*self.roll)

    @property
    def columns(self) -> dict[str, int | str]:
        """The first columns of the rows in a table."""
        return {**self.where, "position": self.position.gnubg_id, "roll": self.roll_text}


def add_positions(parser: Parser) -> None:
    """Add the option ``--positions``."""
    parser.option(
        "--positions",
        "FILE",
        "positions from a file: one a line with its roll, # begins a comment, or a text with IDs; - is "
        "standard input",
    )


def prepared_positions(
    arguments: argparse.Namespace, prepared: Callable[[InputPosition], Item], *, offers: bool = False
) -> list[tuple[InputPosition, Item]]:
    """Return the positions with the results of `prepared`; `offers` permits a double on offer.

    Errors of a position in a file begin with the name and the line.
    """
    if arguments.positions is None:
        position = _checked(typed_position(arguments), offers)
        return [(position, prepared(position))]
    if arguments.words:
        typed = shown(" ".join(arguments.words))
        raise BgfastError(f"{typed} and --positions; expected a typed position, or those of a file")

    def take(line: int, words: list[str], items: list[tuple[InputPosition, Item]]) -> None:
        if is_match_id(" ".join(words)):  # GNU Backgammon prints it in a separate line
            words = [*_before_match_id(items), *words]
            line = items.pop()[0].line or line
        text = read_whole_text(" ".join(words), arguments.checkers)
        position = _checked(text, offers)._replace(line=line, words=tuple(words))
        items.append((position, prepared(position)))

    file, name = named_input(arguments.positions)
    content = getattr(arguments, "pasted", None)
    return read_lines(name, read_content(file, name) if content is None else content, take)


def _before_match_id(items: Sequence[tuple[InputPosition, object]]) -> tuple[str, ...]:
    """Return the words of the position before a match ID, which must have no context yet."""
    if not items or items[-1][0].context is not None:
        raise NotationError("a match ID without a position ID before it; expected one in the line above")
    return items[-1][0].words


def _checked(text: PositionText, offers: bool) -> InputPosition:
    if not offers:
        refuse_offer(text.context)
    roll = read_roll(text) if text.rest or text.dice is not None else None
    return InputPosition(text.position, roll, text.context)


def refuse_with_positions(arguments: argparse.Namespace, *options: str) -> None:
    """Raise `BgfastError` if an option for a single position is combined with ``--positions``."""
    for option in options:
        if arguments.positions is not None and option_value(arguments, option) is not None:
            raise BgfastError(f"{option} is for one position; expected no --positions")
