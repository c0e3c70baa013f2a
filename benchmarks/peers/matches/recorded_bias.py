"""Bias of equities in contact positions by search depth, measured by the analysis in match files.

    python -m benchmarks.peers.matches.recorded_bias FILE... [--plies 0 1 2]

Differences are for the player who decides: after up to four plays of a roll, with the opponent on roll, and
of no double before a roll. Equities from fewer than three plies, as the file counts them, are left out. The
plays of one roll count as one decision with their mean difference. Cubeless equities follow from the five
probabilities, in points.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bgfast import Decision, Match, cube_decision
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, recorded_decisions
from bgfast.analysis.matches.recorded_judgement import cube_equities
from bgfast.position.decision import after_turn
from bgfast.records.formats.recorded_analysis import CubeChances, CubeEquities, DecisionAnalysis
from bgfast.records.match_files import load_matches

MIN_PLIES = 3
MAX_PLAYS = 4
OTHER = 99
_PLIES = re.compile(r"([0-9]+)-ply")


class RecordedEquity(NamedTuple):
    """A recorded equity in a contact position, for the player who decides.

    Attributes
    ----------
    decision : Decision
        Before the next roll: the opponent's after a play, the player's own before a possible double.
    equity, cubeless_equity : float
    """

    decision: Decision
    equity: float
    cubeless_equity: float


class RecordedDecisionEquities(NamedTuple):
    """Recorded equities of one decision.

    Attributes
    ----------
    is_play : bool
    equities : tuple of RecordedEquity
    plies : int
        The smallest number of plies, as the file counts them; `OTHER` for rollouts, books and the like.
    """

    is_play: bool
    equities: tuple[RecordedEquity, ...]
    plies: int

    def differences(self, ply: int) -> tuple[float, float]:
        """Return the mean differences of cubeful and cubeless equity at a search depth from the file's."""
        rows = []
        for item in self.equities:
            cube = cube_decision(item.decision, ply=ply)
            cubeful = -float(cube.equities.best) if self.is_play else float(cube.equities.no_double)
            cubeless = points_of(cube.probabilities) * (-1 if self.is_play else 1)
            rows.append((cubeful - item.equity, cubeless - item.cubeless_equity))
        means = np.mean(rows, axis=0)
        return float(means[0]), float(means[1])


def recorded_equities(match: Match) -> Iterator[RecordedDecisionEquities]:
    """Yield the decisions in contact positions whose recorded analysis is deep enough."""
    for record in recorded_decisions(match):
        if not isinstance(record, RecordedDecision) or record.kind not in ("play", "double"):
            continue
        analysis = match.recorded_analysis.get(record.action)
        if record.decision.position.phase != "contact" or not isinstance(analysis, DecisionAnalysis):
            continue
        equities = _cube(record, analysis.cube)
        if equities is not None:
            yield equities
        if record.kind == "play":
            yield from _plays(match, record, analysis)


def _cube(
    record: RecordedDecision, cube: CubeEquities | CubeChances | None
) -> RecordedDecisionEquities | None:
    before = replace(record.decision, dice=None, offer=None)
    if cube is None or cube.probabilities is None or plies_of(cube.level) < MIN_PLIES:
        return None
    if cube_decision(before, ply=0).why_not is not None:
        return None
    equity = RecordedEquity(before, cube_equities(cube, before).no_double, points_of(cube.probabilities))
    return RecordedDecisionEquities(False, (equity,), plies_of(cube.level))


def _plays(
    match: Match, record: RecordedDecision, analysis: DecisionAnalysis
) -> Iterator[RecordedDecisionEquities]:
    assert record.decision.dice is not None
    legal = record.decision.position.plays(record.decision.dice, match.rules)
    equities = []
    levels = []
    for play in analysis.plays[:MAX_PLAYS]:
        if play.probabilities is None or plies_of(play.level) < MIN_PLIES:
            continue
        after = legal[play.text].position
        if after.winner is None:
            decision = after_turn(record.decision, after)
            equities.append(RecordedEquity(decision, play.equity, points_of(play.probabilities)))
            levels.append(plies_of(play.level))
    if equities:
        yield RecordedDecisionEquities(True, tuple(equities), min(levels))


def plies_of(level: str) -> int:
    """Return the plies of a recorded level; `OTHER` for rollouts, books and the like.

    Examples
    --------
    >>> plies_of("3-ply"), plies_of("XG Roller+")
    (3, 99)
    """
    plies = _PLIES.match(level)
    return int(plies[1]) if plies else OTHER


def points_of(probabilities: Sequence[float]) -> float:
    """Return the cubeless equity of five probabilities, in points.

    Examples
    --------
    >>> points_of((0.5, 0.25, 0.0, 0.125, 0.0))
    0.125
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon


def main() -> None:
    """Print mean differences with standard errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--plies", nargs="+", type=int, default=[0, 1, 2], choices=[0, 1, 2])
    arguments = parser.parse_args()
    matches = [match for file in arguments.files for match in load_matches(file)]
    decisions = [item for match in matches for item in recorded_equities(match)]
    print("| plies | decision | file's plies | number | cubeful | cubeless |")
    print("|---|---|---|---|---|---|")
    for ply in arguments.plies:
        differences = np.array([item.differences(ply) for item in decisions])
        for is_play in (True, False):
            for min_plies in (MIN_PLIES, MIN_PLIES + 1):
                chosen = differences[
                    [item.is_play == is_play and item.plies >= min_plies for item in decisions]
                ]
                errors = chosen.std(0, ddof=1) / len(chosen) ** 0.5
                cells = [
                    f"{mean:+.4f} ± {error:.4f}" for mean, error in zip(chosen.mean(0), errors, strict=True)
                ]
                kind = "play" if is_play else "no double"
                print(
                    f"| {ply} | {kind} | {min_plies} or more | {len(chosen)} | {' | '.join(cells)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
