"""Script for GNU Backgammon's embedded Python: evaluate the cube decision of each position at 0 plies.

The first line of the questions has the contexts, each other line a position. Environment variables name the
files, since GNU Backgammon prints to standard output and takes other arguments.
"""

from __future__ import annotations

import json
import os
from typing import Any

import gnubg

GAMMON_PRICES = ((1.0, 1.0), (1.0, 1.0))
EVALUATION = gnubg.evalcontext(1, 0, 1, 0, 0.0)  # cubeful, plies, deterministic, pruning networks, noise


def cube_info(context: dict[str, Any]) -> Any:
    """Return GNU Backgammon's cube info of a context; player 0 is on roll."""
    owner = 0 if context["owner"] == "owned" else -1
    length = 0 if context["away"] is None else max(context["away"])
    score = (0, 0) if context["away"] is None else tuple(length - away for away in context["away"])
    info = gnubg.cubeinfo(context["cube"], owner, 0, length, score, int(context["crawford"]), 0)
    if not length:
        # `cubeinfo` turns the Jacoby rule on, in two places: the flag, and gammons worth nothing.
        info["jacoby"] = int(context["jacoby"])
        info["beavers"] = 1
        if not context["jacoby"]:
            info["gammonprice"] = GAMMON_PRICES
    return info


def main() -> None:
    """Answer every question."""
    with (
        open(os.environ["BGFAST_CUBE_QUESTIONS"], encoding="ascii") as questions,
        open(os.environ["BGFAST_CUBE_ANSWERS"], "w", encoding="ascii") as answers,
    ):
        infos = [cube_info(context) for context in json.loads(next(questions))]
        money = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
        # For `check_table`.
        answers.write(json.dumps(gnubg.met(25)) + "\n")
        for line in questions:
            sides = tuple(map(tuple, json.loads(line)))
            answer = {
                "class": gnubg.classifypos(sides, 0),
                "probabilities": gnubg.evaluate(sides, money, EVALUATION)[:5],
                "answers": [gnubg.cfevaluate(sides, info, EVALUATION) for info in infos],
            }
            answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
