"""Match report: rows of rates, errors and luck, and the output for a terminal, CSV and JSON.

`match_sections` returns the rows of rates, errors and luck with their titles; `text_report` and
`html_report` list them. To add a row, add it to its section. A new section for terminals must also be in
`TERMINAL_SECTIONS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from bgfast.analysis.matches.analysed import (
    ERROR_KINDS,
    AnalysedDecision,
    AnalysedRoll,
    ErrorKind,
    Status,
    fields_of,
    judgement_row,
    roll_text,
)
from bgfast.analysis.matches.error_details import (
    ErrorDetails,
    error_details,
    half_width_text,
    largest_errors,
    rollout_status,
)
from bgfast.analysis.matches.match_statistics import (
    CUBE_KINDS,
    ERROR_LIMITS,
    GameStatistics,
    MatchStatistics,
    PlayerNames,
    Rates,
    error_word,
    rating_word,
)
from bgfast.common.text import clean_line, cut, pluralize
from bgfast.errors import one_line
from bgfast.records.replay import unread_games

# ---- figures and rows ----


class Figure(NamedTuple):
    """Value in a report: a number with its format, or a text."""

    value: float | str | None  # None: nothing to show
    form: str = ""
    standard_error: float | None = None
    mwc: float | None = None  # `value` as match winning chance

    def text(self, missing: str = "-") -> str:
        """Return the value as text, with half the width of its 95 % interval if it has a standard error."""
        if self.value is None:
            return missing
        digits = int(self.form[-2]) if self.standard_error else 0
        return f"{self.value:{self.form}}{half_width_text(self.standard_error, digits)}"


class Row(NamedTuple):
    """Row of a report."""

    title: str  # in an HTML report
    label: str  # in a terminal, up to `LABEL_WIDTH` characters; empty if only HTML reports show the row
    figures: tuple[Figure, ...]  # of players 0 and 1


Sections = dict[str, list[Row]]
"""Rows by heading, in the order of an HTML report."""
TERMINAL_SECTIONS = (
    *("Rating", "Number of decisions", "Cost of errors", "Cost of errors by phase", "Number of errors"),
    "Luck",
)
"""Sections in the order of the terminal report, which has no headings."""

RATES: Mapping[str, Callable[[Rates], Figure]] = {
    "PR": lambda rates: Figure(rates.pr, ".2f", rates.pr_se),
    "checker": lambda rates: Figure(rates.checker_pr, ".2f", rates.pr_by_kind("play")[1]),
    "cube": lambda rates: Figure(rates.cube_pr, ".2f", rates.pr_by_kind(*CUBE_KINDS)[1]),
    "GNU": lambda rates: Figure(rates.gnubg_error_rate, ".2f", rates.gnubg_error_rate_se),
    "Snowie": lambda rates: Figure(rates.snowie_error_rate, ".2f", rates.snowie_error_rate_se),
    "error": lambda rates: Figure(rates.error, ".3f", rates.error_se),
}
"""Functions that return one of a player's rates, by column heading."""


def rate(name: str, rates: Rates, missing: str = "-") -> str:
    """Return one of `RATES` as text, without its interval."""
    return RATES[name](rates)._replace(standard_error=None).text(missing)


def error_kinds(rates: Rates) -> list[ErrorKind]:
    """Return the kinds of errors that count."""
    return [kind for kind in ERROR_KINDS if kind != "resignation" or rates.counts_resignations]


def rate_sections(pair: Sequence[Rates]) -> Sections:
    """Return the rows of the rates of both players, in a game or a match."""

    def rate_row(title: str, label: str, name: str) -> Row:
        return Row(title, label, tuple(map(RATES[name], pair)))

    def cost_row(kind: ErrorKind) -> Row:
        costs = (Figure(rates.errors[kind], ".3f", mwc=rates.errors_mwc.get(kind)) for rates in pair)
        return Row(kind, f"  {kind}", tuple(costs))

    plays = [f"{rates.plays}, {rates.unforced_plays}" for rates in pair]
    cube_actions = [f"{rates.cube_decisions}, {rates.close_cube_decisions}" for rates in pair]
    sections = {
        "Rating": [
            rate_row("PR", "PR", "PR"),
            rate_row("PR of checker plays", "  checker plays", "checker"),
            rate_row("PR of cube actions", "  cube actions", "cube"),
            rate_row("GNU Backgammon's error rate", "error rate (GNU)", "GNU"),
            rate_row("Snowie's error rate", "error rate (Snowie)", "Snowie"),
        ],
        "Number of decisions": [
            _row("plays, unforced", "plays, unforced", plays),
            _row("cube actions, close", "cube, close", cube_actions),
            _row("counted for PR", "", [rates.pr_decisions for rates in pair]),
        ],
        "Number of errors": [
            _row(
                f"{word}s ({limit:g} and more)",
                f"  {word}s ({limit:g}+)",
                [rates.number_of(word) for rates in pair],
            )
            for word, limit in ERROR_LIMITS.items()
        ],
        "Cost of errors": [
            rate_row("all errors (EMG)", "error, points (EMG)", "error"),
            *map(cost_row, error_kinds(pair[0])),
        ],
    }
    if not pair[0].counts_resignations and any(rates.resignations for rates in pair):
        costs = [rates.errors["resignation"] for rates in pair]
        sections["Cost of errors"].append(
            _row("not counted: resignation", "resigned, uncounted", costs, ".3f")
        )
    return sections


def game_sections(game: GameStatistics) -> Sections:
    """Return the rows of a game."""
    return rate_sections(game.rates) | {"Luck": [_row("luck (EMG)", "luck, points (EMG)", game.luck, "+.3f")]}


def match_sections(analysis: MatchStatistics) -> Sections:
    """Return the rows of a match."""
    sections = rate_sections(analysis.rates)
    ratings = ["" if rates.pr is None else rating_word(rates.pr) for rates in analysis.rates]
    sections["Rating"].insert(1, _row("eXtreme Gammon's rating", "", ratings))
    if any(analysis.recorded_judgements):
        file_row = _row("PR by the file's analysis", "PR by the file", analysis.recorded_prs, ".2f")
        sections["Rating"].insert(2, file_row)
    sections["Cost of errors by phase"] = [
        _row(f"in the {phase}", f"  in the {phase}", [rates.error for rates in pair], ".3f")
        for phase, pair in analysis.phases.items()
    ]
    luck = [_row("luck (EMG)", "luck, points (EMG)", analysis.luck, "+.3f")]
    if analysis.luck_mwc is not None:
        luck.append(_row("luck (MWC)", "luck, match (MWC)", analysis.luck_mwc, "+.2%"))
    title, adjusted = "luck-adjusted result", analysis.luck_adjusted_result
    if adjusted is not None and analysis.match.length is None:
        luck.append(_row(title, "luck-adjusted points", (adjusted, -adjusted), "+.3f"))
    elif adjusted is not None:
        luck.append(_row(title, title, (adjusted, 1 - adjusted), ".2%"))
    return sections | {"Luck": luck}


def _row(title: str, label: str, values: Sequence[float | str | None], form: str = "") -> Row:
    return Row(title, label, tuple(Figure(value, form) for value in values))


# ---- terminal ----


LISTED_ROLLS = 3
"""Maximum number of lucky and of unlucky rolls that a report lists."""
LUCK_MEASURE = "Luck is how much better a roll is than the mean of all 21 rolls."
REPORT_WIDTH = 50  # width of the summary and the games, for a narrow terminal
LABEL_WIDTH = 20
RATE_WIDTH = 7


def text_report(
    analysis: MatchStatistics, worst: int, player: PlayerNames | None = None, *, cut_names: bool = True
) -> str:
    """Return the text of `MatchAnalysis.to_text`; `cut_names` cuts names to fit a narrow terminal."""
    first, second = map(one_line, analysis.names)
    head = f"{first} - {second}: {match_state(analysis)} ({clean_line(settings_text(analysis))})"
    lines = [head, "", *_summary(analysis, cut_names), "", *_games(analysis, cut_names)]
    if analysis.is_rolled_out:
        lines += ["", rollout_line(analysis)]
    if analysis.rolls:
        lines += ["", clean_line(luck_sentence(analysis))]
    for heading, rolls in luck_extremes(analysis).items():
        lines += [f"{heading}:", *(roll_line(roll, analysis.names) for roll in rolls)]
    if decisions := analysis.worst(worst, player):
        lines += ["", "Largest errors:", *(decision_line(item, analysis.names) for item in decisions)]
    return "\n".join(lines)


def rollout_line(analysis: MatchStatistics) -> str:
    """Return the numbers of decisions by the status of their rollout, as one line."""
    counts = Counter(decision.status for decision in analysis.decisions)
    return "Decisions: " + ", ".join(f"{counts[status]} {status}" for status in get_args(Status))


def fit_names(names: Iterable[str], max_width: int, cut_names: bool) -> list[str]:
    """Return names without line breaks, cut to the maximum width if `cut_names` is true."""
    lines = map(one_line, names)
    return [cut(line, max_width) for line in lines] if cut_names else list(lines)


def settings_text(analysis: MatchStatistics) -> str:
    """Return the settings of the analysis in one line, as recorded."""
    return ", ".join(f"{name} {value}" for name, value in analysis.settings.items())


def match_state(analysis: MatchStatistics) -> str:
    """Return length and score of a match, and the numbers of games that are unread or have unknown boards."""
    unread, count = unread_games(analysis.match), analysis.match.state.number
    count = max([count, *unread])
    games_read = f", {count - len(unread)} of {count} games read" if unread else ""
    score = "{}-{}".format(*analysis.match.score)
    length, state, unknown = match_length(analysis)
    return f"{length}, score {score}{state}{games_read}{unknown}"


def match_length(analysis: MatchStatistics) -> tuple[str, str, str]:
    """Return the length of a match, with suffixes for an unfinished match and games with unknown boards."""
    match, count = analysis.match, len(analysis.unknown_moves)
    length = "money games" if match.length is None else f"match to {match.length}"
    state = "" if match.length is None or match.winner is not None else ", not finished"
    return length, state, f", board unknown in {pluralize(count, 'game')}" if count else ""


def _summary(analysis: MatchStatistics, cut_names: bool) -> list[str]:
    width = (REPORT_WIDTH - LABEL_WIDTH) // 2
    names = fit_names(analysis.names, width - 1, cut_names)
    width = max(width, 1 + max(map(len, names)))
    sections = match_sections(analysis)
    report_rows = [row for name in TERMINAL_SECTIONS for row in sections[name] if row.label]
    rows = [("", names), *((row.label, [figure.text() for figure in row.figures]) for row in report_rows)]
    return [f"{label:<{LABEL_WIDTH}}{first:>{width}}{second:>{width}}" for label, (first, second) in rows]


def _games(analysis: MatchStatistics, cut_names: bool) -> list[str]:
    """Return lines with the PR, both error rates and luck of each player in each game."""
    pr = RATES["PR"]
    pr_width = max([RATE_WIDTH, *(len(pr(rates).text()) for game in analysis.games for rates in game.rates)])
    names = fit_names(analysis.names, REPORT_WIDTH - 1 - pr_width - 3 * (1 + RATE_WIDTH), cut_names)
    name_width = max(map(len, names))

    def line(name: str, first: str, *others: str) -> str:
        return " ".join(
            [f"{name:<{name_width}} {first:>{pr_width}}", *(f"{cell:>{RATE_WIDTH}}" for cell in others)]
        )

    lines = [line("", "PR", "GNU", "Snowie", "luck")]
    for game in analysis.games:
        lines.append(f"game {game.number}, {game.score[0]}-{game.score[1]}: {game.outcome(names)}")
        lines += [f"  {span}" for span in game.unknown]
        for name, rates, luck in zip(names, game.rates, game.luck, strict=True):
            others = rate("GNU", rates), rate("Snowie", rates), f"{luck:+.3f}"
            lines.append(line(name, pr(rates).text(), *others))
    return lines


def luck_sentence(analysis: MatchStatistics) -> str:
    """Return the net luck, and the result without luck if the match is over."""
    net, adjusted = analysis.net_luck, analysis.luck_adjusted_result
    lucky_player, opponent = analysis.names if net >= 0 else analysis.names[::-1]
    in_match = analysis.match.length is not None
    amount = f"{abs(net):.1%} luckier" if in_match else f"luckier by {abs(net):.3f} points, cube included"
    result = ""
    if adjusted is not None and in_match:
        win = adjusted if net >= 0 else 1 - adjusted
        result = f"; without luck the match is {win:.1%} for {lucky_player}, {1 - win:.1%} for {opponent}"
    elif adjusted is not None:
        result = f"; without luck {lucky_player} has {adjusted if net >= 0 else -adjusted:+.3f} points"
    return f"{lucky_player} was {amount}{result}. {LUCK_MEASURE}"


def luck_extremes(analysis: MatchStatistics) -> dict[str, tuple[AnalysedRoll, ...]]:
    """Return the luckiest and the unluckiest rolls under their headings."""
    counts = {"Luckiest rolls": LISTED_ROLLS, "Unluckiest rolls": -LISTED_ROLLS}
    extremes = {heading: analysis.luckiest_rolls(count) for heading, count in counts.items()}
    return {heading: rolls for heading, rolls in extremes.items() if rolls}


def roll_line(roll: AnalysedRoll, names: Sequence[str]) -> str:
    """Return the luck of a roll as one line."""
    recorded, mwc = roll.recorded, roll.luck_mwc
    weighted = f"{recorded.decision.cube * roll.luck:+.3f} points" if mwc is None else f"{mwc:+.2%}"
    place = f"game {recorded.game}, move {recorded.move}, {one_line(names[recorded.player])}"
    return f"{roll.luck:+6.3f} ({weighted}): {place}: {roll_text(recorded.roll)}"


def decision_line(decision: AnalysedDecision, names: Sequence[str]) -> str:
    """Return an error as one line."""
    recorded = decision.recorded
    mwc = "" if decision.error_mwc is None else f" ({-decision.error_mwc:+.2%})"
    label = ", ".join(filter(None, [error_word(decision.error), rollout_status(decision)]))
    error = f"{-decision.error:+6.3f}{half_width_text(decision.error_se, 3)}{mwc}"
    return (
        f"{f'{error} {label}'.rstrip()}: game {recorded.game}, move {recorded.move}, "
        f"{one_line(names[recorded.player])}: {choice_line(decision)}; best {decision.best.text}"
    )


def choice_line(decision: AnalysedDecision) -> str:
    """Return the recorded choice, after the roll of a play: ``"31: 8/5 6/5"``."""
    roll = roll_text(decision.recorded.decision.dice).replace("-", "")
    return f"{roll}: {decision.recorded.chosen}" if roll else decision.recorded.chosen


def boards_text(analysis: MatchStatistics, worst: int, player: PlayerNames | None = None) -> str:
    """Return the text of `MatchAnalysis.to_boards`."""
    details = (error_details(decision, analysis) for decision in largest_errors(analysis, worst, player))
    return "\n\n".join(_error_board(rank, item) for rank, item in enumerate(details, 1))


def _error_board(rank: int, details: ErrorDetails) -> str:
    status = f" ({details.status})" if details.status else ""
    lines = [
        f"#{rank} {details.headline}{status}",
        f"{one_line(details.name)} ({details.side}) {details.situation}",
        f"Game {details.game}, move {details.move}. {one_line(details.context)}",
        *details.board_text.splitlines(),
        f"played {details.chosen}, best {details.best}",
        *([f"Proper: {details.proper_action}"] if details.proper_action else []),
        *filter(None, [details.explanation.why, details.explanation.more]),
    ]
    texts = [f"  {item.text}" if item.is_answer else item.text for item in details.candidates]
    width = max(map(len, texts))
    for text, item in zip(texts, details.candidates, strict=True):
        values = f"{item.equity_text}  {item.loss:>6}  {item.level}  {item.role}"
        lines.append(f"  {text:<{width}}  {values}".rstrip())
    return "\n".join(lines)


# ---- CSV and JSON ----


def decision_rows(analysis: MatchStatistics) -> list[dict[str, Any]]:
    """Return a row for each decision, in the order of play."""
    origin = {"preset": analysis.settings.get("preset"), "date": analysis.match.info.date}
    return [
        decision_row(decision, analysis.names)
        | fields_of(analysis.roll_of(decision), "luck luck_mwc")
        | judgement_row(recorded)
        | origin
        for decision, recorded in zip(analysis.decisions, analysis.recorded_judgements, strict=True)
    ]


def match_content(analysis: MatchStatistics) -> dict[str, Any]:
    """Return an analysis as plain data for JSON."""
    match, phases, names = analysis.match, analysis.phases, analysis.names
    rolls: list[dict[str, Any]] = [
        fields_of(roll.recorded, "game move player")
        | {"roll": "{}-{}".format(*roll.recorded.roll)}
        | fields_of(roll, "luck luck_mwc")
        for roll in analysis.rolls
    ]
    return {
        "players": list(analysis.names),
        "length": match.length,
        "score": list(match.score),
        "findings": [finding._asdict() for finding in match.findings],
        **fields_of(match.info, "event date"),
        "settings": analysis.settings,
        "summary": [_player_content(analysis, player) for player in (0, 1)],
        "luck_adjusted_result": analysis.luck_adjusted_result,
        "phases": {phase: list(map(_rates_content, pair)) for phase, pair in phases.items()},
        "games": [_game_content(game) for game in analysis.games],
        "decisions": [row | {"name": names[row["player"]]} for row in decision_contents(analysis)],
        "rolls": [row | {"name": names[row["player"]]} for row in rolls],
    }


def decision_contents(analysis: MatchStatistics) -> list[dict[str, Any]]:
    """Return the decisions as plain data for JSON."""
    return [
        decision.to_dict() | {"recorded": None if recorded is None else recorded.to_dict()}
        for decision, recorded in zip(analysis.decisions, analysis.recorded_judgements, strict=True)
    ]


def _player_content(analysis: MatchStatistics, player: int) -> dict[str, Any]:
    luck_mwc = analysis.luck_mwc
    return {
        **_rates_content(analysis.rates[player]),
        "recorded_pr": analysis.recorded_prs[player],
        "luck": analysis.luck[player],
        "luck_mwc": None if luck_mwc is None else luck_mwc[player],
    }


_RATES = (
    "pr checker_pr cube_pr gnubg_error_rate snowie_error_rate error "
    "pr_se gnubg_error_rate_se snowie_error_rate_se error_se "
    "plays unforced_plays counted_plays cube_decisions close_cube_decisions counted_cube_decisions "
    "resignations counts_resignations"
)


def _rates_content(rates: Rates) -> dict[str, Any]:
    return {
        **fields_of(rates, _RATES),
        "errors": dict(rates.errors),
        "errors_mwc": dict(rates.errors_mwc),
        "marks": dict(rates.marks),
        "turns": rates.turns,
    }


def _game_content(game: GameStatistics) -> dict[str, Any]:
    pairs = zip(game.rates, game.luck, strict=True)
    return {
        "game": game.number,
        "score": list(game.score),
        **fields_of(game.result, "winner points ending"),
        "unknown_moves": [list(span) for span in game.unknown],
        "summary": [{**_rates_content(rates), "luck": luck} for rates, luck in pairs],
    }


def decision_row(analysed: AnalysedDecision, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns of a decision."""
    content = analysed.to_dict()
    del content["choices"]
    place = fields_of(analysed.recorded, "game move player")
    return {**place, "name": names[analysed.recorded.player]} | content
