"""Agreement of PR with the analysis in match files, by search depth, with and without a shallow check.

With the shallow check an error counts only if the static evaluation also prefers another choice.

    python -m benchmarks.peers.matches.recorded_agreement FILE...
"""

from __future__ import annotations

import sys
from dataclasses import replace
from time import process_time

import numpy as np

import bgfast
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.records.match_files import load_matches


def with_shallow_check(analysis: MatchAnalysis, static: MatchAnalysis) -> MatchAnalysis:
    """Return an analysis without the errors that the static evaluation does not confirm."""
    decisions = []
    for deep, shallow in zip(analysis.decisions, static.decisions, strict=True):
        if deep.error and shallow.rank == 1:
            limit = deep.chosen.equity
            choices = [choice._replace(equity=min(choice.equity, limit)) for choice in deep.choices]
            decisions.append(replace(deep, choices=tuple(choices), rank=1))
        else:
            decisions.append(deep)
    return MatchAnalysis(analysis.match, decisions, analysis.rolls, analysis.settings)


def main(files: list[str]) -> None:
    """Print a line for each search depth and definition."""
    matches = [match for file in files for match in load_matches(file)]
    static = [bgfast.analyse_match(match, ply=0) for match in matches]
    print(f"{'':22}{'gap':>6}{'bias':>7}{'within 1':>10}{'plays':>7}{'cube':>7}{'both':>7}{'s/match':>9}")
    for ply in (0, 1, 2):
        start = process_time()
        analyses = [bgfast.analyse_match(match, ply=ply) for match in matches]
        seconds = (process_time() - start) / len(matches)
        shallow = [with_shallow_check(*pair) for pair in zip(analyses, static, strict=True)]
        for name, group in ((f"{ply} plies", analyses), (f"{ply} plies, shallow check", shallow)):
            comparison = bgfast.matches.AnalysisComparison(group)
            costs = comparison.cost("play"), comparison.cost("double", "take")
            both = comparison.cost("play", "double", "take")
            count = f"{comparison.within_one} of {len(comparison.gaps)}"
            gap, bias = np.abs(comparison.gaps).mean(), np.mean(comparison.gaps)
            print(
                f"{name:22}{gap:6.2f}{bias:+7.2f}{count:>10}{costs[0]:7.3f}{costs[1]:7.3f}{both:7.3f}{seconds:9.2f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
