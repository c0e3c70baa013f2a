"""Pictures of cube decisions, roll maps and score maps: colours, HTML for notebooks, plots.

The modules of these results import this one: they have no types here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from bgfast.common.extras import check_plot, new_figure, save_figure
from bgfast.common.probabilities import percent
from bgfast.common.tables import Cell, beside, html_table
from bgfast.common.text import clean_lines
from bgfast.common.validation import ROLLS
from bgfast.evaluation.cubeful import cubeful_conditions
from bgfast.evaluation.evaluators.ranked_plays import (
    CHANCE_HEADINGS,
    NOTEBOOK_BOARD,
    RankedPlays,
    chance_cells,
)
from bgfast.position.decision import Decision
from bgfast.position.picture import diagram_svg

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
"""Minimum margin of a decision with the full colour (EMG)."""
MIN_STRENGTH = 0.15
"""Share of the full colour in the closest decisions."""
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
"""Colours of plays, the most frequent first; they repeat after the eighth."""


def diverging_colour(value: float, limit: float) -> Colour:
    """Return the colour of an equity, of which `limit` is the largest absolute value."""
    steps = len(DIVERGING) - 1
    place = (max(-1.0, min(1.0, value / limit if limit else 0.0)) + 1) / 2 * steps
    index = min(int(place), steps - 1)
    return _mixed(DIVERGING[index], DIVERGING[index + 1], place - index)


def answer_colour(answer: Any, text: str, plays: Sequence[str]) -> Colour | None:
    """Return the colour of a cell of a score map; None for an impossible score.

    `text` is the answer's abbreviation in `ScoreMap.texts`, `plays` are the letters of the map's plays.
    Neutral if no double is possible; paler for closer decisions.
    """
    if answer is None:
        return None
    if isinstance(answer, RankedPlays):
        colour = _PLAY_COLOURS[plays.index(text) % len(_PLAY_COLOURS)]
    elif text in _ACTION_COLOURS:
        colour = _ACTION_COLOURS[text]
    else:
        return _NEUTRAL
    strength = MIN_STRENGTH + (1 - MIN_STRENGTH) * max(0.0, min(1.0, decision_margin(answer) / CLEAR_MARGIN))
    return _mixed(_WHITE, colour, strength)


def decision_margin(answer: Any) -> float:
    """Return the margin of a decision (EMG): the cost of the second-best play or cube action.

    For a correct double a wrong answer counts as well: it may cost less than not doubling.
    """
    if isinstance(answer, RankedPlays):
        return -answer[1].difference if len(answer) > 1 else CLEAR_MARGIN
    values = answer.equities
    margins = [abs(values.double_take - values.double_drop)]
    if answer.decision.offer is None:
        margins = [abs(values.no_double - values.double), *(margins if values.doubles else [])]
    return float(min(margins))


def text_colour(background: Colour) -> str:
    """Return black or white, whichever has the greater contrast by WCAG 2.1 on a colour."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"


def css(colour: Colour) -> str:
    """Return a colour in CSS notation."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = ((1 - share) * a + share * b for a, b in zip(first, second, strict=True))
    return red, green, blue


# ---- HTML: a board, the answer, and a table ----


_CELL = "text-align: center; min-width: 2em"


def cube_html(result: Any) -> str:
    """Return the HTML of a `CubeDecision`."""
    has_mwc = result.actions[0].mwc is not None
    actions = [
        [
            action.action,
            f"{action.equity:+.4f}",
            "" if rank == 0 else f"{action.difference:+.4f}",
            *([] if action.mwc is None else [percent(action.mwc)]),
        ]
        for rank, action in enumerate(result.actions)
    ]
    headings = ["", "equity", "diff.", *(["mwc"] if has_mwc else [])]
    conditions = cubeful_conditions(
        result.decision, result.match_equity_table, result.efficiency, result.method
    )
    note = f"{result.ply}-ply, {result.evaluator}; {conditions}"
    chances = [[f"{result.cubeless_equity:+.4f}", *chance_cells(result.probabilities)]]
    return beside(
        _board(result.decision),
        result.proper_action,
        html_table(headings, actions),
        "" if result.why_not is None else f"<p>No double: {result.why_not}.</p>",
        html_table(["cubeless", *CHANCE_HEADINGS], chances, note, names=0),
    )


def scores_html(result: Any) -> str:
    """Return the HTML of a `ScoreMap`."""
    texts, legend = result.texts(), result.legend()
    plays = [line.split()[0] for line in legend]
    rows = [
        [label, *(_coloured(text, answer_colour(answer, text, plays)) for answer, text in cells)]
        for label, cells in zip(
            result.labels,
            (zip(answers, row, strict=True) for answers, row in zip(result.answers, texts, strict=True)),
            strict=True,
        )
    ]
    mover, opponent = ("X", "O") if result.decision.turn == 1 else ("O", "X")
    sides = f"{mover} needs, downwards; {opponent} needs, to the right; the paler the closer"
    note = "; ".join([sides, *legend])
    return beside(_board(result.decision), "Best at each score", html_table(["", *result.labels], rows, note))


def rolls_html(result: Any) -> str:
    """Return the HTML of a `RollMap`."""
    if result.replies is None:
        numbers, labels = dice_grid(result.equities), [str(die) for die in range(1, 7)]
        digits, note = 3, "equity by the two dice"
    else:
        numbers, labels = result.replies, [f"{high}{low}" for high, low in ROLLS]
        digits, note = 2, "equity by the own roll, downwards, and the reply, to the right"
    limit = float(np.abs(numbers).max())
    rows: list[list[str | Cell]] = [
        [label, *(_coloured(f"{number:+.{digits}f}", diverging_colour(number, limit)) for number in row)]
        for label, row in zip(labels, numbers.tolist(), strict=True)
    ]
    headline = f"Mean equity {result.mean:+.4f}"
    if result.market_lost is not None:
        headline += f"; the market is lost after {percent(result.market_lost, 1)}"
    return beside(
        _board(result.decision),
        headline,
        html_table(["", *labels], rows, f"{note}; blue: above 0, red: below"),
    )


def dice_grid(equities: Any) -> Any:
    """Return the equities of 21 rolls by both dice, shape (6, 6)."""
    dice = range(1, 7)
    return equities[[[ROLLS.index((max(a, b), min(a, b))) for b in dice] for a in dice]]


def _board(decision: Decision) -> str:
    return diagram_svg(decision._diagram(), size=NOTEBOOK_BOARD)


def _coloured(text: str, colour: Colour | None) -> Cell:
    if colour is None:
        return Cell("")
    return Cell(text, f"background: {css(colour)}; color: {text_colour(colour)}; {_CELL}")


# ---- plots ----


def plot_rolls(path: str | os.PathLike[str], rolls: Any, title: str) -> None:
    """Draw a `RollMap`: equities by the two dice, or by the mover's roll and the reply.

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


def plot_scores(path: str | os.PathLike[str], scores: Any, title: str) -> None:
    """Draw a `ScoreMap`: the mover's points to go downwards, the opponent's to the right.

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
