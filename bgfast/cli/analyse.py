"""``bgfast analyse``: the plays of a roll, or what a position is worth, to an evaluator that looks ahead."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from bgfast.analysis.judged_as import judged_as
from bgfast.analysis.lookahead import CANDIDATES, MOST_PLY, Lookahead, RankedPlay
from bgfast.analysis.rollout_result import RolloutResult
from bgfast.analysis.rollouts import Rollout
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.cli.options import add_position, add_quiet, add_rules, add_threads, given_position, seed, whole
from bgfast.cli.parser import Parser
from bgfast.common.progress import shown_progress
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError
from bgfast.formats.position_text import read_roll, refuse_offer
from bgfast.position.objects import Play, Position
from bgfast.position.xgid import Xgid
from bgfast.rules import RuleSet

__all__ = ["add_options", "run"]

TOP = 5
TRIALS = 1296
CHANCES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
HEADS = ("win", "win g", "win bg", "lose g", "lose bg")


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast analyse``."""
    add_position(
        parser,
        "[ROLL]",
        "With a ROLL (31, 3-1 or 3 1) its plays are ranked, without one the position is valued.",
        example="bgfast analyse start 31 --ply 2",
    )
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
        help="builtin (default), pip-count, random, gnubg-nn, bgsage, a file, or MODULE:NAME",
    )
    parser.add_argument("--rollout", action="store_true", help="roll out what is shown")
    parser.add_argument(
        "--trials", type=whole(2, 10**9), metavar="N", help=f"games each of the rollout ({TRIALS})"
    )
    parser.add_argument("--seed", type=seed, metavar="N", help="of the dice of the rollout (0)")


def run(arguments: argparse.Namespace) -> None:
    """Print the plays, or what the position is worth, and the rollout if one is asked for."""
    text = given_position(arguments)
    refuse_offer(text.context)
    if not arguments.rollout and (arguments.trials is not None or arguments.seed is not None):
        raise BgfastError("--trials and --seed are those of a rollout; expected --rollout, too")
    evaluator = named_evaluator(arguments.evaluator)
    player = Lookahead(
        evaluator, ply=arguments.ply, candidates=arguments.candidates, rules=RuleSet.named(arguments.rules)
    )
    content: dict[str, Any] = {
        "position": text.position.gnubg_id,
        "rules": arguments.rules,
        "evaluator": arguments.evaluator,
        "ply": arguments.ply,
        "judged_as": judged_as(text.context),
    }
    what: Position | list[Play] = text.position
    if text.rest or text.dice is not None:
        roll = read_roll(text)
        plays = player.best_plays(text.position, roll, threads=arguments.threads)
        best = plays[: arguments.top]
        legal = sum(1 for each in plays if each.play.moves)  # a pass has none
        content |= {"roll": roll, "legal_plays": legal, "plays": [_row(each) for each in best]}
        lines = _ranking(best)
        what = [each.play for each in best]
    else:
        equity, chances = player.worth(text.position)
        content |= {"equity": equity, "probabilities": _named(chances)}
        lines = [f"{'equity':>7}{_heads(chances)}", f"{equity:+7.4f}{_percent(chances)}"]
    lines.append(content["judged_as"])
    rolled_out = _rolled_out(what, evaluator, text.context, arguments) if arguments.rollout else None
    if arguments.json:
        more = {} if rolled_out is None else {"rollout": rolled_out.to_dict()}
        print(json.dumps(content | more))
        return
    if rolled_out is not None:
        lines.append(f"\n{rolled_out}")
    print(folded("\n".join(lines), sys.stdout))


def _ranking(plays: Sequence[RankedPlay]) -> list[str]:
    width = max(len(str(each.play)) for each in plays)
    lines = [f"   {'':{width}} ply  equity  behind {_heads(plays[0].probabilities)}"]
    for rank, each in enumerate(plays, 1):
        behind = f"{each.difference:+8.4f}" if rank > 1 else f"{'':8}"
        line = f"{rank:>2} {each.play!s:{width}} {each.ply:>3} {each.equity:+7.4f} {behind}"
        lines.append(line + _percent(each.probabilities))
    return lines


def _heads(chances: tuple[float, ...] | None) -> str:
    return "" if chances is None else "".join(f"{head:>8}" for head in HEADS)


def _percent(chances: tuple[float, ...] | None) -> str:
    return "".join(f" {chance:7.2%}" for chance in chances or ())


def _named(chances: tuple[float, ...] | None) -> dict[str, float] | None:
    return None if chances is None else dict(zip(CHANCES, chances, strict=True))


def _row(ranked: RankedPlay) -> dict[str, Any]:
    return {
        "text": str(ranked.play),
        "gnubg_id": ranked.play.position.gnubg_id,
        "equity": ranked.equity,
        "difference": ranked.difference,
        "probabilities": _named(ranked.probabilities),
        "ply": ranked.ply,
    }


def _rolled_out(
    what: Position | list[Play], evaluator: Any, context: Xgid | None, arguments: argparse.Namespace
) -> RolloutResult:
    rollout = Rollout(
        what,
        evaluator,
        trials=arguments.trials or TRIALS,
        seed=arguments.seed or 0,
        rules=arguments.rules,
        context=context,
    )
    with shown_progress("rollout", quiet=arguments.quiet) as progress:
        for share in rollout.play(threads=arguments.threads):
            progress(share)
    return rollout.result()
