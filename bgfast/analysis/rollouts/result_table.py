"""Table of rollout results for players: as text, and as HTML for notebooks.

`result` imports this module: its estimates and cube verdicts have no types here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from bgfast.common.html_table import html_table
from bgfast.common.probabilities import NORMAL_95, percent


class _Row(NamedTuple):
    """Row of the table; cells have column widths."""

    rank: str
    name: str
    cells: list[tuple[str, int]]


def text_table(estimates: Sequence[Any], cube: Any) -> str:
    """Return the table as lines of text."""
    table = _rows(estimates, cube)
    width = max(len(row.name) for row in table)
    lines = []
    for row in table:
        cells = "".join(f"{cell:>{column_width}}" for cell, column_width in row.cells)
        lines.append(f"{row.rank:>2} {row.name:{width}}{cells}".rstrip())
    return "\n".join(lines)


def html_rows(estimates: Sequence[Any], cube: Any, caption: Sequence[str]) -> str:
    """Return the table as HTML."""
    headings, *rows = (
        [row.rank, row.name, *(cell for cell, _ in row.cells)] for row in _rows(estimates, cube)
    )
    return html_table(headings, rows, "; ".join(caption), names=2)


def _rows(estimates: Sequence[Any], cube: Any) -> list[_Row]:
    """Return the rows of the table, headings first.

    Branches of a cube decision have no ranks and no differences: the opponent chooses the answer to a double,
    and a drop, which is not rolled out, may be the best one.
    """
    has_ranks = cube is None
    has_differences, has_mwc = has_ranks and len(estimates) > 1, estimates[0].mwc is not None
    headings = [("equity", 8), ("± 95 %", 9)]
    headings += [("diff.", 9), ("± 95 %", 9)] if has_differences else []
    headings += [("mwc", 8), ("± 95 %", 9)] if has_mwc else []
    headings += [(heading, 8) for heading in ("win", "win g", "win bg", "lose g", "lose bg")]
    table = [_Row("", "", headings)]
    if not has_ranks:
        estimates = sorted(estimates, key=lambda estimate: not estimate.name.startswith("no "))
    for rank, estimate in enumerate(estimates, 1):
        cells = [f"{estimate.equity:+.4f}", f"{NORMAL_95 * estimate.equity_se:.4f}"]
        if has_differences:
            difference = [f"{estimate.difference:+.4f}", f"{NORMAL_95 * estimate.difference_se:.4f}"]
            cells += difference if rank > 1 else ["", ""]
        if estimate.mwc is not None and estimate.mwc_se is not None:
            cells += [percent(estimate.mwc), percent(NORMAL_95 * estimate.mwc_se)]
        cells += [percent(probability) for probability in estimate.probabilities or ()]
        row = [(cell, width) for cell, (_, width) in zip(cells, headings, strict=False)]
        table.append(_Row(str(rank) if has_ranks else "", estimate.name, row))
    if cube is not None:
        double = "redouble" if cube.redouble else "double"
        for answer, equity in (("drop", cube.double_drop), ("beaver", cube.double_beaver)):
            if equity is not None:
                table.append(_Row("", f"{double}, {answer}", [(f"{equity:+.4f}", headings[0][1])]))
    return table
