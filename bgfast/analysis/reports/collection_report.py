"""Report on several matches: an index page with the trends of players, and a page for each match."""

from __future__ import annotations

import os
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from urllib.parse import quote

from bgfast.analysis.matches.html_report import html_report, luck_table
from bgfast.analysis.matches.match_analysis import WORST, MatchAnalysis
from bgfast.analysis.matches.match_report import error_kinds, rate
from bgfast.analysis.matches.match_statistics import (
    ERROR_LIMITS,
    MIN_LISTED_ERROR,
    PlayerNames,
    ReportPlayer,
    rating_word,
)
from bgfast.analysis.matches.page import (
    CHART_SIZES,
    Axes,
    document,
    error_card,
    grouped_table,
    link,
    round_ticks,
    table,
    typeset,
)
from bgfast.analysis.reports.match_collection import (
    AVERAGED_MATCHES,
    CollectedMatch,
    MatchCollection,
    OpeningLine,
    PlayerHistory,
    select_analyses,
    sort_by_date,
)
from bgfast.common.files import naming, refuse_existing_path, refuse_missing_folder, validate_path, write_file
from bgfast.common.text import clean_markup, pluralize
from bgfast.common.validation import flag
from bgfast.errors import one_line, short_repr

MARGINS = 44, 30, 12, 44  # left, right, top, bottom
TICK_WIDTH = 90
"""Minimum width of a label below the chart, in pixels."""
RADIUS = 4.0
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAY_STEPS = (1, 2, 4, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 24000, 60000)


def has_trend(player: PlayerHistory) -> bool:
    """Return whether a player's chart has points at two or more dates or match numbers."""
    places = [x for x, *_ in _points(player)]
    return bool(places) and places[0] < places[-1]


def trend_svg(player: PlayerHistory, size: tuple[int, int], css_class: str) -> str:
    """Return a chart of PR by date, or by match number; `has_trend` must be true."""
    points = _points(player)
    pr_ticks = round_ticks(0.0, max(1.0, *(pr for _, pr, *_ in points)), 5)
    axes = Axes(size, MARGINS, (points[0][0], points[-1][0]), (0.0, pr_ticks[-1]))
    parts = [*axes.grid((pr, f"{pr:g}") for pr in pr_ticks)]
    for value, text in _x_ticks(player, *axes.x_limits, (axes.right - axes.left) // TICK_WIDTH):
        parts.append(f'<path class="grid" d="M{axes.x(value):.1f} {axes.top}V{axes.bottom + 5}"/>')
        parts.append(axes.label(axes.x(value), axes.bottom + 18, text))
    parts += axes.names("date" if _is_by_date(player) else "match", "PR")
    for x, pr, _, match, side in points:
        centre, day = f'cx="{axes.x(x):.1f}" cy="{axes.y(pr):.1f}"', f"{match.date}, " if match.date else ""
        title = clean_markup(f"{day}against {match.names[1 - side]}: PR {pr:.2f}")
        circle = f'<circle class="match" {centre} r="{RADIUS:g}"><title>{title}</title></circle>'
        parts.append(link(match.page, circle))
    average = axes.points((x, average) for x, _, average, *_ in points)
    parts.append(f'<polyline class="line average" points="{average}"/>')
    label = f"PR of {player.name}: {len(points)} matches, and their moving average"
    return axes.svg(label, css_class, parts)


def _is_by_date(player: PlayerHistory) -> bool:
    """Return whether all matches have a date and at least two dates differ."""
    dates = {match.date for match, _ in player.matches}
    return None not in dates and len(dates) > 1


def _points(player: PlayerHistory) -> list[tuple[float, float, float, CollectedMatch, int]]:
    """Return x, PR, moving average, match and index of the player, for each match with a PR."""
    has_dates = _is_by_date(player)
    points = []
    for index, ((match, side), average) in enumerate(zip(player.matches, player.moving_pr, strict=True), 1):
        pr = match.rates[side].pr
        if pr is None or average is None:
            continue
        x = match.date.toordinal() if has_dates and match.date is not None else index
        points.append((float(x), pr, average, match, side))
    return points


def _x_ticks(player: PlayerHistory, first: float, last: float, max_ticks: int) -> list[tuple[float, str]]:
    if _is_by_date(player):
        ticks = date_ticks(date.fromordinal(int(first)), date.fromordinal(int(last)), max_ticks)
        return [(day.toordinal(), text) for day, text in ticks]
    values = round_ticks(first, last, max_ticks)
    return [(tick, f"{tick:g}") for tick in values if tick == int(tick) and first <= tick <= last]


def date_ticks(first: date, last: date, max_ticks: int) -> list[tuple[date, str]]:
    """Return round dates within a range, with their labels; at most `max_ticks`, which is 2 or more.

    The dates are days, Mondays, or first days of months or years; a short range may have one date or none.
    """
    start, stop = first.toordinal(), last.toordinal() + 1
    for step in _DAY_STEPS:
        offset = -start if step < 7 else -first.weekday()
        days = range(start + offset % step, stop, step)
        if len(days) <= max_ticks:
            dates = map(date.fromordinal, days)
            return [(day, f"{day.day} {_MONTHS[day.month - 1]}") for day in dates]
    start, stop = 12 * first.year + first.month - 1 + (first.day > 1), 12 * last.year + last.month
    step, months = next(
        (step, months)
        for step in _MONTH_STEPS
        if len(months := range(start + -start % step, stop, step)) <= max_ticks or step == _MONTH_STEPS[-1]
    )
    starts = [date(month // 12, month % 12 + 1, 1) for month in months]
    return [(day, str(day.year) if step >= 12 else f"{_MONTHS[day.month - 1]} {day.year}") for day in starts]


# ---- index page ----


MIN_MATCHES = 3
"""Minimum number of matches of a player with a section; ignored if no player has that many."""
MAX_SECTIONS = 20
"""Maximum number of players with a section; players with the most matches come first."""
MAX_REPLIES = 20
"""Maximum number of replies to first plays in a table."""
_OPENING_COLUMNS = ["roll", "played", "best", "cost (EMG)"]
_STYLE = """
svg.chart circle.match { fill: var(--first); opacity: .6; } svg.chart a:hover circle { opacity: 1; }
svg.chart .line.average { stroke: var(--second); stroke-width: 2.5; }
.dot.match { background: var(--first); opacity: .6; }
.bar { background: var(--second); display: inline-block; height: .2em; vertical-align: .25em; width: 1.6em; }
:is(.ranking, .matches, .totals, .openings, .left-out) td { border-top: 1px solid var(--rule); }
:is(.ranking, .totals, .matches, .openings) { overflow-wrap: normal; } .ranking .c1 { text-align: right; }
:is(.ranking, .matches) .c2, .matches .c3 { overflow-wrap: anywhere; text-align: left; }
.ranking .c1 { width: 1rem; } .matches .c2 { width: 40%; } :is(.matches .c1, .pr) { white-space: nowrap; }
.totals th[scope=rowgroup] { border-top: 2px solid var(--rule); color: var(--ink); padding-top: .6rem; }
.totals td:not(:first-child) { white-space: nowrap; } .player-section > * { margin-bottom: .8rem; }
.panel + details { margin-top: .6rem; } p.source { margin: 1.2rem 0 .2rem; }
:is(.openings, .left-out) .c2, .openings .c3, .replies .c4 { text-align: left; }
.openings:not(.replies) .c1 { white-space: nowrap; } .left-out .c1 { width: 30%; } dl.legend { margin: 0; }
@media screen and (max-width: 720px) {
  .ranking { font-size: .92rem; }
  .ranking .c6, .ranking .c7, .matches .c3, .totals .c3 { display: none; }
  .matches .state { display: block; }
  .left-out thead { display: none; } .left-out td { border: none; display: block; padding: 0; }
  .left-out .c1 { border-top: 1px solid var(--rule); padding-top: .3rem; width: auto; }
  .left-out .c2 { padding-bottom: .3rem; } }
"""


def collection_page(collection: MatchCollection, note: str = "") -> str:
    """Return the index page of a collection as HTML, with `note` at its top."""
    players = collection.players
    regulars = [player for player in players if player.match_count >= MIN_MATCHES]
    by_count = sorted(players, key=lambda player: -player.match_count)
    reader = collection.reader
    title = pluralize(len(collection.matches), "match", "matches", ",")
    sections = [player for player in by_count if player in regulars or not regulars][:MAX_SECTIONS]
    if collection.player is not None:
        title += f" of {ReportPlayer(collection.player).names[0] if reader is None else reader.name}"
        sections = [] if reader is None else [reader]
    left_out = [[", ".join(names), reason] for reason, names in collection.left_out.items()]
    left_out = [list(map(clean_markup, row)) for row in left_out]
    rankings = ["<h2>Players</h2>", _rankings(players, regulars)]
    parts = [
        f"<h1>{clean_markup(title)}</h1>",
        f'<p class="soft">{clean_markup(_description(collection))}</p>',
        f"<p><b>{clean_markup(note)}</b></p>" if note else "",
        _player_hint(reader) if collection.player is None and reader is not None else "",
        *([] if collection.player is not None else rankings),
        *map(_section, sections),
        *_largest_errors(collection, None if collection.player is None else reader),
        *([] if reader is None else [*_luck(reader), *_openings(reader)]),
        "<h2>Matches</h2>",
        f'<div class="panel">{_match_table(collection.matches)}</div>',
        *(rankings if collection.player is not None else []),
        "<h2>Left out</h2>" if left_out else "",
        f'<div class="panel">{table(["file", "reason"], left_out, "left-out")}</div>' if left_out else "",
        f"<details><summary>How to read this page</summary>{_LEGEND}</details>",
    ]
    return document(clean_markup(title), parts, _STYLE)


def _player_hint(reader: PlayerHistory) -> str:
    """Return a paragraph on the player with the most matches, with the option for this player's report."""
    fact = f"{reader.name} has {pluralize(reader.match_count, 'match', 'matches', ',')}"
    option = clean_markup(f"--player {shlex.quote(one_line(reader.name))}")
    return f"<p>{clean_markup(fact)}. For a report on this player: <code>{option}</code></p>"


def _description(collection: MatchCollection) -> str:
    """Return the range of dates, and the numbers of incomplete matches and of files left out."""
    dates = [match.date for match in collection.matches if match.date is not None]
    incomplete = sum(not match.is_complete for match in collection.matches)
    texts = []
    if dates:
        texts.append(f"{min(dates)}" if min(dates) == max(dates) else f"{min(dates)} to {max(dates)}")
    if incomplete:
        texts.append(f"{incomplete:,} incomplete, and left out of rankings and trends")
    if files := sum(map(len, collection.left_out.values())):
        texts.append(f"{pluralize(files, 'file', form=',')} left out")
    return ". ".join([*texts, ""]).strip()


# ---------------------------------------------------------------- players


def _rankings(players: Sequence[PlayerHistory], regulars: Sequence[PlayerHistory]) -> str:
    """Return the players by PR; players with few matches are in a collapsed section if others have more."""
    if not players:
        return "<p>No match is complete, so no player is ranked.</p>"
    others = [player for player in players if player.match_count < MIN_MATCHES]
    main = f'<div class="panel">{_ranking(regulars or players)}</div>'
    if not others or not regulars:
        return main
    head = f"{pluralize(len(others), 'player', form=',')} with fewer than {MIN_MATCHES} matches"
    return f"{main}\n<details><summary>{head}</summary>{_ranking(others)}</details>"


def _ranking(players: Sequence[PlayerHistory]) -> str:
    rows = []
    for place, player in enumerate(players, 1):
        prs = [rate(name, player.rates, "–") for name in ("PR", "checker", "cube")]
        errors, luck = f"{player.rates.error:.3f}", typeset(f"{player.luck:+.3f}")
        rows.append([str(place), clean_markup(player.name), *prs, str(player.match_count), errors, luck])
    head = ["", "player", "PR", "checker", "cube", "matches", "errors (EMG)", "luck (EMG)"]
    return table(head, rows, "ranking")


def _section(player: PlayerHistory) -> str:
    """Return the section of a player: totals over all matches, and the trend."""
    rates = player.rates
    rating = "" if rates.pr is None else f" {rating_word(rates.pr)}"
    pr, checker, cube = (rate(name, rates, "–") for name in ("PR", "checker", "cube"))
    wins = f", {player.wins} won" if any(match.length is not None for match, _ in player.matches) else ""
    facts = [
        f"PR {pr}{rating} ({checker} checker, {cube} cube)",
        pluralize(player.match_count, "match", "matches", ",") + wins,
        pluralize(rates.number_of("blunder"), "blunder", form=","),
    ]
    chart = ""
    if has_trend(player):
        undated = len({id(match) for match, _ in player.matches if match.date is None})
        note = f" By number: {pluralize(undated, 'match', 'matches', ',')} without a date." if undated else ""
        charts = "".join(trend_svg(player, size, css_class) for css_class, size in CHART_SIZES.items())
        chart = (
            f'<figure class="panel">{charts}'
            '<figcaption><span class="dot match"></span> one match &nbsp; <span class="bar"></span> '
            f"over the last {min(AVERAGED_MATCHES, player.match_count)} matches.{note}</figcaption></figure>"
        )
    return (
        f'<section class="player-section"><h2>{clean_markup(player.name)}</h2><p>{" · ".join(facts)}</p>'
        f'{chart}<div class="panel">{_totals(player)}</div></section>'
    )


def _totals(player: PlayerHistory) -> str:
    """Return the cost of errors by kind and by phase, with shares."""
    rates = player.rates
    matches = player.match_count

    def row(name: str, error: float, pr: float | None) -> list[str]:
        share = f"{error / rates.error:.0%}" if rates.error else "–"
        return [name, f"{error:.3f}", f"{error / matches:.3f}", share, "–" if pr is None else f"{pr:.2f}"]

    return grouped_table(
        ["", "cost (EMG)", "per match", "share", "PR"],
        {
            "By kind of error": [
                row(kind, rates.errors[kind], rates.pr_by_kind(kind)[0]) for kind in error_kinds(rates)
            ],
            "By phase": [row(phase, part.error, part.pr) for phase, part in player.phases.items()],
            "Number of errors": [
                [f"{word}s ({limit:g} and more)", str(rates.number_of(word)), "", "", ""]
                for word, limit in ERROR_LIMITS.items()
            ],
        },
        "totals",
    )


# ---------------------------------------------------------------- errors and matches


def _luck(player: PlayerHistory) -> list[str]:
    """Return the luck over all matches, and the luckiest and unluckiest rolls."""
    groups = {
        heading: [
            (f"{match.date or match.source}, {match.names[1 - side]}", roll, address)
            for match, side, roll, address in player.luckiest_rolls(sign)
        ]
        for heading, sign in (("Luckiest rolls", 1), ("Unluckiest rolls", -1))
    }
    return [
        f"<h2>Luck of {clean_markup(player.name)}</h2>",
        f'<div class="panel"><p>{typeset(player.luck_text)}</p>{luck_table(groups)}</div>',
    ]


def _openings(player: PlayerHistory) -> list[str]:
    """Return the first plays of games by roll, and the most costly replies to first plays."""
    first_rows = [_opening_cells(line) for line in player.openings if not line.first_play]
    replies = [line for line in player.openings if line.first_play and line.cost >= MIN_LISTED_ERROR]
    parts = [f"<h2>Openings of {clean_markup(player.name)}</h2>"] if first_rows or replies else []
    if first_rows:
        parts.append(f'<div class="panel">{table(_OPENING_COLUMNS, first_rows, "openings")}</div>')
    if replies:
        rows = [[clean_markup(line.first_play), *_opening_cells(line)] for line in replies[:MAX_REPLIES]]
        count_text = f", {len(rows)} of {len(replies)}" if len(rows) < len(replies) else ""
        head = f"Costliest replies to the first play{count_text}"
        replies_table = table(["first play", *_OPENING_COLUMNS], rows, "openings replies")
        parts.append(f"<details><summary>{head}</summary>{replies_table}</details>")
    return parts


def _opening_cells(line: OpeningLine) -> list[str]:
    played, best = (
        ", ".join(f"{play} ×{count}" if len(line.plays) > 1 else play for play, count in counts.most_common())
        for counts in (Counter(item.play for item in line.plays), Counter(item.best for item in line.plays))
    )
    css_class = "" if line.cost < MIN_LISTED_ERROR else ' class="choice-best"'
    return [
        line.roll,
        clean_markup(played),
        f"<span{css_class}>{clean_markup(best)}</span>",
        f"{line.cost:.3f}",
    ]


def _largest_errors(collection: MatchCollection, reader: PlayerHistory | None) -> list[str]:
    if not collection.errors.items:
        return []
    owner = "all matches" if reader is None else clean_markup(reader.name)
    parts = [f"<h2>Largest errors of {owner}</h2>"]
    for rank, item in enumerate(collection.errors.items, 1):
        players = f"{item.details.name} – {item.details.opponent}"
        text = clean_markup(", ".join(filter(None, [players, item.date])))
        source = link(item.page, clean_markup(item.source))
        parts.append(f'<p class="source">{text} <span class="soft">{source}</span></p>')
        parts.append(error_card(item.details, rank))
    return parts


def _match_table(matches: Sequence[CollectedMatch]) -> str:
    rows = []
    for match in sort_by_date(matches):
        day = "" if match.date is None else str(match.date)
        names = link(match.page, clean_markup(" – ".join(match.names)))
        players = f'{names} <span class="soft state">{clean_markup(_state(match))}</span>'
        prs = f'<span class="pr">{" – ".join(rate("PR", rates, "–") for rates in match.rates)}</span>'
        rows.append([day, players, clean_markup(match.source), prs])
    return table(["date", "players", "file", "PR"], rows, "matches")


def _state(match: CollectedMatch) -> str:
    """Return length and score, and the reason if a match is incomplete."""
    length = "money games" if match.length is None else f"match to {match.length}"
    reasons = []
    if match.length is not None and match.winner is None:
        reasons.append("not finished")
    if match.unread_games:
        reasons.append(f"{pluralize(match.unread_games, 'game', form=',')} not read")
    if not match.is_complete and not reasons:
        reasons.append("analysed in part")
    return ", ".join([length, "score {}\N{NON-BREAKING HYPHEN}{}".format(*match.score), *reasons])


_LEGEND = f"""<dl class="legend">
<dt>PR</dt><dd>Performance rating of eXtreme Gammon: 500 times the mean error of the decisions that count;
smaller is better. <i>Checker</i> is the PR of the plays, <i>cube</i> the PR of the cube actions.</dd>
<dt>PR by kind of error</dt><dd>PR of the decisions that allow this error: for missed doubles, the turns
without a double, and for wrong doubles, the doubles.</dd>
<dt>Line in a chart</dt><dd>PR over all decisions of a match and up to {AVERAGED_MATCHES - 1} matches before
it; long matches weigh more.</dd>
<dt>EMG</dt><dd>Equity in points at the value of the cube; winning the points on the cube is +1.</dd>
<dt>Share</dt><dd>Fraction of the cost of all the player's errors.</dd>
<dt>Blunders</dt><dd>Errors that cost 0.12 or more.</dd>
<dt>Luck</dt><dd>How much better the rolls were than the mean of all 21 rolls; both players may be lucky.</dd>
<dt>Incomplete</dt><dd>Matches that are not finished, with games that could not be read, or with a board that
is unknown. Such matches have a page and may have some of the largest errors, but are in no rating, trend or
total.</dd>
</dl>"""


# ---- files ----


MAX_PAGE_NAME = 200
"""Maximum length of a page's name without its extension, in bytes; some file systems allow only 255."""


def page_folder(path: str) -> str:
    """Return the folder for the pages of the matches: the index page's name, with ``_pages``."""
    return os.path.splitext(path)[0] + "_pages"


class ReportFiles:
    """Writer of a report: the pages of matches, and the index page `path`.

    `write_index` also links each page to the previous and the next match in the order of the index.
    """

    def __init__(self, path: str, worst: int, player: PlayerNames | None = None) -> None:
        self._path = path
        self._worst = worst
        self._names: set[str] = set()
        self._files: dict[str, str] = {}  # names of pages by their addresses
        self._links = {"All matches": _address(os.pardir, os.path.basename(path))}  # links on each page
        self.collection = MatchCollection(worst, player)

    def add(self, analysis: MatchAnalysis, source: str) -> None:
        """Write the page of a match and add the match; `source` is its name."""
        folder, name = page_folder(self._path), self._page_name(source)
        with naming(short_repr(folder)):
            os.makedirs(folder, exist_ok=True)
        page = html_report(analysis, self._worst, self.collection.player, _head(self._links))
        write_file(os.path.join(folder, name), page)
        address = _address(os.path.basename(folder), name)
        self._files[address] = name
        self.collection.add(analysis, source, address)

    def write_index(self, note: str = "") -> None:
        """Write the index page, with `note` at its top."""
        names = [self._files[match.page] for match in sort_by_date(self.collection.matches)]
        for previous_name, name, next_name in zip(["", *names], names, [*names[1:], ""], strict=False):
            pages = {"Previous match": previous_name, "Next match": next_name}
            links = self._links | {text: _address(page) for text, page in pages.items() if page}
            path = os.path.join(page_folder(self._path), name)
            with naming(short_repr(path)):
                page = Path(path).read_bytes()
            write_file(path, page.replace(_head(self._links).encode(), _head(links).encode(), 1))
        write_file(self._path, collection_page(self.collection, note))

    def _page_name(self, source: str) -> str:
        """Return a new file name from the name of a match; unique even on a case-insensitive file system."""
        letters = (
            letter if letter in "_.-" or unicodedata.category(letter)[0] in "LMN" else " "
            for letter in unicodedata.normalize("NFC", os.path.basename(source))
        )
        base = "_".join("".join(letters).split()).strip("._") or "match"
        name = base = base.encode()[:MAX_PAGE_NAME].decode(errors="ignore")
        count = 1
        while _fold_case(name) in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(_fold_case(name))
        return f"{name}.html"


def _head(links: Mapping[str, str]) -> str:
    """Return the links at the top of a page as HTML; `links` has addresses by text."""
    return f'<p class="soft back">{" · ".join(link(address, text) for text, address in links.items())}</p>'


def _fold_case(name: str) -> str:
    """Return a key that is equal for names that a file system may treat as the same."""
    return unicodedata.normalize("NFC", name.casefold())


def _address(*names: str) -> str:
    """Return names of folders and a file as a relative URL; the bytes of a name need not be UTF-8."""
    return "/".join(quote(os.fsencode(name)) for name in names)


def write_report(
    analyses: Iterable[tuple[str, MatchAnalysis]],
    path: str | os.PathLike[str],
    *,
    worst: int = WORST,
    player: PlayerNames | None = None,
    force: bool = False,
) -> None:
    """Write a report on several matches: an index page, and a page for each match.

    Parameters
    ----------
    analyses : AnalysedMatches, or iterable of (str, MatchAnalysis)
        Name of each match, such as its file, and its analysis. The pairs are consumed one at a time and not
        stored. Pages show only the file name of an absolute path.
    path : path
        Index page: trends of players, totals by kind of error and phase, the largest errors, and links to
        the pages of the matches. The pages of ``report.html`` are in the folder ``report_pages``.
    worst : int
        Maximum number of errors with their boards: on the index page, and on each page of a match.
    player : str or list of str, optional
        Name, or several names, of the player to whose matches and errors the report is limited.
        Case, spaces and underscores make no difference. By default, the `player` attribute of
        `AnalysedMatches`.
    force : bool
        Replace existing files.

    Raises
    ------
    BgfastError
        If the folder of the index page does not exist; if the index page or the folder of the pages exists
        and `force` is false; if a page cannot be written; or if no match has the player (the error lists
        the nearest names).

    See Also
    --------
    analyse_matches : Analyse the matches.
    MatchAnalysis.to_html : Return the report on one match.
    write_anki : Write the errors as flash cards.

    Notes
    -----
    Each file is written whole or not at all. Pages of an earlier report stay in the folder unless a new page
    replaces them. docs/MATCH_REPORTS.md describes the page.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> match = bgfast.Match(3, dice=["31"])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> bgfast.matches.write_report([("first", bgfast.analyse_match(match, ply=0))], path)
    >>> sorted(os.listdir(os.path.dirname(path))), os.listdir(path.replace(".html", "_pages"))
    (['report.html', 'report_pages'], ['first.html'])
    """
    name = validate_path(path, "the path of a report")
    refuse_missing_folder(name)
    if not flag("force", force):
        for output in (name, page_folder(name)):
            refuse_existing_path(output)
    player = getattr(analyses, "player", None) if player is None else player
    files = ReportFiles(name, worst, player)
    for source, analysis in select_analyses(analyses, player):
        files.add(analysis, source)
    files.collection.left_out = getattr(analyses, "left_out", {})
    files.write_index()
