"""Accuracy and time of match analysis presets, measured by eXtreme Gammon's analyses in match files.

``python -m benchmarks.peers.matches.presets MATCH.xg... [--preset NAME...]`` prints one table. Processor
time is for one thread and excludes reading the file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bgfast import Match, analyse_match, load_match
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.judging.presets import PRESETS
from bgfast.analysis.matches.recorded_judgement import recorded_judgements


class ComparedDecision(NamedTuple):
    """A decision that counts by eXtreme Gammon's equities, in EMG.

    Attributes
    ----------
    player : int
    is_play : bool
    cost : float
        Error of bgfast's choice.
    error : float
        Error of the recorded choice.
    own_error : float
        Error of the recorded choice by bgfast's equities.
    """

    player: int
    is_play: bool
    cost: float
    error: float
    own_error: float


def compared_decisions(match: Match, decisions: Sequence[AnalysedDecision]) -> Iterator[ComparedDecision]:
    """Yield the decisions of a match that count by the analysis in the match file."""
    for analysed, judgement in zip(decisions, recorded_judgements(match, decisions), strict=True):
        if judgement is None or not judgement.counted:
            continue
        cost = judgement.loss_of(analysed.best.text)
        if cost is None:  # an unlisted play is no better than the worst listed one
            cost = judgement.best.equity - min(choice.equity for choice in judgement.choices)
        recorded = analysed.recorded
        yield ComparedDecision(
            recorded.player, recorded.kind == "play", cost, judgement.error, analysed.error
        )


def performance(losses: Sequence[float]) -> float:
    """Return 500 times the mean error, the scale of PR."""
    return 500 * sum(losses) / len(losses)


def measure(name: str, paths: Sequence[str]) -> str:
    """Return the row of a preset."""
    compared: list[ComparedDecision] = []
    gaps: list[float] = []
    seconds, number = 0.0, 0
    for path in paths:
        match = load_match(path)
        start = time.process_time()
        analysis = analyse_match(match, preset=name)  # type: ignore[arg-type]
        seconds += time.process_time() - start
        number += len(analysis.decisions)
        decisions = list(compared_decisions(match, analysis.decisions))
        for player in (0, 1):
            own = [decision for decision in decisions if decision.player == player]
            gaps.append(
                performance([decision.own_error for decision in own])
                - performance([decision.error for decision in own])
            )
        compared += decisions
    costs = [
        performance([decision.cost for decision in compared if decision.is_play in kinds])
        for kinds in ((True,), (False,), (True, False))
    ]
    return (
        f"| `{PRESETS[name]}` | {costs[0]:.2f} / {costs[1]:.2f} / {costs[2]:.3f} "
        f"| {sum(map(abs, gaps)) / len(gaps):.2f}, {sum(abs(gap) <= 1 for gap in gaps)} of {len(gaps)}, "
        f"{sum(gaps) / len(gaps):+.2f} | {1000 * seconds / number:.1f} ms | {seconds / len(paths):.1f} s |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matches", nargs="+", metavar="MATCH")
    parser.add_argument("--preset", nargs="+", choices=list(PRESETS), default=list(PRESETS))
    arguments = parser.parse_args()
    columns = (
        "preset",
        "error of its choices (PR): plays / cube / both",
        "PR difference: mean, within 1.0, bias",
        "time per decision",
        "time per match",
    )
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---|---|---|")
    for name in arguments.preset:
        print(measure(name, arguments.matches), flush=True)


if __name__ == "__main__":
    main()
