"""The analysis of a match as SGF: the match with what was found in the properties of GNU Backgammon.

Source: files that GNU Backgammon 1.07 saves, and how it reads them (`sgf.c`). Behind a turn, a double or an
answer stand

    A[CHOSEN][PLAY EVALUATION]...   the plays, best first, and which of them was made, counted from 0
    DA[EVALUATION]                  not to double, and to double and have it taken, for the player on roll
    LU[EQUITY] GB[N] GW[N]          the luck of the roll, and whose it was: 1 lucky, 2 very lucky
    DO[] BM[1] BM[2]                doubtful, bad, very bad; of a turn without a double DC[] BC[1] BC[2]

An evaluation is one of ``E``, looked ahead: ``ver 3``, the five probabilities, the equity (EMG), and how it
was made: plies, with C for cubeful, then 1 for no noise, how much noise, and whether pruning networks were
used. Or it is one of ``X``, rolled out, with trials, means and standard errors. Values with the cube are
chances to win the match, in money play points.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, Choice
from bgfast.analysis.matches.match_statistics import MatchStatistics
from bgfast.analysis.matches.rates import Mark, marked
from bgfast.records.formats.sgf import letters, write_sgf
from bgfast.records.match_events import games_of, head_of

__all__ = ["sgf_report"]

_MARKS: dict[Mark | None, str] = {None: "", "doubtful": "DO[]", "bad": "BM[1]", "very bad": "BM[2]"}
_CUBE_MARKS: dict[Mark | None, str] = {None: "", "doubtful": "DC[]", "bad": "BC[1]", "very bad": "BC[2]"}
_LUCK = ((0.6, 2), (0.3, 1))
"""From which luck on a roll is marked: the thresholds of GNU Backgammon, `show analysis`."""
_NOTHING = (0.0,) * 5


def sgf_report(analysis: MatchStatistics) -> str:
    """Return a match as SGF with its analysis, as GNU Backgammon reads it.

    Raises
    ------
    BgfastError
        If SGF has no room for how the match began: in the middle of a game, or in a position of its own.
    """
    match = analysis.match
    more = dict(_Properties(analysis).by_action())
    return "".join(write_sgf(head_of(match), games_of(match), more))


class _Properties:
    """What stands behind the actions of a match."""

    def __init__(self, analysis: MatchStatistics) -> None:
        self._analysis = analysis
        self._decisions = {each.recorded.action: each for each in analysis.decisions}
        self._rolls = {each.recorded.action: each for each in analysis.rolls}

    def by_action(self) -> Iterator[tuple[int, str]]:
        """Give the number of each action that SGF has a node for, and what stands there."""
        double: AnalysedDecision | None = None  # of this turn
        roll: AnalysedRoll | None = None
        for number, action in enumerate(self._analysis.match.history):
            here = self._decisions.get(number)
            if action.name in ("roll", "roll_again"):
                roll = self._rolls.get(number)
            if action.name in ("roll", "double"):
                double = here
            if action.name == "double":
                answer = self._decisions.get(number + 1)
                yield number, self._cube(here, answer) + _marks(here)
            elif action.name in ("take", "drop", "beaver"):
                yield number, self._cube(double, here) + _marks(here)
            elif action.name in ("play", "pass_turn"):
                parts = self._cube(double), self._plays(here), _luck(roll), _marks(here)
                yield number, "".join((*parts, _CUBE_MARKS[marked(double.error)] if double else ""))

    def _plays(self, each: AnalysedDecision | None) -> str:
        if each is None:
            return ""
        recorded = each.recorded
        decision = recorded.decision
        assert decision.dice is not None
        legal = decision.position.plays(decision.dice, self._analysis.match.rules)
        by_text = {str(play): play for play in legal}
        found = "".join(
            f"[{letters(recorded.player, by_text[choice.text].moves)} {self._play(each, choice)}]"
            for choice in each.choices
        )
        return f"A[{each.choices.index(each.chosen)}]{found}"

    def _play(self, each: AnalysedDecision, choice: Choice) -> str:
        if choice.trials:
            cubeless = self._cubeless(each, choice)
            score = f"Score {choice.equity:.10g} {cubeless[0]:.10g}"
            return f"X ver 3 {score} Trials {choice.trials} {self._means(each, choice)} {self._rollout()}"
        chances = " ".join(f"{value:.6f}" for value in choice.probabilities or _NOTHING)
        return f"E ver 3 {chances} {choice.equity:.6f} {choice.ply}C 0 1 0.000000 0"

    def _cube(self, double: AnalysedDecision | None, answer: AnalysedDecision | None = None) -> str:
        """Return what is known about the cube: GNU Backgammon has one analysis of a double and its answer."""
        if double is None or double.taken is None:
            return ""
        waiting = next(each for each in double.choices if each.text == "no double")
        if double.taken.trials:
            means = " DoubleTake ".join(self._means(double, each) for each in (waiting, double.taken))
            return f"DA[X ver 3 Eq Trials {waiting.trials} NoDouble {means} {self._rollout()}]"
        rows = [self._numbers(double, waiting), self._numbers(double, double.taken)]
        ply = double.taken.ply
        if answer is not None and answer.recorded.kind == "take" and answer.best.ply > ply:
            # The answer was looked at further: a double that stands at sight is right by far.
            take = next(each for each in answer.choices if each.text == "take")
            rows[1][-1] = 1 - take.mwc if take.mwc is not None else -take.equity
            ply = take.ply
        numbers = " ".join(f"{value:.6f}" for row in rows for value in row)
        return f"DA[E ver 3 {ply}C 1 0.000000 0 {numbers}]"

    # ---------------------------------------------------------------- numbers

    def _numbers(self, each: AnalysedDecision, choice: Choice) -> list[float]:
        """Return the probabilities of a choice, its equity without the cube, and its value with it."""
        value = choice.equity if choice.mwc is None else choice.mwc
        return [*(choice.probabilities or _NOTHING), self._cubeless(each, choice)[0], value]

    def _means(self, each: AnalysedDecision, choice: Choice) -> str:
        """Return the means of a rollout, and their standard errors."""
        stakes = stakes_of(each.recorded.decision, self._analysis.met)
        unit = stakes.denormalized(1.0) - stakes.denormalized(0.0)
        errors = [*(choice.probabilities_se or _NOTHING), self._cubeless(each, choice)[1]]
        errors.append(choice.equity_se * unit)
        means, spread = (
            " ".join(f"{value:.10g}" for value in row) for row in (self._numbers(each, choice), errors)
        )
        return f"Output {means} StdDev {spread}"

    def _cubeless(self, each: AnalysedDecision, choice: Choice) -> tuple[float, float]:
        """Return the equity without the cube (EMG), and its standard error.

        That is made of those of the probabilities, as if these were independent.
        """
        stakes = stakes_of(each.recorded.decision, self._analysis.met)
        chances = choice.probabilities or _NOTHING
        equity = stakes.normalized(stakes.dead_value(chances))
        spread = 0.0
        for at, error in enumerate(choice.probabilities_se or _NOTHING):
            moved = [*chances]
            moved[at] += error
            spread += (stakes.normalized(stakes.dead_value(moved)) - equity) ** 2
        return equity, math.sqrt(spread)

    def _rollout(self) -> str:
        """Return how decisions were rolled out."""
        options: Any = self._analysis.rolled_out
        cut = options["truncate"]
        players = " ".join(
            f"{use}{player} ver 3 0C 1 0.000000 0" for player in (0, 1) for use in ("cube", "cheq")
        )
        ends = " ".join(f"{use}trunc ver 3 0C 1 0.000000 0" for use in ("cube", "cheq"))
        number = f"{int(cut is not None)} {cut or 0}"
        return f'SK 0 RC 1 1 0 1 0 {number} 0 0 0 "bgfast" {options["seed"]} {players} {ends}'


def _marks(each: AnalysedDecision | None) -> str:
    return "" if each is None else _MARKS[marked(each.error)]


def _luck(each: AnalysedRoll | None) -> str:
    if each is None:
        return ""
    lucky = each.recorded.player if each.luck > 0 else 1 - each.recorded.player
    number = next((number for least, number in _LUCK if abs(each.luck) >= least), 0)
    return f"LU[{each.luck:.5f}]" + (f"G{'WB'[lucky]}[{number}]" if number else "")
