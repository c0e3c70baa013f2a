"""Results as tables for other programs: rows of named columns, as CSV or as a pandas DataFrame."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from bgfast.common.extras import imported

__all__ = ["Tabular", "csv_text"]

Row = Mapping[str, Any]


def csv_text(rows: Sequence[Row], *, head: bool = True) -> str:
    r"""Return rows that have the same columns as CSV: a line of names, unless `head` is False, and one a row.

    Numbers are written so that they read back to the last bit; None is an empty field. Without rows there are
    no columns either: nothing.

    Examples
    --------
    >>> csv_text([{"play": "8/5 6/5", "equity": 0.25, "ply": None}])
    'play,equity,ply\n8/5 6/5,0.25,\n'
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    if head:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


class Tabular(ABC):
    """A result that can be had as a table, for other programs."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table, best first, all with the same named columns."""

    def to_csv(self) -> str:
        """Return the table as CSV: a line of names, and a line for each row.

        Numbers are written so that they read back to the last bit; None is an empty field.
        """
        return csv_text(self.rows())

    def to_dataframe(self) -> Any:
        """Return the table as a pandas DataFrame (``pip install 'bgfast[pandas]'``).

        Raises
        ------
        BgfastError
            If pandas is not installed.
        """
        return imported("pandas", "'bgfast[pandas]'", "to_dataframe").DataFrame(self.rows())
