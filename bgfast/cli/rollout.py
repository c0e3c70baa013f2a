"""``bgfast rollout``: rollouts of a position or of plays."""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from bgfast.analysis.rollouts.candidates import MIN_TRIALS, RolloutOptions, StopCriterion
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.cli.analysed import answer_lines
from bgfast.cli.options import (
    InputPosition,
    add_common,
    add_position,
    add_positions,
    check_target,
    prepared_positions,
    refuse_both,
    refuse_with_positions,
    seconds,
    seed,
    whole,
)
from bgfast.cli.parser import Parser
from bgfast.cli.players import add_cube, cube_settings, named_evaluator
from bgfast.cli.progress import shown_progress
from bgfast.cli.streams import complain
from bgfast.common.extras import check_plot, new_figure, save_figure
from bgfast.common.tables import csv_text
from bgfast.common.text import folded
from bgfast.common.validation import number_in_text
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import check_rules
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.position.objects import Play, PlayList, Position
from bgfast.rules import RuleSet

TOP = 5


def add_options(parser: Parser) -> None:
    """Add the options of ``bgfast rollout``."""
    add_position(
        parser,
        "[ROLL]",
        "With a ROLL (31, 3-1 or 3 1) its plays are rolled out and ranked, without a roll the position; "
        "with a cube both branches of the cube decision.",
        example="bgfast rollout start 31 --top 3 --trials 12960",
    )
    add_positions(parser)
    add_common(parser, "--csv", "--rules")
    add_cube(parser)
    add_common(parser, "--quiet")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--plays", metavar="TEXT,...", help="these plays of the roll, as '8/5 6/5,24/23 13/10'"
    )
    which.add_argument("--top", type=whole(1, 999), metavar="K", help=f"the K best plays at 0 plies ({TOP})")
    parser.option(
        "--evaluator",
        "NAME",
        "builtin (default), builtin-fast, pubeval, pip-count, random, gnubg-nn, gnubg, bgsage, a file, "
        "or MODULE:NAME",
        default="builtin",
    )
    parser.option("--policy", "NAME", "another evaluator that chooses the plays")
    parser.option("--trials", "N", "games for each candidate (1296)", whole(2, 10**9), 1296)
    parser.option("--seed", "N", "seed of the dice (0)", seed, 0)
    parser.option("--truncate", "N", "end games after N plies by an evaluation", whole(1, 10_000))
    parser.flag("--variance-reduction", "subtract the luck of the dice")
    parser.flag("--plain-dice", "independent dice instead of quasi-random ones")
    parser.option("--stop-error", "X", "stop at standard errors of X points or less", _error)
    parser.option(
        "--stop-settled", "X", "stop when the best is X standard errors better than the others", _error
    )
    parser.option("--time-limit", "S", "stop after S seconds", seconds)
    add_common(parser, "--threads")
    parser.option("--scheduler", "tcp://...", "run on a Dask cluster (pip install bgfast[dask])")
    parser.option("--checkpoint", "FILE", "store finished blocks in FILE and resume from it")
    parser.option("--plot", "FILE", "draw the result, as .svg or .png (pip install bgfast[plot])")


def run(arguments: argparse.Namespace) -> None:
    """Print the rollout table of each position; after Ctrl-C with the trials so far."""
    refuse_both(arguments)
    refuse_with_positions(arguments, "--plays", "--checkpoint", "--plot")
    cube = cube_settings(arguments)
    rules = RuleSet.named(arguments.rules)
    evaluator = named_evaluator(arguments.evaluator)
    policy = None if arguments.policy is None else named_evaluator(arguments.policy)
    if arguments.plot is not None:
        read = (arguments.evaluator, arguments.policy, arguments.met, arguments.checkpoint)
        check_target(arguments.plot, read)
        check_plot(arguments.plot)
    limits: dict[StopCriterion, float | None] = {
        "standard_error": arguments.stop_error,
        "settled": arguments.stop_settled,
        "seconds": arguments.time_limit,
    }

    def prepared(position: InputPosition) -> Rollout:
        return Rollout(
            _candidates(arguments, position, rules, policy or evaluator),
            evaluator,
            RolloutOptions(
                trials=arguments.trials,
                truncate=arguments.truncate,
                seed=arguments.seed,
                variance_reduction=arguments.variance_reduction,
                quasi_random=not arguments.plain_dice,
                policy=policy,
                rules=rules,
                stop={word: limit for word, limit in limits.items() if limit is not None} or None,
                context=position.context,
                cubeless=arguments.cubeless,
                efficiency=cube.efficiency,
                met=cube.met,
            ),
        )

    rollouts = deque(prepared_positions(arguments, prepared, offers=True))
    with _cluster(arguments.scheduler) as executor:
        for index in range(len(rollouts)):
            position, rollout = rollouts.popleft()  # frees the trials of the previous rollout
            try:
                with shown_progress("rollout", rollout.trials, "trials", quiet=arguments.quiet) as progress:
                    for _ in rollout.play(
                        threads=arguments.threads, executor=executor, checkpoint=arguments.checkpoint
                    ):
                        progress.initial = rollout.resumed
                        progress(rollout.done, partial(_summary, rollout))
            except KeyboardInterrupt:
                if rollout.done >= MIN_TRIALS:
                    _print(rollout.result(), position, index, arguments)
                if arguments.checkpoint is not None:
                    complain(
                        f"bgfast: finished blocks are in {arguments.checkpoint}; the same command resumes"
                    )
                elif rollout.done < MIN_TRIALS:
                    complain(f"bgfast: no result yet: fewer than {MIN_TRIALS} trials are over")
                raise
            if arguments.plot is not None:
                _plot(arguments.plot, rollout.history(), _title(position, rollout, arguments.evaluator))
            _print(rollout.result(), position, index, arguments)


def _print(result: RolloutResult, position: InputPosition, index: int, arguments: argparse.Namespace) -> None:
    if arguments.csv:
        print(
            csv_text([position.columns | row for row in result.rows()], head=index == 0), end="", flush=True
        )
    elif arguments.json:
        content = {**position.where, "rollout": result.to_dict()} if position.where else result.to_dict()
        print(json.dumps(content, allow_nan=False), flush=True)
    else:
        heading = "" if position.heading is None else f"{position.heading}\n"
        blank = "\n" if index else ""
        lines = [f"{blank}{heading}{result}", *answer_lines(result, position.context)]
        print(folded("\n".join(lines), sys.stdout), flush=True)


def _title(position: InputPosition, rollout: Rollout, evaluator: str) -> str:
    roll = f", {position.roll_text}" if position.roll else ""
    return f"{position.position.gnubg_id}{roll}: {rollout.done:,} trials, {evaluator}"


def _error(text: str) -> float:
    try:
        number = number_in_text(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 100:
        raise argparse.ArgumentTypeError(f"is {shown(text)}; expected a number of points greater than 0")
    return number


def _candidates(
    arguments: argparse.Namespace, position: InputPosition, rules: RuleSet, policy: Any
) -> Position | list[Play]:
    if position.roll is None:
        if arguments.plays is not None or (arguments.top is not None and arguments.positions is None):
            raise BgfastError("--plays and --top choose among the plays of a roll; expected a ROLL")
        return position.position
    plays = position.position.plays(position.roll, rules)
    if not len(plays):
        return _passed(plays, arguments)
    if arguments.plays is not None:
        named = [plays.play(text.strip()) for text in arguments.plays.split(",")]
        return [next(play for play in plays if play.position == position) for position in named]
    return _best(plays, policy, rules, arguments.top or TOP)


def _passed(plays: PlayList, arguments: argparse.Namespace) -> list[Play]:
    """Return the pass; `--plays` may name nothing else."""
    for text in (arguments.plays or "pass").split(","):
        plays.play(text.strip())
    return [plays._pass()]


def _best(plays: PlayList, policy: Any, rules: RuleSet, top: int) -> list[Play]:
    check_rules(policy, rules)
    player = policy if isinstance(policy, Lookahead) else Lookahead(policy, ply=0, rules=rules)
    return [candidate.play for candidate in player.best_plays(plays.position, plays.roll)[:top]]


@contextmanager
def _cluster(address: str | None) -> Iterator[Any]:
    """Yield the executor of a Dask cluster; None without an address."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise BgfastError("--scheduler needs Dask; pip install 'bgfast[dask]'") from None
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise BgfastError(f"scheduler {shown(address)}: {error}") from None
    with client:
        yield client.get_executor()


def _summary(rollout: Rollout) -> str:
    if rollout.done < MIN_TRIALS:
        return ""
    best = rollout.result().best
    return f", {best.name} {best.equity:+.4f} ± {best.interval[1] - best.equity:.4f}"


def _plot(path: str, history: Sequence[RolloutResult], title: str) -> None:
    """Draw a rollout and its convergence history, whose last item is the final result."""
    result = history[-1]
    figure = new_figure(10, 1.5 + 0.45 * max(6, len(result.estimates)))
    figure.suptitle(title, parse_math=False)  # file names may contain dollar signs
    bars, lines = figure.subplots(1, 2)
    estimates = result.estimates[::-1]
    for height, estimate in enumerate(estimates):
        margin = estimate.interval[1] - estimate.equity
        bars.errorbar(
            estimate.equity, height, xerr=margin, fmt="o", capsize=4, color=f"C{len(estimates) - 1 - height}"
        )
    bars.set_yticks(range(len(estimates)), [estimate.name for estimate in estimates])
    bars.set_ylim(-0.6, len(estimates) - 0.4)
    bars.set_xlabel("equity, points (95 %)")
    bars.grid(axis="x", alpha=0.3)
    for color, estimate in enumerate(result.estimates):
        trials = [interim.trials for interim in history]
        series = [_estimate_named(interim, estimate.name) for interim in history]
        equities = [point.equity for point in series]
        lines.plot(trials, equities, ".-", markersize=3, color=f"C{color}", label=estimate.name)
        low, high = ([point.interval[end] for point in series] for end in (0, 1))
        lines.fill_between(trials, low, high, color=f"C{color}", alpha=0.15)
    lines.set_xlabel("trials")
    lines.set_ylabel("equity, points")
    lines.grid(alpha=0.3)
    save_figure(path, figure)


def _estimate_named(result: RolloutResult, name: str) -> Any:
    return next(estimate for estimate in result.estimates if estimate.name == name)
