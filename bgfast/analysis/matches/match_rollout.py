"""Rollouts of the contested decisions of an analysed match."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any, Generic, NamedTuple, TypeVar

from bgfast.analysis.matches.analysed import DROP_EQUITY, AnalysedDecision, Choice, error_mark
from bgfast.analysis.matches.match_report import decision_contents
from bgfast.analysis.matches.match_statistics import CLOSE_CUBE_MARGIN, MatchStatistics
from bgfast.analysis.matches.recorded_decisions import DecisionKind
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.result import CubeVerdict, RolloutResult
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.common.journal import Journal
from bgfast.common.pace import Limit
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.validation import number_from_file
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.evaluation.evaluators.exact_tables import exact_tables
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import stakes_of
from bgfast.position.decision import Decision

CANDIDATE_MARGIN = 0.08
"""Maximum equity loss of a candidate play (EMG); a recorded play with a marked error is always included."""
NORMAL_99 = 2.5758293035489004
"""Number of standard errors at which a rollout may end: 99 %, not 95 %, because of the interim analyses."""
MAX_ERROR_SE = 0.0075
"""Maximum standard error (EMG) of an error at which a rollout may end."""
NO_DOUBLE = "no double"
BEAVER_DROP_EQUITY = -2.0
"""Equity of a doubler who drops a beaver (EMG)."""


Branch = TypeVar("Branch")
Statistics = TypeVar("Statistics", bound=MatchStatistics)
_ESTIMATED_FIELDS = "equity mwc probabilities equity_se probabilities_se".split()
"""Fields that a choice takes from a rollout."""


class ContestedDecision(NamedTuple):
    """Decision for one rollout: a play, or a double together with its answer."""

    indices: tuple[int, ...]  # among the decisions of the match
    decision: Decision  # before the double, if any
    plays: tuple[str, ...]  # candidates; empty for a cube decision


def select_decisions(decisions: Sequence[AnalysedDecision]) -> list[ContestedDecision]:
    """Select the decisions to roll out, largest error first.

    A double and its answer share a rollout, which evaluates both decisions if either is contested.
    """
    indices: dict[tuple[int, Decision], tuple[int, ...]] = {}
    candidates: dict[tuple[int, Decision], tuple[str, ...]] = {}
    for index, analysed in enumerate(decisions):
        recorded = analysed.recorded
        if recorded.kind == "resignation":
            continue
        key = recorded.game, replace(recorded.decision, offer=None)
        indices[key] = (*indices.get(key, ()), index)
        plays = _candidates(analysed) if recorded.kind == "play" else ()
        if len(plays) > 1 or _is_contested_cube(analysed):
            candidates[key] = plays
    selected = [ContestedDecision(indices[key], key[1], plays) for key, plays in candidates.items()]
    return sorted(selected, key=lambda item: -max(decisions[index].error for index in item.indices))


def _candidates(analysed: AnalysedDecision) -> tuple[str, ...]:
    best = analysed.best
    candidates = [
        choice.text for choice in analysed.choices if best.equity - choice.equity <= CANDIDATE_MARGIN
    ]
    if error_mark(analysed.error) is not None and analysed.chosen.text not in candidates:
        candidates.append(analysed.chosen.text)
    return tuple(candidates)


def _is_contested_cube(analysed: AnalysedDecision) -> bool:
    if analysed.recorded.kind not in ("double", "take"):
        return False
    if stakes_of(analysed.recorded.decision).may_beaver_below_limit:  # rollouts do not support this
        return False
    best, second = analysed.choices[:2]
    return best.equity - second.equity < CLOSE_CUBE_MARGIN or error_mark(analysed.error) is not None


# ---- evaluation from rollout results ----


def _lead(analysed: AnalysedDecision, result: RolloutResult) -> tuple[float, float]:
    """Return the lead (EMG) of the recorded choice over the best alternative, and its standard error."""
    chosen = analysed.recorded.chosen
    if analysed.recorded.kind == "play":
        best, *alternatives = result.estimates
        played = next(estimate for estimate in result.estimates if estimate.name == chosen)
        if played is not best:
            return played.difference, played.difference_se
        # The strongest rival leaves the smallest lead in standard errors.
        leads = ((-rival.difference, rival.difference_se) for rival in alternatives)
        return min(leads, key=lambda lead: _standard_errors(*lead))
    verdict = _verdict(result)
    if analysed.recorded.kind == "double":
        sign = 1 if chosen == NO_DOUBLE else -1
        return sign * verdict.difference, verdict.difference_se
    answers = _doubler_equities(verdict)
    equity = min(equity for name, (equity, _) in answers.items() if name != chosen) - answers[chosen][0]
    # Upper bound: a beaver doubles the stakes of a take, and hence its standard error.
    factor = 2 if "beaver" in answers else 1
    return equity, factor * verdict.double_take_se


def _standard_errors(equity: float, standard_error: float) -> float:
    """Return the equity in units of its standard error."""
    return equity / standard_error if standard_error else float("inf") if equity else 0.0


def has_enough_trials(analysed: AnalysedDecision, result: RolloutResult) -> bool:
    """Return whether a rollout may end: the recorded choice is settled, and its error, if any, precise.

    An imprecise error does not end a rollout, however significant it is; otherwise rollouts would tend to end
    when chance has made an error larger, and errors would be too large on average.
    """
    lead, standard_error = _lead(analysed, result)
    is_precise = lead > 0 or standard_error <= MAX_ERROR_SE
    return is_precise and abs(_standard_errors(lead, standard_error)) >= NORMAL_99


def apply_rollouts(
    analysed: AnalysedDecision,
    results: Sequence[RolloutResult],
    halves: Sequence[Mapping[str, float]],
    met: MatchEquityTable,
) -> AnalysedDecision:
    """Return a decision evaluated with its rollouts; `halves` is `Rollout.half_equities` of the last rollout.

    Each rollout has the remaining candidates of the previous one. Candidates of later rollouts rank first,
    plays without a rollout last.
    """
    final, after_take = results[-1], analysed.taken
    chosen, kind = analysed.recorded.chosen, analysed.recorded.kind
    if kind == "play":
        choices = _play_choices(analysed, results)
    else:
        choices = _cube_choices(analysed.choices, analysed, final, met)
        if after_take is not None:
            (after_take,) = _cube_choices([after_take], analysed, final, met)
        beavers = _verdict(final).double_beaver is not None
        halves = [action_equities(half, beavers=beavers) for half in halves]
    lead, standard_error = _lead(analysed, final)
    is_settled = abs(_standard_errors(lead, standard_error)) >= NORMAL_95
    error = rollout_error(kind, chosen, halves)
    stakes = stakes_of(analysed.recorded.decision, met)
    mwc_per_point = float(stakes.denormalize(1) - stakes.denormalize(0))
    return replace(
        analysed,
        choices=tuple(choices),
        rank=1 + [choice.text for choice in choices].index(chosen),
        status="settled" if is_settled else "too close to call",
        error_se=0.0 if is_settled and lead > 0 else standard_error,
        taken=after_take,
        rollout_error=error,
        rollout_error_mwc=error * mwc_per_point if stakes.is_match else None,
    )


def _play_choices(analysed: AnalysedDecision, results: Sequence[RolloutResult]) -> list[Choice]:
    choices: dict[str, Choice] = {}
    searched = {choice.text: choice for choice in analysed.choices}
    for result in reversed(results):
        for estimate in result.estimates:
            values = {name: getattr(estimate, name) for name in _ESTIMATED_FIELDS}
            choice = searched[estimate.name]._replace(**values, trials=result.trials)
            choices.setdefault(estimate.name, choice)
    return [*choices.values(), *(choice for text, choice in searched.items() if text not in choices)]


def _verdict(result: RolloutResult) -> CubeVerdict:
    assert result.cube is not None
    return result.cube


def _doubler_equities(verdict: CubeVerdict) -> dict[str, tuple[float, float]]:
    """Return the doubler's equity after every answer, with its standard error."""
    equities = {"take": (verdict.double_take, verdict.double_take_se), "drop": (verdict.double_drop, 0.0)}
    if verdict.double_beaver is not None:
        equities["beaver"] = verdict.double_beaver, 2 * verdict.double_take_se
    return equities


def _cube_choices(
    choices: Sequence[Choice], analysed: AnalysedDecision, result: RolloutResult, met: MatchEquityTable
) -> list[Choice]:
    """Return the choices with the equities of a rollout, best first for the player who decides."""
    verdict = _verdict(result)
    answers = _doubler_equities(verdict)
    no_double_equity = verdict.no_double, verdict.no_double_se
    equities = {NO_DOUBLE: no_double_equity, "double": min(answers.values()), **answers}
    is_answer = analysed.recorded.kind == "take"
    stakes = stakes_of(analysed.recorded.decision, met)
    no_double, double = _branches({estimate.name: estimate for estimate in result.estimates})
    estimated_choices = []
    for choice in choices:
        equity, equity_se = equities[choice.text]
        mwc = float(stakes.denormalize(equity)) if stakes.is_match else None
        branch = no_double if choice.text == NO_DOUBLE else double
        probabilities, probabilities_se = branch.probabilities, branch.probabilities_se
        if choice.text == "drop":
            probabilities = probabilities_se = None
        values = equity, mwc, probabilities, equity_se, probabilities_se
        fields: dict[str, Any] = dict(zip(_ESTIMATED_FIELDS, values, strict=True))
        estimate = choice._replace(**fields, trials=result.trials, method=None)
        estimated_choices.append(estimate.of_opponent() if is_answer else estimate)
    return sorted(estimated_choices, key=lambda choice: -choice.equity)


def _branches(values: Mapping[str, Branch]) -> tuple[Branch, Branch]:
    """Return the values of both branches of a rollout, without and with a double, from values by name."""
    ((_, double), (_, no_double)) = sorted(values.items(), key=lambda item: item[0].startswith("no "))
    return no_double, double


# ---- errors without the bias from selecting the best of several noisy estimates ----


def rollout_error(kind: DecisionKind, chosen: str, halves: Sequence[Mapping[str, float]]) -> float:
    """Return the error of a recorded choice from the equities of two halves of the trials.

    Each half selects the best choice, and the other half, which has other games, compares that choice with
    the recorded choice; the result is the mean of the two differences. Hence a lead that is due to chance
    does not count as an error. The result may be below 0: the best choice of one half may be bad in the
    other half. The halves have the equities of plays, or the result of `action_equities`.
    """
    first, second = halves
    return (_error(kind, chosen, first, second) + _error(kind, chosen, second, first)) / 2


def action_equities(equities: Mapping[str, float], *, beavers: bool) -> dict[str, float]:
    """Return the doubler's equity of each cube action, from the equities of the two branches."""
    no_double, take = _branches(equities)
    actions = {NO_DOUBLE: no_double, "take": take, "drop": DROP_EQUITY}
    return actions | {"beaver": max(2 * take, BEAVER_DROP_EQUITY)} if beavers else actions


def _error(
    kind: DecisionKind, chosen: str, selection: Mapping[str, float], measure: Mapping[str, float]
) -> float:
    """Return the recorded choice's error in `measure`, compared with the best choice in `selection`."""
    if kind == "play":
        return measure[max(selection, key=selection.__getitem__)] - measure[chosen]
    answers = [action for action in selection if action != NO_DOUBLE]
    answer = min(answers, key=selection.__getitem__)
    if kind == "take":
        return measure[chosen] - measure[answer]
    best = max((NO_DOUBLE, answer), key=selection.__getitem__)
    return measure[best] - measure[NO_DOUBLE if chosen == NO_DOUBLE else answer]


# ---- rollouts ----


TRIALS = 1296
"""Default maximum number of trials of a candidate."""
TRUNCATE = 11
"""Default number of plies after which games are truncated."""
INTERIM_TRIALS = (144, 432, 864)
"""Trial counts of the interim analyses, which test whether a rollout has enough trials."""
_TIMING_FIELDS = ("elapsed", "decisions_per_second", "evaluator_share")
_DecisionRollouts = tuple[list[RolloutResult], list[dict[str, float]]]
"""Results of the rollouts of a decision, and `Rollout.half_equities` of the last rollout."""


class MatchRollout(Generic[Statistics]):
    """Rollouts of the contested decisions of a match, with results available while they run.

    Contested decisions are selected from `analysis`, which has no rollouts. The evaluator evaluates
    truncated games and makes cube decisions; `fast_policy(evaluator)` chooses the plays and estimates
    luck. `trials` is the maximum for a candidate. The dice are the same for all decisions and candidates, and
    results depend neither on threads nor on interruptions. An invalid argument raises `BgfastError`.
    """

    def __init__(
        self,
        analysis: Statistics,
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
        self._options: dict[str, Any] = {"trials": trials, "truncate": truncate, "seed": seed}
        self._options["efficiency"] = efficiency

        rules = analysis.match.rules
        self._contested = [
            item
            for item in select_decisions(analysis.decisions)
            if exact_tables(evaluator, item.decision, [item.decision.position], met, rules) is None
        ]
        self._results: dict[int, _DecisionRollouts] = {}
        self.resumed = 0  # rollouts read from the checkpoint
        if self._contested:
            # Validate the options now rather than when the rollouts start.
            self._new_rollout(self._contested[0], self._contested[0].plays)

    @property
    def count(self) -> int:
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
            for index, contested in enumerate(self._contested):
                if index in self._results:
                    continue
                rollouts: _DecisionRollouts = [], []
                for fraction in self._roll_out(contested, threads, rollouts):
                    if limit.is_over():
                        return
                    yield (index + fraction) / len(self._contested)
                if journal is not None:
                    # Checkpoints without timing are reproducible.
                    timing = dict.fromkeys(_TIMING_FIELDS, 0.0)
                    contents = [result.to_dict() | timing for result in rollouts[0]]
                    journal.append({"rollout": index, "results": contents, "halves": rollouts[1]})
                self._results[index] = rollouts
                if limit.is_over():
                    return

    def result(self) -> Statistics:
        """Return the analysis with the rollouts completed so far."""
        decisions = list(self._analysis.decisions)
        for index, rollouts in self._results.items():
            for place in self._contested[index].indices:
                decisions[place] = apply_rollouts(decisions[place], *rollouts, self._met)
        settings = {**self._analysis.settings, "rollout": self._description()}
        return replace(
            self._analysis, decisions=tuple(decisions), settings=settings, rolled_out=self._options
        )

    def _description(self) -> str:
        truncate = self._options["truncate"]
        truncation = "" if truncate is None else f", truncated at {truncate} plies"
        remaining = self.count - self.done
        suffix = f"; {remaining} of {self.count} decisions left" if remaining else ""
        return f"{self._options['trials']:,} trials{truncation}, seed {self._options['seed']}{suffix}"

    # ---------------------------------------------------------------- one decision

    def _roll_out(
        self, contested: ContestedDecision, threads: int, rollouts: _DecisionRollouts
    ) -> Iterator[float]:
        """Roll out one decision, filling `rollouts`; yield the fraction of its trials that is done."""
        max_trials, (results, halves), plays = self._options["trials"], rollouts, contested.plays
        decisions = [self._analysis.decisions[index] for index in contested.indices]
        recorded = {decision.recorded.chosen for decision in decisions}
        rollout = self._new_rollout(contested, plays)
        for trials in [*(count for count in INTERIM_TRIALS if count < max_trials), max_trials]:
            rollout.trials = trials
            for _ in rollout.play(threads=threads):
                yield rollout.done / max_trials
            result = rollout.result()
            if trials == max_trials or all(has_enough_trials(decision, result) for decision in decisions):
                results.append(result)
                halves.extend(rollout.half_equities())
                return
            eliminated = {
                estimate.name
                for estimate in result.estimates
                if -estimate.difference > NORMAL_99 * estimate.difference_se
            } - recorded
            remaining = tuple(play for play in plays if play not in eliminated)
            # Restarting with fewer candidates must save more trials than it repeats.
            if (len(plays) - len(remaining)) * (max_trials - trials) > len(remaining) * trials:
                results.append(result)  # final estimates of the eliminated candidates
                plays, rollout = remaining, self._new_rollout(contested, remaining)

    def _new_rollout(self, contested: ContestedDecision, plays: tuple[str, ...]) -> Rollout:
        decision, rules = contested.decision, self._analysis.match.rules
        subject: Any = decision
        if decision.dice is not None:
            legal = {str(play): play for play in decision.position.plays(decision.dice, rules)}
            subject = [legal[text] for text in plays]
        options = RolloutOptions(
            **self._options,
            variance_reduction=True,
            policy=self._policy,
            luck_evaluator=self._policy,
            rules=rules,
            context=decision if plays else None,
            met=self._met,
        )
        return Rollout(subject, self._evaluator, options)

    # ---------------------------------------------------------------- checkpoint

    def _open_journal(self, path: str | PathLike[str]) -> Journal:
        journal = Journal(path, "match analysis", "checkpoint")
        is_new = journal.job is None
        try:
            journal.begin(self._job())
        except BgfastError as error:
            if is_new:
                raise
            expected = "expected the same match and options as in the first run, or another file"
            raise BgfastError(f"{error}; {expected}") from None
        journal.read(self._restore)
        return journal

    def _job(self) -> dict[str, Any]:
        content = json.dumps(decision_contents(self._analysis)).encode()
        return {
            "decisions": hashlib.sha256(content).hexdigest(),
            "evaluator": evaluator_name(self._evaluator),
            "policy": evaluator_name(self._policy),
            "match_equity_table": self._met.name,
            "errors": "halves",  # earlier versions stored none
            "cube_actions": "evaluator",  # earlier versions used the policy's actions
            "end": ["settled", MAX_ERROR_SE],  # earlier versions ended rollouts differently
            **self._options,
        }

    def _restore(self, record: Mapping[str, Any]) -> None:
        index = record["rollout"]
        if type(index) is not int or not 0 <= index < self.count:
            raise BgfastError(f"rollout is {short_repr(index)}; expected 0 to {self.count - 1}")
        results = [RolloutResult.from_json(json.dumps(content)) for content in record["results"]]
        plays = self._contested[index].plays
        names = {estimate.name for result in results for estimate in result.estimates}
        if not results or (names != set(plays) if plays else results[-1].cube is None):
            raise BgfastError(f"rollout {index} has other candidates; expected the candidates of this match")
        halves = [dict(half) for half in record["halves"]]
        expected = {estimate.name for estimate in results[-1].estimates}
        if len(halves) != 2 or any(
            set(half) != expected or any(number_from_file(equity) is None for equity in half.values())
            for half in halves
        ):
            raise BgfastError(f"rollout {index} has wrong halves; expected two with its candidates' equities")
        self._results[index] = results, halves
        self.resumed = len(self._results)


def fast_policy(evaluator: Evaluator) -> Evaluator:
    """Return the rollout policy for an evaluator: its faster network, or the evaluator itself."""
    if isinstance(evaluator, WithBearoff):
        network = evaluator.network._default_policy()
        return evaluator if network is None else WithBearoff(network, evaluator.bearoff)
    if isinstance(evaluator, Network):
        return evaluator._default_policy() or evaluator
    return evaluator
