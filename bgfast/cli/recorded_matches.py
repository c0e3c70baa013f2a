"""Recorded matches from files, folders and standard input, and the display of their findings."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO

from bgfast.analysis.reports.recorded_files import MatchReader, RecordFile, match_files
from bgfast.cli.options import STANDARD_INPUT, input_source
from bgfast.cli.parser import complain_of_error, error_text
from bgfast.cli.streams import complain
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.games.match_info import SEVERITIES, Finding, Severity
from bgfast.position.position_text import holds_positions, position_lines, read_content, read_position

MAX_FINDINGS = 3
"""Maximum findings of a match that `analyse`, `convert` and `show` print."""


def open_record(operand: str) -> AbstractContextManager[BinaryIO]:
    """Open a file with recorded matches, or standard input, which stays open."""
    from bgfast.records.match_files import open_binary  # loads the readers of many formats

    file, name = input_source(operand)
    return open_binary(file, name if isinstance(file, int) else short_repr(name))


def record_name(operand: str) -> str:
    """Return the name by which findings refer to a file."""
    return one_line(input_source(operand)[1])


def file_error(name: str, error: Exception) -> str:
    """Format the error of a file; development mode raises unexpected errors instead."""
    if isinstance(error, BgfastError):
        return str(error)
    if sys.flags.dev_mode:
        raise error
    return f"{short_repr(name)}: {error_text(error)}"


def count_text(counts: Counter[Severity]) -> str:
    """Format the number of findings by severity, worst first: "1 error, 2 notes"; empty if all are 0."""
    worst_first: list[Severity] = [severity for severity in reversed(SEVERITIES) if counts[severity]]
    return ", ".join(f"{counts[name]} {name}{'' if counts[name] == 1 else 's'}" for name in worst_first)


def complain_of_findings(name: str, findings: Sequence[Finding], limit: int = MAX_FINDINGS) -> None:
    """Print the counts of the findings and the worst `limit` findings, if any, on standard error."""
    if not findings:
        return
    worst = sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))[:limit]
    counts: Counter[Severity] = Counter(finding.severity for finding in findings)
    hint = "" if len(findings) <= limit else "; bgfast check lists all"
    complain(f"bgfast: {one_line(name)}: {count_text(counts)}{hint}")
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


def only_position(operand: str, content: bytes) -> list[str]:
    """Return the tokens of the only position in a file or on standard input."""
    name = input_source(operand)[1]
    lines = position_lines(name, content)
    if len(lines) > 1:
        raise BgfastError(f"{name}: {len(lines)} positions, the second on line {lines[1].line}; expected one")
    return lines[0].tokens


# ---- several matches ----


class RecordedMatches(MatchReader):
    """Matches from files, with the files' names; errors in files are reported on standard error."""

    def skip(self, name: str, error: Exception) -> None:
        """Leave out one of several files even after an unexpected error; see `MatchReader.skip`."""
        if len(self.files) > 1 and not isinstance(error, BgfastError):
            error = BgfastError(file_error(name, error))
        if text := super().skip(name, error):
            complain_of_error(text)


def input_files(names: Sequence[str]) -> list[RecordFile]:
    """Return the named files, or standard input."""
    if reads_standard_input(names):
        return [_standard_input_file(read_content(*input_source(STANDARD_INPUT)))]
    return match_files(names)


def _standard_input_file(content: bytes) -> RecordFile:
    return RecordFile(STANDARD_INPUT, input_source(STANDARD_INPUT)[1], content=content)


def read_standard_input(arguments: argparse.Namespace) -> RecordFile | None:
    """Return standard input if the command reads it and it holds recorded matches; otherwise None.

    A position on standard input or in a named file replaces the operands; several positions set
    ``--positions`` and ``arguments.positions_content``.
    """
    arguments.positions_content = None
    operands = arguments.operands
    if arguments.positions is not None:
        return None
    if len(operands) == 1 and operands[0] != STANDARD_INPUT:
        if (content := position_content(operands[0])) is not None:
            _take_positions(arguments, operands[0], content)
        return None
    if not reads_standard_input(operands):
        return None
    from bgfast.records.match_files import holds_matches

    content = read_content(*input_source(STANDARD_INPUT))
    if holds_matches(io.BytesIO(content)):
        return _standard_input_file(content)
    if operands and not content.strip():
        raise BgfastError("nothing on standard input; expected recorded matches, or positions")
    arguments.operands = []
    if content.strip():
        _take_positions(arguments, STANDARD_INPUT, content)
    return None


def _take_positions(arguments: argparse.Namespace, operand: str, content: bytes) -> None:
    """Set `arguments.operands` for a single position, or `positions` and `positions_content` for several."""
    name = input_source(operand)[1]
    lines = position_lines(name, content)
    ids = [(line, tokens[0]) for line, tokens in lines if len(tokens) == 1 and operand != STANDARD_INPUT]
    for line, text in ids:
        try:
            read_position(text, arguments.checkers)
        except BgfastError as error:  # the file may have another format
            expected = "expected positions, or a match in .mat, .txt, SGF, .xg, .bgf or .ogxm format"
            raise BgfastError(f"{name}, line {line}: {error}; the file has no match; {expected}") from None
    arguments.operands = lines[0].tokens if len(lines) == 1 else []
    if len(lines) > 1:
        arguments.positions, arguments.positions_content = operand, content


def reads_standard_input(operands: Sequence[str]) -> bool:
    """Return whether the only operand is ``-``, or standard input is redirected and there is no operand."""
    if operands:
        return list(operands) == [STANDARD_INPUT]
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # standard input is closed, or has no descriptor
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)
