"""Options of the cube: whether it counts, the match equity table, the efficiency model."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from bgfast.cli.parser import Parser
from bgfast.errors import BgfastError
from bgfast.evaluation.cube.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.cube.match_equity import MatchEquityTable

__all__ = ["CubeSettings", "add_cube", "add_met", "cube_settings", "match_equity_table"]


class CubeSettings(NamedTuple):
    """Settings of cube evaluation."""

    met: MatchEquityTable
    efficiency: str


def add_cube(parser: Parser) -> None:
    """Let the cube be left out, and what judges it be chosen."""
    parser.add_argument(
        "--cubeless", action="store_true", help="leave cube and score out, as if for money without a cube"
    )
    add_met(parser)
    parser.add_argument(
        "--efficiency",
        choices=EFFICIENCY_MODELS,
        metavar="NAME",
        help=f"how well the cube is used: {' or '.join(EFFICIENCY_MODELS)} ({EFFICIENCY_MODELS[0]})",
    )


def add_met(parser: Parser) -> None:
    """Let a match equity table be chosen."""
    parser.add_argument("--met", metavar="FILE", help="a match equity table, GNU Backgammon's XML")


def match_equity_table(arguments: argparse.Namespace) -> MatchEquityTable:
    """Return the table that was chosen, or the built-in one."""
    return MatchEquityTable.builtin() if arguments.met is None else MatchEquityTable.read(arguments.met)


def cube_settings(arguments: argparse.Namespace) -> CubeSettings:
    """Return what was chosen.

    Raises
    ------
    BgfastError
        If something was chosen for a cube that is left out, or the table cannot be read.
    """
    if arguments.cubeless and (arguments.met is not None or arguments.efficiency is not None):
        raise BgfastError("--met and --efficiency are those of the cube; expected no --cubeless")
    return CubeSettings(match_equity_table(arguments), arguments.efficiency or EFFICIENCY_MODELS[0])
