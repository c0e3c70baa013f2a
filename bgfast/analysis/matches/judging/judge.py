"""Who judges the decisions and rolls of a match: at sight, and looking ahead where that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.decisions.best_plays import best_plays, static_equities, with_doubles
from bgfast.analysis.decisions.cube_decision import CubeDecision, cube_decision
from bgfast.analysis.decisions.players import after_turn
from bgfast.analysis.evaluators.lookahead import Lookahead, RankedPlay
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, Choice
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll
from bgfast.common.probabilities import Numbers, flipped_probabilities
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.position.decision import Decision

__all__ = ["KEPT", "STANDS", "Judge"]

KEPT = 5
"""Plays that are kept of a decision, the one that was made among them."""
STANDS = 0.25
"""Equity by which each other choice is behind at sight where nothing is looked at further."""
_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)
_NO_DOUBLES = np.array([high != low for high, low in ROLLS])


class Judge:
    """Who judges decisions and rolls, one at a time, in any order and any thread.

    A decision that stands at sight is not looked at further: a play that no other one comes near, by the
    filter of the player, and a choice about the cube that is better by `STANDS` than each other. What was
    chosen is else looked at as far as what is best.

    Parameters
    ----------
    player : Lookahead
    met : MatchEquityTable
    efficiency : str
        The model of the cube's efficiency.
    """

    def __init__(self, player: Lookahead, met: MatchEquityTable, efficiency: str) -> None:
        self.met = met
        self.efficiency = efficiency
        self._player = player
        self._at_sight = Lookahead(player.evaluator, ply=0, rules=player.rules)

    @property
    def _options(self) -> dict[str, Any]:
        """What every question about cube and score comes with."""
        return {"met": self.met, "efficiency": self.efficiency}

    def judged(self, given: RecordedDecision | RecordedRoll) -> AnalysedDecision | AnalysedRoll:
        """Return what is found about a decision or a roll."""
        if isinstance(given, RecordedRoll):
            return self._roll(given)
        if given.kind == "play":
            return self._play(given)
        choices, taken = self._choices(given, self._at_sight)
        if self._player.ply and not _stands(given.chosen, choices):
            choices, taken = self._choices(given, self._player)
        return AnalysedDecision(
            given,
            tuple(choices),
            rank=1 + next(row for row, each in enumerate(choices) if each.text == given.chosen),
            legal=len(choices),
            spread=choices[0].equity - choices[-1].equity,
            taken=taken,
        )

    # ---------------------------------------------------------------- plays

    def _play(self, given: RecordedDecision) -> AnalysedDecision:
        assert given.decision.dice is not None
        forced = len(given.decision.position.plays(given.decision.dice, self._player.rules)) == 1
        player = self._at_sight if forced else self._player
        # One that is left over alone need not be looked at further.
        found = best_plays(player, given.decision, **self._options, alone=forced)
        spread = self._spread(given.decision, found)
        plays: Sequence[RankedPlay] = found
        made = _made(plays, given)
        if made is not plays[0]:
            best, after = plays[0], made
            made = self._as_far(given.decision, after)
            known = {id(best): self._as_far(given.decision, best), id(after): made}
            plays = sorted(
                (known.get(id(each), each) for each in plays),
                key=lambda each: -each.equity if each.ply == self._player.ply else inf,
            )
        rank = 1 + plays.index(made)
        kept = plays[:KEPT] if rank <= KEPT else [*plays[: KEPT - 1], made]
        return AnalysedDecision(
            replace(given, chosen=str(made.play)),
            tuple(map(_choice_of, kept)),
            rank=rank,
            legal=len(plays),
            spread=spread,
        )

    def _spread(self, decision: Decision, plays: Sequence[RankedPlay]) -> float:
        """Return how much the best play is better than the worst, at sight."""
        if any(each.ply < self._player.ply for each in plays):
            equities = static_equities(self._at_sight, decision, **self._options)
            return float(equities.max() - equities.min())
        # All were looked at as far, or are known exactly.
        at_sight = best_plays(self._at_sight, decision, **self._options) if self._player.ply else plays
        return at_sight[0].equity - at_sight[-1].equity

    def _as_far(self, decision: Decision, play: RankedPlay) -> RankedPlay:
        """Return a play looked at as far as the player looks; its difference is left as it was."""
        ply, after = self._player.ply, play.play.position
        if play.ply == ply or after.winner is not None:
            return play._replace(ply=ply)
        found = self._player.evaluation(after_turn(decision, after), **self._options)
        assert found.probabilities is not None
        probabilities = flipped_probabilities(np.array([found.probabilities]))[0]
        further = play._replace(
            equity=-found.equity,
            probabilities=tuple(probabilities.tolist()),
            ply=ply,
            cubeless_equity=-found.cubeless_equity,
            mwc=None if found.mwc is None else 1 - found.mwc,
        )
        return with_doubles([further], decision, **self._options)[0]

    # ---------------------------------------------------------------- the cube, and resignations

    def _choices(self, given: RecordedDecision, player: Lookahead) -> tuple[list[Choice], Choice | None]:
        """Return what who looks so far makes of each choice, the best first, and of a taken double."""
        taken = None
        if given.kind == "resignation":
            choices = self._resignation(given, player)
        else:
            found = cube_decision(given.decision, player, **self._options)
            if given.kind == "double":
                choices = [_double(found, text, name) for text, name in _DOUBLES]
                taken = _double(found, "take", "double_take")
            else:
                choices = _answers(found)
        return sorted(choices, key=lambda each: -each.equity), taken

    def _resignation(self, given: RecordedDecision, player: Lookahead) -> list[Choice]:
        """Return what is lost or won by it, and what playing on is worth."""
        decision = replace(given.decision, offer=None)
        stakes = stakes_of(decision, self.met)
        if decision.dice is not None:
            best = best_plays(player, decision, **self._options)[0]
            equity, mwc = best.equity, best.mwc
        else:
            found = cube_decision(decision, player, **self._options)
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
        return [Choice(taken, float(offered), chances, 0), Choice(refused, equity, mwc, player.ply)]

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


def _made(plays: Sequence[RankedPlay], given: RecordedDecision) -> RankedPlay:
    return next(each for each in plays if each.play.position == given.after)


def _choice_of(play: RankedPlay) -> Choice:
    return Choice(str(play.play), play.equity, play.mwc, play.ply, play.probabilities)


def _stands(chosen: str, choices: Sequence[Choice]) -> bool:
    """Return whether what was chosen is right by far."""
    best, *others = choices
    return best.text == chosen and all(best.equity - each.equity >= STANDS for each in others)


_DOUBLES = ("no double", "no_double"), ("double", "double")


def _double(found: CubeDecision, text: str, name: str) -> Choice:
    """Return what the player on roll makes of one of the equities."""
    mwc = None if found.mwc is None else float(getattr(found.mwc, name))
    return Choice(text, float(getattr(found.equities, name)), mwc, found.ply, found.probabilities)


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
