"""A recorded match analysed: each decision judged, each roll's luck found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import checked_table, stakes_of
from bgfast.analysis.decisions.best_plays import best_plays
from bgfast.analysis.decisions.cube_decision import CubeDecision, cube_decision
from bgfast.analysis.decisions.players import after_turn, player_of
from bgfast.analysis.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.analysis.evaluators.lookahead import Lookahead, RankedPlay
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, Choice
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll, recorded_decisions
from bgfast.common.probabilities import Numbers, flipped_probabilities
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.threads import each
from bgfast.common.validation import checked_progress, thread_count
from bgfast.errors import BgfastError, shown
from bgfast.games.match import Match
from bgfast.position.decision import Decision

__all__ = ["KEPT", "PLY", "analyse_match"]

PLY = 2
KEPT = 5
"""Plays that are kept of a decision, the one that was made apart."""
_DECISIVE = 0.5
"""Equity by which an action about the cube is behind at sight, and need not be looked at further."""
_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)
_NO_DOUBLES = np.array([high != low for high, low in ROLLS])


def analyse_match(
    match: Match,
    evaluator: Evaluator | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> MatchAnalysis:
    """Return what each decision of a match cost, how lucky each roll was, and the rates of both players.

    Parameters
    ----------
    match : Match
        Finished or not; `bgfast.load_match` reads one.
    evaluator : evaluator, optional
        One that tells five probabilities; the built-in network with bear-off databases by default. A
        `Lookahead` looks as far ahead as it does.
    ply : {2, 0, 1}, optional
        How far to look ahead.
    met : MatchEquityTable, optional
        The one that comes with bgfast by default.
    efficiency : {"bgfast", "gnubg"}
        The model of how efficiently the cube will be used.
    threads : int
        How many share the decisions; the result is the same for any number.
    progress : callable, optional
        Called with the fraction that is done.

    Returns
    -------
    MatchAnalysis

    Raises
    ------
    BgfastError
        If an argument is wrong, or the evaluator tells equities alone.

    Notes
    -----
    docs/MATCH_ANALYSIS.md says what is judged, and how errors, rates and luck are counted.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1), (6, 5)])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> found = bgfast.analyse_match(match, ply=0)
    >>> [(each.recorded.chosen, each.best.text) for each in found.decisions]
    [('13/9', '8/5 6/5')]
    >>> found.rates[0].pr > 20, found.rates[1].pr
    (True, None)
    """
    if not isinstance(match, Match):
        raise BgfastError(f"match is {shown(match)}; expected a Match")
    number = thread_count(threads)
    tell = checked_progress(progress)
    player = player_of(evaluator, ply, PLY, match.rules)
    judge = _Judge(player, checked_table(met), efficiency)
    found = recorded_decisions(match)
    decisions: list[AnalysedDecision] = []
    rolls: list[AnalysedRoll] = []
    for done, one in enumerate(each(judge.judged, found, number), 1):
        if isinstance(one, AnalysedDecision):
            decisions.append(one)
        else:
            rolls.append(one)
        tell(done / len(found))
    settings: dict[str, Any] = {
        "evaluator": evaluator_name(player.evaluator),
        "ply": player.ply,
        "efficiency": efficiency,
    }
    if match.length is not None:
        settings["match equity table"] = judge.met.name
    return MatchAnalysis(match, decisions, rolls, settings)


class _Judge:
    """Who judges decisions and rolls, one at a time, in any order and any thread."""

    def __init__(self, player: Lookahead, met: MatchEquityTable, efficiency: str) -> None:
        self.met = met
        self._player = player
        self._at_sight = Lookahead(player.evaluator, ply=0, rules=player.rules)
        self._options: dict[str, Any] = {"met": met, "efficiency": efficiency}

    def judged(self, given: RecordedDecision | RecordedRoll) -> AnalysedDecision | AnalysedRoll:
        """Return what is found about a decision or a roll."""
        if isinstance(given, RecordedRoll):
            return self._roll(given)
        if given.kind == "play":
            return self._play(given)
        if given.kind == "resignation":
            return self._resignation(given)
        return self._cube(given)

    # ---------------------------------------------------------------- plays

    def _play(self, given: RecordedDecision) -> AnalysedDecision:
        assert given.decision.dice is not None
        legal = given.decision.position.plays(given.decision.dice, self._player.rules)
        player = self._player if len(legal) > 1 else self._at_sight  # nothing is decided by a forced play
        plays = best_plays(player, given.decision, **self._options)
        made = next(each for each in plays if each.play.position == given.after)
        chosen = self._as_far(given, made, plays[0].ply)
        others = [_choice_of(each) for each in plays if each is not made]
        ranked = sorted([*others[: KEPT - 1], chosen], key=lambda each: -each.equity)
        equities = [each.equity for each in plays]
        return AnalysedDecision(
            replace(given, chosen=chosen.text),
            tuple(ranked),
            rank=1 + sum(each.equity > chosen.equity for each in others),
            legal=len(plays),
            spread=max(equities) - min(equities),
        )

    def _as_far(self, given: RecordedDecision, made: RankedPlay, ply: int) -> Choice:
        """Return the play that was made, looked at as far as the best one was."""
        assert given.after is not None
        if given.after.winner is not None or made.ply == ply:
            return _choice_of(made)
        found = self._player.evaluation(after_turn(given.decision, given.after), **self._options)
        assert found.probabilities is not None
        probabilities = flipped_probabilities(np.array([found.probabilities]))[0]
        return Choice(
            str(made.play),
            -found.equity,
            None if found.mwc is None else 1 - found.mwc,
            self._player.ply,
            tuple(probabilities.tolist()),
        )

    # ---------------------------------------------------------------- the cube

    def _cube(self, given: RecordedDecision) -> AnalysedDecision:
        found = self._cube_decision(given.decision, given.chosen)
        choices = _doubles(found) if given.kind == "double" else _answers(found)
        ranked = sorted(choices, key=lambda each: -each.equity)
        equities = [each.equity for each in ranked]
        return AnalysedDecision(
            given,
            tuple(ranked),
            rank=1 + next(row for row, each in enumerate(ranked) if each.text == given.chosen),
            legal=len(ranked),
            spread=equities[0] - equities[-1],
        )

    def _cube_decision(self, decision: Decision, chosen: str | None) -> CubeDecision:
        """Return what to do; looked ahead only where sight leaves a doubt, or what was done seems wrong."""
        found = cube_decision(decision, self._at_sight, **self._options)
        if not self._player.ply or (chosen == "no double" and _is_clear(found)):
            return found
        return cube_decision(decision, self._player, **self._options)

    # ---------------------------------------------------------------- resignations

    def _resignation(self, given: RecordedDecision) -> AnalysedDecision:
        """Compare what is lost or won by it with what playing on is worth."""
        decision = replace(given.decision, offer=None)
        stakes = stakes_of(decision, self.met)
        if decision.dice is not None:
            best = best_plays(self._player, decision, **self._options)[0]
            equity, mwc = best.equity, best.mwc
        else:
            found = self._cube_decision(decision, None)
            equity = float(found.equities.best)
            mwc = None if found.mwc is None else float(found.mwc.best)
        on_roll = 0 if decision.turn == 1 else 1
        resigns = given.player if given.chosen == "resign" else 1 - given.player
        value = stakes.of_points(-given.level if resigns == on_roll else given.level)
        offered, chances = stakes.normalized(value), value if stakes.is_match else None
        if given.player != on_roll:
            equity, offered = -equity, -offered
            mwc = None if mwc is None else 1 - mwc
            chances = None if chances is None else 1 - chances
        taken, refused = ("resign", "play on") if given.chosen == "resign" else ("accept", "refuse")
        choices = sorted(
            [
                Choice(taken, float(offered), chances, 0),
                Choice(refused, equity, mwc, self._player.ply),
            ],
            key=lambda each: -each.equity,
        )
        return AnalysedDecision(
            given,
            tuple(choices),
            rank=1 + next(row for row, each in enumerate(choices) if each.text == given.chosen),
            legal=2,
            spread=choices[0].equity - choices[1].equity,
        )

    # ---------------------------------------------------------------- luck

    def _roll(self, given: RecordedRoll) -> AnalysedRoll:
        before = replace(given.decision, dice=None)
        equities = self._at_sight.roll_equities(before, **self._options)
        high, low = max(given.roll), min(given.roll)
        luck = float(equities[ROLLS.index((high, low))] - self._expected(before, equities, given.opening))
        if not before.match_length:
            return AnalysedRoll(given, luck, None)
        stakes = stakes_of(before, self.met)
        return AnalysedRoll(given, luck, float(stakes.denormalized(luck) - stakes.denormalized(0.0)))

    def _expected(self, before: Decision, equities: Numbers, opening: bool) -> float:
        if not opening:
            return float(_WEIGHTS @ equities / _WEIGHTS.sum())
        # One die each: no doubles, and either player may begin.
        other = self._at_sight.roll_equities(after_turn(before, before.position), **self._options)
        return float((equities[_NO_DOUBLES].mean() - other[_NO_DOUBLES].mean()) / 2)


def _choice_of(play: RankedPlay) -> Choice:
    return Choice(str(play.play), play.equity, play.mwc, play.ply, play.probabilities)


def _is_clear(found: CubeDecision) -> bool:
    """Return whether not to double is right by far."""
    return float(found.equities.cost_double) >= _DECISIVE


def _doubles(found: CubeDecision) -> list[Choice]:
    values, chances = found.equities, found.mwc
    return [
        Choice(
            "no double",
            float(values.no_double),
            None if chances is None else float(chances.no_double),
            found.ply,
            found.probabilities,
        ),
        Choice(
            "double",
            float(values.double),
            None if chances is None else float(chances.double),
            found.ply,
            found.probabilities,
        ),
    ]


def _answers(found: CubeDecision) -> list[Choice]:
    """Return the answers to a double, seen by the player who is doubled."""
    values, chances = found.equities, found.mwc
    probabilities = tuple(flipped_probabilities(np.array([found.probabilities]))[0].tolist())
    choices = []
    for name in ("take", "pass", "beaver"):
        equity = float(getattr(values, f"double_{name}"))
        if np.isnan(equity):
            continue
        mwc = None if chances is None else 1 - float(getattr(chances, f"double_{name}"))
        choices.append(Choice(name, -equity, mwc, found.ply, None if name == "pass" else probabilities))
    return choices
