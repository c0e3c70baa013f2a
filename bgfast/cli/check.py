"""``bgfast check``: find illegal plays and cube actions, wrong scores and results in recorded matches."""

from __future__ import annotations

import argparse
import io
import json
import os
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, BinaryIO

from bgfast.analysis.reports.recorded_files import ZIP, match_files
from bgfast.cli.parser import complain_of_error
from bgfast.cli.progress import Progress
from bgfast.cli.recorded_matches import count_text, file_error, open_record, record_name
from bgfast.common.text import clean_lines, pluralize
from bgfast.errors import BgfastError, one_line
from bgfast.games.match_info import Finding, Severity
from bgfast.records.match_files import iterate_games

OpenFile = Callable[[], AbstractContextManager[BinaryIO]]

HELP = """
usage: FILE...

FILE: matches as .mat or .txt (Jellyfish's text), SGF, .xg, .bgf or .ogxm, a zip or a folder; - is standard
input.

Findings are printed with place, severity and rule. A note is harmless, for example points capped by a site. A
warning is an entry that is ignored because it contradicts the game, for example a wrong score. An error is an
illegal play, an unreadable entry, or an unavailable cube action. If the rest of a game cannot be read after
an error, a finding counts the skipped entries.

Exit status 0 with notes and warnings, 1 with an error, 2 if no game of a file can be read.

--json --quiet
--strict  exit status 1 also with a warning

example: bgfast check match.mat
"""


def run(arguments: argparse.Namespace) -> int:
    """Check each file; return the exit status."""
    if not arguments.operands:
        raise BgfastError("no file given; expected bgfast check FILE...")
    results = []
    for operand in arguments.operands:
        try:
            files = _list_files(operand)
        except BgfastError as error:
            results.append(_report_error(operand, error))
            continue
        for name, open_file in files:
            try:
                results.append(_check_file(name, open_file, arguments))
            except Exception as error:
                if isinstance(error, OSError) and not isinstance(error, BgfastError):  # print failed
                    raise
                results.append(_report_error(name, error))
    contents, statuses = zip(*results, strict=True)
    if arguments.json:
        print(json.dumps({"files": contents}))
    return max(statuses)


def _list_files(operand: str) -> list[tuple[str, OpenFile]]:
    """Return the name of each file, also in a folder or a zip, with the function that opens it."""
    if not os.path.isdir(operand) and not operand.lower().endswith(ZIP):
        return [(operand, partial(open_record, operand))]
    return [(file.place, file.open) for file in match_files([operand])]


def _report_error(name: str, error: Exception) -> tuple[dict[str, Any], int]:
    """Print the error of a file; return the JSON object and the exit status."""
    text = file_error(name, error)
    complain_of_error(text)
    return {"file": name, "clean": False, "error": text}, 2


def _check_file(name: str, open_file: OpenFile, arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """Check a file; return its JSON object and its exit status. Without ``--json``, print the findings."""
    label = record_name(name)
    findings: list[dict[str, Any]] = []
    counts: Counter[Severity] = Counter()
    totals = {"matches": 0, "games": 0, "plays": 0}
    games_read, status = 0, 2
    with open_file() as file:
        # A file in a zip is read into memory; the size of a pipe is unknown and given as 0.
        size = len(file.getvalue()) if isinstance(file, io.BytesIO) else os.fstat(file.fileno()).st_size
        with Progress(label, max(1, size), quiet=arguments.quiet or not size) as progress:
            for match_count, match, is_read in iterate_games(file, label):
                if size:
                    progress(file.tell())
                totals["matches"] = match_count
                totals["games"] += 1
                totals["plays"] += match.turn_count
                status = 0 if is_read else status
                games_read += is_read and not any(finding.kind == "skipped" for finding in match.findings)
                counts.update(finding.severity for finding in match.findings)
                if arguments.json:
                    items = [item._replace(message=one_line(item.message)) for item in match.findings]
                    findings += [item._asdict() for item in items]
                elif match.findings:
                    progress.clear()
                    print("\n".join(map(_line, match.findings)))
    is_clean = not (counts["error"] or counts["warning"])
    content = {"file": name, "clean": is_clean, **totals, "games_read": games_read, "findings": findings}
    if status:
        content["error"] = f"{label}: no game can be read"
    elif counts["error"] or (arguments.strict and counts["warning"]):
        status = 1
    if not arguments.json:
        games, plays = (pluralize(totals[f"{noun}s"], noun, form=",") for noun in ("game", "play"))
        games = games if games_read == totals["games"] else f"{games_read:,} of {games} read"
        print(f"{label}: {count_text(counts) or 'clean'}: {games}, {plays}")
    return content, status


def _line(finding: Finding) -> str:
    """Return a finding as ``file:line:column: ...``, a link in editors, with the board below."""
    board = f"\n    {finding.board}" if finding.board else ""
    text = one_line(f"{finding.severity}: {finding.context}{finding.message}")
    return clean_lines(f"{one_line(finding.file)}:{finding.line}:{finding.column}: {text}{board}")
