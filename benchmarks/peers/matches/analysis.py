"""Analysis of recorded matches at 2 plies by bgfast and by GNU Backgammon: errors, PR and time.

``python -m benchmarks.peers.matches.analysis FOLDER``, from a clone with gnubg installed, prints Markdown
tables. GNU Backgammon plays and analyses the matches that the folder does not have yet; bgfast analyses the
same ones. Both use one thread; times are processor times.

Errors are compared decision by decision, in EMG: unforced plays, and turns and answers for which GNU
Backgammon evaluates the cube. PR follows the definition of docs/MATCH_ANALYSIS.md. ``--disputed N`` rolls out
the N decisions that differ most, by both programs, since rollouts are biased towards the program that makes
them. ``--rollout`` adds bgfast's PR by rollouts of contested decisions, on two threads, and the distance of
both programs from it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.peers.matches.disputed import MIN_DIFFERENCE, print_rollouts
from benchmarks.peers.matches.gnubg_matches import gnubg_analysis, played_match
from benchmarks.peers.matches.paired import PairedDecision, paired_decisions, pr_by_gnubg
from benchmarks.peers.report import table_row
from bgfast import analyse_match, load_match
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.rates import error_mark
from bgfast.analysis.matches.recorded_decisions import PHASES, phase_of

MATCHES = 20
BACK_GAME_CHECKERS = 5
"""Checkers of one side in the opponent's home board that make a back game."""
MATCH_HEADS = ("match", "plays, cube decisions", "gnubg", "bgfast", "PR", "PR by gnubg", "PR by rollouts")
GROUP_HEADS = (
    "decisions", "correlation", "total error", "same mark", "same, of marked", f"differ by {MIN_DIFFERENCE}",
    "squared differences",
)  # fmt: skip


class MatchComparison(NamedTuple):
    """The analyses of one match.

    Attributes
    ----------
    analysis : MatchAnalysis
    decisions : list of PairedDecision
    seconds, gnubg_seconds : float
        Processor time of bgfast and of GNU Backgammon.
    rollout_pr : list of float
        PR of both players by rollouts; empty without them.
    """

    analysis: MatchAnalysis
    decisions: list[PairedDecision]
    seconds: float
    gnubg_seconds: float
    rollout_pr: list[float]

    @property
    def pr(self) -> list[tuple[float, float]]:
        """PR of each player by bgfast's and by GNU Backgammon's equities."""
        return [
            (self.analysis.rates[player].pr or 0.0, pr_by_gnubg(self.decisions, player)) for player in (0, 1)
        ]

    def row(self, number: int) -> str:
        """Return the table row of the match."""
        plays = sum(decision.is_play for decision in self.decisions)
        return table_row(
            number,
            f"{plays}, {len(self.decisions) - plays}",
            f"{self.gnubg_seconds:.1f} s",
            f"{self.seconds:.2f} s",
            ", ".join(f"{own:.2f}" for own, _ in self.pr),
            ", ".join(f"{gnubg:.2f}" for _, gnubg in self.pr),
            ", ".join(f"{pr:.2f}" for pr in self.rollout_pr) or "–",
        )


def compare(folder: Path, number: int, with_rollout: bool) -> MatchComparison:
    """Analyse one match with both programs."""
    path = played_match(folder, number)
    gnubg = gnubg_analysis(path)
    match = load_match(path)
    start = time.process_time()
    analysis = analyse_match(match)
    seconds = time.process_time() - start
    rollout_pr = []
    if with_rollout:
        rollout_pr = [rate.pr or 0.0 for rate in analyse_match(match, rollout=True, threads=2).rates]
    decisions = list(paired_decisions(number, analysis, gnubg["match"]))
    return MatchComparison(analysis, decisions, seconds, gnubg["cpu"], rollout_pr)


def summary(comparisons: Sequence[MatchComparison]) -> str:
    """Return the ratio of the times and the differences of PR."""
    seconds = sum(comparison.seconds for comparison in comparisons)
    gnubg_seconds = sum(comparison.gnubg_seconds for comparison in comparisons)
    gaps = np.array([abs(own - gnubg) for comparison in comparisons for own, gnubg in comparison.pr])
    counting_gaps = [
        abs(pr_by_gnubg(comparison.decisions, player, own_count=True) - gnubg)
        for comparison in comparisons
        for player, (_, gnubg) in enumerate(comparison.pr)
    ]
    return (
        f"{gnubg_seconds:.0f} s and {seconds:.1f} s, ratio {gnubg_seconds / seconds:.1f};\n"
        f"PR differs by {gaps.mean():.3f} on average, {gaps.max():.2f} at most, by 0.2 or less in "
        f"{np.mean(gaps <= 0.2):.0%}, by 0.5 or less in {np.mean(gaps <= 0.5):.0%};\n"
        f"because of the counted decisions {np.mean(counting_gaps):.3f} and {np.max(counting_gaps):.2f}."
    )


def rollout_summary(comparisons: Sequence[MatchComparison]) -> str:
    """Return the distances of both programs' PR from the PR by rollouts."""
    rows = [
        (own, gnubg, by_rollout)
        for comparison in comparisons
        for (own, gnubg), by_rollout in zip(comparison.pr, comparison.rollout_pr, strict=True)
    ]
    rates = np.array(rows)
    own, gnubg = (np.abs(rates[:, column] - rates[:, 2]) for column in (0, 1))
    means = ", ".join(f"{mean:.2f}" for mean in rates.mean(axis=0))
    return (
        f"PR by rollouts, of {len(rates)}: bgfast nearer in {(own < gnubg).sum()}, "
        f"off by {own.mean():.3f} on average, by 0.5 or less in {(own <= 0.5).sum()};\n"
        f"GNU Backgammon off by {gnubg.mean():.3f}, by 0.5 or less in {(gnubg <= 0.5).sum()}; means {means}."
    )


def group_row(name: str, decisions: Sequence[PairedDecision]) -> str:
    """Return the agreement of errors in a group of decisions."""
    own = np.array([decision.own.error for decision in decisions])
    gnubg = np.array([decision.gnubg_error for decision in decisions])
    marks = [(error_mark(decision.own.error), error_mark(decision.gnubg_error)) for decision in decisions]
    marked = [pair for pair in marks if pair != (None, None)]
    return table_row(
        name,
        f"{len(decisions):,}",
        f"{np.corrcoef(own, gnubg)[0, 1]:.4f}",
        f"{own.sum():.2f}, {gnubg.sum():.2f}",
        f"{sum(a == b for a, b in marks) / len(marks):.1%}",
        f"{sum(a == b for a, b in marked) / max(1, len(marked)):.1%} of {len(marked)}",
        f"{(np.abs(own - gnubg) >= MIN_DIFFERENCE).sum()}",
        f"{((own - gnubg) ** 2).sum():.3f}",
    )


def groups(decisions: Sequence[PairedDecision]) -> Iterator[tuple[str, list[PairedDecision]]]:
    """Yield the decisions by kind, by phase, and by the number of checkers back."""
    yield "all", list(decisions)
    for name, is_play in (("play", True), ("cube", False)):
        yield name, [decision for decision in decisions if decision.is_play == is_play]
    for phase in PHASES:
        yield phase, [decision for decision in decisions if phase_of(decision.own.recorded) == phase]
    is_back_game = [checkers_back(decision) >= BACK_GAME_CHECKERS for decision in decisions]
    for name, expected in ((f"{BACK_GAME_CHECKERS} or more checkers back", True), ("fewer", False)):
        pairs = zip(decisions, is_back_game, strict=True)
        yield name, [decision for decision, is_back in pairs if is_back == expected]


def checkers_back(decision: PairedDecision) -> int:
    """Return the checkers in the opponent's home board or on the bar, of the side that has more there."""
    board = decision.own.recorded.decision.position.to_array().astype(int)
    return int(max(board[19:].clip(0).sum(), (-board[:7]).clip(0).sum()))


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="GNU Backgammon's matches and analyses")
    parser.add_argument("--matches", type=int, default=MATCHES, metavar="N")
    parser.add_argument("--disputed", type=int, default=0, metavar="N", help="roll out the N most different")
    parser.add_argument("--trials", type=int, default=1296, metavar="N", help="of bgfast's rollouts (1296)")
    parser.add_argument(
        "--gnubg-trials", type=int, default=144, metavar="N", help="of GNU Backgammon's rollouts (144)"
    )
    parser.add_argument("--rollout", action="store_true", help="PR by rollouts of contested decisions")
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    comparisons: list[MatchComparison] = []
    print(table_row(*MATCH_HEADS), table_row(*["---"] * len(MATCH_HEADS)), sep="\n", flush=True)
    for number in range(1, options.matches + 1):
        comparisons.append(compare(options.folder, number, options.rollout))
        print(comparisons[-1].row(number), flush=True)
    print(f"\n{summary(comparisons)}\n")
    if options.rollout:
        print(f"{rollout_summary(comparisons)}\n")
    print(table_row("", *GROUP_HEADS), table_row(*["---"] * (1 + len(GROUP_HEADS))), sep="\n")
    decisions = [decision for comparison in comparisons for decision in comparison.decisions]
    for name, group in groups(decisions):
        if len(group) > 1:
            print(group_row(name, group))
    if options.disputed:
        analyses = {number: comparison.analysis for number, comparison in enumerate(comparisons, 1)}
        print_rollouts(decisions, analyses, options.disputed, (options.trials, options.gnubg_trials))


if __name__ == "__main__":
    main()
