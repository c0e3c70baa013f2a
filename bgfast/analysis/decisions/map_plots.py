"""Plots of roll maps and score maps."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from bgfast.analysis.decisions.map_colours import DIVERGING, answer_colour, text_colour
from bgfast.analysis.decisions.notebook import dice_grid
from bgfast.analysis.decisions.roll_map import RollMap
from bgfast.analysis.decisions.score_map import ScoreMap
from bgfast.common.clean_text import clean_lines
from bgfast.common.plots import check_plot, new_figure, save_figure
from bgfast.common.rolls import ROLLS


def plot_rolls(path: str | os.PathLike[str], rolls: RollMap, title: str) -> None:
    """Draw a roll map: equities by the two dice, or by the mover's roll and the reply.

    `path` ends in ``.svg`` or ``.png``; `title` has position, score and level. Raises as `check_plot`.
    """
    check_plot(path)
    if rolls.replies is None:
        numbers, labels, cell_format, font_size = dice_grid(rolls.equities), list("123456"), "{:+.3f}", 10
        figure = new_figure(6.5, 6)
    else:
        labels = [f"{high}{low}" for high, low in ROLLS]
        numbers, cell_format, font_size = rolls.replies, "{:+.2f}", 7
        figure = new_figure(13, 11.5)
    axes = _axes(figure, labels)
    from matplotlib.colors import LinearSegmentedColormap

    limit = float(np.abs(numbers).max()) or 1.0
    colours = LinearSegmentedColormap.from_list("bgfast", DIVERGING)
    image = axes.imshow(numbers, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    figure.colorbar(image, ax=axes, label="equity", fraction=0.04)
    drops = np.zeros(numbers.shape, bool) if rolls.opponent_drops is None else rolls.opponent_drops
    for (row, column), number in np.ndenumerate(numbers):
        ink = text_colour(colours((number / limit + 1) / 2)[:3])
        axes.text(
            column, row, cell_format.format(number), ha="center", va="center", fontsize=font_size, color=ink
        )
        if drops[row, column]:
            axes.text(column + 0.46, row - 0.5, "•", ha="right", va="top", fontsize=11, color=ink)
    if rolls.replies is None:
        axes.set_xlabel("one die")
        axes.set_ylabel("the other")
    else:
        axes.set_xlabel("the opponent's reply")
        axes.set_ylabel("own roll")
    if drops.any():
        axes.set_title("• the market is lost: the opponent drops then", fontsize=9)
    figure.suptitle(clean_lines(title), parse_math=False, fontsize=11, wrap=True)
    save_figure(path, figure)


def plot_scores(path: str | os.PathLike[str], scores: ScoreMap, title: str) -> None:
    """Draw a score map: the mover's points to go downwards, the opponent's to the right.

    A colour for each action or play, the paler the closer the decision is; gray where no double is possible.
    """
    check_plot(path)
    texts, legend = scores.texts(), scores.legend()
    plays = [line.split()[0] for line in legend]
    colours = [
        [
            answer_colour(answer, text, plays) or (1.0, 1.0, 1.0)
            for answer, text in zip(row, words, strict=True)
        ]
        for row, words in zip(scores.answers, texts, strict=True)
    ]
    figure = new_figure(max(5.0, 1.2 + 0.7 * len(texts)), 1.6 + 0.5 * len(texts) + 0.2 * len(legend))
    axes = _axes(figure, scores.labels)
    axes.imshow(np.array(colours), aspect="auto")
    for row, words in enumerate(texts):
        for column, text in enumerate(words):
            ink = text_colour(colours[row][column])
            axes.text(column, row, text, ha="center", va="center", fontsize=9, color=ink)
    axes.set_xlabel("points that the opponent needs")
    axes.set_ylabel("points that the mover needs")
    explained = "\n".join([*legend, "the paler the closer; C the Crawford game, 1 after it"])
    figure.supxlabel(explained, fontsize=9, parse_math=False)
    figure.suptitle(clean_lines(title), parse_math=False, fontsize=11, wrap=True)
    save_figure(path, figure)


def _axes(figure: Any, labels: Any) -> Any:
    """Return axes with the same labels above and at the left."""
    axes = figure.subplots()
    axes.set_xticks(range(len(labels)), labels, fontsize=9)
    axes.set_yticks(range(len(labels)), labels, fontsize=9)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    return axes
