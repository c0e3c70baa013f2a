"""Checkpoint of a long count: a journal of finished parts, from which an interrupted count resumes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from bgfast.batch.perft.levels import PartLeaves
from bgfast.common.journal import Journal
from bgfast.common.rolls import ROLLS
from bgfast.errors import BgfastError, shown


class Checkpoint:
    """Finished parts of a count, in memory and in a journal, which is locked until `close`.

    A record holds the index `part`, the number of `positions`, the `leaves` by first roll (in the order of
    `ROLLS`) and the `seconds` taken. `job` describes the count as JSON values. The file is created at once,
    so that an unwritable path fails before any work is done.

    Raises `BgfastError` if the file cannot be read or written, is in use, is not a checkpoint, or belongs to
    another job; it is left unchanged.
    """

    def __init__(self, path: str | os.PathLike[str], job: Mapping[str, Any]) -> None:
        self._parts: dict[int, PartLeaves] = {}
        self._part_count = job["parts"]
        self._journal = Journal(path, "count", "checkpoint")
        try:
            self._journal.begin(job)
            self._journal.read(self._load_record)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the file to other runs."""
        self._journal.close()

    def _load_record(self, record: Mapping[str, Any]) -> None:
        part, positions, leaves = record["part"], record["positions"], record["leaves"]
        if type(part) is not int or part not in range(self._part_count) or part in self._parts:
            raise BgfastError(f"part is {shown(part)}; expected 0 to {self._part_count - 1}, none twice")
        if (
            type(leaves) is not list
            or len(leaves) != len(ROLLS)
            or not all(type(count) is int and 0 <= count < 2**64 for count in (positions, *leaves))
        ):
            raise BgfastError(
                f"part {part} is invalid; expected the number of positions, and of leaves by roll"
            )
        self._parts[part] = PartLeaves(positions, leaves)

    def get(self, part: int) -> PartLeaves | None:
        """Return the result of a part, or None if it has not been counted yet."""
        return self._parts.get(part)

    def add(self, part: int, result: PartLeaves, seconds: float) -> None:
        """Store the result of a part in memory and in the journal."""
        self._parts[part] = result
        self._journal.append({"part": part, **result._asdict(), "seconds": round(seconds, 2)})
