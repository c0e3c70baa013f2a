"""Pictures of cube decisions, roll maps and score maps: colours, HTML for notebooks, plots.

The modules that define these results import this one, so results are untyped here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bgfast.common.extras import check_plot, new_figure, save_figure
from bgfast.common.probabilities import percent
from bgfast.common.text import clean_lines
from bgfast.common.validation import ROLLS
from bgfast.evaluation.cubeful import cubeful_conditions
from bgfast.evaluation.evaluators.ranked_plays import (
    CHANCE_HEADINGS,
    NOTEBOOK_BOARD,
    RankedPlays,
    chance_cells,
)
from bgfast.evaluation.tables import Cell, html_table, panel

Colour = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""

DIVERGING: tuple[Colour, ...] = (
    (0.70, 0.09, 0.17),
    (0.96, 0.65, 0.51),
    (0.97, 0.97, 0.97),
    (0.57, 0.77, 0.87),
    (0.13, 0.40, 0.67),
)
"""Colours from the largest loss through zero to the largest gain, distinct for the colour-blind."""
CLEAR_MARGIN = 0.2
"""Minimum margin (EMG) of a decision that is drawn in full colour."""
MIN_STRENGTH = 0.15
"""Fraction of the full colour in the closest decisions."""
_NEUTRAL: Colour = (0.85, 0.85, 0.85)
_WHITE: Colour = (1.0, 1.0, 1.0)
_BLUE: Colour = (0.36, 0.55, 0.78)
_GREEN: Colour = (0.25, 0.62, 0.35)
_VIOLET: Colour = (0.55, 0.35, 0.65)
_ACTION_COLOURS: dict[str, Colour] = {
    "ND": _BLUE,
    "TG": _VIOLET,
    **dict.fromkeys(("D/T", "O/T", "T"), _GREEN),
    **dict.fromkeys(("D/P", "O/P", "P"), (0.87, 0.42, 0.20)),
}
_PLAY_COLOURS: Sequence[Colour] = (
    _BLUE,
    (0.87, 0.52, 0.20),
    _GREEN,
    _VIOLET,
    (0.70, 0.60, 0.15),
    (0.20, 0.62, 0.62),
    (0.80, 0.40, 0.55),
    (0.55, 0.45, 0.35),
)
"""Colours of plays, the most frequent first; the colours repeat after the eighth play."""


def diverging_colour(value: float, limit: float) -> Colour:
    """Return the colour of an equity between -`limit` and `limit`."""
    steps = len(DIVERGING) - 1
    place = (max(-1.0, min(1.0, value / limit if limit else 0.0)) + 1) / 2 * steps
    index = min(int(place), steps - 1)
    return _mix(DIVERGING[index], DIVERGING[index + 1], place - index)


def answer_colour(answer: Any, text: str, letters: Sequence[str]) -> Colour | None:
    """Return the colour of a cell of a score map, paler for closer decisions; None for an impossible score.

    `text` is the answer's abbreviation in `ScoreMap.texts`; `letters` abbreviate the plays of the map.
    """
    if answer is None:
        return None
    is_play = isinstance(answer, RankedPlays)
    if not is_play and text not in _ACTION_COLOURS:
        return _NEUTRAL
    colour = _PLAY_COLOURS[letters.index(text) % len(_PLAY_COLOURS)] if is_play else _ACTION_COLOURS[text]
    strength = MIN_STRENGTH + (1 - MIN_STRENGTH) * max(0.0, min(1.0, decision_margin(answer) / CLEAR_MARGIN))
    return _mix(_WHITE, colour, strength)


def decision_margin(answer: Any) -> float:
    """Return the margin of a decision (EMG): the cost of the second-best play or cube action.

    For a correct double, the opponent's wrong response also counts: it may cost less than not doubling.
    """
    if isinstance(answer, RankedPlays):
        return -answer[1].difference if len(answer) > 1 else CLEAR_MARGIN
    values = answer.equities
    margins = [abs(values.double_take - values.double_drop)]
    if answer.decision.offer is None:
        margins = [abs(values.no_double - values.double), *(margins if values.doubles else [])]
    return float(min(margins))


def text_colour(background: Colour) -> str:
    """Return black or white, whichever has the greater contrast with the background according to WCAG 2.1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"


def css(colour: Colour) -> str:
    """Return a colour in CSS notation."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def _mix(first: Colour, second: Colour, weight: float) -> Colour:
    red, green, blue = ((1 - weight) * a + weight * b for a, b in zip(first, second, strict=True))
    return red, green, blue


# ---- maps as grids ----


class Grid(NamedTuple):
    """Picture of a map: coloured texts by row and column, with the same labels for rows and columns."""

    labels: Sequence[str]
    texts: Sequence[Sequence[str]]
    colours: Sequence[Sequence[Colour | None]]  # None: no cell


def _score_grid(score_map: Any) -> Grid:
    """Return the grid of a `ScoreMap`: rows by the mover's points to go, columns by the opponent's."""
    texts, letters = score_map.texts(), [line.split()[0] for line in score_map.legend()]
    colours = [
        [answer_colour(answer, text, letters) for answer, text in zip(answers, row, strict=True)]
        for answers, row in zip(score_map.answers, texts, strict=True)
    ]
    return Grid(score_map.labels, texts, colours)


def _roll_grid(roll_map: Any) -> tuple[Grid, Any]:
    """Return the grid of a `RollMap` and its equities, by both dice, or by the mover's roll and the reply."""
    equities, labels, form = roll_map.replies, [f"{high}{low}" for high, low in ROLLS], "+.2f"
    if equities is None:
        dice, labels, form = range(1, 7), list("123456"), "+.3f"
        equities = roll_map.equities[[[ROLLS.index((max(a, b), min(a, b))) for b in dice] for a in dice]]
    limit = float(np.abs(equities).max())
    texts = [[format(value, form) for value in row] for row in equities.tolist()]
    colours = [[diverging_colour(value, limit) for value in row] for row in equities.tolist()]
    return Grid(labels, texts, colours), equities


# ---- HTML: a board, the answer, and a table ----


def cube_html(result: Any) -> str:
    """Return the HTML of a `CubeDecision`."""
    actions: list[list[str]] = []
    for rank, action in enumerate(result.actions):
        difference = "" if rank == 0 else f"{action.difference:+.4f}"
        mwc = [] if action.mwc is None else [percent(action.mwc)]
        actions.append([action.action, f"{action.equity:+.4f}", difference, *mwc])
    headings = ["", "equity", "diff.", "mwc"][: len(actions[0])]
    names = result.match_equity_table, result.efficiency, result.method
    note = f"{result.ply}-ply, {result.evaluator}; {cubeful_conditions(result.decision, *names)}"
    chances = [[f"{result.cubeless_equity:+.4f}", *chance_cells(result.probabilities)]]
    return panel(
        result.decision.svg(size=NOTEBOOK_BOARD),
        result.proper_action,
        html_table(headings, actions),
        "" if result.why_not is None else f"<p>No double: {result.why_not}.</p>",
        html_table(["cubeless", *CHANCE_HEADINGS], chances, note, text_columns=0),
    )


def scores_html(score_map: Any) -> str:
    """Return the HTML of a `ScoreMap`."""
    mover, opponent = ("X", "O") if score_map.decision.turn == 1 else ("O", "X")
    note = f"rows: points {mover} needs; columns: points {opponent} needs; paler: closer decisions"
    table = _grid_html(_score_grid(score_map), "; ".join([note, *score_map.legend()]))
    return panel(score_map.decision.svg(size=NOTEBOOK_BOARD), "Best at each score", table)


def rolls_html(roll_map: Any) -> str:
    """Return the HTML of a `RollMap`."""
    dice = "the mover's roll (rows) and the reply (columns)"
    if roll_map.replies is None:
        dice = "the two dice"
    headline = f"Mean equity {roll_map.mean:+.4f}"
    if roll_map.market_lost is not None:
        headline += f"; the market is lost after {percent(roll_map.market_lost, 1)}"
    grid, _ = _roll_grid(roll_map)
    table = _grid_html(grid, f"equity by {dice}; blue: above 0, red: below")
    return panel(roll_map.decision.svg(size=NOTEBOOK_BOARD), headline, table)


def _grid_html(grid: Grid, note: str) -> str:
    rows: list[list[str | Cell]] = [
        [label, *map(_colour_cell, texts, colours)]
        for label, texts, colours in zip(grid.labels, grid.texts, grid.colours, strict=True)
    ]
    return html_table(["", *grid.labels], rows, note)


def _colour_cell(text: str, colour: Colour | None) -> Cell:
    if colour is None:
        return Cell("")
    style = "text-align: center; min-width: 2em"
    return Cell(text, f"background: {css(colour)}; color: {text_colour(colour)}; {style}")


# ---- plots ----


def plot_rolls(path: str | os.PathLike[str], roll_map: Any, title: str) -> None:
    """Draw a `RollMap`: equities by the two dice, or by the mover's roll and the reply.

    `path` ends with ``.svg`` or ``.png``; `title` states position, score and level. Errors are as for
    `check_plot`.
    """
    check_plot(path)
    has_replies, (grid, equities) = roll_map.replies is not None, _roll_grid(roll_map)
    figure = new_figure(13, 11.5) if has_replies else new_figure(6.5, 6)
    axes = _draw_grid(figure, grid, 7 if has_replies else 10)
    from matplotlib.colors import LinearSegmentedColormap

    limit = float(np.abs(equities).max()) or 1.0
    colours = LinearSegmentedColormap.from_list("bgfast", DIVERGING)
    image = axes.imshow(equities, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    figure.colorbar(image, ax=axes, label="equity", fraction=0.04)
    axes.set_xlabel("the opponent's reply" if has_replies else "one die")
    axes.set_ylabel("the mover's roll" if has_replies else "other die")
    if roll_map.opponent_drops is not None and roll_map.opponent_drops.any():
        for row, column in np.argwhere(roll_map.opponent_drops).tolist():
            ink = text_colour(grid.colours[row][column] or _WHITE)
            axes.text(column + 0.46, row - 0.5, "•", ha="right", va="top", fontsize=11, color=ink)
        axes.set_title("• market lost: the opponent would drop a double", fontsize=9)
    _save(path, figure, title)


def plot_scores(path: str | os.PathLike[str], score_map: Any, title: str) -> None:
    """Draw a `ScoreMap`: a colour for each action or play, paler for closer decisions.

    Arguments and errors are as for `plot_rolls`.
    """
    check_plot(path)
    grid, legend = _score_grid(score_map), score_map.legend()
    count = len(grid.texts)
    figure = new_figure(max(5.0, 1.2 + 0.7 * count), 1.6 + 0.5 * count + 0.2 * len(legend))
    axes = _draw_grid(figure, grid, 9)
    axes.imshow([[colour or _WHITE for colour in row] for row in grid.colours], aspect="auto")
    axes.set_xlabel("points that the opponent needs")
    axes.set_ylabel("points that the mover needs")
    caption = "\n".join([*legend, "paler: closer decisions; C: Crawford game; 1: post-Crawford"])
    figure.supxlabel(caption, fontsize=9, parse_math=False)
    _save(path, figure, title)


def _draw_grid(figure: Any, grid: Grid, font_size: int) -> Any:
    """Return new axes with the texts of a grid, and its labels above and on the left."""
    axes = figure.subplots()
    axes.set_xticks(range(len(grid.labels)), grid.labels, fontsize=9)
    axes.set_yticks(range(len(grid.labels)), grid.labels, fontsize=9)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    for row, (texts, colours) in enumerate(zip(grid.texts, grid.colours, strict=True)):
        for column, (text, colour) in enumerate(zip(texts, colours, strict=True)):
            ink = text_colour(colour or _WHITE)
            axes.text(column, row, text, ha="center", va="center", fontsize=font_size, color=ink)
    return axes


def _save(path: str | os.PathLike[str], figure: Any, title: str) -> None:
    figure.suptitle(clean_lines(title), parse_math=False, fontsize=11, wrap=True)
    save_figure(path, figure)
