"""Collections of analysed matches: results, player histories and largest errors."""

from __future__ import annotations

import os
import re
from bisect import insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, ErrorKind, error_kind, roll_text
from bgfast.analysis.matches.error_details import ErrorDetails, error_details, largest_errors
from bgfast.analysis.matches.match_analysis import MatchAnalysis, analyse_match
from bgfast.analysis.matches.match_report import (
    LISTED_ROLLS,
    LUCK_MEASURE,
    RATES,
    REPORT_WIDTH,
    choice_line,
    fit_names,
    match_state,
    rate,
)
from bgfast.analysis.matches.match_statistics import (
    MIN_LISTED_ERROR,
    MatchStatistics,
    PlayerNames,
    Rates,
    ReportPlayer,
    combine_rates,
    names_of_match,
    player_key,
    sides_of,
    weighted_luck,
)
from bgfast.analysis.matches.playback import playback_steps, step_anchors
from bgfast.analysis.matches.recorded_decisions import PHASES, MatchPhase, phase_of
from bgfast.analysis.reports.recorded_files import MatchReader, match_files
from bgfast.common.files import validate_path
from bgfast.common.foreign_names import names_arguments
from bgfast.common.text import pluralize
from bgfast.common.validation import validate_progress
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike
from bgfast.evaluation.tables import Tabular
from bgfast.games.match import Match
from bgfast.records.replay import unread_games


class CollectedError(NamedTuple):
    """Error of a match."""

    error: float  # equity loss (EMG)
    details: ErrorDetails
    kind: ErrorKind
    phase: MatchPhase
    source: str  # name of the match, such as its file
    page: str  # address of the board on the page of the match; empty without a page
    date: str  # as recorded; may be empty


def select_analyses(analyses: Any, player: PlayerNames | None = None) -> Iterator[tuple[str, MatchAnalysis]]:
    """Yield the name and the analysis of each match; with `player`, of this player's matches only.

    Absolute paths are cut to file names. Raises `BgfastError` for anything but a pair, and at the end if no
    match has the player.
    """
    if not isinstance(analyses, Iterable) or isinstance(analyses, (str, bytes, os.PathLike)):
        expected = 'pairs of a name and a MatchAnalysis, for one match [("june.mat", analysis)]'
        raise BgfastError(f"analyses are {short_repr(analyses)}; expected {expected}")
    selection = MatchSelection(player)
    for item in analyses:
        is_pair = isinstance(item, tuple) and len(item) == 2
        if not is_pair or not isinstance(item[0], str) or not isinstance(item[1], MatchAnalysis):
            expected = "a pair of a name and a MatchAnalysis"
            raise BgfastError(f"an analysis is {short_repr(item)}; expected {expected}")
        name, analysis = item
        if selection.has_player(analysis.names):
            yield os.path.basename(name) if os.path.isabs(name) else name, analysis
    selection.refuse_unknown()


class MatchSelection:
    """Selection of a player's matches, without duplicates."""

    def __init__(self, player: PlayerNames | None) -> None:
        self._player = None if player is None else ReportPlayer(player)
        self._other_names: dict[str, None] = {}  # names in the matches without the player
        self._player_keys: set[str] = set()  # keys of the player's names
        self._sources: dict[Hashable, str] = {}  # names of matches by `match_key`
        self.other_matches = 0  # number of matches of other players
        self.copies: dict[str, str] = {}  # name of the first record of a match by the name of a later record

    def matches(self, reader: MatchReader) -> Iterator[tuple[str, Match]]:
        """Yield the selected matches of files with their names."""
        for name, match in reader:
            key = match_key(match)
            earlier_name = self._sources.get(key)
            if key is not None:
                self._sources.setdefault(key, name)
            if not self.has_player(names_of_match(match)):
                self.other_matches += earlier_name is None
            elif earlier_name is None:
                yield name, match
            else:
                self.copies[name] = earlier_name
                reader.leave_out(name, f"the same match as {earlier_name}")

    def has_player(self, names: Sequence[str]) -> bool:
        """Return whether a match between players with these names belongs to the selection."""
        if self._player is None:
            return True
        if sides := self._player.sides(names):
            self._player_keys.update(player_key(names[side]) for side in sides)
            return True
        self._other_names.update(dict.fromkeys(names))
        return False

    def refuse_unknown(self) -> None:
        """Raise `BgfastError` if no match has the player."""
        if self._player is not None and not self._player_keys:
            raise self._player.missing_error(self._other_names)

    @property
    def unknown_names(self) -> list[str]:
        """Names of the player that occur in no match."""
        names = () if self._player is None else self._player.names
        return [name for name in names if player_key(name) not in self._player_keys]


def match_key(match: Match) -> Hashable | None:
    """Return a key shared by all records of a match, in any format; None without a play.

    The key has the length, the players and the positions after all plays; a format may swap the players.
    """
    names = list(map(player_key, match.info.players))
    first_player = names.index(min(names))
    plays = [action for action in match.history if action.name == "play"]
    moves = tuple((action.player == first_player, action.after) for action in plays)
    return (match.length, *sorted(names), moves) if moves else None


class CollectedErrors:
    """Largest errors (EMG) of the matches added so far, at most `limit` (None: all), without resignations.

    With `player`, only this player's errors count.
    """

    def __init__(
        self, limit: int | None = None, minimum: float = MIN_LISTED_ERROR, player: PlayerNames | None = None
    ) -> None:
        self._limit = limit
        self._minimum = minimum
        self._player = player
        self.items: list[CollectedError] = []  # largest first; equal errors in the order of adding

    def add(
        self, analysis: MatchStatistics, source: str, places: Mapping[int, str] = MappingProxyType({})
    ) -> None:
        """Add the largest errors of the match `source`; `places` has the addresses of boards by `id`."""
        limit = len(analysis.decisions) if self._limit is None else self._limit
        for decision in largest_errors(analysis, limit, self._player):
            is_full = len(self.items) == self._limit
            if decision.error < self._minimum or (is_full and decision.error <= self.items[-1].error):
                break
            # Report data are slow to compute: compute them only for the largest errors so far.
            details = error_details(decision, analysis)
            labels = error_kind(decision), phase_of(decision.recorded)
            place = source, places.get(id(decision), ""), analysis.match.info.date
            item = CollectedError(decision.error, details, *labels, *place)
            insort(self.items, item, key=lambda item: -item.error)
            if is_full:
                self.items.pop()


# ---- matches and players ----


class OpeningPlay(NamedTuple):
    """First play of a game, or the reply to it."""

    player: int
    first_play: str  # for a reply, the first play and its roll: "31: 8/5 6/5"; otherwise empty
    roll: str  # "3-1"
    play: str
    best: str
    error: float  # equity loss (EMG)


def opening_plays(analysis: MatchStatistics) -> Iterator[OpeningPlay]:
    """Yield the first play of each game that begins with an opening roll, and the reply to it."""
    first_decision: AnalysedDecision | None = None
    for decision in analysis.decisions:
        recorded = decision.recorded
        if recorded.kind != "play":
            continue
        roll = analysis.roll_of(decision)
        first_play = None
        if roll is not None and roll.recorded.opening:
            first_decision, first_play = decision, ""
        elif first_decision is not None:
            first = first_decision.recorded
            if (recorded.game, recorded.player) == (first.game, 1 - first.player):
                first_play = choice_line(first_decision)
            first_decision = None
        if first_play is not None:
            text, play, best = roll_text(recorded.decision.dice), recorded.chosen, decision.best.text
            yield OpeningPlay(recorded.player, first_play, text, play, best, decision.error)


def _extreme_rolls(analysis: MatchStatistics) -> Iterator[AnalysedRoll]:
    """Yield the unluckiest and the luckiest rolls of each player."""
    for player in (0, 1):
        rolls = [roll for roll in analysis.rolls if roll.recorded.player == player]
        rolls.sort(key=weighted_luck)
        yield from (*rolls[:LISTED_ROLLS], *rolls[LISTED_ROLLS:][-LISTED_ROLLS:])


AVERAGED_MATCHES = 10
"""Number of matches of a moving average."""


@dataclass(frozen=True)
class OpeningLine:
    """Plays of one roll at the beginning of games; fields as in `OpeningPlay`."""

    first_play: str
    roll: str
    plays: list[OpeningPlay] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """Sum of the errors (EMG)."""
        return sum(item.error for item in self.plays)


@dataclass(frozen=True)
class CollectedMatch:
    """Statistics of a match of a collection. Pairs are for players 0 and 1."""

    source: str  # name of the match, such as its file
    page: str  # address relative to the index page; empty without a page
    names: tuple[str, str]
    date: date | None  # None if the record has no complete date
    length: int | None  # None for money games
    score: tuple[int, int]
    winner: int | None
    is_complete: bool  # the match counts for rankings; see `MatchStatistics.is_complete`
    unread_games: int
    rates: tuple[Rates, Rates]
    phases: Mapping[MatchPhase, tuple[Rates, Rates]]
    luck: tuple[float, float]  # in points at the value of the cube (EMG)
    net_luck: float  # of player 0; see `MatchStatistics.net_luck`
    rolls: tuple[tuple[AnalysedRoll, str], ...]  # luckiest and unluckiest of each player, with addresses
    openings: tuple[OpeningPlay, ...]


@dataclass(frozen=True)
class PlayerHistory:
    """Complete matches of one player, by date; matches without a date come last."""

    name: str
    matches: tuple[tuple[CollectedMatch, int], ...]  # with the index of the player in each, 0 or 1

    @property
    def match_count(self) -> int:
        """Number of matches; a match in which both players have the name counts once."""
        return len({id(match) for match, _ in self.matches})

    @cached_property
    def rates(self) -> Rates:
        """Rates over all matches."""
        return combine_rates([match.rates[player] for match, player in self.matches])

    @property
    def phases(self) -> Mapping[MatchPhase, Rates]:
        """Rates over all matches by phase of the game."""
        return {
            phase: combine_rates([match.phases[phase][player] for match, player in self.matches])
            for phase in PHASES
        }

    @property
    def luck(self) -> float:
        """Luck over all matches (EMG)."""
        return sum(match.luck[player] for match, player in self.matches)

    @property
    def wins(self) -> int:
        """Number of matches won; money games have no winner."""
        return sum(match.winner == player for match, player in self.matches)

    @property
    def luck_text(self) -> str:
        """Mean net luck in matches, total in money games, and matches won with and without luck, as text."""
        nets = [(match.length, match.net_luck * (-1) ** side) for match, side in self.matches]
        money_nets, match_nets = (
            [net for length, net in nets if bool(length) == is_match] for is_match in (False, True)
        )
        texts = [f"{sum(money_nets):+.3f} points in money games, cube included"] if money_nets else []
        if match_nets:
            wins = f"{self.wins} of {pluralize(len(match_nets), 'match', 'matches')} won"
            mean, adjusted_wins = sum(match_nets) / len(match_nets), self.wins - sum(match_nets)
            texts.insert(0, f"{mean:+.1%} MWC per match: {wins}, without luck {adjusted_wins:.1f}")
        return f"Net luck: {'; '.join(texts)}. {LUCK_MEASURE}"

    def luckiest_rolls(self, sign: int) -> list[tuple[CollectedMatch, int, AnalysedRoll, str]]:
        """Return the luckiest rolls (sign 1) or unluckiest (-1) in matches, if any, else in money games."""
        rolls = [
            (match, side, roll, place)
            for match, side in self.matches
            for roll, place in match.rolls
            if roll.recorded.player == side and sign * roll.luck > 0
        ]
        in_matches = [item for item in rolls if item[0].length is not None]
        return sorted(in_matches or rolls, key=lambda item: -sign * weighted_luck(item[2]))[:LISTED_ROLLS]

    @property
    def openings(self) -> list[OpeningLine]:
        """First plays of games by roll, then the replies to first plays, largest cost first."""
        lines: dict[tuple[str, str], OpeningLine] = {}
        for match, player in self.matches:
            for item in match.openings:
                if item.player == player:
                    key = item.first_play, item.roll
                    lines.setdefault(key, OpeningLine(*key)).plays.append(item)
        return sorted(
            lines.values(),
            key=lambda line: (-line.cost if line.first_play else float("-inf"), line.roll, line.first_play),
        )

    @property
    def moving_pr(self) -> list[float | None]:
        """PR of all decisions in each match and up to nine matches before it; not a mean of PRs."""
        rates = [match.rates[player] for match, player in self.matches]
        stops = range(1, len(rates) + 1)
        return [combine_rates(rates[max(0, stop - AVERAGED_MATCHES) : stop]).pr for stop in stops]


class MatchCollection:
    """Statistics of analysed matches and their `worst` largest errors; the analyses are not stored.

    With `player`, only this player's matches and errors count.
    """

    def __init__(self, worst: int, player: PlayerNames | None = None) -> None:
        self.player = player
        self._owner = None if player is None else ReportPlayer(player)
        self.matches: list[CollectedMatch] = []
        self.left_out: Mapping[str, Sequence[str]] = {}  # names of matches by reason
        self.errors = CollectedErrors(worst, player=player)

    def add(self, analysis: MatchStatistics, source: str, page: str = "") -> None:
        """Add a match with its name and the address of its page."""
        match = analysis.match
        day, unread = _parse_date(match.info.date), len(unread_games(match))
        state = match.length, match.score, match.winner, analysis.is_complete, unread
        anchors = step_anchors(playback_steps(analysis)) if page else {}
        places = {key: f"{page}#{anchor}" for key, anchor in anchors.items()}
        rolls = [(roll, places.get(id(roll), "")) for roll in _extreme_rolls(analysis)]
        luck = analysis.luck, analysis.net_luck, tuple(rolls)
        fields = *state, analysis.rates, analysis.phases, *luck, tuple(opening_plays(analysis))
        self.matches.append(CollectedMatch(source, page, analysis.names, day, *fields))
        self.errors.add(analysis, source, places)

    @property
    def players(self) -> list[PlayerHistory]:
        """Players with a complete match, in their most frequent spelling; lowest PR first, then by name."""
        owner = self._owner
        spellings: dict[str, Counter[str]] = {}
        matches: dict[str, list[tuple[CollectedMatch, int]]] = {}
        for match in sort_by_date(self.matches):
            if match.is_complete:
                for player, name in enumerate(match.names):
                    key = player_key(owner.names[0] if owner is not None and owner.sides([name]) else name)
                    spellings.setdefault(key, Counter())[name] += 1
                    matches.setdefault(key, []).append((match, player))
        players = [
            PlayerHistory(spellings[key].most_common(1)[0][0], tuple(sides)) for key, sides in matches.items()
        ]
        return sorted(players, key=lambda item: (item.rates.pr is None, item.rates.pr or 0.0, item.name))

    @property
    def reader(self) -> PlayerHistory | None:
        """History of the report's reader; None without a complete match.

        The reader is `player`, or else the player with the most matches.
        """
        owner = self._owner
        players = [player for player in self.players if owner is None or owner.sides([player.name])]
        return max(players, key=lambda player: player.match_count, default=None)


def sort_by_date(matches: Sequence[CollectedMatch]) -> list[CollectedMatch]:
    """Return matches sorted by date; matches without a date come last, in unchanged order."""
    return sorted(matches, key=lambda match: (match.date is None, match.date or date.min))


def _parse_date(text: str) -> date | None:
    """Parse a date; None unless it has year, month and day."""
    try:
        return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else None
    except ValueError:
        return None


# ---- totals in a terminal ----


TOTALS = ("PR", "checker", "cube", "error")
"""Rates in the table of players, which has no room for all rates."""
MAX_NAME_WIDTH = 18
MIN_NAME_WIDTH = 8


def match_line(analysis: MatchStatistics, file: str) -> str:
    """Return a match as one line: file, length, score, and the PR of both players."""
    prs = [RATES["PR"](rates).text() for rates in analysis.rates]
    players = ", ".join(f"{one_line(name)} {pr}" for name, pr in zip(analysis.names, prs, strict=True))
    excluded = "" if analysis.is_complete else ", not in the totals"
    return f"{one_line(file)}: {match_state(analysis)}{excluded}: PR {players}"


def totals_text(collection: MatchCollection, *, cut_names: bool = True) -> str:
    """Return a table of rates over all complete matches: of one player, or of all, lowest PR first."""
    players = collection.players if collection.player is None else [*filter(None, [collection.reader])]
    if not players:
        return "No match is complete: no totals."
    rows = [["matches", *TOTALS]]
    for player in players:
        others = (rate(name, player.rates) for name in TOTALS[1:])
        rows.append([str(player.match_count), RATES["PR"](player.rates).text(), *others])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    max_name_width = min(MAX_NAME_WIDTH, max(MIN_NAME_WIDTH, REPORT_WIDTH - sum(widths) - len(widths)))
    names = ["player", *fit_names([player.name for player in players], max_name_width, cut_names)]
    name_width = max(map(len, names))
    lines = (
        [name.ljust(name_width), *map(str.rjust, row, widths)] for name, row in zip(names, rows, strict=True)
    )
    return "\n".join(map(" ".join, lines))


# ---- analyses of files ----


class AnalysedMatches(list[tuple[str, MatchAnalysis]], Tabular):
    """Result of `bgfast.matches.analyse_matches`: pairs of a name and an analysis; a table of all decisions.

    Attributes
    ----------
    player : str, list of str or None
        Player to whom the rows are limited.
    left_out : mapping of str to sequence of str
        Names of unreadable files, and of matches that occur twice, by reason.
    """

    player: PlayerNames | None = None
    left_out: Mapping[str, Sequence[str]] = MappingProxyType({})

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per decision, as in `MatchAnalysis.rows`, with the name of the match as `file`."""
        return [
            {"file": name, **row}
            for name, analysis in self
            for row in analysis.rows()
            if row["player"] in sides_of(self.player, analysis.names)
        ]


@names_arguments
def analyse_matches(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    evaluator: EvaluatorLike | None = None,
    *,
    player: PlayerNames | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> AnalysedMatches:
    """Analyse the matches in folders with their subfolders, in zip files and in files; each match once.

    Parameters
    ----------
    path : path or iterable of paths
    player : str or list of str, optional
        Analyse the matches of one player, given by one or several names, and limit the rows to this player's.
    progress : callable, optional
        Called with the fraction of the files done.
    evaluator, options
        As for `analyse_match`, without `checkpoint`.

    Returns
    -------
    AnalysedMatches
        A list of pairs: the file's name, relative to the folder, and the `MatchAnalysis`.

    Raises
    ------
    BgfastError
        If an argument is invalid, a path has no match, no match can be read, or no match has the player.
        Unreadable files are left out if there are several files.

    See Also
    --------
    bgfast.analyse_match : Analyse one match.
    write_report, write_anki : Report on the matches, and flash cards of the errors.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> match = bgfast.Match(3, dice=["31"])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> match.save(os.path.join(folder, "june.mat"))
    >>> analyses = bgfast.matches.analyse_matches(folder, preset="quick")
    >>> [(row["file"], row["chosen"], row["best"]) for row in analyses.rows()]
    [('june.mat', '13/9', '8/5 6/5')]
    """
    report_progress = validate_progress(progress)
    if options.get("checkpoint") is not None:
        raise BgfastError(
            f"checkpoint is {short_repr(options['checkpoint'])}; expected none: it stores one match"
        )
    analyse_match(Match(None), evaluator, **options)  # validates the options
    paths = path if isinstance(path, Iterable) and not isinstance(path, (str, bytes, os.PathLike)) else [path]
    reader = MatchReader(match_files([validate_path(item, "path", "a file or folder") for item in paths]))
    selection, analyses = MatchSelection(player), AnalysedMatches()
    analyses.player, analyses.left_out = player, reader.left_out
    for name, match in selection.matches(reader):
        report_progress(reader.fraction)
        try:
            analyses.append((name, analyse_match(match, evaluator, **options)))
        except BgfastError as error:
            reader.skip(name, error)
    selection.refuse_unknown()
    if not analyses:
        reason, names = next(iter(reader.left_out.items()))
        raise BgfastError(f"{short_repr(names[0])}: {reason}")
    report_progress(1.0)
    return analyses
