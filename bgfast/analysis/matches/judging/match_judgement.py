"""The decisions and rolls of a match judged without rollouts, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import checked_table
from bgfast.analysis.decisions.players import no_probabilities, player_of
from bgfast.analysis.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.analysis.evaluators.lookahead import Lookahead
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll
from bgfast.analysis.matches.judging.judge import Judge
from bgfast.analysis.matches.judging.match_rollout import MatchRollout
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, recorded_decisions
from bgfast.common.threads import each
from bgfast.common.validation import thread_count
from bgfast.errors import BgfastError, shown
from bgfast.games.match import Match
from bgfast.position.objects import Position

__all__ = ["PLY", "JudgingSettings", "MatchJudgement"]

PLY = 2
THRESHOLDS = (0.12, 0.04)
"""Which plays are looked at further, as `Lookahead` has it: what changes in a match is in the docs."""


class JudgingSettings(NamedTuple):
    """By what the decisions of a match are judged, and how many threads do it: see `analyse_match`."""

    evaluator: Evaluator | None
    ply: int | None
    met: MatchEquityTable | None
    efficiency: str
    threads: int


class MatchJudgement:
    """Decisions and rolls of a match judged in the order of play, that can be looked at while they are.

    Parameters
    ----------
    match : Match
    settings : JudgingSettings

    Raises
    ------
    BgfastError
        If one of them is wrong.
    """

    def __init__(self, match: Match, settings: JudgingSettings) -> None:
        if not isinstance(match, Match):
            raise BgfastError(f"match is {shown(match)}; expected a Match")
        self._match = match
        self._threads = thread_count(settings.threads)
        self._player = player_of(settings.evaluator, settings.ply, PLY, match.rules, THRESHOLDS)
        at_sight = Lookahead(self._player.evaluator, ply=0, rules=match.rules)
        if at_sight.evaluation(Position.start()).probabilities is None:
            raise no_probabilities(self._player)
        self._judge = Judge(self._player, checked_table(settings.met), settings.efficiency)
        self._recorded = recorded_decisions(match)
        self._judged: list[AnalysedDecision | AnalysedRoll] = []

    def judge(self) -> Iterator[float]:
        """Judge what is left; yield the share that is done."""
        left = self._recorded[len(self._judged) :]
        for one in each(self._judge.judged, left, self._threads):
            self._judged.append(one)
            yield len(self._judged) / len(self._recorded)

    def result(self) -> MatchAnalysis:
        """Return the analysis of what has been judged so far; its settings say so if that is not all."""
        decisions = [one for one in self._judged if isinstance(one, AnalysedDecision)]
        rolls = [one for one in self._judged if isinstance(one, AnalysedRoll)]
        judged_by: dict[str, Any] = {
            "evaluator": evaluator_name(self._player.evaluator),
            "ply": self._player.ply,
            "efficiency": self._judge.efficiency,
        }
        if self._match.length is not None:
            judged_by["match equity table"] = self._judge.met.name
        whole = len(self._judged) == len(self._recorded)
        if not whole:
            number = sum(isinstance(one, RecordedDecision) for one in self._recorded)
            judged_by["judged"] = f"the first {len(decisions)} of {number} decisions"
        return MatchAnalysis(self._match, decisions, rolls, judged_by, met=self._judge.met, whole=whole)

    def rollout(self, **options: Any) -> MatchRollout:
        """Return the rollouts of what is contested, none of them played, with options of `MatchRollout`."""
        met, efficiency = self._judge.met, self._judge.efficiency
        return MatchRollout(self.result(), self._player.evaluator, met=met, efficiency=efficiency, **options)
