"""The positions that a command works on: the one that was typed, or those of a file, one a line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from bgfast.cli.options import given_position, named_input
from bgfast.cli.parser import Parser
from bgfast.common.vocabulary import Roll
from bgfast.errors import BgfastError, NotationError, shown
from bgfast.position.decision import Decision, refuse_offer
from bgfast.position.objects import Position
from bgfast.position.position_files import read_content, read_lines
from bgfast.position.position_text import PositionText, read_roll, read_whole_text
from bgfast.position.text.position_ids import is_match_id

__all__ = ["GivenPosition", "add_positions", "each_position", "refuse_with_positions"]

Item = TypeVar("Item")


class GivenPosition(NamedTuple):
    """A position to work on, with its roll if there is one, and where it stands."""

    position: Position
    roll: Roll | None
    context: Decision | None = None
    line: int | None = None  # of the file
    words: tuple[str, ...] = ()  # what stands there

    @property
    def heading(self) -> str | None:
        """Heading of its results; None for a single position."""
        return None if self.line is None else f"line {self.line}: {' '.join(self.words)}"

    @property
    def where(self) -> dict[str, int | str]:
        """Line and text, for those who read results elsewhere; empty where there is only one position."""
        return {} if self.line is None else {"line": self.line, "given": " ".join(self.words)}

    @property
    def roll_text(self) -> str:
        """The roll as text; empty if there is none."""
        return "" if self.roll is None else "{}-{}".format(*self.roll)

    @property
    def columns(self) -> dict[str, int | str]:
        """The first columns of its rows in a table."""
        return {**self.where, "position": self.position.gnubg_id, "roll": self.roll_text}


def add_positions(parser: Parser) -> None:
    """Let the positions be those of a file."""
    parser.add_argument(
        "--positions",
        metavar="FILE",
        help="those of a file: one a line with its roll, # begins a comment, or a text with IDs; - is "
        "standard input",
    )


def each_position(
    arguments: argparse.Namespace, prepared: Callable[[GivenPosition], Item], *, offers: bool = False
) -> list[tuple[GivenPosition, Item]]:
    """Return the positions, and what `prepared` makes of each before anything is begun.

    With `offers` a double that waits for an answer is taken, too.

    Raises
    ------
    BgfastError
        If one is malformed or `prepared` refuses it; of a file with its name and the line.
    """
    if arguments.positions is None:
        given = _given(given_position(arguments), offers)
        return [(given, prepared(given))]
    if arguments.words:
        typed = shown(" ".join(arguments.words))
        raise BgfastError(f"{typed} and --positions; expected a position that is typed, or those of a file")

    def take(line: int, words: list[str], found: list[tuple[GivenPosition, Item]]) -> None:
        if is_match_id(" ".join(words)):  # GNU Backgammon prints it in a line of its own
            words = [*_before_match_id(found), *words]
            line = found.pop()[0].line or line
        text = read_whole_text(" ".join(words), arguments.checkers)
        given = _given(text, offers)._replace(line=line, words=tuple(words))
        found.append((given, prepared(given)))

    file, name = named_input(arguments.positions)
    content = getattr(arguments, "pasted", None)
    return read_lines(name, read_content(file, name) if content is None else content, take)


def _before_match_id(found: Sequence[tuple[GivenPosition, object]]) -> tuple[str, ...]:
    """Return the words of the position that a match ID belongs to: one before it without a context."""
    if not found or found[-1][0].context is not None:
        raise NotationError("a match ID without a position ID before it; expected one in the line above")
    return found[-1][0].words


def _given(text: PositionText, offers: bool) -> GivenPosition:
    if not offers:
        refuse_offer(text.context)
    roll = read_roll(text) if text.rest or text.dice is not None else None
    return GivenPosition(text.position, roll, text.context)


def refuse_with_positions(arguments: argparse.Namespace, *options: str) -> None:
    """Raise `BgfastError` if an option that is for one position is given with a file of them."""
    for option in options:
        value = getattr(arguments, option.removeprefix("--").replace("-", "_"))
        if arguments.positions is not None and value is not None:
            raise BgfastError(f"{option} is for one position; expected no --positions")
