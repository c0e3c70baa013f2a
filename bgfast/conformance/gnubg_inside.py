"""Script run by GNU Backgammon's own Python: read GNU IDs line by line and write the plays of `hint`.

It uses separate pipes, since GNU Backgammon prints boards and messages to its standard output.
"""

from __future__ import annotations

import json
import os

import gnubg

SETTINGS = (
    "set player 0 human",
    "set player 1 human",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set automatic game off",
    "set confirm new off",
    "set output rawboard on",
    # At 0 plies no move filter applies.
    "set evaluation chequerplay evaluation plies 0",
    "set evaluation chequerplay evaluation prune off",
    "set evaluation chequerplay evaluation cubeful off",
)
MAX_PLAYS = 5000
"""Larger than the number of plays of any position and roll."""


def main() -> None:
    """Answer questions until the pipe is closed."""
    for setting in SETTINGS:
        gnubg.command(setting)
    question_pipe, answer_pipe = map(int, os.environ["BGFAST_PIPES"].split())
    with (
        os.fdopen(question_pipe, encoding="ascii") as questions,
        os.fdopen(answer_pipe, "w", encoding="ascii") as answers,
    ):
        for line in questions:
            gnubg.command(f"set gnubgid {line.strip()}")
            hint = gnubg.hint(MAX_PLAYS)
            answer = {
                "position": hint["gnubgid"].split(":")[0],
                "dice": gnubg.posinfo()["dice"],
                "plays": [play["move"] for play in hint["hint"]],
            }
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
