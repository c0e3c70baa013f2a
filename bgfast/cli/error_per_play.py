"""``bgfast errors``: average error per play."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from bgfast.cli.parser import align, print_result
from bgfast.cli.players import PLAYERS_HELP, load_player
from bgfast.cli.progress import follow
from bgfast.cli.streams import complain
from bgfast.common.probabilities import NORMAL_95
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.names import EVALUATORS
from bgfast.learning.contested_decisions import BUILTIN, Judges, read_decisions
from bgfast.learning.error_per_play import ErrorDifference, ErrorPerPlay, RunningErrors, error_difference

HELP = f"""
usage: PLAYER [OTHER]

PLAYER and OTHER: {", ".join(EVALUATORS)}, {PLAYERS_HELP}. A player chooses a play
in each contested decision, whose candidates were rolled out; the table shows the mean loss by family, with
95 % intervals, and, for two players, the paired difference.

--json --quiet
--worst N[0..1000000]=0     list the N largest mistakes (0)
--positions FILE={BUILTIN}  a file of decisions instead of the built-in one

example: bgfast errors mine.bgnet builtin --worst 10
"""


def run(arguments: argparse.Namespace) -> None:
    """Print the errors of the players; after Ctrl-C, their errors in the decisions so far."""
    names = arguments.operands
    if not 1 <= len(names) <= 2:
        raise BgfastError(f"{len(names)} players; expected one or two: PLAYER [OTHER]")
    players = [load_player(name) for name in names]
    contested = read_decisions(arguments.positions)
    runs = [RunningErrors(player, contested) for player in players]
    fractions = ((index + done) / len(runs) for index, run in enumerate(runs) for done in run.play())
    is_interrupted = follow(fractions, "errors", quiet=arguments.quiet)
    if started_runs := [run for run in runs if run.done]:
        _print(arguments, names, started_runs)
    else:
        complain("bgfast: no result yet: no play has been chosen")
    if is_interrupted:
        raise KeyboardInterrupt


def _print(arguments: argparse.Namespace, names: Sequence[str], runs: Sequence[RunningErrors]) -> None:
    results = [(name, run.result(arguments.worst)) for name, run in zip(names, runs, strict=False)]
    difference = error_difference(*runs) if len(runs) == 2 else None
    contested = runs[0].contested
    judges = Counter(decision.judges for decision in contested.decisions)
    lines: list[str] = []
    for name, result in results:
        lines += [f"{name}: average error per play", *_table(result, "best play"), *_mistakes(result), ""]
    if difference is not None:
        lines += [f"{names[0]} minus {names[1]}, paired", *_table(difference, "same play", "+"), ""]
    disagreements = judges["judges-differ"]
    coverage = f"{judges['judges-agree'] + disagreements:,} of {len(contested.decisions):,} decisions"
    content = {
        "notes": contested.notes,
        "judges": {name: judges[name] for name in get_args(Judges)},
        "players": [_player_content(name, result) for name, result in results],
        "difference": None if difference is None else _mean_contents(difference),
    }
    print_result(arguments, content, *lines, f"both judges: {coverage}; they differ on {disagreements:,}")


def _table(result: ErrorPerPlay | ErrorDifference, agreement: str, sign: str = "") -> list[str]:
    """Return the lines of a table: the families, all decisions, and those on which the judges differ."""
    means: dict[Any, Any] = {**result.families, "all": result.overall}
    if result.judges_differ.decisions:
        means["judges differ"] = result.judges_differ
    rows = [("", "decisions", "millipoints", "95 %", "rollouts", agreement)]
    for name, mean in means.items():
        error, rollout_error = NORMAL_95 * mean.standard_error, NORMAL_95 * mean.rollout_error
        margin = "" if math.isnan(error) else f"± {error:.2f}"
        losses = f"{mean.millipoints:{sign}.2f}", margin, f"± {rollout_error:.2f}"
        rows.append((name, f"{mean.decisions:,}", *losses, f"{mean.agreed:.1%}"))
    return align(rows)


def _mistakes(result: ErrorPerPlay) -> list[str]:
    return [
        f"{mistake.millipoints:7.1f}  {mistake.position.gnubg_id} {mistake.roll[0]}{mistake.roll[1]}  "
        f"{mistake.family}: {mistake.played} instead of {mistake.best}"
        for mistake in result.mistakes
    ]


def _player_content(name: str, result: ErrorPerPlay) -> dict[str, Any]:
    mistakes = [
        {"position": mistake.position.gnubg_id}
        | {field: getattr(mistake, field) for field in ("roll", "family", "played", "best")}
        | {field: _content(round(getattr(mistake, field), 1)) for field in ("millipoints", "standard_error")}
        for mistake in result.mistakes
    ]
    return {"player": name, **_mean_contents(result), "worst": mistakes}


def _mean_contents(result: ErrorPerPlay | ErrorDifference) -> dict[str, Any]:
    return {name: _content(getattr(result, name)) for name in ("overall", "families", "judges_differ")}


def _content(value: Any) -> Any:
    """Return means and numbers as JSON-compatible data, with NaN as None."""
    if hasattr(value, "_asdict"):
        return _content(value._asdict())
    if isinstance(value, Mapping):
        return {name: _content(item) for name, item in value.items()}
    return None if math.isnan(value) else value
