"""Agreement of PR with the analysis in match files, by search depth, with and without a shallow check.

With the shallow check an error counts only if the static evaluation also prefers another choice. A second
table has the mean errors of the recorded choices by the level of the file's analysis: that of the recorded
choice or of the best one, whichever comes first in the alphabet.

    python -m benchmarks.peers.matches.recorded_agreement FILE...
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from time import process_time

import numpy as np

import bgfast
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.recorded_judgement import recorded_judgements
from bgfast.common.probabilities import NORMAL_95
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


def errors_by_level(analyses: Iterable[MatchAnalysis]) -> str:
    """Return a table of the mean errors (EMG) by both analyses for each level in the files."""
    errors = defaultdict(list)
    for analysis in analyses:
        judgements = recorded_judgements(analysis.match, analysis.decisions)
        for analysed, judgement in zip(analysis.decisions, judgements, strict=True):
            if judgement is not None and judgement.counted:
                kind = "play" if analysed.recorded.kind == "play" else "cube"
                level = min(judgement.chosen.level, judgement.best.level)
                errors[kind, level].append((analysed.error, judgement.error))
    lines = [f"{'':28}{'number':>7}{'bgfast':>9}{'file':>9}{'difference':>12}"]
    for (kind, level), pairs in sorted(errors.items()):
        own, recorded = np.array(pairs).T
        difference = own - recorded
        interval = NORMAL_95 * difference.std() / np.sqrt(len(pairs))
        lines.append(
            f"{f'{kind}, {level}':28}{len(pairs):7}{own.mean():9.4f}{recorded.mean():9.4f}"
            f"{difference.mean():+12.4f} ± {interval:.4f}"
        )
    return "\n".join(lines)


def main(files: list[str]) -> None:
    """Print a line for each search depth and definition, and the errors at 2 plies by the file's level."""
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
    print()
    print(errors_by_level(analyses))


if __name__ == "__main__":
    main(sys.argv[1:])
