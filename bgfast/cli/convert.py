"""`bgfast convert`: a recorded match in another format."""

from __future__ import annotations

import argparse

from bgfast.cli.parser import Parser
from bgfast.errors import BgfastError
from bgfast.formats.match_files import load_match

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast convert``."""
    parser.describe(
        "IN OUT",
        "IN: a match as .mat or .txt (Jellyfish's text) or SGF, told apart by what is in it. OUT: a file "
        "whose ending says the format: .mat, .txt or .sgf.",
        example="bgfast convert match.sgf match.mat",
    )
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there already")


def run(arguments: argparse.Namespace) -> None:
    """Read one file and write the other."""
    if len(arguments.words) != 2:
        raise BgfastError(f"{len(arguments.words)} files given; expected bgfast convert IN OUT")
    source, target = arguments.words
    load_match(source).save(target, force=arguments.force)
