"""Decisions of recorded matches that bgfast and GNU Backgammon both evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll
from bgfast.analysis.matches.counting import answer_counts, is_counted, no_double_counts, play_counts
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.cube.stakes import stakes_of

__all__ = ["PairedDecision", "paired_decisions", "pr_by_gnubg"]


class PairedDecision(NamedTuple):
    """A decision that both programs evaluated.

    Attributes
    ----------
    match : int
        Number of the match.
    own : AnalysedDecision
        bgfast's analysis.
    gnubg_error : float
        Error by GNU Backgammon's equities, in EMG.
    gnubg_counts : bool
        True if the decision counts for PR by GNU Backgammon's equities.
    gnubg_best : list of (int, int), or None
        GNU Backgammon's best play, as points; None for cube decisions.
    """

    match: int
    own: AnalysedDecision
    gnubg_error: float
    gnubg_counts: bool
    gnubg_best: list[list[int]] | None = None

    @property
    def is_play(self) -> bool:
        """True for a play, False for a cube decision."""
        return self.own.recorded.kind == "play"

    @property
    def difference(self) -> float:
        """Error by bgfast's equities less that by GNU Backgammon's."""
        return self.own.error - self.gnubg_error


def paired_decisions(
    number: int, analysis: MatchAnalysis, gnubg_match: dict[str, Any]
) -> Iterator[PairedDecision]:
    """Yield the unforced plays and cube decisions of a match that both programs evaluated."""
    events: list[AnalysedDecision | AnalysedRoll] = sorted(
        [*analysis.decisions, *analysis.rolls],
        key=lambda event: (event.recorded.action, isinstance(event, AnalysedRoll)),
    )
    for game, records in enumerate(gnubg_match["games"], 1):
        remaining = [event for event in events if event.recorded.game == game]
        double: dict[str, Any] = {}
        for record in records["game"]:
            if record["action"] == "resign":
                break
            gnubg, event = record.get("analysis", {}), remaining.pop(0)
            assert event.recorded.player == "XO".index(record["player"]), (number, record)
            if record["action"] == "double":
                double = gnubg
            if record["action"] != "move":
                yield _paired_cube(number, _decision(event), double)
                continue
            if not isinstance(event, AnalysedRoll):
                if "nd-cubeful-eq" in gnubg:
                    yield _paired_cube(number, event, gnubg)
                event = remaining.pop(0)
            assert isinstance(event, AnalysedRoll), (number, record)
            assert sorted(event.recorded.roll) == sorted(record["dice"]), (number, record)
            if remaining and _is_play(remaining[0]):
                play = _decision(remaining.pop(0))
                if not play.forced:
                    yield _paired_play(number, play, gnubg)


def _is_play(event: AnalysedDecision | AnalysedRoll) -> bool:
    return isinstance(event, AnalysedDecision) and event.recorded.kind == "play"


def _decision(event: AnalysedDecision | AnalysedRoll) -> AnalysedDecision:
    assert isinstance(event, AnalysedDecision), event
    return event


def _paired_play(number: int, own: AnalysedDecision, gnubg: dict[str, Any]) -> PairedDecision:
    equities = [candidate["score"] for candidate in gnubg["moves"]]
    best = int(np.argmax(equities))
    error = equities[best] - equities[gnubg["imove"]]
    counts = play_counts(sorted(equities, reverse=True), len(equities))
    return PairedDecision(number, own, error, counts, gnubg["moves"][best]["move"])


def _paired_cube(number: int, own: AnalysedDecision, gnubg: dict[str, Any]) -> PairedDecision:
    stakes = stakes_of(own.recorded.decision, MatchEquityTable.builtin())
    no_double, double_take = (float(stakes.normalized(gnubg[f"{name}-cubeful-eq"])) for name in ("nd", "dt"))
    chosen = own.recorded.chosen
    if chosen in ("take", "drop"):
        error = double_take - 1 if chosen == "take" else 1 - double_take
        return PairedDecision(number, own, max(0.0, error), answer_counts(double_take))
    double = min(double_take, 1.0)
    error = double - no_double if chosen == "no double" else no_double - double
    counts = chosen == "double" or no_double_counts(no_double, double_take)
    return PairedDecision(number, own, max(0.0, error), counts)


def pr_by_gnubg(decisions: Sequence[PairedDecision], player: int, *, own_count: bool = False) -> float:
    """Return a player's PR by GNU Backgammon's errors; `own_count` divides by bgfast's counted decisions."""
    own = [decision for decision in decisions if decision.own.recorded.player == player]
    counted = sum(is_counted(decision.own) if own_count else decision.gnubg_counts for decision in own)
    return 500 * sum(decision.gnubg_error for decision in own) / counted
