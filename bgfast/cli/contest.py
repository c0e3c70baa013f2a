"""``bgfast contest``: how strong a player is against another one."""

from __future__ import annotations

import argparse
import json
import sys

from bgfast.analysis.strength.contest import FEWEST, Contest, RunningContest
from bgfast.cli.evaluator_names import EVALUATORS, named_evaluator
from bgfast.cli.options import add_json, add_quiet, add_rules, add_threads, seed, whole
from bgfast.cli.parser import Parser
from bgfast.common.progress import shown_progress
from bgfast.common.streams import complain
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast contest``."""
    parser.describe(
        "A B",
        f"A and B: {', '.join(EVALUATORS)}, the file of a network, or MODULE:NAME of a callable. Each pair "
        "of games has the same dice and changes sides; there is no cube, and each player makes the play that "
        "it likes best.",
        example="bgfast contest mine.bgnet pubeval --games 20000",
    )
    add_json(parser)
    add_rules(parser)
    add_quiet(parser)
    add_threads(parser)
    parser.add_argument(
        "--games", type=whole(FEWEST, 10**8), default=10_000, metavar="N", help="an even number (10000)"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="of the dice (0)")


def run(arguments: argparse.Namespace) -> None:
    """Play, and print what A has won; after Ctrl-C by what is known so far."""
    if len(arguments.words) != 2:
        raise BgfastError(f"{len(arguments.words)} players; expected two: A B")
    players = [named_evaluator(word) for word in arguments.words]
    contest = RunningContest(
        players[0],
        players[1],
        games=arguments.games,
        seed=arguments.seed,
        rules=arguments.rules,
        threads=arguments.threads,
    )
    try:
        with shown_progress("contest", quiet=arguments.quiet) as progress:
            for share in contest.play():
                progress(share)
    except KeyboardInterrupt:
        if contest.games < FEWEST:
            complain(f"bgfast: no result yet: fewer than {FEWEST} games are over")
        else:
            _print(arguments, contest.result())
        raise
    _print(arguments, contest.result())


def _print(arguments: argparse.Namespace, found: Contest) -> None:
    if arguments.json:
        print(json.dumps({"a": arguments.words[0], "b": arguments.words[1], **found._asdict()}))
        return
    print(folded(f"{arguments.words[0]} against {arguments.words[1]}: {found}", sys.stdout))
