"""SGF report of a match: the match with its analysis in the properties of GNU Backgammon.

Source: files saved by GNU Backgammon 1.07, and its reader (`sgf.c`). Analysis properties follow the turn,
double or answer in its node:

    A[INDEX][PLAY EVALUATION]...    plays, best first; INDEX is the recorded play's, from 0
    DA[EVALUATION]                  no double, and double and take, for the player on roll
    LU[EQUITY] GB[N] GW[N]          luck of the roll, and the lucky player; N is 1 for lucky, 2 for very lucky
    DO[] BM[1] BM[2]                doubtful, bad, very bad
    DC[] BC[1] BC[2]                doubtful, bad, very bad not to double

An evaluation consists of ``E`` (static or search), ``ver 3``, the five probabilities, the equity (EMG), and
the evaluation context: plies with ``C`` for cubeful, then 1 for deterministic noise, the noise, and whether
pruning networks were used. A rollout starts with ``X`` and has trials, means and standard errors. Cubeful
values are match winning chances, or points in money play.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, Choice, Mark, error_mark
from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.evaluation.stakes import stakes_of
from bgfast.records.writers import game_records, letters, record_head, warn_of_losses, write_sgf

_MARKS: dict[Mark | None, str] = {None: "", "doubtful": "DO[]", "bad": "BM[1]", "very bad": "BM[2]"}
_NO_DOUBLE_MARKS: dict[Mark | None, str] = {None: "", "doubtful": "DC[]", "bad": "BC[1]", "very bad": "BC[2]"}
_LUCK_MARKS = ((0.6, 2), (0.3, 1))
"""Minimum luck (EMG) of every mark: the thresholds of GNU Backgammon's `show analysis`."""
_ZEROS = (0.0,) * 5


def sgf_report(analysis: MatchStatistics) -> str:
    """Return a match with its analysis as SGF for GNU Backgammon; raise `BgfastError` as `to_sgf` does."""
    match = analysis.match
    properties = dict(_AnalysisProperties(analysis).by_action())
    head = record_head(match)
    warn_of_losses(match, stacklevel=2)
    return "".join(write_sgf(head, game_records(match), properties))


class _AnalysisProperties:
    """SGF properties with the analysis of the actions of a match."""

    def __init__(self, analysis: MatchStatistics) -> None:
        self._analysis = analysis
        self._decisions = {decision.recorded.action: decision for decision in analysis.decisions}
        self._rolls = {roll.recorded.action: roll for roll in analysis.rolls}

    def by_action(self) -> Iterator[tuple[int, str]]:
        """Yield the index and properties of every action that has a node in SGF."""
        double: AnalysedDecision | None = None  # doubling decision of this turn
        roll: AnalysedRoll | None = None
        for index, action in enumerate(self._analysis.match.history):
            decision = self._decisions.get(index)
            if action.name in ("roll", "roll_again"):
                roll = self._rolls.get(index)
            if action.name in ("roll", "double"):
                double = decision
            if action.name == "double":
                answer = self._decisions.get(index + 1)
                yield index, self._cube(decision, answer) + _mark(decision)
            elif action.name in ("take", "drop", "beaver"):
                yield index, self._cube(double, decision) + _mark(decision)
            elif action.name in ("play", "pass_turn"):
                parts = self._cube(double), self._plays(decision), _luck(roll), _mark(decision)
                yield index, "".join((*parts, _NO_DOUBLE_MARKS[error_mark(double.error)] if double else ""))

    def _plays(self, analysed: AnalysedDecision | None) -> str:
        if analysed is None:
            return ""
        recorded = analysed.recorded
        decision = recorded.decision
        assert decision.dice is not None
        legal = decision.position.plays(decision.dice, self._analysis.match.rules)
        by_text = {str(play): play for play in legal}
        candidates = "".join(
            f"[{letters(recorded.player, by_text[choice.text].moves)} {self._play(analysed, choice)}]"
            for choice in analysed.choices
        )
        return f"A[{analysed.choices.index(analysed.chosen)}]{candidates}"

    def _play(self, analysed: AnalysedDecision, choice: Choice) -> str:
        if choice.trials:
            score = f"Score {choice.equity:.10g} {self._cubeless(analysed, choice)[0]:.10g}"
            rollout = f"Trials {choice.trials} {self._means(analysed, choice)} {self._rollout_context()}"
            return f"X ver 3 {score} {rollout}"
        probabilities = " ".join(f"{value:.6f}" for value in choice.probabilities or _ZEROS)
        return f"E ver 3 {probabilities} {choice.equity:.6f} {choice.ply}C 0 1 0.000000 0"

    def _cube(self, double: AnalysedDecision | None, answer: AnalysedDecision | None = None) -> str:
        """Return the cube analysis, which GNU Backgammon shares between a double and its answer."""
        if double is None or double.taken is None:
            return ""
        no_double = next(choice for choice in double.choices if choice.text == "no double")
        if double.taken.trials:
            means = " DoubleTake ".join(self._means(double, choice) for choice in (no_double, double.taken))
            return f"DA[X ver 3 Eq Trials {no_double.trials} NoDouble {means} {self._rollout_context()}]"
        rows = [self._values(double, no_double), self._values(double, double.taken)]
        ply = double.taken.ply
        if answer is not None and answer.recorded.kind == "take" and answer.best.ply > ply:
            # The double was obvious at 0 plies and the answer was searched: use the deeper evaluation.
            take = next(choice for choice in answer.choices if choice.text == "take")
            rows[1][-1] = 1 - take.mwc if take.mwc is not None else -take.equity
            ply = take.ply
        values = " ".join(f"{value:.6f}" for row in rows for value in row)
        return f"DA[E ver 3 {ply}C 1 0.000000 0 {values}]"

    # ---------------------------------------------------------------- values

    def _values(self, analysed: AnalysedDecision, choice: Choice) -> list[float]:
        """Return the probabilities of a choice, its cubeless equity, and its cubeful value."""
        cubeful = choice.equity if choice.mwc is None else choice.mwc
        cubeless, _ = self._cubeless(analysed, choice)
        return [*(choice.probabilities or _ZEROS), cubeless, cubeful]

    def _means(self, analysed: AnalysedDecision, choice: Choice) -> str:
        """Return the means of a rollout and their standard errors."""
        stakes = stakes_of(analysed.recorded.decision, self._analysis.met)
        unit = stakes.denormalize(1.0) - stakes.denormalize(0.0)
        _, cubeless_se = self._cubeless(analysed, choice)
        standard_errors = [*(choice.probabilities_se or _ZEROS), cubeless_se, choice.equity_se * unit]
        means, deviations = (
            " ".join(f"{value:.10g}" for value in row)
            for row in (self._values(analysed, choice), standard_errors)
        )
        return f"Output {means} StdDev {deviations}"

    def _cubeless(self, analysed: AnalysedDecision, choice: Choice) -> tuple[float, float]:
        """Return the cubeless equity (EMG) and its standard error.

        The standard error is propagated from the probabilities' errors, as if those errors were independent.
        """
        stakes = stakes_of(analysed.recorded.decision, self._analysis.met)
        probabilities = choice.probabilities or _ZEROS
        equity = stakes.normalize(stakes.dead_value(probabilities))
        variance = 0.0
        for index, standard_error in enumerate(choice.probabilities_se or _ZEROS):
            shifted_probabilities = [*probabilities]
            shifted_probabilities[index] += standard_error
            variance += (stakes.normalize(stakes.dead_value(shifted_probabilities)) - equity) ** 2
        return equity, math.sqrt(variance)

    def _rollout_context(self) -> str:
        """Return the options of the rollouts as a GNU Backgammon rollout context."""
        options: Any = self._analysis.rolled_out
        truncate = options["truncate"]
        players = " ".join(
            f"{use}{player} ver 3 0C 1 0.000000 0" for player in (0, 1) for use in ("cube", "cheq")
        )
        truncation = " ".join(f"{use}trunc ver 3 0C 1 0.000000 0" for use in ("cube", "cheq"))
        cutoff = f"{int(truncate is not None)} {truncate or 0}"
        return f'SK 0 RC 1 1 0 1 0 {cutoff} 0 0 0 "bgfast" {options["seed"]} {players} {truncation}'


def _mark(decision: AnalysedDecision | None) -> str:
    return "" if decision is None else _MARKS[error_mark(decision.error)]


def _luck(roll: AnalysedRoll | None) -> str:
    if roll is None:
        return ""
    lucky_player = roll.recorded.player if roll.luck > 0 else 1 - roll.recorded.player
    mark = next((mark for minimum, mark in _LUCK_MARKS if abs(roll.luck) >= minimum), 0)
    return f"LU[{roll.luck:.5f}]" + (f"G{'WB'[lucky_player]}[{mark}]" if mark else "")
