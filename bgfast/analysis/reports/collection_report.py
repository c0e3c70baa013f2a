"""Report on several matches: an index page with the trends of players, and a page for each match."""

from __future__ import annotations

import os
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import quote

from bgfast.analysis.matches.html_report import html_report
from bgfast.analysis.matches.match_analysis import WORST, MatchAnalysis
from bgfast.analysis.matches.match_report import rate, shown_kinds
from bgfast.analysis.matches.match_statistics import (
    ERROR_LIMITS,
    MIN_LISTED_ERROR,
    PlayerNames,
    Rates,
    ReportPlayer,
    rating_word,
)
from bgfast.analysis.matches.page import (
    CHART_SIZES,
    Axes,
    document,
    error_card,
    grouped_table,
    round_ticks,
    table,
)
from bgfast.analysis.reports.match_collection import (
    AVERAGED_MATCHES,
    CollectedError,
    CollectedMatch,
    MatchCollection,
    OpeningLine,
    PlayerHistory,
    by_date,
    named_analyses,
)
from bgfast.common.files import checked_path, naming, refuse_existing_path, refuse_missing_folder, write_file
from bgfast.common.text import clean_markup, counted
from bgfast.common.validation import flag
from bgfast.errors import one_line, shown

MARGINS = 44, 30, 12, 44  # left, right, top, bottom
TICK_WIDTH = 90
"""Minimum width of a label below the chart, in pixels."""
RADIUS = 4.0
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAY_STEPS = (1, 2, 4, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 24000, 60000)


class _Point(NamedTuple):
    x: float
    pr: float
    average: float
    match: CollectedMatch
    player: int


def has_trend(player: PlayerHistory) -> bool:
    """Return whether a chart has two points or more."""
    points = _points(player)
    return bool(points) and points[0].x < points[-1].x


def trend_svg(player: PlayerHistory, size: tuple[int, int], css_class: str) -> str:
    """Return a chart of PR by date, or by number of the match; `has_trend` must be true."""
    points = _points(player)
    pr_ticks = round_ticks(0.0, max(1.0, *(point.pr for point in points)), 5)
    axes = Axes(size, MARGINS, (points[0].x, points[-1].x), (0.0, pr_ticks[-1]))
    parts = [*axes.grid((pr, f"{pr:g}") for pr in pr_ticks)]
    for value, text in _x_ticks(player, *axes.x_limits, (axes.right - axes.left) // TICK_WIDTH):
        x = f"{axes.x(value):.1f}"
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{axes.top}" y2="{axes.bottom + 5}"/>')
        parts.append(axes.label(axes.x(value), axes.bottom + 18, text))
    parts += axes.names("date" if _is_by_date(player) else "match", "PR")
    parts += [_circle(point, axes) for point in points]
    average = axes.points((point.x, point.average) for point in points)
    parts.append(f'<polyline class="line average" points="{average}"/>')
    label = f"PR of {player.name}: {len(points)} matches, and their moving average"
    return axes.svg(label, css_class, parts)


def _is_by_date(player: PlayerHistory) -> bool:
    """Return whether all matches have a date, and two of them differ."""
    dates = {match.date for match, _ in player.matches}
    return None not in dates and len(dates) > 1


def _points(player: PlayerHistory) -> list[_Point]:
    by_date = _is_by_date(player)
    points = []
    for number, ((match, side), average) in enumerate(zip(player.matches, player.moving_pr, strict=True), 1):
        pr = match.rates[side].pr
        if pr is None or average is None:
            continue
        x = match.date.toordinal() if by_date and match.date is not None else number
        points.append(_Point(float(x), pr, average, match, side))
    return points


def _x_ticks(player: PlayerHistory, first: float, last: float, max_ticks: int) -> list[tuple[float, str]]:
    if _is_by_date(player):
        ticks = date_ticks(date.fromordinal(int(first)), date.fromordinal(int(last)), max_ticks)
        return [(day.toordinal(), text) for day, text in ticks]
    numbers = round_ticks(first, last, max_ticks)
    return [(tick, f"{tick:g}") for tick in numbers if tick == int(tick) and first <= tick <= last]


def _circle(point: _Point, axes: Axes) -> str:
    match, place = point.match, f'cx="{axes.x(point.x):.1f}" cy="{axes.y(point.pr):.1f}"'
    day = "" if match.date is None else f"{match.date}, "
    title = clean_markup(f"{day}against {match.names[1 - point.player]}: PR {point.pr:.2f}")
    return _link(match.page, f'<circle class="match" {place} r="{RADIUS:g}"><title>{title}</title></circle>')


def _link(page: str, content: str) -> str:
    """Return HTML as a link to a page; unchanged without one."""
    return f'<a href="{clean_markup(page)}">{content}</a>' if page else content


def date_ticks(first: date, last: date, max_ticks: int) -> list[tuple[date, str]]:
    """Return up to `max_ticks`, 2 or more, round dates within a range, with their labels.

    Days, Mondays, first days of months or of years; one or none if the range is between two round dates.
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
    firsts = [date(month // 12, month % 12 + 1, 1) for month in months]
    return [(day, str(day.year) if step >= 12 else f"{_MONTHS[day.month - 1]} {day.year}") for day in firsts]


# ---- index page ----


MIN_MATCHES = 3
"""Minimum number of matches for a section of a player, unless no player has as many."""
MAX_SECTIONS = 20
"""Maximum number of players with a section; most matches first."""
MAX_REPLIES = 20
"""Maximum number of replies to first plays in a table."""
_OPENING_COLUMNS = ["roll", "played", "best", "cost (EMG)"]
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
.matches .c3, .left-out .c2 { text-align: left; } .left-out td { border-top: 1px solid var(--rule); }
.openings td { border-top: 1px solid var(--rule); } .openings .c2, .openings .c3 { text-align: left; }
.openings:not(.replies) .c1 { white-space: nowrap; } .replies .c4 { text-align: left; }
.left-out .c1 { width: 30%; } dl.legend { margin: 0; }
@media screen and (max-width: 720px) {
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
    title = counted(len(collection.matches), "match", "matches", ",")
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
        _offer(reader) if collection.player is None and reader is not None else "",
        *([] if collection.player is not None else rankings),
        *map(_section, sections),
        *_largest_errors(collection),
        *(_openings(reader) if reader is not None else []),
        "<h2>Matches</h2>",
        f'<div class="panel">{_match_table(collection.matches)}</div>',
        *(rankings if collection.player is not None else []),
        "<h2>Left out</h2>" if left_out else "",
        f'<div class="panel">{table(["file", "reason"], left_out, "left-out")}</div>' if left_out else "",
        "<h2>How to read this page</h2>",
        f'<div class="panel">{_LEGEND}</div>',
    ]
    return document(clean_markup(title), parts, _STYLE)


def _offer(reader: PlayerHistory) -> str:
    """Return the player with most matches, and the option for a report on this player."""
    fact = f"{reader.name} has {counted(reader.match_count, 'match', 'matches', ',')}"
    option = clean_markup(f"--player {shlex.quote(one_line(reader.name))}")
    return f"<p>{clean_markup(fact)}. For a report on this player: <code>{option}</code></p>"


def _description(collection: MatchCollection) -> str:
    """Return the range of dates, and the number of matches excluded from rankings."""
    dates = [match.date for match in collection.matches if match.date is not None]
    incomplete = sum(not match.is_complete for match in collection.matches)
    texts = []
    if dates:
        texts.append(f"{min(dates)}" if min(dates) == max(dates) else f"{min(dates)} to {max(dates)}")
    if incomplete:
        texts.append(f"{incomplete:,} incomplete, and left out of rankings and trends")
    if files := sum(map(len, collection.left_out.values())):
        texts.append(f"{counted(files, 'file', form=',')} left out")
    return ". ".join([*texts, ""]).strip()


# ---------------------------------------------------------------- players


def _rankings(players: Sequence[PlayerHistory], regulars: Sequence[PlayerHistory]) -> str:
    """Return the players by PR; players with few matches are in a closed section if others have more."""
    if not players:
        return "<p>No match is complete, so no player is ranked.</p>"
    others = [player for player in players if player.match_count < MIN_MATCHES]
    main = f'<div class="panel">{_ranking(regulars or players)}</div>'
    if not others or not regulars:
        return main
    head = f"{counted(len(others), 'player', form=',')} with fewer than {MIN_MATCHES} matches"
    return f"{main}\n<details><summary>{head}</summary>{_ranking(others)}</details>"


def _ranking(players: Sequence[PlayerHistory]) -> str:
    rows = []
    for place, player in enumerate(players, 1):
        prs = [rate(name, player.rates, "–") for name in ("PR", "checker", "cube")]
        errors, luck = f"{player.rates.error:.3f}", f"{player.luck:+.3f}"
        rows.append([str(place), clean_markup(player.name), *prs, str(player.match_count), errors, luck])
    head = ["", "player", "PR", "checker", "cube", "matches", "errors (EMG)", "luck (EMG)"]
    return table(head, rows, "ranking")


def _pr(rates: Rates) -> str:
    return rate("PR", rates, "–")


def _section(player: PlayerHistory) -> str:
    """Return the section of a player: totals over all matches, and the trend."""
    rates = player.rates
    word = "" if rates.pr is None else f" {rating_word(rates.pr)}"
    decided = sum(match.length is not None for match, _ in player.matches)
    facts = [
        f"PR {_pr(rates)}{word} ({rate('checker', rates, '–')} checker, {rate('cube', rates, '–')} cube)",
        counted(player.match_count, "match", "matches", ",") + (f", {player.wins} won" if decided else ""),
        counted(rates.number_of("blunder"), "blunder", form=","),
    ]
    chart = ""
    if has_trend(player):
        undated = len({id(match) for match, _ in player.matches if match.date is None})
        has = "has" if undated == 1 else "have"
        note = f" By number: {counted(undated, 'match', 'matches', ',')} {has} no date." if undated else ""
        charts = "".join(trend_svg(player, size, css_class) for css_class, size in CHART_SIZES.items())
        chart = (
            f'<figure class="panel">{charts}'
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
    matches = player.match_count

    def row(name: str, error: float, pr: float | None) -> list[str]:
        share = f"{error / rates.error:.0%}" if rates.error else "–"
        return [name, f"{error:.3f}", f"{error / matches:.3f}", share, "–" if pr is None else f"{pr:.2f}"]

    return grouped_table(
        ["", "cost (EMG)", "a match", "share", "PR"],
        {
            "By kind of error": [
                row(kind, rates.errors[kind], rates.pr_by_kind(kind)[0]) for kind in shown_kinds(rates)
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


def _openings(player: PlayerHistory) -> list[str]:
    """Return the first plays of games by roll, and the replies to them that cost most."""
    first = [_opening_cells(line) for line in player.openings if not line.before]
    replies = [line for line in player.openings if line.before and line.cost >= MIN_LISTED_ERROR]
    if not first and not replies:
        return []
    parts = [f"<h2>Openings of {clean_markup(player.name)}</h2>"]
    if first:
        parts.append(f'<div class="panel">{table(_OPENING_COLUMNS, first, "openings")}</div>')
    if replies:
        rows = [[clean_markup(line.before), *_opening_cells(line)] for line in replies[:MAX_REPLIES]]
        shown = f", {len(rows)} of {len(replies)}" if len(rows) < len(replies) else ""
        head = f"Replies to the first play that cost most{shown}"
        columns = ["first play", *_OPENING_COLUMNS]
        parts.append(
            f"<details><summary>{head}</summary>{table(columns, rows, 'openings replies')}</details>"
        )
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


def _largest_errors(collection: MatchCollection) -> list[str]:
    if not collection.errors.items:
        return []
    of_player = "of all matches" if collection.player is None else "of this player"
    parts = [f"<h2>Largest errors {of_player}</h2>"]
    for number, item in enumerate(collection.errors.items, 1):
        parts += [_source(item), error_card(item.details, number)]
    return parts


def _source(item: CollectedError) -> str:
    """Return the players and date of an error, and a link to its match."""
    players = f"{item.details.name} – {item.details.opponent}"
    text = clean_markup(", ".join(filter(None, [players, item.date])))
    source = _link(item.page, clean_markup(item.source))
    return f'<p class="source">{text} <span class="soft">{source}</span></p>'


def _match_table(matches: Sequence[CollectedMatch]) -> str:
    rows = []
    for match in by_date(matches):
        day = "" if match.date is None else str(match.date)
        names = _link(match.page, clean_markup(" – ".join(match.names)))
        players = f'{names} <span class="soft state">{clean_markup(_state(match))}</span>'
        prs = f'<span class="pr">{" – ".join(map(_pr, match.rates))}</span>'
        rows.append([day, players, clean_markup(match.source), prs])
    return table(["date", "players", "file", "PR"], rows, "matches")


def _state(match: CollectedMatch) -> str:
    """Return length and score, and the reason if a match is incomplete."""
    length = "money games" if match.length is None else f"match to {match.length}"
    reasons = []
    if match.length is not None and match.winner is None:
        reasons.append("not finished")
    if match.unread_games:
        reasons.append(f"{counted(match.unread_games, 'game', form=',')} not read")
    if not match.is_complete and not reasons:
        reasons.append("analysed in part")
    return ", ".join([length, "score {}-{}".format(*match.score), *reasons])


_LEGEND = f"""<dl class="legend">
<dt>PR</dt><dd>Performance rating of eXtreme Gammon: 500 times the mean error of the decisions that count;
smaller is better. <i>Checker</i> is the PR of the plays, <i>cube</i> the PR of the cube actions.</dd>
<dt>PR by kind of error</dt><dd>Of the decisions in which this error is possible: for missed doubles the turns
without a double, for wrong doubles the doubles.</dd>
<dt>Line in a chart</dt><dd>PR over all decisions of a match and up to {AVERAGED_MATCHES - 1} matches before
it; long matches weigh more.</dd>
<dt>EMG</dt><dd>Equity in points at the value of the cube; 1 is what winning the cube's points brings.</dd>
<dt>Share</dt><dd>Of the cost of all errors of the player.</dd>
<dt>Blunders</dt><dd>Errors that cost 0.12 or more.</dd>
<dt>Luck</dt><dd>How much better the rolls were than the mean of all 21 rolls; both players may be lucky.</dd>
<dt>Incomplete</dt><dd>Matches that are not finished, or of which not all games could be read or a board is
unknown. They have a page, and their errors may be among the largest, but they are in no rating, trend or
total.</dd>
</dl>"""


# ---- files ----


MAX_PAGE_NAME = 200
"""Maximum length of a page's name without its ending, in bytes; some file systems allow 255."""


def page_folder(path: str) -> str:
    """Return the folder for the pages of the matches: the index page's name, with ``_pages``."""
    return os.path.splitext(path)[0] + "_pages"


class ReportFiles:
    """Writer of a report to the index page `path`.

    The page of a match links to the next one: it is written together with the next match or the index.
    """

    def __init__(self, path: str, worst: int, player: PlayerNames | None = None) -> None:
        self._path = path
        self._worst = worst
        self._names: set[str] = set()
        self._last_numbers: dict[str, int] = {}  # of pages, by the name that they share
        self._waiting: tuple[MatchAnalysis, str] | None = None  # match added last, and its page
        self._previous = ""  # page before it
        self.collection = MatchCollection(worst, player)

    def add(self, analysis: MatchAnalysis, source: str) -> None:
        """Add a match; `source` is its name."""
        folder, name = page_folder(self._path), self._page_name(source)
        with naming(shown(folder)):
            os.makedirs(folder, exist_ok=True)
        self._write_page(following=name)
        self._waiting = analysis, name
        self.collection.add(analysis, source, _address(os.path.basename(folder), name))

    def write_index(self, note: str = "") -> None:
        """Write the index page, with `note` at its top."""
        self._write_page()
        write_file(self._path, collection_page(self.collection, note))

    def _write_page(self, following: str = "") -> None:
        """Write the page of the match added last, if there is one; `following` is the next page."""
        if self._waiting is None:
            return
        analysis, name = self._waiting
        pages = {"Previous match": self._previous, "Next match": following}
        links = {"All matches": _address(os.pardir, os.path.basename(self._path))}
        links |= {text: _address(page) for text, page in pages.items() if page}
        page = html_report(analysis, self._worst, links, self.collection.player)
        write_file(os.path.join(page_folder(self._path), name), page)
        self._previous, self._waiting = name, None

    def _page_name(self, source: str) -> str:
        """Return a new file name from the name of a match; it is unique also where case does not count."""
        letters = unicodedata.normalize("NFC", os.path.basename(source))
        is_plain = [letter in "_.-" or unicodedata.category(letter)[0] in "LMN" for letter in letters]
        parts = "".join(
            letter if plain else " " for letter, plain in zip(letters, is_plain, strict=True)
        ).split()
        base = "_".join(parts).strip("._") or "match"
        base = base.encode()[:MAX_PAGE_NAME].decode(errors="ignore")
        name, shared = base, _fold_case(base)
        number = self._last_numbers.get(shared, 1)
        while _fold_case(name) in self._names:
            number += 1
            name = f"{base}_{number}"
        self._last_numbers[shared] = number
        self._names.add(_fold_case(name))
        return f"{name}.html"


def _fold_case(name: str) -> str:
    """Return a key that is equal for names that a file system may take for the same."""
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
        Name of each match, such as its file, and its analysis. They are consumed one at a time and not
        stored. Of an absolute path the pages show the file name alone.
    path : path
        Index page: every player by date, totals by kind of error and phase, the largest errors, and links to
        the pages of the matches. ``report.html`` has them in the folder ``report_pages``.
    worst : int
        Maximum number of errors with their boards: on the index page, and on each page of a match.
    player : str or list of str, optional
        Name, or several names, of a player: the report has this player's matches and errors alone.
        Names that differ in case, spaces and underscores alone are the same. By default the player of
        `AnalysedMatches`.
    force : bool
        Replace existing files.

    Raises
    ------
    BgfastError
        If the folder of the index page does not exist, the index page or the folder of the pages exists
        already, without `force`, a page cannot be written, or no match has the player; the error then lists
        the nearest names.

    Notes
    -----
    Each file is written whole or not at all. Pages of an earlier report stay in the folder unless a match has
    their name. docs/MATCH_REPORTS.md describes the page.

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
    name = checked_path(path, "the path of a report")
    refuse_missing_folder(name)
    if not flag("force", force):
        for output in (name, page_folder(name)):
            refuse_existing_path(output)
    player = getattr(analyses, "player", None) if player is None else player
    files = ReportFiles(name, worst, player)
    for source, analysis in named_analyses(analyses, player):
        files.add(analysis, source)
    files.collection.left_out = getattr(analyses, "left_out", {})
    files.write_index()
