"""Options of the cube: cubeless evaluation, match equity table, efficiency model."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from bgfast.cli.parser import Parser
from bgfast.errors import BgfastError
from bgfast.evaluation.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.match_equity import MatchEquityTable


class CubeSettings(NamedTuple):
    """Settings of cube evaluation."""

    met: MatchEquityTable
    efficiency: str


def add_cube(parser: Parser) -> None:
    """Add the options of cube evaluation."""
    parser.flag("--cubeless", "ignore cube and score, as in cubeless money play")
    add_met(parser)
    parser.add_argument(
        "--efficiency",
        choices=EFFICIENCY_MODELS,
        metavar="NAME",
        help=f"model of cube efficiency: {' or '.join(EFFICIENCY_MODELS)} ({EFFICIENCY_MODELS[0]})",
    )


def add_met(parser: Parser) -> None:
    """Add the option of the match equity table."""
    parser.option("--met", "FILE", "a match equity table, GNU Backgammon's XML")


def match_equity_table(arguments: argparse.Namespace) -> MatchEquityTable:
    """Return the table of ``--met``, or the built-in table."""
    return MatchEquityTable.builtin() if arguments.met is None else MatchEquityTable.read(arguments.met)


def cube_settings(arguments: argparse.Namespace) -> CubeSettings:
    """Return the chosen settings; refuse ``--cubeless`` with the others."""
    if arguments.cubeless and (arguments.met is not None or arguments.efficiency is not None):
        raise BgfastError("--met and --efficiency are those of the cube; expected no --cubeless")
    return CubeSettings(match_equity_table(arguments), arguments.efficiency or EFFICIENCY_MODELS[0])
