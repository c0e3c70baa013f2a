"""Evaluation of the decisions and rolls of a match, without rollouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from bgfast.analysis.branches import no_probabilities, search_of
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll
from bgfast.analysis.matches.judging.judge import DecisionAnalyser
from bgfast.analysis.matches.judging.match_rollout import MatchRollout
from bgfast.analysis.matches.judging.presets import THRESHOLDS, Preset
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, recorded_decisions
from bgfast.common.threads import parallel_map
from bgfast.common.validation import thread_count
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import checked_table
from bgfast.games.match import Match

PLY = 2
"""Default search depth."""


class AnalysisSettings(NamedTuple):
    """Settings of an analysis: the parameters of `analyse_match`, with a preset or a search depth."""

    evaluator: Evaluator | None
    ply: int | None
    met: MatchEquityTable | None
    efficiency: str
    threads: int
    count_resignations: bool = False
    preset: Preset | None = None


class MatchAnalyser:
    """Evaluates the decisions and rolls of a match in the order of play, with results while it runs."""

    def __init__(self, match: Match, settings: AnalysisSettings) -> None:
        if not isinstance(match, Match):
            raise BgfastError(f"match is {shown(match)}; expected a Match, as load_match reads from a file")
        self._match = match
        self._threads = thread_count(settings.threads)
        self._count_resignations = settings.count_resignations
        self._preset = settings.preset
        if self._preset is None:
            self._search = search_of(settings.evaluator, settings.ply, PLY, match.rules, THRESHOLDS)
        else:
            self._search = self._preset.search(settings.evaluator, match.rules)
        static = Lookahead(self._search.evaluator, ply=0, rules=match.rules)
        if not static.returns_probabilities:
            raise no_probabilities(self._search)
        deepening = None if self._preset is None else self._preset.deepening(self._search)
        self._analyser = DecisionAnalyser(
            self._search, checked_table(settings.met), settings.efficiency, deepening
        )
        self._records = recorded_decisions(match)
        self._analysed: list[AnalysedDecision | AnalysedRoll] = []

    def analyse(self) -> Iterator[float]:
        """Evaluate the remaining decisions and rolls; yield the fraction done."""
        remaining = self._records[len(self._analysed) :]
        for analysed in parallel_map(self._analyser.analyse, remaining, self._threads):
            self._analysed.append(analysed)
            yield len(self._analysed) / len(self._records)

    def result(self) -> MatchAnalysis:
        """Return the analysis so far; if it is partial, its settings have the number of decisions."""
        decisions = [analysed for analysed in self._analysed if isinstance(analysed, AnalysedDecision)]
        rolls = [analysed for analysed in self._analysed if isinstance(analysed, AnalysedRoll)]
        settings: dict[str, Any] = {
            "evaluator": evaluator_name(self._search.evaluator),
            **({} if self._preset is None else {"preset": str(self._preset)}),
            "ply": self._search.ply,
            "efficiency": self._analyser.efficiency,
        }
        if self._match.length is not None:
            settings["match equity table"] = self._analyser.met.name
        is_complete = len(self._analysed) == len(self._records)
        if not is_complete:
            total = sum(isinstance(record, RecordedDecision) for record in self._records)
            settings["judged"] = f"the first {len(decisions)} of {total} decisions"
        return MatchAnalysis(
            self._match,
            decisions,
            rolls,
            settings,
            met=self._analyser.met,
            whole=is_complete,
            count_resignations=self._count_resignations,
        )

    def rollout(self, **options: Any) -> MatchRollout:
        """Return the rollouts of contested decisions, not started, with options of `MatchRollout`."""
        met, efficiency = self._analyser.met, self._analyser.efficiency
        return MatchRollout(self.result(), self._search.evaluator, met=met, efficiency=efficiency, **options)
