"""Statistics of an analysed match: decisions, what each cost, luck, and the rates of both players."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, Choice
from bgfast.analysis.matches.phases import PHASES, MatchPhase, phase_of
from bgfast.analysis.matches.rates import ERROR_KINDS, MARKS, Rates, error_kind, marked, rates
from bgfast.common.columns import Tabular
from bgfast.common.probabilities import named_probabilities
from bgfast.games.match import Match
from bgfast.games.scoring import PLAYER_NAMES

__all__ = ["NOTHING", "GameStatistics", "MatchStatistics"]

NOTHING = 0.0005
"""Cost from which on reports show one: what is less is 0.000 to them."""


@dataclass(frozen=True)
class GameStatistics:
    """A game of a match: the score at its beginning, how it ended, and each player's rates and luck.

    Attributes
    ----------
    number : int
        The first is 1.
    score : (int, int)
        The points of players 0 and 1 before it.
    result : GameResult or None
        None for one that was not finished.
    rates : (Rates, Rates)
    luck : (float, float)
        The sums of `AnalysedRoll.luck`.
    """

    number: int
    score: tuple[int, int]
    result: Any
    rates: tuple[Rates, Rates]
    luck: tuple[float, float]


class MatchStatistics(Tabular):
    """What was found about a match; a table of its decisions.

    Attributes
    ----------
    match : Match
    decisions : tuple of AnalysedDecision
    rolls : tuple of AnalysedRoll
        In the order of play, both.
    settings : mapping
        How it was analysed: evaluator, plies, match equity table, and so on.
    met : MatchEquityTable or None
        The table by which; None stands for the one that comes with bgfast.
    rolled_out : mapping or None
        Where contested decisions were to be rolled out, the options of that: trials, truncate, seed.
    whole : bool
        Whether all of the match was judged.

    Notes
    -----
    Immutable; safe to share between threads. The numbers are those of docs/MATCH_ANALYSIS.md.
    """

    def __init__(
        self,
        match: Match,
        decisions: Sequence[AnalysedDecision],
        rolls: Sequence[AnalysedRoll],
        settings: Mapping[str, Any],
        *,
        met: MatchEquityTable | None = None,
        rolled_out: Mapping[str, Any] | None = None,
        whole: bool = True,
    ) -> None:
        self.match = match
        self.decisions = tuple(decisions)
        self.rolls = tuple(rolls)
        self.settings = dict(settings)
        self.met = met
        self.rolled_out = rolled_out
        self.whole = whole

    @property
    def is_rolled_out(self) -> bool:
        """Whether contested decisions were to be rolled out."""
        return self.rolled_out is not None

    @property
    def names(self) -> tuple[str, str]:
        """The players' names; X and O where the record has none."""
        first, second = self.match.info.players
        return first or PLAYER_NAMES[0], second or PLAYER_NAMES[1]

    @cached_property
    def rates(self) -> tuple[Rates, Rates]:
        """What players 0 and 1 gave away."""
        return self._rates(None)

    @property
    def luck(self) -> tuple[float, float]:
        """How lucky players 0 and 1 were, in points at the value of the cube (EMG)."""
        return self._luck(None)

    @property
    def luck_mwc(self) -> tuple[float, float] | None:
        """The same in chances to win the match; None in money play."""
        if not self.rolls or self.rolls[0].luck_mwc is None:
            return None
        found = [0.0, 0.0]
        for each in self.rolls:
            found[each.recorded.player] += each.luck_mwc or 0.0
        return found[0], found[1]

    @property
    def luck_adjusted_result(self) -> float | None:
        """The result for player 0 without the luck of both.

        In a match the chance to win it that is left of 1 or 0; in money play points at cube 1. None while a
        match is not over, or not all of it was judged.
        """
        if not self.whole:
            return None
        luck = self.luck_mwc
        if self.match.length is not None:
            if luck is None or self.match.winner is None:
                return None
            return float(self.match.winner == 0) - luck[0] + luck[1]
        points = [0.0, 0.0]
        for each in self.rolls:
            points[each.recorded.player] += each.luck * each.recorded.decision.cube
        won = [result.points if result.winner == 0 else -result.points for result in self.match.results]
        return sum(won) - points[0] + points[1]

    @cached_property
    def games(self) -> tuple[GameStatistics, ...]:
        """The games, one after the other."""
        states = self.match.states
        firsts = [at + 1 for at, action in enumerate(self.match.history) if action.name == "next_game"]
        games = []
        for number, (first, behind) in enumerate(zip([0, *firsts], [*firsts, len(states)], strict=True), 1):
            score, result = states[first].score, states[behind - 1].game.result
            games.append(GameStatistics(number, score, result, self._rates(number), self._luck(number)))
        return tuple(games)

    @cached_property
    def phases(self) -> Mapping[MatchPhase, tuple[Rates, Rates]]:
        """What players 0 and 1 gave away in each phase of the games, by `PHASES`."""
        decisions: dict[MatchPhase, list[AnalysedDecision]] = {phase: [] for phase in PHASES}
        for each in self.decisions:
            decisions[phase_of(each.recorded)].append(each)
        turns = Counter(phase_of(each.recorded) for each in self.rolls)
        return MappingProxyType({phase: self._rates_of(decisions[phase], turns[phase]) for phase in PHASES})

    def _rates(self, game: int | None) -> tuple[Rates, Rates]:
        here = [each for each in self.decisions if game in (None, each.recorded.game)]
        turns = sum(1 for each in self.rolls if game in (None, each.recorded.game))
        return self._rates_of(here, turns)

    def _rates_of(self, decisions: Sequence[AnalysedDecision], turns: int) -> tuple[Rates, Rates]:
        first, second = (
            rates(
                (each for each in decisions if each.recorded.player == player),
                turns,
                one_point=self.match.length == 1,
            )
            for player in (0, 1)
        )
        return first, second

    def _luck(self, game: int | None) -> tuple[float, float]:
        found = [0.0, 0.0]
        for each in self.rolls:
            if game in (None, each.recorded.game):
                found[each.recorded.player] += each.luck
        return found[0], found[1]

    def roll_of(self, decision: AnalysedDecision) -> AnalysedRoll | None:
        """Return the roll that was played by a decision; None if it is no play."""
        recorded = decision.recorded
        if recorded.kind != "play":
            return None
        return self._rolls.get((recorded.game, recorded.move, recorded.player))

    @cached_property
    def _rolls(self) -> Mapping[tuple[int, int, int], AnalysedRoll]:
        """The rolls by game, line of the score sheet, and player."""
        return {(each.recorded.game, each.recorded.move, each.recorded.player): each for each in self.rolls}

    def worst(self, most: int) -> tuple[AnalysedDecision, ...]:
        """Return the decisions that cost most, the worst first; none that cost less than `NOTHING`."""
        wrong = [each for each in self.decisions if each.error >= NOTHING]
        return tuple(sorted(wrong, key=lambda each: -each.error)[:most])

    # ---------------------------------------------------------------- for other programs

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each decision, in the order of play."""
        return [_row(each, self.names) | _luck_content(self.roll_of(each)) for each in self.decisions]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, for JSON."""
        info = self.match.info
        return {
            "players": list(self.names),
            "length": self.match.length,
            "score": list(self.match.score),
            "findings": [finding._asdict() for finding in self.match.findings],
            "event": info.event,
            "date": info.date,
            "settings": self.settings,
            "summary": [self._summary(player) for player in (0, 1)],
            "luck_adjusted_result": self.luck_adjusted_result,
            "phases": {phase: [_rates_content(each) for each in both] for phase, both in self.phases.items()},
            "games": [_game_content(game) for game in self.games],
            "decisions": [_decision_content(each) for each in self.decisions],
            "rolls": [_roll_content(each) for each in self.rolls],
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    def _summary(self, player: int) -> dict[str, Any]:
        luck_mwc = self.luck_mwc
        return {
            **_rates_content(self.rates[player]),
            "luck": self.luck[player],
            "luck_mwc": None if luck_mwc is None else luck_mwc[player],
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.decisions)} decisions, {len(self.rolls)} rolls>"


def _rates_content(given: Rates) -> dict[str, Any]:
    return {
        "pr": given.pr,
        "gnubg_error_rate": given.gnubg_error_rate,
        "snowie_error_rate": given.snowie_error_rate,
        "error": given.error,
        "pr_se": given.pr_se,
        "gnubg_error_rate_se": given.gnubg_error_rate_se,
        "snowie_error_rate_se": given.snowie_error_rate_se,
        "error_se": given.error_se,
        "plays": given.plays,
        "unforced_plays": given.unforced_plays,
        "counted_plays": given.counted_plays,
        "cube_decisions": given.cube_decisions,
        "close_cube_decisions": given.close_cube_decisions,
        "counted_cube_decisions": given.counted_cube_decisions,
        "errors": {kind: given.errors[kind] for kind in ERROR_KINDS},
        "errors_mwc": dict(given.errors_mwc),
        "marks": {mark: given.marks[mark] for mark in MARKS},
        "turns": given.turns,
    }


def _game_content(game: GameStatistics) -> dict[str, Any]:
    result = game.result
    return {
        "game": game.number,
        "score": list(game.score),
        "winner": None if result is None else result.winner,
        "points": None if result is None else result.points,
        "ending": None if result is None else result.ending,
        "summary": [
            {**_rates_content(each), "luck": luck} for each, luck in zip(game.rates, game.luck, strict=True)
        ],
    }


def _row(each: AnalysedDecision, names: Sequence[str]) -> dict[str, Any]:
    recorded = each.recorded
    decision = recorded.decision
    return {
        "game": recorded.game,
        "move": recorded.move,
        "player": recorded.player,
        "name": names[recorded.player],
        "kind": recorded.kind,
        "phase": phase_of(recorded),
        "xgid": decision.xgid,
        "roll": "" if decision.dice is None else "{}-{}".format(*decision.dice),
        "chosen": recorded.chosen,
        "best": each.best.text,
        "rank": each.rank,
        "legal": each.legal,
        "equity": each.chosen.equity,
        "best_equity": each.best.equity,
        "error": each.error,
        "mwc": each.chosen.mwc,
        "best_mwc": each.best.mwc,
        "error_mwc": each.error_mwc,
        "equity_of_no_double": each.no_double if recorded.kind == "double" else None,
        "equity_of_double": each.no_double - each.cost_of_doubling if recorded.kind == "double" else None,
        "forced": each.forced,
        "all_equal": each.all_equal,
        "error_kind": error_kind(each),
        "mark": marked(each.error),
        "ply": each.best.ply,
        "status": each.status,
        "trials": each.best.trials,
        "error_se": each.error_se,
        "equity_se": each.chosen.equity_se,
        "best_equity_se": each.best.equity_se,
    }


def _luck_content(roll: AnalysedRoll | None) -> dict[str, float | None]:
    return {
        "luck": None if roll is None else roll.luck,
        "luck_mwc": None if roll is None else roll.luck_mwc,
    }


def _decision_content(each: AnalysedDecision) -> dict[str, Any]:
    found = _row(each, ("", ""))
    del found["name"]
    return {**found, "choices": [_choice_content(choice) for choice in each.choices]}


def _choice_content(choice: Choice) -> dict[str, Any]:
    return {
        "text": choice.text,
        "equity": choice.equity,
        "mwc": choice.mwc,
        "ply": choice.ply,
        "trials": choice.trials,
        "equity_se": choice.equity_se,
        "interval": list(choice.interval) if choice.trials else None,
        "probabilities": None if choice.probabilities is None else named_probabilities(choice.probabilities),
    }


def _roll_content(each: AnalysedRoll) -> dict[str, Any]:
    recorded = each.recorded
    return {
        "game": recorded.game,
        "move": recorded.move,
        "player": recorded.player,
        "roll": "{}-{}".format(*recorded.roll),
        "luck": each.luck,
        "luck_mwc": each.luck_mwc,
    }
