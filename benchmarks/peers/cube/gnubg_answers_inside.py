"""Run by GNU Backgammon's own Python: read a position a line, write what its 0-ply cube decision says of it.

The first line of the questions has the contexts. Files are named by the environment, since GNU Backgammon
prints to its standard output and has arguments of its own.
"""

from __future__ import annotations

import json
import os
from typing import Any

import gnubg

PLAIN = ((1.0, 1.0), (1.0, 1.0))
EVALUATION = gnubg.evalcontext(1, 0, 1, 0, 0.0)  # cubeful, plies, deterministic, pruning networks, noise


def cube_info(context: dict[str, Any]) -> Any:
    """Return GNU Backgammon's dictionary of a context; the player on roll is its player 0."""
    owner = 0 if context["owner"] == "owned" else -1
    length = 0 if context["away"] is None else max(context["away"])
    score = (0, 0) if context["away"] is None else tuple(length - away for away in context["away"])
    made = gnubg.cubeinfo(context["cube"], owner, 0, length, score, int(context["crawford"]), 0)
    if not length:
        # It comes with Jacoby's rule, which is in two places: gammons are worth nothing with a centred cube.
        made["jacoby"] = int(context["jacoby"])
        made["beavers"] = 1
        if not context["jacoby"]:
            made["gammonprice"] = PLAIN
    return made


def main() -> None:
    """Answer every question."""
    with (
        open(os.environ["BGFAST_CUBE_QUESTIONS"], encoding="ascii") as questions,
        open(os.environ["BGFAST_CUBE_ANSWERS"], "w", encoding="ascii") as answers,
    ):
        infos = [cube_info(context) for context in json.loads(next(questions))]
        money = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
        # Its table, by which the other side makes sure that it has the same one.
        answers.write(json.dumps(gnubg.met(25)) + "\n")
        for line in questions:
            sides = tuple(map(tuple, json.loads(line)))
            said = {
                "class": gnubg.classifypos(sides, 0),
                "probabilities": gnubg.evaluate(sides, money, EVALUATION)[:5],
                "answers": [gnubg.cfevaluate(sides, info, EVALUATION) for info in infos],
            }
            answers.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
