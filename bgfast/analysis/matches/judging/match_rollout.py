"""Rollouts of the contested decisions of an analysed match."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, nullcontext
from os import PathLike
from typing import Any, NamedTuple

from bgfast.analysis.matches.judging.contested import (
    MAX_ERROR_SE,
    NORMAL_99,
    ContestedDecision,
    contested_decisions,
    has_enough_trials,
    with_rollouts,
)
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.common.journal import Journal
from bgfast.common.pace import Limit
from bgfast.common.validation import stored_number
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.evaluation.evaluators.exact_tables import exact_tables
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.match_equity import MatchEquityTable

TRIALS = 1296
"""Default maximum number of trials of a candidate."""
TRUNCATE = 11
"""Default number of plies after which games are truncated."""
INTERIM_TRIALS = (144, 432, 864)
"""Trial counts of the interim analyses, which test whether a rollout has enough trials."""
_TIMING_FIELDS = ("elapsed", "decisions_per_second", "evaluator_share")


class _DecisionRollouts(NamedTuple):
    """Results of the rollouts of a decision, and `Rollout.half_equities` of the last rollout."""

    results: list[RolloutResult]
    halves: list[dict[str, float]]


class MatchRollout:
    """Rollouts of the contested decisions of a match, with results available while they run.

    `analysis` is one without rollouts, from which contested decisions are selected. The evaluator evaluates
    truncated games and decides about the cube; `fast_policy(evaluator)` chooses the plays and estimates
    luck. `trials` is the maximum for a candidate. The dice are the same for all decisions and candidates, so
    that results depend neither on threads nor on interruptions. An invalid argument raises `BgfastError`.
    """

    def __init__(
        self,
        analysis: MatchAnalysis,
        evaluator: Evaluator,
        *,
        met: MatchEquityTable,
        efficiency: str,
        trials: int = TRIALS,
        truncate: int | None = TRUNCATE,
        seed: int = 0,
    ) -> None:
        self._analysis = analysis
        self._evaluator = evaluator
        self._policy = fast_policy(evaluator)
        self._met = met
        self._options: dict[str, Any] = {
            "trials": trials,
            "truncate": truncate,
            "seed": seed,
            "efficiency": efficiency,
        }
        self._contested = [
            contested
            for contested in contested_decisions(analysis.decisions)
            if exact_tables(
                evaluator, contested.decision, [contested.decision.position], met, analysis.match.rules
            )
            is None
        ]
        self._results: dict[int, _DecisionRollouts] = {}
        self.resumed = 0  # rollouts read from the checkpoint
        if self._contested:
            # Validate the options now rather than when the rollouts start.
            self._new_rollout(self._contested[0], self._contested[0].plays)

    @property
    def number(self) -> int:
        """Number of rollouts."""
        return len(self._contested)

    @property
    def done(self) -> int:
        """Number of completed rollouts."""
        return len(self._results)

    def play(
        self,
        *,
        threads: int = 1,
        time_limit: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Iterator[float]:
        """Run the remaining rollouts, largest errors first; yield the fraction done from time to time.

        An interrupted run can be resumed by another call. At the time limit the current rollout is
        discarded. Raises `BgfastError` if the checkpoint cannot be used.
        """
        limit = Limit(time_limit)
        with nullcontext() if checkpoint is None else closing(self._open_journal(checkpoint)) as journal:
            for number, contested in enumerate(self._contested):
                if number in self._results:
                    continue
                rollouts = _DecisionRollouts([], [])
                for fraction in self._roll_out(contested, threads, rollouts):
                    if limit.over():
                        return
                    yield (number + fraction) / len(self._contested)
                if journal is not None:
                    # Without timing: checkpoints are reproducible.
                    timing = dict.fromkeys(_TIMING_FIELDS, 0.0)
                    contents = [result.to_dict() | timing for result in rollouts.results]
                    journal.append({"rollout": number, "results": contents, "halves": rollouts.halves})
                self._results[number] = rollouts
                if limit.over():
                    return

    def result(self) -> MatchAnalysis:
        """Return the analysis with the rollouts completed so far."""
        decisions = list(self._analysis.decisions)
        for number, rollouts in self._results.items():
            for index in self._contested[number].indices:
                decisions[index] = with_rollouts(decisions[index], *rollouts, self._met)
        return MatchAnalysis(
            self._analysis.match,
            decisions,
            self._analysis.rolls,
            {**self._analysis.settings, "rollout": self._description()},
            met=self._met,
            rolled_out=self._options,
            count_resignations=self._analysis.count_resignations,
        )

    def _description(self) -> str:
        truncate = self._options["truncate"]
        truncation = "" if truncate is None else f", truncated at {truncate} plies"
        missing = self.number - self.done
        left = f"; {missing} of {self.number} decisions left" if missing else ""
        return f"{self._options['trials']:,} trials{truncation}, seed {self._options['seed']}{left}"

    # ---------------------------------------------------------------- one decision

    def _roll_out(
        self, contested: ContestedDecision, threads: int, rollouts: _DecisionRollouts
    ) -> Iterator[float]:
        """Roll out one decision, filling `rollouts`; yield the fraction of its trials that is done."""
        max_trials = self._options["trials"]
        plays = contested.plays
        decisions = [self._analysis.decisions[index] for index in contested.indices]
        recorded = {decision.recorded.chosen for decision in decisions}
        rollout = self._new_rollout(contested, plays)
        for trials in [*(interim for interim in INTERIM_TRIALS if interim < max_trials), max_trials]:
            rollout.trials = trials
            for _ in rollout.play(threads=threads):
                yield rollout.done / max_trials
            result = rollout.result()
            if trials == max_trials or all(has_enough_trials(decision, result) for decision in decisions):
                rollouts.results.append(result)
                rollouts.halves.extend(rollout.half_equities())
                return
            eliminated = _clearly_worse_plays(result) - recorded
            remaining = tuple(play for play in plays if play not in eliminated)
            # Restarting with fewer candidates must save more trials than it repeats.
            if (len(plays) - len(remaining)) * (max_trials - trials) > len(remaining) * trials:
                rollouts.results.append(result)  # final estimates of the eliminated candidates
                plays, rollout = remaining, self._new_rollout(contested, remaining)

    def _new_rollout(self, contested: ContestedDecision, plays: tuple[str, ...]) -> Rollout:
        subject: Any = contested.decision
        context = None
        if plays:
            assert contested.decision.dice is not None
            rules = self._analysis.match.rules
            legal = contested.decision.position.plays(contested.decision.dice, rules)
            by_text = {str(play): play for play in legal}
            subject, context = [by_text[text] for text in plays], contested.decision
        return Rollout(
            subject,
            self._evaluator,
            RolloutOptions(
                **self._options,
                variance_reduction=True,
                policy=self._policy,
                luck_evaluator=self._policy,
                rules=self._analysis.match.rules,
                context=context,
                met=self._met,
            ),
        )

    # ---------------------------------------------------------------- checkpoint

    def _open_journal(self, path: str | PathLike[str]) -> Journal:
        journal = Journal(path, "match analysis", "checkpoint")
        self._begin(journal)
        journal.read(self._restore)
        return journal

    def _begin(self, journal: Journal) -> None:
        is_new = journal.job is None
        try:
            journal.begin(self._job())
        except BgfastError as error:
            if is_new:
                raise
            expected = "expected the same match and options as in the first run, or another file"
            raise BgfastError(f"{error}; {expected}") from None

    def _job(self) -> dict[str, Any]:
        content = json.dumps(self._analysis.to_dict()["decisions"]).encode()
        return {
            "decisions": hashlib.sha256(content).hexdigest(),
            "evaluator": evaluator_name(self._evaluator),
            "policy": evaluator_name(self._policy),
            "match_equity_table": self._met.name,
            "errors": "halves",  # earlier versions stored none
            "cube_actions": "evaluator",  # those of earlier versions were the policy's
            "end": ["settled", MAX_ERROR_SE],  # earlier versions ended rollouts otherwise
            **self._options,
        }

    def _restore(self, record: Mapping[str, Any]) -> None:
        """Restore the results of one rollout from a record of the checkpoint."""
        number = record["rollout"]
        if type(number) is not int or not 0 <= number < self.number:
            raise BgfastError(f"rollout is {shown(number)}; expected 0 to {self.number - 1}")
        results = [RolloutResult.from_json(json.dumps(content)) for content in record["results"]]
        plays = self._contested[number].plays
        names = {estimate.name for result in results for estimate in result.estimates}
        if not results or (names != set(plays) if plays else results[-1].cube is None):
            raise BgfastError(f"rollout {number} has other candidates; expected those of this match")
        halves = [dict(half) for half in record["halves"]]
        expected = {estimate.name for estimate in results[-1].estimates}
        if len(halves) != 2 or any(
            set(half) != expected or any(stored_number(equity) is None for equity in half.values())
            for half in halves
        ):
            raise BgfastError(f"rollout {number} has other halves; expected equities of its candidates")
        self._results[number] = _DecisionRollouts(results, halves)
        self.resumed = len(self._results)


def _clearly_worse_plays(result: RolloutResult) -> set[str]:
    return {
        estimate.name
        for estimate in result.estimates
        if -estimate.difference > NORMAL_99 * estimate.difference_se
    }


def fast_policy(evaluator: Evaluator) -> Evaluator:
    """Return the rollout policy for an evaluator: its faster network, or the evaluator itself."""
    if isinstance(evaluator, WithBearoff):
        network = evaluator.network._default_policy()
        return evaluator if network is None else WithBearoff(network, evaluator.bearoff)
    if isinstance(evaluator, Network):
        return evaluator._default_policy() or evaluator
    return evaluator
