"""Index page of a collection of matches: players, trends, largest errors, links to the matches."""

from __future__ import annotations

from collections.abc import Sequence

from bgfast.analysis.matches.page.error_card import error_card
from bgfast.analysis.matches.page.markup import css_class, document, grouped_table, table
from bgfast.analysis.matches.rates import ERROR_KINDS, MARKS, ErrorKind, Rates, rating_word
from bgfast.analysis.reports.collected_errors import CollectedError
from bgfast.analysis.reports.match_collection import (
    AVERAGED_MATCHES,
    CollectedMatch,
    MatchCollection,
    PlayerHistory,
    by_date,
)
from bgfast.analysis.reports.trend_chart import has_trend, trend_svg
from bgfast.common.clean_text import clean_markup

MIN_MATCHES = 3
"""Minimum number of matches for a section of a player, unless no player has as many."""
MAX_SECTIONS = 20
"""Maximum number of players with a section; most matches first."""
WIDE, NARROW = (960, 300), (360, 270)
"""Sizes of a chart in pixels, for windows and for phones."""
_STYLE = """
svg.chart circle.match { fill: var(--first); opacity: .6; } svg.chart a:hover circle { opacity: 1; }
svg.chart .line.average { stroke: var(--second); stroke-width: 2.5; }
.dot.match { background: var(--first); opacity: .6; }
.bar { background: var(--second); display: inline-block; height: .2em; vertical-align: .25em; width: 1.6em; }
.ranking td, .matches td, .totals td { border-top: 1px solid var(--rule); }
.ranking .c1 { text-align: right; width: 2rem; } .ranking .c2, .matches .c2 { text-align: left; }
.matches .c1 { white-space: nowrap; } .matches .pr { white-space: nowrap; }
.totals th[scope=rowgroup] { border-top: 2px solid var(--rule); color: var(--ink); padding-top: .6rem; }
.totals td:not(:first-child) { white-space: nowrap; } .player-section > * { margin-bottom: .8rem; }
.panel + details { margin-top: .6rem; } p.source { margin: 1.2rem 0 .2rem; }
.matches .c3, .unread .c2 { text-align: left; } .unread td { border-top: 1px solid var(--rule); }
.unread .c1 { width: 30%; } dl.legend { margin: 0; }
@media screen and (max-width: 720px) {
  .ranking .c5, .ranking .c6, .matches .c3, .totals .c3 { display: none; }
  .matches .state { display: block; }
  .unread thead { display: none; } .unread td { border: none; display: block; padding: 0; }
  .unread .c1 { border-top: 1px solid var(--rule); padding-top: .3rem; width: auto; }
  .unread .c2 { padding-bottom: .3rem; } }
"""


def collection_page(collection: MatchCollection, note: str = "") -> str:
    """Return the index page of a collection as HTML without scripts, with `note` at its top."""
    players = collection.players
    regulars = [player for player in players if player.match_count >= MIN_MATCHES]
    sections = sorted(regulars or players, key=lambda player: -player.match_count)[:MAX_SECTIONS]
    title = _number(len(collection.matches), "match", "matches")
    parts = [
        f"<h1>{title}</h1>",
        f'<p class="soft">{clean_markup(_description(collection))}</p>',
        f"<p><b>{clean_markup(note)}</b></p>" if note else "",
        "<h2>Players</h2>",
        _rankings(players, regulars),
        *map(_section, sections),
        *_largest_errors(collection),
        "<h2>Matches</h2>",
        f'<div class="panel">{_match_table(collection.matches)}</div>',
        *_unread(collection),
        "<h2>How to read this page</h2>",
        f'<div class="panel">{_LEGEND}</div>',
    ]
    return document(title, parts, _STYLE)


def _number(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _description(collection: MatchCollection) -> str:
    """Return the range of dates, and the number of matches excluded from rankings."""
    dates = [match.date for match in collection.matches if match.date is not None]
    incomplete = sum(not match.is_complete for match in collection.matches)
    texts = []
    if dates:
        texts.append(f"{min(dates)}" if min(dates) == max(dates) else f"{min(dates)} to {max(dates)}")
    if incomplete:
        texts.append(f"{incomplete:,} incomplete, and left out of rankings and trends")
    if collection.unread:
        texts.append(f"{_number(len(collection.unread), 'file', 'files')} could not be read")
    return ". ".join([*texts, ""]).strip()


# ---------------------------------------------------------------- players


def _rankings(players: Sequence[PlayerHistory], regulars: Sequence[PlayerHistory]) -> str:
    """Return the players by PR; those with few matches are in a closed section if others have more."""
    if not players:
        return "<p>No match is complete, so no player is ranked.</p>"
    others = [player for player in players if player.match_count < MIN_MATCHES]
    main = f'<div class="panel">{_ranking(regulars or players)}</div>'
    if not others or not regulars:
        return main
    head = f"{_number(len(others), 'player', 'players')} with fewer than {MIN_MATCHES} matches"
    return f"{main}\n<details><summary>{head}</summary>{_ranking(others)}</details>"


def _ranking(players: Sequence[PlayerHistory]) -> str:
    rows = [
        [
            str(place),
            clean_markup(player.name),
            _pr(player.rates),
            str(player.match_count),
            f"{player.rates.error:.3f}",
            f"{player.luck:+.3f}",
        ]
        for place, player in enumerate(players, 1)
    ]
    return table(["", "player", "PR", "matches", "errors (EMG)", "luck (EMG)"], rows, "ranking")


def _pr(rates: Rates) -> str:
    return "–" if rates.pr is None else f"{rates.pr:.2f}"


def _section(player: PlayerHistory) -> str:
    """Return the section of a player: totals over all matches, and the trend."""
    rates = player.rates
    word = "" if rates.pr is None else f" {rating_word(rates.pr)}"
    dates = {match.date for match, _ in player.matches}
    decided = sum(match.length is not None for match, _ in player.matches)
    facts = [
        f"PR {_pr(rates)}{word}",
        _number(player.match_count, "match", "matches") + (f", {player.wins} won" if decided else ""),
        _number(rates.marks["very bad"], "blunder", "blunders"),
    ]
    chart = ""
    if has_trend(player):
        undated = len({id(match) for match, _ in player.matches if match.date is None})
        left_out = undated if len(dates - {None}) > 1 else 0
        note = f" {_number(left_out, 'match', 'matches')} without a date not shown." if left_out else ""
        chart = (
            f'<figure class="panel">{trend_svg(player, *WIDE, "wide")}{trend_svg(player, *NARROW, "narrow")}'
            '<figcaption><span class="dot match"></span> one match &nbsp; <span class="bar"></span> '
            f"over the last {AVERAGED_MATCHES} matches.{note}</figcaption></figure>"
        )
    return (
        f'<section class="player-section"><h2>{clean_markup(player.name)}</h2><p>{" · ".join(facts)}</p>'
        f'{chart}<div class="panel">{_totals(player)}</div></section>'
    )


def _totals(player: PlayerHistory) -> str:
    """Return the cost of errors by kind and by phase, with shares."""
    rates = player.rates
    counted = rates.counts_resignations
    kinds: list[ErrorKind] = [kind for kind in ERROR_KINDS if kind != "resignation" or counted]
    matches = player.match_count

    def row(name: str, error: float, more: str) -> list[str]:
        share = f"{error / rates.error:.0%}" if rates.error else "–"
        return [name, f"{error:.3f}", f"{error / matches:.3f}", share, more]

    return grouped_table(
        ["", "cost (EMG)", "a match", "share", "PR"],
        {
            "By kind of error": [row(kind, rates.errors[kind], "") for kind in kinds],
            "By phase": [row(phase, part.error, _pr(part)) for phase, part in player.phases.items()],
            "Number of errors": [
                [f'<span class="{css_class(mark)}">{mark}</span>', str(rates.marks[mark]), "", "", ""]
                for mark in MARKS
            ],
        },
        "totals",
    )


# ---------------------------------------------------------------- errors and matches


def _largest_errors(collection: MatchCollection) -> list[str]:
    if not collection.errors.items:
        return []
    parts = ["<h2>Largest errors of all matches</h2>"]
    for number, item in enumerate(collection.errors.items, 1):
        parts += [_source(item), error_card(item.details, number)]
    return parts


def _source(item: CollectedError) -> str:
    """Return the players and date of an error, and a link to its match."""
    players = f"{item.details.name} – {item.details.opponent}"
    text = clean_markup(", ".join(filter(None, [players, item.date])))
    source = clean_markup(item.source)
    link = f'<a href="{clean_markup(item.page)}">{source}</a>' if item.page else source
    return f'<p class="source">{text} <span class="soft">{link}</span></p>'


def _match_table(matches: Sequence[CollectedMatch]) -> str:
    rows = []
    for match in by_date(matches):
        names = f"{clean_markup(match.names[0])} – {clean_markup(match.names[1])}"
        link = f'<a href="{clean_markup(match.page)}">{names}</a>' if match.page else names
        prs = " – ".join(map(_pr, match.rates))
        rows.append(
            [
                "" if match.date is None else str(match.date),
                f'{link} <span class="soft state">{clean_markup(_state(match))}</span>',
                clean_markup(match.source),
                f'<span class="pr">{prs}</span>',
            ]
        )
    return table(["date", "players", "file", "PR"], rows, "matches")


def _state(match: CollectedMatch) -> str:
    """Return length and score, and the reason if a match is incomplete."""
    length = "money games" if match.length is None else f"to {match.length}"
    texts = [length, "{}-{}".format(*match.score)]
    is_over = match.length is None or match.winner is not None
    if not is_over:
        texts.append("not finished")
    if match.unread_games:
        texts.append(f"{_number(match.unread_games, 'game', 'games')} not read")
    if is_over and not match.unread_games and not match.is_complete:
        texts.append("analysed in part")
    return ", ".join(texts)


def _unread(collection: MatchCollection) -> list[str]:
    if not collection.unread:
        return []
    rows = [[clean_markup(source), clean_markup(message)] for source, message in collection.unread]
    return [
        "<h2>Files that could not be read</h2>",
        f'<div class="panel">{table(["file", "error"], rows, "unread")}</div>',
    ]


_LEGEND = f"""<dl class="legend">
<dt>PR</dt><dd>Performance rating of eXtreme Gammon: 500 times the mean error of the decisions that count;
smaller is better.</dd>
<dt>Line in a chart</dt><dd>PR over all decisions of a match and up to {AVERAGED_MATCHES - 1} matches before
it, so that long matches weigh more.</dd>
<dt>EMG</dt><dd>Equity in points at the value of the cube; 1 is what winning the cube's points brings.</dd>
<dt>Share</dt><dd>Of the cost of all errors of the player.</dd>
<dt>Blunders</dt><dd>Errors that cost 0.12 or more.</dd>
<dt>Luck</dt><dd>How much better the rolls were than the average of all rolls; positive is lucky.</dd>
<dt>Incomplete</dt><dd>Matches that are not finished, or of which not all games could be read or a board is
unknown. They have a page, and their errors may be among the largest, but they are in no rating, trend or
total.</dd>
</dl>"""
