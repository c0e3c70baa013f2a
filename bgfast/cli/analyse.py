"""``bgfast analyse``: the plays of a roll, or what a position is worth, to an evaluator that looks ahead."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from bgfast.analysis.evaluators.evaluators import tells_points
from bgfast.analysis.evaluators.lookahead import CANDIDATES, MOST_PLY, Lookahead, RankedPlay, RankedPlays
from bgfast.analysis.rollouts.judged_as import judged_as
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.analysis.rollouts.rollout import FEWEST, Rollout
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.cli.given_positions import GivenPosition, add_positions, each_position
from bgfast.cli.options import (
    add_csv,
    add_position,
    add_quiet,
    add_rules,
    add_threads,
    refuse_both,
    seed,
    whole,
)
from bgfast.cli.parser import Parser
from bgfast.common.columns import csv_text
from bgfast.common.probabilities import named_probabilities
from bgfast.common.progress import shown_progress
from bgfast.common.streams import complain
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position
from bgfast.rules import RuleSet

__all__ = ["add_options", "run"]

TOP = 5
TRIALS = 1296
NO_POINTS = "the values put plays in order, and are no points"
HEADS = ("win", "win g", "win bg", "lose g", "lose bg")


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast analyse``."""
    add_position(
        parser,
        "[ROLL]",
        "With a ROLL (31, 3-1 or 3 1) its plays are ranked, without one the position is valued.",
        example="bgfast analyse start 31 --ply 2",
    )
    add_positions(parser)
    add_csv(parser)
    add_rules(parser)
    add_quiet(parser)
    add_threads(parser)
    parser.add_argument(
        "--ply",
        type=whole(0, MOST_PLY),
        default=1,
        metavar="N",
        help=f"look N plies ahead, 0 to {MOST_PLY} (1)",
    )
    parser.add_argument(
        "--candidates",
        type=whole(1, 999),
        metavar="K",
        help=f"look 1 ply ahead from the K best plays ({CANDIDATES[0]}), then 2 plies from K of these "
        f"({CANDIDATES[1]})",
    )
    parser.add_argument("--top", type=whole(1, 999), default=TOP, metavar="K", help=f"show K plays ({TOP})")
    parser.add_argument(
        "--evaluator",
        default="builtin",
        metavar="NAME",
        help="builtin (default), builtin-fast, pip-count, random, gnubg-nn, bgsage, a file, or MODULE:NAME",
    )
    parser.add_argument("--rollout", action="store_true", help="roll out what is shown")
    parser.add_argument(
        "--trials", type=whole(2, 10**9), metavar="N", help=f"games each of the rollout ({TRIALS})"
    )
    parser.add_argument("--seed", type=seed, metavar="N", help="of the dice of the rollout (0)")


def run(arguments: argparse.Namespace) -> None:
    """Print the plays of each position, or what it is worth, and the rollout if one is asked for."""
    if not arguments.rollout and (arguments.trials is not None or arguments.seed is not None):
        raise BgfastError("--trials and --seed are those of a rollout; expected --rollout, too")
    refuse_both(arguments)
    if arguments.csv and arguments.rollout:
        raise BgfastError("--csv is a table of what was looked at; expected no --rollout")
    rules = RuleSet.named(arguments.rules)
    # All that is given is refused before anything is printed; a roll in a finished game is, too.
    given = each_position(arguments, lambda one: one.roll and one.position.plays(one.roll, rules))
    evaluator = named_evaluator(arguments.evaluator)
    player = Lookahead(evaluator, ply=arguments.ply, candidates=arguments.candidates, rules=rules)
    for at, (position, _) in enumerate(given):
        try:
            found = _Analysis(position, player, arguments)
        except KeyboardInterrupt:
            complain("bgfast: no result yet: plays are ranked once all have been looked at")
            raise
        if arguments.csv:
            print(csv_text(found.rows(), head=at == 0), end="", flush=True)
            continue
        rolled_out, interrupted = None, False
        if arguments.rollout:
            rolled_out, interrupted = _rolled_out(found.shown, evaluator, position.context, arguments)
        if arguments.json:
            more = {} if rolled_out is None else {"rollout": rolled_out.to_dict()}
            print(json.dumps(found.content | more), flush=True)
        else:
            _print_lines(found.lines, rolled_out, at)
        if interrupted:
            raise KeyboardInterrupt


def _print_lines(lines: list[str], rolled_out: RolloutResult | None, at: int) -> None:
    blank = [""] if at else []
    more = [] if rolled_out is None else ["", str(rolled_out)]
    print(folded("\n".join(blank + lines + more), sys.stdout), flush=True)


class _Analysis:
    """One position looked at.

    Attributes
    ----------
    shown : Position or list of Play
        What is shown: the best plays, or without a roll the position.
    content : dict
        As JSON has it.
    lines : list of str
        The table.
    """

    def __init__(self, given: GivenPosition, player: Lookahead, arguments: argparse.Namespace) -> None:
        self.shown: Position | list[Play] = given.position
        points = tells_points(player)
        self.content: dict[str, Any] = {
            **given.where,
            "position": given.position.gnubg_id,
            "rules": arguments.rules,
            "evaluator": arguments.evaluator,
            "ply": arguments.ply,
            "judged_as": judged_as(given.context) if points else f"{arguments.evaluator}: {NO_POINTS}",
        }
        # What is no point is no equity.
        self._word = "equity" if points else "value"
        self._given = given
        self.lines = [] if given.heading is None else [given.heading]
        if given.roll is None:
            equity, probabilities, *_ = player.evaluation(given.position)
            self._plays = RankedPlays()
            self.content |= {self._word: equity, "probabilities": _named(probabilities)}
            self.lines += [
                f"{self._word:>7}{_heads(probabilities)}",
                f"{equity:+7.4f}{_percent(probabilities)}",
            ]
        else:
            plays = player.best_plays(given.position, given.roll, threads=arguments.threads)
            legal = sum(1 for each in plays if each.play.moves)  # a pass has none
            self._plays = RankedPlays(plays[: arguments.top])
            self.content |= {"roll": given.roll, "legal_plays": legal}
            self.content["plays"] = [_row(each, self._word) for each in self._plays]
            self.lines += _ranking(self._plays, self._word)
            self.shown = [each.play for each in self._plays]
        self.lines.append(self.content["judged_as"])

    def rows(self) -> list[dict[str, Any]]:
        """Return the same as rows of a table that has one form for all positions."""
        place, more = self._given.columns, {"judged_as": self.content["judged_as"]}
        if self._given.roll is not None:
            return [
                place | {self._word if name == "equity" else name: row[name] for name in row} | more
                for row in self._plays.rows()
            ]
        probabilities = self.content["probabilities"] or named_probabilities(None)
        evaluation = {
            self._word: self.content[self._word],
            "difference": 0.0,
            **probabilities,
            "ply": self.content["ply"],
        }
        return [place | {"rank": 1, "play": None, "gnubg_id": place["position"], **evaluation} | more]


def _ranking(plays: Sequence[RankedPlay], word: str) -> list[str]:
    width = max(len(str(each.play)) for each in plays)
    wide = 7 if word == "equity" else 10  # a value of pubeval may be +1000.0000: a game that is won
    lines = [f"   {'':{width}} ply {word:>{wide}}   diff. {_heads(plays[0].probabilities)}"]
    for rank, each in enumerate(plays, 1):
        difference = f"{each.difference:+8.4f}" if rank > 1 else f"{'':8}"
        line = f"{rank:>2} {each.play!s:{width}} {each.ply:>3} {each.equity:+{wide}.4f} {difference}"
        lines.append(line + _percent(each.probabilities))
    return lines


def _heads(probabilities: tuple[float, ...] | None) -> str:
    return "" if probabilities is None else "".join(f"{head:>8}" for head in HEADS)


def _percent(probabilities: tuple[float, ...] | None) -> str:
    return "".join(f" {each:7.2%}" for each in probabilities or ())


def _named(probabilities: tuple[float, ...] | None) -> dict[str, float | None] | None:
    return None if probabilities is None else named_probabilities(probabilities)


def _row(ranked: RankedPlay, word: str) -> dict[str, Any]:
    return {
        "text": str(ranked.play),
        "gnubg_id": ranked.play.position.gnubg_id,
        word: ranked.equity,
        "difference": ranked.difference,
        "probabilities": _named(ranked.probabilities),
        "ply": ranked.ply,
    }


def _rolled_out(
    what: Position | list[Play], evaluator: Any, context: Decision | None, arguments: argparse.Namespace
) -> tuple[RolloutResult | None, bool]:
    """Return what the rollout has found, None for nothing yet, and whether it was interrupted."""
    rollout = Rollout(
        what,
        evaluator,
        trials=arguments.trials or TRIALS,
        seed=arguments.seed or 0,
        rules=arguments.rules,
        context=context,
        cubeless=True,  # as what stands above it
    )
    interrupted = False
    with shown_progress("rollout", quiet=arguments.quiet) as progress:
        try:
            for share in rollout.play(threads=arguments.threads):
                progress(share)
        except KeyboardInterrupt:
            interrupted = True
    return (rollout.result() if rollout.done >= FEWEST else None), interrupted
