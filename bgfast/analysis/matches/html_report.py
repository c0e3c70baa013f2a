"""HTML report of a match: one self-contained page without external resources, complete without its script."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll, roll_text
from bgfast.analysis.matches.error_details import (
    CHECKER_COLOURS,
    error_details,
    explain,
    half_width_text,
    largest_errors,
)
from bgfast.analysis.matches.match_report import (
    RATES,
    Figure,
    Sections,
    game_sections,
    luck_extremes,
    luck_sentence,
    match_length,
    match_sections,
    rate,
    roll_line,
    rollout_line,
    settings_text,
)
from bgfast.analysis.matches.match_statistics import (
    MIN_LISTED_ERROR,
    GameStatistics,
    MatchStatistics,
    PlayerNames,
    error_word,
    rating_word,
)
from bgfast.analysis.matches.page import (
    CHART_SIZES,
    Chart,
    ChartMark,
    LuckTick,
    checker,
    document,
    error_card,
    grouped_table,
    link,
    mark_text,
    table,
    typeset,
)
from bgfast.analysis.matches.playback import (
    PLAYBACK_STYLE,
    Step,
    finding_text,
    playback_html,
    playback_steps,
    step_anchors,
)
from bgfast.common.text import clean_markup, cut
from bgfast.errors import one_line
from bgfast.games.match_info import SEVERITIES
from bgfast.games.scoring import PLAYER_NAMES

MAX_CHART_NAME = 24
"""Maximum length of a name in a label of the chart, in characters."""
MAX_FINDINGS = 10
"""Maximum number of listed findings of the record."""


def html_report(
    analysis: MatchStatistics, worst: int, player: PlayerNames | None = None, head: str = ""
) -> str:
    """Return the page of `MatchAnalysis.to_html`, with the HTML `head`, such as links, at its top."""
    first, second = map(clean_markup, analysis.names)
    title, info, length = f"{first} – {second}", analysis.match.info, "".join(match_length(analysis))
    occasion = info.event, info.date, info.site, length[0].upper() + length[1:]
    errors, steps = largest_errors(analysis, worst, player), playback_steps(analysis)
    details = {id(item): error_details(item, analysis) for item in errors}
    explanations = {key: item.explanation for key, item in details.items()}
    for item in largest_errors(analysis, len(analysis.decisions)):
        if id(item) not in details and error_word(item.error):
            explanations[id(item)] = explain(item, analysis, market=False)
    anchors = {key: f"#{anchor}" for key, anchor in step_anchors(steps).items()}
    smaller_errors = largest_errors(analysis, len(analysis.decisions), player)[len(errors) :]
    parts = [
        head,
        f"<h1>{title}</h1>",
        f'<p class="soft">{clean_markup(". ".join(filter(None, occasion)))}.</p>',
        f'<div class="players">{_player(analysis, 0)}{_player(analysis, 1)}</div>',
        _chart(analysis, errors),
        '<p><button type="button" class="playback" hidden>Play through the match</button></p>',
    ]
    if errors:
        parts += ["<h2>Largest errors</h2>", _other_errors(smaller_errors, len(errors), anchors)]
        parts += [error_card(details[id(item)], rank) for rank, item in enumerate(errors, 1)]
    rates = _rates_table(analysis.names, match_sections(analysis))
    if analysis.is_rolled_out:
        rates += f"<p class='soft'>{rollout_line(analysis)}.</p>"
    settings = clean_markup(f"Analysed by bgfast: {settings_text(analysis)}.")
    parts += [
        *_luck(analysis, anchors),
        "<h2>All rates</h2>",
        f'<div class="panel">{rates}</div>',
        *_findings(analysis, steps),
        "<h2>Games</h2>",
        *(_game(game, analysis, steps) for game in analysis.games),
        f"<details><summary>How to read this page</summary>{_legend()}</details>",
        f'<p class="soft">{settings}</p>',
        playback_html(analysis, steps, explanations) if steps else "",
    ]
    return document(title, parts, PLAYBACK_STYLE)


# ---------------------------------------------------------------- first screen


def _player(analysis: MatchStatistics, player: int) -> str:
    """Return the card of a player: points, PR, luck, and the number of errors."""
    rates, side = analysis.rates[player], PLAYER_NAMES[player]
    luck_mwc = analysis.luck_mwc
    luck = typeset(f"{analysis.luck[player]:+.3f}")
    if luck_mwc is not None:
        luck = f"{typeset(f'{luck_mwc[player]:+.1%}')} <span class='unit'>MWC</span>"
    counts = {"Luck": luck, "Errors": rates.number_of("error"), "Blunders": rates.number_of("blunder")}
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in counts.items())
    rating = "" if rates.pr is None else rating_word(rates.pr)
    return (
        f'<section class="player {_class_of(player)}">'
        f'<span class="points">{analysis.match.score[player]}</span>'
        f"<h2>{checker(side)} {clean_markup(analysis.names[player])} "
        f'<small class="soft">{CHECKER_COLOURS[side]}</small></h2>'
        f'<p class="pr"><b>{rate("PR", rates, "–")}</b> PR{half_width_text(rates.pr_se)} '
        f'<span class="word">{rating}</span></p>'
        f'<p class="soft parts">checker {rate("checker", rates, "–")}, cube {rate("cube", rates, "–")}</p>'
        f'<dl class="counts">{rows}</dl></section>'
    )


def _class_of(player: int) -> Literal["first", "second"]:
    return "second" if player else "first"


def _chart(analysis: MatchStatistics, errors: Sequence[AnalysedDecision]) -> str:
    """Return the chart of player 0's match winning chance, or equity in money play; may be empty."""
    actions = [roll.recorded.action for roll in analysis.rolls]
    in_match = analysis.match.length is not None
    places = {
        id(decision): (float(bisect_right(actions, decision.recorded.action)), _first_player_value(decision))
        for decision in analysis.decisions
        if decision.recorded.kind != "resignation"  # a resignation does not change the position
    }
    games: list[tuple[float, int]] = []
    for index, roll in enumerate(analysis.rolls):
        if not games or games[-1][1] != roll.recorded.game:
            games.append((float(index), roll.recorded.game))
    points = list(places.values())
    if in_match and analysis.whole and analysis.match.winner is not None:
        points.append((float(len(actions)), float(analysis.match.winner == 0)))
    if not points:
        return ""
    name = cut(one_line(analysis.names[0]), MAX_CHART_NAME)
    marks = []
    for rank, decision in enumerate(errors, 1):
        player = decision.recorded.player
        title = f"{one_line(analysis.names[player])}: {decision.recorded.chosen}, {-decision.error:+.3f}"
        marks.append(ChartMark(rank, *places[id(decision)], _class_of(player), title))
    label = f"{name}'s chance to win the match" if in_match else f"{name}'s equity in points"
    y_label = "match winning chance" if in_match else "points"
    columns = {id(roll): float(index) for index, roll in enumerate(analysis.rolls, 1)}
    ticks = [
        LuckTick(
            columns[id(roll)], _class_of(roll.recorded.player), roll.luck > 0, roll_line(roll, analysis.names)
        )
        for roll in chain(*luck_extremes(analysis).values())
    ]
    chart = Chart(label, y_label, points, games, marks, in_match, ticks)
    keys = " &nbsp; ".join(
        f'<span class="dot {_class_of(player)}"></span> {clean_markup(analysis.names[player])}'
        for player in (0, 1)
    )
    note = " Numbered: the errors below." if marks else ""
    note += " ▲▼ The luckiest and unluckiest rolls." if chart.luck else ""
    return (
        f'<figure class="panel"><h2>{clean_markup(label)}</h2>'
        f"{''.join(chart.svg(size, css_class) for css_class, size in CHART_SIZES.items())}"
        f'<figcaption class="soft">{keys} &nbsp; Shaded: who is ahead.{note}</figcaption></figure>'
    )


def _other_errors(smaller_errors: Sequence[AnalysedDecision], count: int, anchors: Mapping[int, str]) -> str:
    """Return the number of errors shown, with links to the other errors, largest first; may be empty."""
    others = [item for item in smaller_errors if error_word(item.error)]
    if not others:
        return ""
    links = ", ".join(
        f'<a href="{anchors[id(item)]}">game {item.recorded.game}, move {item.recorded.move}</a> '
        f"({typeset(f'{-item.error:+.3f}')})"
        for item in others
    )
    return (
        f"<details class='others'><summary>{count} of {count + len(others)} errors shown</summary>"
        f"<p>The others: {links}.</p></details>"
    )


def _first_player_value(decision: AnalysedDecision) -> float:
    """Return player 0's match winning chance with the best choice, or equity in points in money play."""
    best = decision.best if decision.recorded.player == 0 else decision.best.of_opponent()
    return best.equity * decision.recorded.decision.cube if best.mwc is None else best.mwc


# ---------------------------------------------------------------- rates


def _rates_table(names: Sequence[str], sections: Sections) -> str:
    def cell(figure: Figure) -> str:
        return typeset(figure.text("–") + ("" if figure.mwc is None else f" ({figure.mwc:.2%})"))

    groups = {
        heading: [[row.title, *map(cell, row.figures)] for row in rows] for heading, rows in sections.items()
    }
    return grouped_table(["", *map(clean_markup, names)], groups, "rates")


def _luck(analysis: MatchStatistics, anchors: Mapping[int, str]) -> list[str]:
    """Return the net luck, and the luckiest and unluckiest rolls."""
    if not analysis.rolls:
        return []
    groups = {
        heading: [(analysis.names[roll.recorded.player], roll, anchors[id(roll)]) for roll in rolls]
        for heading, rolls in luck_extremes(analysis).items()
    }
    sentence = clean_markup(luck_sentence(analysis))
    return ["<h2>Luck</h2>", f'<div class="panel"><p>{sentence}</p>{luck_table(groups)}</div>']


def luck_table(groups: Mapping[str, Iterable[tuple[str, AnalysedRoll, str]]]) -> str:
    """Return a table of rolls by heading; `groups` has a label, a roll and its board's address per row."""
    rows = {
        heading: [
            [
                clean_markup(f"{label}: {roll_text(roll.recorded.roll)}"),
                link(address, f"{roll.recorded.game}, {roll.recorded.move}"),
                typeset(f"{roll.luck:+.3f}"),
                "" if roll.luck_mwc is None else typeset(f"{roll.luck_mwc:+.2%}"),
            ]
            for label, roll, address in rolls
        ]
        for heading, rolls in groups.items()
    }
    return grouped_table(["", "game, move", "EMG", "MWC"], rows, "luck rates")


# ---------------------------------------------------------------- games


def _findings(analysis: MatchStatistics, steps: Sequence[Step]) -> list[str]:
    """Return the findings of the record, errors first, with links to their boards."""
    findings = sorted(analysis.match.findings, key=lambda item: -SEVERITIES.index(item.severity))
    items = []
    for item in findings[:MAX_FINDINGS]:
        address = next((f"#{step.anchor}" for step in steps if step.has(item)), "")
        place = link(address, item.context.rstrip(": ").capitalize())
        items.append(f"<li>{place} {clean_markup(finding_text(item))}</li>")
    items += [f"<li>and {len(findings) - MAX_FINDINGS} more</li>"] if findings[MAX_FINDINGS:] else []
    return ["<h2>Record</h2>", f'<div class="panel"><ul>{"".join(items)}</ul></div>'] if items else []


def _game(game: GameStatistics, analysis: MatchStatistics, steps: Sequence[Step]) -> str:
    score = "{}-{}".format(*game.score)
    outcome = "; ".join([game.outcome(analysis.names), *map(str, game.unknown)])
    prs = "; ".join(
        f"{clean_markup(name)}: PR {RATES['PR'](rates).text('–')}"
        for name, rates in zip(analysis.names, game.rates, strict=True)
    )
    columns = ["move", "player", "roll", "luck", "choice", "error", *["rollout"] * analysis.is_rolled_out]
    return (
        f"<details><summary>{clean_markup(f'Game {game.number} at {score}: {outcome}.')} "
        f'<span class="soft">{prs}</span></summary>'
        f"{table(columns, _move_rows(game, analysis, steps), 'moves')}"
        f"{_rates_table(analysis.names, game_sections(game))}</details>"
    )


def _move_rows(game: GameStatistics, analysis: MatchStatistics, steps: Sequence[Step]) -> Iterator[list[str]]:
    """Yield a row for each finding and each decision, except correct decisions not to double."""
    for step in steps:
        decision = step.decision
        if step.game != game.number or not (decision or step.note):
            continue
        best = error = ""
        if decision is not None and decision.error >= MIN_LISTED_ERROR:
            best = f'<span class="choice-best">best {clean_markup(decision.best.text)}</span>'
            word = error_word(decision.error) or ""
            error = mark_text(word, f"{typeset(f'{-decision.error:+.3f}')} {word}".strip())
        chosen = "" if decision is None else decision.recorded.chosen
        yield [
            f'<span id="{step.anchor}">{step.move}</span>',
            checker(PLAYER_NAMES[step.player]),
            roll_text(step.board.dice),
            "" if step.roll is None else typeset(f"{step.roll.luck:+.3f}"),
            clean_markup(f"{chosen} {step.note}".strip()) + best,
            error,
            *["" if decision is None else decision.status] * analysis.is_rolled_out,
        ]


# ---------------------------------------------------------------- legend


_LEGEND = """
Equity, EMG: Expected result for the player who decides, scaled so that winning the points on the cube is +1
  and losing them −1 at this score (equivalent to a money game).
MWC: Match winning chance: the probability of winning the match.
Loss: Equity of the choice less the equity of the best choice, as a signed number; in a match, also the MWC
  that the choice gave away. A cost is the sum of losses, without a sign.
Errors, blunders: Errors are choices that lose 0.03 or more, blunders choices that lose 0.12 or more.
PR: Performance rating: 500 times the mean error of the decisions that count; smaller is better. The
  scale is eXtreme Gammon's: World Champion below 2.5, World Class below 5, Expert below 7.5, Advanced below
  12.5, Intermediate below 17.5, Casual Player below 22.5, then Beginner.
GNU Backgammon's error rate: 1,000 times the error per unforced play and close cube action.
Snowie's error rate: 1,000 times the error per turn of both players.
Luck: How much better the rolls were than the mean of all 21 rolls, each played best. Both players may be
  lucky; the difference between them is the net luck.
Luck-adjusted result: The result less the player's luck plus the opponent's: only the effect of skill.
Plays, unforced: Turns with a legal play, and turns with more than one.
Cube actions, close: Turns in which a double was legal, and answers to doubles; close ones are doubles,
  answers, and turns in which a double would have cost less than 0.16.
Counted for PR: Decisions that are neither forced nor trivial.
Missed double, wrong double: Not doubling when a double was right; doubling too early, or when too good.
Wrong take, wrong drop: Accepting a double that should be dropped; dropping one that should be taken.
Level: How a choice was evaluated: 0-ply without a search, 2-ply by a search two turns deep, or by a rollout
  of the stated number of games. Equities of different levels may differ slightly for this reason alone.
Shots: Rolls of 36 with which the opponent hits on the next turn.
Back checkers: Checkers on the 18-point or further back.
Market: The market is lost if the next roll of each player leaves a position in which a double would be
  dropped, according to the built-in network at 0 plies.
Doubling point, take point: Minimum winning chance for a double, or for a take, at this score and with the
  gammons of this position.
Wastage: Pips that a bear-off needs beyond the pip count.
"""


def _legend() -> str:
    """Return the terms of `_LEGEND`, which begin at the margin, and their meanings as an HTML list."""
    entries = (" ".join(entry.split()).partition(": ") for entry in re.split(r"\n(?! )", _LEGEND.strip()))
    return (
        f'<dl class="legend">{"".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, _, text in entries)}</dl>'
    )
