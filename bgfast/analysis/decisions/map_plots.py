"""Plots of roll maps and score maps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from bgfast.analysis.decisions.roll_map import RollMap
from bgfast.analysis.decisions.score_map import ScoreMap
from bgfast.common.plots import check_plot, new_figure, save_figure
from bgfast.common.probabilities import Numbers
from bgfast.common.rolls import ROLLS

__all__ = ["plot_rolls", "plot_scores"]

_DICE = range(1, 7)


def plot_rolls(path: str | os.PathLike[str], rolls: RollMap, title: str) -> None:
    """Draw a roll map: equities by the two dice, or by the mover's roll and the reply.

    Parameters
    ----------
    path : path
        ``.svg`` or ``.png``.
    rolls : RollMap
    title : str
        Name of the position.

    Raises
    ------
    BgfastError
        As `check_plot`.
    """
    check_plot(path)
    names = [f"{high}{low}" for high, low in ROLLS]
    if rolls.replies is None:
        indices = [[ROLLS.index((max(a, b), min(a, b))) for b in _DICE] for a in _DICE]
        equities, dice = rolls.equities[indices], [str(die) for die in _DICE]
        figure = new_figure(6, 5.5)
        axes = _heat_map(figure, equities, dice, dice, "{:+.3f}", 9)
        axes.set_xlabel("one die")
        axes.set_ylabel("the other")
    else:
        figure = new_figure(13, 11)
        axes = _heat_map(figure, rolls.replies, names, names, "{:+.2f}", 6)
        axes.set_xlabel("the opponent's reply")
        axes.set_ylabel("own roll")
        if rolls.opponent_drops is not None:
            for row, column in np.argwhere(rolls.opponent_drops).tolist():
                axes.text(column + 0.47, row - 0.45, "•", ha="right", va="top", fontsize=6)
            axes.set_title("• the market is lost: the opponent drops then", fontsize=9)
    figure.suptitle(title, parse_math=False)
    save_figure(path, figure)


def plot_scores(path: str | os.PathLike[str], scores: ScoreMap, title: str) -> None:
    """Draw a score map: the mover's points to go downwards, the opponent's to the right.

    Parameters and errors are those of `plot_rolls`.
    """
    check_plot(path)
    texts = scores.texts()
    distinct = sorted({text for row in texts for text in row if text})
    values = np.array([[distinct.index(text) if text else np.nan for text in row] for row in texts])
    figure = new_figure(1.2 + 0.85 * len(texts), 1.4 + 0.55 * len(texts))
    axes = _heat_map(figure, values, scores.labels, scores.labels, "", 8, colours="Pastel1")
    for row, cells in enumerate(texts):
        for column, text in enumerate(cells):
            axes.text(column, row, text, ha="center", va="center", fontsize=8)
    axes.set_xlabel("points that the opponent needs")
    axes.set_ylabel("points that the mover needs")
    axes.set_title("\n".join(scores.legend()), fontsize=8, parse_math=False)
    figure.suptitle(title, parse_math=False)
    save_figure(path, figure)


def _heat_map(
    figure: Any,
    values: Numbers,
    rows: Sequence[str],
    columns: Sequence[str],
    cell_format: str,
    font_size: int,
    *,
    colours: str = "RdYlGn",
) -> Any:
    """Draw a heat map with its values as text; return the axes."""
    axes = figure.subplots()
    image = axes.imshow(values, cmap=colours, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    if cell_format:
        figure.colorbar(image, ax=axes, label="equity", fraction=0.04)
        for (row, column), value in np.ndenumerate(values):
            axes.text(column, row, cell_format.format(value), ha="center", va="center", fontsize=font_size)
    return axes
