"""Results as tables for other programs: rows of named columns, as CSV or as a pandas DataFrame."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from bgfast.common.extras import imported

__all__ = ["CHANCES", "csv_text", "dataframe", "named_chances"]

CHANCES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")

Row = Mapping[str, Any]


def named_chances(chances: Sequence[float] | None, suffix: str = "") -> dict[str, float | None]:
    """Return five probabilities by their names; None for each if there are none."""
    values = chances if chances is not None else (None,) * len(CHANCES)
    return {f"{name}{suffix}": value for name, value in zip(CHANCES, values, strict=True)}


def csv_text(rows: Sequence[Row], *, head: bool = True) -> str:
    r"""Return rows that have the same columns as CSV: a line of names, unless `head` is False, and one a row.

    Numbers are written so that they read back to the last bit; None is an empty field.

    Examples
    --------
    >>> csv_text([{"play": "8/5 6/5", "equity": 0.25, "ply": None}])
    'play,equity,ply\n8/5 6/5,0.25,\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    if head:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def dataframe(rows: Sequence[Row]) -> Any:
    """Return rows that have the same columns as a pandas DataFrame.

    Raises
    ------
    BgfastError
        If pandas is not installed.
    """
    return imported("pandas", "'bgfast[pandas]'", "to_dataframe").DataFrame(list(rows))
