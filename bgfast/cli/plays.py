"""``bgfast plays``: every legal play of a roll."""

from __future__ import annotations

import argparse

from bgfast.cli.options import parse_position
from bgfast.cli.parser import print_result

HELP = """
usage: [POSITION] ROLL

ROLL: 31, 3-1 or 3 1; may be left out when an XGID states the dice.

--json --checkers --rules

example: bgfast plays nackgammon 3-1
"""


def run(arguments: argparse.Namespace) -> None:
    """Print the position and its plays."""
    text = parse_position(arguments)
    position, roll = text.position, text.roll()
    plays = position.plays(roll, arguments.rules)
    rows = [{"text": str(play), "moves": play.moves, "gnubg_id": play.position.gnubg_id} for play in plays]
    content = {"position": position.gnubg_id, "roll": roll, "rules": arguments.rules, "plays": rows}
    print_result(arguments, content, f"{position}\n\n{plays}", coloured=True)
