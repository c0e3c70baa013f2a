"""HTML of documents, tables and checkers, and their style: light and dark, wide and narrow, and for print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

CHECKER_COLOURS = {"X": "white", "O": "black"}
"""Colours of both sides on the boards of a page, in words."""


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page from its title and the non-empty parts of its body, all HTML; `style` extends `STYLE`."""
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title><style>{STYLE}{style}</style>"
    )
    body = "\n".join(filter(None, parts))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def css_class(mark: str) -> str:
    """Return the class of the mark of an error: ``"very bad"`` is ``very-bad``."""
    return mark.replace(" ", "-")


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
    return f'<table class="{css_class}">{_head(head)}<tbody>\n{body}\n</tbody></table>'


def grouped_table(head: Sequence[str], groups: Mapping[str, Iterable[Sequence[str]]], css_class: str) -> str:
    """Return a table with groups of rows and their headings."""
    bodies = "\n".join(
        f'<tbody><tr><th scope="rowgroup" colspan="{len(head)}">{name}</th></tr>\n'
        + "\n".join(map(_row, rows))
        + "</tbody>"
        for name, rows in groups.items()
    )
    return f'<table class="{css_class}">{_head(head)}\n{bodies}\n</table>'


def _head(cells: Sequence[str]) -> str:
    row = "".join(f'<th class="c{number}">{cell}</th>' for number, cell in enumerate(cells, 1))
    return f"<thead><tr>{row}</tr></thead>"


def _row(cells: Sequence[str]) -> str:
    row = "".join(f'<td class="c{number}">{cell}</td>' for number, cell in enumerate(cells, 1))
    return f"<tr>{row}</tr>"


STYLE = """
@page { size: A4; margin: 14mm 13mm; }
:root { color-scheme: light dark;
  --paper: #f7f5f0; --card: #fff; --ink: #1e1f21; --soft: #5c5f64; --rule: #ddd8ce;
  --first: #1463b0; --second: #a24a00; --best: #0b7d4f; --played: #c8145f; --hit: #d02020;
  --doubtful: #7a6200; --bad: #b04300; --very-bad: #b8002a;
  --frame: #7a5230; --frame-text: #fff6e6; --board: #f3e3c3; --dark-points: #b5743c; --light-points: #e0bd87;
  --tray: #d9bf94; --white: #fffdf6; --white-edge: #5a4a3a; --black: #33302e; --black-edge: #0f0e0d;
  --cube: #fff; --cube-text: #0f0e0d; }
@media screen and (prefers-color-scheme: dark) { :root {
  --paper: #15171a; --card: #1e2125; --ink: #e9e7e2; --soft: #a9acb1; --rule: #3a3f45;
  --first: #6fb4ff; --second: #ff9d5c; --best: #3ddc97; --played: #ff7fb4; --hit: #ffd23f;
  --doubtful: #e3cf57; --bad: #ff9d4d; --very-bad: #ff7b8a;
  --frame: #2b2119; --frame-text: #d9cdbb; --board: #4b4136; --dark-points: #6d4a2c; --light-points: #83705a;
  --tray: #382f26; --white: #eae2d2; --white-edge: #2a241d; --black: #191817; --black-edge: #a09482;
  --cube: #eae2d2; --cube-text: #191817; } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; margin: 0 auto;
  max-width: 64rem; padding: 1rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 0; } h1, h2, h3 { line-height: 1.25; }
p { margin: .3rem 0; } p.back { margin: 0 0 .3rem; } a { color: inherit; }
.soft, figcaption { color: var(--soft); } .soft, small { font-size: .85rem; font-weight: normal; }
.checker { width: 1em; height: 1em; vertical-align: -.12em; }
.doubtful { color: var(--doubtful); } .bad { color: var(--bad); } .very-bad { color: var(--very-bad); }
.mark { font-weight: 700; }
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
dl.counts dd { margin: 0; font-weight: 600; }
.panel, .error, details { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem;
  padding: .7rem .9rem; }
svg.chart { display: block; width: 100%; height: auto; font-size: 12px; }
svg.chart text { fill: var(--soft); }
svg.chart.narrow { display: none; } .panel h2 { font-size: 1.05rem; margin: 0 0 .3rem; }
svg.chart .grid { stroke: var(--rule); } svg.chart .game { stroke: var(--soft); stroke-dasharray: 2 4; }
svg.chart .line { fill: none; stroke: var(--ink); stroke-width: 1.8; stroke-linejoin: round; }
svg.chart .leader { stroke: var(--soft); }
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
.error .body { display: grid; gap: .2rem 1.2rem; grid-template-columns: minmax(0, 26rem) minmax(0, 1fr);
  margin-top: .5rem; }
figure { margin: 0; } figure svg { display: block; height: auto; width: 100%; }
svg.key { height: .85em; vertical-align: -.05em; width: 2.1em; }
.why { background: var(--paper); border-left: 3px solid var(--best); border-radius: .2rem;
  padding: .35rem .6rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th { color: var(--soft); font-size: .85rem; font-weight: 600; }
th, td { padding: .16rem 0 .16rem .6rem; text-align: right; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0; text-align: left; }
.candidates { font-size: .92rem; margin: .5rem 0; } .candidates tbody { border-top: 1px solid var(--rule); }
.candidates td:not(:first-child) { white-space: nowrap; }
.candidates .best { color: var(--best); } .candidates .played { color: var(--played); }
.candidates .best td:first-child, .candidates .played td:first-child { font-weight: 600; }
.candidates .answer td:first-child { padding-left: 1.2rem; }
.candidates .chances td:first-child { color: var(--soft); font-size: .8rem; font-weight: normal;
  padding-top: 0; }
.id { font-family: ui-monospace, monospace; font-size: .72rem; }
.rates { margin-bottom: 1rem; } .rates td { border-top: 1px solid var(--rule); }
.rates th[scope=rowgroup] { border-top: 2px solid var(--rule); color: var(--ink); padding-top: .6rem; }
.rates th:not(:first-child), .rates td:not(:first-child) { width: 27%; }
details { margin-bottom: .6rem; } summary { cursor: pointer; font-weight: 600; }
.moves { font-size: .92rem; margin-top: .5rem; } .moves td { border-top: 1px solid var(--rule); }
.moves .c2, .moves .c3, .moves .c5 { text-align: left; }
.moves .choice-best { color: var(--best); display: block; }
dl.legend dt { font-weight: 600; margin-top: .5rem; } dl.legend dd { margin: 0; }
@media screen and (max-width: 720px) {
  body { padding: .7rem .7rem 2rem; } .players { gap: .5rem; }
  .unit { display: none; } .player { padding: .55rem .6rem; } .player .word { display: block; }
  dl.counts { grid-template-columns: auto auto; } .error .body { grid-template-columns: minmax(0, 1fr); }
  svg.chart.wide { display: none; } svg.chart.narrow { display: block; } .panel { padding: .5rem .4rem; }
  .moves .c4 { display: none; } .rates th:not(:first-child), .rates td:not(:first-child) { width: 30%; }
}
@media print {
  :root { --paper: #fff; --rule: #bbb; color-scheme: light; }
  html { font-size: 9pt; } body { font-size: 9pt; margin: 0; max-width: none; padding: 0; }
  h2 { margin: 1rem 0 .4rem; } .error { margin-bottom: .6rem; padding: .4rem .7rem; }
  .player, .error .number, circle, figure svg, .checker, .dot, .area { print-color-adjust: exact; }
  .error .body { grid-template-columns: 76mm minmax(0, 1fr); }
  h2, h3, summary { break-after: avoid; } tr, svg, .player, .panel { break-inside: avoid; }
  details::details-content { content-visibility: visible; } p.back { display: none; }
}
"""
"""Style of a page. Variables have the names of colours: `BOARD_COLOURS` refers to them."""
