"""Export of results as tables: rows of named columns, as CSV or as a pandas DataFrame."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from bgfast.common.clean_text import clean_cell
from bgfast.common.extras import import_optional

Row = Mapping[str, Any]


def csv_text(rows: Sequence[Row], *, head: bool = True) -> str:
    """Return rows with the same columns as CSV, with a header line unless `head` is False.

    Numbers are written with full precision; None is an empty field. Without rows the text is empty.
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    if head:
        writer.writeheader()
    writer.writerows({name: clean_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


class Tabular(ABC):
    """Base of results that can be exported as a table."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table, best first, all with the same named columns."""

    def to_csv(self) -> str:
        """Return the table as CSV, with a header line.

        Numbers are written with full precision; None is an empty field. Text that a spreadsheet would take
        for a formula, such as a position ID that begins with ``+``, begins with an apostrophe, which the
        readers of bgfast ignore.
        """
        return csv_text(self.rows())

    def to_dataframe(self) -> Any:
        """Return the table as a pandas DataFrame (``pip install 'bgfast[pandas]'``).

        Raises
        ------
        BgfastError
            If pandas is not installed.
        """
        return import_optional("pandas", "'bgfast[pandas]'", "to_dataframe").DataFrame(self.rows())
