"""Parts of HTML pages: documents, tables, checkers, charts, error cards, and their style."""

from __future__ import annotations

import hashlib
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from bgfast.analysis.matches.error_details import (
    CHECKER_COLOURS,
    CubeBar,
    ErrorDetails,
    Explanation,
    ShownChoice,
    half_width_text,
)
from bgfast.common.text import clean_markup
from bgfast.position.decision import svg
from bgfast.position.picture import theme_colours


@cache
def _script() -> tuple[str, str]:
    """Return the script of the pages, and the content security policy that allows only this script."""
    text = Path(__file__).with_name("playback.js").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
    script_source = f"script-src 'sha256-{digest}'"
    return text, f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; {script_source}"


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page from its title and the non-empty parts of its body, all HTML; `style` extends `STYLE`."""
    script, policy = _script()
    head = (
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<meta property="og:title" content="{title}: backgammon report">\n'
        f'<link rel="icon" href="{ICON}">\n<style>{STYLE}{style}</style>'
    )
    body = "\n".join([*filter(None, parts), f"<script>{script}</script>"])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def checker(side: Literal["X", "O"]) -> str:
    """Return a checker as a small picture, labelled with its colour."""
    colour = CHECKER_COLOURS[side]
    return (
        f'<svg class="checker" viewBox="0 0 20 20" role="img" aria-label="{colour}">'
        f'<circle cx="10" cy="10" r="8.5" fill="var(--{colour})" stroke="var(--{colour}-edge)" '
        'stroke-width="2"/></svg>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], css_class: str) -> str:
    """Return a table. Cells are HTML; every cell has the class of its column, ``c1``, ``c2``, ..."""
    body = "\n".join(map(_row, rows))
    return f'<table class="{css_class}"><thead>{_row(head, "th")}</thead><tbody>\n{body}\n</tbody></table>'


def grouped_table(head: Sequence[str], groups: Mapping[str, Iterable[Sequence[str]]], css_class: str) -> str:
    """Return a table with groups of rows and their headings."""
    bodies = [
        "\n".join(
            [f'<tbody><tr><th scope="rowgroup" colspan="{len(head)}">{name}</th></tr>', *map(_row, rows)]
        )
        for name, rows in groups.items()
    ]
    groups_html = "".join(f"\n{body}</tbody>" for body in bodies)
    return f'<table class="{css_class}"><thead>{_row(head, "th")}</thead>{groups_html}\n</table>'


def _row(cells: Sequence[str], tag: str = "td") -> str:
    row = "".join(f'<{tag} class="c{column}">{cell}</{tag}>' for column, cell in enumerate(cells, 1))
    return f"<tr>{row}</tr>"


def mark_text(word: str, text: str) -> str:
    """Return text in the colour of "error" or "blunder"; unchanged for an empty word."""
    return f'<span class="mark is-{word}">{text}</span>' if word else text


def link(address: str, content: str) -> str:
    """Return HTML as a link; unchanged without an address."""
    return f'<a href="{clean_markup(address)}">{content}</a>' if address else content


def typeset(text: str) -> str:
    """Return text as HTML, with typographic minus signs and arrows."""
    return clean_markup(re.sub(r"(?<![^\s(])-(?=\d)", "\N{MINUS SIGN}", text).replace("->", "→"))


# ---- style ----


_VARIABLES = {
    **{name: name for name in ("frame", "board", "tray", "cube")},
    **{"dark_points": "dark-points", "light_points": "light-points", "cube_text": "cube-text", "hits": "hit"},
    **{"checkers_x": "white", "outline_x": "white-edge", "checkers_o": "black", "outline_o": "black-edge"},
}
"""CSS variable of each board colour that picture themes define."""
BOARD_COLOURS: Mapping[str, str] = MappingProxyType(
    {name: f"var(--{variable})" for name, variable in _VARIABLES.items()}
    | {"background": "none", "text": "currentColor", "frame_text": "var(--frame-text)"}
    | {"checkers_x_text": "var(--black)", "checkers_o_text": "var(--white)"}
    | {"arrows": "var(--best)", "other_arrows": "var(--played)"}
)
"""Colours of boards on a page, which change in dark mode and in print."""


def _board_style(theme: str) -> str:
    colours = theme_colours(theme, None)
    return " ".join(f"--{variable}: {colours[name]};" for name, variable in _VARIABLES.items())


ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Crect width='16' height='16' rx='3' fill='%237a5230'/%3E"
    "%3Cpath d='M3 14L5.5 3L8 14Z' fill='%23e0bd87'/%3E"
    "%3Ccircle cx='11' cy='11' r='3.5' fill='%23fffdf6'/%3E%3C/svg%3E"
)
"""Icon of a page: a point and a checker."""
STYLE = """
@page { size: A4; margin: 14mm 13mm; }
:root { color-scheme: light dark;
  --paper: #f7f5f0; --card: #fff; --ink: #1e1f21; --soft: #5c5f64; --rule: #ddd8ce;
  --first: #1463b0; --second: #a24a00; --best: #0b7d4f; --played: #c8145f;
  --error: #9a4b00; --blunder: #b8002a; --frame-text: #fff6e6; LIGHT_BOARD }
@media screen and (prefers-color-scheme: dark) { :root {
  --paper: #15171a; --card: #1e2125; --ink: #e9e7e2; --soft: #a9acb1; --rule: #3a3f45;
  --first: #6fb4ff; --second: #ff9d5c; --best: #3ddc97; --played: #ff7fb4;
  --error: #ffb056; --blunder: #ff7b8a; --frame-text: #d9cdbb; DARK_BOARD } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; margin: 0 auto;
  max-width: 64rem; padding: 1rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 0; } h1, h2, h3 { line-height: 1.25; }
p { margin: .3rem 0; } p.back { margin: 0 0 .3rem; } a { color: inherit; }
.soft, figcaption { color: var(--soft); } .soft, small { font-size: .85rem; font-weight: normal; }
.checker { width: 1em; height: 1em; vertical-align: -.12em; }
.mark { font-weight: 700; } .is-error { color: var(--error); } .is-blunder { color: var(--blunder); }
.players { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; margin: .7rem 0; }
.player { background: var(--card); border: 1px solid var(--rule); border-top: 4px solid var(--first);
  border-radius: .5rem; min-width: 0; padding: .7rem .9rem; }
.player.second { border-top-color: var(--second); }
.player h2 { font-size: 1.1rem; margin: 0; }
.player .points { float: right; font-size: 1.7rem; font-weight: 700;
  line-height: 1; margin-left: .5rem; }
.player .pr { margin: .35rem 0 .1rem; } .player .pr b { font-size: 1.9rem; line-height: 1.1; }
.player .word { font-weight: 600; white-space: nowrap; }
dl.counts { display: grid; gap: 0 .8rem; grid-template-columns: auto auto auto auto; justify-content: start;
  margin: .4rem 0 0; } dl.counts dt { color: var(--soft); white-space: nowrap; }
dl.counts dd { margin: 0; font-weight: 600; white-space: nowrap; }
.panel, .error, details { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem;
  padding: .7rem .9rem; }
svg.chart { display: block; width: 100%; height: auto; font-size: 12px; }
svg.chart text { fill: var(--soft); }
svg.chart.narrow { display: none; } .panel h2 { font-size: 1.05rem; margin: 0 0 .3rem; }
svg.chart .grid { stroke: var(--rule); } svg.chart .game { stroke: var(--soft); stroke-dasharray: 2 4; }
svg.chart .line { fill: none; stroke: var(--ink); stroke-width: 1.8; stroke-linejoin: round; }
svg.chart .area { opacity: .22; } svg.chart .first { fill: var(--first); }
svg.chart .second { fill: var(--second); }
svg.chart circle.mark { stroke: var(--card); stroke-width: 1.5; }
svg.chart text.on-mark { fill: var(--card); font-size: 10.5px; font-weight: 700; }
.dot { border-radius: 50%; display: inline-block; height: .75em; width: .75em; }
.dot.first, .number.first { background: var(--first); }
.dot.second, .number.second { background: var(--second); }
.dot.best { background: var(--best); } .dot.played { background: var(--played); }
.error { margin: 0 0 1rem; break-inside: avoid; }
.error .number { border-radius: 1em; color: var(--card); display: inline-block;
  font-size: .85rem; min-width: 1.6em; padding: .05em .4em; text-align: center; }
.error header { align-items: baseline; display: flex; flex-wrap: wrap; gap: .1rem 1rem;
  justify-content: space-between; } .error header p { margin: 0; }
.error .body { display: grid; gap: .2rem 1.2rem; grid-template-columns: 55fr 45fr; margin-top: .5rem; }
.error .body > * { min-width: 0; }
figure { margin: 0; } figure svg { display: block; height: auto; width: 100%; }
svg.key { height: .85em; vertical-align: -.05em; width: 2.1em; }
.why { background: var(--paper); border-left: 3px solid var(--best); border-radius: .2rem;
  padding: .35rem .6rem; } .why:empty { display: none; }
ul.chips { display: flex; flex-wrap: wrap; gap: .3rem; list-style: none; margin: .4rem 0; padding: 0; }
.chips li { border: 1px solid var(--rule); border-radius: 1em; font-size: .8rem; padding: 0 .55em; }
.chips .pro::before { color: var(--best); content: "▲ " / ""; }
.chips .contra::before { color: var(--played); content: "▼ " / "but "; }
svg.cube-bar { display: block; font-size: 12px; height: auto; margin: .3rem 0; max-width: 30rem;
  width: 100%; }
.cube-bar text { fill: var(--soft); } .cube-bar text.win { fill: var(--card); font-weight: 700; }
.cube-bar .all { fill: var(--rule); } .cube-bar .won { fill: var(--first); }
.cube-bar.second .won { fill: var(--second); } .cube-bar path { stroke: var(--ink); stroke-width: 2; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th { color: var(--soft); font-size: .85rem; font-weight: 600; }
th, td { padding: .16rem 0 .16rem .6rem; text-align: right; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0; text-align: left; }
.candidates { font-size: .92rem; margin: .5rem 0; } .candidates tbody { border-top: 1px solid var(--rule); }
.candidates td:not(:first-child) { white-space: nowrap; }
.candidates .best { color: var(--best); } .candidates .played { color: var(--played); }
.candidates .best td:first-child, .candidates .played td:first-child { font-weight: 600; }
.candidates .answer td:first-child { padding-left: 1.2rem; }
.candidates details { background: none; border: none; margin: 0; padding: 0; }
.candidates summary { font-weight: normal; }
.facts { container-type: inline-size; }
.candidates details span { color: var(--soft); display: block; font-size: .8rem; margin-right: -100cqi;
  width: 100cqi; }
.candidates .chances td:first-child { color: var(--soft); font-size: .8rem; font-weight: normal;
  padding-top: 0; }
.id { font-family: ui-monospace, monospace; font-size: .72rem; }
.rates { margin-bottom: 1rem; } .rates td { border-top: 1px solid var(--rule); }
.rates th[scope=rowgroup] { border-top: 2px solid var(--rule); color: var(--ink); padding-top: .6rem; }
.rates th:not(:first-child), .rates td:not(:first-child) { width: 27%; }
.rates.luck th:not(:first-child), .rates.luck td:not(:first-child) { white-space: nowrap; width: 12%; }
details { margin-bottom: .6rem; } summary { cursor: pointer; font-weight: 600; }
.moves { font-size: .92rem; margin-top: .5rem; } .moves td { border-top: 1px solid var(--rule); }
.moves .c2, .moves .c3, .moves .c5 { text-align: left; }
.moves { overflow-wrap: normal; } .moves th, .moves .c3, .moves .c4 { white-space: nowrap; }
.moves .choice-best { color: var(--best); display: block; }
dl.legend dt { font-weight: 600; margin-top: .5rem; } dl.legend dd { margin: 0; }
@media (min-width: 900px) { dl.counts { grid-template-columns: repeat(6, auto); } }
@media screen and (max-width: 720px) {
  body { padding: .7rem .7rem 2rem; } .players { gap: .5rem; }
  .unit { display: none; } .player { padding: .55rem .6rem; } .player .word { display: block; }
  dl.counts { gap: 0 .5rem; grid-template-columns: auto auto; } dl.counts dd { font-size: .95rem; }
  .error .body { grid-template-columns: minmax(0, 1fr); }
  .moves { font-size: .84rem; } .moves th { font-size: .74rem; } .moves th.c2 { font-size: 0; }
  .moves .c6 { width: 3.4rem; } .moves th, .moves td { padding-left: .4rem; }
  svg.chart.wide { display: none; } svg.chart.narrow { display: block; } .panel { padding: .5rem .4rem; }
  .rates th:not(:first-child), .rates td:not(:first-child) { width: 30%; }
}
@media print {
  :root { --paper: #fff; --rule: #bbb; color-scheme: light; }
  html { font-size: 9pt; } body { font-size: 9pt; margin: 0; max-width: none; padding: 0; }
  h2 { margin: 1rem 0 .4rem; } .error { margin-bottom: .6rem; padding: .4rem .7rem; }
  .player, .error .number, circle, figure svg, .checker, .dot, .area { print-color-adjust: exact; }
  .error .body { grid-template-columns: 76mm minmax(0, 1fr); }
  h2, h3, summary { break-after: avoid; } tr, svg, .player, .panel { break-inside: avoid; }
  details::details-content { content-visibility: visible; } p.back { display: none; }
  .candidates details::details-content { content-visibility: hidden; }
  .candidates summary { list-style: none; }
}
""".replace("LIGHT_BOARD", _board_style("light")).replace("DARK_BOARD", _board_style("dark"))
"""Style of a page; `BOARD_COLOURS` refers to its variables."""


# ---- charts ----


CHART_SIZES = {"wide": (960, 300), "narrow": (360, 270)}
"""Sizes of a chart in pixels by CSS class: for wide windows, and for phones."""
MARK_RADIUS = 9.0
MAX_SHIFT = 60.0
"""Maximum distance of a mark from its place, in pixels."""
MIN_GAME_WIDTH = 26.0
"""Minimum width, in pixels, of a game whose number is shown above the chart."""


class Axes:
    """Scales of a chart, which turn values into pixels; margins are left, right, top and bottom."""

    def __init__(
        self,
        size: tuple[int, int],
        margins: tuple[int, int, int, int],
        x_limits: tuple[float, float],
        y_limits: tuple[float, float],
    ) -> None:
        self.width, self.height = size
        self.left, self.right = margins[0], self.width - margins[1]
        self.top, self.bottom = margins[2], self.height - margins[3]
        self.x_limits, self.y_limits = x_limits, y_limits

    def x(self, value: float) -> float:
        """Return the x coordinate of a value."""
        low, high = self.x_limits
        return self.left + (self.right - self.left) * (value - low) / (high - low)

    def y(self, value: float) -> float:
        """Return the y coordinate of a value."""
        low, high = self.y_limits
        return self.top + (self.bottom - self.top) * (high - value) / (high - low)

    def points(self, points: Iterable[tuple[float, float]]) -> str:
        """Return the points of a line as an SVG attribute."""
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)

    def grid(self, ticks: Iterable[tuple[float, str]]) -> Iterator[str]:
        """Yield horizontal lines, with their labels on the left."""
        for value, text in ticks:
            y = f"{self.y(value):.1f}"
            yield f'<line class="grid" x1="{self.left}" x2="{self.right}" y1="{y}" y2="{y}"/>'
            yield f'<text x="{self.left - 6}" y="{y}" dy="4" text-anchor="end">{text}</text>'

    def label(self, x: float, y: float, text: str) -> str:
        """Return a text centred on an x coordinate."""
        return f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{text}</text>'

    def names(self, x_name: str, y_name: str) -> Iterator[str]:
        """Yield the names of both axes, each centred along its axis."""
        transform = f"translate(12 {(self.top + self.bottom) / 2:.1f}) rotate(-90)"
        yield f'<text transform="{transform}" text-anchor="middle">{y_name}</text>'
        yield self.label((self.left + self.right) / 2, self.height - 6, x_name)

    def svg(self, label: str, css_class: str, parts: Iterable[str]) -> str:
        """Return the chart from its elements; the label is for screen readers."""
        head = (
            f'<svg class="chart {css_class}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{clean_markup(label)}">'
        )
        return "\n".join([head, *parts, "</svg>"])


def round_ticks(low: float, high: float, max_steps: int) -> list[float]:
    """Return multiples of 1, 2, 2.5 or 5 times a power of ten, `max_steps` + 1 at most, that span a range."""
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / max_steps))
    spans = (
        (step, math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9))
        for step in (factor * power for factor in (1, 2, 2.5, 5, 10, 20))
    )
    step, first, last = next((step, first, last) for step, first, last in spans if last - first <= max_steps)
    return [index * step for index in range(first, last + 1)]


class ChartMark(NamedTuple):
    """Numbered mark on the line, which links to an error."""

    rank: int
    x: float
    y: float
    css_class: Literal["first", "second"]  # player who made the error
    title: str  # text of the tooltip


class LuckTick(NamedTuple):
    """Tick at the top of the chart for a very lucky or unlucky roll."""

    x: float
    css_class: Literal["first", "second"]  # player who rolled
    is_lucky: bool
    title: str  # text of the tooltip


class Chart(NamedTuple):
    """Line chart of a match, roll by roll."""

    label: str  # description for screen readers
    y_label: str
    points: Sequence[tuple[float, float]]  # at least one point
    games: Sequence[tuple[float, int]]  # start and number of each game
    marks: Sequence[ChartMark]
    is_probability: bool  # y values are 0 to 1, with ticks in per cent
    luck: Sequence[LuckTick] = ()

    def svg(self, size: tuple[int, int], css_class: str) -> str:
        """Return the chart as SVG; text has its nominal size if the chart is shown at `size` (pixels)."""
        y_values = [y for _, y in self.points]
        low, high = (0.0, 1.0) if self.is_probability else (min(0.0, *y_values), max(0.0, *y_values))
        ticks = round_ticks(low, max(high, low + 1e-6), 4)
        labels = [f"{tick:.0%}" if self.is_probability else f"{tick:+g}" if tick else "0" for tick in ticks]
        x_max = max([x for x, _ in self.points] + [1.0])
        axes = Axes(size, (58, 14, 30, 44), (0.0, x_max), (ticks[0], ticks[-1]))
        parts = [
            *self._areas(axes),
            *axes.grid(zip(ticks, map(typeset, labels), strict=True)),
            *_roll_ticks(axes),
            *axes.names("rolls", self.y_label),
            *self._games(axes),
            *self._luck_ticks(axes),
            f'<polyline class="line" points="{axes.points(self.points)}"/>',
            *self._marks(axes),
        ]
        return axes.svg(self.label, css_class, parts)

    def _areas(self, axes: Axes) -> Iterator[str]:
        """Tint the areas above and below the line in the colours of the players."""
        base = 0.5 if self.is_probability else 0.0
        corners = axes.points([*self.points, (self.points[-1][0], base), (self.points[0][0], base)])
        top, middle, bottom = axes.top, axes.y(base), axes.bottom
        for name, y, height in (("first", top, middle - top), ("second", middle, bottom - middle)):
            clip = f"{name}-{axes.width}"
            yield (
                f'<clipPath id="{clip}"><rect x="0" y="{y:.1f}" width="{axes.width}" '
                f'height="{height:.1f}"/></clipPath>'
                f'<polygon class="area {name}" clip-path="url(#{clip})" points="{corners}"/>'
            )

    def _games(self, axes: Axes) -> Iterator[str]:
        """Draw the starts of the games, with their numbers where there is room."""
        ends = pairwise([*(axes.x(x) for x, _ in self.games), axes.right])
        for (_, game), (start, end) in zip(self.games, ends, strict=True):
            x, top = f"{start:.1f}", axes.top - 12
            yield f'<line class="game" x1="{x}" x2="{x}" y1="{top}" y2="{axes.bottom}"/>'
            if end - start >= MIN_GAME_WIDTH:
                text = f"game {game}" if end - start >= 3 * MIN_GAME_WIDTH else str(game)
                yield axes.label((start + end) / 2, top - 2, text)

    def _luck_ticks(self, axes: Axes) -> Iterator[str]:
        """Draw a triangle above the chart for each tick: up for luck, down for bad luck."""
        for tick in self.luck:
            shape = f"M{axes.x(tick.x):.1f} {axes.top - (9 if tick.is_lucky else 2)}" + (
                "l4 7h-8z" if tick.is_lucky else "l4 -7h-8z"
            )
            title = f"<title>{clean_markup(tick.title)}</title>"
            yield f'<path class="luck {tick.css_class}" d="{shape}">{title}</path>'

    def _marks(self, axes: Axes) -> Iterator[str]:
        """Draw the marks on the line, shifted along it so that no mark covers another."""
        places: list[tuple[float, float]] = []
        curve = [*_interpolate((axes.x(x), axes.y(y)) for x, y in self.points)]
        for mark in self.marks:
            x, y = _free_place(axes, (axes.x(mark.x), axes.y(mark.y)), curve, places)
            places.append((x, y))
            yield (
                f'<a href="#error-{mark.rank}"><title>{clean_markup(mark.title)}</title>'
                f'<circle class="mark {mark.css_class}" cx="{x:.1f}" cy="{y:.1f}" r="{MARK_RADIUS}"/>'
                f'<text class="on-mark" x="{x:.1f}" y="{y:.1f}" dy="3.5" text-anchor="middle">'
                f"{mark.rank}</text></a>"
            )


def _roll_ticks(axes: Axes) -> Iterator[str]:
    _, x_max = axes.x_limits
    for tick in round_ticks(0, x_max, 8 if axes.width > 500 else 4):
        if tick <= x_max and tick == int(tick):
            yield f'<path class="grid" d="M{axes.x(tick):.1f} {axes.bottom}v5"/>'
            yield axes.label(axes.x(tick), axes.bottom + 18, f"{tick:g}")


def _interpolate(points: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield points of a line that are at most a pixel apart."""
    for (x, y), (next_x, next_y) in pairwise(points):
        steps = math.ceil(math.hypot(next_x - x, next_y - y)) or 1
        fractions = (step / steps for step in range(steps + 1))
        yield from ((x + (next_x - x) * fraction, y + (next_y - y) * fraction) for fraction in fractions)


def _free_place(
    axes: Axes,
    place: tuple[float, float],
    curve: Sequence[tuple[float, float]],
    other_places: Sequence[tuple[float, float]],
) -> tuple[float, float]:
    """Return the nearest place without another mark: on the curve, otherwise above or below it."""
    distance = 2 * MARK_RADIUS + 1
    x, y = place
    column = ((x, y + sign * step * distance) for step in range(1, len(other_places) + 2) for sign in (1, -1))
    near_points = (point for point in curve if math.dist(point, place) <= MAX_SHIFT)
    for point in chain([place], sorted(near_points, key=lambda point: math.dist(point, place)), column):
        is_inside = axes.top <= point[1] <= axes.bottom
        if is_inside and all(math.dist(point, other) >= distance for other in other_places):
            return point
    return place


# ---- error cards ----


BOARD_WIDTH = 250
"""Width in pixels of the narrowest board on a page; determines the size of its letters."""
LETTER_WIDTH = 7.4
"""Mean width of a letter on a cube bar, in pixels."""


def error_card(details: ErrorDetails, rank: int) -> str:
    """Return an error as HTML; `rank` is its place on the page, and links lead to ``#error-RANK``."""
    name, chosen, best, context = map(
        clean_markup, (details.name, details.chosen, details.best, details.context)
    )
    player = "first" if details.side == "X" else "second"
    status = f' <span class="soft">({details.status})</span>' if details.status else ""
    file_analysis = f'<p class="soft">{typeset(details.file_analysis)}</p>' if details.file_analysis else ""
    rows = "\n".join(map(_candidate_rows, details.candidates))
    board = svg(details.diagram, bottom=details.side, size=BOARD_WIDTH, colours=BOARD_COLOURS)
    proper = f'<p class="proper"><b>Proper: {details.proper_action}</b></p>' if details.proper_action else ""
    bar = "" if details.explanation.cube_bar is None else _cube_bar(details.explanation.cube_bar, player)
    return (
        f'<article class="error" id="error-{rank}">'
        f'<header><h3><span class="number {player}">#{rank}</span> '
        f"{mark_text(details.word, typeset(details.headline))}{status}</h3>"
        f'<p class="soft">Game {details.game}, move {details.move}. {context}</p></header>'
        f'<div class="body"><figure>{board}</figure>'
        f'<div class="facts"><p>{checker(details.side)} <b class="name">{name}</b> '
        f"{clean_markup(details.situation)}</p>{proper}{bar}"
        f'<p class="choices">{_key("played", details)} <b>{chosen}</b> '
        f'<span class="soft">was played</span><br>{_key("best", details)} <b>{best}</b> '
        f'<span class="soft">is best</span></p>{_reasons(details.explanation)}'
        '<table class="candidates"><thead><tr><th>choice</th><th>equity</th><th>loss</th><th>level</th></tr>'
        f"</thead>\n{rows}\n</table>{file_analysis}"
        f'<p class="soft id">{clean_markup(details.xgid)}</p></div></div></article>'
    )


_CHIP_CLASSES = {True: "pro", False: "contra", None: "fact"}


def _reasons(explanation: Explanation) -> str:
    chips = "".join(
        f'<li class="{_CHIP_CLASSES[reason.favourable]}">{typeset(reason.chip)}</li>'
        for reason in sorted(explanation.others, key=lambda reason: reason.favourable is False)
    )
    why = f'<p class="why"><b>Why:</b> {clean_markup(explanation.why)}</p>' if explanation.why else ""
    return why + (f'<ul class="chips">{chips}</ul>' if chips else "")


def _cube_bar(bar: CubeBar, css_class: str) -> str:
    """Return a bar of the winning chance; cube points are labelled alternately above and below it."""
    width, top, height = 400, 17, 18
    texts = [f"{name} {point:.1%}" for name, point in bar.points]
    win, won = f"wins {bar.win:.1%}", width * bar.win
    is_inside = won > LETTER_WIDTH * len(win)
    place = 'class="win" x="6"' if is_inside else f'x="{width - 6}" text-anchor="end"'
    parts = [
        f'<rect class="all" y="{top}" width="{width}" height="{height}"/>',
        f'<rect class="won" y="{top}" width="{won:.1f}" height="{height}"/>',
        f'<text {place} y="{top + 13}">{win}</text>',
    ]
    for row, y in ((0, top - 5), (1, top + height + 13)):
        places = [width * point for _, point in bar.points[row::2]]
        parts += [f'<path d="M{x:.1f} {top - 3}v{height + 6}"/>' for x in places]
        for x, text in zip(_spread(places, texts[row::2], width), texts[row::2], strict=True):
            parts.append(f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{text}</text>')
    label = ", ".join([f"winning chance {bar.win:.1%}", *texts])
    bottom = top + height + (17 if len(texts) > 1 else 3)
    return (
        f'<svg class="cube-bar {css_class}" viewBox="0 0 {width} {bottom}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _spread(places: Sequence[float], texts: Sequence[str], width: float) -> list[float]:
    """Return centres at which texts are near their places but do not overlap, from left to right."""
    halves = [LETTER_WIDTH * len(text) / 2 for text in texts]
    centres, left, right = [], 0.0, width
    for place, half in zip(places, halves, strict=True):
        centres.append(max(place, left + half))
        left = centres[-1] + half
    for index, half in reversed([*enumerate(halves)]):
        centres[index] = min(centres[index], right - half)
        right = centres[index] - half
    return centres


def _key(name: Literal["played", "best"], details: ErrorDetails) -> str:
    """Return the legend of a choice: the arrow of a play as on the board, or a dot for a cube action."""
    if details.diagram.roll is None:
        return f'<span class="dot {name}"></span>'
    line = 'stroke-width="3" stroke-dasharray="6 4"' if name == "played" else 'stroke-width="5"'
    return (
        '<svg class="key" viewBox="0 0 34 14" aria-hidden="true">'
        f'<path d="M1 7H24" stroke="var(--{name})" {line}/>'
        f'<path d="M22 1L33 7L22 13Z" fill="var(--{name})"/></svg>'
    )


def chances_text(candidate: ShownChoice) -> str:
    """Return the chances of a candidate as text; empty if they are unknown."""
    chances = [] if candidate.mwc is None else [f"MWC {candidate.mwc:.2%}"]
    if candidate.probabilities is not None:
        win, gammon, backgammon, lose_gammon, lose_backgammon = candidate.probabilities
        chances.append(f"wins {win:.1%} (g {100 * gammon:.1f}, bg {100 * backgammon:.1f})")
        chances.append(f"loses {1 - win:.1%} (g {100 * lose_gammon:.1f}, bg {100 * lose_backgammon:.1f})")
    return " · ".join(chances)


def _candidate_rows(candidate: ShownChoice) -> str:
    """Return the rows of a candidate, with collapsed chances unless it is best or was played."""
    css_class = "answer" if candidate.is_answer else candidate.role or "other"
    role = f" <small>{candidate.role}</small>" if candidate.role else ""
    half_width = half_width_text(candidate.equity_se, 3)
    half_width = f" <small>{half_width.strip()}</small>" if half_width else ""
    text, chances = f"{clean_markup(candidate.text)}{role}", chances_text(candidate)
    row = f'<tr class="chances"><td colspan="4">{chances}</td></tr>' if chances and candidate.role else ""
    if chances and not candidate.role:
        text = f"<details><summary>{text}</summary><span>{chances}</span></details>"
    return (
        f'<tbody class="{css_class}"><tr><td>{text}</td><td>{typeset(f"{candidate.equity:+.3f}")}{half_width}'
        f"</td><td>{typeset(candidate.loss)}</td><td>{candidate.level}</td></tr>{row}</tbody>"
    )
