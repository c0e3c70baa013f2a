"""Recorded matches of files and folders that a command reads one after the other, with their findings."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bgfast.cli.colours import coloured_error
from bgfast.cli.records import MAX_SHOWN, complain_of_findings
from bgfast.common.files import is_missing_file
from bgfast.common.streams import complain
from bgfast.errors import BgfastError, one_line, shown
from bgfast.games.finding import SEVERITIES
from bgfast.games.match import Match
from bgfast.records.match_files import load_matches, read_matches

__all__ = ["RecordedMatches", "recorded_files"]

SUFFIXES = (".mat", ".txt", ".sgf", ".xg", ".bgf", ".ogxm", ".gvab")


def recorded_files(words: Sequence[str]) -> list[str]:
    """Return the files that words name; none of a position.

    Of a folder they are those that end as matches do, in the order of their names, in folders within it, too.

    Raises
    ------
    BgfastError
        If there is no match in a folder, or a file is not there that is one of several or named as a match.
    """
    missing = [word for word in words if not os.path.exists(word)]
    if missing:
        is_record = len(missing) < len(words) or missing[0].lower().endswith(SUFFIXES)
        if is_record and is_missing_file(missing[0]):
            raise BgfastError(f"no such file: {shown(missing[0])}; expected recorded matches")
        return []
    found: list[str] = []
    for word in words:
        if not os.path.isdir(word):
            found.append(word)
            continue
        inside = (path for path in Path(word).rglob("*") if path.suffix.lower() in SUFFIXES)
        here = sorted(path for path in inside if not path.is_dir())
        if not here:
            raise BgfastError(f"{shown(word)}: no recorded match in it; expected {', '.join(SUFFIXES)}")
        found += map(str, here)
    return found


class RecordedMatches:
    """The matches of files, one after the other, or those that were pasted, with their names.

    Of several in a file each has its number. Findings are printed on standard error, and so are files that
    cannot be read, unless there is only one. One match is read ahead, since it is known only then whether a
    file has several.

    Parameters
    ----------
    files : sequence of str
    pasted : bytes, optional
        What standard input holds.
    check_several : callable, optional
        Called with a description of a file with several matches, before its first one.

    Attributes
    ----------
    files_read : int
        Files of which at least one game could be read.
    unread : list of (str, str)
        Files that could not be read to their end, and why.
    """

    def __init__(
        self,
        files: Sequence[str],
        pasted: bytes | None = None,
        check_several: Callable[[str], None] | None = None,
    ) -> None:
        self.files_read = 0
        self.unread: list[tuple[str, str]] = []
        self._files_begun = 0
        self._is_done = False
        self._worst: Counter[str] = Counter()  # files by the severity of their worst finding
        self._files = files
        self._pasted = pasted
        self._check_several = check_several

    def __iter__(self) -> Iterator[tuple[str, Match]]:
        if self._pasted is not None:
            yield from self._of("standard input", read_matches(io.BytesIO(self._pasted), "standard input"))
        for name in self._files:
            self._files_begun += 1
            try:
                yield from self._of(name, load_matches(name))
            except BgfastError as error:
                if len(self._files) == 1:
                    raise
                self.unread.append((name, str(error).removeprefix(shown(name)).lstrip(":, ")))
                complain(coloured_error(str(error), sys.stderr), is_clean=True)
        self._is_done = True

    def progress_name(self, name: str) -> str:
        """Return the name of a match for a progress display; of several files with the number of its file."""
        if len(self._files) < 2:
            return one_line(name)
        return f"file {self._files_begun} of {len(self._files)}, {one_line(name)}"

    def interruption(self) -> str:
        """Return where the matches were left before the last one; empty if they were not."""
        if self._is_done:
            return ""
        return f"Interrupted in file {max(1, self._files_begun)} of {max(1, len(self._files))}"

    def summary(self) -> str:
        """Return how many files were read, and how many of them have findings."""
        kinds = [f"{self._worst[name]} with {name}s" for name in reversed(SEVERITIES) if self._worst[name]]
        return ", ".join([f"{self.files_read} of {len(self._files)} files read", *kinds])

    def _of(self, name: str, matches: Iterator[Match]) -> Iterator[tuple[str, Match]]:
        match: Match | None = next(matches)
        self.files_read += 1
        number, worst = 0, -1
        while match is not None:
            following = next(matches, None)
            if following is not None and self._check_several is not None:
                self._check_several(f"{shown(name)} has several")
            if number or following is not None:
                number += 1
            called = f"{name} ({number})" if number else name
            complain_of_findings(called, match.findings, 1 if len(self._files) > 1 else MAX_SHOWN)
            worst = max([worst, *(SEVERITIES.index(finding.severity) for finding in match.findings)])
            yield called, match
            match = following
        if worst >= 0:
            self._worst[SEVERITIES[worst]] += 1
