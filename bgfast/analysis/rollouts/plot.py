"""A picture of a rollout: the candidates with their 95 % bars, and how the equities settled."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.common.plots import check_plot, new_figure, save_figure

__all__ = ["plot"]


def plot(path: str | os.PathLike[str], course: Sequence[RolloutResult], title: str) -> None:
    """Draw a rollout.

    Parameters
    ----------
    path : path
        ``.svg`` or ``.png``.
    course : sequence of RolloutResult
        What was known now and then; the last is the result.
    title : str
        What was rolled out, and how.

    Raises
    ------
    BgfastError
        As `check_plot`.
    """
    check_plot(path)
    last = course[-1]
    figure = new_figure(10, 1.5 + 0.45 * max(6, len(last.estimates)))
    figure.suptitle(title, parse_math=False)  # a file's name may have dollars
    bars, lines = figure.subplots(1, 2)
    estimates = last.estimates[::-1]
    for place, estimate in enumerate(estimates):
        half = estimate.interval[1] - estimate.equity
        bars.errorbar(
            estimate.equity, place, xerr=half, fmt="o", capsize=4, color=f"C{len(estimates) - 1 - place}"
        )
    bars.set_yticks(range(len(estimates)), [estimate.name for estimate in estimates])
    bars.set_ylim(-0.6, len(estimates) - 0.4)
    bars.set_xlabel("equity, points (95 %)")
    bars.grid(axis="x", alpha=0.3)
    for color, estimate in enumerate(last.estimates):
        known = [(then.trials, _named(then, estimate.name)) for then in course]
        trials = [number for number, _ in known]
        equities = [then.equity for _, then in known]
        lines.plot(trials, equities, ".-", markersize=3, color=f"C{color}", label=estimate.name)
        low, high = ([then.interval[end] for _, then in known] for end in (0, 1))
        lines.fill_between(trials, low, high, color=f"C{color}", alpha=0.15)
    lines.set_xlabel("trials")
    lines.set_ylabel("equity, points")
    lines.grid(alpha=0.3)
    save_figure(path, figure)


def _named(result: RolloutResult, name: str) -> Any:
    return next(estimate for estimate in result.estimates if estimate.name == name)
