"""Line chart in SVG: round ticks, labelled axes, games and numbered marks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from bgfast.common.clean_text import clean_markup

LEFT, RIGHT, TOP, BOTTOM = 58, 14, 30, 44  # margins
MARK_RADIUS = 9.0
MIN_GAME_WIDTH = 26.0
"""Minimum width of a game with a number above the chart, in pixels."""


@dataclass(frozen=True)
class ChartMark:
    """Numbered mark on the line, which links to an error."""

    number: int
    x: float
    y: float
    css_class: Literal["first", "second"]  # player who made the error
    title: str  # text of the tooltip


@dataclass(frozen=True)
class Chart:
    """Content of a chart."""

    label: str  # description for screen readers
    x_label: str
    y_label: str
    points: Sequence[tuple[float, float]]  # at least one
    games: Sequence[tuple[float, int]]  # start and number of each
    marks: Sequence[ChartMark] = ()
    y_limits: tuple[float, float] | None = None  # None: the range of the points
    is_share: bool = False  # ticks show y values in per cent


def round_ticks(low: float, high: float, number: int) -> list[float]:
    """Return multiples of 1, 2, 2.5 or 5 times a power of ten that span a range in up to `number` steps."""
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / number))
    spans = (
        (step, math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9))
        for step in (factor * power for factor in (1, 2, 2.5, 5, 10, 20))
    )
    step, first, last = next((step, first, last) for step, first, last in spans if last - first <= number)
    return [index * step for index in range(first, last + 1)]


def svg_chart(label: str, width: int, height: int, css_class: str, parts: Iterable[str]) -> str:
    """Return a chart from its elements; the label is for screen readers."""
    head = (
        f'<svg class="chart {css_class}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{clean_markup(label)}">'
    )
    return "\n".join([head, *parts, "</svg>"])


def y_grid(ticks: Iterable[tuple[float, str]], left: int, right: int) -> Iterator[str]:
    """Yield horizontal lines at ordinates, with texts at their left."""
    for y, text in ticks:
        yield f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{left - 6}" y="{y:.1f}" dy="4" text-anchor="end">{text}</text>'


def axis_labels(x_label: str, y_label: str, middle: tuple[float, float], height: int) -> Iterator[str]:
    """Yield the labels of both axes, centred on the middle of the chart."""
    x, y = middle
    yield (
        f'<text transform="translate(12 {y:.1f}) rotate(-90)" text-anchor="middle">'
        f"{clean_markup(y_label)}</text>"
    )
    yield f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle">{clean_markup(x_label)}</text>'


def chart_svg(chart: Chart, width: int, height: int, css_class: str) -> str:
    """Return a chart as SVG.

    Text has its nominal size at the given size in pixels. The style of the page shows one of the classes
    "wide" and "narrow".
    """
    return _Drawing(chart, width, height).svg(css_class)


class _Drawing:
    """Scales and elements of one chart."""

    def __init__(self, chart: Chart, width: int, height: int) -> None:
        self.chart = chart
        self.width, self.height = width, height
        y_values = [y for _, y in chart.points]
        low, high = chart.y_limits or (min(0.0, *y_values), max(0.0, *y_values))
        self.y_ticks = round_ticks(low, max(high, low + 1e-6), 4)
        self.x_max = max([x for x, _ in chart.points] + [1.0])
        self.line = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in chart.points)
        self.parts: list[str] = []

    def _x(self, x: float) -> float:
        return LEFT + (self.width - LEFT - RIGHT) * x / self.x_max

    def _y(self, y: float) -> float:
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return TOP + (self.height - TOP - BOTTOM) * (high - y) / (high - low)

    def svg(self, css_class: str) -> str:
        """Return the chart."""
        right, bottom = self.width - RIGHT, self.height - BOTTOM
        self._areas()
        percent = self.chart.is_share
        texts = [f"{tick:.0%}" if percent else f"{tick:+g}" if tick else "0" for tick in self.y_ticks]
        self.parts += y_grid(zip(map(self._y, self.y_ticks), texts, strict=True), LEFT, right)
        self._x_ticks()
        middle = (LEFT + right) / 2, (TOP + bottom) / 2
        self.parts += axis_labels(self.chart.x_label, self.chart.y_label, middle, self.height)
        self._games()
        self.parts.append(f'<polyline class="line" points="{self.line}"/>')
        self._marks()
        return svg_chart(self.chart.label, self.width, self.height, css_class, self.parts)

    def _areas(self) -> None:
        """Tint the areas above and below the line in the colours of the players."""
        base = 0.5 if self.chart.is_share else 0.0
        ends = self._x(self.chart.points[-1][0]), self._x(self.chart.points[0][0])
        middle, top, bottom = self._y(base), TOP, self.height - BOTTOM
        closed = f"{self.line} {ends[0]:.1f},{middle:.1f} {ends[1]:.1f},{middle:.1f}"
        for name, y, height in (("first", top, middle - top), ("second", middle, bottom - middle)):
            clip = f"{name}-{self.width}"
            self.parts.append(
                f'<clipPath id="{clip}"><rect x="0" y="{y:.1f}" width="{self.width}" '
                f'height="{height:.1f}"/></clipPath>'
                f'<polygon class="area {name}" clip-path="url(#{clip})" points="{closed}"/>'
            )

    def _x_ticks(self) -> None:
        bottom = self.height - BOTTOM
        for tick in round_ticks(0, self.x_max, 8 if self.width > 500 else 4):
            if tick <= self.x_max:
                x = self._x(tick)
                self.parts.append(f'<path class="grid" d="M{x:.1f} {bottom}v5"/>')
                self.parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')

    def _games(self) -> None:
        """Draw the starts of the games, with their numbers where there is room."""
        starts = [self._x(x) for x, _ in self.chart.games]
        bottom = self.height - BOTTOM
        ends = pairwise([*starts, self.width - RIGHT])
        for (_, number), (start, end) in zip(self.chart.games, ends, strict=True):
            self.parts.append(
                f'<line class="game" x1="{start:.1f}" x2="{start:.1f}" y1="{TOP - 12}" y2="{bottom}"/>'
            )
            if end - start >= MIN_GAME_WIDTH:
                words = f"game {number}" if end - start >= 3 * MIN_GAME_WIDTH else str(number)
                x = (start + end) / 2
                self.parts.append(f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{words}</text>')

    def _marks(self) -> None:
        """Draw the marks on the line, or above or below it to keep them apart."""
        placed: list[tuple[float, float]] = []
        for mark in self.chart.marks:
            x, on_line = self._x(mark.x), self._y(mark.y)
            y = self._free_y(x, on_line, placed)
            placed.append((x, y))
            if y != on_line:
                self.parts.append(
                    f'<line class="leader" x1="{x:.1f}" x2="{x:.1f}" y1="{on_line:.1f}" y2="{y:.1f}"/>'
                )
            self.parts.append(
                f'<a href="#error-{mark.number}"><title>{clean_markup(mark.title)}</title>'
                f'<circle class="mark {mark.css_class}" cx="{x:.1f}" cy="{y:.1f}" r="{MARK_RADIUS}"/>'
                f'<text class="on-mark" x="{x:.1f}" y="{y:.1f}" dy="3.5" text-anchor="middle">'
                f"{mark.number}</text></a>"
            )

    def _free_y(self, x: float, y: float, placed: Sequence[tuple[float, float]]) -> float:
        """Return the ordinate nearest to `y` at which a mark covers no other."""
        apart = 2 * MARK_RADIUS + 1
        for step in range(1, 2 * len(placed) + 3):
            shift = (step // 2) * apart * (1 if step % 2 else -1)
            is_inside = TOP <= y + shift <= self.height - BOTTOM
            if is_inside and all(math.hypot(x - px, y + shift - py) >= apart for px, py in placed):
                return y + shift
        return y
