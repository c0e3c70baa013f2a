"""`bgfast convert`: a recorded match in another format."""

from __future__ import annotations

import argparse
import sys

from bgfast.cli.colours import coloured_error
from bgfast.cli.parser import Parser
from bgfast.cli.records import offering_partial, opened_record
from bgfast.common.streams import complain
from bgfast.errors import BgfastError, RecordError
from bgfast.records.match_files import format_of, only_match

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast convert``."""
    parser.describe(
        "IN OUT",
        "IN: a match as .mat or .txt (Jellyfish's text) or SGF, told apart by what is in it. OUT: a file "
        "whose ending says the format: .mat, .txt or .sgf. IN may be -, standard input.",
        example="bgfast convert match.sgf match.mat",
    )
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there already")
    parser.add_argument(
        "--partial", action="store_true", help="of a damaged match write the games before the damage"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read one file and write the other; return 1 if it is a part of the first."""
    if len(arguments.words) != 2:
        number = len(arguments.words)
        raise BgfastError(f"{number} file{'' if number == 1 else 's'} given; expected bgfast convert IN OUT")
    source, target = arguments.words
    format_of(target, force=arguments.force)  # before anything is read
    status = 0
    try:
        with opened_record(source) as file:
            match = only_match(file)
    except RecordError as error:
        if error.match is None or not arguments.partial:
            raise offering_partial(error, "writes") from None
        complain(coloured_error(str(error), sys.stderr))
        match, status = error.match, 1
    match.save(target, force=arguments.force)
    return status
