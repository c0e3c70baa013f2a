"""Recorded matches in files, folders and on standard input, and the display of findings."""

from __future__ import annotations

import argparse
import io
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from bgfast.cli.options import STANDARD_INPUT, named_input
from bgfast.cli.parser import complain_of_error, error_text
from bgfast.cli.streams import complain
from bgfast.common.files import is_missing_file
from bgfast.errors import BgfastError, one_line, shown
from bgfast.games.match_info import SEVERITIES, Finding, Severity
from bgfast.position.position_text import holds_positions, position_lines, read_content, read_position

if TYPE_CHECKING:
    from bgfast.games.match import Match

MAX_SHOWN = 3
"""Maximum findings of a match that `analyse`, `convert` and `show` print."""


def open_record(word: str) -> AbstractContextManager[BinaryIO]:
    """Open a file with recorded matches, or standard input, which stays open."""
    from bgfast.records.match_files import open_binary  # many formats

    file, name = named_input(word)
    return open_binary(file, name if isinstance(file, int) else shown(name))


def record_name(word: str) -> str:
    """Return the name of a file in findings."""
    return one_line(named_input(word)[1])


def file_error(name: str, error: Exception) -> str:
    """Return the error of one of several files as text; an unexpected one passes in development mode."""
    if isinstance(error, BgfastError):
        return str(error)
    if sys.flags.dev_mode:
        raise error
    return f"{shown(name)}: {error_text(error)}"


def count_text(counts: Counter[Severity]) -> str:
    """Return the number of findings by severity, the worst first, as "1 error, 2 notes"; empty for none."""
    worst_first: list[Severity] = [severity for severity in reversed(SEVERITIES) if counts[severity]]
    return ", ".join(f"{counts[name]} {name}{'' if counts[name] == 1 else 's'}" for name in worst_first)


def complain_of_findings(name: str, findings: Sequence[Finding], limit: int = MAX_SHOWN) -> None:
    """Print the number of findings and the worst `limit` of them on standard error, if there are any."""
    if not findings:
        return
    worst = sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))[:limit]
    counts: Counter[Severity] = Counter(finding.severity for finding in findings)
    more = "" if len(findings) <= limit else "; bgfast check lists all"
    complain(f"bgfast: {one_line(name)}: {count_text(counts)}{more}")
    for finding in worst:
        complain(f"bgfast:   {finding._replace(file='')}")


def position_content(path: str) -> bytes | None:
    """Return the content of a file of positions; None for any other file."""
    if not os.path.isfile(path):
        return None
    from bgfast.records.match_files import holds_matches

    with open_record(path) as file:
        if holds_matches(file):
            return None
    content = read_content(path, path)
    return content if holds_positions(content) else None


def only_position(word: str, content: bytes) -> list[str]:
    """Return the words of the only position in a file or on standard input."""
    name = named_input(word)[1]
    lines = position_lines(name, content)
    if len(lines) > 1:
        raise BgfastError(
            f"{name}: {len(lines)} positions in it, the second in line {lines[1].line}; expected one"
        )
    return lines[0].words


# ---- several matches ----


ZIP = ".zip"
SUFFIXES = (".xg", ".bgf", ".ogxm", ".gvab", ".sgf", ".mat", ".txt")
"""Endings of records, formats with analyses first: of a match in several formats the first counts."""


class RecordFile(NamedTuple):
    """File with recorded matches, or a member of a zip."""

    path: str
    name: str  # in outputs: relative to the folder that was named, without folders of this machine
    member: str = ""  # of a zip

    @property
    def label(self) -> str:
        """Name in errors: the path as it was typed, and the member of a zip."""
        return shown(f"{self.path}/{self.member}" if self.member else self.path)

    def matches(self) -> Iterator[Match]:
        """Yield the matches; errors begin with `label`."""
        from bgfast.records.match_files import name_errors, open_binary, read_matches, zip_member, zip_members

        if self.member:
            with name_errors(self.label):
                yield from read_matches(io.BytesIO(zip_member(self.path, self.member)), self.name)
        elif self.path.lower().endswith(ZIP):
            zip_members(self.path)  # raises the error of a zip that was not opened
        else:
            with open_binary(self.path, self.label) as file:
                yield from read_matches(file, self.name)


def recorded_files(words: Sequence[str]) -> list[RecordFile]:
    """Return the named files; none if the words are a position.

    Folders are searched, subfolders included, for names that end like records; these are sorted. A zip counts
    as a folder.
    """
    missing = [word for word in words if not os.path.exists(word)]
    if missing:
        is_record = len(missing) < len(words) or missing[0].lower().endswith((*SUFFIXES, ZIP))
        if is_record and is_missing_file(missing[0]):
            raise BgfastError(f"no such file: {shown(missing[0])}; expected recorded matches")
        return []
    files: list[RecordFile] = []
    for word in words:
        records, root = [Path(word)], os.path.abspath(word)
        is_folder = os.path.isdir(word)
        if is_folder:
            inside = (path for path in Path(word).rglob("*") if path.suffix.lower() in (*SUFFIXES, ZIP))
            records = sorted(filter(_may_be_read, inside), key=_order)
        if not is_folder or len(words) > 1:  # several folders may have files of the same name
            root = os.path.dirname(root)
        names = (Path(os.path.abspath(path)).relative_to(root).as_posix() for path in records)
        matching = [
            file for path, name in zip(records, names, strict=True) for file in _with_members(str(path), name)
        ]
        if not matching:
            raise BgfastError(f"{shown(word)}: no recorded match in it; expected {', '.join(SUFFIXES)}")
        files += matching
    return files


def _order(name: str | Path) -> tuple[str, int]:
    """Return the key that sorts records: by name, 2 before 10, then in the order of `SUFFIXES`."""
    stem, suffix = os.path.splitext(os.fspath(name))
    padded = re.sub("[0-9]+", lambda digits: digits[0].zfill(20), stem)
    return padded, [*SUFFIXES, ZIP].index(suffix.lower())


def _with_members(path: str, name: str) -> list[RecordFile]:
    """Return a file, or the members of a zip that end like records; a zip that cannot be read is a file."""
    if not path.lower().endswith(ZIP):
        return [RecordFile(path, name)]
    from bgfast.records.match_files import zip_members

    try:
        members = zip_members(path)
    except BgfastError:  # reported with the unreadable files
        return [RecordFile(path, name)]
    records = sorted((member for member in members if member.lower().endswith(SUFFIXES)), key=_order)
    return [RecordFile(path, f"{name}/{member}", member) for member in records]


def match_files(words: Sequence[str]) -> list[RecordFile]:
    """Return the named files, as `recorded_files` does; refuse words that name none."""
    files = recorded_files(words)
    if not files:
        missing = [word for word in words if not os.path.exists(word)]
        problem = f"no such file: {shown(missing[0])}" if missing else "no file given"
        raise BgfastError(f"{problem}; expected recorded matches, files or folders")
    return files


def _may_be_read(path: Path) -> bool:
    """Return whether a path in a folder is a file; pipes and devices may never end."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:  # a link to nothing, reported with the unreadable files
        return True


class RecordedMatches:
    """Iterable over the matches of files, or of pasted text, with their names.

    Findings and unreadable files are printed on standard error; a single unreadable file raises its error. An
    error of several files is printed once, and counted in the summary.
    One match is read ahead: matches of a file with several are numbered, and `check_several` gets its
    description before the first.
    """

    def __init__(
        self,
        files: Sequence[RecordFile],
        pasted: bytes | None = None,
        check_several: Callable[[str], None] | None = None,
    ) -> None:
        self.files_read, self._files_begun, self._is_done = 0, 0, False
        self.left_out: dict[str, list[str]] = {}  # names of matches by the reason why they are left out
        self._worst: Counter[str] = Counter()  # files by the severity of their worst finding
        self._files, self._pasted, self._check_several = files, pasted, check_several

    def __iter__(self) -> Iterator[tuple[str, Match]]:
        if self._pasted is not None:
            name = "standard input"
            yield from self._named_matches(name, name, _read_pasted(self._pasted, name))
        for file in self._files:
            self._files_begun += 1
            try:
                yield from self._named_matches(file.name, file.label, file.matches())
            except Exception as error:
                self.skip(file.name, error, file.label)
        self._is_done = True

    def skip(self, name: str, error: Exception, label: str = "") -> None:
        """Report the error of a file and leave it out; raise the error of a single file.

        `label` begins the error; by default it is the name of the file.
        """
        if len(self._files) < 2:
            raise error
        label = label or shown(name)
        text = file_error(name, error)
        text = text if text.startswith(label) else f"{label}: {text}"
        reason = text.removeprefix(label).lstrip(":, ")
        self.leave_out(name, reason)
        if len(self.left_out[reason]) == 1:
            complain_of_error(text)

    def leave_out(self, name: str, reason: str) -> None:
        """Add a match to `left_out`."""
        self.left_out.setdefault(reason, []).append(name)

    def progress_name(self, name: str) -> str:
        """Return the name of a match for a progress display, with the number of its file among several."""
        if len(self._files) < 2:
            return one_line(name)
        return f"file {self._files_begun} of {len(self._files)}, {one_line(name)}"

    def interruption(self) -> str:
        """Return the place of an interruption as text; empty without one."""
        if self._is_done:
            return ""
        return f"Interrupted in file {max(1, self._files_begun)} of {max(1, len(self._files))}"

    def summary(self) -> str:
        """Return the number of files read, of files with findings, and of errors that were printed once."""
        kinds = [f"{self._worst[name]} with {name}s" for name in reversed(SEVERITIES) if self._worst[name]]
        repeated = [
            f"{len(names) - 1} left out like {one_line(names[0])}"
            for names in self.left_out.values()
            if len(names) > 1
        ]
        return ", ".join([f"{self.files_read} of {len(self._files)} files read", *kinds, *repeated])

    def _named_matches(self, name: str, label: str, matches: Iterator[Match]) -> Iterator[tuple[str, Match]]:
        match: Match | None = next(matches)
        self.files_read += 1
        number, worst = 1, -1
        while match is not None:
            following = next(matches, None)
            if following is not None and self._check_several is not None:
                self._check_several(f"{label} has several")
            match_name = name if number == 1 and following is None else f"{name} ({number})"
            complain_of_findings(match_name, match.findings, 1 if len(self._files) > 1 else MAX_SHOWN)
            worst = max([worst, *(SEVERITIES.index(finding.severity) for finding in match.findings)])
            yield match_name, match
            match, number = following, number + 1
        if worst >= 0:
            self._worst[SEVERITIES[worst]] += 1


def _read_pasted(content: bytes, name: str) -> Iterator[Match]:
    from bgfast.records.match_files import name_errors, read_matches

    with name_errors(name):
        yield from read_matches(io.BytesIO(content), name)


def pasted_matches(arguments: argparse.Namespace) -> bytes | None:
    """Return the recorded matches on standard input, if it is typed, or redirected without words, or None.

    A position from it, or from a named file, replaces the words; several become ``--positions`` and
    ``arguments.pasted``.
    """
    arguments.pasted = None
    words = arguments.words
    if arguments.positions is not None:
        return None
    if len(words) == 1 and words[0] != STANDARD_INPUT:
        if (content := position_content(words[0])) is not None:
            _take_positions(arguments, words[0], content)
        return None
    if not is_pasted(words):
        return None
    from bgfast.records.match_files import holds_matches

    content = read_content(*named_input(STANDARD_INPUT))
    if holds_matches(io.BytesIO(content)):
        return content
    if words and not content.strip():
        raise BgfastError("nothing on standard input; expected recorded matches, or positions")
    arguments.words = []
    if content.strip():
        _take_positions(arguments, STANDARD_INPUT, content)
    return None


def _take_positions(arguments: argparse.Namespace, word: str, content: bytes) -> None:
    """Set the words of a single position, or the pasted content of several."""
    name = named_input(word)[1]
    lines = position_lines(name, content)
    ids = [(line, words[0]) for line, words in lines if len(words) == 1 and word != STANDARD_INPUT]
    for line, text in ids:
        try:
            read_position(text, arguments.checkers)
        except BgfastError as error:  # perhaps not a file of positions
            expected = "expected one as .mat, .txt, SGF, .xg, .bgf or .ogxm, or positions"
            raise BgfastError(f"{name}, line {line}: {error}; and no match in it; {expected}") from None
    arguments.words = lines[0].words if len(lines) == 1 else []
    if len(lines) > 1:
        arguments.positions, arguments.pasted = word, content


def is_pasted(words: Sequence[str]) -> bool:
    """Return whether standard input is typed as ``-``, or redirected without words."""
    if words:
        return list(words) == [STANDARD_INPUT]
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or not a file of the system
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)
