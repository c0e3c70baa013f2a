"""HTML of cube decisions and maps for notebooks: a board, the answer, and a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast.analysis.decisions.map_colours import Colour, answer_colour, css, diverging_colour, text_colour
from bgfast.common.html_table import Cell, beside, html_table
from bgfast.common.probabilities import percent
from bgfast.common.rolls import ROLLS
from bgfast.evaluation.conditions import cubeful_conditions
from bgfast.evaluation.evaluators.ranked_plays import CHANCE_HEADINGS, NOTEBOOK_BOARD, chance_cells
from bgfast.position.board_svg import diagram_svg
from bgfast.position.decision import Decision

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
