"""HTML report of a match: one self-contained page without scripts or external resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bgfast.analysis.matches.analysed import NORMAL_95, AnalysedDecision, Choice
from bgfast.analysis.matches.curves import error_curve, winning_curve
from bgfast.analysis.matches.match_statistics import MIN_LISTED_ERROR, GameStatistics, MatchStatistics
from bgfast.analysis.matches.rates import ERROR_KINDS, MARKS, ErrorKind, Rates, error_mark
from bgfast.analysis.matches.recorded_judgement import RecordedJudgement
from bgfast.analysis.matches.text_report import rollout_line
from bgfast.common.probabilities import percent
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.position.board_svg import diagram_svg

__all__ = ["html_report"]

_PROBABILITY_COLUMNS = ("win", "win g", "win bg", "lose g", "lose bg")
_BOARD_COLOURS = {"background": "none", "text": "currentColor"}
"""Page colours for the text around a board, which is then readable in light and dark mode."""
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --soft: #666; --rule: #ccc; --first: #0a5fb4;
  --second: #b3400a; --doubtful: #7a6a00; --bad: #b34700; --very-bad: #b00020; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181b; --soft: #aaa; --rule: #444;
  --first: #6db3ff; --second: #ff9d66; --doubtful: #e0cc50; --bad: #ff9d4d; --very-bad: #ff7b8a; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; }
p.note, caption, .soft { color: var(--soft); }
table { border-collapse: collapse; margin: .7rem 0; }
th, td { border-bottom: 1px solid var(--rule); padding: .2rem .7rem .2rem 0; text-align: right;
  white-space: nowrap; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
tr.chosen td { font-weight: 600; }
.doubtful { color: var(--doubtful); } .bad { color: var(--bad); } .very-bad { color: var(--very-bad); }
.wide { overflow-x: auto; }
.decision { break-inside: avoid; border-top: 1px solid var(--rule); padding-top: .5rem; margin-top: 1.2rem; }
.decision svg { max-width: 26rem; width: 100%; height: auto; }
svg.curve { width: 100%; height: auto; }
svg .grid { stroke: var(--rule); } svg .game { stroke: var(--rule); stroke-dasharray: 3 3; }
svg .tick { fill: var(--soft); font-size: 11px; }
svg .line { fill: none; stroke-width: 2; }
svg .first { stroke: var(--first); } svg .second { stroke: var(--second); }
.key.first { color: var(--first); } .key.second { color: var(--second); }
@media print { body { margin: 0; max-width: none; font-size: 11pt; }
  h2, h3, summary { break-after: avoid; } tr, svg { break-inside: avoid; }
  details::details-content { content-visibility: visible; } .wide { overflow: visible; }
  th, td { padding-right: .4rem; } }
"""


def html_report(analysis: MatchStatistics, worst: int) -> str:
    """Return the report of a match as a self-contained HTML page.

    Parameters
    ----------
    analysis : MatchStatistics
    worst : int
        Maximum number of decisions shown with their boards, largest errors first.

    Returns
    -------
    str
        HTML in which recorded names and comments are escaped.
    """
    first, second = map(escape, analysis.names)
    title = f"{first} - {second}"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{title}</h1>",
        f'<p class="note">{escape(_description(analysis))}</p>',
        "<h2>Summary</h2>",
        _summary(analysis),
        *([f"<p>{rollout_line(analysis)}.</p>"] if analysis.is_rolled_out else []),
        f"<h2>{_winning_curve_title(analysis)}</h2>",
        winning_curve(analysis),
        f'<h2>Cumulative errors: <span class="key first">{first}</span>, '
        f'<span class="key second">{second}</span></h2>',
        error_curve(analysis),
    ]
    decisions = analysis.worst(worst)
    if decisions:
        parts.append("<h2>Largest errors</h2>")
        parts += [_decision(decision, analysis) for decision in decisions]
    parts.append("<h2>Games</h2>")
    parts += [_game(game, analysis) for game in analysis.games]
    return "\n".join([*parts, "</body></html>", ""])


def _description(analysis: MatchStatistics) -> str:
    match, info = analysis.match, analysis.match.info
    length = "Money games" if match.length is None else f"Match to {match.length}"
    score = "{}-{}".format(*match.score)
    state = "" if match.length is None or match.winner is not None else ", not finished"
    settings = ", ".join(f"{name} {value}" for name, value in analysis.settings.items())
    details = [detail for detail in (info.event, info.date, info.site) if detail]
    return f"{'. '.join([*details, f'{length}: {score}{state}'])}. Analysed: {settings}."


def _winning_curve_title(analysis: MatchStatistics) -> str:
    name = escape(analysis.names[0])
    if analysis.match.length is None:
        return f"{name}'s equity in points"
    return f"{name}'s match winning chance"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Cells are HTML, already escaped."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _number(value: float | None, form: str = ".2f") -> str:
    return "" if value is None else format(value, form)


def _half_width(error: float | None, digits: int = 2) -> str:
    """Return the half-width of the 95 % interval; empty without a standard error."""
    return f" ± {NORMAL_95 * error:.{digits}f}" if error else ""


def _summary(analysis: MatchStatistics) -> str:
    luck_mwc = analysis.luck_mwc
    rows = _rate_rows(analysis.rates)
    if any(analysis.recorded_judgements):
        rows.insert(1, ["PR by the file's analysis", *map(_number, analysis.recorded_prs)])
    rows += [
        [f"of which: in the {phase}", *(_number(rates.error, ".3f") for rates in both)]
        for phase, both in analysis.phases.items()
    ]
    rows += _mark_and_luck_rows(analysis)
    if luck_mwc is not None:
        rows.append(["Luck (MWC)", *(_number(luck, "+.2%") for luck in luck_mwc)])
    adjusted = analysis.luck_adjusted_result
    if adjusted is not None:
        form = "+.3f" if analysis.match.length is None else ".2%"
        other = -adjusted if analysis.match.length is None else 1 - adjusted
        rows.append(["Luck-adjusted result", _number(adjusted, form), _number(other, form)])
    return _table(["", *map(escape, analysis.names)], rows)


def _rate_rows(both: Sequence[Rates]) -> list[list[str]]:
    """Return table rows with the rates and errors of both players."""
    return [
        ["PR", *(_number(rates.pr) + _half_width(rates.pr_se) for rates in both)],
        [
            "GNU Backgammon's error rate",
            *(_number(rates.gnubg_error_rate) + _half_width(rates.gnubg_error_rate_se) for rates in both),
        ],
        [
            "Snowie's error rate",
            *(_number(rates.snowie_error_rate) + _half_width(rates.snowie_error_rate_se) for rates in both),
        ],
        ["Plays, unforced", *(f"{rates.plays}, {rates.unforced_plays}" for rates in both)],
        [
            "Cube decisions, close",
            *(f"{rates.cube_decisions}, {rates.close_cube_decisions}" for rates in both),
        ],
        [
            "Total error (EMG)",
            *(_number(rates.error, ".3f") + _half_width(rates.error_se, 3) for rates in both),
        ],
        *([_error_label(kind, both), *(_error_cell(rates, kind) for rates in both)] for kind in ERROR_KINDS),
    ]


def _error_label(kind: ErrorKind, both: Sequence[Rates]) -> str:
    if kind == "resignation" and not any(rates.counts_resignations for rates in both):
        return "Not counted: resignation"
    return f"of which: {kind}"


def _mark_and_luck_rows(statistics: MatchStatistics | GameStatistics) -> list[list[str]]:
    """Return table rows with the number of decisions of each mark, and luck."""
    return [
        *(
            [
                f'<span class="{_css_class(mark)}">{mark}</span>',
                *(str(rates.marks[mark]) for rates in statistics.rates),
            ]
            for mark in MARKS
        ),
        ["Luck (EMG)", *(_number(luck, "+.3f") for luck in statistics.luck)],
    ]


def _error_cell(rates: Rates, kind: ErrorKind) -> str:
    error_mwc = rates.errors_mwc.get(kind)
    return _number(rates.errors[kind], ".3f") + ("" if error_mwc is None else f" ({error_mwc:.2%})")


def _css_class(mark: str) -> str:
    return mark.replace(" ", "-")


def _decision(decision: AnalysedDecision, analysis: MatchStatistics) -> str:
    recorded, names = decision.recorded, analysis.names
    mark = error_mark(decision.error)
    player = f"{names[recorded.player]} ({PLAYER_NAMES[recorded.player]})"
    head = f"Game {recorded.game}, move {recorded.move}: {player}"
    error = f"{decision.error:.3f}{_half_width(decision.error_se, 3)}" + (
        "" if decision.error_mwc is None else f", {decision.error_mwc:.2%} of the match"
    )
    mark_html = f'<span class="{_css_class(mark)}">{mark}</span>, ' if mark else ""
    status = "" if decision.status == "not rolled out" else f"; {decision.status}"
    judgement = _recorded(analysis.recorded_judgement_of(decision))
    picture = diagram_svg(recorded.decision._diagram(), size=420, colours=_BOARD_COLOURS)
    return (
        f'<div class="decision"><h3>{escape(head)}</h3><p>{mark_html}error {error}{status}</p>\n{picture}\n'
        f"{_choice_table(decision)}{judgement}<p class='soft'>{escape(recorded.decision.xgid)}</p></div>"
    )


def _recorded(judgement: RecordedJudgement | None) -> str:
    """Return the judgement of the file as a paragraph; empty without one."""
    if judgement is None:
        return ""
    best, chosen = judgement.best, judgement.chosen
    text = f"Analysis in the file: {best.text} {best.equity:+.3f} ({best.level})"
    if chosen != best:
        text += f"; {chosen.text} {chosen.equity:+.3f} ({chosen.level}), error {judgement.error:.3f}"
    return f"<p>{escape(text)}</p>"


def _choice_table(decision: AnalysedDecision) -> str:
    head = ["", "ply", "equity", "difference", *_PROBABILITY_COLUMNS]
    with_mwc = decision.best.mwc is not None
    if with_mwc:
        head.insert(4, "match")
    rows = []
    for choice in decision.choices:
        is_chosen = choice.text == decision.recorded.chosen
        cells = [
            escape(choice.text) + (" &larr;" if is_chosen else ""),
            f"{choice.trials:,} trials" if choice.trials else str(choice.ply),
            f"{choice.equity:+.3f}{_half_width(choice.equity_se, 3)}",
            "" if choice is decision.best else f"{choice.equity - decision.best.equity:+.3f}",
            *(["" if choice.mwc is None else percent(choice.mwc)] if with_mwc else []),
            *_probability_cells(choice),
        ]
        rows.append(cells)
    return _table(head, rows)


def _probability_cells(choice: Choice) -> list[str]:
    if choice.probabilities is None:
        return [""] * len(_PROBABILITY_COLUMNS)
    return [percent(probability, 1) for probability in choice.probabilities]


def _game(game: GameStatistics, analysis: MatchStatistics) -> str:
    score = "{}-{}".format(*game.score)
    outcome = (
        "not finished" if game.result is None else f"{analysis.names[game.result.winner]} wins {game.result}"
    )
    rows = []
    for decision in analysis.decisions:
        recorded = decision.recorded
        if recorded.game != game.number or (recorded.chosen == "no double" and not decision.error):
            continue
        mark = error_mark(decision.error)
        error = _error_or_blank(decision.error)
        if mark:
            error = f'<span class="{_css_class(mark)}">{error} {mark}</span>'
        dice, roll = recorded.decision.dice, analysis.roll_of(decision)
        rows.append(
            [
                str(recorded.move),
                escape(analysis.names[recorded.player]),
                "" if dice is None else "{}-{}".format(*dice),
                "" if roll is None else f"{roll.luck:+.3f}",
                escape(recorded.chosen),
                "" if decision.rank == 1 else escape(decision.best.text),
                error,
                *([decision.status] if analysis.is_rolled_out else []),
            ]
        )
    ratings = [
        f"{escape(name)}: PR {_number(rates.pr)}{_half_width(rates.pr_se)}"
        for name, rates in zip(analysis.names, game.rates, strict=True)
    ]
    summary = [*_rate_rows(game.rates), *_mark_and_luck_rows(game)]
    columns = ["move", "player", "roll", "luck", "chosen", "best", "error"]
    if analysis.is_rolled_out:
        columns.append("rollout")
    head = f"Game {game.number} at {score}: {outcome}. "
    tables = _table(columns, rows) + _table(["", *map(escape, analysis.names)], summary)
    return f"<details><summary>{escape(head)}{'; '.join(ratings)}</summary>{tables}</details>"


def _error_or_blank(error: float) -> str:
    return f"{error:.3f}" if error >= MIN_LISTED_ERROR else ""
