"""``bgfast rollout``: rollouts of a position or of plays."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from bgfast.analysis.rollouts.candidates import MIN_TRIALS, RolloutOptions, StopCriterion
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.cli.options import InputPosition, check_plot_target, input_positions, option_type
from bgfast.cli.parser import print_result
from bgfast.cli.players import CUBE_OPTIONS, cube_settings, load_evaluator
from bgfast.cli.printed_results import answer_lines
from bgfast.cli.progress import Progress
from bgfast.cli.streams import complain, explain_interrupt
from bgfast.common.extras import new_figure, save_figure
from bgfast.common.validation import number_in_text
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.evaluators.evaluators import check_rules
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.tables import csv_text
from bgfast.position.objects import Play, Position
from bgfast.rules import RuleSet

TOP = 5
NO_RESULT = f"no result yet: fewer than {MIN_TRIALS} trials are done"

HELP = f"""
usage: [POSITION] [ROLL]

Without a ROLL the cube decision is rolled out (money play by default).

| --top K[1..999]   the K best plays at 0 plies ({TOP})
| --plays TEXT,...  these plays of the roll, such as '8/5 6/5,24/23 13/10'
--trials N[2..1000000000]=1296  games for each candidate (1296)
--truncate N[1..10000]  end games after N plies with an evaluation
--evaluator NAME=builtin  evaluator, as in bgfast analyse, or pubeval (builtin)
--policy NAME           another evaluator that chooses the plays
--threads
--seed N=0  seed of the dice (0)
{CUBE_OPTIONS}
--variance-reduction    subtract the luck of the dice
--plain-dice            independent dice instead of quasi-random ones
--stop-error X          stop at standard errors of X points or less
--stop-settled X        stop when the best leads by X standard errors
--time-limit S          stop after S seconds
--checkpoint FILE       store finished blocks in FILE and resume from it
--scheduler URL         run on a Dask cluster, tcp://... (bgfast[dask])
--plot FILE             plot the results, .svg or .png (bgfast[plot])
--positions --checkers --rules
--json --csv --force --quiet

example: bgfast rollout 31 --top 3 --trials 12960
"""
TYPES = dict.fromkeys(
    ("stop_error", "stop_settled"),
    option_type(number_in_text, "a number above 0 and below 100", lambda limit: 0 < limit < 100),
) | {"efficiency": EFFICIENCY_MODELS}

SUGGESTIONS = dict.fromkeys(
    ("--ply", "--plies", "--depth"), ("--evaluator builtin-1ply, or --policy builtin-1ply",)
)


def run(arguments: argparse.Namespace) -> None:
    """Print the rollout table of each position; after Ctrl-C the table covers the trials so far."""
    cube = cube_settings(arguments)
    rules = RuleSet.named(arguments.rules)
    evaluator = load_evaluator(arguments.evaluator)
    policy = None if arguments.policy is None else load_evaluator(arguments.policy)
    limits: dict[StopCriterion, float | None] = {
        "standard_error": arguments.stop_error,
        "settled": arguments.stop_settled,
        "seconds": arguments.time_limit,
    }
    options: dict[str, Any] = {
        name: getattr(arguments, name)
        for name in ("trials", "truncate", "seed", "variance_reduction", "cubeless")
    }
    options["stop"] = {criterion: limit for criterion, limit in limits.items() if limit is not None} or None
    options |= {"quasi_random": not arguments.plain_dice, "policy": policy, "rules": rules, **cube}

    def prepare(position: InputPosition) -> Rollout:
        candidates = _candidates(arguments, position, rules, policy or evaluator)
        return Rollout(candidates, evaluator, RolloutOptions(context=position.context, **options))

    with explain_interrupt(NO_RESULT):
        rollouts = deque(input_positions(arguments, prepare, "--plays", "--checkpoint", "--plot"))
    other_files = arguments.evaluator, arguments.policy, arguments.met, arguments.checkpoint
    check_plot_target(arguments, other_files)
    with _cluster(arguments.scheduler) as executor:
        for index in range(len(rollouts)):
            position, rollout = rollouts.popleft()  # frees the trials of the previous rollout
            try:
                fractions = rollout.play(
                    threads=arguments.threads, executor=executor, checkpoint=arguments.checkpoint
                )
                with Progress("rollout", rollout.trials, "trials", quiet=arguments.quiet) as progress:
                    for _ in fractions:
                        progress.initial = rollout.resumed
                        progress(rollout.done, partial(_summary, rollout))
            except KeyboardInterrupt:
                if rollout.done >= MIN_TRIALS:
                    _print(rollout.result(), position, index, arguments)
                file = arguments.checkpoint
                if file is not None:
                    complain(f"bgfast: finished blocks are in {file}; the same command resumes")
                elif rollout.done < MIN_TRIALS:
                    complain(f"bgfast: {NO_RESULT}")
                raise
            if arguments.plot is not None:
                roll = f", {position.roll_text}" if position.roll else ""
                label = f"{position.position.gnubg_id}{roll}"
                title = f"{label}: {rollout.done:,} trials, {arguments.evaluator}"
                _plot(arguments.plot, rollout.history(), title)
            _print(rollout.result(), position, index, arguments)


def _print(result: RolloutResult, position: InputPosition, index: int, arguments: argparse.Namespace) -> None:
    if arguments.csv:
        rows = [position.columns | row for row in result.rows()]
        print(csv_text(rows, header=index == 0), end="", flush=True)
        return
    content = {**position.origin, "rollout": result.to_dict()} if position.origin else result.to_dict()
    separator, answer = [""] if index else [], answer_lines(result, position.context)
    print_result(arguments, content, *separator, *position.heading, str(result), *answer)


def _candidates(
    arguments: argparse.Namespace, position: InputPosition, rules: RuleSet, policy: Any
) -> Position | list[Play]:
    if position.roll is None:
        if arguments.plays is not None or (arguments.top is not None and arguments.positions is None):
            raise BgfastError("--plays and --top need a ROLL")
        return position.position
    plays = position.position.plays(position.roll, rules)
    if not len(plays):
        for text in (arguments.plays or "pass").split(","):
            plays.play(text.strip())  # raises for anything but the pass
        return [plays._pass()]
    if arguments.plays is not None:
        return [plays[text.strip()] for text in arguments.plays.split(",")]
    check_rules(policy, rules)
    player = policy if isinstance(policy, Lookahead) else Lookahead(policy, ply=0, rules=rules)
    best = player.best_plays(plays.position, plays.roll)[: arguments.top or TOP]
    return [candidate.play for candidate in best]


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
        raise BgfastError(f"scheduler {short_repr(address)}: {error}") from None
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
        margin, color = estimate.interval[1] - estimate.equity, f"C{len(estimates) - 1 - height}"
        bars.errorbar(estimate.equity, height, xerr=margin, fmt="o", capsize=4, color=color)
    bars.set_yticks(range(len(estimates)), [estimate.name for estimate in estimates])
    bars.set_ylim(-0.6, len(estimates) - 0.4)
    bars.set_xlabel("equity, points (95 %)")
    bars.grid(axis="x", alpha=0.3)
    trials = [interim.trials for interim in history]
    for index, estimate in enumerate(result.estimates):
        color = f"C{index}"
        series = [point for interim in history for point in interim.estimates if point.name == estimate.name]
        equities = [point.equity for point in series]
        lines.plot(trials, equities, ".-", markersize=3, color=color, label=estimate.name)
        low, high = ([point.interval[end] for point in series] for end in (0, 1))
        lines.fill_between(trials, low, high, color=color, alpha=0.15)
    lines.set_xlabel("trials")
    lines.set_ylabel("equity, points")
    lines.grid(alpha=0.3)
    save_figure(path, figure)
