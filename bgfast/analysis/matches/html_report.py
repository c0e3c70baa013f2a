"""The analysis of a match as one HTML file, which needs nothing but itself: no network, no scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bgfast.analysis.matches.analysed import NORMAL_95, AnalysedDecision, Choice
from bgfast.analysis.matches.curves import error_curve, standing_curve
from bgfast.analysis.matches.match_statistics import NOTHING, GameStatistics, MatchStatistics
from bgfast.analysis.matches.rates import ERROR_KINDS, MARKS, Rates, marked
from bgfast.analysis.matches.text_report import rolled_out_line
from bgfast.common.probabilities import percent
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.position.board_svg import diagram_svg

__all__ = ["html_report"]

_CHANCES = ("win", "win g", "win bg", "lose g", "lose bg")
_ON_THE_PAGE = {"background": "none", "text": "currentColor"}
"""Colours of a board: what stands above and below it is text of the page, in light and dark."""
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
    """Return the report of a match as an HTML page.

    Parameters
    ----------
    analysis : MatchStatistics
    worst : int
        How many of the worst decisions are shown with their boards.

    Returns
    -------
    str
        One page that needs nothing else. Names and comments of the record are text in it, whatever they hold.
    """
    first, second = map(escape, analysis.names)
    title = f"{first} - {second}"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{title}</h1>",
        f'<p class="note">{escape(_about(analysis))}</p>',
        "<h2>Summary</h2>",
        _summary(analysis),
        *([f"<p>{rolled_out_line(analysis)}.</p>"] if analysis.is_rolled_out else []),
        f"<h2>{_standing(analysis)}</h2>",
        standing_curve(analysis),
        f'<h2>Errors so far: <span class="key first">{first}</span>, '
        f'<span class="key second">{second}</span></h2>',
        error_curve(analysis),
    ]
    decisions = analysis.worst(worst)
    if decisions:
        parts.append("<h2>What cost most</h2>")
        parts += [_decision(each, analysis.names) for each in decisions]
    parts.append("<h2>Games</h2>")
    parts += [_game(game, analysis) for game in analysis.games]
    return "\n".join([*parts, "</body></html>", ""])


def _about(analysis: MatchStatistics) -> str:
    match, info = analysis.match, analysis.match.info
    length = "Money games" if match.length is None else f"Match to {match.length}"
    score = "{}-{}".format(*match.score)
    state = "" if match.length is None or match.winner is not None else ", not finished"
    settings = ", ".join(f"{name} {value}" for name, value in analysis.settings.items())
    more = [each for each in (info.event, info.date, info.site) if each]
    return f"{'. '.join([*more, f'{length}: {score}{state}'])}. Analysed: {settings}."


def _standing(analysis: MatchStatistics) -> str:
    name = escape(analysis.names[0])
    if analysis.match.length is None:
        return f"{name}'s equity in points"
    return f"{name}'s chance to win the match"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are HTML."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _number(value: float | None, form: str = ".2f") -> str:
    return "" if value is None else format(value, form)


def _half(error: float | None, digits: int = 2) -> str:
    """Return half of the 95 % interval, if there is one."""
    return f" ± {NORMAL_95 * error:.{digits}f}" if error else ""


def _summary(analysis: MatchStatistics) -> str:
    luck_mwc = analysis.luck_mwc
    rows = _totals(analysis.rates)
    rows += [
        [f"of it: in the {phase}", *(_number(each.error, ".3f") for each in by_player)]
        for phase, by_player in analysis.phases.items()
    ]
    rows += _marks_and_luck(analysis)
    if luck_mwc is not None:
        rows.append(["Luck (chance to win the match)", *(_number(each, "+.2%") for each in luck_mwc)])
    adjusted = analysis.luck_adjusted_result
    if adjusted is not None:
        form = "+.3f" if analysis.match.length is None else ".2%"
        other = -adjusted if analysis.match.length is None else 1 - adjusted
        rows.append(["Result without luck", _number(adjusted, form), _number(other, form)])
    return _table(["", *map(escape, analysis.names)], rows)


def _totals(both: Sequence[Rates]) -> list[list[str]]:
    """Return the rates of both players, and what their errors cost, a row each."""
    return [
        ["PR", *(_number(each.pr) + _half(each.pr_se) for each in both)],
        [
            "GNU Backgammon's error rate",
            *(_number(each.gnubg_error_rate) + _half(each.gnubg_error_rate_se) for each in both),
        ],
        [
            "Snowie's error rate",
            *(_number(each.snowie_error_rate) + _half(each.snowie_error_rate_se) for each in both),
        ],
        ["Plays, unforced", *(f"{each.plays}, {each.unforced_plays}" for each in both)],
        ["Cube decisions, close", *(f"{each.cube_decisions}, {each.close_cube_decisions}" for each in both)],
        ["Error in all (EMG)", *(_number(each.error, ".3f") + _half(each.error_se, 3) for each in both)],
        *([f"of it: {kind}", *(_kind(each, kind) for each in both)] for kind in ERROR_KINDS),
    ]


def _marks_and_luck(given: MatchStatistics | GameStatistics) -> list[list[str]]:
    """Return how many decisions of both players are marked, a row for each mark, and their luck."""
    return [
        *(
            [f'<span class="{_class(mark)}">{mark}</span>', *(str(each.marks[mark]) for each in given.rates)]
            for mark in MARKS
        ),
        ["Luck (EMG)", *(_number(each, "+.3f") for each in given.luck)],
    ]


def _kind(given: Rates, kind: str) -> str:
    found = next(value for name, value in given.errors.items() if name == kind)
    chances = next((value for name, value in given.errors_mwc.items() if name == kind), None)
    return _number(found, ".3f") + ("" if chances is None else f" ({chances:.2%})")


def _class(mark: str) -> str:
    return mark.replace(" ", "-")


def _decision(each: AnalysedDecision, names: Sequence[str]) -> str:
    recorded = each.recorded
    mark = marked(each.error)
    who = f"{names[recorded.player]} ({PLAYER_NAMES[recorded.player]})"
    head = f"Game {recorded.game}, move {recorded.move}: {who}"
    lost = f"{each.error:.3f}{_half(each.error_se, 3)}" + (
        "" if each.error_mwc is None else f", {each.error_mwc:.2%} of the match"
    )
    said = f'<span class="{_class(mark)}">{mark}</span>, ' if mark else ""
    status = "" if each.status == "not rolled out" else f"; {each.status}"
    picture = diagram_svg(recorded.decision._diagram(), size=420, colours=_ON_THE_PAGE)
    return (
        f'<div class="decision"><h3>{escape(head)}</h3><p>{said}cost {lost}{status}</p>\n{picture}\n'
        f"{_choices(each)}<p class='soft'>{escape(recorded.decision.xgid)}</p></div>"
    )


def _choices(each: AnalysedDecision) -> str:
    head = ["", "ply", "equity", "difference", *_CHANCES]
    with_mwc = each.best.mwc is not None
    if with_mwc:
        head.insert(4, "match")
    rows = []
    for choice in each.choices:
        chosen = choice.text == each.recorded.chosen
        cells = [
            escape(choice.text) + (" &larr;" if chosen else ""),
            f"{choice.trials:,} trials" if choice.trials else str(choice.ply),
            f"{choice.equity:+.3f}{_half(choice.equity_se, 3)}",
            "" if choice is each.best else f"{choice.equity - each.best.equity:+.3f}",
            *(["" if choice.mwc is None else percent(choice.mwc)] if with_mwc else []),
            *_percents(choice),
        ]
        rows.append(cells)
    return _table(head, rows)


def _percents(choice: Choice) -> list[str]:
    if choice.probabilities is None:
        return [""] * len(_CHANCES)
    return [percent(each, 1) for each in choice.probabilities]


def _game(game: GameStatistics, analysis: MatchStatistics) -> str:
    score = "{}-{}".format(*game.score)
    ended = (
        "not finished" if game.result is None else f"{analysis.names[game.result.winner]} wins {game.result}"
    )
    rows = []
    for each in analysis.decisions:
        recorded = each.recorded
        if recorded.game != game.number or (recorded.chosen == "no double" and not each.error):
            continue
        mark = marked(each.error)
        cost = f'<span class="{_class(mark)}">{each.error:.3f} {mark}</span>' if mark else _cost(each.error)
        dice, roll = recorded.decision.dice, analysis.roll_of(each)
        rows.append(
            [
                str(recorded.move),
                escape(analysis.names[recorded.player]),
                "" if dice is None else "{}-{}".format(*dice),
                "" if roll is None else f"{roll.luck:+.3f}",
                escape(recorded.chosen),
                "" if each.rank == 1 else escape(each.best.text),
                cost,
                *([each.status] if analysis.is_rolled_out else []),
            ]
        )
    found = [
        f"{escape(name)}: PR {_number(each.pr)}{_half(each.pr_se)}"
        for name, each in zip(analysis.names, game.rates, strict=True)
    ]
    summary = [*_totals(game.rates), *_marks_and_luck(game)]
    columns = ["move", "player", "roll", "luck", "chosen", "better", "cost"]
    if analysis.is_rolled_out:
        columns.append("rollout")
    head = f"Game {game.number} at {score}: {ended}. "
    tables = _table(columns, rows) + _table(["", *map(escape, analysis.names)], summary)
    return f"<details><summary>{escape(head)}{'; '.join(found)}</summary>{tables}</details>"


def _cost(error: float) -> str:
    return f"{error:.3f}" if error >= NOTHING else ""
