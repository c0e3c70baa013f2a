"""``bgfast errors``: average error per play."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from bgfast.cli.options import add_common, whole
from bgfast.cli.parser import Parser
from bgfast.cli.players import EVALUATORS, PLAYERS_HELP, named_player
from bgfast.cli.progress import shown_progress
from bgfast.cli.streams import complain
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.text import folded
from bgfast.errors import BgfastError
from bgfast.learning.contested_decisions import BUILTIN, Judges, read_decisions
from bgfast.learning.error_per_play import (
    ErrorDifference,
    ErrorPerPlay,
    MeanLoss,
    RunningErrors,
    error_difference,
)

LOSS_COLUMNS = ("", "decisions", "millipoints", "95 %", "rollouts", "best play")
DIFFERENCE_COLUMNS = ("", "decisions", "millipoints", "95 %", "rollouts", "same play")


def add_options(parser: Parser) -> None:
    """Add the options of ``bgfast errors``."""
    parser.describe(
        "PLAYER [OTHER]",
        f"PLAYER and OTHER: {', '.join(EVALUATORS)}, {PLAYERS_HELP}. A "
        "player chooses a play in each contested decision, whose candidates were rolled out; the table shows "
        "the mean loss by family, with 95 % intervals, and for two players the paired difference.",
        example="bgfast errors mine.bgnet builtin --worst 10",
    )
    add_common(parser, "--json", "--quiet")
    parser.option("--worst", "N", "list the N largest mistakes (0)", whole(0, 10**6), 0)
    parser.option("--positions", "FILE", "a file of decisions instead of the built-in one", default=BUILTIN)


def run(arguments: argparse.Namespace) -> None:
    """Print the errors of the players; after Ctrl-C those of the decisions so far."""
    names = arguments.words
    if not 1 <= len(names) <= 2:
        raise BgfastError(f"{len(names)} players; expected one or two: PLAYER [OTHER]")
    players = [named_player(name) for name in names]
    contested = read_decisions(arguments.positions)
    runs = [RunningErrors(player, contested) for player in players]
    try:
        with shown_progress("errors", quiet=arguments.quiet) as progress:
            for number, run in enumerate(runs):
                for share in run.play():
                    progress((number + share) / len(runs))
    except KeyboardInterrupt:
        begun = [run for run in runs if run.done]
        if begun:
            _print(arguments, names, begun)
        else:
            complain("bgfast: no result yet: no play is chosen")
        raise
    _print(arguments, names, runs)


def _print(arguments: argparse.Namespace, names: Sequence[str], runs: Sequence[RunningErrors]) -> None:
    results = [(name, run.result(arguments.worst)) for name, run in zip(names, runs, strict=False)]
    difference = error_difference(*runs) if len(runs) == 2 else None
    contested = runs[0].contested
    judges = Counter(decision.judges for decision in contested.decisions)
    if arguments.json:
        content = {
            "notes": contested.notes,
            "judges": {word: judges[word] for word in get_args(Judges)},
            "players": [_player_content(name, result) for name, result in results],
            "difference": None if difference is None else _mean_contents(difference),
        }
        print(json.dumps(content))
        return
    lines: list[str] = []
    for name, result in results:
        lines += [f"{name}: average error per play", *_table(LOSS_COLUMNS, result), *_mistakes(result), ""]
    if difference is not None:
        lines += [f"{names[0]} minus {names[1]}, paired", *_table(DIFFERENCE_COLUMNS, difference), ""]
    both, differ = judges["judges-agree"] + judges["judges-differ"], judges["judges-differ"]
    lines.append(
        f"both judges: {both:,} of {len(contested.decisions):,} decisions; they differ on {differ:,}"
    )
    print(folded("\n".join(lines), sys.stdout))


def _table(columns: Sequence[str], result: ErrorPerPlay | ErrorDifference) -> list[str]:
    """Return the lines of a table: the families, all decisions, and those on which the judges differ."""
    sign = "+" if isinstance(result, ErrorDifference) else ""
    means: list[tuple[str, MeanLoss]] = [*result.families.items(), ("all", result.overall)]
    if result.judges_differ.decisions:
        means.append(("judges differ", result.judges_differ))
    rows = [columns, *((name, *_cells(mean, sign)) for name, mean in means)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows
    ]


def _cells(mean: MeanLoss, sign: str) -> tuple[str, ...]:
    half = "" if math.isnan(mean.standard_error) else f"± {NORMAL_95 * mean.standard_error:.2f}"
    return (
        f"{mean.decisions:,}",
        f"{mean.millipoints:{sign}.2f}",
        half,
        f"± {NORMAL_95 * mean.rollout_error:.2f}",
        f"{mean.agreed:.1%}",
    )


def _mistakes(result: ErrorPerPlay) -> list[str]:
    return [
        f"{mistake.millipoints:7.1f}  {mistake.position.gnubg_id} {mistake.roll[0]}{mistake.roll[1]}  "
        f"{mistake.family}: {mistake.played} instead of {mistake.best}"
        for mistake in result.mistakes
    ]


def _player_content(name: str, result: ErrorPerPlay) -> dict[str, Any]:
    worst = [
        {
            "position": mistake.position.gnubg_id,
            "roll": mistake.roll,
            "family": mistake.family,
            "played": mistake.played,
            "best": mistake.best,
            "millipoints": round(mistake.millipoints, 1),
            "standard_error": _number(round(mistake.standard_error, 1)),
        }
        for mistake in result.mistakes
    ]
    return {"player": name, **_mean_contents(result), "worst": worst}


def _mean_contents(result: ErrorPerPlay | ErrorDifference) -> dict[str, Any]:
    return {
        "overall": _mean_content(result.overall),
        "families": {family: _mean_content(mean) for family, mean in result.families.items()},
        "judges_differ": _mean_content(result.judges_differ),
    }


def _mean_content(mean: MeanLoss) -> dict[str, float | None]:
    return {key: _number(value) for key, value in mean._asdict().items()}


def _number(value: float) -> float | None:
    """Return a number for JSON: None for NaN."""
    return None if math.isnan(value) else value
