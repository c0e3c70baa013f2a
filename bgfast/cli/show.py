"""``bgfast show``: the board, its IDs and its phase."""

from __future__ import annotations

import argparse
import json

from bgfast.cli.options import add_position, given_position, nothing_more
from bgfast.cli.parser import Parser

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast show``."""
    add_position(parser, "", example="bgfast show 4HPwATDgc/ABMA")


def run(arguments: argparse.Namespace) -> None:
    """Print the position."""
    text = given_position(arguments)
    nothing_more(text)
    position = text.position
    if arguments.json:
        content = {
            "position": position.gnubg_id,
            "gnubg_id": position.gnubg_id,
            "xgid": position.xgid,
            "board": position.to_array().tolist(),
            "checkers": position.checkers,
            "pip_counts": position.pip_counts,
            "off": position.off,
            "phase": position.phase,
        }
        print(json.dumps(content))
        return
    print(f"{position}\n\nGNU position ID: {position.gnubg_id}\n{position.xgid}\nphase: {position.phase}")
