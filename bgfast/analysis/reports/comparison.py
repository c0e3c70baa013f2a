"""Comparison of bgfast's analyses of matches with the analyses in the match files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bgfast.analysis.matches.analysed import AnalysedDecision, RecordedJudgement, is_counted, judgement_row
from bgfast.analysis.matches.match_report import choice_line, decision_row
from bgfast.analysis.matches.match_statistics import MatchStatistics, pr_of
from bgfast.common.validation import validate_number
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.tables import Tabular, returns_text
from bgfast.games.match_info import Finding

WORST = 10
"""Default maximum number of decisions that a report lists, largest difference first."""
_COLUMNS = "game move name kind xgid chosen best equity best_equity error counted ply".split()


class ComparedDecision(NamedTuple):
    """Decision with the analyses of bgfast and of the file."""

    match: str  # name of the match
    analysed: AnalysedDecision
    recorded: RecordedJudgement

    @property
    def difference(self) -> float:
        """Error according to bgfast minus the error according to the file."""
        return self.analysed.error - self.recorded.error

    @property
    def place(self) -> str:
        """Match, game and line of the score sheet, as "a.xg, game 2, move 5"."""
        recorded = self.analysed.recorded
        return f"{one_line(self.match)}, game {recorded.game}, move {recorded.move}"

    @property
    def agrees(self) -> bool:
        """True if both analyses have the same best choice."""
        return self.analysed.best.text == self.recorded.best.text


class ComparedPlayer(NamedTuple):
    """PR of a player in a match, over the decisions with both analyses; None if no decision counts."""

    match: str  # name of the match
    name: str
    pr: float | None  # according to bgfast
    recorded_pr: float | None  # according to the analysis in the file

    @property
    def gap(self) -> float | None:
        """PR according to bgfast minus the PR according to the file."""
        return None if self.pr is None or self.recorded_pr is None else self.pr - self.recorded_pr


class AnalysisComparison(Tabular):
    """Comparison of analyses of matches with the analyses in their files; a table, one row per decision.

    Parameters
    ----------
    analyses : iterable of MatchAnalysis
        Analyses of matches whose files have an analysis.
    names : sequence of str, optional
        Distinct names of the matches, such as file names; by default "match 1" and so on.

    Attributes
    ----------
    analyses : tuple of MatchAnalysis
    names : tuple of str
    decisions : tuple of ComparedDecision
        Unforced decisions with both analyses, in the order of play.
    players : tuple of ComparedPlayer
        Two for each match.
    findings : tuple of Finding
        One for each match whose file lacks the analysis of some decisions.

    Raises
    ------
    BgfastError
        If an analysis is invalid, or the analyses do not have one distinct name each.

    See Also
    --------
    bgfast.analyse_match : Analyse a match.
    bgfast.Match.recorded_analysis : The analysis in the file.

    Notes
    -----
    Do not modify; safe to share between threads. Resignations and beavers are not compared.

    Examples
    --------
    >>> import bgfast
    >>> comparison = bgfast.matches.AnalysisComparison([bgfast.analyse_match(bgfast.Match(3), ply=0)])
    >>> comparison.decisions, comparison.mean_gap
    ((), None)
    """

    def __init__(self, analyses: Iterable[MatchStatistics], names: Sequence[str] | None = None) -> None:
        self.analyses = tuple(analyses)
        for analysis in self.analyses:
            if not isinstance(analysis, MatchStatistics):
                raise BgfastError(f"an analysis is {short_repr(analysis)}; expected a MatchAnalysis")
        default_names = [f"match {index}" for index in range(1, len(self.analyses) + 1)]
        self.names = tuple(default_names if names is None else names)
        distinct_count = len(set(self.names))
        if not distinct_count == len(self.names) == len(self.analyses):
            problem = f"{len(self.names)} names, {distinct_count} of them distinct"
            raise BgfastError(f"{problem}; expected a distinct name for each of {len(self.analyses)} matches")
        decisions: list[ComparedDecision] = []
        players: list[ComparedPlayer] = []
        findings: list[Finding] = []
        for name, analysis in zip(self.names, self.analyses, strict=True):
            unforced = [
                (analysed, recorded)
                for analysed, recorded in zip(analysis.decisions, analysis.recorded_judgements, strict=True)
                if analysed.recorded.kind != "resignation" and not analysed.forced
            ]
            compared = [ComparedDecision(name, item, recorded) for item, recorded in unforced if recorded]
            decisions += compared
            players += [_player(name, analysis, player, compared) for player in (0, 1)]
            if missing_count := len(unforced) - len(compared):
                text = f"the file has no usable analysis of {missing_count} of {len(unforced)} decisions"
                findings.append(Finding("note", "analysis", text, name, 1, 1))
        self.decisions = tuple(decisions)
        self.players = tuple(players)
        self.findings = tuple(findings)

    # ---------------------------------------------------------------- figures

    @property
    def gaps(self) -> tuple[float, ...]:
        """Gaps of the players with a PR in both analyses."""
        return tuple(gap for player in self.players if (gap := player.gap) is not None)

    @property
    def mean_gap(self) -> float | None:
        """Mean absolute gap of the players' PR; None without gaps."""
        return float(np.mean(np.abs(self.gaps))) if self.gaps else None

    @property
    def bias(self) -> float | None:
        """Mean signed gap of the players' PR; None without gaps."""
        return float(np.mean(self.gaps)) if self.gaps else None

    @property
    def within_one(self) -> int:
        """Number of players whose PRs differ by 1.0 or less."""
        return sum(abs(gap) <= 1 for gap in self.gaps)

    @property
    def correlation(self) -> float | None:
        """Correlation of the errors of decisions; None if either analysis's errors are all equal."""
        errors = np.array([[item.analysed.error, item.recorded.error] for item in self.decisions])
        if len(errors) < 2 or not errors.std(0).all():
            return None
        return float(np.corrcoef(errors.T)[0, 1])

    def agreement(self, *kinds: str) -> float | None:
        """Return the fraction of decisions of these kinds with the same best choice; None without any."""
        agreements = [item.agrees for item in self._decisions_of(kinds)]
        return sum(agreements) / len(agreements) if agreements else None

    def cost(self, *kinds: str) -> float | None:
        """Return the cost of bgfast's choices at the file's equities, as a PR; None without decisions.

        Only decisions that the file counts, and for which it lists bgfast's choice, contribute.
        """
        losses = [
            loss
            for item in self._decisions_of(kinds)
            if item.recorded.counted and (loss := item.recorded.loss_of(item.analysed.best.text)) is not None
        ]
        return 500 * sum(losses) / len(losses) if losses else None

    def worst(self, limit: int = WORST) -> tuple[ComparedDecision, ...]:
        """Return up to `limit` decisions whose errors differ most, largest difference first.

        Raises `BgfastError` if `limit` is invalid.
        """
        maximum = validate_number("worst", limit)
        decisions = [item for item in self.decisions if item.difference]
        return tuple(sorted(decisions, key=lambda item: -abs(item.difference))[:maximum])

    def analysis_of(self, item: ComparedDecision) -> MatchStatistics:
        """Return the analysis of the match of a decision."""
        return self.analyses[self.names.index(self._validate_item(item).match)]

    def _validate_item(self, item: Any) -> ComparedDecision:
        if not isinstance(item, ComparedDecision) or item.match not in self.names:
            raise BgfastError(f"item is {short_repr(item)}; expected a decision of the comparison")
        return item

    def _decisions_of(self, kinds: Sequence[str]) -> list[ComparedDecision]:
        return [item for item in self.decisions if item.analysed.recorded.kind in kinds]

    # ---------------------------------------------------------------- export

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each decision, in the order of play."""
        return [self._row(item) for item in self.decisions]

    def _row(self, item: ComparedDecision) -> dict[str, Any]:
        row = decision_row(item.analysed, self.analysis_of(item).names)
        return {"match": item.match} | {name: row[name] for name in _COLUMNS} | judgement_row(item.recorded)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        cube = "double", "take"
        costs = {"plays": self.cost("play"), "cube": self.cost(*cube), "both": self.cost("play", *cube)}
        return {
            "players": [{**player._asdict(), "gap": player.gap} for player in self.players],
            "mean_gap": self.mean_gap,
            "bias": self.bias,
            "within_one": self.within_one,
            "correlation": self.correlation,
            "play_agreement": self.agreement("play"),
            "cube_agreement": self.agreement(*cube),
            "cost": costs,
            "findings": [finding._asdict() for finding in self.findings],
            "decisions": self.rows(),
        }

    @returns_text
    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    @returns_text
    def to_text(self, worst: int = WORST) -> str:
        """Return the report for a terminal, with up to `worst` decisions that differ most."""
        lines = [f"{'PR':<24}{'bgfast':>8}{'file':>8}{'gap':>8}"]
        for index, player in enumerate(self.players):
            if index % 2 == 0:
                lines.append(one_line(player.match))
            cells = _cells((player.pr, player.recorded_pr), ".2f") + _cells([player.gap], "+.2f")
            lines.append(f"{'  ' + one_line(player.name)[:21]:<24}{cells}")
        figures = (
            ("mean gap, within 1.0", self.mean_gap, ".2f", f", {self.within_one} of {len(self.gaps)}"),
            ("mean signed gap", self.bias, "+.2f", ""),
            ("correlation of errors", self.correlation, ".3f", ""),
            ("same best play", self.agreement("play"), ".1%", ""),
            ("same cube action", self.agreement("double", "take"), ".1%", ""),
            ("cost of bgfast's choices", self.cost("play", "double", "take"), ".3f", ""),
        )
        lines += [
            "",
            *(f"{label:<24}{_cells([figure], form)}{note}" for label, figure, form, note in figures),
        ]
        lines += [f"note: {one_line(finding.file)}: {finding.message}" for finding in self.findings]
        if largest := self.worst(worst):
            lines += ["", "Largest differences (errors: bgfast, file):", *map(self.line, largest)]
        return "\n".join(lines)

    def line(self, item: ComparedDecision) -> str:
        """Return a decision as one line, with the equities of both analyses."""
        analysed, recorded = self._validate_item(item).analysed, item.recorded
        return (
            f"{analysed.error:.3f} {recorded.error:.3f}: {item.place}: {choice_line(analysed)} "
            f"{analysed.chosen.equity:+.3f} {recorded.chosen.equity:+.3f}; best {analysed.best.text} "
            f"{analysed.best.equity:+.3f}, by the file {recorded.best.text} {recorded.best.equity:+.3f} "
            f"({one_line(recorded.best.level) or 'level unknown'})"
        )

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.analyses)} matches, {len(self.decisions)} decisions>"


def _player(
    match: str, analysis: MatchStatistics, player: int, decisions: Sequence[ComparedDecision]
) -> ComparedPlayer:
    player_decisions = [item for item in decisions if item.analysed.recorded.player == player]
    one_point = analysis.match.length == 1
    errors = [item.analysed.error for item in player_decisions if is_counted(item.analysed)]
    recorded_errors = [item.recorded.error for item in player_decisions if item.recorded.counted]
    pr, recorded_pr = (pr_of(values, one_point=one_point) for values in (errors, recorded_errors))
    return ComparedPlayer(match, analysis.names[player], pr, recorded_pr)


def _cells(values: Sequence[float | None], form: str) -> str:
    return "".join(f"{'-' if value is None else format(value, form):>8}" for value in values)
