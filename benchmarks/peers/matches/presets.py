"""Accuracy and time of the presets of match analysis, by the analyses of eXtreme Gammon in recorded matches.

``python -m benchmarks.peers.matches.presets MATCH.xg... [--preset NAME...]`` prints one table. Processor
time is that of one thread, without reading the file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bgfast import Match, analyse_match, load_match
from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.judging.presets import PRESETS
from bgfast.records.formats.recorded_analysis import CubeEquities, DecisionAnalysis

SPREAD = 1e-4
"""Plays count if the best ten differ by at least this (EMG)."""
TRIVIAL_ERROR = 0.001
"""Trivial cube decisions do not count if their error is below this (EMG)."""
OBVIOUS_MARGIN = 0.2
LOST_EQUITY = -0.9


class ComparedDecision(NamedTuple):
    """A decision that counts by eXtreme Gammon's equities, all of them EMG.

    Attributes
    ----------
    player : int
    is_play : bool
    cost : float
        Loss of bgfast's choice.
    error : float
        Loss of the recorded choice.
    own_error : float
        Loss of the recorded choice as bgfast estimates it.
    """

    player: int
    is_play: bool
    cost: float
    error: float
    own_error: float


def compared_decisions(match: Match, decisions: Iterable[AnalysedDecision]) -> Iterator[ComparedDecision]:
    """Yield the decisions of a match that count by the analysis in its file."""
    for analysed in decisions:
        recorded = analysed.recorded
        # The equities of not doubling are those of the roll that follows.
        number = recorded.action + (recorded.chosen == "no double")
        theirs: DecisionAnalysis | None = match.recorded_analysis.get(number)
        losses = None
        if theirs is not None and recorded.kind == "play":
            losses = _play_losses(match, analysed, theirs)
        elif theirs is not None and theirs.cube is not None and recorded.kind in ("double", "take"):
            losses = _cube_losses(analysed, theirs.cube)
        if losses is not None:
            yield ComparedDecision(recorded.player, recorded.kind == "play", *losses, analysed.error)


def _play_losses(
    match: Match, analysed: AnalysedDecision, theirs: DecisionAnalysis
) -> tuple[float, float] | None:
    """Return the losses of bgfast's and of the recorded play; None if the play does not count."""
    recorded = analysed.recorded
    assert recorded.decision.dice is not None
    highest = sorted((candidate.equity for candidate in theirs.plays), reverse=True)[:10]
    if len(highest) < 2 or highest[0] - highest[-1] < SPREAD:
        return None
    legal = recorded.decision.position.plays(recorded.decision.dice, match.rules)
    equities = {legal[candidate.text].position: candidate.equity for candidate in theirs.plays}
    # A play that is not listed is worth no more than the last one of the list.
    missing = min(highest[-1], *equities.values())
    best = theirs.plays[0].equity  # others may have more at a shallower level
    positions = legal[analysed.best.text].position, recorded.after
    choice, record = (max(0.0, best - equities.get(position, missing)) for position in positions)
    return choice, record


def _cube_losses(analysed: AnalysedDecision, theirs: CubeEquities) -> tuple[float, float] | None:
    """Return the losses of bgfast's and of the recorded action; None if the decision does not count."""
    chosen = analysed.recorded.chosen
    no_double, take, passed = theirs[:3]
    double = min(take, passed)
    if analysed.recorded.kind == "take":
        losses = {"take": take - double, "pass": passed - double}
        counts = abs(take - passed) >= TRIVIAL_ERROR
    else:
        best = max(no_double, double)
        losses = {"no double": best - no_double, "double": best - double}
        is_trivial = (
            abs(no_double - double) < TRIVIAL_ERROR
            or no_double - take > OBVIOUS_MARGIN
            or no_double - passed > OBVIOUS_MARGIN
            or max(no_double, take) < LOST_EQUITY
        )
        counts = chosen == "double" or losses[chosen] >= TRIVIAL_ERROR or not is_trivial
    if not counts or chosen not in losses or analysed.best.text not in losses:
        return None
    return losses[analysed.best.text], losses[chosen]


def performance(losses: Sequence[float]) -> float:
    """Return 500 times the mean loss, as PR."""
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
        "cost of its choices: plays / cube / both",
        "gap of PR: mean, within 1.0, bias",
        "a decision",
        "a match",
    )
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---|---|---|")
    for name in arguments.preset:
        print(measure(name, arguments.matches), flush=True)


if __name__ == "__main__":
    main()
