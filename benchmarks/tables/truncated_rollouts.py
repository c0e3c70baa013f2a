"""Effect of truncation on the rollouts of match analysis.

``python -m benchmarks.tables.truncated_rollouts MATCH...`` rolls out contested decisions of recorded matches
as ``bgfast analyse MATCH --rollout`` does, truncated and to the end: both branches of a double, or the two
best plays. It prints the mean change of the first candidate's equity and of its lead by truncation, and the
standard deviation of the changes beyond the standard errors of both rollouts. It takes minutes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import bgfast
from bgfast.analysis.matches.judging.contested import ContestedDecision, contested_decisions
from bgfast.analysis.matches.judging.match_rollout import TRUNCATE, fast_policy
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.common.probabilities import NORMAL_95


class Lead(NamedTuple):
    """Equity of a candidate and its lead over the other, with standard errors."""

    equity: float
    equity_se: float
    lead: float
    lead_se: float


def sample_decisions(files: list[str], max_decisions: int) -> Iterator[ContestedDecision]:
    """Yield contested decisions, spread evenly over each file."""
    for name in files:
        analysis = bgfast.analyse_match(bgfast.load_match(name), ply=0)
        contested = contested_decisions(analysis.decisions)
        step = max(1, len(contested) * len(files) // max_decisions)
        yield from contested[::step]


def roll_out(contested: ContestedDecision, trials: int, truncate: int | None) -> RolloutResult:
    """Roll out both branches of a double, or the two best plays."""
    evaluator = bgfast.evaluators.WithBearoff(bgfast.Network.builtin())
    subject: Any = contested.decision
    options: dict[str, Any] = {}
    if contested.decision.dice is not None:
        legal = {str(play): play for play in contested.decision.position.plays(contested.decision.dice)}
        options = {"context": contested.decision}
        subject = [legal[text] for text in contested.plays[:2]]
    policy = fast_policy(evaluator)
    return bgfast.rollout(
        subject,
        evaluator,
        trials=trials,
        truncate=truncate,
        variance_reduction=True,
        policy=policy,
        luck_evaluator=policy,
        **options,
    )


def lead_of(result: RolloutResult, name: str) -> Lead:
    """Return the equity and the lead of a candidate."""
    first = next(estimate for estimate in result.estimates if estimate.name == name)
    second = next(estimate for estimate in result.estimates if estimate.name != name)
    lead_se = max(first.difference_se, second.difference_se)
    return Lead(first.equity, first.equity_se, first.equity - second.equity, lead_se)


def main() -> None:
    """Print both changes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="MATCH")
    parser.add_argument("--decisions", type=int, default=300, metavar="N")
    parser.add_argument("--trials", type=int, default=144, metavar="N")
    options = parser.parse_args()
    rows = []
    for contested in sample_decisions(options.files, options.decisions):
        truncated = roll_out(contested, options.trials, TRUNCATE)
        whole = roll_out(contested, options.trials, None)
        names = [estimate.name for estimate in truncated.estimates]
        name = contested.plays[0] if contested.plays else next(n for n in names if n.startswith("no "))
        rows.append((lead_of(truncated, name), lead_of(whole, name)))
    truncated_leads, whole_leads = np.array(rows).transpose(1, 2, 0)
    print(f"{len(rows)} decisions, {options.trials} trials; truncated at {TRUNCATE} plies less to the end:")
    for quantity, column in (("equity of the first candidate", 0), ("its lead", 2)):
        changes = truncated_leads[column] - whole_leads[column]
        variance = truncated_leads[column + 1] ** 2 + whole_leads[column + 1] ** 2
        interval = NORMAL_95 * changes.std(ddof=1) / math.sqrt(len(changes))
        spread = math.sqrt(max(0.0, changes.var(ddof=1) - variance.mean()))
        print(f"{quantity}: {changes.mean():+.4f} ± {interval:.4f}, beyond the standard errors {spread:.4f}")


if __name__ == "__main__":
    main()
