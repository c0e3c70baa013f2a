"""PR of a player over time in SVG: a point for each match, and the moving average."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from bgfast.analysis.matches.page.chart import axis_labels, round_ticks, svg_chart, y_grid
from bgfast.analysis.reports.match_collection import CollectedMatch, PlayerHistory
from bgfast.common.clean_text import clean_markup

LEFT, RIGHT, TOP, BOTTOM = 44, 30, 12, 44  # margins
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
    """Return whether a chart has two points or more: on two dates, or of two matches without dates."""
    points = _points(player)
    return bool(points) and points[0].x < points[-1].x


def trend_svg(player: PlayerHistory, width: int, height: int, css_class: str) -> str:
    """Return a chart of PR by date, or by match number if there are no two dates.

    `has_trend` must be true for the player. Size and class are those of `chart_svg`.
    """
    points = _points(player)
    first, last = points[0].x, points[-1].x
    pr_ticks = round_ticks(0.0, max(1.0, *(point.pr for point in points)), 5)
    right, bottom = width - RIGHT, height - BOTTOM

    def place(x: float, pr: float) -> tuple[float, float]:
        across = LEFT + (right - LEFT) * (x - first) / (last - first)
        return across, TOP + (bottom - TOP) * (1 - pr / pr_ticks[-1])

    parts = [*y_grid([(place(first, pr)[1], f"{pr:g}") for pr in pr_ticks], LEFT, right)]
    for value, text in _x_ticks(points, (right - LEFT) // TICK_WIDTH):
        x, _ = place(value, 0)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom + 5}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>')
    x_label = "date" if _is_by_date(player) else "match"
    parts += axis_labels(x_label, "PR", ((LEFT + right) / 2, (TOP + bottom) / 2), height)
    parts += [_circle(point, *place(point.x, point.pr)) for point in points]
    average = " ".join("{:.1f},{:.1f}".format(*place(point.x, point.average)) for point in points)
    parts.append(f'<polyline class="line average" points="{average}"/>')
    label = f"PR of {player.name}: {len(points)} matches, and their moving average"
    return svg_chart(label, width, height, css_class, parts)


def _is_by_date(player: PlayerHistory) -> bool:
    return len({match.date for match, _ in player.matches if match.date is not None}) > 1


def _points(player: PlayerHistory) -> list[_Point]:
    """Return a point for each match with a PR and, if the chart is by date, with a date."""
    by_date = _is_by_date(player)
    points = []
    for number, ((match, side), average) in enumerate(zip(player.matches, player.moving_pr, strict=True), 1):
        pr = match.rates[side].pr
        if pr is None or average is None or (by_date and match.date is None):
            continue
        x = match.date.toordinal() if by_date and match.date is not None else number
        points.append(_Point(float(x), pr, average, match, side))
    return points


def _x_ticks(points: Sequence[_Point], number: int) -> list[tuple[float, str]]:
    first, last = points[0], points[-1]
    if first.match.date is not None and last.match.date is not None and first.match.date != last.match.date:
        ticks = date_ticks(first.match.date, last.match.date, number)
        return [(float(day.toordinal()), text) for day, text in ticks]
    numbers = round_ticks(first.x, last.x, number)
    return [(tick, f"{tick:g}") for tick in numbers if tick == int(tick) and first.x <= tick <= last.x]


def _circle(point: _Point, x: float, y: float) -> str:
    """Return the point of a match, linked to its page."""
    match = point.match
    day = "" if match.date is None else f"{match.date}, "
    title = clean_markup(f"{day}against {match.names[1 - point.player]}: PR {point.pr:.2f}")
    circle = f'<circle class="match" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:g}"><title>{title}</title></circle>'
    return f'<a href="{clean_markup(match.page)}">{circle}</a>' if match.page else circle


# ---- round dates ----


def date_ticks(first: date, last: date, number: int) -> list[tuple[date, str]]:
    """Return up to `number` round dates within a range, with their labels; `number` is 2 or more.

    Days, Mondays, first days of months or of years. There may be a single one, or none, between two round
    dates.
    """
    for step in _DAY_STEPS:
        days = list(_days(first, last, step))
        if len(days) <= number:
            return [(day, f"{day.day} {_MONTHS[day.month - 1]}") for day in days]
    step, months = next(
        (step, months)
        for step in _MONTH_STEPS
        if len(months := list(_months(first, last, step))) <= number or step == _MONTH_STEPS[-1]
    )
    return [(day, str(day.year) if step >= 12 else f"{_MONTHS[day.month - 1]} {day.year}") for day in months]


def _days(first: date, last: date, step: int) -> Iterator[date]:
    """Yield days whose number is a multiple of the step; of weeks the Mondays."""
    offset = -first.toordinal() if step < 7 else -first.weekday()
    number = first.toordinal() + offset % step
    while number <= last.toordinal():
        yield date.fromordinal(number)
        number += step


def _months(first: date, last: date, step: int) -> Iterator[date]:
    """Yield first days of months whose number is a multiple of the step."""
    month = 12 * first.year + first.month - 1
    if first.day > 1:
        month += 1
    month += -month % step
    while (month // 12 <= date.max.year) and date(month // 12, month % 12 + 1, 1) <= last:
        yield date(month // 12, month % 12 + 1, 1)
        month += step
