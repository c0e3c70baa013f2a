"""Run by GNU Backgammon's own Python: read a GNU ID a line, write the plays that its hint lists.

Both over pipes of our own, since GNU Backgammon prints boards and messages to its standard output.
"""

from __future__ import annotations

import json
import os

import gnubg

SETTINGS = (
    "set player 0 human",
    "set player 1 human",
    # It must neither roll nor move by itself.
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set automatic game off",
    "set confirm new off",
    "set output rawboard on",
    # At 0 plies nothing is filtered out.
    "set evaluation chequerplay evaluation plies 0",
    "set evaluation chequerplay evaluation prune off",
    "set evaluation chequerplay evaluation cubeful off",
)
EVERY = 5000
"""More plays than there can be."""


def main() -> None:
    """Answer until the pipe is closed."""
    for setting in SETTINGS:
        gnubg.command(setting)
    reading, writing = map(int, os.environ["BGFAST_PIPES"].split())
    with (
        os.fdopen(reading, encoding="ascii") as questions,
        os.fdopen(writing, "w", encoding="ascii") as answers,
    ):
        for line in questions:
            gnubg.command(f"set gnubgid {line.strip()}")
            hint = gnubg.hint(EVERY)
            said = {
                "position": hint["gnubgid"].split(":")[0],
                "dice": gnubg.posinfo()["dice"],
                "plays": [play["move"] for play in hint["hint"]],
            }
            answers.write(json.dumps(said) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
