"""Positions of a command: a typed one, or those of a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from bgfast.cli.options import named_input, option_value, typed_position
from bgfast.cli.parser import Parser
from bgfast.common.vocabulary import Roll
from bgfast.errors import BgfastError, NotationError, shown
from bgfast.position.decision import Decision, refuse_offer
from bgfast.position.objects import Position
from bgfast.position.position_files import read_content, read_lines
from bgfast.position.position_text import PositionText, read_roll, read_whole_text
from bgfast.position.text.position_ids import is_match_id

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
