"""Files with recorded matches: how they are opened, and how their findings are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO

from bgfast.cli.options import named_input
from bgfast.common.streams import complain
from bgfast.errors import one_line, shown
from bgfast.games.finding import SEVERITIES, Finding
from bgfast.records.match_files import opened

__all__ = ["MAX_SHOWN", "complain_of_findings", "count_text", "opened_record", "record_name"]

MAX_SHOWN = 3
"""Findings that are shown of a match that is to be analysed or converted."""


def opened_record(word: str) -> AbstractContextManager[BinaryIO]:
    """Open a file with recorded matches, or standard input, which stays open."""
    file, name = named_input(word)
    return opened(file, name if isinstance(file, int) else shown(name))


def record_name(word: str) -> str:
    """Return the name of a file with recorded matches in findings."""
    return one_line(named_input(word)[1])


def count_text(findings: Iterable[Finding]) -> str:
    """Return how many findings there are of each severity, the worst first; empty for none.

    Examples
    --------
    >>> from bgfast import Finding
    >>> count_text([Finding("note", "result", "", "", 1, 1), Finding("error", "play", "", "", 2, 1)])
    '1 error, 1 note'
    """
    counts = Counter(finding.severity for finding in findings)
    worst_first = [severity for severity in reversed(SEVERITIES) if counts[severity]]
    return ", ".join(f"{counts[name]} {name}{'' if counts[name] == 1 else 's'}" for name in worst_first)


def complain_of_findings(name: str, findings: Sequence[Finding], most: int = MAX_SHOWN) -> None:
    """Print the number of findings and the worst of them on standard error, unless there are none."""
    if not findings:
        return
    worst = sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))[:most]
    more = "" if len(findings) <= most else "; bgfast check lists all"
    complain(f"bgfast: {one_line(name)}: {count_text(findings)}{more}")
    for finding in worst:
        complain(f"bgfast:   {finding._replace(file='')}")
