"""Analysis of a match: `analyse_match`, `MatchAnalyser`, and their result `MatchAnalysis`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any

import numpy as np

from bgfast.analysis.branches import as_search
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, roll_text
from bgfast.analysis.matches.decision_analyser import (
    THRESHOLDS,
    DecisionAnalyser,
    Preset,
    PresetName,
    choose_preset,
)
from bgfast.analysis.matches.html_report import html_report
from bgfast.analysis.matches.match_report import boards_text, decision_rows, match_content, rate, text_report
from bgfast.analysis.matches.match_rollout import TRIALS, TRUNCATE, MatchRollout
from bgfast.analysis.matches.match_statistics import ERROR_LIMITS, MatchStatistics, PlayerNames, error_word
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, extract_decisions
from bgfast.analysis.matches.sgf_report import sgf_report
from bgfast.common.foreign_names import names_arguments, names_missing
from bgfast.common.threads import parallel_map
from bgfast.common.validation import flag, thread_count, time_limit_seconds, validate_progress
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import Evaluator, EvaluatorLike
from bgfast.evaluation.evaluators.names import display_name, evaluator_of
from bgfast.evaluation.evaluators.ranked_plays import NOTEBOOK_BOARD
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import validate_table
from bgfast.evaluation.tables import Tabular, html_table, panel, returns_text
from bgfast.games.match import Match
from bgfast.records.match_files import MatchSource, load_match

WORST = 10
"""Default maximum number of decisions that a report lists, largest errors first."""
NOTEBOOK_ERRORS = 5
"""Number of errors in the HTML for notebooks."""


@names_missing
class MatchAnalysis(MatchStatistics, Tabular):
    """Result of `bgfast.analyse_match`: decisions, rolls, rates and luck; a table with a row per decision.

    Text reports replace control characters in recorded names; HTML and SGF escape names and comments.

    Attributes
    ----------
    match : Match
    decisions : tuple of AnalysedDecision
        In the order of play; each has the `recorded` decision, its `choices`, best first, the `rank` of the
        recorded choice, and its `error` and `error_mwc`.
    rolls : tuple of AnalysedRoll
        In the order of play, with `luck` and `luck_mwc`.
    settings : mapping
        Settings of the analysis: evaluator, plies, match equity table, and so on.
    met : MatchEquityTable or None
        None for the built-in table.
    rolled_out : mapping or None
        Options of the rollouts of contested decisions: trials, truncate, seed; None without rollouts.
    whole : bool
        True if the analysis covers the whole match.
    count_resignations : bool
        True if rates, marks and the largest errors include resignations and the answers to them.

    See Also
    --------
    write_report, write_anki : Report on several matches, and flash cards of the errors.
    AnalysisComparison : Comparison with the analyses that the match files contain.

    Notes
    -----
    Do not modify; safe to share between threads. ``str(analysis)`` is the report for a terminal.
    """

    @property
    def pr(self) -> tuple[float | None, float | None]:
        """PR of both players, as in `rates`; None for a player without decisions that count."""
        first, second = self.rates
        return first.pr, second.pr

    @returns_text
    def to_text(self, worst: int = WORST, player: PlayerNames | None = None) -> str:
        """Return the report for a terminal: rates, games, and the `worst` largest errors.

        `player`, a name or a list of names of one player, limits the errors to this player's.
        """
        return text_report(self, worst, player)

    def to_boards(self, worst: int = WORST, player: PlayerNames | None = None) -> str:
        """Return the `worst` largest errors, without resignations, as boards with candidates and reasons."""
        return boards_text(self, worst, player)

    @returns_text
    def to_html(self, worst: int = WORST, player: PlayerNames | None = None) -> str:
        """Return the report as a self-contained HTML page; only playing through the match needs scripts."""
        return html_report(self, worst, player=player)

    @returns_text
    def to_sgf(self) -> str:
        """Return the match as SGF with its analysis in GNU Backgammon's properties.

        Resignations, which have no such property, are excluded, and so are rates, which GNU Backgammon
        computes from the errors.

        Raises
        ------
        BgfastError
            If the first player is drawn by lot, or all games begin from a position that SGF cannot name.
        """
        return sgf_report(self)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each decision, in the order of play."""
        return decision_rows(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data for JSON."""
        return match_content(self)

    @returns_text
    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return rates and the largest errors, with the board of the largest, for notebooks."""
        rows = []
        for name, rates, luck in zip(self.names, self.rates, self.luck, strict=True):
            counts = [str(rates.number_of(word)) for word in ERROR_LIMITS]
            rows.append([name, rate("PR", rates), rate("error", rates), *counts, f"{luck:+.3f}"])
        note = f"{self.settings['ply']}-ply, {self.settings['evaluator']}"
        counts = [f"{word}s ({limit:g}+)" for word, limit in ERROR_LIMITS.items()]
        rates_table = html_table(["player", "PR", "cost (EMG)", *counts, "luck (EMG)"], rows, note)
        error_rows = []
        for decision in self.worst(NOTEBOOK_ERRORS):
            recorded, error = decision.recorded, decision.error
            place = str(recorded.game), str(recorded.move), self.names[recorded.player]
            choice = roll_text(recorded.decision.dice), recorded.chosen, decision.best.text
            error_rows.append([*place, *choice, f"{-error:+.3f}", error_word(error) or ""])
        if not error_rows:
            return rates_table
        headings = ["game", "move", "player", "roll", "chosen", "best", "loss", ""]
        errors_table = html_table(headings, error_rows, "full report: to_html()", text_columns=6)
        return panel(self.worst(1)[0].svg(size=NOTEBOOK_BOARD), "Largest error", rates_table, errors_table)


PLY = 2
"""Default search depth."""


class MatchAnalyser:
    """Analysis of a match in the order of play, with results available while the analysis runs.

    Takes the parameters of `analyse_match`; `ply` applies only without a preset.
    """

    def __init__(
        self,
        match: Match,
        evaluator: Evaluator | None,
        ply: int | None,
        met: MatchEquityTable | None,
        efficiency: str,
        threads: int,
        count_resignations: bool = False,
        preset: Preset | None = None,
    ) -> None:
        if not isinstance(match, Match):
            raise BgfastError(f"match is {short_repr(match)}; expected a Match or the path of its file")
        self._match = match
        self._threads = thread_count(threads)
        self._count_resignations = count_resignations
        self._preset = preset
        if preset is None:
            self._search = as_search(evaluator, ply, PLY, match.rules, THRESHOLDS)
        else:
            self._search = preset.search(evaluator, match.rules)
        self._analyser = DecisionAnalyser(self._search, validate_table(met), efficiency, preset)
        self._records = extract_decisions(match)
        self._results: list[AnalysedDecision | AnalysedRoll] = []

    def analyse(self) -> Iterator[float]:
        """Evaluate the remaining decisions and rolls; yield the fraction done."""
        remaining = self._records[len(self._results) :]
        for result in parallel_map(self._analyser.analyse, remaining, self._threads):
            self._results.append(result)
            yield len(self._results) / len(self._records)

    def result(self) -> MatchAnalysis:
        """Return the analysis so far; the settings of a partial analysis state how many decisions it has."""
        decisions = [item for item in self._results if isinstance(item, AnalysedDecision)]
        rolls = [item for item in self._results if isinstance(item, AnalysedRoll)]
        settings: dict[str, Any] = {"evaluator": display_name(self._search.evaluator)}
        if self._preset is not None:
            settings["preset"] = str(self._preset)
        settings |= {"ply": self._search.ply, "efficiency": self._analyser.efficiency}
        if self._match.length is not None:
            settings["match equity table"] = self._analyser.met.name
        is_whole = len(self._results) == len(self._records)
        if not is_whole:
            total = sum(isinstance(record, RecordedDecision) for record in self._records)
            settings["analysed"] = f"the first {len(decisions)} of {total} decisions"
        return MatchAnalysis(
            self._match,
            tuple(decisions),
            tuple(rolls),
            settings,
            met=self._analyser.met,
            whole=is_whole,
            count_resignations=self._count_resignations,
        )

    def rollout(self, **options: Any) -> MatchRollout[MatchAnalysis]:
        """Return the rollouts of contested decisions, not yet started; options as for `MatchRollout`."""
        met, efficiency = self._analyser.met, self._analyser.efficiency
        return MatchRollout(self.result(), self._search.evaluator, met=met, efficiency=efficiency, **options)


@names_arguments
def analyse_match(
    match: Match | MatchSource,
    evaluator: EvaluatorLike | None = None,
    *,
    preset: PresetName | None = None,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    count_resignations: bool = False,
    rollout: bool = False,
    trials: int = TRIALS,
    truncate: int | None = TRUNCATE,
    seed: int = 0,
    time_limit: float | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> MatchAnalysis:
    """Analyse a match: the error of every decision, the luck of every roll, and both players' rates.

    Parameters
    ----------
    match : Match, or the path, content or open file of a match
        The match may be unfinished.
    evaluator : evaluator, name or file, optional
        An evaluator that returns five probabilities, as in `bgfast.evaluators`; ``"builtin"`` by default. A
        `Lookahead` keeps its own search depth.
    preset : {"normal", "quick", "deep", "rollout"}, optional
        Named options; `MatchAnalysis.settings` records name and version. "normal" is the default, unless
        `ply`, `rollout` or a `Lookahead` determines the analysis; a preset excludes these.
    ply : {2, 0, 1}, optional
        Search depth in plies; 0 is static.
    met : MatchEquityTable, optional
        The built-in table by default.
    efficiency : {"bgfast", "gnubg"}
        Cube efficiency model.
    threads : int
        Number of threads; results do not depend on it.
    progress : callable, optional
        Called with the fraction done, from 0 to 1; with `rollout`, again from 0 to 1 for the rollouts.
    count_resignations : bool
        Count resignations and the answers to them as decisions, in all rates, marks and the largest errors.
    rollout : bool
        Roll out contested decisions: two to five plays within 0.08 of the best, doubles and answers within
        0.16, and every error with a mark. All candidates have the same dice; a rollout ends when the
        decision is settled, or at `trials`. The parameters below require ``rollout=True``; `seed`,
        `time_limit` and `checkpoint` also apply to ``preset="rollout"``.
    trials : int
        Maximum number of trials of a candidate.
    truncate : int or None
        Plies after which games are truncated and evaluated; None plays games to the end.
    seed : int
        Seed of the dice.
    time_limit : float, optional
        Maximum seconds for all rollouts; the remaining decisions are not rolled out.
    checkpoint : path, optional
        File that stores finished rollouts, from which an interrupted run is resumed.

    Returns
    -------
    MatchAnalysis

    Raises
    ------
    BgfastError
        If an argument is invalid, the evaluator returns only equities, or the checkpoint cannot be used.

    See Also
    --------
    analyse : A single decision.
    bgfast.matches.analyse_matches : Folders of matches.

    Notes
    -----
    docs/MATCH_ANALYSIS.md defines the analysed decisions, errors, rates and luck.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=["31", "65"])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> analysis = bgfast.analyse_match(match, ply=0)
    >>> [(decision.recorded.chosen, decision.best.text) for decision in analysis.decisions]
    [('13/9', '8/5 6/5')]
    >>> analysis.rates[0].marks["very bad"], analysis.rates[0].pr > 20, analysis.rates[1].pr
    (1, True, None)
    """
    report_progress = validate_progress(progress)
    seconds = time_limit_seconds(time_limit)
    rolls_out = flag("rollout", rollout)
    evaluator = evaluator_of(evaluator)
    scheme = choose_preset(preset, evaluator, ply, rolls_out)
    defaults: list[tuple[str, Any, Any]] = []  # options that do not apply: name, value and default
    if not rolls_out:
        defaults += ("trials", trials, TRIALS), ("truncate", truncate, TRUNCATE)
    if scheme is not None:
        rolls_out = scheme.rolls_out
    if not rolls_out:
        defaults += ("seed", seed, 0), ("time_limit", seconds, None), ("checkpoint", checkpoint, None)
    for name, value, default in defaults:
        if isinstance(value, np.ndarray) or value != default:
            raise BgfastError(f"{name} is {short_repr(value)}; expected rollout=True with it")
    counts_resignations = flag("count_resignations", count_resignations)
    source: Any = match
    if isinstance(source, (str, PathLike)) and os.path.isdir(source):
        raise BgfastError(
            f"{short_repr(source)}: a folder; expected a file, or bgfast.matches.analyse_matches"
        )
    if isinstance(source, (str, PathLike, bytes)) or hasattr(source, "readline"):
        source = load_match(source)
    analyser = MatchAnalyser(source, evaluator, ply, met, efficiency, threads, counts_resignations, scheme)
    for fraction in analyser.analyse():
        report_progress(fraction)
    if not rolls_out:
        return analyser.result()
    match_rollout = analyser.rollout(trials=trials, truncate=truncate, seed=seed)
    for fraction in match_rollout.play(threads=threads, time_limit=seconds, checkpoint=checkpoint):
        report_progress(fraction)
    return match_rollout.result()
