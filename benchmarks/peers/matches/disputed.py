"""Rollouts by bgfast and by GNU Backgammon of the decisions whose errors differ most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.peers.matches.gnubg_rollouts import gnubg_rollout, position_after
from benchmarks.peers.matches.paired import PairedDecision
from benchmarks.peers.report import table_row
from bgfast import rollout
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.cube.stakes import stakes_of

__all__ = ["MIN_DIFFERENCE", "print_rollouts"]

MIN_DIFFERENCE = 0.1
"""Smallest difference of errors, in EMG, that is rolled out."""
PROGRAMS = ("bgfast", "GNU Backgammon")


def print_rollouts(
    decisions: Sequence[PairedDecision],
    analyses: Mapping[int, MatchAnalysis],
    number: int,
    trials: tuple[int, int],
) -> None:
    """Print the errors by rollouts of the decisions that differ most, and which program is nearer to them.

    Parameters
    ----------
    decisions : sequence of PairedDecision
    analyses : mapping of int to MatchAnalysis
        bgfast's analyses by the number of the match.
    number : int
        Maximum number of decisions.
    trials : (int, int)
        Trials of bgfast's and of GNU Backgammon's rollouts.
    """
    disputed = sorted(decisions, key=lambda decision: -abs(decision.difference))
    disputed = [item for item in disputed if abs(item.difference) >= MIN_DIFFERENCE][:number]
    heads = ["match, game, move", "chosen", *PROGRAMS, *(f"rollout by {name}" for name in PROGRAMS)]
    print(f"\n{table_row(*heads)}")
    print(table_row(*["---"] * len(heads)))
    nearer = [Counter[str](), Counter[str]()]
    distances, agreed = np.zeros((2, 2)), 0
    for decision in disputed:
        recorded = decision.own.recorded
        errors = decision.own.error, decision.gnubg_error
        rollout_errors = (
            error_by(decision, roll_out(decision, trials[0])),
            error_by(decision, roll_out_by_gnubg(decision, analyses[decision.match], trials[1])),
        )
        verdicts = []
        for judge, rollout_error in enumerate(rollout_errors):
            distance = [abs(error - rollout_error) for error in errors]
            distances[judge] += distance
            verdicts.append(PROGRAMS[int(distance[0] >= distance[1])])
            nearer[judge][verdicts[-1]] += 1
        agreed += verdicts[0] == verdicts[1]
        print(
            table_row(
                f"{decision.match}, {recorded.game}, {recorded.move}",
                recorded.chosen,
                *(f"{error:.3f}" for error in errors),
                *(f"{error:.3f}, {name}" for error, name in zip(rollout_errors, verdicts, strict=True)),
            ),
            flush=True,
        )
    for judge, name in enumerate(PROGRAMS):
        own, gnubg = distances[judge]
        print(f"\nRollouts by {name}, nearer: {dict(nearer[judge])}; distances {own:.2f} and {gnubg:.2f}.")
    print(f"\nBoth rollouts find the same program nearer in {agreed} of {len(disputed)}.")


def candidates(decision: PairedDecision) -> list[str]:
    """Return the recorded play and the best plays by both programs; empty for a cube decision."""
    position = decision.own.recorded.decision.position
    if decision.gnubg_best is None:
        return []
    gnubg_best = " ".join(f"{start or 'off'}/{end or 'off'}" for start, end in decision.gnubg_best)
    texts = (decision.own.recorded.chosen, decision.own.best.text, gnubg_best)
    results = {position_after(decision.own, text) for text in texts}
    dice = decision.own.recorded.decision.dice
    assert dice is not None
    return [str(play) for play in position.plays(dice) if play.position in results]


def roll_out(decision: PairedDecision, trials: int) -> dict[str, float]:
    """Return the equities of candidates, or of the branches of a double, by bgfast's rollout."""
    evaluator = named_evaluator("builtin")
    context = replace(decision.own.recorded.decision, offer=None)
    plays = candidates(decision)
    if not plays:
        result = rollout(context, evaluator, trials=trials)
    else:
        assert context.dice is not None
        legal = [play for play in context.position.plays(context.dice) if str(play) in plays]
        result = rollout(legal, evaluator, trials=trials, context=context)
    return {estimate.name: estimate.equity for estimate in result.estimates}


def roll_out_by_gnubg(decision: PairedDecision, analysis: MatchAnalysis, trials: int) -> dict[str, float]:
    """Return the equities of candidates, or of the branches of a double, by GNU Backgammon's rollout."""
    recorded = decision.own.recorded
    values = gnubg_rollout(analysis, recorded.action, candidates(decision), trials)
    if recorded.kind == "play":
        return values
    stakes = stakes_of(replace(recorded.decision, offer=None), MatchEquityTable.builtin())
    return {name: float(stakes.normalized(value)) for name, value in values.items()}


def error_by(decision: PairedDecision, equities: Mapping[str, float]) -> float:
    """Return the error of the recorded choice by the equities of a rollout."""
    recorded = decision.own.recorded
    if recorded.kind == "play":
        return max(equities.values()) - equities[recorded.chosen]
    double_take, no_double = equities["double, take"], equities["no double"]
    if recorded.kind == "take":
        return max(0.0, double_take - 1 if recorded.chosen == "take" else 1 - double_take)
    double = min(double_take, 1.0)
    return max(0.0, double - no_double if recorded.chosen == "no double" else no_double - double)
