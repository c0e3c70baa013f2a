"""What it does to the rollouts of a match to truncate them.

``python -m benchmarks.tables.truncated_rollouts MATCH...`` rolls contested decisions of recorded matches out
as ``bgfast analyse MATCH --rollout`` does it, truncated and to the end: both branches of a decision about the
cube, or the play that is best at sight and the next one. It prints means over the decisions: what truncating
adds to the equity of the first, and to its lead; and how much that differs from decision to decision beyond
what the standard errors of both rollouts explain. It takes minutes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import bgfast
from bgfast.analysis.matches.judging.contested import ContestedDecision, contested_decisions
from bgfast.analysis.matches.judging.match_rollout import TRUNCATE, fast_policy
from bgfast.analysis.rollouts.result import RolloutResult


def decisions(files: list[str], most: int) -> Iterator[ContestedDecision]:
    """Yield contested decisions of each file in turn, as many of each."""
    for name in files:
        found = contested_decisions(bgfast.analyse_match(bgfast.load_match(name), ply=0).decisions)
        step = max(1, len(found) * len(files) // most)
        yield from found[::step]


def rolled_out(given: ContestedDecision, trials: int, truncate: int | None) -> RolloutResult:
    """Return the rollout of both branches of a decision about the cube, or of the two best plays."""
    evaluator = bgfast.evaluators.WithBearoff(bgfast.Network.builtin())
    what: Any = given.decision
    options: dict[str, Any] = {}
    if what.dice is not None:
        legal = {str(play): play for play in what.position.plays(what.dice)}
        options = {"context": what}
        what = [legal[text] for text in given.plays[:2]]
    policy = fast_policy(evaluator)
    return bgfast.rollout(
        what,
        evaluator,
        trials=trials,
        truncate=truncate,
        variance_reduction=True,
        policy=policy,
        luck_evaluator=policy,
        **options,
    )


def lead(found: RolloutResult, name: str) -> tuple[float, float, float, float]:
    """Return the equity of a candidate with its standard error, and by how much it leads."""
    one = next(each for each in found.estimates if each.name == name)
    other = next(each for each in found.estimates if each.name != name)
    apart = max(one.difference_se, other.difference_se)
    return one.equity, one.equity_se, one.equity - other.equity, apart


def main() -> None:
    """Roll out and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--decisions", type=int, default=300)
    parser.add_argument("--trials", type=int, default=144)
    arguments = parser.parse_args()
    rows = []
    for given in decisions(arguments.files, arguments.decisions):
        cut = rolled_out(given, arguments.trials, TRUNCATE)
        whole = rolled_out(given, arguments.trials, None)
        names = [each.name for each in cut.estimates]
        name = given.plays[0] if given.plays else next(each for each in names if each.startswith("no "))
        rows.append((*lead(cut, name), *lead(whole, name)))
    equity, equity_se, ahead, ahead_se, whole, whole_se, whole_ahead, whole_ahead_se = np.array(rows).T
    print(f"{len(rows)} decisions, {arguments.trials} trials; truncated at {TRUNCATE} plies less to the end:")
    noise = equity_se**2 + whole_se**2, ahead_se**2 + whole_ahead_se**2
    for what, found, explained in (
        ("equity of the first", equity - whole, noise[0]),
        ("its lead", ahead - whole_ahead, noise[1]),
    ):
        error = found.std(ddof=1) / math.sqrt(len(found))
        more = math.sqrt(max(0.0, found.var(ddof=1) - explained.mean()))
        print(f"{what}: {found.mean():+.4f} ± {1.96 * error:.4f}, beyond the errors {more:.4f}")


if __name__ == "__main__":
    main()
