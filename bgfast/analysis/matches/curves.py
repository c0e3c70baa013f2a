"""Curves over a match as SVG: the chance to win, or the equity, and the sum of each player's errors."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bgfast.analysis.matches.match_statistics import MatchStatistics

__all__ = ["error_curve", "standing_curve"]

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 28

Points = Sequence[tuple[float, float]]


def standing_curve(analysis: MatchStatistics) -> str:
    """Return how player 0 stood at each decision: the chance to win the match, or points in money play."""
    points = []
    for number, each in enumerate(analysis.decisions):
        sign = 1 if each.recorded.player == 0 else -1
        best = each.best
        if best.mwc is not None:
            points.append((float(number), best.mwc if sign == 1 else 1 - best.mwc))
        else:
            points.append((float(number), sign * best.equity * each.recorded.decision.cube))
    in_match = analysis.match.length is not None
    name = f"{analysis.names[0]}: " + ("chance to win the match" if in_match else "points")
    return _drawn([(name, "first", points)], _games(analysis), (0.0, 1.0) if in_match else None)


def error_curve(analysis: MatchStatistics) -> str:
    """Return the sums of both players' errors, decision after decision."""
    lines = []
    for player, kind in enumerate(("first", "second")):
        total, points = 0.0, [(0.0, 0.0)]
        for number, each in enumerate(analysis.decisions):
            if each.recorded.player == player:
                total += each.error
                points.append((float(number), total))
        points.append((float(max(1, len(analysis.decisions))), total))
        lines.append((analysis.names[player], kind, points))
    return _drawn(lines, _games(analysis), None)


def _games(analysis: MatchStatistics) -> list[tuple[int, int]]:
    """Return at which decision each game begins."""
    found: list[tuple[int, int]] = []
    for number, each in enumerate(analysis.decisions):
        if not found or found[-1][1] != each.recorded.game:
            found.append((number, each.recorded.game))
    return found


def _drawn(
    lines: Sequence[tuple[str, str, Points]],
    games: Sequence[tuple[int, int]],
    limits: tuple[float, float] | None,
) -> str:
    """Return a picture of lines, whose colours are those of their classes on the page."""
    heights = [y for _, _, points in lines for _, y in points] or [0.0]
    low, high = limits or (min(0.0, *heights), max(0.0, *heights))
    if high - low < 1e-9:
        high = low + 1
    last = max([x for _, _, points in lines for x, _ in points] + [1.0])

    def place(x: float, y: float) -> str:
        across = LEFT + (WIDTH - LEFT - RIGHT) * x / last
        down = TOP + (HEIGHT - TOP - BOTTOM) * (high - y) / (high - low)
        return f"{across:.1f},{down:.1f}"

    label = escape("; ".join(name for name, _, _ in lines))
    parts = [f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">']
    for share in range(5):
        y = low + (high - low) * share / 4
        (_, down), right = place(0, y).split(","), WIDTH - RIGHT
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{down}" y2="{down}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{down}" dy="4" text-anchor="end">{y:.2f}</text>')
    for number, game in games:
        across, _ = place(number, low).split(",")
        parts.append(f'<line class="game" x1="{across}" x2="{across}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text class="tick" x="{across}" y="{HEIGHT - 8}">{game}</text>')
    for name, kind, points in lines:
        found = " ".join(place(x, y) for x, y in points)
        parts.append(
            f'<polyline class="line {kind}" points="{found}"><title>{escape(name)}</title></polyline>'
        )
    return "\n".join([*parts, "</svg>"])
