"""SVG curves over a match: match winning chance or equity, and cumulative errors."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bgfast.analysis.matches.match_statistics import MatchStatistics

__all__ = ["error_curve", "winning_curve"]

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 28  # margins

Points = Sequence[tuple[float, float]]


def winning_curve(analysis: MatchStatistics) -> str:
    """Return the curve of player 0's match winning chance, or equity in points in money play."""
    points = []
    for index, decision in enumerate(analysis.decisions):
        sign = 1 if decision.recorded.player == 0 else -1
        best = decision.best
        if best.mwc is not None:
            points.append((float(index), best.mwc if sign == 1 else 1 - best.mwc))
        else:
            points.append((float(index), sign * best.equity * decision.recorded.decision.cube))
    in_match = analysis.match.length is not None
    name = f"{analysis.names[0]}: " + ("match winning chance" if in_match else "points")
    return _draw([(name, "first", points)], _game_starts(analysis), (0.0, 1.0) if in_match else None)


def error_curve(analysis: MatchStatistics) -> str:
    """Return the curves of both players' cumulative errors."""
    lines = []
    for player, css_class in enumerate(("first", "second")):
        total, points = 0.0, [(0.0, 0.0)]
        for index, decision in enumerate(analysis.decisions):
            is_counted = analysis.count_resignations or decision.recorded.kind != "resignation"
            if is_counted and decision.recorded.player == player:
                total += decision.error
                points.append((float(index), total))
        points.append((float(max(1, len(analysis.decisions))), total))
        lines.append((analysis.names[player], css_class, points))
    return _draw(lines, _game_starts(analysis), None)


def _game_starts(analysis: MatchStatistics) -> list[tuple[int, int]]:
    """Return the index of the first decision of each game, and the number of the game."""
    starts: list[tuple[int, int]] = []
    for index, decision in enumerate(analysis.decisions):
        if not starts or starts[-1][1] != decision.recorded.game:
            starts.append((index, decision.recorded.game))
    return starts


def _draw(
    lines: Sequence[tuple[str, str, Points]],
    games: Sequence[tuple[int, int]],
    y_limits: tuple[float, float] | None,
) -> str:
    """Return an SVG of the lines, given as name, CSS class (for the colour) and points."""
    y_values = [y for _, _, points in lines for _, y in points] or [0.0]
    y_min, y_max = y_limits or (min(0.0, *y_values), max(0.0, *y_values))
    if y_max - y_min < 1e-9:
        y_max = y_min + 1
    x_max = max([x for _, _, points in lines for x, _ in points] + [1.0])

    def svg_point(x: float, y: float) -> str:
        svg_x = LEFT + (WIDTH - LEFT - RIGHT) * x / x_max
        svg_y = TOP + (HEIGHT - TOP - BOTTOM) * (y_max - y) / (y_max - y_min)
        return f"{svg_x:.1f},{svg_y:.1f}"

    label = escape("; ".join(name for name, _, _ in lines))
    parts = [f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">']
    right = WIDTH - RIGHT
    for step in range(5):
        y = y_min + (y_max - y_min) * step / 4
        _, svg_y = svg_point(0, y).split(",")
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{svg_y}" y2="{svg_y}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{svg_y}" dy="4" text-anchor="end">{y:.2f}</text>')
    for index, game in games:
        svg_x, _ = svg_point(index, y_min).split(",")
        parts.append(f'<line class="game" x1="{svg_x}" x2="{svg_x}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text class="tick" x="{svg_x}" y="{HEIGHT - 8}">{game}</text>')
    for name, css_class, points in lines:
        svg_points = " ".join(svg_point(x, y) for x, y in points)
        title = f"<title>{escape(name)}</title>"
        parts.append(f'<polyline class="line {css_class}" points="{svg_points}">{title}</polyline>')
    return "\n".join([*parts, "</svg>"])
