"""Plot of a rollout: equities of the candidates with 95 % intervals, and their convergence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.common.plots import check_plot, new_figure, save_figure


def plot(path: str | os.PathLike[str], history: Sequence[RolloutResult], title: str) -> None:
    """Draw a rollout and its convergence history, whose last item is the final result."""
    check_plot(path)
    result = history[-1]
    figure = new_figure(10, 1.5 + 0.45 * max(6, len(result.estimates)))
    figure.suptitle(title, parse_math=False)  # file names may contain dollar signs
    bars, lines = figure.subplots(1, 2)
    estimates = result.estimates[::-1]
    for height, estimate in enumerate(estimates):
        margin = estimate.interval[1] - estimate.equity
        bars.errorbar(
            estimate.equity, height, xerr=margin, fmt="o", capsize=4, color=f"C{len(estimates) - 1 - height}"
        )
    bars.set_yticks(range(len(estimates)), [estimate.name for estimate in estimates])
    bars.set_ylim(-0.6, len(estimates) - 0.4)
    bars.set_xlabel("equity, points (95 %)")
    bars.grid(axis="x", alpha=0.3)
    for color, estimate in enumerate(result.estimates):
        trials = [interim.trials for interim in history]
        series = [_estimate_named(interim, estimate.name) for interim in history]
        equities = [point.equity for point in series]
        lines.plot(trials, equities, ".-", markersize=3, color=f"C{color}", label=estimate.name)
        low, high = ([point.interval[end] for point in series] for end in (0, 1))
        lines.fill_between(trials, low, high, color=f"C{color}", alpha=0.15)
    lines.set_xlabel("trials")
    lines.set_ylabel("equity, points")
    lines.grid(alpha=0.3)
    save_figure(path, figure)


def _estimate_named(result: RolloutResult, name: str) -> Any:
    return next(estimate for estimate in result.estimates if estimate.name == name)
