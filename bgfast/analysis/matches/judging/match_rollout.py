"""The contested decisions of an analysed match rolled out, one after the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, nullcontext
from os import PathLike
from typing import Any

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.evaluators.with_bearoff import WithBearoff
from bgfast.analysis.matches.judging.contested import Contested, contested, is_settled, judged_by
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.common.journal import Journal
from bgfast.common.pace import Limit
from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import BgfastError, shown

__all__ = ["TRIALS", "TRUNCATE", "MatchRollout"]

TRIALS = 1296
TRUNCATE = 11
LOOKS = (144, 432, 864)
"""Trials after which is looked whether a decision is settled, and at the end."""
NORMAL_99 = 2.5758293035489004
"""Standard errors that settle a decision at one of these looks: by 99 %, since there are several looks."""
_TIMES = ("elapsed", "decisions_per_second", "evaluator_share")


class MatchRollout:
    """Rollouts of what is contested in a match, that can be looked at while they run.

    Parameters
    ----------
    analysis : MatchAnalysis
        What says which decisions are contested.
    evaluator : evaluator
        Ends truncated games. A faster network that goes with it chooses the plays and judges luck.
    met : MatchEquityTable
    efficiency : str
    trials : int
        Games for each candidate, at most.
    truncate : int or None
        After so many plies the evaluator judges; None plays games to their end.
    seed : int
        Of the dice, which are the same for all decisions and candidates.

    Raises
    ------
    BgfastError
        If an argument is wrong.

    Notes
    -----
    Results depend on these parameters alone: not on threads, nor on where a run was interrupted.
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
        self._contested = [one for one in contested(analysis.decisions) if not self._is_exact(one)]
        self._results: dict[int, list[RolloutResult]] = {}
        self.resumed = 0  # rollouts that another run has done
        if self._contested:
            self._rollout(self._contested[0], self._contested[0].plays)  # what is wrong is said at once

    def _is_exact(self, one: Contested) -> bool:
        """Return whether bear-off databases know the position with its cube."""
        position = one.decision.position
        if not isinstance(self._evaluator, WithBearoff) or position.checkers != CHECKERS:
            return False
        return bool(self._evaluator.bearoff.covers_exactly([position]).all())

    @property
    def number(self) -> int:
        """How many rollouts there are."""
        return len(self._contested)

    @property
    def done(self) -> int:
        """How many of them are done."""
        return len(self._results)

    def play(
        self,
        *,
        threads: int = 1,
        time_limit: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Iterator[float]:
        """Play what is left, the costliest errors first; yield the share that is done every now and then.

        It can be left and called again. When the time is over, the decision at hand is not rolled out.

        Raises
        ------
        BgfastError
            If the checkpoint cannot be used.
        """
        limit = Limit(time_limit)
        with nullcontext() if checkpoint is None else closing(self._journal(checkpoint)) as journal:
            for number, one in enumerate(self._contested):
                if number in self._results:
                    continue
                results: list[RolloutResult] = []
                for share in self._rolled_out(one, threads, results):
                    if limit.over():
                        return
                    yield (number + share) / len(self._contested)
                if journal is not None:
                    journal.append({"rollout": number, "results": [_content(each) for each in results]})
                self._results[number] = results
                if limit.over():
                    return

    def result(self) -> MatchAnalysis:
        """Return the analysis, with what has been rolled out so far."""
        decisions = list(self._analysis.decisions)
        for number, results in self._results.items():
            for place in self._contested[number].places:
                decisions[place] = judged_by(decisions[place], results, self._met)
        return MatchAnalysis(
            self._analysis.match,
            decisions,
            self._analysis.rolls,
            {**self._analysis.settings, "rollout": self._words()},
            met=self._met,
            rolled_out=self._options,
        )

    def _words(self) -> str:
        truncate = self._options["truncate"]
        cut = "" if truncate is None else f", truncated at {truncate} plies"
        missing = self.number - self.done
        left = f"; {missing} of {self.number} decisions left" if missing else ""
        return f"{self._options['trials']:,} trials{cut}, seed {self._options['seed']}{left}"

    # ---------------------------------------------------------------- one decision

    def _rolled_out(self, one: Contested, threads: int, results: list[RolloutResult]) -> Iterator[float]:
        """Roll out one decision; yield the share of its trials that is done."""
        most = self._options["trials"]
        looks = [*(look for look in LOOKS if look < most), most]
        rollout = self._rollout(one, one.plays)
        plays = one.plays
        for look in looks:
            rollout.trials = look
            for _ in rollout.play(threads=threads):
                yield rollout.done / most
            found = rollout.result()
            if self._is_settled(one, found) or look == most:
                results.append(found)
                return
            left = self._left(plays, found)
            # Without those the others begin anew, which has to cost less than going on with all.
            if (len(plays) - len(left)) * (most - look) > len(left) * look:
                results.append(found)  # all that will be known of those that are left out
                plays, rollout = left, self._rollout(one, left)

    def _is_settled(self, one: Contested, found: RolloutResult) -> bool:
        decisions = (self._analysis.decisions[place] for place in one.places)
        return all(is_settled(each, found, NORMAL_99) for each in decisions)

    def _left(self, plays: tuple[str, ...], found: RolloutResult) -> tuple[str, ...]:
        """Return the plays that may be best: if what was chosen is none, the decision is settled."""
        far = {each.name for each in found.estimates if -each.difference > NORMAL_99 * each.difference_se}
        return tuple(play for play in plays if play not in far)

    def _rollout(self, one: Contested, plays: tuple[str, ...]) -> Rollout:
        given: Any = one.decision
        context = None
        if plays:
            assert one.decision.dice is not None
            legal = one.decision.position.plays(one.decision.dice, self._analysis.match.rules)
            by_text = {str(play): play for play in legal}
            given, context = [by_text[text] for text in plays], one.decision
        return Rollout(
            given,
            self._evaluator,
            **self._options,
            variance_reduction=True,
            policy=self._policy,
            luck_evaluator=self._policy,
            rules=self._analysis.match.rules,
            context=context,
            met=self._met,
        )

    # ---------------------------------------------------------------- the checkpoint

    def _journal(self, path: str | PathLike[str]) -> Journal:
        journal = Journal(path, "match analysis", "checkpoint")
        try:
            self._begin(journal)
            journal.read(self._take)
        except BaseException:
            journal.close()
            raise
        return journal

    def _begin(self, journal: Journal) -> None:
        begun = journal.job is not None
        try:
            journal.begin(self._job())
        except BgfastError as error:
            if not begun:
                raise
            expected = "expected the match and the options that it was begun with, or another file"
            raise BgfastError(f"{error}; {expected}") from None

    def _job(self) -> dict[str, Any]:
        content = json.dumps(self._analysis.to_dict()["decisions"]).encode()
        return {
            "decisions": hashlib.sha256(content).hexdigest(),
            "evaluator": evaluator_name(self._evaluator),
            "policy": evaluator_name(self._policy),
            "match_equity_table": self._met.name,
            **self._options,
        }

    def _take(self, record: Mapping[str, Any]) -> None:
        number = record["rollout"]
        if type(number) is not int or not 0 <= number < self.number:
            raise BgfastError(f"rollout {shown(number)}; expected 0 to {self.number - 1}")
        results = [RolloutResult.from_json(json.dumps(each)) for each in record["results"]]
        one = self._contested[number]
        names = {each.name for result in results for each in result.estimates}
        if not results or (names != set(one.plays) if one.plays else results[-1].cube is None):
            raise BgfastError(f"rollout {number} is one of other candidates")
        self._results[number] = results
        self.resumed = len(self._results)


def fast_policy(evaluator: Evaluator) -> Evaluator:
    """Return who chooses plays where that evaluator judges: a faster network, if one goes with it."""
    if isinstance(evaluator, WithBearoff):
        network = evaluator.network._usual_policy()
        return evaluator if network is None else WithBearoff(network, evaluator.bearoff)
    if isinstance(evaluator, Network):
        return evaluator._usual_policy() or evaluator
    return evaluator


def _content(result: RolloutResult) -> dict[str, Any]:
    """Return a result as it is kept: without what a clock has said."""
    return result.to_dict() | dict.fromkeys(_TIMES, 0.0)
