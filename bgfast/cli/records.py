"""Files with recorded matches or positions, and the display of findings."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO

from bgfast.cli.options import named_input
from bgfast.cli.status import raised
from bgfast.common.streams import complain
from bgfast.errors import BgfastError, one_line, shown
from bgfast.games.match_info import SEVERITIES, Finding, Severity
from bgfast.position.position_files import holds_positions, position_lines, read_content
from bgfast.records.match_files import holds_matches, opened

MAX_SHOWN = 3
"""Maximum findings of a match that `analyse`, `convert` and `show` print."""


def opened_record(word: str) -> AbstractContextManager[BinaryIO]:
    """Open a file with recorded matches, or standard input, which stays open."""
    file, name = named_input(word)
    return opened(file, name if isinstance(file, int) else shown(name))


def record_name(word: str) -> str:
    """Return the name of a file in findings."""
    return one_line(named_input(word)[1])


def file_error(name: str, error: Exception) -> str:
    """Return the error of one of several files as text; an unexpected one passes in development mode."""
    if isinstance(error, BgfastError):
        return str(error)
    if sys.flags.dev_mode:
        raise error
    return f"{shown(name)}: {raised(error)}"


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
    with opened_record(path) as file:
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
