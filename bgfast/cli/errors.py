"""``bgfast errors``: how much a player gives away with a play."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from bgfast.analysis.strength.error_per_play import ErrorPerPlay, Mean, RunningErrors
from bgfast.analysis.strength.judged_positions import BUILTIN, read_judged
from bgfast.cli.evaluator_names import EVALUATORS, named_evaluator
from bgfast.cli.options import add_json, add_quiet, whole
from bgfast.cli.parser import Parser
from bgfast.common.progress import shown_progress
from bgfast.common.streams import complain
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast errors``."""
    parser.describe(
        "PLAYER",
        f"PLAYER: {', '.join(EVALUATORS)}, the file of a network, or MODULE:NAME of a callable. In 2,000 "
        "positions with a roll it makes the play that it likes best; gnubg-nn has judged each play, looking "
        "2 plies ahead, without a cube.",
        example="bgfast errors mine.bgnet --worst 10",
    )
    add_json(parser)
    add_quiet(parser)
    parser.add_argument(
        "--worst", type=whole(0, 10**6), default=0, metavar="N", help="list the N worst mistakes (0)"
    )
    parser.add_argument(
        "--positions",
        default=BUILTIN,
        metavar="FILE",
        help="other positions than those that come with bgfast",
    )


def run(arguments: argparse.Namespace) -> None:
    """Let the player choose, and print what it gives away; after Ctrl-C by what is known so far."""
    if len(arguments.words) != 1:
        raise BgfastError(f"{len(arguments.words)} players; expected one")
    (word,) = arguments.words
    run = RunningErrors(named_evaluator(word), read_judged(arguments.positions))
    try:
        with shown_progress("errors", quiet=arguments.quiet) as progress:
            for share in run.play():
                progress(share)
    except KeyboardInterrupt:
        if run.done:
            _print(arguments, word, run.result(arguments.worst))
        else:
            complain("bgfast: no result yet: no play is chosen")
        raise
    _print(arguments, word, run.result(arguments.worst))


def _print(arguments: argparse.Namespace, word: str, found: ErrorPerPlay) -> None:
    if arguments.json:
        print(json.dumps(_content(word, found)))
        return
    lines = [f"{word}: {found}"]
    for mistake in found.mistakes:
        roll = f"{mistake.roll[0]}{mistake.roll[1]}"
        lines.append(
            f"{mistake.millipoints:7.1f}  {mistake.position.gnubg_id} {roll}  {mistake.played}"
            f"  instead of {mistake.best}"
        )
    print(folded("\n".join(lines), sys.stdout))


def _content(word: str, found: ErrorPerPlay) -> dict[str, Any]:
    return {
        "player": word,
        "judge": found.judge,
        **_numbers(found.overall),
        "contact": _numbers(found.contact),
        "race": _numbers(found.race),
        "worst": [
            {
                "position": mistake.position.gnubg_id,
                "roll": mistake.roll,
                "played": mistake.played,
                "best": mistake.best,
                "millipoints": round(mistake.millipoints, 1),
            }
            for mistake in found.mistakes
        ],
    }


def _numbers(mean: Mean) -> dict[str, float | None]:
    # JSON has no NaN: what nobody had to decide is null.
    return {key: value if value == value else None for key, value in mean._asdict().items()}
