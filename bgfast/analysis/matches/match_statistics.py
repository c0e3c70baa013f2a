"""Error rates of players, and statistics of an analysed match; definitions: docs/MATCH_ANALYSIS.md."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from bgfast.analysis.matches.analysed import (
    ERROR_KINDS,
    MARKS,
    AnalysedDecision,
    AnalysedRoll,
    ErrorKind,
    Mark,
    RecordedJudgement,
    collect_judgements,
    error_kind,
    error_mark,
    is_counted,
)
from bgfast.analysis.matches.recorded_decisions import (
    PHASES,
    MatchPhase,
    UnknownMoves,
    phase_of,
    unknown_moves,
)
from bgfast.common import LOADING
from bgfast.common.foreign_names import names_missing
from bgfast.common.text import pluralize
from bgfast.common.validation import validate_number, whole_number
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games.match import Match
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.records.replay import unread_games

ErrorWord = Literal["error", "blunder"]
ERROR_LIMITS: Mapping[ErrorWord, float] = MappingProxyType({"error": 0.03, "blunder": 0.12})
"""Minimum loss of errors and, among them, of blunders (EMG); text and HTML reports use these words."""

_RATING_WORDS = "World Champion,World Class,Expert,Advanced,Intermediate,Casual Player,Beginner".split(",")
_RATING_LIMITS = (2.5, 5.0, 7.5, 12.5, 17.5, 22.5)
"""Upper limits of PR, exclusive, for the words of eXtreme Gammon's scale; the last word has none."""

PlayerNames = str | Sequence[str]
"""Name of a player, or all names under which one player is recorded."""

CUBE_KINDS: tuple[ErrorKind, ...] = ("missed double", "wrong double", "wrong take", "wrong drop")
CLOSE_CUBE_MARGIN = 0.16
"""Not doubling is a close decision if a double would cost less than this (EMG), as in GNU Backgammon."""
ONE_POINT_WEIGHT = 1.5
"""Weight of errors for PR in a one-point match, as in eXtreme Gammon."""


def error_word(error: float) -> ErrorWord | None:
    """Return "error" or "blunder", or None for a smaller loss."""
    words: list[ErrorWord] = [word for word, limit in ERROR_LIMITS.items() if error >= limit]
    return words[-1] if words else None


def rating_word(pr: float) -> str:
    """Return the word of eXtreme Gammon's scale for a PR, from "World Champion" to "Beginner"."""
    return _RATING_WORDS[bisect_right(_RATING_LIMITS, pr)]


class PrSums(NamedTuple):
    """Sums over decisions that count for PR."""

    decisions: int = 0
    error: float = 0.0  # sum of the errors, times 1.5 in a one-point match
    variance: float = 0.0  # squared standard error of `error`; 0 without rollouts


@names_missing
@dataclass(frozen=True)
class Rates:
    """Errors and error rates of a player, in points at the value of the cube (EMG) unless noted."""

    plays: int  # turns with a legal play
    unforced_plays: int  # turns with more than one legal play
    cube_decisions: int  # turns in which a double was legal, and answers to doubles
    close_cube_decisions: int  # doubles, answers, and turns in which a double would have cost less than 0.16
    resignations: int  # offers and answers
    errors: Mapping[ErrorKind, float]  # sums by kind in `ERROR_KINDS`, including resignations
    errors_mwc: Mapping[ErrorKind, float]  # `errors` as match winning chance; empty in money play
    marks: Mapping[Mark, int]  # numbers of decisions; resignations only if counted
    turns: int  # rolls of both players, forced plays and passes included
    pr_sums: Mapping[ErrorKind, PrSums]  # sums over the decisions that count for PR, by kind of error
    error_variance: float = 0.0  # squared standard error of `error`; 0 without rollouts
    counts_resignations: bool = False  # True: `error`, rates and denominators include resignations

    @property
    def error(self) -> float:
        """Sum of the errors; without resignations unless they are counted."""
        total = sum(self.errors.values())
        return total if self.counts_resignations else total - self.errors["resignation"]

    def number_of(self, word: ErrorWord) -> int:
        """Return the number of errors, blunders included, or of blunders."""
        return sum(count for mark, count in self.marks.items() if MARKS[mark] >= ERROR_LIMITS[word])

    @property
    def _counted_resignations(self) -> int:
        return self.resignations if self.counts_resignations else 0

    @property
    def _gnubg_decisions(self) -> int:
        return self.unforced_plays + self.close_cube_decisions + self._counted_resignations

    @property
    def _snowie_turns(self) -> int:
        return self.turns + self._counted_resignations

    @property
    def error_se(self) -> float:
        """Standard error of `error`; only decisions that were rolled out contribute."""
        return math.sqrt(self.error_variance)

    @property
    def counted_plays(self) -> int:
        """Number of plays that count for PR."""
        return self.pr_sums["play"].decisions

    @property
    def counted_cube_decisions(self) -> int:
        """Number of doubles, answers, and turns without a double that count for PR."""
        return sum(self.pr_sums[kind].decisions for kind in CUBE_KINDS)

    @property
    def pr_decisions(self) -> int:
        """Number of decisions that count for PR."""
        return sum(sums.decisions for sums in self.pr_sums.values())

    def pr_by_kind(self, *kinds: ErrorKind) -> tuple[float | None, float | None]:
        """Return the PR of the decisions whose errors are of these kinds, and its standard error.

        The turns without a double belong to "missed double", and the doubles to "wrong double". None if no
        decision counts.
        """
        decisions, error, variance = map(sum, zip(*(self.pr_sums[kind] for kind in kinds), strict=True))
        return _ratio(500 * error, decisions), _ratio(500 * math.sqrt(variance), decisions)

    @property
    def pr(self) -> float | None:
        """Performance rating of eXtreme Gammon: 500 times the mean error of the decisions that count.

        In a one-point match, errors count 1.5 times. None if no decision counts.
        """
        return self.pr_by_kind(*ERROR_KINDS)[0]

    @property
    def pr_se(self) -> float | None:
        """Standard error of `pr`."""
        return self.pr_by_kind(*ERROR_KINDS)[1]

    @property
    def checker_pr(self) -> float | None:
        """PR of the plays."""
        return self.pr_by_kind("play")[0]

    @property
    def cube_pr(self) -> float | None:
        """PR of doubles, answers, and turns without a double."""
        return self.pr_by_kind(*CUBE_KINDS)[0]

    @property
    def gnubg_error_rate(self) -> float | None:
        """Error rate of GNU Backgammon: 1,000 times the error per unforced play and close cube decision."""
        return _ratio(1000 * self.error, self._gnubg_decisions)

    @property
    def gnubg_error_rate_se(self) -> float | None:
        """Standard error of `gnubg_error_rate`."""
        return _ratio(1000 * self.error_se, self._gnubg_decisions)

    @property
    def snowie_error_rate(self) -> float | None:
        """Error rate of Snowie: 1,000 times the error per turn of both players."""
        return _ratio(1000 * self.error, self._snowie_turns)

    @property
    def snowie_error_rate_se(self) -> float | None:
        """Standard error of `snowie_error_rate`."""
        return _ratio(1000 * self.error_se, self._snowie_turns)


def _ratio(total: float, count: int) -> float | None:
    return total / count if count else None


def _sum_of(parts: Iterable[PrSums]) -> PrSums:
    return PrSums(*map(sum, zip(PrSums(), *parts, strict=True)))


def pr_of(errors: Sequence[float], *, one_point: bool = False) -> float | None:
    """Return the PR from the errors of the decisions that count; None without decisions."""
    weight = ONE_POINT_WEIGHT if one_point else 1
    return _ratio(500 * weight * sum(errors), len(errors))


def compute_rates(
    decisions: Iterable[AnalysedDecision],
    turns: int,
    *,
    one_point: bool = False,
    count_resignations: bool = False,
) -> Rates:
    """Return one player's rates; `turns` counts both players' rolls, forced plays and passes included."""
    decisions = list(decisions)
    plays = [decision for decision in decisions if decision.recorded.kind == "play"]
    cube_decisions = [decision for decision in decisions if decision.recorded.kind in ("double", "take")]
    resignations = [decision for decision in decisions if decision.recorded.kind == "resignation"]
    counted = [item for item in decisions if count_resignations or item.recorded.kind != "resignation"]
    pr_decisions = [item for item in counted if item.recorded.kind == "resignation" or is_counted(item)]
    errors: dict[ErrorKind, float] = dict.fromkeys(ERROR_KINDS, 0.0)
    weight = ONE_POINT_WEIGHT if one_point else 1
    pr_sums = dict.fromkeys(ERROR_KINDS, PrSums())
    for decision in pr_decisions:
        sums = PrSums(1, decision.error * weight, decision.error_se**2 * weight**2)
        pr_sums[error_kind(decision)] = _sum_of([pr_sums[error_kind(decision)], sums])
    in_match = any(decision.error_mwc is not None for decision in decisions)
    errors_mwc: dict[ErrorKind, float] = dict.fromkeys(ERROR_KINDS, 0.0) if in_match else {}
    for decision in decisions:
        kind = error_kind(decision)
        errors[kind] += decision.error
        if decision.error_mwc is not None:
            errors_mwc[kind] += decision.error_mwc
    counts = Counter(error_mark(decision.error) for decision in counted)
    return Rates(
        plays=len(plays),
        unforced_plays=sum(not play.forced for play in plays),
        cube_decisions=len(cube_decisions),
        close_cube_decisions=sum(map(is_close, cube_decisions)),
        resignations=len(resignations),
        errors=errors,
        errors_mwc=errors_mwc,
        marks={mark: counts[mark] for mark in MARKS},
        turns=turns,
        pr_sums=pr_sums,
        error_variance=sum(decision.error_se**2 for decision in counted),
        counts_resignations=count_resignations,
    )


def combine_rates(parts: Sequence[Rates]) -> Rates:
    """Return the rates of one player over several games or matches."""
    names = [field.name for field in fields(Rates) if field.type in ("int", "float")]
    sums: dict[str, Any] = {name: sum(getattr(part, name) for part in parts) for name in names}
    in_matches = ERROR_KINDS if any(part.errors_mwc for part in parts) else ()
    return Rates(
        **sums,
        errors={kind: sum(part.errors[kind] for part in parts) for kind in ERROR_KINDS},
        errors_mwc={kind: sum(part.errors_mwc.get(kind, 0.0) for part in parts) for kind in in_matches},
        marks={mark: sum(part.marks[mark] for part in parts) for mark in MARKS},
        pr_sums={kind: _sum_of([part.pr_sums[kind] for part in parts]) for kind in ERROR_KINDS},
        counts_resignations=any(part.counts_resignations for part in parts),
    )


def is_close(decision: AnalysedDecision) -> bool:
    """Return whether GNU Backgammon's error rate counts a cube decision."""
    return decision.recorded.chosen != "no double" or decision.cost_of_doubling < CLOSE_CUBE_MARGIN


# ---- names of players ----


MAX_NEAREST = 5
"""Maximum number of names that an error message lists."""


def names_of_match(match: Match) -> tuple[str, str]:
    """Return the names of players 0 and 1; X and O if the record has none."""
    first, second = match.info.players
    return first or PLAYER_NAMES[0], second or PLAYER_NAMES[1]


def player_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case, spaces and underscores."""
    key = re.sub(r"[\s_]+", "", unicodedata.normalize("NFKC", name).casefold())
    return key or name


class ReportPlayer:
    """Player of a report, given by one name or by all names under which matches record the player."""

    def __init__(self, player: PlayerNames) -> None:
        names = (player,) if isinstance(player, str) else player
        is_valid = isinstance(names, (tuple, list)) and all(isinstance(name, str) and name for name in names)
        if not is_valid or not names:
            raise BgfastError(
                f"player is {short_repr(player)}; expected a name, or a list of names of one player"
            )
        self.names = tuple(names)
        self.keys = frozenset(map(player_key, names))

    def sides(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the indices (0, 1) of a match's players who have one of the names; may be empty."""
        return tuple(side for side, name in enumerate(names) if player_key(name) in self.keys)

    def missing_error(self, names: Iterable[str]) -> BgfastError:
        """Return the error for a player in no match; it lists the nearest recorded names."""
        with LOADING:
            from difflib import get_close_matches
        recorded = {player_key(name): name for name in names}
        nearest = [near for key in self.keys for near in get_close_matches(key, recorded, MAX_NEAREST, 0.0)]
        listed = ", ".join(short_repr(recorded[key]) for key in list(dict.fromkeys(nearest))[:MAX_NEAREST])
        player_names = " or ".join(map(short_repr, self.names))
        expected = f"expected one of {listed}" if listed else "expected a match"
        return BgfastError(f"no match of the player {player_names}; {expected}")


def sides_of(player: PlayerNames | None, names: Sequence[str]) -> tuple[int, ...]:
    """Return the indices (0, 1) of a player in a match; both indices for None.

    Raises `BgfastError` if neither player has the name.
    """
    if player is None:
        return 0, 1
    report_player = ReportPlayer(player)
    if not (sides := report_player.sides(names)):
        raise report_player.missing_error(names)
    return sides


# ---- statistics of a match ----


MIN_LISTED_ERROR = 0.0005
"""Minimum error that reports list (EMG); smaller errors round to 0.000."""


@dataclass(frozen=True)
class GameStatistics:
    """Statistics of a game of a match."""

    number: int  # the first is 1
    score: tuple[int, int]  # points of players 0 and 1 before the game
    result: Any  # `GameResult`, None if the game was not finished
    rates: tuple[Rates, Rates]  # of players 0 and 1
    luck: tuple[float, float]  # sums of `AnalysedRoll.luck` of players 0 and 1
    unknown: tuple[UnknownMoves, ...] = ()  # moves at which the board is unknown and nothing is evaluated

    def outcome(self, names: Sequence[str]) -> str:
        """Return the result as text."""
        return "not finished" if self.result is None else f"{names[self.result.winner]} wins {self.result}"


@dataclass(eq=False)
class MatchStatistics:
    """Statistics of an analysed match; `MatchAnalysis` describes the attributes."""

    match: Match
    decisions: tuple[AnalysedDecision, ...]
    rolls: tuple[AnalysedRoll, ...]
    settings: dict[str, Any]
    _: KW_ONLY
    met: MatchEquityTable | None = None
    rolled_out: Mapping[str, Any] | None = None
    whole: bool = True
    count_resignations: bool = False

    @property
    def is_rolled_out(self) -> bool:
        """True if the analysis includes rollouts of contested decisions."""
        return self.rolled_out is not None

    @property
    def is_complete(self) -> bool:
        """True if the analysis covers a whole finished match, with all games read and all boards known.

        A session of money games need not be finished.
        """
        return self._is_whole and (self.match.length is None or self.match.winner is not None)

    @cached_property
    def unknown_moves(self) -> Mapping[int, Sequence[UnknownMoves]]:
        """Moves at which the board is unknown and nothing is evaluated, by game number."""
        return unknown_moves(self.match)

    @property
    def _is_whole(self) -> bool:
        """True if all actions of the match so far are analysed."""
        return self.whole and not unread_games(self.match) and not self.unknown_moves

    @property
    def names(self) -> tuple[str, str]:
        """Names of players 0 and 1; X and O if the record has none."""
        return names_of_match(self.match)

    @cached_property
    def recorded_judgements(self) -> tuple[RecordedJudgement | None, ...]:
        """The match file's analysis of each decision, or None."""
        return collect_judgements(self.match, self.decisions)

    def recorded_judgement_of(self, decision: AnalysedDecision) -> RecordedJudgement | None:
        """Return the match file's analysis of a decision of `decisions`; None if the file has none."""
        try:
            return self.recorded_judgements[self.decisions.index(decision)]
        except ValueError:
            expected = "one of the decisions of the analysis"
            raise BgfastError(f"decision is {short_repr(decision)}; expected {expected}") from None

    @property
    def recorded_prs(self) -> tuple[float | None, float | None]:
        """PR of players 0 and 1 according to the match file's analysis; None if no decision counts."""
        errors: tuple[list[float], list[float]] = [], []
        for decision, judgement in zip(self.decisions, self.recorded_judgements, strict=True):
            if judgement is not None and judgement.counted:
                errors[decision.recorded.player].append(judgement.error)
        first, second = (pr_of(player_errors, one_point=self.match.length == 1) for player_errors in errors)
        return first, second

    @cached_property
    def rates(self) -> tuple[Rates, Rates]:
        """Error rates of players 0 and 1."""
        return self._rates_of(self.decisions, len(self.rolls))

    @property
    def luck(self) -> tuple[float, float]:
        """Luck of players 0 and 1, in points at the value of the cube (EMG)."""
        return _sums_of_luck(self.rolls)

    @property
    def luck_mwc(self) -> tuple[float, float] | None:
        """Luck of players 0 and 1 in match winning chance; None in money play."""
        if not self.rolls or self.rolls[0].luck_mwc is None:
            return None
        return _sums_of_luck(self.rolls, lambda roll: roll.luck_mwc or 0.0)

    @property
    def net_luck(self) -> float:
        """Luck of player 0 less luck of player 1: match winning chance, or points at cube 1 (money play)."""
        first, second = _sums_of_luck(self.rolls, weighted_luck)
        return first - second

    @property
    def luck_adjusted_result(self) -> float | None:
        """Result for player 0 less `net_luck`.

        The result is 1 or 0 (match), or points at cube 1 (money play). None if the match is not over or the
        analysis does not cover the whole match.
        """
        if not self._is_whole:
            return None
        if self.match.length is not None:
            if self.luck_mwc is None or self.match.winner is None:
                return None
            return float(self.match.winner == 0) - self.net_luck
        points = [result.points if result.winner == 0 else -result.points for result in self.match.results]
        return sum(points) - self.net_luck

    def luckiest_rolls(self, number: int) -> tuple[AnalysedRoll, ...]:
        """Return up to `number` lucky rolls, luckiest first; with a negative number, unlucky rolls.

        Luck is measured in match winning chance, or in points at cube 1 in money play.
        """
        count = whole_number(number)
        if count is None:
            raise BgfastError(
                f"number is {short_repr(number)}; expected a whole number, negative for unlucky rolls"
            )
        sign = 1 if count > 0 else -1
        rolls = [roll for roll in self.rolls if sign * weighted_luck(roll) > 0]
        return tuple(sorted(rolls, key=lambda roll: -sign * weighted_luck(roll))[: abs(count)])

    @cached_property
    def games(self) -> tuple[GameStatistics, ...]:
        """Statistics of the games, in order."""
        states = self.match.states
        starts = [index + 1 for index, action in enumerate(self.match.history) if action.name == "next_game"]
        games = []
        for number, (start, stop) in enumerate(zip([0, *starts], [*starts, len(states)], strict=True), 1):
            score, result = states[start].score, states[stop - 1].game.result
            rolls = [roll for roll in self.rolls if roll.recorded.game == number]
            decisions = [decision for decision in self.decisions if decision.recorded.game == number]
            rates = self._rates_of(decisions, len(rolls))
            luck, unknown = _sums_of_luck(rolls), tuple(self.unknown_moves.get(number, ()))
            games.append(GameStatistics(number, score, result, rates, luck, unknown))
        return tuple(games)

    @property
    def phases(self) -> Mapping[MatchPhase, tuple[Rates, Rates]]:
        """Error rates of players 0 and 1 by phase of the game, in the order of `PHASES`."""
        decisions: dict[MatchPhase, list[AnalysedDecision]] = {phase: [] for phase in PHASES}
        for decision in self.decisions:
            decisions[phase_of(decision.recorded)].append(decision)
        turns = Counter(phase_of(roll.recorded) for roll in self.rolls)
        return MappingProxyType({phase: self._rates_of(decisions[phase], turns[phase]) for phase in PHASES})

    def _rates_of(self, decisions: Sequence[AnalysedDecision], turns: int) -> tuple[Rates, Rates]:
        by_player = (
            [decision for decision in decisions if decision.recorded.player == player] for player in (0, 1)
        )
        options = {"one_point": self.match.length == 1, "count_resignations": self.count_resignations}
        first, second = (compute_rates(player_decisions, turns, **options) for player_decisions in by_player)
        return first, second

    def roll_of(self, decision: AnalysedDecision) -> AnalysedRoll | None:
        """Return the roll of a play; None for other decisions."""
        if not isinstance(decision, AnalysedDecision):
            raise BgfastError(
                f"decision is {short_repr(decision)}; expected one of the decisions of the analysis"
            )
        recorded = decision.recorded
        place = recorded.game, recorded.move, recorded.player
        return self._roll_index.get(place) if recorded.kind == "play" else None

    @cached_property
    def _roll_index(self) -> Mapping[tuple[int, int, int], AnalysedRoll]:
        """Rolls by game, line of the score sheet, and player."""
        return {(roll.recorded.game, roll.recorded.move, roll.recorded.player): roll for roll in self.rolls}

    def worst(self, limit: int, player: PlayerNames | None = None) -> tuple[AnalysedDecision, ...]:
        """Return up to `limit` decisions with an error of `MIN_LISTED_ERROR` or more, largest error first.

        Includes resignations if they are counted; with `player`, only this player's decisions. Raises
        `BgfastError` if an argument is invalid, or neither player has the name.
        """
        maximum = validate_number("worst", limit)
        sides = sides_of(player, self.names)
        errors = [decision for decision in self.decisions if decision.error >= MIN_LISTED_ERROR]
        errors = [decision for decision in errors if decision.recorded.player in sides]
        if not self.count_resignations:
            errors = [decision for decision in errors if decision.recorded.kind != "resignation"]
        return tuple(sorted(errors, key=lambda decision: -decision.error)[:maximum])

    def __repr__(self) -> str:
        first, second = map(one_line, self.names)
        prs = " and ".join("none" if rates.pr is None else f"{rates.pr:.2f}" for rates in self.rates)
        decisions = pluralize(len(self.decisions), "decision")
        return f"<{type(self).__name__} {first} - {second}: PR {prs}, {decisions}>"


def weighted_luck(roll: AnalysedRoll) -> float:
    """Return the luck of a roll as match winning chance, or in money play as points at cube 1."""
    return roll.luck * roll.recorded.decision.cube if roll.luck_mwc is None else roll.luck_mwc


def _sums_of_luck(
    rolls: Iterable[AnalysedRoll], luck: Callable[[AnalysedRoll], float] = attrgetter("luck")
) -> tuple[float, float]:
    """Return the sums of the luck of players 0 and 1."""
    sums = [0.0, 0.0]
    for roll in rolls:
        sums[roll.recorded.player] += luck(roll)
    return sums[0], sums[1]
