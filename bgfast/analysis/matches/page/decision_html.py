"""HTML of an analysed decision for notebooks."""

from __future__ import annotations

from typing import Any

from bgfast.common.html_table import beside, html_table
from bgfast.common.probabilities import percent
from bgfast.common.vocabulary import Roll
from bgfast.evaluation.conditions import FORMULA
from bgfast.evaluation.evaluators.ranked_plays import CHANCE_HEADINGS, NOTEBOOK_BOARD, chance_cells
from bgfast.position.board_svg import diagram_svg


def decision_html(decision: Any) -> str:
    """Return the board and a table of the choices."""
    recorded, has_mwc = decision.recorded, decision.best.mwc is not None
    rows = [
        [
            f"{choice.text} (chosen)" if choice.text == recorded.chosen else choice.text,
            f"{choice.equity:+.4f}",
            "" if choice is decision.best else f"{choice.equity - decision.best.equity:+.4f}",
            *([] if choice.mwc is None else [percent(choice.mwc)]),
            *chance_cells(choice.probabilities),
            level_text(choice),
        ]
        for choice in decision.choices
    ]
    headings = ["", "equity", "diff.", *(["mwc"] if has_mwc else []), *CHANCE_HEADINGS, "level"]
    picture = diagram_svg(recorded.decision._diagram(), size=NOTEBOOK_BOARD)
    headline = f"{roll_text(recorded.decision.dice)} {recorded.chosen}: error {decision.error:.3f}".strip()
    return beside(picture, headline, html_table(headings, rows))


def level_text(choice: Any) -> str:
    """Return the level of a choice: ``"1,296 trials"``, ``"2-ply"``, ``"exact"`` or ``"race recursion"``."""
    if choice.method not in (None, FORMULA):
        return str(choice.method)
    return f"{choice.trials:,} trials" if choice.trials else f"{choice.ply}-ply"


def roll_text(dice: Roll | None) -> str:
    """Return a roll, the higher die first; empty without one."""
    return "" if dice is None else f"{max(dice)}-{min(dice)}"
