"""The journal of a long count: its finished parts, from which it goes on where it stopped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from bgfast.analysis.perft.levels import PartLeaves
from bgfast.common.journal import Journal
from bgfast.common.rolls import ROLLS
from bgfast.errors import BgfastError, shown

__all__ = ["Checkpoint"]


class Checkpoint:
    """The finished parts of one count, in memory and on disk.

    A record of its journal has `part`, its number, `positions`, the leaves by first roll (in the order of
    `ROLLS`), and the `seconds` taken.

    Parameters
    ----------
    path : path
        Begun at once if it is not there: a path that cannot be written is found before any work is done. No
        other run can use it until `close`.
    job : mapping
        What is counted, as JSON can hold it: board, depth, weighted, in how many `parts`; the rules unless
        they are those of `STANDARD`.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, is no checkpoint, or is that of another job; it
        stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str], job: Mapping[str, Any]) -> None:
        self._parts: dict[int, PartLeaves] = {}
        self._number = job["parts"]
        self._journal = Journal(path, "count", "checkpoint")
        try:
            self._journal.begin(job)
            self._journal.read(self._take)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other runs use the file."""
        self._journal.close()

    def _take(self, record: Mapping[str, Any]) -> None:
        part, positions, leaves = record["part"], record["positions"], record["leaves"]
        if type(part) is not int or part not in range(self._number) or part in self._parts:
            raise BgfastError(f"part {shown(part)}; expected one of {self._number} that is not there yet")
        if (
            type(leaves) is not list
            or len(leaves) != len(ROLLS)
            or not all(type(count) is int and 0 <= count < 2**64 for count in (positions, *leaves))
        ):
            raise BgfastError(f"part {part}: expected positions, and leaves of the {len(ROLLS)} rolls")
        self._parts[part] = PartLeaves(positions, leaves)

    def found(self, part: int) -> PartLeaves | None:
        """Return what a part gave, or None if it is still to be counted."""
        return self._parts.get(part)

    def keep(self, part: int, found: PartLeaves, seconds: float) -> None:
        """Add a part."""
        self._parts[part] = found
        self._journal.append({"part": part, **found._asdict(), "seconds": round(seconds, 2)})
