"""Markdown tables, and the formats of numbers in their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(table_row(*cells) for cells in (head, ["---"] * len(head), *rows))


def table_row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def rate(number: float) -> str:
    """Return a rate with three digits and a unit prefix."""
    for size, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{prefix}" if number < 999.5 * size else f"{number / size:.0f}{prefix}"
    return f"{number:.3g}"


def ratio(number: float | None) -> str:
    """Return a ratio, or a dash for None."""
    return "–" if number is None else f"{number:.3g}x" if number < 100 else f"{number:.0f}x"
