"""Files with recorded matches: opened, and what can be had of a damaged one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import BinaryIO

from bgfast.cli.options import named_input
from bgfast.errors import BgfastError, RecordError, shown
from bgfast.records.match_files import opened

__all__ = ["offering_partial", "opened_record"]


def opened_record(word: str) -> AbstractContextManager[BinaryIO]:
    """Open a file with recorded matches, or standard input, which stays open."""
    file, name = named_input(word)
    return opened(file, name if isinstance(file, int) else shown(name))


def offering_partial(error: BgfastError, does: str) -> BgfastError:
    """Return an error that says how what is before the damage can be had, if there is anything."""
    before = error.match if isinstance(error, RecordError) else None
    if before is None:
        return error
    number = len(before.results)
    games = {0: "what was played", 1: "the game"}.get(number, f"the {number} games")
    return BgfastError(f"{error}; --partial {does} {games} before it")
