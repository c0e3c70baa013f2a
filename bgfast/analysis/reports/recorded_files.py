"""Recorded matches in files, folders and zips."""

from __future__ import annotations

import io
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from bgfast.common.files import is_missing_file
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.games.match_info import SEVERITIES

if TYPE_CHECKING:
    from bgfast.games.match import Match

# Match formats are imported in functions: `bgfast analyse` does not need them for positions.

ZIP = ".zip"
SUFFIXES = (".xg", ".bgf", ".ogxm", ".gvab", ".sgf", ".mat", ".txt")
"""Suffixes of records, formats with analyses first; a match in several formats is read from the first."""


class RecordFile(NamedTuple):
    """File with recorded matches, a member of a zip, or pasted content."""

    path: str
    name: str  # name in output, relative to the folder passed
    member: str = ""  # member of a zip archive
    content: bytes | None = None  # content of a pasted record; None for a file

    @property
    def place(self) -> str:
        """Path as typed, followed by the member of a zip."""
        return f"{self.path}/{self.member}" if self.member else self.path

    @property
    def label(self) -> str:
        """Name in error messages."""
        return self.name if self.content is not None else short_repr(self.place)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file; errors raised in the block begin with `label`."""
        from bgfast.records.match_files import name_errors, open_binary, zip_member, zip_members

        if self.member or self.content is not None:
            with name_errors(self.label):
                yield io.BytesIO(zip_member(self.path, self.member) if self.content is None else self.content)
            return
        if self.path.lower().endswith(ZIP):
            zip_members(self.path)  # raises the error of an unreadable zip
        with open_binary(self.path, self.label) as file:
            yield file

    def matches(self) -> Iterator[Match]:
        """Yield the matches; errors begin with `label`."""
        from bgfast.records.match_files import read_matches

        with self.open() as file:
            yield from read_matches(file, self.name)


def list_files(arguments: Sequence[str]) -> list[RecordFile]:
    """Return the named files; empty if the arguments are a position.

    Folders and subfolders are searched for files with a suffix in `SUFFIXES`; these are sorted. A zip counts
    as a folder.
    """
    missing = [argument for argument in arguments if not os.path.exists(argument)]
    if missing:
        is_record = len(missing) < len(arguments) or missing[0].lower().endswith((*SUFFIXES, ZIP))
        if is_record and is_missing_file(missing[0]):
            raise BgfastError(f"no such file: {short_repr(missing[0])}; expected recorded matches")
        return []
    files: list[RecordFile] = []
    for argument in arguments:
        paths, root = [Path(argument)], os.path.abspath(argument)
        is_folder = os.path.isdir(argument)
        if is_folder:
            entries = (path for path in Path(argument).rglob("*") if path.suffix.lower() in (*SUFFIXES, ZIP))
            paths = sorted(filter(_is_readable, entries), key=_sort_key)
        if not is_folder or len(arguments) > 1:  # several folders may have files of the same name
            root = os.path.dirname(root)
        names = (Path(os.path.abspath(path)).relative_to(root).as_posix() for path in paths)
        records = [
            file for path, name in zip(paths, names, strict=True) for file in _expand_zip(str(path), name)
        ]
        if not records:
            raise BgfastError(f"{short_repr(argument)}: no recorded match; expected {', '.join(SUFFIXES)}")
        files += records
    return files


def _sort_key(name: str | Path) -> tuple[str, int]:
    """Return the key that sorts records: by name, 2 before 10, then in the order of `SUFFIXES`."""
    stem, suffix = os.path.splitext(os.fspath(name))
    padded = re.sub("[0-9]+", lambda digits: digits[0].zfill(20), stem)
    return padded, [*SUFFIXES, ZIP].index(suffix.lower())


def _expand_zip(path: str, name: str) -> list[RecordFile]:
    """Return a file, or a zip's members with a suffix in `SUFFIXES`; an unreadable zip counts as a file."""
    if not path.lower().endswith(ZIP):
        return [RecordFile(path, name)]
    from bgfast.records.match_files import zip_members

    try:
        members = zip_members(path)
    except BgfastError:  # reported with the unreadable files
        return [RecordFile(path, name)]
    records = sorted((member for member in members if member.lower().endswith(SUFFIXES)), key=_sort_key)
    return [RecordFile(path, f"{name}/{member}", member) for member in records]


def match_files(paths: Sequence[str]) -> list[RecordFile]:
    """Return the named files, as `list_files` does; raise `BgfastError` if there is no file."""
    files = list_files(paths)
    if not files:
        missing = [path for path in paths if not os.path.exists(path)]
        problem = f"no such file: {short_repr(missing[0])}" if missing else "no file given"
        raise BgfastError(f"{problem}; expected recorded matches, files or folders")
    return files


def _is_readable(path: Path) -> bool:
    """Return whether a path is a file or a broken link; reading pipes and devices may never end."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:  # a broken link, reported with the unreadable files
        return True


class MatchReader:
    """Iterable over the matches of files, with their names.

    An unreadable file raises its error if it is the only file, else it is left out. One match is read ahead,
    since matches are numbered if their file has several.
    """

    def __init__(self, files: Sequence[RecordFile]) -> None:
        self.files, self.files_read, self._files_begun, self._is_done = files, 0, 0, False
        self.left_out: dict[str, list[str]] = {}  # names of matches by reason
        self.has_several = False  # True if the current file has several matches
        self._files_by_severity: Counter[int] = Counter()  # keys: 1 + index of the worst severity, or 0

    def __iter__(self) -> Iterator[tuple[str, Match]]:
        for file in self.files:
            self.file = file
            self._files_begun += 1
            try:
                yield from self._name_matches(file.name, file.matches())
            except Exception as error:
                self.skip(file.name, error)
        self._is_done = True

    def _name_matches(self, name: str, matches: Iterator[Match]) -> Iterator[tuple[str, Match]]:
        match: Match | None = next(matches)
        self.files_read += 1
        count, severity = 1, 0
        while match is not None:
            next_match = next(matches, None)
            self.has_several = count > 1 or next_match is not None
            severity = max([severity, *(1 + SEVERITIES.index(item.severity) for item in match.findings)])
            yield f"{name} ({count})" if self.has_several else name, match
            match, count = next_match, count + 1
        self._files_by_severity[severity] += 1

    def skip(self, name: str, error: Exception) -> str | None:
        """Leave out a match of the current file; return the error message, or None if its reason is not new.

        Raises the error if there is only one file, or if it is not a `BgfastError`.
        """
        if len(self.files) < 2 or not isinstance(error, BgfastError):
            raise error
        label = self.file.label
        reason = str(error).removeprefix(label).lstrip(":, ")
        is_new = self.leave_out(name, reason)
        return None if not is_new else str(error) if str(error).startswith(label) else f"{label}: {error}"

    def leave_out(self, name: str, reason: str) -> bool:
        """Add a match to `left_out`; return whether the reason is new."""
        self.left_out.setdefault(reason, []).append(name)
        return len(self.left_out[reason]) == 1

    @property
    def fraction(self) -> float:
        """Fraction of the files that have been read."""
        return (self._files_begun - 1) / len(self.files)

    def progress_name(self, name: str) -> str:
        """Return the name of a match for a progress display, with the number of its file among several."""
        if len(self.files) < 2:
            return one_line(name)
        return f"file {self._files_begun} of {len(self.files)}, {one_line(name)}"

    def interruption(self) -> str:
        """Return the place of an interruption as text; empty if there was none."""
        if self._is_done:
            return ""
        return f"Interrupted in file {max(1, self._files_begun)} of {len(self.files)}"

    def summary(self) -> str:
        """Return the numbers of files read, of files with findings, and of repeated errors, as text."""
        counts = {name: self._files_by_severity[index] for index, name in enumerate(SEVERITIES, 1)}
        findings = [f"{counts[name]} with {name}s" for name in reversed(SEVERITIES) if counts[name]]
        repeated = [
            f"{len(names) - 1} left out like {one_line(names[0])}"
            for names in self.left_out.values()
            if len(names) > 1
        ]
        return ", ".join([f"{self.files_read} of {len(self.files)} files read", *findings, *repeated])
